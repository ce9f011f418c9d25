"""The core of a network: what is left without hosts, and the pair loads that it has.

A host has one channel each way, to one node that has more: it hangs on that node. What it sends
and receives is that node's, and what its own channels carry needs no matching, so that a fabric
of thousands of hosts is as small as its switches.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import (
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    multiply_integers,
)
from obroute.routing.ranges import ranges
from obroute.routing.rounded_loads import LEAST_ENTRIES, Alone, Ends, LoadBlock, RoundedLoads


class Core:
    """The nodes of a network that are no hosts, and the channels between them.

    Parameters
    ----------
    network
        The network.
    merge_destinations
        Whether all that hang on one node are one column, and not only one row.

    Attributes
    ----------
    nodes, channels
        What is in it; ``place`` and ``position`` are where each node and channel of the network
        is in them, -1 where it is not.
    tail, head
        Of each channel, by place.
    attached
        The node that each node hangs on, or itself.
    leaving, entering
        A channel out of and into each node: the only one of a host; -1 where there is none.
    row_nodes, column_nodes
        The place of the node of each row and column.
    """

    def __init__(self, network: Network, *, merge_destinations: bool) -> None:
        self.attached = attached_to(network)
        self.nodes = np.unique(self.attached)
        self.place = _places(self.nodes, network.node_count)
        self.hanging = self.attached != np.arange(network.node_count)
        inner = ~(self.hanging[network.tail] | self.hanging[network.head])
        self.channels = np.flatnonzero(inner)
        self.position = _places(self.channels, network.channel_count)
        self.tail = self.place[network.tail[inner]].astype(np.int32)
        self.head = self.place[network.head[inner]].astype(np.int32)
        home = self.place[self.attached]
        self.row_nodes, row = np.unique(home[network.sources], return_inverse=True)
        self.column_nodes, column = np.unique(home[network.destinations], return_inverse=True)
        if not merge_destinations:
            self.column_nodes = home[network.destinations]
            column = np.arange(len(self.column_nodes))
        self.ends = Ends.of(network, row, column)
        self.alone = _alone(network, self.hanging, self.ends)
        self._network_ends = network.tail, network.head
        self.leaving = np.full(network.node_count, -1, dtype=np.int64)
        self.leaving[network.tail] = np.arange(network.channel_count)
        self.entering = np.full(network.node_count, -1, dtype=np.int64)
        self.entering[network.head] = np.arange(network.channel_count)
        self._index = network.source_index, network.destination_index

    def loads_of_host(self, channel: int) -> SparseRationalMatrix:
        """Return the loads of a host's channel: all that it sends to others, or gets from them."""
        tails, heads = self._network_ends
        leaves = bool(self.hanging[tails[channel]])
        host = int(tails[channel] if leaves else heads[channel])
        row, column = (int(index[host]) for index in self._index)
        rows, columns = shape = len(self.ends.row), len(self.ends.column)
        if (row if leaves else column) < 0:
            return SparseRationalMatrix.zero(shape)
        sources = np.full(columns, row) if leaves else np.arange(rows)
        destinations = np.arange(columns) if leaves else np.full(rows, column)
        others = destinations != column if leaves else sources != row
        ones = RationalArray.full(int(others.sum()), 1)
        return SparseRationalMatrix(sources[others], destinations[others], ones, shape)

    def spread(
        self, rows: IntArray, columns: IntArray, quotients: Quotients
    ) -> SparseRationalMatrix:
        """Give the load of a row and a column to each of their sources and destinations."""
        sources, source_starts = _members(self.ends.row)
        destinations, destination_starts = _members(self.ends.column)
        of_row, of_column = np.diff(source_starts)[rows], np.diff(destination_starts)[columns]
        count = of_row * of_column
        entry, within = ranges(np.zeros_like(count), count)
        first, second = np.divmod(within, of_column[entry])
        return matrix_of_quotients(
            sources[source_starts[rows[entry]] + first],
            destinations[destination_starts[columns[entry]] + second],
            quotients.take(entry),
            (len(self.ends.row), len(self.ends.column)),
        )


