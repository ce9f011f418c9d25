"""Curves of load against path length: each vertex and each edge proved again by designs."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from tests.support import design_twin
from tests.support.cases import network_of
from tests.support.design_graphs import graph_of

from obroute import InputError
from obroute.design import TradeOff, design, trade_off

CURVES: dict[str, tuple[str, dict[str, Any]]] = {
    "torus:3x3": ("torus:3x3", {}),
    "torus:4x4": ("torus:4x4", {}),
    "mesh:3x3": ("mesh:3x3", {}),
    "hypercube:4": ("hypercube:4", {}),
    "lopsided": ("lopsided", {}),
    "fabric": ("fabric", {}),
    "capacity of lopsided": ("lopsided", {"objective": "capacity"}),
    "two turns on torus:4x4": ("torus:4x4", {"paths": "two_turn"}),
    "average case of mesh:3x3": ("mesh:3x3", {"objective": "average_case", "samples": 3}),
}
for_every_curve = pytest.mark.parametrize("name", CURVES)


@cache
def curve_of(name: str) -> TradeOff:
    """Find a curve, each once."""
    network, settings = CURVES[name]
    return trade_off(network_of(network), **settings)


@for_every_curve
def test_the_curve_is_complete_and_falls_ever_slower(name: str) -> None:
    """Every vertex proved; from the best load to the shortest paths; convex, no idle vertex."""
    curve = curve_of(name)
    assert curve.complete
    assert all(vertex.proved for vertex in curve.vertices)
    network, settings = CURVES[name]
    best = design(network_of(network), then="locality", **settings)
    assert curve.vertices[0].load == best.load.upper
    assert curve.vertices[0].path_length == best.path_length
    shortest = network_of(network).mean_shortest_path_length()
    assert curve.vertices[-1].path_length == shortest
    slopes = [
        (right.path_length - left.path_length) / (right.load - left.load)
        for left, right in pairwise(curve.vertices)
    ]
    assert all(slope < 0 for slope in slopes)
    assert slopes == sorted(set(slopes))


@for_every_curve
def test_every_vertex_is_the_best_load_for_its_path_length(name: str) -> None:
    """By a design with a bound on path length, which the search of the curve never sets."""
    curve = curve_of(name)
    network, settings = CURVES[name]
    for vertex, length in zip(curve.vertices, curve.normalized_lengths(), strict=True):
        found = design(network_of(network), locality=length, then="locality", **settings)
        assert found.load.exact
        assert found.load.upper == vertex.load
        assert found.path_length == vertex.path_length


@for_every_curve
def test_no_routing_lies_below_an_edge(name: str) -> None:
    """At the middle of each edge the best load is exactly that of the chord."""
    curve = curve_of(name)
    network, settings = CURVES[name]
    for left, right in pairwise(curve.vertices):
        load = (left.load + right.load) / 2
        length = curve.length_at(load)
        assert length == (left.path_length + right.path_length) / 2
        locality = length / network_of(network).mean_shortest_path_length()
        found = design(network_of(network), locality=locality, **settings)
        assert found.load.exact
        assert found.load.upper == load


@pytest.mark.parametrize("name", ["lopsided", "fabric"])
def test_vertices_are_those_of_the_program_of_the_paper(name: str) -> None:
    """The least path length at the load of each vertex and between, by the twin."""
    curve = curve_of(name)
    loads = [vertex.load for vertex in curve.vertices]
    for load in loads + [(a + b) / 2 for a, b in pairwise(loads)]:
        expected = design_twin.least_length(graph_of(name), load)
        assert float(curve.length_at(load)) == pytest.approx(expected, rel=1e-6)


def test_the_line_of_each_vertex_bounds_the_whole_curve() -> None:
    """No vertex lies below the line of another."""
    vertices = curve_of("torus:4x4").vertices
    for one in vertices:
        assert all(one.bound(other.load) <= other.path_length for other in vertices)


def test_beyond_the_shortest_paths_the_curve_is_flat_and_before_the_best_load_there_is_none() -> (
    None
):
    """More load than the last vertex has buys nothing; less than the first is refused."""
    curve = curve_of("torus:4x4")
    assert curve.length_at(Fraction(100)) == curve.vertices[-1].path_length
    with pytest.raises(InputError, match="no routing"):
        curve.length_at(curve.vertices[0].load - Fraction(1, 10**9))


@pytest.mark.parametrize("most", range(1, 11))
def test_a_search_cut_short_says_that_the_curve_is_incomplete(most: int) -> None:
    """Its vertices lie on the curve all the same; with enough solves it is complete."""
    whole = curve_of("torus:4x4")
    cut = trade_off(network_of("torus:4x4"), most_solves=most)
    assert not cut.complete
    assert cut.solves <= max(most, 4)
    for vertex in cut.vertices:
        assert vertex.path_length == whole.length_at(vertex.load)
    assert whole.gap == 0 < cut.gap
    for vertex in whole.vertices:
        above = cut.length_at(vertex.load) / vertex.path_length - 1
        assert 0 <= above <= cut.gap + 1e-12
    assert trade_off(network_of("torus:4x4"), most_solves=whole.solves + 1).complete


@pytest.mark.parametrize("symmetry", ["found", "translations", "translations+reversal"])
def test_the_curve_does_not_depend_on_the_reduction(symmetry: str) -> None:
    """The same vertices under every group."""
    found = trade_off(network_of("torus:3x3"), symmetry=symmetry)
    points = [(vertex.load, vertex.path_length) for vertex in found.vertices]
    assert points == [(v.load, v.path_length) for v in curve_of("torus:3x3").vertices]


def test_a_curve_of_one_point_needs_no_search() -> None:
    """On a path the shortest paths are the only ones, and have the best load."""
    curve = trade_off(network_of("mesh:4"))
    assert curve.complete
    assert len(curve.vertices) == 1
    assert curve.length_at(curve.vertices[0].load) == curve.vertices[0].path_length


@pytest.mark.parametrize(
    ("name", "settings", "word"),
    [
        ("ring:5", {"objective": "latency"}, "latency"),
        ("fabric", {"objective": "average_case"}, "average case"),
        ("ring:5", {"objective": "average_case", "samples": 0}, "sample"),
        ("complete:4", {"paths": "two_turn"}, "two-turn"),
    ],
)
def test_a_curve_that_is_none_is_refused(name: str, settings: dict[str, Any], word: str) -> None:
    """As a design is."""
    with pytest.raises(InputError, match=word):
        trade_off(network_of(name), **settings)
