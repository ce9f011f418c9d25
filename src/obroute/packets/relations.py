"""Packets that start together: permutations and other relations, and what is exact about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from obroute.loads import loads_of
from obroute.network import Network
from obroute.packets.adversary import borodin_hopcroft
from obroute.packets.benes import benes_rows, check_disjoint, check_schedule, offline_schedule
from obroute.packets.injection import uniform_packets
from obroute.packets.links import shares
from obroute.packets.simulation import check_memory
from obroute.rational import IntArray
from obroute.routing import Routing
from obroute.routing.bit_fixing import is_hypercube
from obroute.specs import InputError
from obroute.topologies.butterfly import Benes
from obroute.traffic import Traffic, make_pattern
from obroute.worst_cases import WORST_CASE, worst_cases

BORODIN_HOPCROFT = "borodin_hopcroft"
RANDOM_PERMUTATION = "random_permutation"
PAIRS_TO_JUDGE_BY = 4
MOST_LOADS = 20_000_000
"""Non-zero loads of channels by pairs up to which the exact loads of a permutation are found."""


def _worst_permutation(network: Network, routing: Routing) -> IntArray:
    permutation = worst_cases(network, routing).critical.worst.permutation
    if permutation is None or not network.has_unit_terminals:
        raise InputError(f"{network.name}: the worst traffic splits; simulate a named pattern")
    return permutation


def _witness_permutation(network: Network, routing: Routing) -> IntArray:
    return borodin_hopcroft(network, routing).permutation


OF_THE_ROUTING: dict[str, Callable[[Network, Routing], IntArray]] = {
    WORST_CASE: _worst_permutation,
    BORODIN_HOPCROFT: _witness_permutation,
}
"""Traffic made for the routing: its worst permutation, and the one that Theorem 2 makes."""


def traffic_named(network: Network, routing: Routing, name: str) -> Traffic:
    """Return traffic by the name of a pattern, or what is made for the routing.

    ``worst_case`` is the permutation of its matching, ``borodin_hopcroft`` that of Theorem 2.

    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> traffic_named(ring, make_routing("dor"), "tornado").permutation.tolist()
    [2, 3, 4, 0, 1]
    """
    if name in OF_THE_ROUTING:
        return Traffic.of_permutation(network, OF_THE_ROUTING[name](network, routing), name)
    pattern = make_pattern(name)
    return uniform_packets(network) if pattern.is_uniform else pattern.traffic(network)


def fixed_relation(network: Network, routing: Routing, name: str, phases: bool) -> Traffic | None:
    """Return traffic of whole packets, None where it is drawn anew with every seed.

    Raises
    ------
    InputError
        If the traffic is not defined on the network, is of no whole packets, or takes too much
        memory.
    """
    if name == RANDOM_PERMUTATION:
        make_pattern(name).traffic(network)  # defined here, or an error
        return None
    traffic = traffic_named(network, routing, name)
    if traffic.is_uniform:
        raise InputError(
            f"traffic {name} is no permutation; give a rate to inject it continuously"
        )
    if traffic.permutation is not None:
        return traffic
    if traffic.amounts.values.reduced().denominator != 1:
        raise InputError(
            f"traffic {name} has demands that are no whole number of packets; give a rate to "
            "inject them continuously"
        )
    if phases:
        raise InputError(f"traffic {name} is no permutation; --phases is of permutations")
    check_memory(
        network, int(traffic.sent.sum()), 2 * float(network.mean_shortest_path_length()) + 1
    )
    return traffic


def packet_ends(traffic: Traffic) -> tuple[IntArray, IntArray]:
    """Return the nodes of source and destination of each packet of traffic of whole packets.

    >>> from obroute import make_network
    >>> demands = np.array([[0, 2], [0, 0]])
    >>> [
    ...     nodes.tolist()
    ...     for nodes in packet_ends(Traffic.of_array(make_network("ring:2"), demands))
    ... ]
    [[0, 0], [1, 1]]
    """
    network, amounts = traffic.network, traffic.amounts
    counts = amounts.values.reduced().numerators
    return (
        np.repeat(network.sources[amounts.rows], counts),
        np.repeat(network.destinations[amounts.columns], counts),
    )


def exact_load(
    routing: Routing, traffic: Traffic, h: int = 1, half_duplex: bool = False
) -> Fraction | None:
    """Return the exact load of the heaviest channel, None where the loads are too many.

    With every packet h times. Of half-duplex cables it is that of the heaviest cable.
    """
    network, ends = traffic.network, packet_ends(traffic)
    if not len(ends[0]):
        return Fraction(0)
    first = [nodes[:PAIRS_TO_JUDGE_BY] for nodes in ends]
    touched = routing.channel_loads(network, *first).nonzeros / len(first[0])
    if touched * len(ends[0]) > MOST_LOADS:
        return None
    share = shares(network, half_duplex)
    loads = share.loads(loads_of(routing, traffic))
    pairs = zip(loads.fractions(), share.bandwidth.fractions(), strict=True)
    return h * max((load / width for load, width in pairs), default=Fraction(0))


def offline_steps(
    network: Network, relations: Sequence[Traffic], half_duplex: bool = False
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
    if not is_hypercube(network):
        return -1
    return check_schedule(offline_schedule(destinations), destinations)
