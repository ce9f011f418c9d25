"""From a basis in floats to the optimum in rationals, proved.

A basis of a linear program names a square system in integers whose solution is the vertex. The
system is solved by iterative refinement: a float factorisation gives a few dozen bits, the exact
integer residual gives the next problem, and so on (Wan's method). Continued fractions turn the
digits into rationals. Nothing of this has to be believed: every row and column of the program,
primal and dual, is then checked in integers, and a solution that passes is an optimum.
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

from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Solution
from obroute.rational import IntArray, RationalArray, least_common_denominator

STEP_BITS = 24
PART_BITS = 30
FIRST_BITS = 240
MOST_BITS = 8_000
LARGEST_RESIDUAL = 2.0**36


@dataclass(frozen=True, eq=False)
class ExactOptimum:
    """A proved optimum: values of the columns, duals of the rows, and the objective."""

    values: RationalArray
    duals: RationalArray
    objective: Fraction


def exact_optimum(program: LinearProgram, solution: Solution) -> ExactOptimum | None:
    """Return the exact optimum at the solver's basis, None where that is not proved.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design.formulation import DesignProgram
    >>> from obroute.symmetry import declared_group
    >>> from obroute.symmetry import Reduction
    >>> from obroute.design.solver import Model
    >>> design = DesignProgram(Reduction.build(declared_group(make_network("ring:5"))))
    >>> design.add_worst_case()
    >>> program = design.program("load")
    >>> exact_optimum(program, Model(program).solve()).objective
    Fraction(6, 5)
    """
    basic, active = solution.basic_columns, solution.active_rows
    if basic is None or active is None or basic.sum() != active.sum():
        return None
    columns, rows = np.flatnonzero(basic), np.flatnonzero(active)
    square = program.matrix[rows][:, columns].tocsc()
    try:
        factors = splu(csc_array(square, dtype=np.float64))
    except RuntimeError:
        return None
    rhs = RationalArray.from_fractions([program.rhs[row] for row in rows])
    primal = _solve(csr_array(square), factors, "N", rhs)
    if primal is None:
        return None
    transposed = csr_array(square.T)
    cost = RationalArray(program.cost[columns], 1)
    dual = _solve(transposed, factors, "T", cost)
    if dual is None:
        return None
    values = np.zeros(program.shape[1], dtype=object)
    values[columns] = primal.numerators
    duals = np.zeros(program.shape[0], dtype=object)
    duals[rows] = dual.numerators
    optimum = ExactOptimum(
        RationalArray(values, primal.denominator),
        RationalArray(duals, dual.denominator),
        Fraction(
            sum(int(c) * int(v) for c, v in zip(program.cost, values, strict=True) if c and v),
            primal.denominator,
        ),
    )
    return optimum if is_optimal(program, optimum) else None


def is_optimal(program: LinearProgram, optimum: ExactOptimum) -> bool:
    """Check in exact arithmetic that values and duals prove each other optimal."""
    x, y = optimum.values, optimum.duals
    if np.any(x.numerators < 0):
        return False
    left = _times(program.matrix, x.numerators)
    scale = least_common_denominator(program.rhs)
    rhs = np.array([int(value * scale) for value in program.rhs], dtype=object) * x.denominator
    slack = rhs - left * scale
    if np.any(slack < 0) or np.any(slack[program.equality] != 0):
        return False
    value = Fraction(int(program.cost.astype(object) @ x.numerators), x.denominator)
    return value == optimum.objective == dual_bound(program, y)


def dual_bound(program: LinearProgram, duals: RationalArray) -> Fraction | None:
    """Return the value that exact duals prove the optimum to have at least.

    None where they prove nothing: a ``≤`` row has a positive dual, or a column costs less than
    the duals charge for it.
    """
    if np.any(duals.numerators[~program.equality] > 0):
        return None
    reduced = program.cost.astype(object) * duals.denominator - _times(
        csr_array(program.matrix.T), duals.numerators
    )
    if np.any(reduced < 0):
        return None
    return sum(
        (
            Fraction(int(numerator), duals.denominator) * rhs
            for numerator, rhs in zip(duals.numerators, program.rhs, strict=True)
            if numerator and rhs
        ),
        Fraction(0),
    )


def _times(matrix: csr_array, vector: NDArray[Any]) -> NDArray[Any]:
    """Multiply by a vector of integers of any size."""
    products = matrix.data.astype(object) * vector.astype(object)[matrix.indices]
    sums = np.zeros(matrix.shape[0], dtype=object)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(products, matrix.indptr[filled])
    return sums


def _solve(matrix: csr_array, factors: Any, side: str, rhs: RationalArray) -> RationalArray | None:
    """Solve ``matrix · x = rhs`` exactly; ``factors`` solve it, or its transpose, in floats."""
    whole = rhs.numerators.astype(object)
    largest = max((abs(int(n)) for n in whole), default=0)
    if largest.bit_length() > PART_BITS:
        return _solve_in_parts(matrix, factors, side, rhs)
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
            left = _times(matrix, near.numerators)
            if np.all(left == whole * near.denominator):
                return RationalArray(near.numerators, near.denominator * rhs.denominator)
        wanted *= 2
    return None


def _solve_in_parts(
    matrix: csr_array, factors: Any, side: str, rhs: RationalArray
) -> RationalArray | None:
    """Solve for right-hand sides of many bits, a few at a time, and add up."""
    total: RationalArray | None = None
    left = [int(n) for n in rhs.numerators]
    weight = 0
    while any(left):
        part = [int(math.copysign(abs(n) & (2**PART_BITS - 1), n)) for n in left]
        left = [int(math.copysign(1, n)) * (abs(n) >> PART_BITS) for n in left]
        solved = _solve(matrix, factors, side, RationalArray(np.array(part, dtype=object), 1))
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
        weight += PART_BITS
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
