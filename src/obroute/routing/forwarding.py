"""Destination-based tables: at each node, the channel that leads on to each destination.

What switches hold: one channel for each node and destination, wherever a packet comes from. The
packets to a destination follow a tree, and the pair loads of a channel are 1 for all that is
under it, so that nothing is listed pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network, Path
from obroute.quotients import Quotients
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.batches import BatchRouting
from obroute.routing.contract import PathBatch
from obroute.routing.core import Core, CoreLoads
from obroute.routing.forwarding_kernels import (
    find_trees,
    inner_table,
    tree_bounds,
    tree_loads,
)
from obroute.routing.ranges import ranges
from obroute.routing.rounded_loads import LoadBlock, RoundedLoads, Rounding
from obroute.specs import InputError

BYTES_A_NEXT_HOP = 24
"""Of each node and destination: the table, the ends of what is under it, and checks."""
SHORT = 2**15
"""Rows up to which their numbers are held in 16 bits."""


class ForwardingTable(BatchRouting):
    """A routing by the next channel of each node and destination.

    Parameters
    ----------
    name
        What to call it.
    nodes
        The nodes that have a row. A node with one channel out needs none.
    next_channel
        Array rows × destinations (in the order of the network's): the channel that a packet
        takes, -1 where none passes.

    Examples
    --------
    >>> from obroute import Network, evaluate
    >>> ring = Network("ring", 3, [0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2])
    >>> clockwise = ForwardingTable(
    ...     "clockwise", np.arange(3), np.array([[0] * 3, [1] * 3, [2] * 3])
    ... )
    >>> str(evaluate(ring, clockwise).worst_case_load)
    '2'
    """

    has_one_path = True

    def __init__(self, name: str, nodes: NDArray[Any], next_channel: NDArray[Any]) -> None:
        super().__init__()
        self.name = name
        self.nodes = np.asarray(nodes, dtype=np.int64)
        self.next_channel = np.asarray(next_channel)

    def check(self, network: Network) -> None:
        """Raise unless every packet gets to its destination, along channels of the network."""
        self._loads(network)

    def _next(self, network: Network, node: int, destination: int) -> int:
        """Return the channel that leads on from a node, -1 for none."""
        rows, only = self.remember(network, "rows", lambda: _rows_of(network, self.nodes))
        column = network.destination_index[destination]
        taken = int(self.next_channel[rows[node], column]) if rows[node] >= 0 else -1
        return int(only[node]) if taken < 0 else taken

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the one path."""
        path: list[int] = []
        node = source
        while node != destination:
            channel = self._next(network, node, destination)
            if channel < 0 or len(path) >= network.node_count:
                raise InputError(
                    f"{self.name}: no way from node {network.describe(source)} to node "
                    f"{network.describe(destination)}: "
                    + (
                        "it comes back to where it was"
                        if channel >= 0
                        else f"node {network.describe(node)} has no next channel"
                    )
                )
            path.append(channel)
            node = int(network.head[channel])
        yield Fraction(1), tuple(path)

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Return the paths of all pairs, hop after hop of all of them."""
        rows, only = self.remember(network, "rows", lambda: _rows_of(network, self.nodes))
        node, ends = np.array(sources, dtype=np.int64), np.asarray(destinations, dtype=np.int64)
        column = network.destination_index[ends]
        pair = np.flatnonzero(node != ends)  # those on their way
        pairs: list[IntArray] = []
        hops: list[IntArray] = []
        while pair.size:
            at, row = node[pair], rows[node[pair]]
            taken = np.where(row >= 0, self.next_channel[row, column[pair]], -1).astype(np.int64)
            taken = np.where(taken < 0, only[at], taken)
            if np.any(taken < 0) or len(hops) == network.node_count:
                lost = int(pair[np.argmin(taken)])
                next(self.paths(network, int(sources[lost]), int(ends[lost])))  # says why
            pairs.append(pair)
            hops.append(taken)
            node[pair] = network.head[taken]
            pair = pair[node[pair] != ends[pair]]
        of = np.concatenate([*pairs, np.zeros(0, dtype=np.int64)])
        starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(ends)))])
        in_order = np.argsort(of, kind="stable")
        channels = np.concatenate([*hops, np.zeros(0, dtype=np.int64)])[in_order]
        return PathBatch(starts.astype(np.int64), channels.astype(np.int32))

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the channels on the path of each pair."""
        batch = self.sample_paths(network, sources, destinations, np.random.default_rng(0))
        return SparseRationalMatrix.from_triplets(
            np.repeat(np.arange(len(batch)), batch.lengths),
            batch.channels.astype(np.int64),
            RationalArray.full(len(batch.channels), 1),
            (len(batch), network.channel_count),
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return 1 for each pair whose path crosses the channel."""
        found = self._loads(network).exact(channel)
        assert found is not None
        return found

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the loads of all channels from the trees of destinations."""
        return self._loads(network)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what the trees take: no load is held."""
        return BYTES_A_NEXT_HOP * float(len(self.nodes)) * len(network.destinations)

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops, from the depths in the trees."""
        return self._loads(network).mean_path_length(network)

    def longest_path(self, network: Network) -> int | None:
        """Return the hops of the deepest tree, and one to and one from a host."""
        loads = self._loads(network)
        return loads.deepest + (2 if loads.core.hanging.any() else 0)

    def _loads(self, network: Network) -> TreeLoads:
        return self.remember(network, "trees", lambda: TreeLoads(network, self))


def _rows_of(network: Network, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the row of each node, and its channel out if it has but one; -1 for none."""
    rows = np.full(network.node_count, -1, dtype=np.int64)
    rows[nodes] = np.arange(len(nodes))
    channels, starts = network.out_channels
    only = np.full(network.node_count, -1, dtype=np.int64)
    alone = np.flatnonzero(np.diff(starts) == 1)
    only[alone] = channels[starts[alone]]
    return rows, only


class TreeLoads(CoreLoads):
    """Pair loads of a destination-based table: all are 0 or 1."""

    def __init__(self, network: Network, table: ForwardingTable) -> None:
        self.core = core = Core(network, merge_destinations=False)
        super().__init__(core.ends, Rounding(1))
        self.next_channel = self._inner(network, table)
        self.rows = len(core.row_nodes)
        self.row_of = np.full(len(core.nodes), -1, dtype=np.int32)
        self.row_of[core.row_nodes] = np.arange(self.rows)
        nodes, destinations = self.next_channel.shape
        small = np.int16 if self.rows < SHORT else np.int32
        self.below = np.empty((destinations, self.rows), dtype=small)
        self.low = np.zeros((nodes, destinations), dtype=small)
        self.high = np.zeros((nodes, destinations), dtype=small)
        self.hops = np.zeros(destinations, dtype=np.int64)
        row, column, self.deepest = find_trees(
            self.next_channel,
            core.head,
            core.column_nodes,
            self.row_of,
            self.below,
            self.low,
            self.high,
            core.ends.supply,
            self.hops,
        )
        if row >= 0:
            source = int(network.sources[np.argmax(core.ends.row == row)])
            next(table.paths(network, source, int(network.destinations[column])))

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Make the loads of the given channels, tail after tail."""
        tails = self.core.tail[self.core.position[channels]]
        return super().blocks(channels[np.argsort(tails, kind="stable")])

    def fill(self, channels: IntArray, *written: NDArray[Any]) -> int:
        """Write 1 for all that is under a channel in the trees that it is in."""
        done: int = tree_loads(
            channels,
            self.core.tail,
            self.next_channel,
            self.below,
            self.low,
            self.high,
            self.rows,
            *written,
        )
        return done

    def bounds_at_once(self, channels: IntArray) -> tuple[NDArray[np.int64], FloatArray]:
        """Return what all rows that reach a channel send, or all that take it receive."""
        bounds, uniform = np.empty(len(channels), dtype=np.int64), np.empty(len(channels))
        positions = self.core.position[channels]
        order = np.argsort(self.core.tail[positions], kind="stable")
        ends = self.core.ends
        tree_bounds(
            positions[order],
            self.core.tail,
            self.next_channel,
            self.below,
            self.low,
            self.high,
            ends.supply,
            ends.demand,
            ends.row_share,
            ends.column_share,
            bounds,
            uniform,
        )
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return bounds[place], uniform[place]

    def exact_in_core(self, channel: int) -> tuple[IntArray, IntArray, Quotients]:
        """Return the same; they are exact."""
        node = int(self.core.tail[channel])
        taken = np.flatnonzero(self.next_channel[node] == channel)
        low, high = (ends[node, taken].astype(np.int64) for ends in (self.low, self.high))
        which, places = ranges(low, high - low)
        column = taken[which]
        rows = self.below[column, places].astype(np.int64)
        ones = np.ones(len(rows), dtype=np.int64)
        return rows, column, Quotients(ones, ones)

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops under uniform traffic: those in the core, and to and from hosts."""
        _, shares = network.uniform_weight()
        inside = RationalArray(self.hops, self.core.ends.denominator).times(shares).sum()
        return (inside + self.core.alone.uniform.sum()) / network.total_injection

    def _inner(self, network: Network, table: ForwardingTable) -> NDArray[np.int32]:
        """Return the table of the nodes that are no hosts, by inner channels."""
        core = self.core
        if table.next_channel.shape[1] != len(network.destinations):
            raise InputError(
                f"{table.name}: a table for {table.next_channel.shape[1]} destinations; "
                f"{network.name} has {len(network.destinations)}"
            )
        rows, only = _rows_of(network, table.nodes)
        columns = len(network.destinations)
        inner = np.empty((len(core.nodes), columns), dtype=np.int32)
        wrong = inner_table(
            table.next_channel,
            rows[core.nodes],
            only[core.nodes],
            core.nodes,
            network.tail,
            core.position,
            inner,
        )
        if wrong >= 0:
            node = network.describe(int(core.nodes[wrong]))
            raise InputError(f"{table.name}: a next channel of node {node} does not leave it")
        self._check_last(network, table)
        inner[core.column_nodes, np.arange(columns)] = -1  # it has arrived
        return inner

    def _check_last(self, network: Network, table: ForwardingTable) -> None:
        """Raise unless the node that a host hangs on leads on to the host."""
        core = self.core
        rows, only = _rows_of(network, table.nodes)
        column = np.flatnonzero(core.hanging[network.destinations])
        hosts = network.destinations[column]
        homes = core.attached[hosts]
        last = np.where(rows[homes] >= 0, table.next_channel[rows[homes], column], -1)
        last = np.where(last < 0, only[homes], last)
        wrong = np.flatnonzero((last < 0) | (network.head[last] != hosts))
        if wrong.size:
            host = int(hosts[wrong[0]])
            others = network.sources[network.sources != host]
            if others.size:
                next(table.paths(network, int(others[0]), host))
