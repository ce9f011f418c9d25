"""Designs are rigorous whatever the solver returns, and say what a problem lacks."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pytest
from tests.support.cases import network_of

from obroute import InputError, evaluate, make_network, make_pattern
from obroute.design import Design, DesignProblem, TradeOff, design, paths, trade_off
from obroute.design.exact import ExactOptimum, exact_optimum, is_optimal
from obroute.design.expansion import expanded_bound
from obroute.design.linear_program import LinearProgram
from obroute.design.solver import Model, Solution, SolverError
from obroute.design.task import DesignTask
from obroute.network import Network, Path
from obroute.rational import FloatArray, RationalArray
from obroute.routing.two_turn import two_turn_paths

Change: TypeAlias = Callable[[FloatArray, np.random.Generator], FloatArray]

PROBLEMS: dict[str, dict[str, Any]] = {
    "worst case": {},
    "worst case without symmetry": {"symmetry": "none"},
    "worst case with a bound on the path length": {"locality": Fraction(6, 5)},
    "worst case on two turns": {"paths": "two_turn"},
    "worst case on shortest paths": {"paths": "minimal"},
    "capacity": {"objective": "capacity"},
    "average case": {"objective": "average_case", "samples": 4},
    "average case of mixtures": {
        "objective": "average_case",
        "samples": 3,
        "matrix_kind": "mixture",
    },
    "average case of scaled matrices": {
        "objective": "average_case",
        "samples": 3,
        "matrix_kind": "sinkhorn",
    },
}
NETWORKS = ["ring:5", "mesh:2x3", "torus:3x3"]

GARBAGE: dict[str, Change] = {
    "noise of 1e-6": lambda x, draw: x + 1e-6 * draw.standard_normal(len(x)),
    "noise of 1e-3": lambda x, draw: x + 1e-3 * draw.standard_normal(len(x)),
    "noise of 1": lambda x, draw: x + draw.standard_normal(len(x)),
    "zeros": lambda x, draw: 0 * x,
    "ones": lambda x, draw: 0 * x + 1,
    "the opposite": lambda x, draw: -x,
    "huge": lambda x, draw: 1e30 * draw.standard_normal(len(x)),
    "a thousandfold": lambda x, draw: 1e3 * x,
    "infinite": lambda x, draw: np.where(draw.random(len(x)) < 0.3, -np.inf, x),
    "no numbers": lambda x, draw: np.where(draw.random(len(x)) < 0.3, np.nan, x),
}


@cache
def exact_design(name: str, problem: str) -> Design:
    """Design as the solver does it, each once."""
    return design(network_of(name), then="locality", **PROBLEMS[problem])


@cache
def exact_curve(name: str, problem: str) -> TradeOff:
    """Find the whole curve, each once."""
    settings = {key: value for key, value in PROBLEMS[problem].items() if key != "locality"}
    return trade_off(network_of(name), **settings)


def disturb(monkeypatch: pytest.MonkeyPatch, values: Change, duals: Change, seed: int) -> None:
    """Let every solve return other values and duals, and no basis."""
    solve, draw = Model.solve, np.random.default_rng(seed)

    def disturbed(model: Model) -> Solution:
        solution = solve(model)
        return replace(
            solution,
            values=values(solution.values, draw),
            duals=duals(solution.duals, draw),
            basic_columns=None,
            active_rows=None,
        )

    monkeypatch.setattr(Model, "solve", disturbed)


def check_rigorous(found: Design, name: str, problem: str) -> None:
    """Hold the bounds of a design against the exact optimum, and it against its routing."""
    exact = exact_design(name, problem)
    assert exact.load.lower <= exact.load.upper
    assert found.load.lower <= exact.load.upper
    assert exact.load.lower <= found.load.upper <= found.routing_load
    evaluated = evaluate(network_of(name), found.routing)
    assert evaluated.mean_path_length == found.path_length
    if found.problem.locality is not None:
        assert found.normalized_path_length <= found.problem.locality
    if found.problem.objective == "worst_case":
        assert evaluated.worst_case_load == found.routing_load
    if found.least_path_length is not None:
        least = exact_curve(name, problem).length_at(found.routing_load)
        assert found.least_path_length.lower <= least
        if found.problem.objective != "average_case" or exact.load.exact:
            assert least <= found.least_path_length.upper == found.path_length


def lower_bound(task: DesignTask, duals: FloatArray, objective: str) -> Fraction:
    """Return what duals prove of the full problem."""
    bound = expanded_bound(task, duals, objective)
    if objective == "load":
        return bound.least_load(task.length_limit)
    return bound.least_path_length(task.load_limit)


# -------------------------------------------------------------------------------------- rigour


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param(
            name,
            problem,
            marks=[pytest.mark.slow] if name == "torus:3x3" and "without" in problem else [],
        )
        for name, problem in product(NETWORKS, PROBLEMS)
    ],
)
def test_bounds_hold_with_noise_in_what_the_solver_returns(
    name: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise of 1e-3 in every value and dual, and no basis: wider bounds, no wrong ones."""
    exact_design(name, problem), exact_curve(name, problem)
    for seed in range(6):
        with monkeypatch.context() as patched:
            noise = GARBAGE["noise of 1e-3"]
            disturb(patched, noise, noise, seed)
            found = design(network_of(name), then="locality", **PROBLEMS[problem])
        check_rigorous(found, name, problem)


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if "average" not in p])
def test_bounds_hold_with_garbage_in_place_of_a_solution(
    problem: str, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Zeros, noise, infinities: a true routing all the same, and bounds around the optimum."""
    name = "mesh:2x3"
    exact_design(name, problem), exact_curve(name, problem)
    for garbage, change in GARBAGE.items():
        with subtests.test(garbage):
            with monkeypatch.context() as patched:
                disturb(patched, change, change, 5)
                found = design(network_of(name), then="locality", **PROBLEMS[problem])
            check_rigorous(found, name, problem)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("objective", ["load", "length"])
def test_no_duals_whatever_prove_more_than_the_optimum(objective: str, problem: str) -> None:
    """Many draws of each kind of garbage; the solver's own duals prove nearly all of it."""
    name = "mesh:2x3"
    exact = exact_design(name, problem)
    task = DesignTask(exact.problem)
    task.bound_locality()
    if objective == "length":
        task.design.bound_load(exact.routing_load)
    solution, _ = task.solve(task.model(objective), objective)
    bounds = exact.load if objective == "load" else exact.least_path_length
    assert bounds is not None
    own = lower_bound(task, solution.duals, objective)
    assert own <= bounds.upper
    assert float(own) == pytest.approx(float(bounds.lower), rel=1e-9)
    draw = np.random.default_rng(8)
    for change in GARBAGE.values():
        for _ in range(10):
            duals = change(solution.duals, draw)
            assert lower_bound(task, duals, objective) <= bounds.upper


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if "without" not in p])
@pytest.mark.parametrize("name", [*NETWORKS, "torus:4x4"])
def test_interior_points_alone_give_a_narrow_interval(name: str, problem: str) -> None:
    """Narrower than 1e-6 of the value; 1e-8 is usual, and 6e-7 on two turns of the 8-ary cube."""
    exact = exact_design(name, problem)
    found = design(network_of(name), then="locality", method="interior_point", **PROBLEMS[problem])
    assert found.load.lower <= exact.load.upper
    assert exact.load.lower <= found.load.upper
    assert found.load.relative_width < 1e-6
    assert found.least_path_length is not None
    assert found.least_path_length.relative_width < 1e-6
    assert exact.least_path_length is not None
    # The interval is for the load that the routing has: a little more, and it may be shorter.
    assert found.least_path_length.lower <= exact.least_path_length.upper
    assert not found.solver.endswith("simplex")


