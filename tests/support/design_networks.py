"""Small networks of every kind to design for, and what the twin sees of them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from tests.support.design_twin import Graph

from obroute import Network, make_network
from obroute.rational import RationalArray

# (tail, head, bandwidth): one-way channels, two in parallel, no symmetry.
LOPSIDED = [
    (0, 1, "1"),
    (1, 2, "2"),
    (2, 0, "3/2"),
    (2, 3, "1"),
    (3, 4, "1/2"),
    (4, 0, "2"),
    (0, 3, "1"),
    (3, 1, "1"),
    (1, 0, "1/2"),
    (1, 0, "1"),
    (4, 2, "1"),
]
# Hosts 0, 1, 2 and switches 3 to 6; the channels between 3 and 5 are parallel in one direction.
FABRIC = [
    (0, 3, "2"),
    (3, 0, "2"),
    (1, 3, "1"),
    (3, 1, "1"),
    (2, 4, "3/2"),
    (4, 2, "3/2"),
    (3, 5, "1"),
    (3, 5, "1/2"),
    (5, 3, "1"),
    (3, 6, "2"),
    (6, 3, "2"),
    (4, 5, "1"),
    (5, 4, "1"),
    (4, 6, "1"),
    (6, 4, "1"),
]


@cache
def network_of(name: str) -> Network:
    """Make a network, each once."""
    if name == "lopsided":
        return _network(name, LOPSIDED, 5)
    if name == "fabric":
        return _network(name, FABRIC, 7, {0: 2, 1: 1, 2: 1}, {0: 1, 1: 1, 2: 2})
    return make_network(name)


def _network(
    name: str,
    channels: list[tuple[int, int, str]],
    nodes: int,
    injection: dict[int, int] | None = None,
    ejection: dict[int, int] | None = None,
) -> Network:
    tail, head, bandwidth = zip(*channels, strict=True)
    amounts = RationalArray.from_fractions([Fraction(b) for b in bandwidth])
    if injection is None or ejection is None:
        return Network(name, nodes, tail, head, amounts)
    return Network(
        name,
        nodes,
        tail,
        head,
        amounts,
        sources=list(injection),
        injection=RationalArray.from_fractions([Fraction(a) for a in injection.values()]),
        destinations=list(ejection),
        ejection=RationalArray.from_fractions([Fraction(a) for a in ejection.values()]),
    )


@cache
def graph_of(name: str) -> Graph:
    """Give a network to the twin, each once."""
    return as_graph(network_of(name))


def as_graph(network: Network) -> Graph:
    """Give any network to the twin."""
    channels = zip(
        network.tail.tolist(), network.head.tolist(), network.bandwidth.fractions(), strict=True
    )
    return Graph(
        network.node_count,
        tuple(channels),
        dict(zip(network.sources.tolist(), network.injection.fractions(), strict=True)),
        dict(zip(network.destinations.tolist(), network.ejection.fractions(), strict=True)),
    )
