"""From what a solver ends with to the optimum in rationals, proved.

A basis of a linear program names a square system in integers whose solution is the vertex, and
interior points name a face of optima (:mod:`obroute.design.faces`). Nothing of this has to be
believed: every row and column of the program, primal and dual, is then checked in integers, and a
solution that passes is an optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from obroute.design.faces import points_of_faces
from obroute.design.integers import times
from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Solution
from obroute.design.square import SquareSystem, spread
from obroute.rational import IntArray, RationalArray


@dataclass(frozen=True, eq=False)
class ExactOptimum:
    """A proved optimum: values of the columns, duals of the rows, and the objective."""

    values: RationalArray
    duals: RationalArray
    objective: Fraction


def exact_optimum(program: LinearProgram, solution: Solution) -> ExactOptimum | None:
    """Return an exact optimum where the solver ended, None where none is proved.

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
    if basic is not None and active is not None:
        return _at_basis(program, np.flatnonzero(basic), np.flatnonzero(active))
    if not solution.interior:
        return None
    for values, duals in points_of_faces(program, solution):
        optimum = _if_optimal(program, values, duals)
        if optimum is not None:
            return optimum
    return None


def _at_basis(program: LinearProgram, columns: IntArray, rows: IntArray) -> ExactOptimum | None:
    """Return the vertex of a basis, given by its columns and its tight rows, if it is optimal."""
    if len(columns) != len(rows):
        return None
    system = SquareSystem.of(csr_array(program.matrix[rows][:, columns]))
    if system is None:
        return None
    values = system.solve(RationalArray.from_fractions([program.rhs[row] for row in rows]))
    if values is None:
        return None
    duals = system.solve(RationalArray(program.cost[columns], 1), transposed=True)
    if duals is None:
        return None
    return _if_optimal(
        program,
        spread(values, columns, program.shape[1]),
        spread(duals, rows, program.shape[0]),
    )


def _if_optimal(
    program: LinearProgram, values: RationalArray, duals: RationalArray
) -> ExactOptimum | None:
    """Return values and duals as an optimum if they are one."""
    objective = Fraction(
        sum(
            int(c) * int(v)
            for c, v in zip(program.cost, values.numerators, strict=True)
            if c and v
        ),
        values.denominator,
    )
    optimum = ExactOptimum(values, duals, objective)
    return optimum if is_optimal(program, optimum) else None


def is_optimal(program: LinearProgram, optimum: ExactOptimum) -> bool:
    """Check in exact arithmetic that values and duals prove each other optimal."""
    x, y = optimum.values, optimum.duals
    if np.any(x.numerators < 0):
        return False
    left = times(program.matrix, x.numerators)
    rhs = RationalArray.from_fractions(program.rhs)
    slack = rhs.numerators.astype(object) * x.denominator - left * rhs.denominator
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
    reduced = program.cost.astype(object) * duals.denominator - times(
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
