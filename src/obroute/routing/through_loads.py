"""What full traffic puts on channels through random intermediates, rounded up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing.rounded_loads import Ends, LoadBlock, RoundedLoads

FLOAT_MARGIN = 2.0**-40
"""Relative, more than a sum of products in floats is off."""


class ThroughLoads(RoundedLoads):
    """All terminals as one row and one column: all full traffic loads a channel alike.

    Parameters
    ----------
    network
        A network of which every terminal injects what it ejects (:meth:`fits`).
    base
        The rounded loads of the routing of both phases.
    hangs
        Which nodes are hosts, whose channels carry what they send or get.
    """

    def __init__(self, network: Network, base: RoundedLoads, hangs: NDArray[np.bool_]) -> None:
        every = np.zeros(len(network.sources), dtype=np.int64)
        ends = Ends.of(network, every, every, largest=2 * base.ends.largest)
        given = base.rounding.excess(base.ends.largest) / base.rounding.units
        super().__init__(ends, ends.rounding(None, given / ends.largest + FLOAT_MARGIN))
        self.base = base
        self.total = float(ends.demand.sum())
        node = np.where(hangs[network.tail], network.tail, network.head)
        self.of_hosts = hangs[network.tail] | hangs[network.head]
        sent = network.injection.over(ends.denominator).astype(np.float64)
        self.of_host = np.where(self.of_hosts, sent[network.source_index[node]], 0.0)

    @staticmethod
    def fits(network: Network) -> bool:
        """Say whether every terminal injects what it ejects."""
        return np.array_equal(network.sources, network.destinations) and (
            network.injection.fractions() == network.ejection.fractions()
        )

    @property
    def are_useful(self) -> bool:
        """Whether those of the base are, and sums of them."""
        return super().are_useful and self.base.are_useful

    def alike(self, channels: IntArray) -> IntArray:
        """Return what the base says: equal loads have equal sums."""
        return self.base.alike(channels)

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Sum the loads of each channel under uniform traffic, twice."""
        hosts = channels[self.of_hosts[channels]]
        if hosts.size:
            yield self._block(hosts, self.of_host[hosts] / self.total)
        ends = self.base.ends
        supply, demand = ends.supply.astype(np.float64), ends.demand.astype(np.float64)
        alone = self.base.alone()
        rest = channels[~self.of_hosts[channels]]
        places = alone.places(rest)
        known = np.flatnonzero(places >= 0)
        if known.size:
            uniform = alone.uniform.to_float()[places[known]] * ends.denominator
            yield self._block(rest[known], 2 * uniform / self.total)
        for block in self.base.blocks(rest[places < 0]):
            last = int(block.starts[-1])
            products = (
                block.weights[:last] * supply[block.rows[:last]] * demand[block.columns[:last]]
            )
            sums = np.add.reduceat(np.append(products, 0.0), block.starts[:-1])
            sums[np.diff(block.starts) == 0] = 0.0
            scale = self.base.rounding.units * self.total * self.total
            yield self._block(block.channels, 2 * sums / scale)

    def _block(self, channels: IntArray, loads: NDArray[np.float64]) -> LoadBlock:
        """Return the load of each channel by each unit that is sent, rounded up."""
        count = len(channels)
        weights = np.ceil(loads * self.rounding.units * (1 + FLOAT_MARGIN)).astype(np.int64)
        zeros = np.zeros(count, dtype=np.int32)
        return LoadBlock(channels, np.arange(count + 1), zeros, zeros, weights)
