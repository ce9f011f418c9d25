"""Minimal routing on dragonflies: at most a local, a global and a local hop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, concatenate
from obroute.routing.contract import Routing
from obroute.routing.minimal import Minimal, Split
from obroute.routing.rounded_loads import LoadsOfMatrices, RoundedLoads
from obroute.topologies.dragonfly import Dragonfly


@Minimal.way_of(Dragonfly, "dragonfly")
class MinimalOfDragonflies(Routing):
    """To a router with a cable to the destination's group, over it, and on (Kim et al. 2008).

    Within a group a packet takes the one local hop. Of several cables between two groups each is
    equally likely, unless ``split`` is ``hops`` or ``bandwidth``: a router then gives an equal
    share to each of its channels that lead there minimally. There may be other paths of as many
    hops, over the cables of a third group, that ``ecmp`` takes.

    >>> from obroute import evaluate
    >>> str(evaluate("dragonfly:p=2,a=4,h=2", "minimal").worst_case_load)
    '8'
    """

    def __init__(self, split: Split = "paths") -> None:
        super().__init__()
        self.split = split

    def _shares(self, network: Dragonfly) -> RationalArray:
        """Return the probability of each cable by router, group and round."""

        def find() -> RationalArray:
            shape = network.node_count, network.groups, network.rounds
            if self.split == "paths" or network.rounds == 1:
                return RationalArray(np.ones(shape, dtype=np.int64), network.rounds)
            owner = network.port_towards // network.ports_of_router
            of_group = np.repeat(owner, network.routers, axis=0)
            own = np.arange(network.node_count) % network.routers == of_group.T
            mine = own.T
            alike = (of_group[..., None] == of_group[..., None, :]).sum(axis=-1)
            others = np.zeros(shape[:2], dtype=np.int64)
            for round_ in range(network.rounds):  # the first cable of each other router
                before = of_group[..., :round_] == of_group[..., round_, None]
                others += ~mine[..., round_] & ~before.any(axis=-1)
            branches = mine.sum(axis=-1) + others
            parts = np.where(mine, branches[..., None], branches[..., None] * alike)
            common = math.lcm(*np.unique(parts).tolist())
            return RationalArray(common // parts, common)

        return self.remember(network, "shares", find)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for every cable between the groups."""
        assert isinstance(network, Dragonfly)
        s, d = np.array([source]), np.array([destination])
        for chance, hops in self._between(network, s, d):
            yield chance.fraction(0), tuple(int(hop[0]) for hop in hops if hop[0] >= 0)

    def _between(
        self, network: Dragonfly, sources: IntArray, destinations: IntArray
    ) -> Iterator[tuple[RationalArray, list[IntArray]]]:
        """Yield the paths of pairs that are all within groups, or all between groups.

        Each is probabilities and three hops; a hop that a pair does not take is -1.
        """
        here, there = sources // network.routers, destinations // network.routers
        if np.array_equal(here, there):
            one = RationalArray.full(len(sources), 1)
            yield one, [local_hop(network, sources, destinations)]
            return
        shares = self._shares(network)
        for round_ in range(network.rounds):
            cable = network.cables(here, there, round_)
            hops = [
                local_hop(network, sources, network.tail[cable]),
                cable,
                local_hop(network, network.head[cable], destinations),
            ]
            yield shares.take((sources, there, round_)), hops

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of all channels by given pairs, for all pairs at once."""
        assert isinstance(network, Dragonfly)
        s, d = np.asarray(sources), np.asarray(destinations)
        rows, columns, values = [], [], []
        within = s // network.routers == d // network.routers
        for where in (np.flatnonzero(within), np.flatnonzero(~within)):
            for chance, hops in self._between(network, s[where], d[where]):
                for hop in hops:
                    taken = np.flatnonzero(hop >= 0)
                    rows.append(where[taken])
                    columns.append(hop[taken])
                    values.append(chance.take(taken))
        return SparseRationalMatrix.from_triplets(
            np.concatenate(rows),
            np.concatenate(columns),
            concatenate(values),
            (len(s), network.channel_count),
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of one channel, from the cables of the groups at its ends."""
        assert isinstance(network, Dragonfly)
        shares, a = self._shares(network), network.routers
        tail, head = int(network.tail[channel]), int(network.head[channel])
        here, there = tail // a, head // a
        nodes = np.arange(network.node_count)
        shape = (network.node_count, network.node_count)
        if channel >= network.local_count:
            rows, columns = (
                part.ravel()
                for part in np.meshgrid(
                    nodes[here * a : here * a + a], nodes[there * a : there * a + a], indexing="ij"
                )
            )
            round_ = (channel - network.local_count) % network.ports_used // (network.groups - 1)
            values = shares.take((rows, there, round_))
            return SparseRationalMatrix.from_triplets(rows, columns, values.reduced(), shape)
        parts = [(np.array([tail]), np.array([head]), RationalArray.full(1, 1))]
        far = nodes[nodes // a != here]
        for round_ in range(network.rounds):
            out = far[network.tail[network.cables(here, far // a, round_)] == head]
            into = far[network.head[network.cables(far // a, here, round_)] == tail]
            parts.append((np.full(len(out), tail), out, shares.take((tail, out // a, round_))))
            parts.append((into, np.full(len(into), head), shares.take((into, here, round_))))
        rows, columns = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        values = concatenate([part[2] for part in parts])
        return SparseRationalMatrix.from_triplets(rows, columns, values.reduced(), shape)

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return loads over the denominator that the cables' shares have."""
        assert isinstance(network, Dragonfly)
        common = self._shares(network).denominator
        return LoadsOfMatrices(network, partial(self.pair_loads, network), 1, common)

    def symmetries(self, network: Network) -> Generators:
        """Return all: the step to the next group keeps what is a local and a global hop."""
        return network.automorphisms()

    def longest_path(self, network: Network) -> int:
        """Return two local hops and a global one, or fewer where a group has one router."""
        assert isinstance(network, Dragonfly)
        return 3 if network.routers > 1 else 1


def local_hop(network: Dragonfly, tails: IntArray, heads: IntArray) -> IntArray:
    """Return the channel between two routers of a group, -1 from a router to itself."""
    a = network.routers
    up = (heads % a - tails % a) % a
    return np.where(up > 0, tails * (a - 1) + up - 1, -1)
