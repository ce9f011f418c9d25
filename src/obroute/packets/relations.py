"""Packets that start together: permutations and other relations, and what is exact about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.demands import permutation_of
from obroute.loads import traffic_loads
from obroute.network import Network
from obroute.packets.adversary import borodin_hopcroft
from obroute.packets.benes import benes_rows, check_disjoint, check_schedule, offline_schedule
from obroute.packets.injection import Traffic
from obroute.packets.links import shares
from obroute.packets.simulation import check_memory
from obroute.rational import IntArray, RationalArray
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.throughput import evaluate
from obroute.topologies.butterfly import Benes
from obroute.topologies.grid import Grid
from obroute.traffic import make_pattern

WORST_CASE = "worst_case"
BORODIN_HOPCROFT = "borodin_hopcroft"
OF_THE_ROUTING = (WORST_CASE, BORODIN_HOPCROFT)
"""Traffic made for the routing: its worst permutation, and the one that Theorem 2 makes."""
RANDOM_PERMUTATION = "random_permutation"
PAIRS_TO_JUDGE_BY = 4
MOST_LOADS = 20_000_000
"""Non-zero loads of channels by pairs up to which the exact loads of a permutation are found."""


@dataclass(frozen=True, eq=False)
class Relation:
    """Packets that start together: the positions of source and destination of each.

    ``permutation`` has the destination of each source, -1 for none, where each sends at most one
    and gets at most one.
    """

    sources: IntArray
    destinations: IntArray
    permutation: IntArray | None = None

    @classmethod
    def of_permutation(cls, destinations: IntArray) -> Relation:
        """Return one packet for each source that a (partial) permutation sends somewhere."""
        sending = np.flatnonzero(destinations >= 0)
        return cls(sending, destinations[sending], destinations)

    def ends(self, network: Network) -> tuple[IntArray, IntArray]:
        """Return the nodes of sources and destinations."""
        return network.sources[self.sources], network.destinations[self.destinations]


def traffic_named(network: Network, routing: Routing, name: str) -> Traffic:
    """Return traffic by the name of a pattern, or what is made for the routing.

    ``worst_case`` is the permutation of its matching, ``borodin_hopcroft`` that of Theorem 2.

    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> traffic_named(ring, make_routing("dor"), "tornado").destinations.tolist()
    [2, 3, 4, 0, 1]
    """
    if name == WORST_CASE:
        permutation = evaluate(network, routing).critical.worst.permutation
        if permutation is None or not network.has_unit_terminals:
            raise InputError(f"{network.name}: the worst traffic splits; simulate a named pattern")
        return Traffic(name, permutation)
    if name == BORODIN_HOPCROFT:
        return Traffic(name, borodin_hopcroft(network, routing).permutation)
    pattern = make_pattern(name)
    if pattern.is_uniform:
        return Traffic(pattern.name)
    amounts = pattern.amounts(network)
    permutation = permutation_of(amounts)
    if permutation is None or (permutation < 0).any():
        return Traffic(pattern.name, matrix=amounts)
    return Traffic(pattern.name, permutation)


def fixed_relation(network: Network, routing: Routing, name: str, phases: bool) -> Relation | None:
    """Return the packets of traffic, None where they are drawn anew with every seed."""
    if name == RANDOM_PERMUTATION:
        make_pattern(name).permutation(network)  # defined here, or an error
        return None
    traffic = traffic_named(network, routing, name)
    if traffic.destinations is not None:
        return Relation.of_permutation(traffic.destinations)
    if traffic.matrix is None:
        raise InputError(
            f"traffic {name} is no permutation; give a rate to inject it continuously"
        )
    values = traffic.matrix.values.reduced()
    if values.denominator != 1:
        raise InputError(
            f"traffic {name} has demands that are no whole number of packets; give a rate to "
            "inject them continuously"
        )
    permutation = permutation_of(traffic.matrix)
    if permutation is not None:
        return Relation.of_permutation(permutation)
    if phases:
        raise InputError(f"traffic {name} is no permutation; --phases is of permutations")
    check_memory(network, int(values.sum()), 2 * float(network.mean_shortest_path_length()) + 1)
    counts = values.numerators
    return Relation(
        np.repeat(traffic.matrix.rows, counts), np.repeat(traffic.matrix.columns, counts)
    )


def exact_load(
    network: Network,
    routing: Routing,
    relation: Relation,
    h: int = 1,
    half_duplex: bool = False,
) -> Fraction | None:
    """Return the exact load of the heaviest channel, None where the loads are too many.

    With every packet h times. Of half-duplex cables it is that of the heaviest cable.
    """
    ends = relation.ends(network)
    if not len(ends[0]):
        return Fraction(0)
    first = [nodes[:PAIRS_TO_JUDGE_BY] for nodes in ends]
    touched = routing.channel_loads(network, *first).nonzeros / len(first[0])
    if touched * len(ends[0]) > MOST_LOADS:
        return None
    share = shares(network, half_duplex)
    loads = share.loads(
        traffic_loads(network, routing, *ends, RationalArray.full(len(ends[0]), 1))
    )
    pairs = zip(loads.fractions(), share.bandwidth.fractions(), strict=True)
    return h * max((load / width for load, width in pairs), default=Fraction(0))


def offline_steps(
    network: Network, relations: Sequence[Relation], half_duplex: bool = False
) -> int:
    """Return the steps of off-line schedules, one after the other; -1 where there is none.

    On a hypercube, and along vertex-disjoint paths of a Beneš network. With half-duplex links each
    step is made one way and then the other.
    """
    each = [_schedule_steps(network, relation.permutation) for relation in relations]
    return -1 if min(each) < 0 else sum(each) * (1 + half_duplex)


def _schedule_steps(network: Network, destinations: IntArray | None) -> int:
    if destinations is None or (destinations < 0).any():
        return -1
    if isinstance(network, Benes):
        rows = benes_rows(destinations)
        check_disjoint(rows, destinations)
        return int(rows.shape[1]) - 1
    if not isinstance(network, Grid) or set(network.radices) != {2}:
        return -1
    return check_schedule(offline_schedule(destinations), destinations)
