"""Designs for random fabrics, against programs without any symmetry.

The routing that is found is held to exact loads worked out path by path, too.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import design_twin
from tests.support.design_graphs import as_graph
from tests.support.exact import Answers
from tests.support.random_networks import fabrics

import obroute
from obroute import Network
from obroute.design import Design, design

CLOSE = 1e-6
FEW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(found: Design, least: float) -> None:
    """Hold a design against the least load of the program without symmetry, and its evaluation."""
    assert found.load is not None
    assert float(found.load.lower) == pytest.approx(least, abs=CLOSE)
    assert found.load.upper == found.routing_load
    evaluated = obroute.evaluate(found.problem.network, found.routing)
    assert evaluated.mean_path_length == found.path_length
    assert found.normalized_path_length >= 1
    load = (
        evaluated.uniform.load
        if found.problem.objective == "capacity"
        else evaluated.worst_case_load
    )
    assert load == found.routing_load
    plain = Answers.of(found.problem.network, found.routing)
    plain.check_paths()
    assert plain.mean_path_length == found.path_length
    assert plain.uniform_load == evaluated.uniform.load
    if plain.is_small:
        assert plain.worst_case_load == evaluated.worst_case_load


@FEW
@given(network=fabrics(), symmetry=st.sampled_from(["auto", "found", "none"]))
def test_the_best_worst_case_is_that_of_the_program_without_symmetry(
    network: Network, symmetry: str
) -> None:
    """Whatever the order of hosts."""
    check(design(network, symmetry=symmetry), design_twin.least_load(as_graph(network)))


@FEW
@given(network=fabrics(), symmetry=st.sampled_from(["auto", "found"]))
def test_capacity_is_that_of_the_program_without_symmetry(network: Network, symmetry: str) -> None:
    """Of uniform traffic."""
    graph = as_graph(network)
    least = design_twin.least_load(graph, matrices=[design_twin.uniform_traffic(graph)])
    check(design(network, "capacity", symmetry=symmetry), least)


@FEW
@given(network=fabrics())
def test_the_least_path_length_is_that_of_the_program_without_symmetry(network: Network) -> None:
    """At the best worst case; a little above it, where the twin's floats could not find it."""
    best = design(network, then="locality")
    assert best.least_path_length is not None
    assert best.load is not None
    graph = as_graph(network)
    shortest = design_twin.least_length(graph, best.load.upper * (1 + Fraction(1, 10**7)))
    assert float(best.least_path_length.upper) == pytest.approx(shortest, rel=1e-4)


@FEW
@given(network=fabrics())
def test_shortest_paths_alone_meet_the_program_over_paths(network: Network) -> None:
    """The same with ``paths=minimal``."""
    graph = as_graph(network)
    least = design_twin.least_load(graph, paths=design_twin.minimal_paths(graph))
    check(design(network, paths="minimal"), least)
