"""Up*/down*: the legal paths of the fewest hops, and what they load."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from tests.support.cases import LOPSIDED, network_of

from obroute import InputError, Network, evaluate, make_network, make_routing
from obroute.deadlock import check_deadlock
from obroute.network import Path
from obroute.routing import path_distribution
from obroute.routing.up_down import UpDown


def levels_below(network: Network, root: int) -> list[int]:
    """Count the hops to the root, in a search of its own."""
    level = {root: 0}
    queue = [root]
    for node in queue:
        for tail, head in zip(network.tail.tolist(), network.head.tolist(), strict=True):
            if tail == node and head not in level:
                level[head] = level[node] + 1
                queue.append(head)
    return [level[node] for node in range(network.node_count)]


def legal_paths(network: Network, root: int, source: int, destination: int) -> set[Path]:
    """List the shortest of all walks that go up, and then down."""
    level = levels_below(network, root)
    walks: list[tuple[int, bool, Path]] = [(source, True, ())]
    while True:
        arrived = {path for node, _, path in walks if node == destination}
        if arrived:
            return arrived
        longer = []
        for node, rising, path in walks:
            for channel, tail in enumerate(network.tail.tolist()):
                head = int(network.head[channel])
                up = (level[head], head) < (level[tail], tail)
                if tail == node and (rising or not up):
                    longer.append((head, up, (*path, channel)))
        walks = longer


@pytest.mark.parametrize(
    ("spec", "root"), [("mesh:2x3", "1"), ("ring:5", "3"), ("dcell:n=2,k=1", "switch1")]
)
def test_all_legal_paths_of_the_fewest_hops_are_equally_likely(spec: str, root: str) -> None:
    """As a search by the definition lists them."""
    network = network_of(spec)
    routing = make_routing(f"up_down:root={root}")
    for source, destination in product(network.sources.tolist(), network.destinations.tolist()):
        legal = legal_paths(network, network.node_named(root), source, destination)
        expected = dict.fromkeys(legal, Fraction(1, len(legal)))
        assert path_distribution(routing, network, source, destination) == expected


def test_the_root_is_where_the_farthest_terminal_is_nearest() -> None:
    """In the middle of a line; all top switches of a tree."""
    routing = UpDown()
    assert routing.roots(make_network("mesh:5")).tolist() == [2]
    fabric = make_network("leafspine:leaves=2,hosts=2,spines=3")
    assert [fabric.describe(root) for root in routing.roots(fabric)] == [
        "spine0",
        "spine1",
        "spine2",
    ]


def test_one_root_of_a_fabric_leaves_the_other_spines_idle() -> None:
    """All packets between leaves pass it; with all as roots it is ECMP."""
    spec = "leafspine:leaves=3,hosts=2,spines=2"
    loads = [
        evaluate(spec, routing).worst_case_load
        for routing in ("up_down:root=spine0", "up_down", "ecmp")
    ]
    assert loads == [2, 1, 1]


@pytest.mark.parametrize("spec", ["ring:5", "mesh:2x3"])
def test_one_virtual_channel_is_enough(spec: str) -> None:
    """On any network, as no channel up waits for one down."""
    assert check_deadlock(make_network(spec), make_routing("up_down"), 1).deadlock_free


@pytest.mark.parametrize(
    ("spec", "routing", "why"),
    [
        (
            "leafspine:leaves=3,hosts=1,spines=2,failed=0-0+1-1",
            "up_down",
            "terminals have no root in common",
        ),
        ("ring:4", "up_down:root=x", "it has no node x"),
        (LOPSIDED, "up_down", "a channel leads one way alone"),
    ],
)
def test_up_down_is_refused_without_a_way_up_and_down(spec: str, routing: str, why: str) -> None:
    """With why."""
    network = network_of(spec)
    with pytest.raises(InputError, match=f"is not defined on .*: {why}; it is defined for"):
        make_routing(routing).check(network)
