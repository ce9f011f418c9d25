"""Paths of at most two turns, against all simple paths filtered by their turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import pytest

from obroute import InputError, make_network, make_routing
from obroute.network import Network, Path
from obroute.routing.two_turn import two_turn_paths
from obroute.topologies.grid import Grid


def simple_paths(
    network: Network, node: int, destination: int, seen: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield the channels of every path that visits no node twice, by depth-first search."""
    if node == destination:
        yield ()
        return
    for channel in range(network.channel_count):
        if network.tail[channel] == node and network.head[channel] not in seen:
            there = int(network.head[channel])
            for rest in simple_paths(network, there, destination, (*seen, there)):
                yield (channel, *rest)


def has_two_turns_at_most(grid: Grid, path: Path) -> bool:
    """Count changes of dimension; refuse a change of direction without one."""
    places = [tuple(grid.place_of_channel[channel][:2].tolist()) for channel in path]
    turns = 0
    for (dimension, direction), (onwards, onwards_direction) in pairwise(places):
        if dimension == onwards and direction != onwards_direction:
            return False
        turns += dimension != onwards
    return turns <= 2


@pytest.mark.parametrize(
    "spec",
    ["torus:3x3", "torus:3x4", "mesh:3x3", "mesh:2x4", "ring:5", "hypercube:3", "torus:2x3"],
)
def test_they_are_the_simple_paths_of_at_most_two_turns(spec):
    """Each once, and no other."""
    grid = make_network(spec)
    for destination in range(1, grid.node_count):
        found = list(two_turn_paths(grid, 0, destination))
        expected = {
            path
            for path in simple_paths(grid, 0, destination, (0,))
            if has_two_turns_at_most(grid, path)
        }
        assert len(found) == len(set(found))
        assert set(found) == expected


@pytest.mark.parametrize("radix", [3, 4, 5, 8])
def test_their_number_on_a_square_torus_is_known(radix):
    """8 + 16 (k - 2) to a node off both axes, 2 + 8 (k - 1) to one on an axis."""
    torus = make_network(f"torus:{radix}x{radix}")
    counts = [sum(1 for _ in two_turn_paths(torus, 0, node)) for node in range(torus.node_count)]
    for node, (x, y) in enumerate(product(range(radix), repeat=2)):
        expected = 8 + 16 * (radix - 2) if x and y else 2 + 8 * (radix - 1)
        assert counts[node] == (expected if node else 1)


@pytest.mark.parametrize(
    "routing", ["dor", "o1turn", "ival", "ival:order=1-0", "ival:order=random"]
)
@pytest.mark.parametrize("spec", ["torus:4x4", "torus:5x3", "mesh:3x4"])
def test_they_contain_the_paths_of_ival(spec, routing):
    """As SPAA 2003, section 5.2, says."""
    grid, made = make_network(spec), make_routing(routing)
    for source, destination in product(range(grid.node_count), repeat=2):
        known = set(two_turn_paths(grid, source, destination))
        assert {path for _, path in made.paths(grid, source, destination)} <= known


def test_three_dimensions_at_most_differ():
    """Four differing coordinates would need three turns."""
    cube = make_network("hypercube:4")
    assert len(list(two_turn_paths(cube, 0, 7))) == 6
    assert list(two_turn_paths(cube, 0, 15)) == []


def test_a_network_without_dimensions_is_refused():
    """The message says which networks have turns."""
    with pytest.raises(InputError, match="two-turn paths are not defined on complete:4"):
        list(two_turn_paths(make_network("complete:4"), 0, 1))
