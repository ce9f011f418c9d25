"""Networks that nobody drew: what real fabrics have, and what symmetry can be mistaken on.

Hosts in any order, channels in parallel and one way, several bandwidths, terminals of several
units, which inject another amount than they eject.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from obroute import Network
from obroute.network import Path
from obroute.rational import RationalArray
from obroute.routing.path_table import PathTable

BANDWIDTHS = st.sampled_from([Fraction(1), Fraction(1), Fraction(1), Fraction(2), Fraction(3, 2)])
AMOUNTS = st.sampled_from([Fraction(1), Fraction(1), Fraction(2)])
Cable = tuple[int, int, Fraction]


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
    order = draw(st.permutations(range(switches, switches + hosts)))
    amounts = [draw(AMOUNTS) if units else Fraction(1) for _ in order]
    return _network(
        switches + hosts,
        draw(st.permutations(channels)),
        (order, amounts),
        (
            draw(st.sampled_from([order, list(reversed(order))])),
            draw(_shuffled(amounts)) if units else amounts,
        ),
    )


@st.composite
def digraphs(draw: st.DrawFn) -> Network:
    """Draw one-way channels, a cycle through all nodes among them, and terminals on some."""
    nodes = draw(st.integers(2, 5))
    joins = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    more = draw(st.lists(joins.filter(lambda join: join[0] != join[1]), max_size=6))
    joined = [*((node, (node + 1) % nodes) for node in range(nodes)), *more]
    channels = [(tail, head, draw(BANDWIDTHS)) for tail, head in joined]
    few = st.lists(st.integers(0, nodes - 1), min_size=1, max_size=3, unique=True)
    ends = st.tuples(few, few).filter(lambda ends: len({*ends[0], *ends[1]}) > 1)
    sources, destinations = draw(ends)
    return _network(
        nodes,
        draw(st.permutations(channels)),
        (sources, [draw(AMOUNTS) for _ in sources]),
        (destinations, [draw(AMOUNTS) for _ in destinations]),
    )


def _network(
    nodes: int,
    channels: Sequence[Cable],
    sources: tuple[Sequence[int], Sequence[Fraction]],
    destinations: tuple[Sequence[int], Sequence[Fraction]],
) -> Network:
    tail, head, bandwidths = zip(*channels, strict=True)
    return Network(
        "drawn",
        nodes,
        list(tail),
        list(head),
        RationalArray.from_fractions(bandwidths),
        sources=list(sources[0]),
        injection=RationalArray.from_fractions(sources[1]),
        destinations=list(destinations[0]),
        ejection=RationalArray.from_fractions(destinations[1]),
    )


def _shuffled(amounts: list[Fraction]) -> st.SearchStrategy[list[Fraction]]:
    return st.one_of(st.just(amounts), st.permutations(amounts))


@st.composite
def tables(draw: st.DrawFn, network: Network) -> PathTable:
    """Draw a routing table: up to three walks of every pair, which may cross a channel twice."""
    found = {}
    for source in network.sources.tolist():
        for destination in network.destinations.tolist():
            walks = [draw(_walks(network, source, destination)) for _ in range(3)]
            shares = draw(st.sampled_from(SHARES))
            paths: dict[Path, Fraction] = {}
            for walk, share in zip(walks, shares, strict=False):
                paths[walk] = paths.get(walk, Fraction(0)) + share
            found[source, destination] = paths
    return PathTable("drawn", found)


SHARES = (
    (Fraction(1),),
    (Fraction(1, 3), Fraction(2, 3)),
    (Fraction(1, 2), Fraction(1, 7), Fraction(5, 14)),
)


@st.composite
def _walks(draw: st.DrawFn, network: Network, source: int, destination: int) -> Path:
    """Draw a few steps anywhere, and then the nearest way on."""
    node, walk = source, []
    for _ in range(draw(st.integers(0, 2))):
        walk.append(draw(st.sampled_from(_out(network, node))))
        node = int(network.head[walk[-1]])
    while node != destination:
        left = _hops_to(network, destination)
        nearer = [c for c in _out(network, node) if left[int(network.head[c])] < left[node]]
        walk.append(draw(st.sampled_from(nearer)))
        node = int(network.head[walk[-1]])
    return tuple(walk)


def _hops_to(network: Network, destination: int) -> dict[int, int]:
    """Return how far every node is from a destination (hops)."""
    hops, reached = {destination: 0}, [destination]
    for node in reached:
        for tail, head in zip(network.tail.tolist(), network.head.tolist(), strict=True):
            if head == node and tail not in hops:
                hops[tail] = hops[node] + 1
                reached.append(tail)
    return hops


def _out(network: Network, node: int) -> list[int]:
    return [c for c, tail in enumerate(network.tail.tolist()) if tail == node]


@st.composite
def demands(draw: st.DrawFn, network: Network) -> list[list[Fraction]]:
    """Draw what every source sends to every destination."""
    amount = st.sampled_from([Fraction(0), Fraction(0), Fraction(1), Fraction(2, 3), Fraction(5)])
    return [[draw(amount) for _ in network.destinations] for _ in network.sources]
