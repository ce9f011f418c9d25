"""What a network is made of, as people compare networks by it: hosts, switches, ports, hops."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network


@dataclass(frozen=True)
class Structure:
    """Counts of a network.

    Parameters
    ----------
    hosts
        Packets per cycle that all terminals inject: hosts of one unit each.
    switches
        Nodes that are no host of their own: all but the terminals that hang on one other node.
    ports
        Ports of all switches: channels that leave them, and one for each host that a terminal
        stands for.
    degree
        The most channels that leave a switch for other switches.
    diameter
        Hops between the two switches that are farthest apart, of those with hosts; a host of its
        own is no hop from its switch.

    Examples
    --------
    >>> from obroute import make_network
    >>> structure_of(make_network("torus:4x4"))
    Structure(hosts=Fraction(16, 1), switches=16, ports=80, degree=4, diameter=4)
    """

    hosts: Fraction
    switches: int
    ports: int
    degree: int
    diameter: int

    @property
    def ports_per_host(self) -> Fraction:
        """Ports of switches over hosts: what a host costs."""
        return self.ports / self.hosts


def structure_of(network: Network) -> Structure:
    """Count what a network is made of."""
    is_host = hosts_of_their_own(network)
    tail_is_host, head_is_host = is_host[network.tail], is_host[network.head]
    between = ~tail_is_host & ~head_is_host
    terminals = ~is_host[network.sources]
    own = network.injection.numerators[terminals].sum() // network.injection.denominator
    hops = network.distances[:, network.destinations].copy()
    hops -= is_host[network.sources][:, np.newaxis]
    hops -= is_host[network.destinations]
    return Structure(
        network.total_injection,
        int((~is_host).sum()),
        int((~tail_is_host).sum()) + int(own),
        int(np.bincount(network.tail[between], minlength=1).max()),
        int(hops.max()),
    )


def hosts_of_their_own(network: Network) -> NDArray[np.bool_]:
    """Say of each node whether it is a terminal with one channel in and one out."""
    leaving = np.bincount(network.tail, minlength=network.node_count)
    entering = np.bincount(network.head, minlength=network.node_count)
    alone = (leaving == 1) & (entering == 1)
    ends = (network.source_index >= 0) | (network.destination_index >= 0)
    back = np.full(network.node_count, -1)
    back[network.head] = network.tail
    there = np.full(network.node_count, -2)
    there[network.tail] = network.head
    found: NDArray[np.bool_] = alone & ends & (back == there)
    return found & bool(np.any(~found))
