"""Exact rational arrays: integer numerators over one common denominator.

Everything that obroute calls exact is held in one of the two classes here. Numerators are
``int64`` while they leave room for sums, and Python integers (NumPy dtype ``object``) beyond
that, so no operation ever rounds or wraps around.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

LONGEST_READ = 60
"""Characters of a fraction that people may read."""
LONGEST_DECIMAL = 1_000_000
"""Digits up to which integers are written and read in decimal.

Python refuses more than 4,300, against input that takes long to read; what a user gives is held
to far fewer (:mod:`obroute.reading`), but an exact sum over a network without symmetry may have
50,000.
"""
if 0 < sys.get_int_max_str_digits() < LONGEST_DECIMAL:
    sys.set_int_max_str_digits(LONGEST_DECIMAL)

#: Largest magnitude kept in ``int64``: two entries can be added or subtracted without overflow.
INT64_ROOM = 2**61


def least_common_denominator(fractions: Iterable[Fraction]) -> int:
    """Return the least common multiple of the denominators (1 for no fractions)."""
    return reduce(math.lcm, (fraction.denominator for fraction in fractions), 1)


def _largest_magnitude(numerators: NDArray[Any]) -> int:
    if numerators.size == 0:
        return 0
    return max(int(numerators.max()), -int(numerators.min()))


def brief(value: Fraction) -> str:
    """Write a fraction for people: one too long to be read by its length and its value.

    >>> brief(Fraction(32, 5)), brief(Fraction(1, 3**200))
    ('32/5', '3.76486e-96 (a fraction of 97 digits)')
    """
    text = str(value)
    if len(text) <= LONGEST_READ:
        return text
    return f"{float(value):.6g} (a fraction of {sum(map(str.isdigit, text)):,} digits)"


def exactly(value: Fraction, form: str = ".6g") -> str:
    """Write a fraction for people with its value; an integer, or one too long to be read, once.

    >>> exactly(Fraction(32, 5)), exactly(Fraction(4)), exactly(Fraction(1, 3), ".4f")
    ('32/5 = 6.4', '4', '1/3 = 0.3333')
    """
    text = brief(value)
    return text if value.denominator == 1 or "(" in text else f"{text} = {float(value):{form}}"


def compact_integers(integers: NDArray[Any]) -> NDArray[Any]:
    """Return the same integers as ``int64`` where they fit with room, else as Python integers."""
    if integers.dtype.kind not in "biuO":
        raise TypeError(f"numerators of dtype {integers.dtype}; expected integers")
    if integers.dtype.kind == "u":
        integers = integers.astype(object)
    if integers.dtype != object:
        integers = integers.astype(np.int64, copy=False)
        if _largest_magnitude(integers) < INT64_ROOM:
            return integers
        return integers.astype(object)
    if _largest_magnitude(integers) < INT64_ROOM:
        return integers.astype(np.int64)
    return integers


def multiply_integers(left: NDArray[Any], right: NDArray[Any] | int) -> NDArray[Any]:
    """Multiply integer arrays (broadcasting) without overflow."""
    if isinstance(right, int):
        bound = abs(right)
        right_array: NDArray[Any] = np.asarray(right, dtype=object)
        if bound < INT64_ROOM:
            right_array = right_array.astype(np.int64)
    else:
        bound = _largest_magnitude(right)
        right_array = right
    small = (
        object not in (left.dtype, right_array.dtype)
        and _largest_magnitude(left) * bound < INT64_ROOM
    )
    if small:
        return np.asarray(left * right_array)
    return np.asarray(left.astype(object) * right_array.astype(object))


def sum_integers(integers: NDArray[Any]) -> int:
    """Sum integers exactly, whatever their size."""
    if integers.size == 0:
        return 0
    if integers.dtype == object or _largest_magnitude(integers) * integers.size >= 2**63:
        return int(np.sum(integers.astype(object)))
    return int(integers.sum())


@dataclass(frozen=True, eq=False)
class RationalArray:
    """An array of rationals: ``numerators / denominator``, entry by entry.

    Parameters
    ----------
    numerators
        Integers of any shape, ``int64`` or Python integers (dtype ``object``).
    denominator
        One positive integer, common to all entries.

    Examples
    --------
    >>> halves = RationalArray.from_fractions([Fraction(1, 2), Fraction(1, 3)])
    >>> halves.numerators.tolist(), halves.denominator
    ([3, 2], 6)
    >>> halves.sum()
    Fraction(5, 6)
    """

    numerators: NDArray[Any]
    denominator: int
    is_wide: ClassVar[bool] = False
    """Whether a common denominator would be so large that every entry has its own."""

    def __post_init__(self) -> None:
        if self.denominator <= 0:
            raise ValueError(f"the denominator is {self.denominator}; expected a positive integer")
        numerators = compact_integers(np.asarray(self.numerators))
        numerators.flags.writeable = False
        object.__setattr__(self, "numerators", numerators)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.numerators.flags.writeable = False

    @classmethod
    def from_fractions(
        cls, values: Iterable[Fraction | int], shape: tuple[int, ...] | None = None
    ) -> RationalArray:
        """Collect fractions over their least common denominator."""
        fractions = [Fraction(value) for value in values]
        denominator = least_common_denominator(fractions)
        numerators = np.empty(len(fractions), dtype=object)
        numerators[:] = [f.numerator * (denominator // f.denominator) for f in fractions]
        if shape is not None:
            numerators = numerators.reshape(shape)
        return cls(numerators, denominator)

    @classmethod
    def full(cls, count: int, value: Fraction | int) -> RationalArray:
        """Return ``count`` equal entries."""
        fraction = Fraction(value)
        small = abs(fraction.numerator) < INT64_ROOM
        numerators = np.full(count, fraction.numerator, dtype=np.int64 if small else object)
        return cls(numerators, fraction.denominator)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.numerators.shape

    def __len__(self) -> int:
        return len(self.numerators)

    def fraction(self, index: int | tuple[int, ...]) -> Fraction:
        """Return one entry."""
        return Fraction(int(self.numerators[index]), self.denominator)

    def fractions(self) -> list[Fraction]:
        """Return all entries in row-major order."""
        return [Fraction(int(n), self.denominator) for n in self.numerators.ravel()]

    def take(self, index: Any) -> RationalArray:
        """Return the entries that a NumPy index selects."""
        return RationalArray(self.numerators[index], self.denominator)

    def where(self, kept: NDArray[np.bool_]) -> RationalArray:
        """Return the same entries where they are kept, and zero elsewhere."""
        return RationalArray(np.where(kept, self.numerators, 0), self.denominator)

    def sum(self) -> Fraction:
        """Return the exact sum of all entries."""
        return Fraction(sum_integers(self.numerators), self.denominator)

    def to_float(self) -> FloatArray:
        """Return the nearest floats (for speed and plots, never as a witness)."""
        return np.asarray(self.numerators / self.denominator, dtype=np.float64)

    def reduced(self) -> RationalArray:
        """Divide numerators and denominator by their greatest common divisor."""
        largest = int(np.gcd.reduce(self.numerators, axis=None)) if self.numerators.size else 0
        if largest == 0:
            return RationalArray(np.zeros(self.shape, dtype=np.int64), 1)
        common = math.gcd(largest, self.denominator)
        if common == 1:
            return self
        return RationalArray(self.numerators // common, self.denominator // common)

    def over(self, denominator: int) -> NDArray[Any]:
        """Return the numerators over another denominator, a multiple of this one."""
        factor, remainder = divmod(denominator, self.denominator)
        if remainder:
            raise ValueError(
                f"{denominator} is not a multiple of the denominator {self.denominator}"
            )
        return multiply_integers(self.numerators, factor)

    def scaled(self, factor: Fraction) -> RationalArray:
        """Multiply every entry by one fraction."""
        numerators = multiply_integers(self.numerators, factor.numerator)
        return RationalArray(numerators, self.denominator * factor.denominator).reduced()

    def plus(self, other: RationalArray) -> RationalArray:
        """Add entry by entry, over the common denominator."""
        denominator = math.lcm(self.denominator, other.denominator)
        return RationalArray(self.over(denominator) + other.over(denominator), denominator)

    def times(self, other: RationalArray) -> RationalArray:
        """Multiply entry by entry, with NumPy's broadcasting."""
        return RationalArray(
            multiply_integers(self.numerators, other.numerators),
            self.denominator * other.denominator,
        )


