"""What a network is, and what it refuses to be."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from obroute import InputError, Network, make_network
from obroute.rational import RationalArray


def network(*channels: tuple[int, int], nodes: int = 3, **fields: Any) -> Network:
    """Make a network from pairs of tail and head."""
    return Network("net", nodes, [t for t, _ in channels], [h for _, h in channels], **fields)


def amounts(*values: Fraction | int) -> RationalArray:
    """Give bandwidths."""
    return RationalArray.from_fractions(values)


TRIANGLE = ((0, 1), (1, 2), (2, 0))
ONE_WAY = ((0, 1), (1, 2))


def test_everything_is_one_unless_given() -> None:
    """Every node injects and ejects one packet per cycle, and so wide is every channel."""
    found = network(*TRIANGLE)
    assert found.bandwidth.fractions() == [1, 1, 1]
    assert found.sources.tolist() == found.destinations.tolist() == [0, 1, 2]
    assert found.injection.fractions() == found.ejection.fractions() == [1, 1, 1]
    assert found.has_unit_terminals
    assert found.total_injection == 3
    assert (found.capacity_load(), found.automorphisms()) == (None, {})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: network((0, 1), (1, 1), (1, 0)), "a channel joins node 1 to itself; remove it"),
        (lambda: network((0, 1), (1, 3)), "node 3 does not exist; nodes are 0 to 2"),
        (lambda: network((0, 1), (-1, 2)), "node -1 does not exist"),
        (lambda: network(*TRIANGLE, sources=[0, 7]), "node 7 does not exist"),
        (
            lambda: network(*TRIANGLE, bandwidth=amounts(1, 0, 1)),
            "channel bandwidth 0 is not positive; give every channel",
        ),
        (
            lambda: network(*TRIANGLE, bandwidth=amounts(1, Fraction(-1, 2), 1)),
            "channel bandwidth -1/2 is not positive",
        ),
        (
            lambda: network(*TRIANGLE, injection=amounts(1, 1, 0)),
            "injection bandwidth 0 is not positive",
        ),
        (
            lambda: network(*TRIANGLE, ejection=amounts(0, 1, 1)),
            "ejection bandwidth 0 is not positive",
        ),
        (
            lambda: network(*TRIANGLE, bandwidth=amounts(1, 1)),
            "3 tails, 3 heads and 2 bandwidths; expected one of each",
        ),
        (lambda: Network("net", 2, [0, 1], [1]), "2 tails, 1 heads"),
        (lambda: network(*TRIANGLE, sources=[]), "no terminal injects or ejects"),
        (lambda: network(*TRIANGLE, destinations=[]), "no terminal injects or ejects"),
        (lambda: network(*ONE_WAY), "disconnected: no path leads from node 1 to node 0; add a"),
        (
            lambda: network(*ONE_WAY, labels=("x", "y", "z")),
            "disconnected: no path leads from node y to node x",
        ),
        (
            lambda: network((0, 1), (1, 0), coordinates=[[0, 0], [0, 1], [1, 0]]),
            r"no path leads from node \(0,0\) to node \(1,0\)",
        ),
    ],
)
def test_a_network_that_is_none_is_refused(make: Any, message: str) -> None:
    """The message names the network, the nodes and the remedy."""
    with pytest.raises(InputError, match=f"^net.*{message}") as caught:
        make()
    assert "\n" not in str(caught.value)


def test_only_terminals_have_to_be_connected() -> None:
    """A one-way line serves from its first node to its last."""
    found = network(*ONE_WAY, sources=[0], destinations=[2])
    assert found.mean_shortest_path_length() == 2
    assert network(*ONE_WAY, sources=[0, 1], destinations=[2, 1]).channel_count == 2


def test_a_network_is_immutable() -> None:
    """Neither fields nor arrays change, also if they were made from the caller's."""
    tail = np.array([0, 1, 2])
    found = Network("net", 3, tail, [1, 2, 0])
    tail[0] = 2
    assert found.tail.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        found.tail[0] = 1
    with pytest.raises(AttributeError):
        found.name = "other"


def test_a_network_is_immutable_after_pickling() -> None:
    """As a worker gets it."""
    assert not pickle.loads(pickle.dumps(network(*TRIANGLE))).tail.flags.writeable


def test_parallel_channels_are_different_channels() -> None:
    """Each is found by its port, and keeps its bandwidth and its place in paths."""
    found = network((0, 1), (0, 1), (1, 0), nodes=2, bandwidth=amounts(1, Fraction(1, 2), 1))
    assert [found.channel(0, 1, port) for port in ("1", "2")] == [0, 1]
    assert [found.port(channel) for channel in range(3)] == ["1", "2", None]
    assert found.describe_channel(1) == "0 → 1#2"
    assert found.channel(1, 0) == found.channel(1, 0, "1") == 2
    assert found.parallel_channels(0, 1) == [0, 1]
    with pytest.raises(InputError, match=r"net has 2 parallel channels .*by its port: 1#1, 1#2"):
        found.channel(0, 1)
    with pytest.raises(InputError, match=r"net has no channel .* of port '3'; expected 1, 2"):
        found.channel(0, 1, "3")
    assert found.adjacency[0, 1] == 2
    assert found.path_nodes(0, (1,)) == found.path_nodes(0, (0,)) == (0, 1)
    order, starts = found.out_channels
    assert [order[starts[n] : starts[n + 1]].tolist() for n in range(2)] == [[0, 1], [2]]
    assert found.mean_shortest_path_length() == Fraction(1, 2)


