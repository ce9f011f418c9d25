"""Designs for networks that nobody drew: random fabrics against programs without any symmetry.

Hosts come in any order, links in parallel, with several bandwidths, and terminals of several
units: what real fabrics have, and what an orbit of nodes, channels or pairs can be mistaken on.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import design_twin
from tests.support.design_graphs import as_graph

import obroute
from obroute import Network
from obroute.design import Design, design
from obroute.rational import RationalArray

CLOSE = 1e-6
FEW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
BANDWIDTHS = st.sampled_from([Fraction(1), Fraction(1), Fraction(1), Fraction(2), Fraction(3, 2)])
AMOUNTS = st.sampled_from([Fraction(1), Fraction(1), Fraction(2)])


@st.composite
def fabrics(draw: st.DrawFn, units: bool = True) -> Network:
    """Draw switches in a random tree, with more links, and hosts on them in random order."""
    switches = draw(st.integers(1, 3))
    hosts = draw(st.integers(2, 4))
    cables = [(draw(st.integers(0, s - 1)), s) for s in range(1, switches)]
    cables += [(draw(st.integers(0, switches - 1)), switches + h) for h in range(hosts)]
    if switches > 1:
        ends = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
        cables += draw(st.lists(ends.filter(lambda e: e[0] != e[1]), max_size=3))
    channels = []
    for a, b in cables:
        bandwidth = draw(BANDWIDTHS)
        channels += [(a, b, bandwidth), (b, a, bandwidth)]
    channels = draw(st.permutations(channels))
    order = draw(st.permutations(range(switches, switches + hosts)))
    amounts = [draw(AMOUNTS) if units else Fraction(1) for _ in order]
    tail, head, bandwidths = zip(*channels, strict=True)
    return Network(
        "drawn",
        switches + hosts,
        list(tail),
        list(head),
        RationalArray.from_fractions(bandwidths),
        sources=order,
        injection=RationalArray.from_fractions(amounts),
        destinations=draw(st.sampled_from([order, list(reversed(order))])),
        ejection=None if not units else RationalArray.from_fractions(draw(_shuffled(amounts))),
    )


def _shuffled(amounts: list[Fraction]) -> st.SearchStrategy[list[Fraction]]:
    return st.one_of(st.just(amounts), st.permutations(amounts))


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
