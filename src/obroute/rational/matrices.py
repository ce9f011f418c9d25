"""Sparse matrices of rationals: triplets of row, column and value."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational.arrays import (
    INT64_ROOM,
    FloatArray,
    IntArray,
    RationalArray,
    concatenate,
    largest_magnitude,
)


@dataclass(frozen=True, eq=False)
class SparseRationalMatrix:
    """A sparse matrix of rationals: sorted triplets, no entry stored twice, none of them zero.

    The two uses are the *pair loads* of one channel (sources × destinations) and the *channel
    loads* of a list of pairs (pairs × channels).

    Parameters
    ----------
    rows, columns
        Indices of the non-zero entries, sorted by row, then column.
    values
        Their values.
    shape
        Number of rows and columns.

    Examples
    --------
    >>> matrix = SparseRationalMatrix.from_triplets(
    ...     np.array([1, 0, 1]),
    ...     np.array([0, 2, 0]),
    ...     RationalArray.from_fractions([Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)]),
    ...     (2, 3),
    ... )
    >>> matrix.entry(1, 0), matrix.entry(0, 0), matrix.nonzeros
    (Fraction(1, 2), Fraction(0, 1), 2)
    """

    rows: IntArray
    columns: IntArray
    values: RationalArray
    shape: tuple[int, int]

    @classmethod
    def from_triplets(
        cls,
        rows: NDArray[Any],
        columns: NDArray[Any],
        values: RationalArray,
        shape: tuple[int, int],
    ) -> SparseRationalMatrix:
        """Sort triplets, add those at the same place, and drop zeros."""
        keys = np.asarray(rows, dtype=np.int64) * shape[1] + np.asarray(columns, dtype=np.int64)
        numerators = values.numerators
        if keys.size:
            if not np.all(keys[1:] > keys[:-1]):
                order = np.argsort(keys, kind="stable")
                keys, numerators = keys[order], numerators[order]
                starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
                if len(starts) < len(keys):
                    longest = int(np.diff(np.r_[starts, len(keys)]).max())
                    if largest_magnitude(numerators) * longest >= INT64_ROOM:
                        numerators = numerators.astype(object)
                    numerators = np.add.reduceat(numerators, starts)
                    keys = keys[starts]
            nonzero = numerators != 0
            if not nonzero.all():
                keys, numerators = keys[nonzero], numerators[nonzero]
        found_rows, found_columns = np.divmod(keys, max(shape[1], 1))
        return cls(found_rows, found_columns, RationalArray(numerators, values.denominator), shape)

    @classmethod
    def zero(cls, shape: tuple[int, int]) -> SparseRationalMatrix:
        """Return the matrix with no entry."""
        empty = np.zeros(0, dtype=np.int64)
        return cls(empty, empty, RationalArray(empty, 1), shape)

    @property
    def is_wide(self) -> bool:
        """Whether the values have no common denominator that is of use."""
        return self.values.is_wide

    @property
    def nonzeros(self) -> int:
        """Number of non-zero entries."""
        return len(self.rows)

    def row_pointers(self) -> IntArray:
        """Return where each row starts among the triplets (compressed-row form)."""
        return np.searchsorted(self.rows, np.arange(self.shape[0] + 1)).astype(np.int64)

    def positions(self, rows: NDArray[Any], columns: NDArray[Any]) -> IntArray:
        """Return the triplet that holds each (row, column), or -1 where the entry is zero."""
        keys = self.rows * self.shape[1] + self.columns
        wanted = np.asarray(rows, dtype=np.int64) * self.shape[1] + np.asarray(
            columns, dtype=np.int64
        )
        if not keys.size:
            return np.full(wanted.shape, -1, dtype=np.int64)
        places = np.searchsorted(keys, wanted)
        places[places == len(keys)] = 0
        return np.where(keys[places] == wanted, places, -1).astype(np.int64)

    def entries(self, rows: NDArray[Any], columns: NDArray[Any]) -> RationalArray:
        """Return the entries at given places.

        >>> matrix = SparseRationalMatrix.from_triplets(
        ...     np.array([0]), np.array([1]), RationalArray(np.array([2]), 3), (2, 2)
        ... )
        >>> [str(load) for load in matrix.entries(np.array([0, 1]), np.array([1, 1])).fractions()]
        ['2/3', '0']
        """
        places = self.positions(rows, columns)
        if not self.nonzeros:
            return RationalArray.full(len(places), 0)
        return self.values.take(np.maximum(places, 0)).where(places >= 0)

    def some_places(self, count: int, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw rows and columns of so many non-zero entries, of all where there are fewer."""
        drawn = generator.permutation(self.nonzeros)[:count]
        return self.rows[drawn], self.columns[drawn]

    def entry(self, row: int, column: int) -> Fraction:
        """Return one entry, zero where none is stored."""
        place = int(self.positions(np.array([row]), np.array([column]))[0])
        return Fraction(0) if place < 0 else self.values.fraction(place)

    def sum_at(self, rows: NDArray[Any], columns: NDArray[Any]) -> Fraction:
        """Return the exact sum of the entries at the given places."""
        places = self.positions(rows, columns)
        return self.values.take(places[places >= 0]).sum()

    def sum(self) -> Fraction:
        """Return the exact sum of all entries."""
        return self.values.sum()

    def weighted_sum(self, row_weights: RationalArray, column_weights: RationalArray) -> Fraction:
        """Return ``Σ row_weight · entry · column_weight`` exactly."""
        weights = row_weights.take(self.rows).times(column_weights.take(self.columns))
        return self.values.times(weights).sum()

    def column_sums(self, row_weights: RationalArray | None = None) -> RationalArray:
        """Return the exact sum of each column, rows weighted where weights are given."""
        values = self.values
        if row_weights is not None:
            values = values.times(row_weights.take(self.rows))
        numerators = values.numerators
        if largest_magnitude(numerators) * max(self.shape[0], 1) >= INT64_ROOM:
            numerators = numerators.astype(object)
        sums = np.zeros(self.shape[1], dtype=numerators.dtype)
        np.add.at(sums, self.columns, numerators)
        return RationalArray(sums, values.denominator)

    def to_dense(self) -> FloatArray:
        """Return the dense matrix of floats."""
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = self.values.to_float()
        return dense

    def scaled(self, factor: Fraction) -> SparseRationalMatrix:
        """Multiply by one fraction."""
        if factor == 0:
            return SparseRationalMatrix.zero(self.shape)
        return SparseRationalMatrix(
            self.rows, self.columns, self.values.scaled(factor), self.shape
        )

    @staticmethod
    def sum_of(matrices: Sequence[SparseRationalMatrix]) -> SparseRationalMatrix:
        """Add matrices of one shape."""
        return SparseRationalMatrix.from_triplets(
            np.concatenate([m.rows for m in matrices]),
            np.concatenate([m.columns for m in matrices]),
            concatenate([m.values for m in matrices]),
            matrices[0].shape,
        )

    def equals(self, other: SparseRationalMatrix) -> bool:
        """Say whether both hold the same rationals."""
        if self.shape != other.shape or self.nonzeros != other.nonzeros:
            return False
        if not np.array_equal(self.rows, other.rows):
            return False
        if not np.array_equal(self.columns, other.columns):
            return False
        common = math.lcm(self.values.denominator, other.values.denominator)
        return bool(np.all(self.values.over(common) == other.values.over(common)))


class UnexpandedMatrix(SparseRationalMatrix):
    """A matrix that is held in another form; the triplets are made when they are asked for."""

    @cached_property
    @abstractmethod
    def expanded(self) -> SparseRationalMatrix:
        """The matrix as triplets."""

    @property
    def rows(self) -> IntArray:
        """Rows of the non-zero entries."""
        return self.expanded.rows

    @property
    def columns(self) -> IntArray:
        """Columns of the non-zero entries."""
        return self.expanded.columns

    @property
    def values(self) -> RationalArray:
        """Values of the non-zero entries."""
        return self.expanded.values
