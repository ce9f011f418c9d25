"""Valiant's algorithm on dragonflies through a group, as it is deployed.

Between two groups a packet goes minimally to a third one, drawn from all that are neither the
source's nor the destination's, and minimally on (Kim, Dally, Scott and Abts, ISCA 2008): over
five hops at most. It leaves the third group by a cable to the destination's group, and need not
reach a given router of it. Within a group it goes minimally, or, as in the SST merlin simulator,
through a router drawn from those of the group but the source (the destination may be drawn).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, concatenate
from obroute.routing.contract import Routing
from obroute.routing.dragonfly import local_hop
from obroute.routing.valiant import GROUP_ROUTER, Valiant
from obroute.specs import InputError
from obroute.topologies.dragonfly import Dragonfly

LEAST_GROUPS = 3


@Valiant.way_of(Dragonfly, "dragonfly")
class ThroughGroups(Routing):
    """Through a group that is neither end's: see the module.

    >>> from obroute import evaluate
    >>> names = ("valiant:through=group", "valiant:through=group_router")
    >>> [str(evaluate("dragonfly:p=2,a=4,h=2", name).worst_case_load) for name in names]
    ['30/7', '76/21']
    """

    def __init__(self, through: str) -> None:
        super().__init__()
        self.draws_routers = through == GROUP_ROUTER

    def check(self, network: Network) -> None:
        """Raise where there is no third group."""
        assert isinstance(network, Dragonfly)
        if network.groups < LEAST_GROUPS:
            raise InputError(
                f"routing {self.name} is not defined on {network.name}, which has no group beside "
                f"two; it is defined for {Valiant.families(frozenset({'through'}))} of three or "
                "more groups"
            )

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for every group and cable, or every router of the group."""
        for chance, taken, hops in self._ways(
            network, np.array([source]), np.array([destination])
        ):
            if taken[0]:
                yield chance, tuple(int(hop[0]) for hop in hops if hop[0] >= 0)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of all channels by given pairs, all pairs at once for each group."""
        s, d = np.asarray(sources), np.asarray(destinations)
        none = np.zeros(0, dtype=np.int64)
        rows, columns, values = [none], [none], [RationalArray(none, 1)]
        for chance, taken, hops in self._ways(network, s, d):
            for hop in hops:
                some = np.flatnonzero(taken & (hop >= 0))
                rows.append(some)
                columns.append(hop[some])
                values.append(RationalArray.full(len(some), chance))
        return SparseRationalMatrix.from_triplets(
            np.concatenate(rows),
            np.concatenate(columns),
            concatenate(values),
            (len(s), network.channel_count),
        )

    def _ways(
        self, network: Network, sources: IntArray, destinations: IntArray
    ) -> Iterator[tuple[Fraction, NDArray[np.bool_], list[IntArray]]]:
        """Yield probabilities, which of the pairs have them, and the hops of these."""
        assert isinstance(network, Dragonfly)
        self.check(network)
        here, there = sources // network.routers, destinations // network.routers
        yield from self._within(network, sources, destinations, here == there)
        apart = here != there
        chance = Fraction(1, (network.groups - 2) * network.rounds**2)
        for group in range(network.groups):
            taken = apart & (here != group) & (there != group)
            if not taken.any():
                continue
            s, d = sources[taken], destinations[taken]
            for rounds in itertools.product(range(network.rounds), repeat=2):
                out = network.cables(s // network.routers, group, rounds[0])
                on = network.cables(group, d // network.routers, rounds[1])
                hops = [
                    local_hop(network, s, network.tail[out]),
                    out,
                    local_hop(network, network.head[out], network.tail[on]),
                    on,
                    local_hop(network, network.head[on], d),
                ]
                yield chance, taken, [_placed(hop, taken) for hop in hops]

    def _within(
        self,
        network: Dragonfly,
        sources: IntArray,
        destinations: IntArray,
        within: NDArray[np.bool_],
    ) -> Iterator[tuple[Fraction, NDArray[np.bool_], list[IntArray]]]:
        if not within.any():
            return
        s, d = sources[within], destinations[within]
        a = network.routers
        if not self.draws_routers or a == 1:
            yield Fraction(1), within, [_placed(local_hop(network, s, d), within)]
            return
        for up in range(1, a):
            middle = s // a * a + (s % a + up) % a
            hops = local_hop(network, s, middle), local_hop(network, middle, d)
            yield Fraction(1, a - 1), within, [_placed(hop, within) for hop in hops]

    def symmetries(self, network: Network) -> Generators:
        """Return all: the step to the next group keeps which groups are neither end's."""
        return network.automorphisms()

    def most_crossings(self, network: Network) -> int:
        """Return 1: three groups are apart, and two local hops of a group lead elsewhere."""
        return 1

    def longest_path(self, network: Network) -> int:
        """Return three local hops and two global ones, or fewer where a group has one router."""
        assert isinstance(network, Dragonfly)
        return 5 if network.routers > 1 else 2


def _placed(hops: IntArray, taken: NDArray[np.bool_]) -> IntArray:
    """Return the hops at the places of the pairs that take them, -1 elsewhere."""
    found = np.full(len(taken), -1, dtype=np.int64)
    found[taken] = hops
    return found
