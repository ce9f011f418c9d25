"""Exact optima from interior points, and best loads that few pairs prove."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.support.cases import network_of
from tests.support.effort import few

import obroute
from obroute import make_network
from obroute.design import DesignProblem, design
from obroute.design.exact import dual_bound, exact_optimum, is_optimal
from obroute.design.expansion import expanded_bound
from obroute.design.few_pairs import duals_of_few_pairs
from obroute.design.linear_program import LinearProgram
from obroute.design.load_face import LoadFace
from obroute.design.proximal import near_by_proximal_steps
from obroute.design.solver import Model, Solution
from obroute.design.solving import known_worst_case
from obroute.design.task import DesignTask
from obroute.rational import RationalArray
from obroute.topologies import networks

TORI = ["ring:7", "torus:6x6", "torus:7x7", "torus:4x6", "torus:3x3x3"]
BY_FEW_PAIRS = ["ring:8", "torus:8x8", "torus:9x9", "torus:4x6", "hypercube:5"]


@st.composite
def programs(draw: st.DrawFn) -> LinearProgram:
    """Draw a small linear program with a feasible point, and costs that bound it below."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    entries = st.lists(st.integers(-3, 3), min_size=rows * columns, max_size=rows * columns)
    matrix = np.array(draw(entries)).reshape(rows, columns)
    point = draw(st.lists(st.integers(0, 3), min_size=columns, max_size=columns))
    equality = np.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))
    room = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    rhs = matrix @ np.array(point) + np.where(equality, 0, np.array(room))
    cost = np.array(draw(st.lists(st.integers(0, 4), min_size=columns, max_size=columns)))
    return LinearProgram(
        csr_array(matrix), equality, [Fraction(int(value), 3) for value in rhs], cost
    )


@given(programs())
def test_interior_points_are_as_exact_as_a_basis(program: LinearProgram) -> None:
    """They find the optimum of the simplex method, or nothing; never another one."""
    by_simplex = exact_optimum(program, Model(program, "simplex").solve())
    solution = Model(program, "interior_point").solve()
    assert solution.basic_columns is None
    found = exact_optimum(program, solution)
    if found is not None:
        assert is_optimal(program, found)
        assert by_simplex is None or found.objective == by_simplex.objective


@pytest.mark.parametrize("name", TORI)
def test_interior_points_prove_the_least_length(name: str) -> None:
    """Load and path length are those of the simplex method, exactly."""
    network = network_of(name)
    by_simplex, by_interior = (
        design(network, then="locality", method=method) for method in ("simplex", "interior_point")
    )
    assert by_interior.load == by_simplex.load
    assert by_interior.load is not None
    assert by_interior.load.exact
    assert by_interior.least_path_length == by_simplex.least_path_length
    assert by_interior.path_length == by_simplex.path_length


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-12, 1e-9, 1e-6, 1e-3, 1.0]))
def test_wrong_floats_prove_nothing_wrong(seed: int, noise: float) -> None:
    """Disturbed interior points give the optimum or nothing."""
    task = DesignTask(DesignProblem(network_of("torus:4x4")))
    program = task.design.program("load")
    draw = np.random.default_rng(seed)
    rows, columns = program.shape
    solution = Model(program, "interior_point").solve()
    values = solution.values + noise * draw.standard_normal(columns)
    duals = solution.duals + noise * draw.standard_normal(rows)
    disturbed = Solution(values, duals, None, None, 0.0, 0.0, "noise", True, True)
    found = exact_optimum(program, disturbed)
    assert found is None or found.objective == 1


@pytest.mark.parametrize("name", BY_FEW_PAIRS)
def test_few_pairs_prove_half_of_capacity(name: str) -> None:
    """The duals of a part are duals of the whole, and of the full problem."""
    network = network_of(name)
    load = 2 * Fraction(network.capacity_load() or 0)
    task = DesignTask(DesignProblem(network))
    duals = duals_of_few_pairs(task, load)
    assert duals is not None
    assert dual_bound(task.design.program("load"), duals) == load
    assert expanded_bound(task, duals, "load").least_load() == load


