"""The best worst case proved by few pairs: what a known routing has, no routing can beat.

Of the linear program for the least load, only the rows about some pairs are kept. That asks less
of a routing, so the optimum is a lower bound, and its duals, with zeros for the other rows, are
duals of the whole program. Where the bound is the worst case of a known routing, nothing else has
to be solved. The pairs with the fewest variables, those of the most symmetry, are tried first: on
a torus the pairs along a diagonal suffice, and of an even radix the pair of opposite nodes.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.design.exact import exact_optimum
from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Model, SolverError
from obroute.design.task import DesignTask
from obroute.rational import IntArray, RationalArray

FIRST_SHARE = 1 / 256
LAST_SHARE = 1 / 4
"""Shares of the flow variables that are tried, each twice the one before."""


def duals_of_few_pairs(task: DesignTask, load: Fraction) -> RationalArray | None:
    """Return exact duals that prove that no routing has a load below a given one.

    Parameters
    ----------
    task
        The problem, with the program for its least load; no set of paths.
    load
        The load of a routing that is known.

    Returns
    -------
    One dual for each row of the program; None where few pairs prove less.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design import DesignProblem
    >>> from obroute.design.exact import dual_bound
    >>> task = DesignTask(DesignProblem(make_network("torus:8x8")))
    >>> duals = duals_of_few_pairs(task, Fraction(2))
    >>> dual_bound(task.design.program("load"), duals)
    Fraction(2, 1)
    """
    program = task.design.program("load")
    flows = [np.unique(pair.flow[pair.flow >= 0]) for pair in task.reduction.pairs]
    order = np.argsort([len(own) for own in flows], kind="stable")
    sizes = np.cumsum([len(flows[pair]) for pair in order])
    share, tried = FIRST_SHARE, 0
    while share <= LAST_SHARE:
        count = max(int(np.searchsorted(sizes, share * sizes[-1], side="right")), 1)
        if count > tried:
            tried = count
            duals = _duals_of(task, program, np.concatenate([flows[p] for p in order[:count]]))
            if duals is not None and duals[1] == load:
                return duals[0]
        share *= 2
    return None


def _duals_of(
    task: DesignTask, program: LinearProgram, flows: IntArray
) -> tuple[RationalArray, Fraction] | None:
    """Solve what the program says of some flows; return duals of all its rows and their bound."""
    columns = np.ones(program.shape[1], dtype=np.bool_)
    columns[task.design.columns["flow"].slice] = False
    columns[flows] = True
    rows = _without(program.matrix, ~columns)
    kept = np.flatnonzero(rows)
    part = LinearProgram(
        csr_array(program.matrix[kept][:, np.flatnonzero(columns)]),
        program.equality[kept],
        [program.rhs[row] for row in kept],
        program.cost[columns],
    )
    try:
        # From inside the face of all duals: they price all that a best routing has nothing of.
        solution = Model(part, "interior_point", task.seconds, presolve=False).solve()
        exact = exact_optimum(part, solution)
    except SolverError:
        return None
    if exact is None:
        return None
    duals = np.zeros(program.shape[0], dtype=object)
    duals[kept] = exact.duals.numerators
    return RationalArray(duals, exact.duals.denominator), exact.objective


def _without(matrix: csr_array, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which rows have nothing in given columns."""
    return np.asarray(abs(matrix) @ columns.astype(np.int64) == 0)
