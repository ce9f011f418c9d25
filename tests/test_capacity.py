"""Capacity without a linear program: closed forms, cuts and lengths, and never a guess."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.design_twin import Graph, least_load, uniform_traffic

import obroute
from obroute import Network, make_network
from obroute.capacity import capacity_load, known_capacity
from obroute.design import capacity
from obroute.rational import RationalArray


def network_of(
    edges: list[tuple[int, int]], widths: list[Fraction] | None = None, **fields
) -> Network:
    """Make a network from cables, each a channel each way, with one bandwidth a cable."""
    tail = [end for edge in edges for end in edge]
    head = [end for edge in edges for end in edge[::-1]]
    amounts = None
    if widths is not None:
        amounts = RationalArray.from_fractions([w for width in widths for w in (width, width)])
    return Network("net", max(tail) + 1, tail, head, amounts, **fields)


def optimum(network: Network) -> float:
    """Give the capacity load by the unreduced program in SciPy."""
    channels = zip(
        network.tail.tolist(), network.head.tolist(), network.bandwidth.fractions(), strict=True
    )
    amounts = (
        dict(zip(nodes.tolist(), given.fractions(), strict=True))
        for nodes, given in (
            (network.sources, network.injection),
            (network.destinations, network.ejection),
        )
    )
    graph = Graph(network.node_count, tuple(channels), *amounts)
    return least_load(graph, matrices=[uniform_traffic(graph)])


def test_capacity_of_a_symmetric_digraph_is_found_by_shortest_paths() -> None:
    """A one-way ring needs (n - 1)/2 hops a packet, and every channel carries as many."""
    ring = Network("one-way", 5, range(5), [1, 2, 3, 4, 0])
    assert capacity_load(ring) == 2
    assert obroute.evaluate(ring, "ecmp").fraction_of_capacity(Fraction(4)) == Fraction(1, 2)


def test_the_only_routing_proves_it_whatever_the_bandwidths() -> None:
    """A one-way ring with a narrow channel: ten of the 25 pairs cross it."""
    widths = RationalArray.from_fractions([1, Fraction(1, 3), 1, 1, 1])
    found = known_capacity(Network("one-way", 5, range(5), [1, 2, 3, 4, 0], widths))
    assert found is not None
    assert found.load == 6
    assert found.proof == "ecmp has this load, and no routing less: 2 packets have to cross 1 → 2"


def test_capacity_is_bounded_by_what_a_terminal_can_send() -> None:
    """A star: the hosts' own channels are the narrowest, and shortest paths reach the bound."""
    tail, head = [0, 1, 2, 3, 3, 3], [3, 3, 3, 0, 1, 2]
    star = Network("star", 4, tail, head, sources=[0, 1, 2], destinations=[0, 1, 2])
    assert capacity_load(star) == Fraction(2, 3)
    widths = RationalArray.from_fractions([1, 1, Fraction(1, 2), 1, 1, 1])
    uneven = Network("star", 4, tail, head, widths, [0, 1, 2], None, [0, 1, 2])
    assert capacity_load(uneven) == Fraction(4, 3)


@st.composite
def trees(draw: st.DrawFn) -> Network:
    """A random tree with random bandwidths; its leaves, or all nodes, are terminals."""
    count = draw(st.integers(2, 8))
    edges = [(draw(st.integers(0, node - 1)), node) for node in range(1, count)]
    widths = [Fraction(draw(st.integers(1, 4)), draw(st.integers(1, 3))) for _ in edges]
    degree = np.bincount(np.array(edges).ravel())
    hosts = np.flatnonzero(degree == 1) if draw(st.booleans()) else np.arange(count)
    amounts = RationalArray.from_fractions([draw(st.integers(1, 3)) for _ in hosts])
    return network_of(
        edges, widths, sources=hosts, injection=amounts, destinations=hosts, ejection=amounts
    )


@given(trees())
def test_capacity_of_every_tree_is_known(tree: Network) -> None:
    """There is one routing, so its uniform load is the least."""
    assert capacity_load(tree) == obroute.evaluate(tree, "ecmp").uniform.load


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """A strongly connected network: a ring of cables or channels, and a few more."""
    count = draw(st.integers(3, 5))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    more = draw(st.lists(pairs.filter(lambda pair: pair[0] != pair[1]), max_size=6))
    edges = [(n, (n + 1) % count) for n in range(count)] + more
    widths = RationalArray.from_fractions(
        [Fraction(draw(st.integers(1, 3)), draw(st.integers(1, 2))) for _ in edges]
    )
    ends = {}
    for nodes, amounts in (("sources", "injection"), ("destinations", "ejection")):
        chosen = draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=4, unique=True))
        ends |= {nodes: chosen}
        ends[amounts] = RationalArray.from_fractions([draw(st.integers(1, 3)) for _ in chosen])
    tail, head = zip(*edges, strict=True)
    return Network("net", count, tail, head, widths, **ends)


@given(networks())
def test_what_is_known_is_the_optimum(network: Network) -> None:
    """Of every routing, by the unreduced linear program; and the rest is not said."""
    known = known_capacity(network)
    if known is not None:
        assert float(known.load) == pytest.approx(optimum(network), rel=1e-6)


def test_capacity_of_an_oversubscribed_fabric_is_proved_by_its_uplinks() -> None:
    """Two leaves of four hosts on one spine: four hosts send half their traffic up one cable."""
    edges = [(host, 8 + host // 4) for host in range(8)] + [(8, 10), (9, 10)]
    hosts = list(range(8))
    found = known_capacity(network_of(edges, sources=hosts, destinations=hosts))
    assert found is not None
    assert found.load == 2
    assert "8 → 10" in found.proof


def test_capacity_is_none_where_it_is_not_known() -> None:
    """A pair with a short way and a long way round: shortest paths overload the short one."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    network = network_of(edges, [Fraction(1)] * 4 + [Fraction(1, 9)])
    assert known_capacity(network) is None
    found = obroute.evaluate(network, "ecmp")
    assert (found.capacity_load, found.capacity_proof) == (None, None)
    assert found.fraction_of_capacity(found.worst_case_load) is None
    exact = capacity(network)
    assert exact is not None
    assert float(exact) == pytest.approx(optimum(network))


def test_capacity_is_not_searched_for_in_large_networks() -> None:
    """It would take all pairs."""
    nodes = np.arange(600)
    assert capacity_load(Network("ring", 600, nodes, (nodes + 1) % 600, connected=True)) is None


def test_a_family_has_its_closed_form() -> None:
    """And says so."""
    found = known_capacity(make_network("torus:9x9"))
    assert found is not None
    assert (found.load, found.proof) == (Fraction(10, 9), "closed form of the family")


@pytest.mark.parametrize("name", ["de_bruijn:d=2,n=2", "generalized_kautz:d=2,n=6"])
def test_any_bandwidth_is_compared_exactly(name: str) -> None:
    """Beyond what a whole number of the machine holds, too: proved, or tried by every split."""
    wide = 10**23
    one, found = (
        known_capacity(make_network(each)) for each in (name, f"{name},bandwidth={wide}")
    )
    assert (found and found.load) == (one and one.load / wide)
