"""Destination-based tables: loads from trees are those of the paths that packets take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.irregular_networks import digraphs

from obroute import InputError, Network, Routing, evaluate
from obroute.deadlock import PathSet
from obroute.deadlock.dependencies import channel_dependency_graph
from obroute.loads import loads_of
from obroute.routing.forwarding import ForwardingTable
from obroute.traffic import make_pattern
from obroute.worst_cases import worst_cases

MANY = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
RING = Network("ring", 4, [0, 1, 2, 3, 1, 2, 3, 0], [1, 2, 3, 0, 0, 1, 2, 3])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Network, ForwardingTable]:
    """Draw a network and a tree to each destination, not always of shortest paths."""
    network = draw(digraphs())
    weights = draw(st.lists(st.integers(1, 9), min_size=5, max_size=5))
    lengths = np.array([weights[c % 5] for c in range(network.channel_count)])
    nodes = np.arange(network.node_count)
    found = np.full((network.node_count, len(network.destinations)), -1, dtype=np.int32)
    for column, destination in enumerate(network.destinations.tolist()):
        away = np.full(network.node_count, np.inf)
        away[destination] = 0
        for _ in nodes:
            for channel in range(network.channel_count):
                reach = away[network.head[channel]] + lengths[channel]
                if reach < away[network.tail[channel]]:
                    away[network.tail[channel]] = reach
                    found[network.tail[channel], column] = channel
    return network, ForwardingTable("drawn", nodes, found)


@MANY
@given(made=tables())
def test_loads_from_trees_are_those_of_paths(made: tuple[Network, ForwardingTable]) -> None:
    """Of every channel, of pairs, in the mean, and in the worst case."""
    network, table = made
    table.check(network)
    for channel in range(network.channel_count):
        expected = Routing.pair_loads(table, network, channel)
        assert table.pair_loads(network, channel).equals(expected)
    assert table.mean_path_length(network) == Routing.mean_path_length(table, network)
    uniform = make_pattern("uniform").traffic(network)
    assert loads_of(table, uniform).sum() / network.total_injection == table.mean_path_length(
        network
    )
    found = worst_cases(network, table)
    assert found.load == max(r.normalized_load for r in found.channels)


@MANY
@given(made=tables())
def test_paths_of_all_pairs_at_once_are_those_of_each(
    made: tuple[Network, ForwardingTable],
) -> None:
    """Pairs in any order, of a node with itself, too; what waits for what is the same."""
    network, table = made
    ends = [(int(s), int(d)) for d in network.destinations for s in network.sources]
    batch = table.sample_paths(network, *np.array(ends).T, np.random.default_rng(0))
    assert [batch.path(i) for i in range(len(batch))] == [
        path for pair in ends for _, path in table.paths(network, *pair)
    ]
    plain = PathSet.of(
        network,
        [(s, path) for s, d in sorted(ends) for _, path in table.paths(network, s, d)],
        "drawn",
    )
    for scheme in ("single", "hops"):
        expected, found = (
            channel_dependency_graph(network, either, scheme) for either in (plain, table)
        )
        for part in ("used", "before", "after"):
            assert np.array_equal(getattr(found, part), getattr(expected, part))


@MANY
@given(made=tables())
def test_hosts_need_no_row(made: tuple[Network, ForwardingTable]) -> None:
    """A node with one channel out takes it."""
    network, table = made
    several = np.bincount(network.tail, minlength=network.node_count) > 1
    rows = np.flatnonzero(several)
    fewer = ForwardingTable("fewer", rows, table.next_channel[rows])
    assert evaluate(network, fewer).worst_case_load == evaluate(network, table).worst_case_load


def clockwise() -> np.ndarray:
    """The table of a ring in which all go one way."""
    return np.repeat(np.arange(4)[:, None], 4, axis=1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({(1, 3): 4}, "no way from node 0 to node 3: it comes back to where it was"),
        ({(2, 0): -1}, "no way from node 1 to node 0: node 2 has no next channel"),
        ({(2, 0): 7}, "a next channel of node 2 does not leave it"),
        ({(2, 0): 8}, "a next channel of node 2 does not leave it"),
    ],
)
def test_a_table_that_does_not_arrive_is_refused(
    changed: dict[tuple[int, int], int], message: str
) -> None:
    """With the node at which it ends."""
    rows = clockwise()
    for place, channel in changed.items():
        rows[place] = channel
    with pytest.raises(InputError, match=message):
        ForwardingTable("table", np.arange(4), rows).check(RING)


def test_a_table_of_another_network_is_refused() -> None:
    """By the number of its destinations."""
    table = ForwardingTable("table", np.arange(4), clockwise()[:, :3])
    with pytest.raises(InputError, match="3 destinations; ring has 4"):
        table.check(RING)


def star() -> Network:
    """Return two hosts, a and b, on a switch."""
    return Network(
        "star",
        3,
        [0, 1, 0, 2],
        [1, 0, 2, 0],
        sources=[1, 2],
        destinations=[1, 2],
        labels=("s", "a", "b"),
    )


def test_the_last_hop_is_checked_too() -> None:
    """A switch that sends what is for one host to another does not serve it."""
    table = ForwardingTable("crossed", np.array([0]), np.array([[2, 0]]))
    with pytest.raises(InputError, match="no way from node b to node a: it comes back"):
        table.check(star())
    with pytest.raises(InputError, match="no way"):
        evaluate(star(), table)


def test_a_node_with_one_channel_out_takes_it_where_its_row_is_silent() -> None:
    """In paths as in loads: a host with a row for some destinations serves the others."""
    table = ForwardingTable("partly", np.array([0, 1]), np.array([[0, 2], [-1, -1]]))
    assert [path for _, path in table.paths(star(), 1, 2)] == [(1, 2)]
    assert evaluate(star(), table).worst_case_load == 1