@pytest.mark.parametrize("method", ["simplex", "crossover", "interior_point"])
@pytest.mark.parametrize("name", [*NETWORKS, "torus:4x4", "hypercube:4"])
def test_every_method_gives_the_exact_optimum(name: str, method: str) -> None:
    """Whether it ends in a basis or inside the face of all optima."""
    found = design(network_of(name), then="locality", method=method)
    assert found.load.exact
    assert found.load == exact_design(name, "worst case").load
    assert found.least_path_length == exact_design(name, "worst case").least_path_length


@pytest.mark.parametrize("kind", ["mixture", "sinkhorn"])
@pytest.mark.parametrize("spec", ["mesh:3x3", "torus:4x4"])
def test_samples_of_large_integers_are_solved_to_the_end(spec: str, kind: str) -> None:
    """Entries over 2^30 do not drown the duals: simplex and interior points agree."""
    network = network_of(spec)
    by_simplex, by_interior = (
        design(network, "average_case", samples=3, matrix_kind=kind, method=method)
        for method in ("simplex", "interior_point")
    )
    assert by_simplex.load.relative_width < 1e-9
    assert by_interior.load.relative_width < 1e-8
    assert float(by_simplex.load.upper) == pytest.approx(float(by_interior.load.upper), rel=1e-8)
    assert design(
        network, "average_case", samples=3, matrix_kind=kind, then="locality"
    ).load.upper == pytest.approx(by_simplex.load.upper, rel=1e-8)


