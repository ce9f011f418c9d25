"""The channel dependency graph, and the proof that it has no cycle or a shortest one.

A routing with virtual channels is free of deadlock if its channel dependency graph has no cycle
(Dally and Seitz, *Deadlock-free message routing in multiprocessor interconnection networks*, IEEE
Transactions on Computers 36, 1987, Theorem 1). A cycle takes the proof away; in exotic cases the
packets that would have to wait for each other can still not meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from obroute.deadlock.paths import PathSet
from obroute.deadlock.schemes import Assignment, Scheme, schemes
from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing import Routing

VirtualChannel = tuple[int, int]
"""A channel and the number of one of its virtual channels."""

_ROWS_AT_ONCE = 256
_MOST_HELD = 2**20


@dataclass(frozen=True, eq=False)
class DependencyGraph:
    """Which virtual channels packets use one directly after the other.

    Vertex ``channel * virtual_channels + v`` is virtual channel v of a channel.

    Parameters
    ----------
    network
        The network.
    virtual_channels
        How many virtual channels each channel has.
    used
        The vertices that some path takes, ascending.
    before, after
        The two ends of each dependency, each once, in ascending order.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> graph = channel_dependency_graph(ring, make_routing("dor"), "single")
    >>> len(graph), graph.numbering() is None
    (10, True)
    >>> [(int(ring.tail[channel]), int(ring.head[channel]), v) for channel, v in graph.cycle()]
    [(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 0, 0)]
    """

    network: Network
    virtual_channels: int
    used: IntArray
    before: IntArray
    after: IntArray

    def __len__(self) -> int:
        """Return the number of dependencies."""
        return len(self.before)

    @property
    def _size(self) -> int:
        return self.network.channel_count * self.virtual_channels

    def numbering(self) -> IntArray | None:
        """Return a numbering that rises along every dependency, or None if there is a cycle.

        It is the proof that there is no cycle: array channels × virtual channels with the most
        dependencies that lead to each one after another, -1 where no path goes.
        """
        incoming = np.bincount(self.after, minlength=self._size)
        starts = np.searchsorted(self.before, np.arange(self._size + 1))
        number = np.full(self._size, -1, dtype=np.int64)
        front = self.used[incoming[self.used] == 0]
        level = reached = 0
        while len(front):
            number[front] = level
            level, reached = level + 1, reached + len(front)
            counts = starts[front + 1] - starts[front]
            skipped = np.repeat(starts[front] - np.cumsum(counts) + counts, counts)
            followers, times = np.unique(
                self.after[skipped + np.arange(counts.sum())], return_counts=True
            )
            incoming[followers] -= times
            front = followers[incoming[followers] == 0]
        if reached < len(self.used):
            return None
        return number.reshape(self.network.channel_count, self.virtual_channels)

    def cycle(self) -> list[VirtualChannel]:
        """Return a shortest cycle, from its lowest vertex; empty if there is none.

        Each entry depends on the next, and the last on the first.
        """
        graph = self._cyclic_part()
        length, closing = np.inf, (-1, -1)
        candidates = np.unique(graph.indices)
        into = csr_array(graph.T)
        for first in range(0, len(candidates), _ROWS_AT_ONCE):
            rows = candidates[first : first + _ROWS_AT_ONCE]
            limit = length - 1 if np.isfinite(length) else np.inf
            hops = dijkstra(graph, indices=rows, unweighted=True, limit=limit)
            for row, vertex in enumerate(rows.tolist()):
                before = into.indices[into.indptr[vertex] : into.indptr[vertex + 1]]
                nearest = before[np.argmin(hops[row, before])]
                if hops[row, nearest] + 1 < length:
                    length, closing = hops[row, nearest] + 1, (vertex, int(nearest))
        if not np.isfinite(length):
            return []
        start, vertex = closing
        _, previous = dijkstra(graph, indices=start, unweighted=True, return_predecessors=True)
        vertices = [vertex]
        while vertices[-1] != start:
            vertices.append(int(previous[vertices[-1]]))
        vertices.reverse()
        lowest = vertices.index(min(vertices))
        return [
            divmod(vertex, self.virtual_channels)
            for vertex in vertices[lowest:] + vertices[:lowest]
        ]

    def _cyclic_part(self) -> csr_array:
        """Return the dependencies within strong components: the others are on no cycle."""
        shape = (self._size, self._size)
        ones = np.ones(len(self), dtype=np.int8)
        graph = csr_array((ones, (self.before, self.after)), shape=shape)
        _, component = connected_components(graph, directed=True, connection="strong")
        kept = component[self.before] == component[self.after]
        return csr_array((ones[kept], (self.before[kept], self.after[kept])), shape=shape)


def channel_dependency_graph(
    network: Network, routing: Routing | PathSet, scheme: str | Scheme
) -> DependencyGraph:
    """Return the dependencies of a routing, or of a set of paths, under a scheme.

    Exact: every path of positive probability between two nodes is walked.

    Raises
    ------
    InputError
        If the routing or the scheme is not defined on the network.
    """
    paths = PathSet.of_routing(network, routing) if isinstance(routing, Routing) else routing
    made = schemes.create(scheme) if isinstance(scheme, str) else scheme
    return dependencies(made.assign(paths))


def dependencies(assignment: Assignment) -> DependencyGraph:
    """Return the dependency graph of an assignment of virtual channels."""
    network = assignment.paths.network
    told = max((int(hops.max(initial=0)) for hops in assignment.listed), default=0)
    virtual = max(2 * assignment.paths.longest + 2, told + 1)  # no rule takes more; narrowed below
    size = network.channel_count * virtual
    vertices, edges = _Union(), _Union()
    for batch, hops in assignment:
        taken = batch.channels.astype(np.int64) * virtual + hops
        vertices.add(taken)
        onwards = np.ones(len(taken), dtype=np.bool_)
        onwards[batch.starts[1:][batch.lengths > 0] - 1] = False
        places = np.flatnonzero(onwards)
        edges.add(taken[places] * size + taken[places + 1])
    count = 1 + int((vertices.all() % virtual).max(initial=0))

    def narrowed(numbers: IntArray) -> IntArray:
        return numbers // virtual * count + numbers % virtual

    before, after = np.divmod(edges.all(), size)
    return DependencyGraph(
        network, count, narrowed(vertices.all()), narrowed(before), narrowed(after)
    )


class _Union:
    """Numbers that come in parts, each once, in order."""

    def __init__(self) -> None:
        self._found = np.zeros(0, dtype=np.int64)
        self._parts: list[IntArray] = []
        self._held = 0

    def add(self, numbers: IntArray) -> None:
        """Add a part, and put the parts together before they are much larger than the whole."""
        self._parts.append(np.unique(numbers))
        self._held += len(self._parts[-1])
        if self._held > _MOST_HELD + len(self._found):
            self.all()

    def all(self) -> IntArray:
        """Return all numbers so far."""
        if self._parts:
            self._found = np.unique(np.concatenate([self._found, *self._parts]))
            self._parts, self._held = [], 0
        return self._found
