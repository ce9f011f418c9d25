"""Rounded pair loads of shortest-path routings: from distances and counts, channel by channel.

Nothing is held but hops, counts of paths and the order of the search from every node of the core;
the loads of a channel are made of them when they are wanted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.core import Core, CoreLoads
from obroute.routing.exact_path_kernels import exact_path_loads
from obroute.routing.rounded_loads import MARGIN, LoadBlock
from obroute.routing.searches import Graph, Search
from obroute.routing.shortest_path_kernels import (
    UNREACHED,
    denominators_present,
    path_loads,
    shares_towards,
    split_loads,
    uniform_loads,
)

LARGEST_EXACT = 2**53
"""Numbers of paths that floats hold exactly."""
LARGEST_LISTED = 2**20
"""Numbers of paths up to which it is looked whether a common denominator is small."""
LARGEST_COMMON = 2**40
PAIRS_AT_ONCE = 128
"""Pairs whose loads of all channels are found at a time."""


class ShortestPathLoads(CoreLoads):
    """Rounded loads of a shortest-path routing; ``split`` as the routing has it."""

    def __init__(self, network: Network, split: str) -> None:
        self.core = core = Core(network, merge_destinations=True)
        graph = Graph(core.tail, core.head, len(core.nodes))
        if split == "paths":
            self._made: _ByPaths | _BySplit = _ByPaths(graph, core)
        else:
            widths = network.bandwidth.numerators[core.channels]
            widths = np.ones(len(widths)) if split == "hops" else widths.astype(np.float64)
            self._made = _BySplit(graph, widths, core)
        super().__init__(core.ends, self._made.rounding)
        self.turns_back = (
            split == "paths"
            and np.array_equal(core.row_nodes, core.column_nodes)
            and np.array_equal(core.ends.supply, core.ends.demand)
            and graph.is_undirected()
        )

    def alike(self, channels: IntArray) -> IntArray:
        """Take parallel channels together, and channels there and back.

        Where all shortest paths are equally likely, what crosses u → v from s to d crosses v → u
        from d to s, if channels lead back everywhere and terminals receive what they send.
        """
        places = self.core.position[channels]
        if not (self.turns_back and len(self.core.channels)):
            return np.arange(len(channels))
        tail, head = (end[places].astype(np.int64) for end in (self.core.tail, self.core.head))
        ends = np.minimum(tail, head) * len(self.core.nodes) + np.maximum(tail, head)
        ends = np.where(places < 0, -1 - channels, ends)
        _, first, which = np.unique(ends, return_index=True, return_inverse=True)
        return np.asarray(first[which])

    def fill(self, channels: IntArray, *written: NDArray[Any]) -> int:
        """Make loads from hops and counts of paths."""
        return self._made.fill(channels, *written)

    def exact_in_core(self, channel: int) -> tuple[IntArray, IntArray, Quotients] | None:
        """Return exact loads where counts of paths are exact and shares products of them."""
        return self._made.exact(channel)

    def exact_each(self, channels: IntArray) -> dict[int, SparseRationalMatrix]:
        """Return the exact loads of those channels for which they are quickly known together.

        No terminal may share a row or a column with another.
        """
        made, core, ends = self._made, self.core, self.core.ends
        if isinstance(made, _BySplit) or not made.is_exact:
            return {}
        shape = len(ends.row), len(ends.column)
        sides = zip((ends.row, ends.column), shape, strict=True)
        if not all(np.array_equal(side, np.arange(count)) for side, count in sides):
            return {}
        known: dict[int, SparseRationalMatrix] = {}
        for block in self.blocks(channels[core.position[channels] >= 0]):
            found, denominators = made.exact_block(core.position[block.channels], block)
            for place, (channel, denominator) in enumerate(
                zip(block.channels.tolist(), denominators.tolist(), strict=True)
            ):
                part = found[:, block.starts[place] : block.starts[place + 1]]
                if denominator:
                    values = RationalArray(part[2], denominator)
                    known[channel] = SparseRationalMatrix(part[0], part[1], values, shape)
        return known

    def loads_by_pairs(
        self, sources: IntArray, destinations: IntArray, channels: int
    ) -> SparseRationalMatrix | None:
        """Return the loads of every channel by pairs of nodes, None where they are not known.

        ``channels`` is how many the network has.
        """
        made, core = self._made, self.core
        if isinstance(made, _BySplit) or not made.is_exact:
            return None
        blocks = [slice(at, at + PAIRS_AT_ONCE) for at in range(0, len(sources), PAIRS_AT_ONCE)]
        parts = [self._loads_by_some(made, sources[b], destinations[b]) for b in blocks]
        apart = np.flatnonzero(sources != destinations)
        rows, columns = [], []
        for nodes, host_channel in ((sources, core.leaving), (destinations, core.entering)):
            some = apart[core.hanging[nodes[apart]]]
            rows.append(some)
            columns.append(host_channel[nodes[some]])
        ones = np.ones(sum(map(len, rows)), dtype=np.int64)
        rows += [part[0] + block.start for part, block in zip(parts, blocks, strict=True)]
        columns += [core.channels[part[1]] for part in parts]
        shares = Quotients(
            np.concatenate([ones, *(part[2] for part in parts)]),
            np.concatenate([ones, *(part[3] for part in parts)]),
        )
        shape = (len(sources), channels)
        return matrix_of_quotients(np.concatenate(rows), np.concatenate(columns), shares, shape)

    def _loads_by_some(
        self, made: _ByPaths, sources: IntArray, destinations: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        core = self.core
        s, d = (core.place[core.attached[nodes]] for nodes in (sources, destinations))
        before = made.search.hops[s][:, core.tail].astype(np.int64)
        after = made.hops_to[d][:, core.head]
        on = np.nonzero(before + 1 + after == made.search.hops[s, d][:, None])
        tails, heads = core.tail[on[1]], core.head[on[1]]
        paths = made.counts[s[on[0]], tails].astype(np.int64)
        paths = paths * made.counts_to[d[on[0]], heads].astype(np.int64)
        return on[0], on[1], paths, made.counts[s, d][on[0]].astype(np.int64)


class _ByPaths:
    def __init__(self, graph: Graph, core: Core) -> None:
        self.graph, self.row_nodes = graph, core.row_nodes.astype(np.int32)
        self.column_nodes = core.column_nodes.astype(np.int32)
        self.search = Search.run(*graph.forwards())
        self.counts, most = self.search.counts(*graph.forwards())
        self.is_exact = most <= LARGEST_EXACT
        if graph.is_undirected():
            self.hops_to, self.counts_to = self.search.hops, self.counts
        else:
            self.hops_to = np.ascontiguousarray(self.search.hops.T)
            self.counts_to = np.ascontiguousarray(self.counts.T)
        self.column_of = np.full(graph.nodes, -1, dtype=np.int32)
        self.column_of[self.column_nodes] = np.arange(len(self.column_nodes))
        reach = self.search.hops[np.ix_(self.row_nodes, self.column_nodes)]
        self.farthest = reach.max(axis=1).astype(np.int64)
        common = (
            _common(self.counts, self.row_nodes, self.column_nodes)
            if most <= LARGEST_LISTED
            else None
        )
        # A float count is a sum over levels of sums over channels, each rounded.
        additions = int(self.farthest.max()) * (int(np.diff(graph.out_starts).max()) + 2)
        margin = MARGIN + (0.0 if self.is_exact else 2.0**-51 * additions)
        self.rounding = core.ends.rounding(common, margin)

    def exact(self, channel: int) -> tuple[IntArray, IntArray, Quotients] | None:
        """Return rows, columns and loads of a channel, None where counts are not exact."""
        if not self.is_exact:
            return None
        u, v = int(self.graph.tail[channel]), int(self.graph.head[channel])
        hops, nodes = self.search.hops, self.column_nodes
        rows = np.flatnonzero(
            self.hops_to[v][self.row_nodes] == self.hops_to[u][self.row_nodes] + 1
        )
        columns = np.flatnonzero(hops[u][nodes] == hops[v][nodes] + 1)
        sources, ends = self.row_nodes[rows], nodes[columns]
        away = self.hops_to[v][sources][:, None] + hops[v][ends].astype(np.int64)
        on = np.nonzero(hops[np.ix_(sources, ends)] == away)
        source, end = sources[on[0]], ends[on[1]]
        paths = self.counts_to[u][source].astype(np.int64) * self.counts[v][end].astype(np.int64)
        loads = Quotients(paths, self.counts[source, end].astype(np.int64))
        return rows[on[0]], columns[on[1]], loads

    def fill(self, channels: IntArray, *written: NDArray[Any]) -> int:
        """Write loads, and return of how many channels."""
        done: int = path_loads(
            channels,
            self.graph.tail,
            self.graph.head,
            self.search.hops,
            self.hops_to,
            self.counts,
            self.counts_to,
            self.search.order,
            self.search.level_starts,
            self.row_nodes,
            self.column_of,
            self.farthest,
            float(self.rounding.units),
            self.rounding.margin,
            *written,
        )
        return done

    def exact_block(
        self, channels: IntArray, block: LoadBlock
    ) -> tuple[IntArray, NDArray[np.int64]]:
        """Return rows, columns and numerators of a block's loads, and a denominator a channel."""
        found = np.empty((3, int(block.starts[-1])), dtype=np.int64)
        denominators = np.empty(len(channels), dtype=np.int64)
        exact_path_loads(
            channels,
            self.graph.tail,
            self.graph.head,
            self.counts,
            self.counts_to,
            self.row_nodes,
            self.column_nodes,
            block.starts,
            block.rows,
            block.columns,
            found,
            denominators,
        )
        return found, denominators


