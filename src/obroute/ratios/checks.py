"""Bounds of oblivious ratios, checked on the whole network by code that knows no program.

Two sorts of proof, one for each side:

- *prices* of channels prove a ratio from above. With a price of π_e for each channel e, traffic
  that some routing carries with a utilization of 1 costs at most Σ bandwidth_e · π_e, and each of
  its packets at least the cheapest path. If a routing sends f(s, d) of a packet over channel h,
  the utilization of h is at most max f(s, d) / distance(s, d) times that, over its bandwidth.
- *flows* prove it from below. A flow from each source, of which nodes keep what they do not pass
  on, is traffic that a routing carries with the largest utilization of the flow.

Any prices and any flows prove something: nothing is believed of where they come from. They may be
carried to other channels by symmetries of the network, each of which is checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.design.full_problem import full_bound
from obroute.design.prices import Index, Prices
from obroute.design.triple_orbits import Turn, check_generators
from obroute.network import Network
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.routing import Routing

MOST_TRIPLES = 2**27
"""(source, destination, channel) whose prices are held at once, of four bytes each."""
FAR = 2**61
"""A distance that no path has: prices whose sum could reach it are added as Python integers."""


@dataclass(frozen=True, eq=False)
class ChannelProof:
    """What proves a ratio of one channel, and of those that symmetries carry it to.

    Parameters
    ----------
    channel
        The channel.
    prices
        The price of each channel, not negative; None where nothing loads the channel.
    flows
        What the traffic of each source sends over each channel, sources × channels (packets per
        cycle, at any scale, the same for all channels of a network).
    copies
        Symmetries that carry the channel to those that it stands for; several may carry it to one.
    """

    channel: int
    prices: RationalArray | None = field(repr=False)
    flows: RationalArray = field(repr=False)
    copies: Sequence[Turn] = field(repr=False)

    @property
    def multiplicity(self) -> int:
        """Number of channels that it stands for."""
        return len({_image(copy, self.channel) for copy in self.copies})


@dataclass(frozen=True, eq=False)
class Carried:
    """Traffic that a flow carries: amounts (sources × destinations), and its utilization."""

    amounts: RationalArray
    utilization: Fraction


def carried_traffic(network: Network, flows: RationalArray) -> Carried:
    """Return the traffic that a flow from each source carries, with its largest utilization.

    What other nodes than destinations keep is no traffic: without it, channels were no fuller.

    Raises
    ------
    CertificateError
        If a flow is negative, or a node passes on what it did not get.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:3")
    >>> flows = RationalArray.from_fractions([Fraction(int(e == 0)) for e in range(18)], (3, 6))
    >>> found = carried_traffic(ring, flows)
    >>> found.amounts.numerators.tolist(), found.utilization
    ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], Fraction(1, 1))
    """
    given = flows.numerators.astype(object)
    if given.shape != (len(network.sources), network.channel_count) or (given < 0).any():
        raise CertificateError("a flow is below zero, or is not one of each source and channel")
    kept = np.zeros((len(network.sources), network.node_count), dtype=object)
    for place in range(len(network.sources)):
        np.add.at(kept[place], network.head, given[place])
        np.subtract.at(kept[place], network.tail, given[place])
    kept[np.arange(len(network.sources)), network.sources] = 0
    if (kept < 0).any():
        raise CertificateError("a node passes on what it did not get")
    amounts = RationalArray(kept[:, network.destinations], flows.denominator)
    sums = given.sum(axis=0)
    fullest = max(
        Fraction(int(load), flows.denominator) / width
        for load, width in zip(sums, network.bandwidth.fractions(), strict=True)
    )
    return Carried(amounts, fullest)


def check_covered(network: Network, proofs: Sequence[ChannelProof]) -> None:
    """Check that every channel has a proof.

    Raises
    ------
    CertificateError
        If one has none.
    """
    covered = {_image(copy, proof.channel) for proof in proofs for copy in proof.copies}
    if covered != set(range(network.channel_count)):
        raise CertificateError("not every channel has a proof")


def ratio_from_above(network: Network, routing: Routing, proof: ChannelProof) -> Fraction:
    """Return a bound on the ratio of a channel, and of those that it stands for, from its prices.

    Raises
    ------
    CertificateError
        If the prices prove nothing.
    """
    check_generators(network, proof.copies)
    channels = [_image(copy, proof.channel) for copy in proof.copies]
    loads = routing.pair_loads_of_each(network, channels)
    if proof.prices is None:
        for channel, matrix in zip(channels, loads, strict=True):
            if PairsOn.of(network, matrix).rows.size:
                raise CertificateError(f"channel {channel} is loaded, and has no prices")
        return Fraction(0)
    distance = distances(network, proof.prices)
    cost = network.bandwidth.times(proof.prices).sum() * proof.prices.denominator
    highest = Fraction(0)
    for copy, channel, matrix in zip(proof.copies, channels, loads, strict=True):
        nodes, _, reverses = copy
        back = np.empty_like(nodes)
        back[nodes] = np.arange(len(nodes))
        pairs = PairsOn.of(network, matrix)
        starts = back[network.sources[pairs.rows]]
        ends = back[network.destinations[pairs.columns]]
        if reverses:
            starts, ends = ends, starts
        parts = pairs.loads.numerators.tolist(), distance[starts, ends].tolist()
        scale = cost / pairs.loads.denominator / network.bandwidth.fraction(channel)
        highest = max(highest, _largest_quotient(*parts) * scale)
    return highest


@dataclass(frozen=True, eq=False)
class PairsOn:
    """The pairs of two different nodes that load a channel: positions, and how much of each."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    loads: RationalArray

    @classmethod
    def of(cls, network: Network, matrix: SparseRationalMatrix) -> PairsOn:
        """Read the pair loads of a channel."""
        values = matrix.values
        loads = RationalArray.from_fractions(values.fractions()) if matrix.is_wide else values
        own = network.sources[matrix.rows] == network.destinations[matrix.columns]
        kept = np.flatnonzero(~own & (loads.numerators != 0))
        return cls(matrix.rows[kept], matrix.columns[kept], loads.take(kept))


