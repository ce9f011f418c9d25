"""Exact answers on any small network, worked out plainly: from a network and paths alone.

Loads are sums over paths, the worst case is over every permutation of units of terminals, and
nothing is shared with the package, which only says what the network and the paths are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from tests.support import reference
from tests.support.design_graphs import as_graph
from tests.support.design_twin import Graph, Pair, Path, Traffic, uniform_traffic

from obroute import Network, Routing

MOST_UNITS = 6
"""Units of all terminals up to which every permutation of them is tried."""


@dataclass(frozen=True)
class Answers:
    """What a routing does on a network.

    Parameters
    ----------
    graph
        The network.
    paths
        The probability of each path of each pair of a source and a destination.
    """

    graph: Graph
    paths: Mapping[Pair, Mapping[Path, Fraction]]

    @classmethod
    def of(cls, network: Network, routing: Routing) -> Answers:
        """Take the paths that a routing gives."""
        graph = as_graph(network)
        paths: dict[Pair, dict[Path, Fraction]] = {}
        for source in graph.injection:
            for destination in graph.ejection:
                found = paths.setdefault((source, destination), {})
                for probability, path in routing.paths(network, source, destination):
                    found[path] = found.get(path, Fraction(0)) + probability
        return cls(graph, paths)

    def crossings(self, channel: int) -> list[list[Fraction]]:
        """Return how often a packet of each pair crosses a channel, on average."""
        return [
            [
                sum(
                    (p * path.count(channel) for path, p in self.paths[s, d].items()),
                    start=Fraction(0),
                )
                for d in self.graph.ejection
            ]
            for s in self.graph.injection
        ]

    def load(self, traffic: Traffic) -> Fraction:
        """Return the largest load of a channel over its bandwidth."""
        largest = Fraction(0)
        for channel, (_, _, bandwidth) in enumerate(self.graph.channels):
            total = sum(
                (
                    amount * probability * path.count(channel)
                    for pair, amount in traffic.items()
                    for path, probability in self.paths[pair].items()
                ),
                start=Fraction(0),
            )
            largest = max(largest, total / bandwidth)
        return largest

    @cached_property
    def uniform_load(self) -> Fraction:
        """The largest load of uniform traffic."""
        return self.load(uniform_traffic(self.graph))

    @cached_property
    def worst_case_load(self) -> Fraction:
        """The largest load of any traffic that terminals may inject and eject.

        Where these differ in all, some of them are idle.
        """
        unit = self.units[1]
        supply = [int(amount / unit) for amount in self.graph.injection.values()]
        demand = [int(amount / unit) for amount in self.graph.ejection.values()]
        idle = sum(demand) - sum(supply)
        supply, demand = [*supply, max(idle, 0)], [*demand, max(-idle, 0)]
        none = [Fraction(0)] * len(demand)
        return max(
            reference.expected_worst_case_transport(
                [*([*row, Fraction(0)] for row in self.crossings(channel)), none], supply, demand
            )
            * unit
            / bandwidth
            for channel, (_, _, bandwidth) in enumerate(self.graph.channels)
        )

    @cached_property
    def units(self) -> tuple[int, Fraction]:
        """How many equal units terminals have at the most, and what one is (packets per cycle)."""
        amounts = [*self.graph.injection.values(), *self.graph.ejection.values()]
        unit = Fraction(1, lcm(*(amount.denominator for amount in amounts)))
        most = max(sum(self.graph.injection.values()), sum(self.graph.ejection.values()))
        return int(most / unit), unit

    @cached_property
    def mean_path_length(self) -> Fraction:
        """Mean number of hops under uniform traffic."""
        total = sum(self.graph.injection.values())
        return sum(
            (
                amount / total * probability * len(path)
                for pair, amount in uniform_traffic(self.graph).items()
                for path, probability in self.paths[pair].items()
            ),
            start=Fraction(0),
        )

    def check_paths(self) -> None:
        """Assert that every path leads from its source to its destination, for sure."""
        for (source, destination), paths in self.paths.items():
            assert sum(paths.values()) == 1
            for path, probability in paths.items():
                assert probability > 0
                node = source
                for channel in path:
                    tail, head, _ = self.graph.channels[channel]
                    assert tail == node
                    node = head
                assert node == destination

    @property
    def is_small(self) -> bool:
        """Whether these take no time."""
        return self.units[0] <= MOST_UNITS and len(self.graph.channels) <= 40
