"""From interior points to the optimum in rationals, without a basis.

Interior points end inside the face of all optima: each column is either well above zero, or its
reduced cost is, and each row likewise. That names a system in integers, ``A x = b`` with the tight
rows and the positive columns, of which any solution near the floats is an optimum; and its
transpose for the duals. It is solved as far as it is regular, found by elimination modulo a prime;
the other columns, and the duals of the other rows, keep their floats, rounded to few bits. Where
floats were too near to tell, what the exact point violates puts a few rows and columns right. As
with a basis, nothing of this has to be believed: what comes out is checked in integers.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.compiled import compiled
from obroute.design.integers import times
from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Solution
from obroute.design.square import SquareSystem, spread
from obroute.rational import FloatArray, IntArray, RationalArray

PRIME = 2**31 - 1
ROUNDINGS = range(10, 28)
"""Bits below the smallest number of the face that the free ones are rounded to, one after the
other: few make short fractions, many stay nearer to the floats."""
SMALLEST_SLACK = 1e-10
"""A row of a smaller slack is taken for tight, whatever its dual."""
MOST_DOUBLED = 5
"""Times that the number of rows or columns taken in at once is doubled."""
NOTHING = 1e-9
"""Of the largest number of a face, what is not told from zero."""
MOST_FREE_BITS = 60


def points_of_faces(
    program: LinearProgram, solution: Solution
) -> Iterator[tuple[RationalArray, RationalArray]]:
    """Give exact values of the columns and duals of the rows near a solver's floats.

    Each is a guess, better than the one before; whether it is an optimum is for others to check.
    """
    rhs = np.array([float(value) for value in program.rhs])
    slack = np.where(program.equality, 0.0, rhs - program.matrix @ solution.values)
    reduced = program.cost - program.matrix.T @ solution.duals
    columns = solution.values > np.abs(reduced)
    slack = np.abs(slack)  # below zero by as much as the solver is off
    rows = program.equality | (-solution.duals > slack) | (slack < SMALLEST_SLACK)
    for tried, bits in enumerate(ROUNDINGS):
        face = _Face.of(program, solution, columns, rows)
        point = None if face is None else face.point(bits)
        if point is None:
            return
        yield point
        columns, rows = _put_right(
            program, columns, rows, *point, more=1 << min(tried, MOST_DOUBLED)
        )


def _put_right(
    program: LinearProgram,
    columns: NDArray[np.bool_],
    rows: NDArray[np.bool_],
    values: RationalArray,
    duals: RationalArray,
    *,
    more: int,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which columns are positive and which rows tight, by what an exact point violates.

    Where it says nothing, ``more`` of them are taken in.
    """
    rhs = RationalArray.from_fractions(program.rhs)
    met = times(program.matrix, values.numerators) * rhs.denominator
    slack = rhs.numerators.astype(object) * values.denominator - met
    reduced = program.cost.astype(object) * duals.denominator - times(
        csr_array(program.matrix.T), duals.numerators
    )
    unmet, uneven = rows & (slack != 0), columns & (reduced != 0)
    new_columns, new_rows = columns.copy(), rows.copy()
    # Where the duals are those of the face, what they forbid was told wrongly; values likewise.
    if not uneven.any():
        new_columns |= reduced < 0
        new_rows &= program.equality | (duals.numerators <= 0)
    if not unmet.any():
        new_rows |= slack < 0
        new_columns &= values.numerators >= 0
    if np.array_equal(new_columns, columns) and np.array_equal(new_rows, rows):
        # Too few columns for the rows, or too few rows for the columns: the next of them. Some too
        # many do no harm, for the other side has room.
        if unmet.any() and not uneven.any():
            new_columns[_next(reduced, columns, more)] = True
        elif uneven.any() and not unmet.any():
            new_rows[_next(slack, rows, more)] = True
        else:
            new_columns &= ~uneven
            new_rows &= program.equality | ~unmet
    return new_columns, new_rows


