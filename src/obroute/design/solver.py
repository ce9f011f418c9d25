"""The linear-programming solver: the only module that knows HiGHS.

Whatever it returns is a float, and a float is only a hint: :mod:`obroute.design.exact` and
:mod:`obroute.design.proofs` prove the values.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import metadata
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from obroute.choices.designs import METHOD, Method
from obroute.design.linear_program import LinearProgram
from obroute.machine import require_address_space
from obroute.rational import FloatArray
from obroute.specs import InputError

SIMPLEX_ROWS = 8_000
"""Up to this size the simplex method is quick; it ends in a basis."""
CROSSOVER_ROWS = 120_000
"""Up to this size a basis is looked for where interior points point to no exact optimum."""

HIGHS_MEGABYTES = 200
"""Of address space, for the solver and its arithmetic on top of what is loaded already."""

METHODS: tuple[Method, ...] = get_args(Method)

_TOLERANCE = 1e-9
_LARGE_BITS = 20
"""Rows with an integer of more bits are scaled down: their duals would drown in the tolerance."""
INTERIOR_TOLERANCE = 5e-9
"""Asked for more, interior points stagnate on the largest programs and end up worse."""


@cache
def _highspy() -> Any:
    """Load HiGHS when there is a problem to solve: it takes memory that nothing else needs."""
    require_address_space(HIGHS_MEGABYTES, "the solver HiGHS")
    import highspy

    return highspy


def _has_hipo() -> bool:
    """Say whether the library of HiPO is there, in HiGHS's own version: it refuses another."""
    try:
        return metadata.version("highspy_extras") == metadata.version("highspy")
    except metadata.PackageNotFoundError:
        return False


def _row_scale(largest: NDArray[Any]) -> FloatArray:
    """Return a power of two for each row, by the largest integer in it."""
    _, bits = np.frexp(largest.astype(np.float64))
    scale: FloatArray = np.ldexp(1.0, np.where(bits > _LARGE_BITS, -bits, 0))
    return scale


class SolverError(InputError):
    """The solver ended without an optimum: infeasible, out of time, or in trouble."""


class InfeasibleError(SolverError):
    """The problem has no solution."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What the solver found, in floats.

    Parameters
    ----------
    values, duals
        One for each column, and one for each row (not positive for a ``≤`` row, as is usual for
        a minimum).
    basic_columns, active_rows
        The basis, where the solver gives one: the columns that are not at zero, and the rows
        whose slack is.
    objective, seconds, solver
        Value, time and the name of the solver and its method.
    optimal
        Whether the solver says so; False when it stopped early, with whatever it had.
    interior
        Whether it is an optimum inside the face of all, as interior points end.
    """

    values: FloatArray
    duals: FloatArray
    basic_columns: NDArray[np.bool_] | None
    active_rows: NDArray[np.bool_] | None
    objective: float
    seconds: float
    solver: str
    optimal: bool = True
    interior: bool = False


