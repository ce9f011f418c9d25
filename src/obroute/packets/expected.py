"""What pair loads say of traffic before a packet moves: the critical channels and the ideal rate.

Traffic at rate r offers a channel r times its load at rate 1. The *critical* channels are those
whose load over bandwidth is the largest, γ (all of them where several tie), and the *ideal
throughput* is 1/γ, at most 1. Above it the packets that still have to cross a critical channel
grow in number without bound, whatever the queueing.

Some pairs load nothing: packets to oneself that never leave. They are traffic of no channel, wait
for nobody, and stay out of what is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.loads import loads_of
from obroute.network import Network
from obroute.packets.links import shares
from obroute.packets.simulation import Packets
from obroute.rational import IntArray
from obroute.routing import Routing
from obroute.symmetry import orbits
from obroute.traffic import Traffic


@dataclass(frozen=True, eq=False)
class Expectation:
    """What is expected of traffic at rate 1, exactly.

    Parameters
    ----------
    critical
        Marks the critical channels. Of half-duplex cables, both channels of each critical one.
    capacity
        Packets per step that the critical channels send together at the most.
    ideal
        The rate at which they are fully used, at most 1 (packets per step and source).
    idle
        Marks the nodes whose packets to themselves load no channel.
    sending
        Sources that send packets that load a channel: for a permutation their number, else the
        sum over sources of the share of such packets.
    """

    critical: NDArray[np.bool_]
    capacity: float
    ideal: Fraction
    idle: NDArray[np.bool_]
    sending: float


def expectation(
    network: Network, routing: Routing, traffic: Traffic, half_duplex: bool = False
) -> Expectation:
    """Return the critical channels of traffic, the ideal rate, and who sends.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> ring, dor = make_network("ring:8"), make_routing("dor")
    >>> tornado = make_pattern("tornado").traffic(ring)
    >>> expected = expectation(ring, dor, tornado)
    >>> expected.ideal, int(expected.critical.sum()), expected.sending
    (Fraction(1, 3), 8, 8.0)
    >>> expectation(ring, dor, tornado, half_duplex=True).ideal  # the other way nobody goes
    Fraction(1, 3)
    """
    share = shares(network, half_duplex)
    loads = share.loads(loads_of(routing, traffic))
    common = np.lcm.reduce(share.bandwidth.numerators.astype(object))
    scaled = loads.numerators.astype(object) * (
        common // share.bandwidth.numerators.astype(object)
    )
    largest = scaled.max(initial=0)
    critical = scaled == largest if largest else np.zeros(len(scaled), dtype=bool)
    places = np.flatnonzero(critical)
    ideal = Fraction(1)
    if places.size:
        first = int(places[0])
        ideal = min(ideal, share.bandwidth.fraction(first) / loads.fraction(first))
    idle = idle_nodes(network, routing)
    return Expectation(
        critical=critical.astype(np.bool_)[share.of_channel],
        capacity=float(share.bandwidth.take(places).sum()),
        ideal=ideal,
        idle=idle,
        sending=_sending(network, traffic, idle),
    )


def idle_nodes(network: Network, routing: Routing) -> NDArray[np.bool_]:
    """Return which nodes' packets to themselves load no channel.

    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> [bool(idle_nodes(ring, make_routing(name)).all()) for name in ("dor", "valiant")]
    [True, False]
    """
    labels = orbits(network.node_count, routing.symmetries(network).values())
    both = np.intersect1d(network.sources, network.destinations)
    _, first = np.unique(labels[both], return_index=True)
    idle = np.zeros(network.node_count, dtype=np.bool_)
    for node in both[first].tolist():
        alike = labels == labels[node]
        idle[alike] = (
            routing.channel_loads(network, np.array([node]), np.array([node])).nonzeros == 0
        )
    return idle


def loading(packets: Packets, idle: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which packets are of pairs that load a channel."""
    oneself = packets.sources == packets.destinations
    sends: NDArray[np.bool_] = ~(oneself & idle[packets.sources])
    return sends


def _sending(network: Network, traffic: Traffic, idle: NDArray[np.bool_]) -> float:
    places: IntArray = np.flatnonzero(idle[network.sources])
    nodes = network.sources[places]
    at_home = network.destination_index[nodes]
    known = at_home >= 0
    if traffic.matrix is not None:
        stay = traffic.matrix.sum_at(places[known], at_home[known])
        return float(traffic.matrix.sum() - stay)
    kept = network.ejection.to_float()[at_home[known]].sum() / float(network.ejection.sum())
    return float(len(network.sources) - kept)