def _largest_quotient(numerators: list[int], denominators: list[int]) -> Fraction:
    top, bottom = 0, 1
    for numerator, denominator in set(zip(numerators, denominators, strict=True)):
        if denominator <= 0:
            raise CertificateError("a pair that loads a channel has a path that costs nothing")
        if numerator * bottom > top * denominator:
            top, bottom = numerator, denominator
    return Fraction(top, bottom)


def distances(network: Network, prices: RationalArray) -> NDArray[Any]:
    """Return the price of the cheapest path between all nodes (Floyd), numerators over theirs.

    Raises
    ------
    CertificateError
        If a price is negative.
    """
    if (prices.numerators < 0).any() or len(prices) != network.channel_count:
        raise CertificateError("a price is below zero, or there is not one of each channel")
    total = sum(int(price) for price in prices.numerators)
    kind: Any = np.int64 if 2 * total < FAR else object
    reach = np.full((network.node_count,) * 2, FAR if kind is np.int64 else 2 * total + 1, kind)
    np.minimum.at(reach, (network.tail, network.head), prices.numerators.astype(kind))
    np.fill_diagonal(reach, 0)
    for middle in range(network.node_count):
        reach = np.minimum(reach, reach[:, middle, None] + reach[None, middle, :])
    return reach


def _image(copy: Turn, channel: int) -> int:
    return int(copy[1][channel])


def ratio_from_below(network: Network, routing: Routing, proof: ChannelProof) -> Fraction:
    """Return the ratio that the traffic of a channel shows a routing to have at least."""
    carried = carried_traffic(network, proof.flows)
    if not carried.utilization:
        return Fraction(0)
    pairs = PairsOn.of(network, routing.pair_loads(network, proof.channel))
    amounts = carried.amounts.take((pairs.rows, pairs.columns))
    load = amounts.times(pairs.loads).sum()
    return load / network.bandwidth.fraction(proof.channel) / carried.utilization


def least_ratio_from_below(network: Network, proofs: Sequence[ChannelProof]) -> Fraction:
    """Return a ratio that no oblivious routing of the network is below.

    Under any routing of ratio r, the load of channel h by its traffic is at most r times its
    bandwidth and the utilization of the traffic's flow; over all channels, the loads are at least
    what all pairs pay on cheapest paths, where channel h costs a pair what it sends in h's
    traffic.

    Raises
    ------
    CertificateError
        If flows or symmetries are none, or the network is too large.
    """
    shape = (len(network.sources), len(network.destinations), network.channel_count)
    if math.prod(shape) > MOST_TRIPLES:
        raise CertificateError(
            f"{network.name} is too large: {math.prod(shape):,} (source, destination, channel), "
            f"and up to {MOST_TRIPLES:,} are checked; nothing is proved"
        )
    number = np.full(shape, -1, dtype=np.int32)
    values: list[Fraction] = []
    charge = Fraction(0)
    sums: dict[int, RationalArray] = {}
    for proof in proofs:
        check_generators(network, proof.copies)
        carried = carried_traffic(network, proof.flows)
        for copy in proof.copies:
            channel = _image(copy, proof.channel)
            amounts = _carried_to(network, carried.amounts, copy)
            sums[channel] = sums[channel].plus(amounts) if channel in sums else amounts
            charge += network.bandwidth.fraction(channel) * carried.utilization
    for channel, amounts in sums.items():
        levels, level = np.unique(amounts.numerators, return_inverse=True)
        numbers = level.reshape(shape[:2]) + len(values)
        numbers[amounts.numerators == 0] = -1
        number[:, :, channel] = numbers
        values += [Fraction(int(one), amounts.denominator) for one in levels]

    def index(place: int) -> Index:
        return np.asarray(number[place])

    return full_bound(
        network, Prices(RationalArray.from_fractions(values), index, charge)
    ).least_load()


def _carried_to(network: Network, amounts: RationalArray, copy: Turn) -> RationalArray:
    """Return traffic as a symmetry carries it: backwards where that turns channels around."""
    nodes, _, reverses = copy
    starts, ends = nodes[network.sources], nodes[network.destinations]
    numerators = amounts.numerators
    if reverses:
        starts, ends, numerators = ends, starts, numerators.T
    image = np.zeros_like(amounts.numerators)
    image[np.ix_(network.source_index[starts], network.destination_index[ends])] = numerators
    return RationalArray(image, amounts.denominator)
