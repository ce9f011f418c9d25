"""What full traffic puts on channels through random intermediates, rounded up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
        sent = network.injection.over(ends.denominator)
        self.step = int(np.gcd.reduce(sent)) if ends.finest else 1
        self.steps = int(ends.demand.sum()) // self.step
        self.of_hosts = hangs[network.tail] | hangs[network.head]
        sums_are_exact = not base.rounding.margin and self.of_hosts[base.alone().channels].all()
        exact = base.rounding.units * self.steps**2 if sums_are_exact else None
        given = base.rounding.excess(base.ends.largest) / base.rounding.units
        super().__init__(ends, ends.rounding(exact, given / ends.largest + FLOAT_MARGIN))
        self.base = base
        node = np.where(hangs[network.tail], network.tail, network.head)
        self.of_host = np.where(self.of_hosts, sent[network.source_index[node]] // self.step, 0)

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
        """Sum the loads of each channel under uniform traffic, twice.

        In steps that all terminals are made of, and exactly where the base's loads are exact.
        """
        kind = np.float64 if self.rounding.margin else np.int64
        hosts = channels[self.of_hosts[channels]]
        if hosts.size:
            scale = self.base.rounding.units * self.steps
            yield self._block(hosts, self.of_host[hosts].astype(kind) * scale)
        ends, alone = self.base.ends, self.base.alone()
        rest = channels[~self.of_hosts[channels]]
        places = alone.places(rest)
        known = np.flatnonzero(places >= 0)
        if known.size:
            steps = alone.uniform.to_float()[places[known]] * ends.denominator / self.step
            yield self._block(rest[known], 2 * steps * self.base.rounding.units * self.steps)
        supply, demand = ((part // self.step).astype(kind) for part in (ends.supply, ends.demand))
        for block in self.base.blocks(rest[places < 0]):
            last = int(block.starts[-1])
            products = (
                block.weights[:last] * supply[block.rows[:last]] * demand[block.columns[:last]]
            )
            sums = np.add.reduceat(np.append(products, kind(0)), block.starts[:-1])
            sums[np.diff(block.starts) == 0] = 0
            yield self._block(block.channels, 2 * sums)

    def _block(self, channels: IntArray, sums: NDArray[Any]) -> LoadBlock:
        """Return the load of each channel by each unit that is sent, rounded up.

        ``sums`` are in units of the base, of all pairs of steps.
        """
        if self.rounding.margin:
            nearly = sums * (self.rounding.units / self.base.rounding.units / self.steps**2)
            sums = np.ceil(nearly * (1 + FLOAT_MARGIN)).astype(np.int64)
        count = len(channels)
        zeros = np.zeros(count, dtype=np.int32)
        return LoadBlock(channels, np.arange(count + 1), zeros, zeros, sums)
