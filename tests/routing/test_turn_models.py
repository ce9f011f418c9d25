"""Turn models against all shortest paths, listed and sifted; loads of the file; no deadlock."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fabrics import families

from obroute import InputError, deadlock, evaluate, make_network, make_routing
from obroute.routing import path_distribution

MODELS = {
    "west_first": lambda column: {"NW", "SW"},
    "north_last": lambda column: {"NE", "NW"},
    "negative_first": lambda column: {"ES", "NW"},
    "odd_even": lambda column: {"NW", "SW"} if column % 2 else {"EN", "ES"},
}
"""The turns that each forbids in a column, by the directions of travel before and after."""
WAYS = {(1, 0): "E", (-1, 0): "W", (0, 1): "N", (0, -1): "S"}

Place = tuple[int, int]


def allowed_paths(
    grid: networkx.Graph, model: str, source: Place, destination: Place
) -> list[tuple[Place, ...]]:
    """List the shortest paths between two places, and keep those without a forbidden turn."""
    kept = []
    for path in networkx.all_shortest_paths(grid, source, destination):
        ways = [WAYS[b[0] - a[0], b[1] - a[1]] for a, b in pairwise(path)]
        turns = zip(path[1:], map("".join, pairwise(ways)), strict=False)
        if not any(turn in MODELS[model](place[0]) for place, turn in turns):
            kept.append(tuple(path))
    return kept


def hop_by_hop(paths: list[tuple[Place, ...]]) -> dict[tuple[Place, ...], Fraction]:
    """Share what is at each node evenly among the nodes that some path goes on to."""
    shares = {}
    for path in paths:
        share = Fraction(1)
        for hops in range(1, len(path)):
            onwards = {other[hops] for other in paths if other[:hops] == path[:hops]}
            share /= len(onwards)
        shares[path] = share
    return shares


@pytest.mark.parametrize("model", MODELS)
@given(x=st.integers(2, 4), y=st.integers(2, 4))
@settings(max_examples=3, deadline=None)
def test_a_turn_model_takes_the_shortest_paths_without_a_forbidden_turn(
    model: str, x: int, y: int
) -> None:
    """All of them equally often, or hop by hop; there always is one."""
    mesh, grid = make_network(f"mesh:{x}x{y}"), networkx.grid_2d_graph(x, y)
    for source, destination in product(grid, grid):
        paths = allowed_paths(grid, model, source, destination)
        assert paths
        ends = source[0] * y + source[1], destination[0] * y + destination[1]
        expected = {
            "paths": {path: Fraction(1, len(paths)) for path in paths},
            "hops": hop_by_hop(paths),
        }
        for split, shares in expected.items():
            found = path_distribution(make_routing(f"{model}:split={split}"), mesh, *ends)
            walked = {mesh.path_nodes(ends[0], path): share for path, share in found.items()}
            numbered = {tuple(a * y + b for a, b in path): s for path, s in shares.items()}
            assert walked == numbered


@pytest.mark.parametrize("split", ["hops", "paths"])
def test_turn_models_have_the_loads_of_the_file(split: str) -> None:
    """On a mesh of 4 x 4, dimension order and O1TURN beside them."""
    said = families()["mesh turn models"][f"certified_4x4_{split}"]
    names = {"xy": "dor", "o1turn": "o1turn"}
    for model, load in said.items():
        routing = names.get(model, f"{model}:split={split}")
        assert evaluate("mesh:4x4", routing).worst_case_load == Fraction(load)


@pytest.mark.parametrize("shape", ["4x4", pytest.param("5x6", marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", MODELS)
def test_a_turn_model_needs_no_virtual_channels(model: str, shape: str) -> None:
    """The channels have an order that every path rises in; all shortest paths have none."""
    assert deadlock(f"mesh:{shape}", model, scheme="single").deadlock_free
    assert not deadlock("mesh:3x3", "ecmp", scheme="single").deadlock_free


@pytest.mark.slow
@pytest.mark.parametrize("split", ["hops", "paths"])
def test_the_loads_of_a_long_mesh_add_up_to_the_hops(split: str) -> None:
    """Of all pairs, on a mesh of 12 x 9 nodes, by channels and by pairs."""
    mesh, routing = make_network("mesh:12x9"), make_routing(f"odd_even:split={split}")
    total = sum(routing.pair_loads(mesh, channel).sum() for channel in range(mesh.channel_count))
    assert total == mesh.distances.sum()
    farthest = [0, 8, 99, 107]
    loads = routing.channel_loads(mesh, farthest, farthest[::-1])
    assert loads.sum() == 4 * (11 + 8)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("torus:4x4", "routing odd_even is not defined on torus:4x4; it is defined for two-dim"),
        ("mesh:2x2x2", "routing odd_even is not defined on mesh:2x2x2"),
        ("complete:4", "routing odd_even is not defined on complete:4"),
        ("mesh:2x70", "not defined on mesh:2x70: it is 70 hops across; expected at most 62"),
    ],
)
def test_a_turn_model_is_refused_where_it_is_not_defined(network: str, message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        evaluate(network, "odd_even")