# ------------------------------------------------------------------------------ the exact proof


@cache
def proof_of(name: str, problem: str) -> tuple[LinearProgram, ExactOptimum]:
    """Give a linear program and its exact optimum."""
    task = DesignTask(DesignProblem(network_of(name), **PROBLEMS[problem]))
    task.bound_locality()
    solution, program = task.solve(task.model("load"), "load")
    found = exact_optimum(program, solution)
    assert found is not None
    return program, found


def proves(program: LinearProgram, found: ExactOptimum) -> bool:
    """Check feasibility, dual feasibility and equal objectives, written out in fractions."""
    x, y = found.values.fractions(), found.duals.fractions()
    matrix = program.matrix.toarray().tolist()
    for row, equality, rhs in zip(matrix, program.equality, program.rhs, strict=True):
        left = sum((a * value for a, value in zip(row, x, strict=True) if a), Fraction(0))
        if left > rhs or (equality and left != rhs):
            return False
    if min(x) < 0 or any(d > 0 and not e for d, e in zip(y, program.equality, strict=True)):
        return False
    cost = program.cost.tolist()
    for c, column in zip(cost, zip(*matrix, strict=True), strict=True):
        if sum((a * dual for a, dual in zip(column, y, strict=True) if a), Fraction(0)) > c:
            return False
    value = sum((c * v for c, v in zip(cost, x, strict=True)), Fraction(0))
    bound = sum((d * b for d, b in zip(y, program.rhs, strict=True)), Fraction(0))
    return value == bound == found.objective


def tampered(array: RationalArray, place: int, step: Fraction) -> RationalArray:
    """Change one entry."""
    fractions = array.fractions()
    fractions[place] += step
    return RationalArray.from_fractions(fractions)


@pytest.mark.parametrize("problem", ["worst case", "capacity", "worst case on two turns"])
@pytest.mark.parametrize("part", ["values", "duals"])
def test_a_tampered_proof_is_refused(part: str, problem: str) -> None:
    """Every entry, up and down, by a little and a lot: accepted only if it still is a proof."""
    program, found = proof_of("ring:5", problem)
    assert is_optimal(program, found)
    assert proves(program, found)
    array: RationalArray = getattr(found, part)
    accepted = 0
    for place in range(len(array)):
        for step in (Fraction(1, 10**12), Fraction(-1, 10**12), Fraction(1), Fraction(-1)):
            other = replace(found, **{part: tampered(array, place, step)})
            verdict = is_optimal(program, other)
            assert verdict == proves(program, other)
            accepted += verdict
    # Few entries are free: a potential with slack, a dual of a row that says nothing.
    assert accepted < len(array)


def test_a_wrong_objective_is_refused() -> None:
    """It must be that of the values and that of the duals."""
    program, found = proof_of("ring:5", "worst case")
    for wrong in (found.objective + Fraction(1, 10**12), found.objective - 1, Fraction(0)):
        assert not is_optimal(program, replace(found, objective=wrong))


