"""What every routing of the best load has in common, taken out of the search for the shortest.

The duals of the least load price every column and row of the program. A column that costs more
than they pay for is zero in every routing of that load, and a row with a dual is tight in every
one. Left in, they leave the solver no interior: a bound that every solution meets. So the program
is solved without them, and what is zero for lack of anything else in its row goes with them.

The optimum of what is left is one of the whole program. Its duals are completed row by row, in the
opposite order; a multiple of the load's duals then covers what was taken out first, and what it
adds to the bound the dual of the row that bounds the load takes away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.design.exact import ExactOptimum, is_optimal
from obroute.design.integers import times
from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Solution
from obroute.design.square import spread
from obroute.rational import IntArray, RationalArray

DUAL_BITS = 44
"""A solver's duals are rounded to multiples of 2 to the minus this before they are completed."""


@dataclass(frozen=True, eq=False)
class LoadFace:
    """A program at its best load, without what every routing of that load has in common.

    Parameters
    ----------
    whole, part
        The program that bounds the load, and what is left of it.
    columns, rows
        Which columns and rows of the whole are left.
    load_duals, load_costs
        The exact duals of the least load, zero for the row that bounds the load, and what each
        column costs beyond them.
    load_row, load_column
        The row that bounds the load, and the column that it bounds.
    rounds
        Columns that their rows make zero, with the row of each: those of one round need the zeros
        of the rounds before.
    """

    whole: LinearProgram
    part: LinearProgram
    columns: IntArray
    rows: IntArray
    load_duals: RationalArray
    load_costs: NDArray[np.object_]
    load_row: int
    load_column: int
    rounds: list[tuple[IntArray, IntArray]]

    @classmethod
    def of(
        cls, whole: LinearProgram, duals: RationalArray, load_row: int, load_column: int
    ) -> LoadFace:
        """Take out of a program what duals of its least load say of every best routing.

        Parameters
        ----------
        whole
            The program, with the load bounded by the least.
        duals
            Exact duals of the least load, of the rows that were there when it was proved: those
            before the one that bounds it.
        load_row, load_column
            The row that bounds the load, and the column that it bounds.
        """
        numerators = np.zeros(whole.shape[0], dtype=object)
        numerators[: len(duals)] = duals.numerators
        load_duals = RationalArray(numerators, duals.denominator)
        costs = -times(csr_array(whole.matrix.T), numerators)
        costs[load_column] += duals.denominator
        left = costs <= 0
        tight = whole.equality | (numerators < 0)
        rounds = _zeros_that_follow(whole, tight, left)
        positive, negative = _signs(whole.matrix)
        alive = left.astype(np.int64)
        says = (positive @ alive > 0) | (tight & (negative @ alive > 0))
        kept, kept_rows = np.flatnonzero(left), np.flatnonzero(says)
        part = LinearProgram(
            csr_array(whole.matrix[kept_rows][:, kept]),
            tight[kept_rows],
            [whole.rhs[row] for row in kept_rows.tolist()],
            whole.cost[kept],
        )
        return cls(whole, part, kept, kept_rows, load_duals, costs, load_row, load_column, rounds)

    def optimum(self, found: ExactOptimum) -> ExactOptimum | None:
        """Return an optimum of the part as one of the whole; None if it is none after all."""
        values = spread(found.values, self.columns, self.whole.shape[1])
        optimum = ExactOptimum(values, self._completed(found.duals), found.objective)
        return optimum if is_optimal(self.whole, optimum) else None

    def solution(self, found: Solution) -> Solution:
        """Return what a solver found for the part as floats of the whole."""
        values = np.zeros(self.whole.shape[1])
        values[self.columns] = found.values
        rounded = np.rint(found.duals * 2.0**DUAL_BITS).astype(np.int64)
        duals = self._completed(RationalArray(rounded, 1 << DUAL_BITS))
        return replace(
            found, values=values, duals=duals.to_float(), basic_columns=None, active_rows=None
        )

    def _completed(self, duals: RationalArray) -> RationalArray:
        """Return duals of all rows that pay for no column more than it costs."""
        whole, common = self.whole, math.lcm(duals.denominator, self.load_duals.denominator)
        numerators = np.zeros(whole.shape[0], dtype=object)
        numerators[self.rows] = duals.over(common)
        by_column = csr_array(whole.matrix.T)
        cost = whole.cost.astype(object) * common - times(by_column, numerators)
        for columns, rows in reversed(self.rounds):
            short = np.maximum(-cost[columns], 0)
            changed: dict[int, int] = {}
            for column, row, missing in zip(
                columns.tolist(), rows.tolist(), short.tolist(), strict=True
            ):
                if missing:
                    entry = _entry(whole.matrix, row, column)
                    by = -(-missing // abs(entry)) * (-1 if entry > 0 else 1)
                    changed[row] = max(changed.get(row, 0), by, key=abs)
            if changed:
                places = np.array(sorted(changed), dtype=np.int64)
                added = np.array([changed[row] for row in places.tolist()], dtype=object)
                numerators[places] += added
                cost -= times(csr_array(by_column[:, places]), added)
        times_load = self._multiple(numerators, cost, common)
        numerators += self.load_duals.over(common).astype(object) * times_load
        numerators[self.load_row] -= times_load * common
        return RationalArray(numerators, common)

    def _multiple(self, duals: NDArray[np.object_], cost: NDArray[np.object_], common: int) -> int:
        """Return how often the duals of the load have to be added."""
        unit = common // self.load_duals.denominator
        out = np.flatnonzero(self.load_costs > 0)
        tight = np.flatnonzero(~self.whole.equality & (self.load_duals.numerators < 0))
        needs = [
            Fraction(-missing, unit * covered)
            for missing, covered in zip(
                [*cost[out].tolist(), *(-duals[tight]).tolist()],
                [*self.load_costs[out].tolist(), *(-self.load_duals.numerators[tight]).tolist()],
                strict=True,
            )
        ]
        return math.ceil(max([*needs, Fraction(0)]))


def _zeros_that_follow(
    program: LinearProgram, tight: NDArray[np.bool_], left: NDArray[np.bool_]
) -> list[tuple[IntArray, IntArray]]:
    """Find the columns that their rows make zero, round by round; they are no longer ``left``.

    A row whose right-hand side is zero and that has positive entries alone leaves nothing to its
    columns; so does a tight one with negative entries alone.
    """
    positive, negative = _signs(program.matrix)
    homogeneous = np.array([not value for value in program.rhs])
    rounds: list[tuple[IntArray, IntArray]] = []
    while True:
        alive = left.astype(np.int64)
        above, below = positive @ alive, negative @ alive
        made = homogeneous & (((below == 0) & (above > 0)) | (tight & (above == 0) & (below > 0)))
        rows = np.flatnonzero(made)
        entries = csr_array(program.matrix[rows]).tocoo()
        use = left[entries.col]
        columns, first = np.unique(entries.col[use], return_index=True)
        if not columns.size:
            return rounds
        rounds.append((columns.astype(np.int64), rows[entries.row[use][first]]))
        left[columns] = False


def _signs(matrix: csr_array) -> tuple[csr_array, csr_array]:
    """Return where a matrix is positive, and where it is negative, as ones."""
    return csr_array((matrix > 0).astype(np.int64)), csr_array((matrix < 0).astype(np.int64))


def _entry(matrix: csr_array, row: int, column: int) -> int:
    own = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return int(matrix.data[own][matrix.indices[own] == column].sum())
