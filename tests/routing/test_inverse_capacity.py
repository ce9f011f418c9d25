"""Weights inverse to bandwidth: held against networkx, and against hops where all are alike."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import networkx as nx

from obroute import make_network, make_routing
from obroute.routing import path_distribution

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_paths_are_those_of_networkx() -> None:
    """Of every pair of Abilene, by weights of 1 and 4."""
    network, routing = (
        make_network(str(EXAMPLES / "abilene.xml")),
        make_routing("inverse_capacity"),
    )
    graph = nx.DiGraph()
    for channel in range(network.channel_count):
        weight = int(Fraction(9920) / network.bandwidth.fraction(channel))
        graph.add_edge(int(network.tail[channel]), int(network.head[channel]), weight=weight)
    for source in network.sources.tolist():
        for destination in network.destinations.tolist():
            if source == destination:
                continue
            found = {
                (source, *(int(network.head[c]) for c in path))
                for path in path_distribution(routing, network, source, destination)
            }
            listed = nx.all_shortest_paths(graph, source, destination, weight="weight")
            assert found == {tuple(path) for path in listed}


def test_with_bandwidths_alike_it_splits_hop_by_hop() -> None:
    """As ECMP of switches does."""
    torus = make_network("torus:3x4,bandwidth=5/2")
    for channel in range(4):
        found = make_routing("inverse_capacity").pair_loads(torus, channel)
        assert found.equals(make_routing("ecmp:split=hops").pair_loads(torus, channel))