def multiply_sum(integers: NDArray[Any], weights: RationalArray) -> RationalArray:
    """Return the sum of each row of integers times the weights, exactly.

    >>> multiply_sum(np.array([[1, 2], [3, 4]]), RationalArray(np.array([1, 1]), 2)).fractions()
    [Fraction(3, 2), Fraction(7, 2)]
    """
    numerators = weights.numerators
    largest = _largest_magnitude(integers) * _largest_magnitude(numerators)
    if numerators.dtype == object or largest * max(len(numerators), 1) >= INT64_ROOM:
        integers, numerators = integers.astype(object), numerators.astype(object)
    return RationalArray(integers @ numerators, weights.denominator)


def concatenate(arrays: Sequence[RationalArray]) -> RationalArray:
    """Join one-dimensional arrays over their common denominator."""
    denominator = math.lcm(*(array.denominator for array in arrays)) if arrays else 1
    parts = [array.over(denominator) for array in arrays]
    if not parts:
        return RationalArray(np.zeros(0, dtype=np.int64), 1)
    return RationalArray(np.concatenate(parts), denominator)


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
                    if _largest_magnitude(numerators) * longest >= INT64_ROOM:
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
        if _largest_magnitude(numerators) * max(self.shape[0], 1) >= INT64_ROOM:
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