class Model:
    """A linear program in the solver's memory, to change and solve again.

    Parameters
    ----------
    program
        What to solve.
    method
        ``simplex`` (a basis, warm starts), ``crossover`` (interior points, then a basis),
        ``interior_point`` (no basis), or ``auto``: the first or the last, by size.
    seconds
        Time limit of each solve; None for none.
    presolve
        Whether the solver may first take out what is easily decided: that ends at a vertex of it,
        where interior points alone end inside the face of all optima.
    tolerance
        Relative gap at which interior points stop.
    """

    def __init__(
        self,
        program: LinearProgram,
        method: str = METHOD,
        seconds: float | None = None,
        *,
        presolve: bool = True,
        tolerance: float = INTERIOR_TOLERANCE,
    ) -> None:
        highspy = _highspy()
        if method not in METHODS:
            raise InputError(f"method '{method}' is unknown; expected {', '.join(METHODS)}")
        if method == "auto":
            rows = program.shape[0]
            method = "simplex" if rows <= SIMPLEX_ROWS else "interior_point"
        self.method = method
        self._interior = "HiPO" if _has_hipo() else "IPX"
        self._highs = highspy.Highs()
        self._set("output_flag", False)
        self._set("threads", 1)
        if seconds is not None:
            self._set("time_limit", float(seconds))
        if not presolve:
            self._set("presolve", "off")
        if method == "simplex":
            self._set("solver", "simplex")
            self._set("primal_feasibility_tolerance", _TOLERANCE)
            self._set("dual_feasibility_tolerance", _TOLERANCE)
        else:
            self._set("solver", self._interior.lower())
            if self._interior == "HiPO":
                # Left to choose, it tries out all of them for longer than it then solves.
                self._set("hipo_system", "augmented")
                self._set("hipo_ordering", "metis")
            self._set("run_crossover", "on" if method == "crossover" else "off")
            self._set("ipm_optimality_tolerance", tolerance)
        rows, columns = program.shape
        largest = np.abs(program.matrix).max(axis=1).toarray().ravel()
        self._scale = _row_scale(largest)
        rhs = np.array([float(value) for value in program.rhs]) * self._scale
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = rows, columns
        lp.col_cost_ = program.cost.astype(np.float64)
        lp.col_lower_ = np.zeros(columns)
        lp.col_upper_ = np.full(columns, highspy.kHighsInf)
        lp.row_lower_ = np.where(program.equality, rhs, -highspy.kHighsInf)
        lp.row_upper_ = rhs
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = program.matrix.indptr.astype(np.int32)
        lp.a_matrix_.index_ = program.matrix.indices.astype(np.int32)
        lp.a_matrix_.value_ = program.matrix.data * np.repeat(
            self._scale, np.diff(program.matrix.indptr)
        )
        self._check(self._highs.passModel(lp), "passing the model")

    def _set(self, option: str, value: Any) -> None:
        self._check(self._highs.setOptionValue(option, value), f"option {option} = {value}")

    @staticmethod
    def _check(status: Any, what: str) -> None:
        highspy = _highspy()
        if status == highspy.HighsStatus.kError:
            raise SolverError(f"HiGHS refused: {what}; check its installation")

    def set_upper(self, row: int, value: Fraction) -> None:
        """Change the right-hand side of a ``≤`` row."""
        highspy = _highspy()
        self._check(
            self._highs.changeRowBounds(row, -highspy.kHighsInf, float(value) * self._scale[row]),
            "a right-hand side",
        )

    def add_rows(self, rows: Sequence[tuple[NDArray[Any], NDArray[Any], Fraction]]) -> None:
        """Add ``≤`` rows: columns, coefficients and right-hand side of each."""
        highspy = _highspy()
        counts = [len(columns) for columns, _, _ in rows]
        scale = _row_scale(np.array([np.abs(values).max() for _, values, _ in rows]))
        self._scale = np.concatenate([self._scale, scale])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
        self._check(
            self._highs.addRows(
                len(rows),
                np.full(len(rows), -highspy.kHighsInf),
                np.array([float(rhs) for _, _, rhs in rows]) * scale,
                int(sum(counts)),
                starts,
                np.concatenate([columns for columns, _, _ in rows]).astype(np.int32),
                np.concatenate([values for _, values, _ in rows]) * np.repeat(scale, counts),
            ),
            "new rows",
        )

    def solve(self) -> Solution:
        """Solve.

        Raises
        ------
        InfeasibleError
            If no point satisfies the rows.
        SolverError
            If the solver fails.
        """
        highspy = _highspy()
        start = time.perf_counter()
        ended = self._highs.run()
        if ended == highspy.HighsStatus.kError and self._interior == "HiPO":
            # It fails on some problems with hardly any room: the older method takes over, by name.
            self._interior = "IPX"
            self._set("solver", "ipx")
            ended = self._highs.run()
        self._check(ended, f"solving by {self.method}")
        seconds = time.perf_counter() - start
        status = self._highs.getModelStatus()
        if status in (
            highspy.HighsModelStatus.kInfeasible,
            highspy.HighsModelStatus.kUnboundedOrInfeasible,
        ):
            raise InfeasibleError("no routing satisfies the constraints")
        optimal = status == highspy.HighsModelStatus.kOptimal
        solution = self._highs.getSolution()
        rows, columns = self._highs.getNumRow(), self._highs.getNumCol()
        values = np.array(solution.col_value) if solution.value_valid else np.zeros(columns)
        duals = np.array(solution.row_dual) if solution.dual_valid else np.zeros(rows)
        duals *= self._scale
        if optimal and not (solution.value_valid and solution.dual_valid):
            raise SolverError("HiGHS found an optimum but not its duals; try another method")
        basic = active = None
        basis = self._highs.getBasis()
        if self.method != "interior_point" and optimal and basis.valid:
            kinds = highspy.HighsBasisStatus.kBasic
            basic = np.array([kind == kinds for kind in basis.col_status])
            active = np.array([kind != kinds for kind in basis.row_status])
        name = {
            "simplex": "simplex",
            "crossover": f"{self._interior} with crossover",
            "interior_point": self._interior,
        }[self.method]
        return Solution(
            values,
            duals,
            basic,
            active,
            self._highs.getObjectiveValue(),
            seconds,
            f"HiGHS {self._highs.version()} {name}",
            optimal,
            optimal and self.method == "interior_point",
        )