def test_ports_may_have_names_of_their_own() -> None:
    """Channels without one keep their number; no two parallel channels have one port."""
    edges = ((0, 1), (0, 1), (1, 0))
    found = network(*edges, nodes=2, ports=("east", "", ""))
    assert [found.port(channel) for channel in range(3)] == ["east", "2", None]
    assert found.channel(0, 1, "east") == 0
    with pytest.raises(InputError, match="0 → 1 have the ports 2, 2; give each a port of its own"):
        network(*edges, nodes=2, ports=("2", "", ""))


def test_channels_are_found_by_their_ends() -> None:
    """Many at a time, -1 where there is none; one alone must exist."""
    found = network(*TRIANGLE)
    assert found.channels_between(np.array([0, 1, 2]), np.array([1, 0, 0])).tolist() == [0, -1, 2]
    assert found.path_from_nodes([0, 1, 2, 0]) == (0, 1, 2)
    assert found.path_from_nodes([1]) == ()
    with pytest.raises(InputError, match="net has no channel from node 1 to node 0"):
        found.channel(1, 0)


def test_a_path_is_connected() -> None:
    """Two channels that do not meet are no path."""
    with pytest.raises(InputError, match="channel 2 leaves node 2, but the path is at node 1"):
        network(*TRIANGLE).path_nodes(0, (0, 2))


def test_nodes_are_named_by_label_or_number_or_coordinates() -> None:
    """Labels replace numbers; coordinates stand beside them."""
    labelled = network(*TRIANGLE, labels=("a", "2", "c"))
    assert [labelled.node_named(name) for name in ("a", " 2 ", "c")] == [0, 1, 2]
    assert labelled.describe(1) == "2"
    with pytest.raises(InputError, match="net has no node '0'"):
        labelled.node_named("0")
    grid = make_network("torus:4x3")
    assert grid.node_named("(2, 1)") == grid.node_named("7") == 7
    assert grid.describe(7) == "(2,1)"
    with pytest.raises(InputError, match=r"torus:4x3 has no node '\(4,0\)'"):
        grid.node_named("(4,0)")


def test_a_channel_follows_the_nodes_of_an_automorphism() -> None:
    """A rotation of the triangle rotates its channels."""
    assert network(*TRIANGLE).channel_image(np.array([1, 2, 0])).tolist() == [1, 2, 0]


def test_parallel_channels_keep_their_order_under_an_automorphism() -> None:
    """First to first, second to second of those that are as wide."""
    pairs = ((0, 1), (0, 1), (1, 0), (1, 0))
    even = network(*pairs, nodes=2, bandwidth=amounts(1, 2, 1, 2))
    assert even.channel_image(np.array([1, 0])).tolist() == [2, 3, 0, 1]
    turned = network(*pairs, nodes=2, bandwidth=amounts(1, 2, 2, 1))
    assert turned.channel_image(np.array([1, 0])).tolist() == [3, 2, 1, 0]
    uneven = network(*pairs, nodes=2, bandwidth=amounts(1, 2, 2, 2))
    with pytest.raises(InputError, match="does not keep channel bandwidths"):
        uneven.channel_image(np.array([1, 0]))


@pytest.mark.parametrize("image", [[1, 0, 2], [0, 0, 0], [2, 1, 0]])
def test_a_map_that_is_no_automorphism_has_no_channel_image(image: list[int]) -> None:
    """A one-way triangle has no reflection."""
    with pytest.raises(InputError, match="does not map channels to channels"):
        network(*TRIANGLE).channel_image(np.array(image))


def test_uniform_traffic_is_in_proportion_to_bandwidths() -> None:
    """Source s sends injection_s · ejection_d / Σ ejection to destination d."""
    found = network(
        *TRIANGLE,
        sources=[0, 1],
        injection=amounts(2, 1),
        destinations=[1, 2],
        ejection=amounts(Fraction(1, 2), 1),
    )
    rows, columns = found.uniform_weight()
    assert rows.fractions() == [2, 1]
    assert columns.fractions() == [Fraction(1, 3), Fraction(2, 3)]
    assert not found.has_unit_terminals
    # hops: 0 to 1 one, 0 to 2 two, 1 to 1 none, 1 to 2 one
    expected = (2 * (Fraction(1, 3) + 2 * Fraction(2, 3)) + Fraction(2, 3)) / 3
    assert found.mean_shortest_path_length() == expected


@pytest.mark.parametrize(
    "spec", ["torus:4x3", "torus:2x5", "ring:6", "mesh:3x4", "hypercube:3", "complete:5"]
)
def test_closed_form_of_the_mean_distance_is_that_of_a_search(spec: str) -> None:
    """Families know it; a plain network with the same channels searches."""
    family = make_network(spec)
    plain = Network("plain", family.node_count, family.tail, family.head)
    assert family.mean_shortest_path_length() == plain.mean_shortest_path_length()
