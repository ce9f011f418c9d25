"""The cheapest path that a restriction allows, from a terminal to another."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from obroute.deployment.restrictions import Restriction, all_hops
from obroute.network import Network, Path
from obroute.rational import FloatArray


class _State(NamedTuple):
    """Where a packet is, and what matters of how it came there."""

    node: int
    anchor: int = -1
    """Where the present segment began."""
    segments: int = 0
    number: int = -1
    """Of the last channel."""
    falls: int = 0


class Ways:
    """The paths that a restriction allows in a network.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:6")
    >>> ways = Ways(ring, Restriction("segments", segments=1))
    >>> len(ways.cheapest(0, 2, np.ones(12))), ways.allows(0, (0, 2, 4, 6))
    (2, False)
    """

    def __init__(self, network: Network, restriction: Restriction) -> None:
        self.network = network
        order = restriction.order(network)
        self.order = None if order is None else order.tolist()
        self.most_falls = restriction.most_falls
        self.segments = restriction.segments if restriction.kind == "segments" else None
        self.distances = all_hops(network).tolist() if self.segments is not None else []
        self.head = network.head.tolist()
        order_of_tails, starts = network.out_channels
        out, begins = order_of_tails.tolist(), starts.tolist()
        self.out = [out[begins[n] : begins[n + 1]] for n in range(network.node_count)]

    def start(self, node: int) -> _State:
        """Return the state of a packet that is injected."""
        return _State(node, node if self.segments is not None else -1)

    def step(self, state: _State, channel: int) -> _State | None:
        """Return the state after a channel, None where it is not allowed."""
        node, anchor, segments, number, falls = state
        onto = self.head[channel]
        if self.segments is not None:
            hops = self.distances[anchor]
            if hops[onto] != hops[node] + 1:
                anchor, segments = node, segments + 1
                if segments >= self.segments:
                    return None
        if self.order is not None:
            assert self.most_falls is not None
            falls += self.order[channel] < number
            number = self.order[channel]
            if falls > self.most_falls:
                return None
        return _State(onto, anchor, segments, number, falls)

    def allows(self, source: int, path: Path) -> bool:
        """Say whether a path from a source is allowed."""
        state: _State | None = self.start(source)
        for channel in path:
            assert state is not None
            state = self.step(state, channel)
            if state is None:
                return False
        return True

    def cheapest(self, source: int, destination: int, cost: FloatArray) -> Path | None:
        """Return the allowed path of the least cost, None where there is none.

        Costs of channels are positive, or infinite where they must not be taken. The path comes
        to no node twice: what a loop is cut out of is allowed as before.
        """
        costs = cost.tolist()
        first = self.start(source)
        best = {first: 0.0}
        came: dict[_State, tuple[_State, int]] = {}
        heap: list[tuple[float, _State]] = [(0.0, first)]
        while heap:
            spent, state = heapq.heappop(heap)
            if spent > best[state]:
                continue
            if state.node == destination:
                return self._traced(first, state, came)
            for channel in self.out[state.node]:
                then = spent + costs[channel]
                if then == np.inf:
                    continue
                onto = self.step(state, channel)
                if onto is not None and then < best.get(onto, np.inf):
                    best[onto] = then
                    came[onto] = state, channel
                    heapq.heappush(heap, (then, onto))
        return None

    def _traced(
        self, first: _State, state: _State, came: dict[_State, tuple[_State, int]]
    ) -> Path:
        path: list[int] = []
        while state != first:
            state, channel = came[state]
            path.append(channel)
        return without_loops(self.network, path[::-1])

    def simple_paths(self, source: int, destination: int) -> Iterator[Path]:
        """Yield every allowed path that comes to no node twice."""
        stack: list[tuple[_State, Path, frozenset[int]]] = [
            (self.start(source), (), frozenset([source]))
        ]
        while stack:
            state, path, seen = stack.pop()
            if state.node == destination:
                yield path
                continue
            for channel in self.out[state.node]:
                if self.head[channel] not in seen:
                    onto = self.step(state, channel)
                    if onto is not None:
                        stack.append((onto, (*path, channel), seen | {onto.node}))


def without_loops(network: Network, path: list[int]) -> Path:
    """Return a path without what leads back to a node that it was at."""
    if not path:
        return ()
    nodes = [int(network.tail[path[0]])]
    kept: list[int] = []
    for channel in path:
        node = int(network.head[channel])
        if node in nodes:
            place = nodes.index(node)
            del nodes[place + 1 :], kept[place:]
        else:
            nodes.append(node)
            kept.append(channel)
    return tuple(kept)
