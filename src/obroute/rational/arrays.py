"""Exact rational arrays: integer numerators over one common denominator.

Numerators are ``int64`` while they leave room for sums, and Python integers (NumPy dtype
``object``) beyond that, so no operation ever rounds or wraps around.
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


def largest_magnitude(numerators: NDArray[Any]) -> int:
    """Return the largest absolute value, 0 of none."""
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
        if largest_magnitude(integers) < INT64_ROOM:
            return integers
        return integers.astype(object)
    if largest_magnitude(integers) < INT64_ROOM:
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
        bound = largest_magnitude(right)
        right_array = right
    small = (
        object not in (left.dtype, right_array.dtype)
        and largest_magnitude(left) * bound < INT64_ROOM
    )
    if small:
        return np.asarray(left * right_array)
    return np.asarray(left.astype(object) * right_array.astype(object))


def sum_integers(integers: NDArray[Any]) -> int:
    """Sum integers exactly, whatever their size."""
    if integers.size == 0:
        return 0
    if integers.dtype == object or largest_magnitude(integers) * integers.size >= 2**63:
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
        fractions = [value if type(value) is Fraction else Fraction(value) for value in values]
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
    largest = largest_magnitude(integers) * largest_magnitude(numerators)
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