def _next(room: NDArray[np.object_], known: NDArray[np.bool_], count: int) -> IntArray:
    """Return the numbers of those that have the least room, of those not known to have none."""
    others = np.flatnonzero(~known)
    return others[np.argsort(room[others], kind="stable")[:count]]


@dataclass(frozen=True, eq=False)
class _Face:
    """Optima that floats point to: numbers of positive columns and tight rows, and their part.

    ``regular_columns`` and ``regular_rows`` are places of these that make a regular square system.
    """

    program: LinearProgram
    solution: Solution
    columns: IntArray
    rows: IntArray
    matrix: csr_array
    regular_columns: IntArray
    regular_rows: IntArray
    square: SquareSystem

    @classmethod
    def of(
        cls,
        program: LinearProgram,
        solution: Solution,
        positive: NDArray[np.bool_],
        tight: NDArray[np.bool_],
    ) -> _Face | None:
        """Find the regular part; None where floats find it singular after all."""
        columns, rows = np.flatnonzero(positive), np.flatnonzero(tight)
        matrix = csr_array(program.matrix[rows][:, columns])
        # Pivots in columns of few entries, and of those in large ones, keep the rows short.
        counts = np.bincount(matrix.indices, minlength=len(columns))
        preference = np.empty(len(columns), dtype=np.int64)
        by_count = np.lexsort((-solution.values[columns], counts))
        preference[by_count] = np.arange(len(columns))
        regular_rows, regular_columns = _eliminate(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int64),
            matrix.data.astype(np.int64),
            np.argsort(program.equality[rows], kind="stable"),
            preference,
            PRIME,
        )
        square = SquareSystem.of(csr_array(matrix[regular_rows][:, regular_columns]))
        if square is None:
            return None
        return cls(program, solution, columns, rows, matrix, regular_columns, regular_rows, square)

    def point(self, bits: int) -> tuple[RationalArray, RationalArray] | None:
        """Return values of all columns and duals of all rows, exact solutions of the system."""
        program, (rows, columns) = self.program, (self.regular_rows, self.regular_columns)
        free = _rounded(self.solution.values[self.columns], columns, bits)
        free_duals = _rounded(self.solution.duals[self.rows], rows, bits)
        if free is None or free_duals is None:
            return None
        rhs = RationalArray.from_fractions([program.rhs[row] for row in self.rows[rows]])
        cost = RationalArray(program.cost[self.columns[columns]], 1)
        taken = times(csr_array(self.matrix[rows]), free.numerators)
        charged = times(csr_array(self.matrix[:, columns].T), free_duals.numerators)
        left = rhs.plus(RationalArray(-taken, free.denominator))
        left_cost = cost.plus(RationalArray(-charged, free_duals.denominator))
        values = self.square.solve(left)
        duals = self.square.solve(left_cost, transposed=True)
        if values is None or duals is None:
            return None
        values = free.plus(spread(values, columns, len(self.columns)))
        duals = free_duals.plus(spread(duals, rows, len(self.rows)))
        return (
            spread(values, self.columns, program.shape[1]),
            spread(duals, self.rows, program.shape[0]),
        )


def _rounded(values: FloatArray, regular: IntArray, bits: int) -> RationalArray | None:
    """Return floats with few digits, zero where the system gives them; None if that is too many.

    Examples
    --------
    >>> _rounded(np.array([0.3, 0.5, 0.7]), np.array([1]), 3).fractions()
    [Fraction(5, 16), Fraction(0, 1), Fraction(11, 16)]
    """
    sizes = np.abs(values)
    largest = float(sizes.max(initial=0.0))
    smallest = float(sizes[sizes > NOTHING * largest].min(initial=largest))
    digits = max(bits - math.frexp(smallest)[1], 0)
    if not math.isfinite(largest) or digits + math.frexp(largest)[1] > MOST_FREE_BITS:
        return None
    numerators = np.rint(values * 2.0**digits).astype(np.int64)
    numerators[regular] = 0
    return RationalArray(numerators, 1 << digits)


