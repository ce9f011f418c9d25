"""Cheapest paths where a channel costs the inverse of its bandwidth, as link-state routers do."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.hop_by_hop import paths_by_next_hops
from obroute.routing.registry import routings


@routings.register(
    "inverse_capacity",
    "paths cheapest by the inverse of bandwidths, split evenly hop by hop (OSPF's usual weights)",
    defined_for="every network",
    examples=("inverse_capacity",),
    small=("inverse_capacity",),
)
class InverseCapacity(Routing):
    """Cheapest paths by weights inverse to bandwidth; each node splits evenly (OSPF, IS-IS).

    With all bandwidths alike it is ``ecmp:split=hops``.

    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:3x3")
    >>> [str(p) for p, _ in make_routing("inverse_capacity").paths(torus, 0, 4)]
    ['1/2', '1/2']
    """

    respects_automorphisms = True

    def _towards(self, network: Network, destination: int) -> _Cheapest:
        return self.remember(network, destination, lambda: _Cheapest(network, destination))

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield every cheapest path; each node divides by the number of its next hops."""
        onwards = self._towards(network, destination).onwards

        def next_hops(node: int, path: Path) -> Iterator[tuple[int, Fraction]]:
            share = Fraction(1, len(onwards[node]))
            return ((channel, share) for channel in onwards[node])

        yield from paths_by_next_hops(network, source, destination, next_hops)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return exact loads, by pushing each pair's unit of flow along."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[Fraction] = []
        for row, (source, destination) in enumerate(
            zip(np.asarray(sources).tolist(), np.asarray(destinations).tolist(), strict=True)
        ):
            flow = self._towards(network, destination).flow(network, source)
            rows += [row] * len(flow)
            columns += flow
            values += flow.values()
        return matrix_of_quotients(
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            Quotients.from_fractions(values),
            (len(sources), network.channel_count),
        )

    def symmetries(self, network: Network) -> Generators:
        """Return all: an automorphism keeps bandwidths."""
        return network.automorphisms()


class _Cheapest:
    """The channels of each node that are on cheapest paths to a destination."""

    def __init__(self, network: Network, destination: int) -> None:
        numerators = [int(one) for one in network.bandwidth.numerators]
        common = math.lcm(*numerators)
        prices = [common // one for one in numerators]
        channels, starts = network.in_channels
        cost = {destination: 0}
        self.order: list[int] = []
        waiting = [(0, destination)]
        while waiting:
            here, node = heapq.heappop(waiting)
            if here > cost[node]:
                continue
            self.order.append(node)
            for channel in channels[starts[node] : starts[node + 1]].tolist():
                before, there = int(network.tail[channel]), here + prices[channel]
                if before not in cost or there < cost[before]:
                    cost[before] = there
                    heapq.heappush(waiting, (there, before))
        self.onwards: dict[int, list[int]] = {node: [] for node in cost}
        for channel, (tail, head) in enumerate(
            zip(network.tail.tolist(), network.head.tolist(), strict=True)
        ):
            if head in cost and cost[tail] == cost[head] + prices[channel]:
                self.onwards[tail].append(channel)

    def flow(self, network: Network, source: int) -> dict[int, Fraction]:
        """Return the load of each channel by a packet of a source: the farthest nodes first."""
        found: dict[int, Fraction] = {}
        at = {source: Fraction(1)}
        for node in reversed(self.order):
            amount = at.pop(node, None)
            if amount is None:
                continue
            for channel in self.onwards[node]:
                share = amount / len(self.onwards[node])
                found[channel] = share
                head = int(network.head[channel])
                at[head] = at.get(head, Fraction(0)) + share
        return found
