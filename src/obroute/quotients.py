"""Rational arrays in which every entry has a denominator of its own.

Counts of paths in a network without symmetry have few common factors: a common denominator of
all pair loads of a channel may have a hundred thousand digits where each load has ten. Such loads
stay as they are until somebody asks for a common denominator.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational import (
    FloatArray,
    RationalArray,
    SparseRationalMatrix,
    compact_integers,
    multiply_integers,
)

WIDEST = 256
"""Bits of a common denominator up to which an array has one from the start."""


class Quotients(RationalArray):
    """A one-dimensional array of rationals in lowest terms, each with its own denominator.

    It is a :class:`~obroute.rational.RationalArray` in all it does; ``numerators`` and
    ``denominator`` bring all entries over a common denominator, which may be very large.

    >>> halves = Quotients(np.array([1, 2]), np.array([2, 6]))
    >>> halves.fraction(1), halves.sum(), halves.numerators.tolist(), halves.denominator
    (Fraction(1, 3), Fraction(5, 6), [3, 2], 6)
    """

    def __init__(self, numerators: NDArray[Any], denominators: NDArray[Any]) -> None:
        shared = np.gcd(numerators, denominators)
        object.__setattr__(self, "upper", compact_integers(numerators // shared))
        object.__setattr__(self, "lower", compact_integers(denominators // shared))

    upper: NDArray[Any]
    lower: NDArray[Any]
    is_wide = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @classmethod
    def from_fractions(
        cls, values: Iterable[Fraction | int], shape: tuple[int, ...] | None = None
    ) -> Quotients:
        """Collect fractions as they are."""
        given = [Fraction(value) for value in values]
        upper, lower = np.empty(len(given), dtype=object), np.empty(len(given), dtype=object)
        upper[:] = [value.numerator for value in given]
        lower[:] = [value.denominator for value in given]
        return cls(upper, lower)

    @cached_property
    def denominator(self) -> int:
        """A common denominator, the least."""
        return math.lcm(*np.unique(self.lower).tolist())

    @cached_property
    def numerators(self) -> NDArray[Any]:
        """The numerators over it."""
        distinct, which = np.unique(self.lower, return_inverse=True)
        factors = np.array([self.denominator // int(one) for one in distinct], dtype=object)
        return compact_integers(multiply_integers(self.upper, factors[which]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.upper.shape

    def __len__(self) -> int:
        return len(self.upper)

    def fraction(self, index: Any) -> Fraction:
        """Return one entry."""
        return Fraction(int(self.upper[index]), int(self.lower[index]))

    def fractions(self) -> list[Fraction]:
        """Return all entries."""
        return list(map(Fraction, self.upper.tolist(), self.lower.tolist()))

    def take(self, index: Any) -> Quotients:
        """Return the entries that a NumPy index selects."""
        return Quotients(self.upper[index], self.lower[index])

    def where(self, kept: NDArray[np.bool_]) -> Quotients:
        """Return the same entries where they are kept, and zero elsewhere."""
        return Quotients(np.where(kept, self.upper, 0), np.where(kept, self.lower, 1))

    def sum(self) -> Fraction:
        """Return the exact sum of all entries, small denominators first."""
        distinct, which = np.unique(self.lower, return_inverse=True)
        sums = np.zeros(len(distinct), dtype=object)
        np.add.at(sums, which, self.upper.astype(object))
        return sum_of_fractions(map(Fraction, sums.tolist(), distinct.tolist()))

    def to_float(self) -> FloatArray:
        """Return the nearest floats."""
        return np.asarray(self.upper / self.lower, dtype=np.float64)

    def reduced(self) -> Quotients:
        """Return itself: every entry is in lowest terms."""
        return self

    def scaled(self, factor: Fraction) -> Quotients:
        """Multiply every entry by one fraction."""
        return Quotients(
            multiply_integers(self.upper, factor.numerator),
            multiply_integers(self.lower, factor.denominator),
        )

    def times(self, other: RationalArray) -> Quotients:
        """Multiply entry by entry."""
        lower: Any = other.lower if isinstance(other, Quotients) else other.denominator
        upper = other.upper if isinstance(other, Quotients) else other.numerators
        return Quotients(
            multiply_integers(self.upper, upper), multiply_integers(self.lower, lower)
        )

    def rounded_down(self, bits: int) -> NDArray[Any]:
        """Return each entry times 2 to the ``bits``, rounded down, as Python integers."""
        return np.asarray((self.upper.astype(object) << bits) // self.lower.astype(object))


def sum_of_fractions(values: Iterable[Fraction]) -> Fraction:
    """Add fractions exactly, always the two of the smallest denominators.

    >>> sum_of_fractions([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 1)
    """
    heap = [(value.denominator, number, value) for number, value in enumerate(values)]
    heapq.heapify(heap)
    number = len(heap)
    while len(heap) > 1:
        total = heapq.heappop(heap)[2] + heap[0][2]
        heapq.heapreplace(heap, (total.denominator, number, total))
        number += 1
    return heap[0][2] if heap else Fraction(0)


def joined_quotients(arrays: Sequence[RationalArray]) -> Quotients:
    """Join arrays, each entry with a denominator of its own.

    >>> halves = RationalArray(np.array([1, 2]), 2)
    >>> joined_quotients([halves, Quotients(np.array([1]), np.array([3]))]).lower.tolist()
    [2, 1, 3]
    """
    upper, lower = [], []
    for array in arrays:
        if isinstance(array, Quotients):
            upper.append(array.upper)
            lower.append(array.lower)
        else:
            upper.append(array.numerators)
            lower.append(np.array([array.denominator] * len(array)))
    return Quotients(np.concatenate(upper), np.concatenate(lower))


def matrix_of_quotients(
    rows: NDArray[Any],
    columns: NDArray[Any],
    quotients: Quotients,
    shape: tuple[int, int],
) -> SparseRationalMatrix:
    """Return the matrix of quotients, those at the same place added.

    It has a common denominator if that is not too large.

    >>> halves = Quotients(np.array([1, 1, 1]), np.array([2, 2, 3]))
    >>> matrix_of_quotients(np.array([1, 1, 0]), np.zeros(3), halves, (2, 1)).values.fractions()
    [Fraction(1, 3), Fraction(1, 1)]
    """
    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    if is_narrow(quotients):
        common = RationalArray(quotients.numerators, quotients.denominator)
        return SparseRationalMatrix.from_triplets(rows, columns, common, shape)
    order = np.lexsort((columns, rows))
    rows, columns, found = rows[order], columns[order], quotients.take(order)
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    starts = np.flatnonzero(first)
    if len(starts) < len(rows):
        ends = np.append(starts, len(rows))[1:]
        found = Quotients.from_fractions(
            found.fraction(start) if end == start + 1 else found.take(slice(start, end)).sum()
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        )
    kept = found.upper != 0
    return SparseRationalMatrix(rows[starts][kept], columns[starts][kept], found.take(kept), shape)


def column_sums(matrix: SparseRationalMatrix, row_weights: RationalArray) -> list[Fraction]:
    """Return the exact sum of each column, rows weighted, of values without a common denominator.

    >>> values = Quotients(np.array([1, 1]), np.array([2, 3]))
    >>> matrix = SparseRationalMatrix(np.arange(2), np.zeros(2, dtype=np.int64), values, (2, 1))
    >>> column_sums(matrix, RationalArray.full(2, 1))
    [Fraction(5, 6)]
    """
    own = matrix.values
    values = own if isinstance(own, Quotients) else Quotients.from_fractions(own.fractions())
    weighted = values.times(row_weights.take(matrix.rows))
    order = np.argsort(matrix.columns, kind="stable")
    starts = np.searchsorted(matrix.columns[order], np.arange(matrix.shape[1] + 1)).tolist()
    weighted = weighted.take(order)
    return [
        weighted.take(slice(first, last)).sum() if last > first else Fraction(0)
        for first, last in itertools.pairwise(starts)
    ]


def is_narrow(values: Quotients) -> bool:
    """Say whether a common denominator is small enough to be taken."""
    common = 1
    for one in np.unique(values.lower).tolist():
        common = math.lcm(common, one)
        if common.bit_length() > WIDEST:
            return False
    return True
