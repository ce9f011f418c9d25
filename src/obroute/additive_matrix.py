"""Matrices whose entry is a number of its row and a number of its column, held as these.

The pair loads of a channel are of this form where a packet's way to an intermediate does not
depend on its destination, nor the way on from there on its source: Valiant's identity. All traffic
that uses all bandwidth loads the channel alike, and the two numbers are the potentials that prove
it, so that neither a matching nor the list of all pairs is needed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.quotients import Quotients, column_sums, is_narrow, matrix_of_quotients
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, UnexpandedMatrix


class AdditiveMatrix(UnexpandedMatrix):
    """Entry (s, d) is ``of_row[s] + of_column[d]``; the triplets are made when asked for.

    Parameters
    ----------
    of_row, of_column
        The numbers, none of them negative.

    Examples
    --------
    >>> halves = RationalArray(np.array([1, 0]), 2)
    >>> matrix = AdditiveMatrix(halves, RationalArray(np.array([1, 0, 2]), 3))
    >>> matrix.shape, str(matrix.entry(0, 2)), matrix.nonzeros, str(matrix.sum())
    ((2, 3), '7/6', 5, '7/2')
    """

    def __init__(self, of_row: RationalArray, of_column: RationalArray) -> None:
        self.__dict__.update(
            of_row=of_row, of_column=of_column, shape=(len(of_row), len(of_column))
        )

    of_row: RationalArray
    of_column: RationalArray

    @classmethod
    def of_sums(
        cls,
        matrix: SparseRationalMatrix,
        column_weights: RationalArray,
        row_weights: RationalArray,
    ) -> AdditiveMatrix:
        """Return the weighted sum of each row of a matrix, with that of each column.

        >>> one = RationalArray.full(2, 1)
        >>> matrix = SparseRationalMatrix(np.array([0]), np.array([1]), one.take([0]), (2, 2))
        >>> sums = AdditiveMatrix.of_sums(matrix, one, one)
        >>> sums.of_row.numerators.tolist(), sums.of_column.numerators.tolist()
        ([1, 0], [0, 1])
        """
        turned = SparseRationalMatrix(
            matrix.columns, matrix.rows, matrix.values, (matrix.shape[1], matrix.shape[0])
        )
        if not matrix.is_wide:
            return cls(
                turned.column_sums(column_weights).reduced(),
                matrix.column_sums(row_weights).reduced(),
            )
        of_row, of_column = (
            _collected(column_sums(one, weights))
            for one, weights in ((turned, column_weights), (matrix, row_weights))
        )
        return cls(of_row, of_column)

    def __repr__(self) -> str:
        return f"AdditiveMatrix({self.shape[0]} rows, {self.shape[1]} columns)"

    def __reduce__(self) -> tuple[Any, ...]:
        return AdditiveMatrix, (self.of_row, self.of_column)

    @cached_property
    def expanded(self) -> SparseRationalMatrix:
        """The matrix as triplets."""
        rows, columns = (part.ravel() for part in np.indices(self.shape, dtype=np.int64))
        if self.is_wide:
            down, across = self.of_row.fractions(), self.of_column.fractions()
            sums = Quotients.from_fractions(a + b for a in down for b in across)
            return matrix_of_quotients(rows, columns, sums, self.shape)
        values = self.of_row.take(rows).plus(self.of_column.take(columns))
        return SparseRationalMatrix.from_triplets(rows, columns, values.reduced(), self.shape)

    @property
    def is_wide(self) -> bool:
        """Whether the numbers have no common denominator that is of use."""
        return self.of_row.is_wide or self.of_column.is_wide

    def load_at(
        self, rows: NDArray[Any], columns: NDArray[Any], amounts: RationalArray
    ) -> Fraction:
        """Return ``Σ amount · entry`` over given places, exactly."""
        parts = self.of_row.take(rows), self.of_column.take(columns)
        return sum((part.times(amounts).sum() for part in parts), Fraction(0))

    @property
    def nonzeros(self) -> int:
        """Number of non-zero entries, counted in the two numbers."""
        zeros = [
            sum(not number for number in part.fractions())
            for part in (self.of_row, self.of_column)
        ]
        return math.prod(self.shape) - math.prod(zeros)

    def some_places(self, count: int, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw rows and columns, of any entries: few are zero."""
        rows, columns = (generator.integers(size, size=count) for size in self.shape)
        return rows, columns

    def entries(self, rows: NDArray[Any], columns: NDArray[Any]) -> RationalArray:
        """Return the entries at given places."""
        parts = self.of_row.take(rows), self.of_column.take(columns)
        if self.is_wide:
            pairs = zip(*(part.fractions() for part in parts), strict=True)
            return Quotients.from_fractions(a + b for a, b in pairs)
        return parts[0].plus(parts[1])

    def entry(self, row: int, column: int) -> Fraction:
        """Return one entry."""
        return self.of_row.fraction(row) + self.of_column.fraction(column)

    def weighted_sum(self, row_weights: RationalArray, column_weights: RationalArray) -> Fraction:
        """Return ``Σ row_weight · entry · column_weight`` exactly."""
        return (
            self.of_row.times(row_weights).sum() * column_weights.sum()
            + self.of_column.times(column_weights).sum() * row_weights.sum()
        )

    def sum(self) -> Fraction:
        """Return the exact sum of all entries."""
        rows, columns = self.shape
        return self.of_row.sum() * columns + self.of_column.sum() * rows

    def first_short_pair(self, u: RationalArray, v: RationalArray) -> tuple[int, int] | None:
        """Return the pair whose entry exceeds ``u + v`` most, None if none does.

        >>> one, two = (RationalArray.full(2, number) for number in (1, 2))
        >>> AdditiveMatrix(one, two).first_short_pair(two, one)
        >>> AdditiveMatrix(one, two).first_short_pair(one, one)
        (0, 0)
        """
        row, slack_of_row = _least_slack(u, self.of_row)
        column, slack_of_column = _least_slack(v, self.of_column)
        return (row, column) if slack_of_row + slack_of_column < 0 else None


def _collected(values: list[Fraction]) -> RationalArray:
    found = Quotients.from_fractions(values)
    return RationalArray(found.numerators, found.denominator) if is_narrow(found) else found


def _least_slack(potentials: RationalArray, needed: RationalArray) -> tuple[int, Fraction]:
    """Return where ``potential - needed`` is least, and what it is there."""
    if potentials.is_wide or needed.is_wide:
        pairs = zip(potentials.fractions(), needed.fractions(), strict=True)
        slack = [potential - number for potential, number in pairs]
        place = min(range(len(slack)), key=slack.__getitem__)
        return place, slack[place]
    common = math.lcm(potentials.denominator, needed.denominator)
    numerators = potentials.over(common) - needed.over(common)
    place = int(np.argmin(numerators))
    return place, Fraction(int(numerators[place]), common)
