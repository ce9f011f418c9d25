"""Solve a design task: with the best load known beforehand where few pairs prove it."""

from __future__ import annotations

from fractions import Fraction

from obroute.decimals import interval, no_less_than, no_more_than
from obroute.design.exact import ExactOptimum, exact_optimum
from obroute.design.expansion import expanded_bound
from obroute.design.few_pairs import duals_of_few_pairs
from obroute.design.linear_program import LinearProgram
from obroute.design.load_face import LoadFace
from obroute.design.problem import DesignProblem
from obroute.design.proximal import near_by_proximal_steps
from obroute.design.solver import INTERIOR_TOLERANCE, InfeasibleError, Model, Solution, SolverError
from obroute.design.task import DesignTask
from obroute.progress import stage
from obroute.rational import RationalArray
from obroute.routing.two_phase import ValiantOfGrids
from obroute.specs import InputError
from obroute.topologies.grid import Grid
from obroute.worst_cases import worst_cases

ROOMS = (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**7))
"""Relative room that the solver gets, one after the other, to find a routing at the best load."""

TOLERANCES = (1e-12, INTERIOR_TOLERANCE)
"""Of interior points where there is room around the optimum. The nearer they come, the fewer
columns and rows are told wrongly, and a few more steps are all that it takes."""

ROWS_FOR_FEW_PAIRS = 2_000
"""Programs of as many rows are not solved for the best load where few pairs prove it."""


def solved(
    task: DesignTask, objective: str
) -> tuple[Solution, LinearProgram, ExactOptimum | None]:
    """Solve a task for ``load`` or ``length``; return its program and, where proved, its optimum.

    Raises
    ------
    InfeasibleError
        If no routing satisfies the constraints.
    SolverError
        If the solver stops early; the message says what is proved.
    """
    try:
        solution, program = _solved_with_room(task, objective)
    except InfeasibleError:
        raise InfeasibleError(
            f"no routing of {task.problem.network.name} on {task.problem.paths} paths satisfies "
            "the constraints; relax the bound on locality or load"
        ) from None
    if not solution.optimal:
        raise _stopped(task, solution, objective)
    return task.exactly(solution, program, objective)


def _stopped(task: DesignTask, solution: Solution, objective: str) -> SolverError:
    return SolverError(
        f"the solver stopped early ({_limit(task.seconds)}); proved so far: "
        f"{_proved_so_far(task, solution, objective)}; allow it more time"
    )


def shortest(
    task: DesignTask, load_duals: RationalArray | None
) -> tuple[Solution, LinearProgram, ExactOptimum | None]:
    """Solve for the least path length, without what all routings of the best load have in common.

    ``load_duals`` are exact duals of the least load, from inside the face of them all; None where
    there are none.

    Raises
    ------
    SolverError
        If time is over; the message says what is proved.
    """
    if load_duals is None or task.samples:
        return solved(task, "length")
    row = task.design.rows.blocks["load"].number
    program = task.design.program("length")
    face = LoadFace.of(program, load_duals, row, task.design.load_column)
    if task.method in ("auto", "interior_point") and task.seconds is None:
        with stage("interior points") as told:
            told(f"{face.part.shape[0]:,} rows, {face.part.matrix.nnz:,} non-zeros")
            near = near_by_proximal_steps(face.part)
        exact = None if near is None else exact_optimum(face.part, near)
        whole = None if exact is None else face.optimum(exact)
        if near is not None and whole is not None:
            task.solvers.append(near.solver)
            return face.solution(near), program, whole
    found = _near(task, face.part)
    if found is None:
        return solved(task, "length")
    if not found.optimal:
        raise _stopped(task, face.solution(found), "length")
    task.solvers.append(found.solver)
    found, _, exact = task.exactly(found, face.part, "length")
    whole = None if exact is None else face.optimum(exact)
    return face.solution(found), program, whole


def _near(task: DesignTask, part: LinearProgram) -> Solution | None:
    """Solve as near to the optimum as the solver comes; None if it fails with time left."""
    for tolerance in TOLERANCES:
        try:
            found = Model(part, task.method, task.seconds, tolerance=tolerance).solve()
        except SolverError:
            continue
        if found.optimal or task.seconds is not None:
            return found
    return None


def _solved_with_room(task: DesignTask, objective: str) -> tuple[Solution, LinearProgram]:
    """Solve; where the best load leaves the solver's floats no room, with a little.

    A basis is checked at the bound itself all the same; without one the path length is bounded
    for the load that the routing has.
    """
    row = task.design.rows.blocks.get("load")
    for room in ROOMS:
        model = task.model(objective)
        if room and row is not None:
            model.set_upper(row.number, task.design.rows.rhs[row.number] * (1 + room))
        last = row is None or room == ROOMS[-1]
        try:
            solution, program = task.solve(model, objective)
        except SolverError:
            if last:
                raise
        else:
            if last or solution.optimal or task.seconds is not None:
                return solution, program
    raise AssertionError  # the last one returned or raised


def _limit(seconds: float | None) -> str:
    return "in trouble with its floats" if seconds is None else f"time limit {seconds:g} s"


def _proved_so_far(task: DesignTask, solution: Solution, objective: str) -> str:
    bound = expanded_bound(task, solution.duals, objective)
    if objective == "length":
        lower = bound.least_path_length(task.load_limit)
        return (
            f"the mean path length is at least {no_more_than(max(lower, task.least_length))} hops"
        )
    lower = bound.least_load(task.length_limit)
    if task.problem.objective == "worst_case":
        # Uniform traffic is a mean of permutations: no worst case is below its load.
        lower = max(lower, task.problem.network.capacity_load() or Fraction(0))
    upper = task.load(task.flows(solution, None))
    return f"the best load is {interval(lower, upper)}"


def best_load_by_few_pairs(task: DesignTask) -> tuple[Fraction, RationalArray] | None:
    """Return the best load and duals that prove it where a known routing has it; else None.

    Small programs are solved, which takes no longer. Where a load is given, it is of use if it is
    the best.
    """
    problem, rows = task.problem, task.design.rows.count
    if problem.then is None or rows < ROWS_FOR_FEW_PAIRS:
        return None
    with stage("best load by few pairs") as told:
        known = known_worst_case(problem)
        if known is None or problem.load not in (None, known):
            return None
        told(f"at most {no_less_than(known)}")
        duals = duals_of_few_pairs(task, known)
        if duals is None or expanded_bound(task, duals, "load").least_load() != known:
            return None
    return known, duals


def known_worst_case(problem: DesignProblem) -> Fraction | None:
    """Return the worst case of VAL, a routing that the problem allows; None where it is no such.

    Many a best worst case is the same.
    """
    if problem.objective != "worst_case" or problem.paths != "all" or problem.locality is not None:
        return None
    if not isinstance(problem.network, Grid):
        return None
    try:
        return worst_cases(problem.network, ValiantOfGrids()).load
    except InputError:
        return None
