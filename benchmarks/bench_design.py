"""Time to design, beside the same problem with less symmetry, as a user would write it today.

All rows of a group find the same optimum with the same solver, building the linear program
included; the fastest is 1.0. Only the program and the solver are timed, not the proofs.
"""

from __future__ import annotations

import pytest

from obroute import make_network
from obroute.design import DesignProblem, trade_off
from obroute.design.task import DesignTask

LEAST_LENGTHS = {"torus:3x3": 14 / 9, "torus:4x4": 1.35, "torus:6x6": 545 / 378}
LEAST_LENGTHS |= {"torus:8x8": 11359 / 7680}
"""Least path length over shortest at the best worst case, half of capacity."""
SYMMETRIES = ("declared", "translations+reversal", "translations", "none")
LARGEST = {"declared": 64, "translations+reversal": 64, "translations": 64, "none": 16}
"""Nodes up to which a program of that symmetry is solved in about a minute."""


def least_path_length(network, symmetry):
    """Return the least path length over shortest at half of capacity, in floats."""
    task = DesignTask(DesignProblem(network, "worst_case", symmetry=symmetry), method="simplex")
    task.design.bound_load(2 * network.capacity_load())
    solution, _ = task.solve(task.model("length"), "length")
    hops = solution.objective / task.design.length_denominator
    return hops / float(network.mean_shortest_path_length())


@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("name", LEAST_LENGTHS)
def test_least_path_length(benchmark, name, symmetry):
    """The least path length at the best worst case."""
    network = make_network(name)
    if network.node_count > LARGEST[symmetry]:
        pytest.skip("takes many minutes")
    benchmark.group = f"least path length at the best worst case, {name}"
    rounds = 5 if symmetry == "declared" else 1
    found = benchmark.pedantic(least_path_length, (network, symmetry), rounds=rounds)
    assert found == pytest.approx(LEAST_LENGTHS[name])


@pytest.mark.parametrize("by", ["breakpoints", "grid of 125 localities"])
def test_trade_off(benchmark, by):
    """The whole curve of the 8-ary 2-cube beside as many points of a grid, each solved afresh."""
    benchmark.group = "trade-off of torus:8x8"
    network = make_network("torus:8x8")
    if by == "breakpoints":
        curve = benchmark.pedantic(trade_off, (network,), rounds=1)
        assert curve.complete
        assert len(curve.vertices) == 62
        return

    def grid():
        lengths = []
        for step in range(125):
            task = DesignTask(DesignProblem(network, "worst_case"), method="simplex")
            task.design.bound_load(2 + (network.capacity_load() * 3 / 2) * step / 124)
            lengths.append(task.solve(task.model("length"), "length")[0].objective)
        return lengths

    lengths = benchmark.pedantic(grid, rounds=1)
    assert lengths == sorted(lengths, reverse=True)
