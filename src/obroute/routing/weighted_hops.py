"""Next hops by destination in ratios of whole numbers, as switches split that have weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from obroute.network import Network, Path
from obroute.quotients import Quotients
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.flow_table import FlowTable, unit_flows
from obroute.routing.hop_by_hop import paths_by_next_hops
from obroute.specs import InputError

Weights = Mapping[int, int]
"""Of channels, each above 0; the others have none."""


class WeightedHops(Routing):
    """A routing that splits at every node in ratios that depend on the destination alone.

    Parameters
    ----------
    name
        What to call it.
    weights
        For each destination (node) the weights of channels. At a node a packet takes one of the
        channels out in the ratio of their weights, until it is where it is to go.

    Examples
    --------
    >>> from obroute import Network, evaluate
    >>> ring = Network("ring", 3, [0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2])
    >>> both_ways = WeightedHops(
    ...     "2 to 1", {0: {3: 1, 2: 1}, 1: {0: 2, 5: 1, 4: 1}, 2: {1: 1, 5: 1}}
    ... )
    >>> [(str(share), path) for share, path in both_ways.paths(ring, 0, 1)]
    [('1/3', (5, 4)), ('2/3', (0,))]
    >>> str(evaluate(ring, both_ways).worst_case_load)
    '1'
    """

    def __init__(self, name: str, weights: Mapping[int, Weights]) -> None:
        super().__init__()
        self.name = name
        self.weights = weights

    def check(self, network: Network) -> None:
        """Raise unless every packet gets to its destination, and none comes back to a node."""
        self._table(network)

    def _shares(self, network: Network, destination: int) -> dict[int, list[tuple[int, Fraction]]]:
        """Return the channels out of each node, with their shares."""

        def make() -> dict[int, list[tuple[int, Fraction]]]:
            weights = self.weights.get(destination, {})
            total: dict[int, int] = {}
            for channel, weight in weights.items():
                if weight < 1:
                    raise InputError(
                        f"{self.name}: weight {weight} of {network.describe_channel(channel)}; "
                        "expected 1 or more"
                    )
                tail = int(network.tail[channel])
                total[tail] = total.get(tail, 0) + weight
            shares: dict[int, list[tuple[int, Fraction]]] = {}
            for channel, weight in sorted(weights.items()):
                tail = int(network.tail[channel])
                shares.setdefault(tail, []).append((channel, Fraction(weight, total[tail])))
            return shares

        return self.remember(network, ("shares", destination), make)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield every path with the product of its shares."""
        shares = self._shares(network, destination)

        def next_hops(node: int, path: Path) -> list[tuple[int, Fraction]]:
            if len(path) >= network.node_count or node not in shares:
                why = "comes back to where it was" if node in shares else "has no next hop"
                raise InputError(
                    f"{self.name}: no way from node {network.describe(source)} to node "
                    f"{network.describe(destination)}: at node {network.describe(node)} it {why}"
                )
            return shares[node]

        yield from paths_by_next_hops(network, source, destination, next_hops)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel, from what all pairs send over all channels."""
        return self._table(network).pair_loads(network, channel)

    def _table(self, network: Network) -> FlowTable:
        return self.remember(network, "flows", lambda: self._flows(network))

    def _flows(self, network: Network) -> FlowTable:
        pairs, channels, amounts = [], [], []
        for column, destination in enumerate(network.destinations.tolist()):
            order = self._order(network, destination)
            for row, source in enumerate(network.sources.tolist()):
                at = {source: Fraction(1)} if source != destination else {}
                for node, out in order:
                    if (here := at.get(node)) is None:
                        continue
                    for channel, share in out:
                        pairs.append(row * len(network.destinations) + column)
                        channels.append(channel)
                        amounts.append(here * share)
                        onto = int(network.head[channel])
                        at[onto] = at.get(onto, Fraction(0)) + here * share
        flows = unit_flows(
            network,
            np.array(pairs, dtype=np.int64),
            np.array(channels, dtype=np.int64),
            Quotients.from_fractions(amounts),
        )
        if flows is None:
            raise InputError(f"{self.name}: some packet has no next hop before it is at its end")
        return FlowTable(self.name, flows)

    def _order(
        self, network: Network, destination: int
    ) -> list[tuple[int, list[tuple[int, Fraction]]]]:
        """Return the nodes with their channels out, each before those that they lead to."""
        shares = {
            node: out
            for node, out in self._shares(network, destination).items()
            if node != destination
        }
        entering: dict[int, int] = {}
        for out in shares.values():
            for channel, _ in out:
                onto = int(network.head[channel])
                entering[onto] = entering.get(onto, 0) + 1
        ready = [node for node in shares if not entering.get(node)]
        order = []
        while ready:
            node = ready.pop()
            order.append((node, shares[node]))
            for channel, _ in shares[node]:
                onto = int(network.head[channel])
                entering[onto] -= 1
                if not entering[onto] and onto in shares:
                    ready.append(onto)
        if len(order) < len(shares):
            raise InputError(
                f"{self.name}: the next hops to node {network.describe(destination)} lead in a "
                "circle; expected none"
            )
        return order
