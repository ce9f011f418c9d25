"""Cables: the two channels of a link, and what they carry where they share one bandwidth.

The notes let an edge send a message each way in a step (full duplex). In *half-duplex* operation
the two channels of a cable share its bandwidth: together they send as many packets a step as one
of them could. What limits the throughput is then the cable, whose load is the sum of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError


def links(network: Network) -> IntArray:
    """Return the link of each channel: a channel and one that goes back, if any, are one link.

    The i-th of parallel channels from one node to another goes with the i-th that goes back.

    >>> from obroute import make_network
    >>> links(make_network("ring:3")).tolist()
    [0, 2, 1, 1, 0, 2]
    """
    low, high = np.minimum(network.tail, network.head), np.maximum(network.tail, network.head)
    upwards = network.tail < network.head
    order = np.lexsort((upwards, high, low))
    keys = np.stack([low, high, upwards])[:, order]
    fresh = np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)]
    starts = np.flatnonzero(fresh)
    rank = np.empty(network.channel_count, dtype=np.int64)
    rank[order] = np.arange(len(order)) - starts[np.cumsum(fresh) - 1]
    _, link = np.unique(np.stack([low, high, rank]), axis=1, return_inverse=True)
    return link.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Shares:
    """What shares a bandwidth: each channel alone, or the two channels of a cable.

    Parameters
    ----------
    of_channel
        The share that each channel belongs to, from 0.
    bandwidth
        Bandwidth of each share (packets per cycle).
    mate
        The other channel of each channel's share, -1 where it is alone.
    """

    of_channel: IntArray
    bandwidth: RationalArray
    mate: IntArray

    def loads(self, loads: RationalArray) -> RationalArray:
        """Return the load of each share from those of the channels."""
        paired = np.flatnonzero(self.mate > np.arange(len(self.mate)))
        single = np.flatnonzero(self.mate < 0)
        firsts = np.sort(np.r_[paired, single])
        own, other = loads.take(firsts), self.mate[firsts]
        added = loads.take(np.maximum(other, 0)).numerators * (other >= 0)
        return RationalArray(own.numerators + added, loads.denominator)


def shares(network: Network, half_duplex: bool = False) -> Shares:
    """Return what shares a bandwidth.

    Raises
    ------
    InputError
        If cables are half duplex and the two channels of one differ in bandwidth.

    Examples
    --------
    >>> from obroute import make_network
    >>> shares(make_network("ring:3"), half_duplex=True).mate.tolist()
    [4, 5, 3, 2, 0, 1]
    """
    count = network.channel_count
    if not half_duplex:
        return Shares(np.arange(count), network.bandwidth, np.full(count, -1, dtype=np.int64))
    link = links(network)
    order = np.argsort(link, kind="stable")
    mate = np.full(count, -1, dtype=np.int64)
    paired = np.flatnonzero(link[order][1:] == link[order][:-1])
    low, high = order[paired], order[paired + 1]
    mate[low], mate[high] = high, low
    bandwidth = network.bandwidth.numerators
    unequal = np.flatnonzero((mate >= 0) & (bandwidth != bandwidth[np.maximum(mate, 0)]))
    if unequal.size:
        tail, head = int(network.tail[unequal[0]]), int(network.head[unequal[0]])
        raise InputError(
            f"{network.name}: the channels between {network.describe(tail)} and "
            f"{network.describe(head)} differ in bandwidth; a half-duplex cable has one for both"
        )
    first = np.flatnonzero((mate < 0) | (mate > np.arange(count)))
    of_channel = np.empty(count, dtype=np.int64)
    of_channel[first] = np.arange(len(first))
    second = np.flatnonzero((mate >= 0) & (mate < np.arange(count)))
    of_channel[second] = of_channel[mate[second]]
    return Shares(of_channel, network.bandwidth.take(first), mate)
