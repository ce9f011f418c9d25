"""Birkhoff's decomposition: a traffic matrix as a weighted list of permutations, exactly.

A matrix with no negative entry is a sum of weighted *partial permutations* (0/1 matrices with at
most one 1 in each row and column), and their weights need sum to no more than its largest row or
column sum h (Birkhoff 1946 and von Neumann 1953 for doubly stochastic matrices, where h = 1 and
the permutations are full ones; Mendelsohn and Dulmage 1958 for the others).

Each term is taken off greedily. Call a row or column *tight* if it sums to h. A matching of
non-zero entries that covers every tight row and column exists; its weight is the least of its
entries and of what the rows and columns that it leaves out lack of h. Then an entry vanishes or a
line becomes tight, tight lines stay tight, and h falls by the weight. Of all such matchings the
one of the largest weight is taken, which keeps the list short and sorted.

**Length.** What is left, scaled, lies on a proper face of the smallest face that held the matrix
before, so there are at most dim + 1 terms. For a doubly stochastic n × n matrix with E non-zero
entries in c connected blocks, dim = E - 2n + c, which is at most (n - 1)²: at most n² - 2n + 2
terms (Marcus and Ree 1959). In general some line is
tight, dim is at most E - 1, and there are at most E terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from obroute.rational import IntArray
from obroute.specs import InputError

NONE = -1
"""The destination of a source that a partial permutation leaves out."""

Term = tuple[Fraction, IntArray]
"""A weight, and the column of each row, :data:`NONE` where the row is left out."""


def birkhoff(
    rows: Sequence[int] | NDArray[Any],
    columns: Sequence[int] | NDArray[Any],
    amounts: Iterable[Fraction | int],
    shape: tuple[int, int] | None = None,
) -> list[Term]:
    """Return a matrix as a sum of weighted (partial) permutations, the heaviest first.

    Parameters
    ----------
    rows, columns, amounts
        The entries of the matrix; entries at one place add.
    shape
        Number of rows and of columns; as many as are named where it is not given.

    Returns
    -------
    list
        Pairs of a weight and a permutation, the column of each row (-1 where the row is left
        out). ``Σ weight · permutation`` is the matrix, the weights sum to its largest row or
        column sum, and their number is at most :func:`most_terms`; all of it is checked. A doubly
        stochastic matrix is so a convex combination of permutations.

    Raises
    ------
    InputError
        If an entry is negative or outside the shape.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> for weight, permutation in birkhoff([0, 0, 1, 2], [0, 1, 0, 2], [half, half, half, 1]):
    ...     print(weight, permutation.tolist())
    1/2 [0, -1, 2]
    1/2 [1, 0, 2]
    """
    amounts = list(amounts)
    entries = _entries(rows, columns, amounts)
    if shape is None:
        ends = [1 + max((place[axis] for place in entries), default=-1) for axis in (0, 1)]
        shape = ends[0], ends[1]
    for (row, column), amount in entries.items():
        if amount < 0 or not (0 <= row < shape[0] and 0 <= column < shape[1]):
            raise InputError(
                f"entry ({row}, {column}) = {amount} of a {shape[0]} × {shape[1]} matrix; "
                "expected no negative entry and none outside"
            )
    terms = _Remainder(entries, shape).decompose()
    check_decomposition(rows, columns, amounts, terms, shape)
    return terms


def _entries(
    rows: Sequence[int] | NDArray[Any],
    columns: Sequence[int] | NDArray[Any],
    amounts: Iterable[Fraction | int],
) -> dict[tuple[int, int], Fraction]:
    """Return the non-zero entries by their places."""
    entries: dict[tuple[int, int], Fraction] = {}
    for row, column, amount in zip(rows, columns, amounts, strict=True):
        place = int(row), int(column)
        entries[place] = entries.get(place, Fraction(0)) + Fraction(amount)
    return {place: entries[place] for place in sorted(entries) if entries[place]}


def most_terms(
    rows: Sequence[int] | NDArray[Any],
    columns: Sequence[int] | NDArray[Any],
    amounts: Iterable[Fraction | int],
    shape: tuple[int, int],
) -> int:
    """Return the proved bound on the number of terms of :func:`birkhoff`.

    For a square matrix whose rows and columns all have one sum it is E - 2n + c + 1, with E
    non-zero entries in c connected blocks of rows and columns; else E.

    Examples
    --------
    >>> from itertools import product
    >>> pairs = list(product(range(4), repeat=2))
    >>> most_terms(*zip(*pairs), [Fraction(1, 4)] * 16, (4, 4))  # n² - 2n + 2
    10
    """
    entries = _entries(rows, columns, amounts)
    if not entries:
        return 0
    row_sums, column_sums = _line_sums(entries, shape)
    if len({*row_sums, *column_sums}) > 1:
        return len(entries)
    places = np.array(list(entries))
    size = sum(shape)
    ends = places[:, 0], shape[0] + places[:, 1]
    blocks = connected_components(
        csr_array((np.ones(len(places)), ends), shape=(size, size)), directed=False
    )[0]
    return len(entries) - size + int(blocks) + 1


def _line_sums(
    entries: dict[tuple[int, int], Fraction], shape: tuple[int, int]
) -> tuple[list[Fraction], list[Fraction]]:
    sums = [Fraction(0)] * shape[0], [Fraction(0)] * shape[1]
    for place, amount in entries.items():
        for axis in (0, 1):
            sums[axis][place[axis]] += amount
    return sums


def check_decomposition(
    rows: Sequence[int] | NDArray[Any],
    columns: Sequence[int] | NDArray[Any],
    amounts: Iterable[Fraction | int],
    terms: Sequence[Term],
    shape: tuple[int, int],
) -> None:
    """Raise unless the terms are (partial) permutations that sum to the matrix, and not too many.

    Raises
    ------
    ArithmeticError
        Names the first thing that does not hold.
    """
    amounts = list(amounts)
    expected = _entries(rows, columns, amounts)
    sums: dict[tuple[int, int], Fraction] = {}
    for number, (weight, permutation) in enumerate(terms):
        used = [(row, column) for row, column in enumerate(permutation.tolist()) if column != NONE]
        if weight <= 0 or len(permutation) != shape[0] or not used:
            raise ArithmeticError(f"term {number} is empty or of weight {weight}")
        if len({column for _, column in used}) < len(used):
            raise ArithmeticError(f"term {number} takes a column twice")
        for place in used:
            sums[place] = sums.get(place, Fraction(0)) + weight
    if sums != expected:
        raise ArithmeticError("the terms do not sum to the matrix")
    total = sum((weight for weight, _ in terms), Fraction(0))
    largest = max((*_line_sums(expected, shape)[0], *_line_sums(expected, shape)[1]), default=0)
    if total != largest:
        raise ArithmeticError(f"the weights sum to {total}, the largest line to {largest}")
    if len(terms) > most_terms(rows, columns, amounts, shape):
        raise ArithmeticError(f"{len(terms)} terms, more than the bound")


class _Remainder:
    """What is left of a matrix: integers over one denominator, and what each line lacks of h.

    The matchings wanted are the perfect ones of a square matrix of rows + columns,
    ``[[A, lacks of rows], [lacks of columns, Aᵀ]]`` with the lacks on the diagonals: a row that is
    left out takes what it lacks, a tight one cannot. Entries of Aᵀ only complete a matching (the
    transpose of its own part of A always does), so they bound no weight.
    """

    def __init__(self, entries: dict[tuple[int, int], Fraction], shape: tuple[int, int]) -> None:
        self.shape = shape
        self.denominator = math.lcm(*(amount.denominator for amount in entries.values()))
        numbers = [a.numerator * (self.denominator // a.denominator) for a in entries.values()]
        places = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
        self.rows, self.columns = places[:, 0], places[:, 1]
        # Python integers: sums of lines of any size.
        self.amounts = np.array(numbers, dtype=object)
        lines = [np.zeros(count, dtype=object) for count in shape]
        np.add.at(lines[0], self.rows, self.amounts)
        np.add.at(lines[1], self.columns, self.amounts)
        self.height = max((*lines[0], *lines[1]), default=0)
        self.row_lacks, self.column_lacks = self.height - lines[0], self.height - lines[1]
        if sum(numbers) < 2**62:
            self.amounts, self.row_lacks, self.column_lacks = (
                part.astype(np.int64) for part in (self.amounts, self.row_lacks, self.column_lacks)
            )

    def decompose(self) -> list[Term]:
        terms = []
        while self.height:
            weight, permutation = self._heaviest_matching()
            self._take(weight, permutation)
            terms.append((Fraction(weight, self.denominator), permutation))
        return terms

    def _heaviest_matching(self) -> tuple[int, IntArray]:
        """Return the largest weight for which there is a matching, and one."""
        candidates = np.unique(np.concatenate([self.amounts, self.row_lacks, self.column_lacks]))
        candidates = candidates[candidates > 0]
        low, high = 0, len(candidates)
        matching = self._matching(candidates[0])
        assert matching is not None, "a tight line could not be covered"
        while high - low > 1:
            middle = (low + high) // 2
            better = self._matching(candidates[middle])
            if better is None:
                high = middle
            else:
                low, matching = middle, better
        return int(candidates[low]), matching

    def _matching(self, weight: Any) -> IntArray | None:
        """Return a matching of at least that weight that covers the tight lines, if there is."""
        rows, columns = self.shape
        size = rows + columns
        allowed = self.amounts >= weight
        left_out, idle = (
            np.flatnonzero(lacks >= weight) for lacks in (self.row_lacks, self.column_lacks)
        )
        first = [self.rows[allowed], left_out, rows + idle, rows + self.columns]
        second = [self.columns[allowed], columns + left_out, idle, columns + self.rows]
        ends = np.concatenate(first), np.concatenate(second)
        graph = csr_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(size, size))
        partner = maximum_bipartite_matching(graph, perm_type="column")
        if (partner < 0).any():
            return None
        own = partner[:rows].astype(np.int64)
        return np.where(own < columns, own, NONE)

    def _take(self, weight: int, permutation: IntArray) -> None:
        chosen = permutation[self.rows] == self.columns
        self.amounts[chosen] -= weight
        self.height -= weight
        self.row_lacks[permutation == NONE] -= weight
        idle = np.ones(self.shape[1], dtype=bool)
        idle[permutation[permutation != NONE]] = False
        self.column_lacks[idle] -= weight
        left = self.amounts > 0
        self.rows, self.columns = self.rows[left], self.columns[left]
        self.amounts = self.amounts[left]
