"""Prices of every (source, destination, channel), checked against what they charge the channels.

They may be asked of the flows of any routing if, for each channel c, they are ``charge_c`` times
traffic that the terminals can send (rows at most ``charge_c`` times the injection bandwidths,
columns likewise): its load is at most ``bandwidth_c`` times the worst case. Given traffic and
sampled matrices take the place of the traffic of a channel.

Nothing is known here of where prices come from. Only where the objective itself speaks of a group,
the mean over a sample together with its images, orbits are found once more, from generators that
are checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.compiled import compiled
from obroute.design.carriers import Carriers
from obroute.design.integers import carried_over, limb_count, negative, to_limbs
from obroute.design.triple_orbits import Turn, triple_orbits
from obroute.network import Network
from obroute.rational import IntArray, RationalArray

Index = NDArray[np.int32]
Matrix = tuple[IntArray, IntArray, RationalArray]
"""Traffic: positions of sources and destinations, and amounts (packets per cycle)."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices of every (source, destination, channel), checked against what they charge.

    Parameters
    ----------
    values
        The distinct prices, none negative.
    index
        Gives the number of the price of each destination and channel for the source at a
        position; -1 where the price is zero.
    charge
        What a unit of load costs in all: Σ charge · bandwidth.
    carriers
        What carries the prices of the first source to the other sources: only those of the first
        are then looked at. None where each source has prices of its own.
    """

    values: RationalArray
    index: Callable[[int], Index]
    charge: Fraction
    carriers: Carriers | None = None


def worst_case_prices(
    network: Network,
    values: RationalArray,
    index: Callable[[int], Index],
    charges: RationalArray,
    carriers: Carriers | None = None,
) -> Prices:
    """Return prices that are, for each channel, ``charges[c]`` times traffic of the terminals.

    With ``carriers``, the prices of the other sources are those of the first, carried there.

    Raises
    ------
    CertificateError
        If a price is negative, or the prices of a channel are more traffic than a terminal may
        send or receive; with carriers, if a channel is charged more than one it is carried to.
    """
    common = math.lcm(values.denominator, charges.denominator)
    prices, most = nonnegative(values, common), nonnegative(charges, common)
    scale = math.lcm(network.injection.denominator, network.ejection.denominator)
    injection, ejection = (
        [int(amount) for amount in terminals.over(scale)]
        for terminals in (network.injection, network.ejection)
    )
    largest = max([*prices, 0]) * scale * max(len(injection), len(ejection))
    limbs = limb_count(max(largest, max([*most, 0]) * max(injection + ejection)))
    table = price_table([price * scale for price in prices], limbs)
    limit = to_limbs(most, limbs)
    if carriers is not None:
        _, codes = np.unique(charges.numerators, return_inverse=True)
        if not carriers.keep(codes):
            raise CertificateError("channels that are carried to each other are charged unequally")
        firsts = index(0)
        sent = np.zeros((*firsts.shape, limbs), dtype=np.int64)
        _within(_add_up(firsts, table, sent), limit, injection[0], "the first source")
        ends = network.destination_index[carriers.nodes[:, network.destinations[0]]]
        received = _carried_up(firsts, table, ends, carriers.channels)
        _within(received, limit, ejection[0], "the first destination")
        return Prices(values, index, charges.times(network.bandwidth).sum(), carriers)
    columns = np.zeros((len(ejection), network.channel_count, limbs), dtype=np.int64)
    for place, amount in enumerate(injection):
        rows = _add_up(index(place), table, columns)
        _within(rows, limit, amount, f"source number {place}")
    for place, amount in enumerate(ejection):
        _within(columns[place], limit, amount, f"destination number {place}")
    return Prices(values, index, charges.times(network.bandwidth).sum())


def traffic_prices(network: Network, amounts: RationalArray, charges: RationalArray) -> Prices:
    """Return prices that are the same traffic (sources × destinations) for every channel.

    Raises
    ------
    CertificateError
        If a charge is negative.
    """
    nonnegative(charges, charges.denominator)
    levels, level = np.unique(amounts.numerators, return_inverse=True)
    kinds, kind = np.unique(charges.numerators, return_inverse=True)
    level = level.reshape(amounts.shape)
    values = (levels.astype(object)[:, None] * kinds.astype(object)[None, :]).ravel()

    def index(place: int) -> Index:
        return np.asarray((level[place][:, None] * len(kinds) + kind[None, :]).astype(np.int32))

    return Prices(
        RationalArray(values, amounts.denominator * charges.denominator),
        index,
        charges.times(network.bandwidth).sum(),
    )


def sample_prices(
    network: Network,
    matrices: Sequence[Matrix],
    rows: Sequence[tuple[int, int]],
    charges: RationalArray,
    generators: Sequence[Turn],
) -> Prices:
    """Return prices that are sampled traffic, averaged over all its images under a group.

    ``charges[i]`` is what ``rows[i]``, a matrix and a channel, charges for a unit of the largest
    load of that matrix.

    Raises
    ------
    CertificateError
        If a charge is negative, or a generator is no symmetry of the network.
    """
    nonnegative(charges, charges.denominator)
    by_matrix = [Fraction(0)] * len(matrices)
    total: dict[int, int] = {}
    sizes, labels = triple_orbits(network, generators)
    unit = math.lcm(*(amounts.denominator for _, _, amounts in matrices))
    for place, (number, channel) in enumerate(rows):
        charge = int(charges.numerators[place])
        by_matrix[number] += charges.fraction(place) * network.bandwidth.fraction(channel)
        sources, destinations, amounts = matrices[number]
        triples = (sources * len(network.destinations) + destinations) * network.channel_count
        for label, amount in zip(
            labels[triples + channel].tolist(), amounts.over(unit).tolist(), strict=True
        ):
            total[label] = total.get(label, 0) + charge * amount
    priced = sorted(total)
    number_of = np.full(len(sizes), -1, dtype=np.int32)
    number_of[priced] = np.arange(len(priced))
    shape = (len(network.destinations), network.channel_count)
    step = shape[0] * shape[1]

    def index(place: int) -> Index:
        return np.asarray(number_of[labels[place * step : (place + 1) * step]].reshape(shape))

    shared = math.lcm(*(int(size) for size in np.unique(sizes[priced])))
    values = np.array(
        [total[label] * (shared // int(sizes[label])) for label in priced], dtype=object
    )
    prices = RationalArray(values, unit * charges.denominator * shared)
    return Prices(prices, index, max(by_matrix) * len(matrices))


def nonnegative(values: RationalArray, common: int) -> list[int]:
    """Return numerators over a common denominator, none of them negative.

    Raises
    ------
    CertificateError
        If one is.
    """
    numerators = [int(value) for value in values.over(common)]
    if min(numerators, default=0) < 0:
        raise CertificateError("a price or a charge is below zero, and proves nothing")
    return numerators


def price_table(values: Sequence[int], limbs: int) -> IntArray:
    """Return the limbs of the values, and zero in the last place, for -1."""
    return np.concatenate([to_limbs(values, limbs), np.zeros((1, limbs), dtype=np.int64)])


@compiled
def _add_up(index: Index, table: IntArray, columns: IntArray) -> IntArray:  # pragma: no cover
    """Add the prices of a source to the sums of its destinations; return those over them."""
    destinations, channels = index.shape
    limbs = table.shape[1]
    rows = np.zeros((channels, limbs), dtype=np.int64)
    for destination in range(destinations):
        for channel in range(channels):
            number = index[destination, channel]
            if number >= 0:
                for limb in range(limbs):
                    rows[channel, limb] += table[number, limb]
                    columns[destination, channel, limb] += table[number, limb]
    return rows


@compiled
def _carried_up(
    index: Index, table: IntArray, ends: IntArray, channels: NDArray[np.int32]
) -> IntArray:  # pragma: no cover  # compiled
    """Add the prices of a destination over all sources, for each channel.

    ``ends`` and ``channels`` say, for each source, which destination and channels of the first
    source they are carried from.
    """
    sources, count = channels.shape
    limbs = table.shape[1]
    sums = np.zeros((count, limbs), dtype=np.int64)
    for source in range(sources):
        for channel in range(count):
            number = index[ends[source], channels[source, channel]]
            if number >= 0:
                for limb in range(limbs):
                    sums[channel, limb] += table[number, limb]
    return sums


def _within(sums: IntArray, limit: IntArray, amount: int, what: str) -> None:
    """Check the sums of a terminal's prices, one a channel, against its bandwidth."""
    over = np.flatnonzero(negative(carried_over(limit * amount) - carried_over(sums)))
    if over.size:
        raise CertificateError(
            f"channel {int(over[0])}: the prices of {what} are more traffic than it may have"
        )
