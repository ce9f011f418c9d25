"""Networks that nobody drew: one-way, parallel and unlike channels, hosts, terminals of units."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.networks import broken_torus, regular
from hypothesis import strategies as st

from obroute import Network
from obroute.rational import RationalArray

__all__ = ["broken_torus", "digraphs", "regular"]

BANDWIDTHS = st.sampled_from([Fraction(1), Fraction(1), Fraction(2), Fraction(3, 2)])
AMOUNTS = st.sampled_from([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3)])


@st.composite
def digraphs(draw: st.DrawFn, most_nodes: int = 6, most_hosts: int = 3) -> Network:
    """Draw a ring of one-way channels with more channels across, and hosts that hang on nodes.

    Some channels lead back, some are parallel; terminals are some nodes and every host, in any
    order, and those that send are not always those that receive.
    """
    nodes = draw(st.integers(2, most_nodes))
    hosts = draw(st.integers(0, most_hosts))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    channels = [(node, (node + 1) % nodes) for node in range(nodes)]
    channels += draw(st.lists(ends.filter(lambda e: e[0] != e[1]), max_size=2 * nodes))
    if draw(st.booleans()):
        channels += [(head, tail) for tail, head in channels]
    for host in range(nodes, nodes + hosts):
        switch = draw(st.integers(0, nodes - 1))
        channels += [(switch, host), (host, switch)]
    channels = draw(st.permutations(channels))
    widths = [draw(BANDWIDTHS) for _ in channels] if draw(st.booleans()) else [1] * len(channels)
    some = st.lists(st.integers(0, nodes + hosts - 1), min_size=1, unique=True)
    sources, destinations = draw(
        st.tuples(some, some | st.none())
        .map(lambda ends: (ends[0], ends[1] or ends[0]))
        .filter(lambda ends: len({*ends[0], *ends[1]}) > 1)
    )
    units = draw(st.booleans())
    tail, head = zip(*channels, strict=True)
    return Network(
        "drawn",
        nodes + hosts,
        list(tail),
        list(head),
        RationalArray.from_fractions(widths),
        sources=sources,
        injection=_amounts(draw, sources) if units else None,
        destinations=destinations,
        ejection=_amounts(draw, destinations) if units else None,
    )


def _amounts(draw: st.DrawFn, nodes: list[int]) -> RationalArray:
    return RationalArray.from_fractions([draw(AMOUNTS) for _ in nodes])
