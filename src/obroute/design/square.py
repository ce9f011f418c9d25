"""Regular square systems in integers, solved exactly.

By iterative refinement: a float factorisation gives a few dozen bits, the exact integer residual
gives the next problem, and so on (Wan's method). Continued fractions turn the digits into
rationals, which are put into the system.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import splu

from obroute.design.integers import times
from obroute.rational import IntArray, RationalArray

STEP_BITS = 24
PARTS_BITS = (30, 12)
"""Bits of a right-hand side that are solved for at once; fewer where solutions are large."""
FIRST_BITS = 240
MOST_BITS = 8_000
LARGEST_RESIDUAL = 2.0**36


@dataclass(frozen=True, eq=False)
class SquareSystem:
    """A regular square system in integers, with its factors in floats."""

    matrix: csr_array
    factors: Any

    @classmethod
    def of(cls, matrix: csr_array) -> SquareSystem | None:
        """Factorise; None where the floats find the matrix singular."""
        try:
            return cls(matrix, splu(csc_array(matrix, dtype=np.float64)))
        except RuntimeError:
            return None

    def solve(self, rhs: RationalArray, *, transposed: bool = False) -> RationalArray | None:
        """Solve the system, or its transpose; None if that takes too many digits.

        Examples
        --------
        >>> system = SquareSystem.of(csr_array([[2, 1], [0, 3]]))
        >>> system.solve(RationalArray(np.array([1, 1]), 1)).fractions()
        [Fraction(1, 3), Fraction(1, 3)]
        >>> system.solve(RationalArray(np.array([1, 1]), 1), transposed=True).fractions()
        [Fraction(1, 2), Fraction(1, 6)]
        """
        matrix, side = (csr_array(self.matrix.T), "T") if transposed else (self.matrix, "N")
        for part_bits in PARTS_BITS:
            solved = _solve(matrix, self.factors, side, rhs, part_bits)
            if solved is not None:
                return solved
        return None


def spread(values: RationalArray, places: IntArray, count: int) -> RationalArray:
    """Return values at given places among zeros.

    Examples
    --------
    >>> spread(RationalArray.full(2, 3), np.array([0, 2]), 4).numerators.tolist()
    [3, 0, 3, 0]
    """
    numerators = np.zeros(count, dtype=object)
    numerators[places] = values.numerators
    return RationalArray(numerators, values.denominator)


def _solve(
    matrix: csr_array, factors: Any, side: str, rhs: RationalArray, part_bits: int
) -> RationalArray | None:
    """Solve ``matrix · x = rhs`` exactly; ``factors`` solve it, or its transpose, in floats."""
    whole = rhs.numerators.astype(object)
    largest = max((abs(int(n)) for n in whole), default=0)
    if largest.bit_length() > part_bits:
        return _solve_in_parts(matrix, factors, side, rhs, part_bits)
    small: IntArray = whole.astype(np.int64)
    digits = np.zeros(len(whole), dtype=object)
    taken, wanted = 0, FIRST_BITS
    while taken < MOST_BITS:
        while taken < wanted:
            step = np.rint(factors.solve(small.astype(np.float64), side) * 2.0**STEP_BITS)
            if not np.all(np.abs(step) < 2.0**62):
                return None
            new = step.astype(np.int64)
            small = (small << STEP_BITS) - matrix @ new
            if small.size and np.abs(small).max() > LARGEST_RESIDUAL:
                return None
            digits = (digits << STEP_BITS) + new
            taken += STEP_BITS
            if not small.any():
                break
        near = _reconstruct(digits, taken)
        if near is not None:
            left = times(matrix, near.numerators)
            if np.all(left == whole * near.denominator):
                return RationalArray(near.numerators, near.denominator * rhs.denominator)
        wanted *= 2
    return None


def _solve_in_parts(
    matrix: csr_array, factors: Any, side: str, rhs: RationalArray, part_bits: int
) -> RationalArray | None:
    """Solve for right-hand sides of many bits, a few at a time, and add up."""
    total: RationalArray | None = None
    left = [int(n) for n in rhs.numerators]
    weight = 0
    while any(left):
        part = [int(math.copysign(abs(n) & (2**part_bits - 1), n)) for n in left]
        left = [int(math.copysign(1, n)) * (abs(n) >> part_bits) for n in left]
        whole = RationalArray(np.array(part, dtype=object), 1)
        solved = _solve(matrix, factors, side, whole, part_bits)
        if solved is None:
            return None
        scaled = solved.scaled(Fraction(2**weight))
        if total is None:
            total = scaled
        else:
            common = math.lcm(total.denominator, scaled.denominator)
            total = RationalArray(
                total.over(common).astype(object) + scaled.over(common).astype(object), common
            )
        weight += part_bits
    if total is None:
        return RationalArray(np.zeros(len(rhs), dtype=np.int64), 1)
    return RationalArray(total.numerators, total.denominator * rhs.denominator)


def _reconstruct(digits: NDArray[Any], bits: int) -> RationalArray | None:
    """Return the simplest rationals near ``digits / 2**bits``, over a common denominator."""
    scale = 1 << bits
    # A numerator over a denominator below this bound is the only one so near.
    bound = 1 << (bits // 3)
    tolerance = 1 << (bits // 3)
    known = 1
    fractions: list[Fraction] = []
    for digit in digits.tolist():
        scaled = digit * known
        near = (scaled + scale // 2) >> bits
        if known <= bound and abs(scaled - (near << bits)) <= tolerance * known:
            fractions.append(Fraction(near, known))
            continue
        fraction = _simplest(digit, scale, bound, tolerance)
        if fraction is None:
            return None
        fractions.append(fraction)
        larger = math.lcm(known, fraction.denominator)
        if larger <= bound:
            known = larger
    return RationalArray.from_fractions(fractions)


def _simplest(digit: int, scale: int, bound: int, tolerance: int) -> Fraction | None:
    """Return the first convergent of ``digit / scale`` within the tolerance."""
    numerator, denominator = digit, scale
    before, now = (0, 1), (1, 0)
    while denominator:
        quotient, rest = divmod(numerator, denominator)
        before, now = now, (quotient * now[0] + before[0], quotient * now[1] + before[1])
        if now[1] > bound:
            return None
        if abs(digit * now[1] - now[0] * scale) <= tolerance * now[1]:
            return Fraction(now[0], now[1])
        numerator, denominator = denominator, rest
    return Fraction(*now)
