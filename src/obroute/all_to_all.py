"""All-to-all: what a routing loads, the least that any can, and lengths that prove it.

Every source sends the same to every destination: uniform traffic, once. Its best flow is a maximum
concurrent flow, and the dual of that is a length w_c ≥ 0 for each channel (Shahrokhi and Matula
1990): a packet from s to d crosses channels of at least the shortest distance, so

    ``max_c γ_c / b_c ≥ Σ r_s q_d dist_w(s, d) / Σ b_c w_c``

for every routing, oblivious or not. Where a routing has just that load, both are best. Lengths are
tried that a routing suggests (one for every channel; one for its fullest channels); where these
prove too little, the linear program of the capacity objective has them, reduced by symmetry
(:mod:`obroute.design`), and its flow is a routing like any other.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.capacity import terminal_distances
from obroute.design.expansion import full_prices
from obroute.design.problem import DesignProblem
from obroute.design.solving import solved
from obroute.design.task import DesignTask
from obroute.loads import uniform_loads
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import IntArray, RationalArray, multiply_sum
from obroute.routing import Routing
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.specs import CertificateError
from obroute.symmetry import focus_channels

LARGEST_EXACT = 2**53
"""Whole numbers up to which floats are exact."""
BEST = "optimal:objective=capacity"
"""The routing that the linear program designs."""


@dataclass(frozen=True, eq=False)
class AllToAll(Answer):
    """The load of all-to-all traffic by a routing, and the least of all, proved.

    Parameters
    ----------
    network, routing
        Of what.
    load, channel
        Its largest load over bandwidth when every source sends what it may inject, divided among
        all destinations, and a channel that has it.
    least_load
        The least of all routings.
    best
        The name of a routing that has it.
    lengths
        Of the channels; they prove that none has less.
    """

    network: Network
    routing: Routing
    load: Fraction
    channel: int
    least_load: Fraction
    best: str
    lengths: IntArray

    @property
    def shares(self) -> Fraction:
        """What all destinations eject: with unit terminals, packets that each source sends."""
        return self.network.ejection.sum()

    @property
    def time(self) -> Fraction:
        """Cycles until every unit terminal has sent a packet to each: of one all-to-all."""
        return self.load * self.shares

    @property
    def least_time(self) -> Fraction:
        """The least such time."""
        return self.least_load * self.shares


def all_to_all(network: Network, routing: Routing) -> AllToAll:
    """Return the load of all-to-all traffic by a routing, and the least of all with its proof.

    Raises
    ------
    InputError
        If the routing is not defined on the network.
    CertificateError
        If the least load found is not proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = all_to_all(make_network("kautz:d=2,D=3"), make_routing("ecmp"))
    >>> str(found.time), str(found.least_time), found.best
    ('15', '43/3', 'optimal:objective=capacity')
    """
    routing.check(network)
    load, fullest = _fullest(network, routing)
    least, best, lengths = _least(network, routing, load, fullest)
    if proved_by(network, lengths) != least:
        raise CertificateError(f"the lengths do not prove a least load of {least}")
    return AllToAll(network, routing, load, int(fullest[0]), least, best, lengths)


def _fullest(network: Network, routing: Routing) -> tuple[Fraction, IntArray]:
    """Return the largest load over bandwidth, and every channel that has it."""
    focus = focus_channels(network, routing.symmetries(network))
    loads = uniform_loads(network, routing, focus.channels.tolist())
    over = [load / network.bandwidth.fraction(channel) for channel, load in loads.items()]
    largest = max(over)
    has = np.array([load == largest for load in over])
    return largest, np.flatnonzero(has[focus.labels]).astype(np.int64)


def _least(
    network: Network, routing: Routing, load: Fraction, fullest: IntArray
) -> tuple[Fraction, str, IntArray]:
    """Return the least load, a routing that has it, and lengths that prove it."""
    for lengths in _suggested(network, fullest):
        if proved_by(network, lengths) == load:
            return load, routing.name, lengths
    other = EqualCostMultipath()
    if routing.name != other.name:
        its_load, its_fullest = _fullest(network, other)
        for lengths in _suggested(network, its_fullest):
            if proved_by(network, lengths) == its_load:
                return its_load, other.name, lengths
    task = DesignTask(DesignProblem(network, "capacity"))
    exact = solved(task, "load")[2]
    if exact is None:
        raise CertificateError(f"no exact optimum of all-to-all is found for {network.name}")
    _, charges = full_prices(task, exact.duals, "load")
    return exact.objective, BEST, _whole(charges)


def _suggested(network: Network, fullest: IntArray) -> Iterator[IntArray]:
    """Yield lengths that may prove a load: hops, and crossings of the fullest channels."""
    yield np.ones(network.channel_count, dtype=np.int64)
    lengths = np.zeros(network.channel_count, dtype=np.int64)
    lengths[fullest] = 1
    yield lengths


def _whole(lengths: RationalArray) -> IntArray:
    """Return lengths times a common factor, in lowest terms."""
    reduced = lengths.reduced().numerators
    divisor = np.gcd.reduce(reduced)
    return reduced // divisor if divisor else reduced


def proved_by(network: Network, lengths: IntArray) -> Fraction:
    """Return the load of all-to-all traffic that lengths of channels prove for every routing."""
    many = network.node_count  # the shortest by length, and of these the fewest hops
    if int(lengths.max(initial=0)) * many * many >= LARGEST_EXACT:
        return checked_bound(network, lengths)
    distances = terminal_distances(network, lengths.astype(np.int64) * many + 1)
    rows, columns = network.uniform_weight()
    crossed = multiply_sum((distances // many).astype(np.int64), columns)
    return rows.times(crossed).sum() / _width(network, lengths)


def _width(network: Network, lengths: IntArray) -> Fraction:
    bandwidths = network.bandwidth
    total = sum(int(w) * int(b) for w, b in zip(lengths, bandwidths.numerators, strict=True))
    if total <= 0 or min(lengths.tolist()) < 0:
        raise CertificateError("lengths of channels: one is negative, or all are zero")
    return Fraction(total, bandwidths.denominator)


def checked_bound(network: Network, lengths: IntArray) -> Fraction:
    """Return what :func:`proved_by` does, in whole numbers of any size and by other code.

    Raises
    ------
    CertificateError
        If a length is negative, or all are zero.
    """
    width = _width(network, lengths)
    out: list[list[tuple[int, int]]] = [[] for _ in range(network.node_count)]
    for tail, head, length in zip(
        network.tail.tolist(), network.head.tolist(), lengths.tolist(), strict=True
    ):
        out[tail].append((head, length))
    amounts = list(zip(network.destinations.tolist(), network.ejection.fractions(), strict=True))
    crossed = Fraction(0)
    for source, injection in zip(
        network.sources.tolist(), network.injection.fractions(), strict=True
    ):
        distance = {source: 0}
        heap = [(0, source)]
        while heap:
            there, node = heapq.heappop(heap)
            if there > distance[node]:
                continue
            for head, length in out[node]:
                if head not in distance or there + length < distance[head]:
                    distance[head] = there + length
                    heapq.heappush(heap, (there + length, head))
        crossed += injection * sum((q * distance[node] for node, q in amounts), Fraction(0))
    return crossed / network.ejection.sum() / width
