"""The routing of a network on the same network with a node for each host.

A routing of a family knows routers, and treats the hosts of one alike: a packet goes from its host
to the router, along a path of the routing from router to router, and to its host. The pair load of
a channel between routers is that of the routers of source and destination; what a host sends to
itself crosses none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.dependencies import Dependencies
from obroute.importers.hosted import Hosted
from obroute.network import Network, Path
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.ranges import ranges
from obroute.specs import InputError


def on_hosts(routing: Routing, network: Network) -> Routing:
    """Return a routing for a network with a node for each host: as the base's family knows it.

    Examples
    --------
    >>> from obroute import make_network, make_routing, worst_cases
    >>> torus = make_network("hosted:(torus:4x4,hosts=2)")
    >>> str(worst_cases.worst_cases(torus, on_hosts(make_routing("dor"), torus)).load)
    '3'
    """
    if routing.made_anew or not isinstance(network, Hosted):
        return routing
    try:
        routing.check(network.base)
    except InputError:
        return routing
    if routing.on(network.base) is not routing:
        return OnHosts(routing)
    try:
        routing.check(network)
    except InputError:
        return OnHosts(routing)
    return routing


class OnHosts(Routing):
    """A routing of a network, where each of its hosts is a node: see the module."""

    def __init__(self, base: Routing) -> None:
        super().__init__()
        self.base, self.name = base, base.name
        self.defined_for = base.defined_for  # type: ignore[misc]  # else of the class
        self.takes_shortest_paths = base.takes_shortest_paths

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return what the routing depends on, besides."""
        return super().depends_on() | self.base.depends_on(_base(network) if network else None)

    def check(self, network: Network) -> None:
        """Raise where the network has no base, or the routing is not defined on that."""
        self.base.check(_base(network))

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths between the routers, with the channels of both hosts."""
        if source == destination:
            yield Fraction(1), ()
            return
        base, homes = _base(network), _homes(network)
        first = network.channel(source, int(homes[source]))
        last = network.channel(int(homes[destination]), destination)
        for share, path in self.base.paths(base, int(homes[source]), int(homes[destination])):
            yield share, (first, *path, last)

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw a path between the routers, and add the channels of both hosts."""
        if source == destination:
            return ()
        base, homes = _base(network), _homes(network)
        first = network.channel(source, int(homes[source]))
        last = network.channel(int(homes[destination]), destination)
        path = self.base.sample_path(base, int(homes[source]), int(homes[destination]), generator)
        return (first, *path, last)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads by routers for all of their hosts; of a host's channel, all others."""
        base, count = _base(network), len(network.sources)
        if channel < base.channel_count:
            return self._of_routers(network, self.base.pair_loads(base, channel))
        tail, head = int(network.tail[channel]), int(network.head[channel])
        sends = int(network.source_index[tail])
        rows = np.full(count, sends) if sends >= 0 else np.arange(count)
        columns = np.arange(count) if sends >= 0 else np.full(count, network.source_index[head])
        others = rows != columns
        ones = RationalArray.full(count - 1, 1)
        return SparseRationalMatrix(rows[others], columns[others], ones, (count, count))

    def _of_routers(self, network: Network, loads: SparseRationalMatrix) -> SparseRationalMatrix:
        """Give the load of two routers to each of their hosts; those of a router are in a row."""
        base, count = _base(network), len(network.sources)
        hosts = np.bincount(base.source_index[_homes(network)[network.sources]])
        first = np.cumsum(hosts) - hosts
        entry, within = ranges(np.zeros_like(loads.rows), hosts[loads.rows] * hosts[loads.columns])
        one, other = np.divmod(within, hosts[loads.columns[entry]])
        rows, columns = first[loads.rows[entry]] + one, first[loads.columns[entry]] + other
        apart = rows != columns
        return SparseRationalMatrix.from_triplets(
            rows[apart], columns[apart], loads.values.take(entry[apart]), (count, count)
        )

    def most_crossings(self, network: Network) -> int:
        """Return that between routers."""
        return self.base.most_crossings(_base(network))

    def longest_path(self, network: Network) -> int | None:
        """Return the longest between routers, and the channels of two hosts."""
        longest = self.base.longest_path(_base(network))
        return None if longest is None else longest + 2


def _base(network: Network) -> Network:
    if not isinstance(network, Hosted):
        raise InputError(f"{network.name} is no network with a node for each host of another")
    return network.base


def _homes(network: Network) -> NDArray[Any]:
    assert isinstance(network, Hosted)
    return network.homes
