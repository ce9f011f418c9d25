"""Pair loads of all channels in one list, sorted by channel: of tables, and of listed paths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from obroute.network import Network
from obroute.quotients import Quotients, is_narrow
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.ranges import ranges
from obroute.routing.rounded_loads import Ends, LoadBlock, RoundedLoads, rounded_up

AT_ONCE = 2**18
"""Loads of a block at the most, unless one channel has more."""


class ListedLoads(RoundedLoads):
    """Loads that are held: which channel, source and destination, and how much.

    Parameters
    ----------
    network
        The network.
    loads
        Of each channel by each pair, channels × pairs. A pair is the position of its source times
        the number of destinations, plus the position of its destination.
    largest
        No load is more.
    """

    def __init__(self, network: Network, loads: SparseRationalMatrix, largest: int) -> None:
        self.shape = len(network.sources), len(network.destinations)
        self.loads, self.starts = loads, loads.row_pointers()
        ends = Ends.apart(network, largest)
        wide = isinstance(loads.values, Quotients)
        super().__init__(ends, ends.rounding(None if wide else loads.values.denominator))

    @cached_property
    def weights(self) -> IntArray:
        """All loads in units, rounded up."""
        return rounded_up(self.loads.values, self.rounding)

    def exact(self, channel: int) -> SparseRationalMatrix:
        """Return the pair loads of a channel."""
        part = slice(int(self.starts[channel]), int(self.starts[channel + 1]))
        rows, columns = np.divmod(self.loads.columns[part], self.shape[1])
        values = self.loads.values.take(part).reduced()
        if isinstance(values, Quotients) and is_narrow(values):
            values = RationalArray(values.numerators, values.denominator)
        return SparseRationalMatrix(rows, columns, values, self.shape)

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Cut them from the list."""
        lengths = np.diff(self.starts)[channels]
        ends = np.cumsum(lengths)
        first = 0
        while first < len(channels):
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
            some, counts = channels[first:last], lengths[first:last]
            starts = np.concatenate([[0], np.cumsum(counts)])
            _, taken = ranges(self.starts[some], counts)
            rows, columns = np.divmod(self.loads.columns[taken], self.shape[1])
            yield LoadBlock(
                some,
                starts,
                rows.astype(np.int32),
                columns.astype(np.int32),
                self.weights[taken],
            )
            first = last