class CoreLoads(RoundedLoads):
    """Rounded loads of the channels of a core, made by compiled code when they are wanted."""

    core: Core

    def alone(self) -> Alone:
        """Return the channels of hosts: what a host may send to others, or get from them."""
        return self.core.alone

    @abstractmethod
    def fill(
        self,
        channels: IntArray,
        starts: IntArray,
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        weights: IntArray,
    ) -> int:
        """Write the loads of channels, by position, and return how many had room."""

    @abstractmethod
    def exact_in_core(self, channel: int) -> tuple[IntArray, IntArray, Quotients] | None:
        """Return rows, columns and exact loads of a channel; None where they are not known."""

    def exact(self, channel: int) -> SparseRationalMatrix | None:
        """Return the exact pair loads of a channel, None where they are not known."""
        position = int(self.core.position[channel])
        if position < 0:
            return self.core.loads_of_host(channel)
        found = self.exact_in_core(position)
        return None if found is None else self.core.spread(*found)

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Make the loads of the given channels."""
        room, first = LEAST_ENTRIES, 0
        wanted = self.core.position[channels]
        rows = columns = np.zeros(0, dtype=np.int32)
        weights = np.zeros(0, dtype=np.int64)
        while first < len(wanted):
            if len(rows) < room:
                rows, columns = np.empty(room, np.int32), np.empty(room, np.int32)
                weights = np.empty(room, np.int64)
            starts = np.zeros(len(wanted) - first + 1, dtype=np.int64)
            done = self.fill(wanted[first:], starts, rows, columns, weights)
            if done == 0:
                room *= 2
                continue
            yield LoadBlock(
                channels[first : first + done], starts[: done + 1], rows, columns, weights
            )
            first += done


def attached_to(network: Network) -> IntArray:
    """Return the node that each node hangs on, or itself."""
    nodes = network.node_count
    attached = np.arange(nodes)
    leaving = np.bincount(network.tail, minlength=nodes)
    entering = np.bincount(network.head, minlength=nodes)
    next_node, last_node = np.full(nodes, -1), np.full(nodes, -1)
    next_node[network.tail] = network.head
    last_node[network.head] = network.tail
    few = (leaving <= 1) & (entering <= 1) & (leaving + entering > 0)
    switch = np.where(leaving > 0, next_node, last_node)
    same = (leaving == 0) | (entering == 0) | (next_node == last_node)
    terminal = (network.source_index >= 0) | (network.destination_index >= 0)
    hangs = few & same & terminal & ~few[switch]
    attached[hangs] = switch[hangs]
    return attached


def has_hosts(network: Network) -> bool:
    """Say whether any node hangs on another, so that the core is smaller than the network."""
    return bool((attached_to(network) != np.arange(network.node_count)).any())


def _places(kept: IntArray, count: int) -> IntArray:
    places = np.full(count, -1, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    return places


def _members(of: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(of, kind="stable")
    return order, np.searchsorted(of[order], np.arange(int(of.max()) + 2))


def _alone(network: Network, hanging: NDArray[np.bool_], ends: Ends) -> Alone:
    leaves, enters = hanging[network.tail], hanging[network.head]
    channels = np.flatnonzero(leaves | enters)
    sent, received = (
        _by_node(amounts.over(ends.denominator), nodes, network.node_count)
        for amounts, nodes in (
            (network.injection, network.sources),
            (network.ejection, network.destinations),
        )
    )
    all_sent, all_received = sent.sum(), received.sum()
    node = np.where(leaves[channels], network.tail[channels], network.head[channels])
    outward = np.minimum(sent, all_received - received)[node]
    inward = np.minimum(received, all_sent - sent)[node]
    out = leaves[channels]
    sends = multiply_integers(sent[node], all_received - received[node])
    receives = multiply_integers(received[node], all_sent - sent[node])
    uniform = RationalArray(np.where(out, sends, receives), ends.denominator * int(all_received))
    loads = np.where(out, outward, inward)  # of wide numbers no sum fits: nothing is bounded
    widths = network.bandwidth.numerators
    least = int(widths.min())
    enough = max(
        (
            int(load) * least // int(width)
            for load, width in zip(loads, widths[channels], strict=True)
        ),
        default=-1,
    )
    return Alone(channels, loads, uniform, enough)


def _by_node(amounts: NDArray[Any], nodes: IntArray, count: int) -> NDArray[Any]:
    found = np.zeros(count, dtype=amounts.dtype)
    found[nodes] = amounts
    return found