@pytest.mark.parametrize("method", ["simplex", "interior_point"])
@pytest.mark.parametrize("name", ["ring:8", "torus:4x6", "torus:7x7", "hypercube:4"])
def test_what_best_routings_have_in_common_is_left_out(name: str, method: str) -> None:
    """The shortest of the best routings is the same one, and proved for the whole program."""
    network = network_of(name)
    load = 2 * Fraction(network.capacity_load() or 0)
    task = DesignTask(DesignProblem(network))
    duals = duals_of_few_pairs(task, load)
    assert duals is not None
    task.design.bound_load(load)
    whole = task.design.program("length")
    row = task.design.rows.blocks["load"].number
    face = LoadFace.of(whole, duals, row, task.design.load_column)
    assert face.part.shape[1] < 0.9 * whole.shape[1]
    solution = Model(face.part, method).solve()
    found = exact_optimum(face.part, solution)
    assert found is not None
    optimum = face.optimum(found)
    assert optimum is not None
    assert is_optimal(whole, optimum)
    by_simplex = exact_optimum(whole, Model(whole, "simplex").solve())
    assert by_simplex is None or optimum.objective == by_simplex.objective
    length = optimum.objective / task.design.length_denominator
    bound = expanded_bound(task, optimum.duals, "length").least_path_length(load)
    assert bound == length
    near = expanded_bound(task, face.solution(solution).duals, "length").least_path_length(load)
    assert near <= length
    assert float(near) == pytest.approx(float(length), rel=1e-6)


def test_few_pairs_prove_no_more_than_is_so() -> None:
    """A load that a routing can have less of is not proved."""
    task = DesignTask(DesignProblem(network_of("torus:4x4")))
    assert duals_of_few_pairs(task, Fraction(11, 10)) is None


def test_a_large_design_rests_on_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without them, the same is proved."""
    network = network_of("torus:6x6")
    whole = design(network, then="locality")
    monkeypatch.setattr(import_module("obroute.design.solving"), "ROWS_FOR_FEW_PAIRS", 0)
    solved: list[str] = []
    solve = DesignTask.solve

    def noted(task: DesignTask, model: Model, objective: str) -> tuple[Solution, LinearProgram]:
        solved.append(objective)
        return solve(task, model, objective)

    monkeypatch.setattr(DesignTask, "solve", noted)
    found = design(network, then="locality")
    assert "load" not in solved
    assert (found.load, found.least_path_length) == (whole.load, whole.least_path_length)
    assert isinstance(found.proofs[0].duals, RationalArray)
    assert [proof.bound(found.problem).least_load() for proof in found.proofs[:1]] == [
        Fraction(3, 2)
    ]


@pytest.mark.parametrize("name", few(name for one in networks for name in one.small[:1]))
def test_what_is_known_of_valiant_is_known_of_grids_alone(name: str) -> None:
    """On a network of any family: its exact worst case on grids, nothing on others, no error."""
    network = make_network(name)
    known = known_worst_case(DesignProblem(network))
    assert known is None or known == obroute.evaluate(network, "valiant").worst_case_load


@given(programs())
def test_proximal_steps_are_as_exact_as_a_basis(program: LinearProgram) -> None:
    """They find the optimum of the simplex method, or nothing; never another one."""
    pytest.importorskip("piqp")
    near = near_by_proximal_steps(program)
    found = None if near is None else exact_optimum(program, near)
    if found is not None:
        assert is_optimal(program, found)
        by_simplex = exact_optimum(program, Model(program, "simplex").solve())
        assert by_simplex is None or found.objective == by_simplex.objective


@pytest.mark.parametrize("name", ["torus:6x6", "torus:4x6"])
@pytest.mark.parametrize("near", ["piqp", "noise", "nothing"])
def test_who_comes_near_changes_nothing(
    name: str, near: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same is proved by proximal steps, where they come to nothing, and without them."""
    network = network_of(name)
    whole = design(network, then="locality")
    solving = import_module("obroute.design.solving")
    monkeypatch.setattr(solving, "ROWS_FOR_FEW_PAIRS", 0)
    if near == "piqp":
        pytest.importorskip("piqp")
    else:
        monkeypatch.setattr(
            solving, "near_by_proximal_steps", far_off if near == "noise" else lambda program: None
        )
    found = design(network, then="locality")
    assert (found.load, found.least_path_length) == (whole.load, whole.least_path_length)
    assert found.solver.startswith("PIQP") == (near == "piqp")


def far_off(program: LinearProgram) -> Solution:
    """Return floats that tell nothing."""
    rows, columns = program.shape
    return Solution(np.ones(columns), -np.ones(rows), None, None, 0.0, 0.0, "noise", interior=True)