def test_values_that_are_feasible_but_not_best_are_refused() -> None:
    """Twice the load bounds every load too, and no row objects."""
    program, found = proof_of("ring:5", "worst case")
    load = int(np.flatnonzero(program.cost)[0])
    assert not is_optimal(
        program, replace(found, values=tampered(found.values, load, found.objective))
    )


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("spec", "settings", "words"),
    [
        ("ring:5", {"objective": "latency"}, ["latency", "worst_case"]),
        ("ring:5", {"symmetry": "mirror"}, ["mirror", "declared"]),
        ("ring:5", {"then": "power"}, ["power", "locality"]),
        ("ring:5", {"paths": "scenic"}, ["scenic", "two_turn"]),
        ("ring:5", {"paths": "minimal+scenic"}, ["scenic", "two_turn"]),
        ("ring:5", {"method": "guess"}, ["guess", "simplex"]),
        ("complete:4", {"paths": "two_turn"}, ["two-turn", "complete:4"]),
        ("complete:4", {"paths": "ival"}, ["ival", "complete:4"]),
        ("hypercube:4", {"paths": "two_turn"}, ["no path", "two_turn"]),
        ("torus:4x4", {"paths": "two_turn", "symmetry": "found"}, ["two_turn", "found"]),
        ("ring:5", {"objective": "average_case", "samples": 0}, ["sample", "0"]),
        ("ring:5", {"objective": "average_case", "samples": -3}, ["sample", "-3"]),
        ("ring:5", {"objective": "average_case", "matrix_kind": "dense"}, ["dense", "mixture"]),
        ("fabric", {"objective": "average_case"}, ["fabric", "average case"]),
        ("torus:3x3", {"traffic": make_pattern("tornado")}, ["tornado", "capacity"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_problem_that_is_none_is_refused(
    spec: str, settings: dict[str, Any], words: list[str]
) -> None:
    """With the input at fault and what is possible."""
    with pytest.raises(InputError) as caught:
        design(network_of(spec), **settings)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("spec", "paths", "least"),
    [
        ("torus:4x4", "all", "1"),
        ("fabric", "all", "1"),
        ("torus:4x4", "minimal", "1"),
    ],
)
def test_an_infeasible_locality_names_the_least_feasible_one(
    spec: str, paths: str, least: str
) -> None:
    """And that one is feasible."""
    network = network_of(spec)
    with pytest.raises(InputError, match=rf"infeasible.* {least}\b"):
        design(network, locality=Fraction(least) - Fraction(1, 1000), paths=paths)
    found = design(network, locality=Fraction(least), paths=paths)
    assert found.normalized_path_length == Fraction(least)


def test_a_solver_out_of_time_says_what_is_proved() -> None:
    """No optimum is claimed: the message has bounds, and they hold."""
    with pytest.raises(SolverError, match="proved") as caught:
        design(make_network("torus:8x8"), symmetry="translations", seconds=1e-3)
    low, high = (
        float(end)
        for end in str(caught.value).split("load is from ")[1].split(";")[0].split(" to ")
    )
    assert low <= 2 <= high


def test_a_designed_routing_is_for_its_network() -> None:
    """On another it is refused; on the same one made again it is not."""
    routing = exact_design("ring:5", "worst case").routing
    routing.check(make_network("ring:5"))
    with pytest.raises(InputError, match="ring:6"):
        routing.check(make_network("ring:6"))


def test_paths_are_listed_once_for_all_bounds_and_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the pairs of one source, for the program and for what is proved of two programs."""
    listed: Counter[tuple[int, int]] = Counter()

    def counted(network: Network, source: int, destination: int) -> Iterator[Path]:
        listed[source, destination] += 1
        return two_turn_paths(network, source, destination)

    monkeypatch.setattr(paths, "two_turn_paths", counted)
    design(make_network("torus:3x3"), paths="two_turn", then="locality")
    assert {source for source, _ in listed} == {0}
    assert max(listed.values()) == 2


@pytest.mark.parametrize("paths", ["all", "minimal", "two_turn"])
def test_a_design_travels_to_another_process(paths: str) -> None:
    """With its problem, whose paths are listed there when they are asked for."""
    made = design(make_network("torus:3x3"), paths=paths)
    assert made.load is not None
    there = pickle.loads(pickle.dumps(made))
    assert (there.scope, there.load, there.path_length) == (
        made.scope,
        made.load,
        made.path_length,
    )
    assert there.proofs[0].bound(there.problem).least_load() == made.load.lower


def test_a_block_of_a_program_is_found_by_its_name_alone() -> None:
    """What a problem does not have is not there; a name stands for one block."""
    program = DesignTask(DesignProblem(make_network("ring:4"))).design
    rows, columns = program.rows.blocks, program.columns
    assert "locality" not in rows
    assert rows.get("load") is None
    assert "path" not in columns
    program.bound_load(Fraction(2))
    assert rows["load"].number == rows.count - 1
    assert program.limit("load") == 2
    with pytest.raises(ValueError, match="load"):
        program.bound_load(Fraction(3))
    with pytest.raises(ValueError, match="no only one"):
        _ = columns["flow"].number
