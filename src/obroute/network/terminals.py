"""The terminals of a network: what they inject and eject, and how far they are apart."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.network.channels import Channels, read_only
from obroute.rational import IntArray, RationalArray, multiply_sum


class Terminals(Channels):
    """Nodes that inject or eject; the fields are those of :class:`~obroute.network.Network`."""

    sources: IntArray
    injection: RationalArray
    destinations: IntArray
    ejection: RationalArray

    @cached_property
    def source_index(self) -> IntArray:
        """Position of each node among the sources, -1 for a node that injects nothing."""
        index = np.full(self.node_count, -1, dtype=np.int64)
        index[self.sources] = np.arange(len(self.sources))
        return read_only(index)

    @cached_property
    def destination_index(self) -> IntArray:
        """Position of each node among the destinations, -1 for one that ejects nothing."""
        index = np.full(self.node_count, -1, dtype=np.int64)
        index[self.destinations] = np.arange(len(self.destinations))
        return read_only(index)

    @cached_property
    def is_host(self) -> NDArray[np.bool_]:
        """Whether each node is a host: a terminal that no channel joins to another terminal.

        >>> from obroute.network import Network
        >>> star = Network(
        ...     "star", 3, [0, 1, 0, 2], [1, 0, 2, 0], sources=[1, 2], destinations=[1, 2]
        ... )
        >>> star.is_host.tolist()
        [False, True, True]
        """
        terminal = (self.source_index >= 0) | (self.destination_index >= 0)
        joined = terminal[self.tail] & terminal[self.head]
        found = terminal.copy()
        found[np.concatenate([self.tail[joined], self.head[joined]])] = False
        return found

    @property
    def total_injection(self) -> Fraction:
        """Sum of the injection bandwidths (packets per cycle)."""
        return self.injection.sum()

    @property
    def has_unit_terminals(self) -> bool:
        """Whether all terminals inject and eject one packet per cycle, as many in as out."""
        return (
            len(self.sources) == len(self.destinations)
            and bool(np.all(self.injection.numerators == self.injection.denominator))
            and bool(np.all(self.ejection.numerators == self.ejection.denominator))
        )

    def uniform_weight(self) -> tuple[RationalArray, RationalArray]:
        """Return row and column factors of uniform traffic.

        Source s sends ``injection_s · ejection_d / Σ ejection`` to destination d; with N unit
        terminals that is 1/N, the pair (s, s) included.
        """
        return self.injection, self.ejection.scaled(1 / self.ejection.sum())

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Hops from each source to every node (sources × nodes), infinite where unreachable."""
        hops = dijkstra(self.adjacency, indices=self.sources, unweighted=True)
        return np.asarray(hops, dtype=np.float64)

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops of shortest paths under uniform traffic, self pairs included."""
        hops = self.distances[:, self.destinations].astype(np.int64)
        rows, columns = self.uniform_weight()
        received = multiply_sum(hops, columns)
        return rows.times(received).sum() / self.total_injection
