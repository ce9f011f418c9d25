"""What the twin of the designer sees of a network."""

from __future__ import annotations

from functools import cache

from tests.support.cases import network_of
from tests.support.design_twin import Graph

from obroute import Network


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
