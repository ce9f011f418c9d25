"""Interior points by PIQP, for the programs that are left of a design at its best load.

Every step solves a sparse system that hardly fills. PIQP (Schwan, Jiang, Kuhn and Jones, "PIQP: a
proximal interior-point quadratic programming solver", IEEE CDC 2023) regularises it by proximal
terms that do not move the optimum: its steps stay long, and come nearer to it. The library is not
needed: without it, or where it comes to nothing, the solver of all other programs takes over.
"""

from __future__ import annotations

import time
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csc_matrix

from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Solution

TOLERANCE = 1e-9
"""Of what rows and columns are left with; floats come little nearer at 24 x 24 and 32 x 32."""
GAP = 1e-12
"""Of the two values. At 8 x 8 x 8, a wider one leaves half of the columns undecided."""
MOST_STEPS = 100


def near_by_proximal_steps(program: LinearProgram) -> Solution | None:
    """Return a point inside the face of all optima, and duals; None without PIQP.

    What it returns is not said to be near: whether it tells the optimum is for others to check.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.array([[1, 1, 1], [1, -1, 0]]))
    >>> equality, cost = np.array([True, False]), np.array([1, 2, 4])
    >>> program = LinearProgram(rows, equality, [Fraction(1), Fraction(0)], cost)
    >>> found = near_by_proximal_steps(program)
    >>> found is None or round(float(found.objective), 6)
    1.5
    """
    if find_spec("piqp") is None:
        return None
    import piqp

    start = time.perf_counter()
    equality = program.equality
    rhs = np.array([float(value) for value in program.rhs])
    columns = program.shape[1]
    solver: Any = piqp.SparseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = TOLERANCE
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = GAP
    settings.max_iter = MOST_STEPS
    solver.setup(
        csc_matrix((columns, columns)),
        program.cost.astype(np.float64),
        _floats(program, equality),
        rhs[equality],
        _floats(program, ~equality),
        None,
        rhs[~equality],
        np.zeros(columns),
        None,
    )
    solver.solve()
    found = solver.result
    duals = np.empty(len(rhs))
    duals[equality], duals[~equality] = -np.asarray(found.y), -np.asarray(found.z_u)
    values = np.maximum(found.x, 0.0)
    if not (np.isfinite(values).all() and np.isfinite(duals).all()):
        return None
    return Solution(
        values,
        duals,
        None,
        None,
        float(program.cost @ values),
        time.perf_counter() - start,
        f"PIQP {metadata.version('piqp')}",
        interior=True,
    )


def _floats(program: LinearProgram, rows: NDArray[np.bool_]) -> csc_matrix:
    """Return some rows in the form that the solver takes."""
    return csc_matrix(csc_array(program.matrix[rows], dtype=np.float64))