def _common(counts: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any]) -> int | None:
    """Return a common denominator of the loads, None where it is too large for exact weights."""
    present = np.zeros(int(counts.max()) + 1, dtype=np.bool_)
    denominators_present(counts, rows, columns, present)
    found = math.lcm(*(np.flatnonzero(present[1:]) + 1).tolist())
    return found if found <= LARGEST_COMMON else None


class _BySplit:
    def __init__(self, graph: Graph, widths: FloatArray, core: Core) -> None:
        self.graph, self.widths = graph, widths
        self.column_nodes = core.column_nodes.astype(np.int32)
        self.row_of = np.full(graph.nodes, -1, dtype=np.int32)
        self.row_of[core.row_nodes] = np.arange(len(core.row_nodes))
        self.rows = len(core.row_nodes)
        self.hops_to = Search.run(*graph.backwards()).hops
        self.whole = np.zeros(self.hops_to.shape)
        shares_towards(
            graph.out_starts, graph.out_channels, graph.head, widths, self.hops_to, self.whole
        )
        reached = self.hops_to[self.hops_to != UNREACHED]
        deepest = int(reached.max()) if reached.size else 0
        sums = np.unique(self.whole[self.whole > 0])
        whole = sums.size and sums[-1] < LARGEST_COMMON
        common = math.lcm(*sums.astype(np.int64).tolist()) if whole else LARGEST_COMMON
        small = deepest * common.bit_length() <= LARGEST_COMMON.bit_length()
        additions = deepest * (int(np.diff(graph.in_starts).max()) + 4)
        margin = MARGIN + 2.0**-51 * additions
        self.rounding = core.ends.rounding(common**deepest if small else None, margin)

    def exact(self, channel: int) -> None:
        """Return None: shares are only nearly known."""

    def fill(self, channels: IntArray, *written: NDArray[Any]) -> int:
        """Write loads, and return of how many channels."""
        done: int = split_loads(
            channels,
            self.graph.tail,
            self.graph.head,
            self.graph.in_starts,
            self.graph.in_channels,
            self.widths,
            self.hops_to,
            self.whole,
            self.column_nodes,
            self.row_of,
            self.rows,
            float(self.rounding.units),
            self.rounding.margin,
            *written,
        )
        return done


def shortest_uniform_loads(
    network: Network,
    widths: FloatArray,
    sent: FloatArray,
    shares: FloatArray,
    loads: FloatArray,
    *,
    by_paths: bool,
) -> None:
    """Add the load of every channel by uniform traffic on shortest paths, in floats.

    ``sent`` is what each node injects, ``shares`` the part of it that each destination gets.
    """
    graph = Graph(network.tail.astype(np.int32), network.head.astype(np.int32), network.node_count)
    search = Search.run(*graph.backwards())
    uniform_loads(
        graph.out_starts,
        graph.out_channels,
        graph.head,
        widths,
        search.hops,
        search.order,
        network.destinations,
        shares,
        sent,
        by_paths,
        loads,
    )