@compiled
def _inverse(value: int, prime: int) -> int:  # pragma: no cover  # compiled
    """Return the inverse modulo a prime, by Fermat."""
    inverse, power, exponent = 1, value, prime - 2
    while exponent > 0:
        if exponent & 1:
            inverse = inverse * power % prime
        power = power * power % prime
        exponent >>= 1
    return inverse


@compiled
def _subtract(
    columns: IntArray,
    values: IntArray,
    factor: int,
    prime: int,
    number: IntArray,
    work: IntArray,
    touched: IntArray,
    filled: int,
    waiting: list[np.int64],
) -> int:  # pragma: no cover  # compiled
    """Subtract a multiple of a row from the one at work; return how many columns that has touched.

    Pivots in newly touched columns are to be eliminated: they wait, the earliest first.
    """
    for entry in range(len(columns)):
        column = columns[entry]
        if work[column] < 0:  # not touched
            work[column] = 0
            touched[filled] = column
            filled += 1
            if number[column] >= 0:
                heapq.heappush(waiting, number[column])
        work[column] = (work[column] - factor * values[entry]) % prime
    return filled


@compiled
def _preferred(
    work: IntArray, touched: IntArray, preference: IntArray
) -> tuple[int, int]:  # pragma: no cover  # compiled
    """Return the preferred column that is not zero, -1 for none, and how many there are."""
    best, left = -1, 0
    for column in touched:
        if work[column] > 0:
            left += 1
            if best < 0 or preference[column] < preference[best]:
                best = column
    return best, left


@compiled
def _eliminate(
    starts: IntArray,
    columns: IntArray,
    data: IntArray,
    order: IntArray,
    preference: IntArray,
    prime: int,
) -> tuple[IntArray, IntArray]:  # pragma: no cover  # compiled
    """Return rows and columns of a regular square part of full rank, modulo a prime.

    Row by row: what is left of a row after the earlier pivots gives one in its preferred column.
    """
    count = len(preference)
    number = np.full(count, -1, dtype=np.int64)
    kept_starts = np.zeros(len(order) + 1, dtype=np.int64)
    kept_columns = np.empty(4 * len(columns) + 1, dtype=np.int64)
    kept_values = np.empty(4 * len(columns) + 1, dtype=np.int64)
    used, rank = 0, 0
    work = np.full(count, -1, dtype=np.int64)
    touched = np.empty(count, dtype=np.int64)
    pivot_rows = np.empty(len(order), dtype=np.int64)
    pivot_columns = np.empty(len(order), dtype=np.int64)
    for row in order:
        waiting = [np.int64(-1)]  # gives the list its type
        own = slice(starts[row], starts[row + 1])
        filled = _subtract(columns[own], data[own], -1, prime, number, work, touched, 0, waiting)
        heapq.heappop(waiting)
        while len(waiting) > 0:
            pivot = heapq.heappop(waiting)
            factor = work[pivot_columns[pivot]]
            if factor > 0:
                its = slice(kept_starts[pivot], kept_starts[pivot + 1])
                filled = _subtract(
                    kept_columns[its],
                    kept_values[its],
                    factor,
                    prime,
                    number,
                    work,
                    touched,
                    filled,
                    waiting,
                )
        best, left = _preferred(work, touched[:filled], preference)
        if best >= 0:
            if used + left > len(kept_columns):
                room = np.empty(len(kept_columns) + left, dtype=np.int64)
                kept_columns = np.concatenate((kept_columns, room))
                kept_values = np.concatenate((kept_values, room))
            inverse = _inverse(work[best], prime)
            for column in touched[:filled]:
                if work[column] > 0:
                    kept_columns[used] = column
                    kept_values[used] = work[column] * inverse % prime
                    used += 1
            number[best] = rank
            pivot_rows[rank] = row
            pivot_columns[rank] = best
            rank += 1
            kept_starts[rank] = used
        for column in touched[:filled]:
            work[column] = -1
    return pivot_rows[:rank], pivot_columns[:rank]
