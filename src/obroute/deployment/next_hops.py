"""Local search among routings by destination: one next hop, or weights of several."""

from __future__ import annotations

import heapq

import numpy as np

from obroute.deployment.images import Images
from obroute.deployment.restrictions import Restriction
from obroute.deployment.search import Search
from obroute.network import Network
from obroute.rational import FloatArray, IntArray
from obroute.routing import Routing
from obroute.routing.weighted_hops import WeightedHops
from obroute.specs import InputError

Chosen = dict[int, IntArray]
Change = tuple[int, IntArray, FloatArray, list[int], FloatArray]


class NextHops(Search[Chosen, Change]):
    """The weights of channels for the first destination of each orbit, and the images."""

    def __init__(
        self, network: Network, restriction: Restriction, images: Images, seed: int
    ) -> None:
        super().__init__(network, restriction, images, seed)
        self.order = restriction.order(network)
        self.most = restriction.weight if restriction.kind == "wcmp" else 1
        self.weights: Chosen = {}
        order, starts = network.out_channels
        self.out = [order[starts[n] : starts[n + 1]] for n in range(network.node_count)]

    def begin(self, routing: Routing | None) -> None:
        """Take a routing, or a tree to each destination drawn at random."""
        for destination in self.images.first_destinations:
            node = int(self.network.destinations[destination])
            if isinstance(routing, WeightedHops):
                weights = np.zeros(self.network.channel_count, dtype=np.int64)
                weights[list(routing.weights[node])] = list(routing.weights[node].values())
            else:
                weights = self._tree(node)
            self.weights[destination] = weights
            loads = self._column(node, weights)
            assert loads is not None
            self.loads.set_column(destination, loads)
        self.loads.refresh(list(range(len(self.loads.first))))

    def _tree(self, destination: int) -> IntArray:
        """Return a tree of shortest paths; with an order, of paths whose numbers rise."""
        network, order = self.network, self.order
        channels, starts = network.in_channels
        weights = np.zeros(network.channel_count, dtype=np.int64)
        down = np.zeros(network.channel_count, dtype=np.bool_)
        if order is not None:
            down = order >= network.node_count
        reached = {destination}
        for wanted in [True, False] if order is not None else [None]:
            heap = [
                (hops, float(self.random.random()), channel, node)
                for node, hops in self._hops(reached, destination, weights)
                for channel in channels[starts[node] : starts[node + 1]].tolist()
                if wanted is None or down[channel] == wanted
            ]
            heapq.heapify(heap)
            while heap:
                hops, _, channel, _ = heapq.heappop(heap)
                node = int(network.tail[channel])
                if node in reached:
                    continue
                reached.add(node)
                weights[channel] = 1
                for further in channels[starts[node] : starts[node + 1]].tolist():
                    if wanted is None or down[further] == wanted:
                        drawn = float(self.random.random())
                        heapq.heappush(heap, (hops + 1, drawn, further, node))
        if not set(network.sources.tolist()) <= reached:
            raise InputError(
                f"{network.name} has no tree to node {network.describe(destination)} that is "
                f"allowed: {self.restriction}"
            )
        return weights

    def _hops(
        self, reached: set[int], destination: int, weights: IntArray
    ) -> list[tuple[int, int]]:
        """Return the nodes of a tree with their hops to the destination."""
        onto = {int(self.network.tail[c]): int(self.network.head[c]) for c in weights.nonzero()[0]}
        found = []
        for node in sorted(reached):
            hops, at = 0, node
            while at != destination:
                hops, at = hops + 1, onto[at]
            found.append((node, hops))
        return found

    def _column(self, destination: int, weights: IntArray) -> FloatArray | None:
        """Return the loads by all sources, channels × sources; None where they are not allowed."""
        network = self.network
        used = np.flatnonzero(weights)
        used = used[network.tail[used] != destination]
        entering = np.bincount(network.head[used], minlength=network.node_count)
        total = np.bincount(network.tail[used], weights[used], network.node_count)
        heads = network.head[used]
        if np.any((heads != destination) & (total[heads] == 0)):
            return None  # a packet would end where it has no next hop
        at = np.zeros((network.node_count, len(network.sources)))
        at[network.sources, np.arange(len(network.sources))] = 1
        loads = np.zeros((network.channel_count, len(network.sources)))
        ready = np.flatnonzero((entering == 0) & (total > 0)).tolist()
        falls = np.zeros(network.channel_count, dtype=np.int64)
        left = len(used)
        while ready:
            node = ready.pop()
            for channel in self.out[node].tolist():
                if not weights[channel]:
                    continue
                left -= 1
                onto = int(network.head[channel])
                loads[channel] = at[node] * (weights[channel] / total[node])
                at[onto] += loads[channel]
                entering[onto] -= 1
                if not entering[onto] and onto != destination:
                    ready.append(onto)
                if self.order is not None and not self._rises(channel, loads, falls):
                    return None
        return None if left else loads

    def _rises(self, channel: int, loads: FloatArray, falls: IntArray) -> bool:
        """Count how often the numbers fell on the way over a channel; say if it is allowed."""
        network, order = self.network, self.order
        assert order is not None
        assert self.restriction.most_falls is not None
        into, starts = network.in_channels
        node = int(network.tail[channel])
        before = into[starts[node] : starts[node + 1]]
        before = before[loads[before].any(axis=1)]
        if before.size and loads[channel].any():
            falls[channel] = (falls[before] + (order[before] > order[channel])).max()
        return int(falls[channel]) <= self.restriction.most_falls

    def move(self, channel: int, source: int, destination: int) -> Change | None:
        """Change the next hop of the pair, or its weights, at the channel or before it."""
        network, before = self.network, self.weights[destination]
        node = int(network.destinations[destination])
        there = network.tail[self.loads.pair_loads[:, source, destination] > 0]
        at = int(network.tail[channel])
        if self.random.random() < 0.5:
            at = int(self.random.choice(there))
        choices = self.out[at]
        if len(choices) < 2:
            return None
        weights = before.copy()
        chosen = int(self.random.choice(choices))
        if self.most == 1:
            weights[choices] = 0
            weights[chosen] = 1
        else:
            weights[chosen] = self.random.integers(self.most + 1)
        if not weights[choices].any() or np.array_equal(weights, before):
            return None
        loads = self._column(node, weights)
        if loads is None:
            return None
        old_loads = self.loads.pair_loads[:, :, destination].copy()
        orbits = self.loads.set_column(destination, loads)
        values = self.loads.values[orbits].copy()
        self.loads.refresh(orbits)
        self.weights[destination] = weights
        return destination, before, old_loads, orbits, values

    def undo(self, change: Change) -> None:
        """Put the former weights back."""
        destination, before, loads, orbits, values = change
        self.weights[destination] = before
        self.loads.set_column(destination, loads)
        self.loads.values[orbits] = values

    def keep(self) -> Chosen:
        """Return the weights."""
        return {destination: weights.copy() for destination, weights in self.weights.items()}

    def routing(self, kept: Chosen, name: str) -> Routing:
        """Return the weights and their images."""
        network, images = self.network, self.images
        found: dict[int, dict[int, int]] = {}
        for destination, weights in kept.items():
            node = int(network.destinations[destination])
            used = np.flatnonzero(weights)
            used = used[network.tail[used] != node]
            for element in range(len(images.nodes)):
                moved = images.channels[element, used].tolist()
                there = int(images.nodes[element, node])
                found[there] = dict(zip(moved, weights[used].tolist(), strict=True))
        return WeightedHops(name, found)
