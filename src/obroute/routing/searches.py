"""Networks in compressed-row form, and searches of them from every node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational import IntArray
from obroute.routing.shortest_path_kernels import count_all, search_all

LARGEST_COUNT = 2**31 - 1
"""Numbers of paths up to which they are held as integers of 32 bits, and else as floats."""


class Graph:
    """Channels in compressed-row form by tail and by head."""

    def __init__(self, tail: NDArray[np.int32], head: NDArray[np.int32], nodes: int) -> None:
        self.tail, self.head, self.nodes = tail, head, nodes
        self.out_channels, self.out_starts = _by_end(tail, nodes)
        self.in_channels, self.in_starts = _by_end(head, nodes)

    def forwards(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Return where each node's channels start, and their heads."""
        return self.out_starts, self.head[self.out_channels]

    def backwards(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Return where the channels into each node start, and their tails."""
        return self.in_starts, self.tail[self.in_channels]

    def is_undirected(self) -> bool:
        """Whether as many channels lead back between any two nodes."""
        there = self.tail.astype(np.int64) * self.nodes + self.head
        back = self.head.astype(np.int64) * self.nodes + self.tail
        return np.array_equal(np.sort(there), np.sort(back))


def _by_end(ends: NDArray[np.int32], nodes: int) -> tuple[NDArray[np.int32], IntArray]:
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(nodes + 1)).astype(np.int64)
    return order.astype(np.int32), starts


@dataclass(frozen=True, eq=False)
class Search:
    """Hops from every node, the order in which they were found, and where levels begin."""

    hops: NDArray[np.uint16]
    order: NDArray[np.int32]
    level_starts: NDArray[np.int32]

    @classmethod
    def run(cls, starts: IntArray, heads: NDArray[np.int32]) -> Search:
        """Search from every node."""
        nodes = len(starts) - 1
        hops = np.empty((nodes, nodes), dtype=np.uint16)
        order = np.empty((nodes, nodes), dtype=np.int32)
        levels = np.zeros((nodes, nodes + 2), dtype=np.int32)
        deepest = search_all(starts, heads, hops, order, levels)
        return cls(hops, order, levels[:, : deepest + 2].copy())

    def counts(self, starts: IntArray, heads: NDArray[np.int32]) -> tuple[NDArray[Any], float]:
        """Count shortest paths, and return the largest number."""
        floats = np.empty(self.hops.shape)
        most = count_all(starts, heads, self.hops, self.order, self.level_starts, floats)
        return (floats.astype(np.int32) if most <= LARGEST_COUNT else floats), most
