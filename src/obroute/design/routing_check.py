"""A design as a routing of the whole network: flow conserved for every pair, its load and length.

Nothing of the program or of its orbits is used: what the routing says that its packets do is read
pair by pair and channel by channel, through the contract that every routing fulfils. A claimed
symmetry only spares matchings: the pair loads of a channel must be, entry by entry, those of the
channel that stands for it, carried to other terminals of the same bandwidths.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.certificates import CertificateError, check_certificate
from obroute.compiled import compiled
from obroute.design.carried_flows import CarriedFlows
from obroute.design.carriers import Carriers
from obroute.design.full_problem import ListedPaths
from obroute.design.integers import (
    LIMB_BITS,
    MASK,
    from_limbs,
    limb_count,
    to_limbs,
)
from obroute.design.prices import Matrix
from obroute.design.triple_orbits import Turn
from obroute.loads import LOADS_AT_ONCE, largest_normalized_load
from obroute.matching import worst_case
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing

PART_BITS = 12
"""Amounts are multiplied with limbs in parts: 12 + 40 bits, and room to add 1,000 up."""


@dataclass(frozen=True, eq=False)
class _Block:
    """The flows of some sources: a sparse matrix pairs × channels for each limb."""

    sources: range
    denominator: int
    limbs: list[csr_array]

    @classmethod
    def of(cls, sources: range, loads: SparseRationalMatrix, amounts: IntArray) -> _Block:
        """Take the loads of all pairs of some sources; ``amounts`` holds the limbs of each."""
        where = loads.columns.astype(np.int32), loads.row_pointers()
        limbs = [
            csr_array((amounts[:, limb].copy(), *where), shape=loads.shape)
            for limb in range(amounts.shape[1])
        ]
        return cls(sources, loads.values.denominator, limbs)


@dataclass(frozen=True, eq=False)
class CheckedFlows:
    """The flow of every pair of a routing, found to be one unit from source to destination.

    Parameters
    ----------
    network
        The network.
    path_length
        The mean path length (hops) under uniform traffic.
    blocks
        The flows, where they were to be kept.
    """

    network: Network
    path_length: Fraction
    blocks: list[_Block]

    @classmethod
    def of(
        cls,
        network: Network,
        routing: Routing,
        *,
        keep: bool = False,
        carriers: Carriers | None = None,
    ) -> CheckedFlows:
        """Read the flows of a routing and check each.

        One unit must leave every source for every destination, and what enters any other node
        must leave it. ``keep`` them for :meth:`largest_loads`. With ``carriers``, those of the
        first source are read, and are carried to the others.

        Raises
        ------
        CertificateError
            Names the first pair whose flow is none.

        Examples
        --------
        >>> from obroute import make_network, make_routing
        >>> CheckedFlows.of(make_network("torus:4x4"), make_routing("valiant")).path_length
        Fraction(4, 1)
        """
        total, blocks = Fraction(0), []
        received = network.ejection.numerators.astype(object)
        ends = len(network.destinations)
        step = max(1, LOADS_AT_ONCE // (ends * network.channel_count))
        count = len(network.sources) if carriers is None else 1
        for first in range(0, count, step):
            places = range(first, min(first + step, count))
            loads, amounts, hops = _conserved(network, routing, places)
            sent = network.injection.numerators[places.start : places.stop].astype(object)
            hops_of_source = hops.reshape(len(places), ends) @ received
            total += Fraction(int(sent @ hops_of_source), loads.values.denominator)
            if keep:
                blocks.append(_Block.of(places, loads, amounts))
        if carriers is not None:
            total *= len(network.sources)
        units = int(network.injection.numerators.sum()) * int(received.sum())
        return cls(network, total / units, blocks)

    def largest_loads(self, traffic: Sequence[Matrix]) -> list[Fraction]:
        """Return the largest load over bandwidth under each of several traffic matrices."""
        network = self.network
        common = math.lcm(*(block.denominator for block in self.blocks))
        loads = np.zeros((len(traffic), network.channel_count), dtype=object)
        for block in self.blocks:
            for shift, part in _parts(network, block.sources, traffic):
                for limb, flows in enumerate(block.limbs):
                    sums = (part @ flows).toarray().astype(object)
                    loads += (sums << (shift + LIMB_BITS * limb)) * (common // block.denominator)
        return [
            largest_normalized_load(network, RationalArray(row, common * amounts.denominator))[0]
            for row, (_, _, amounts) in zip(loads, traffic, strict=True)
        ]


def _parts(
    network: Network, places: range, traffic: Sequence[Matrix]
) -> Iterator[tuple[int, csr_array]]:
    """Give the traffic of some sources, a row a matrix, in parts of few bits with their shifts."""
    rows, columns, values = [], [], []
    for number, (sources, destinations, amounts) in enumerate(traffic):
        mine = np.flatnonzero((sources >= places.start) & (sources < places.stop))
        rows.append(np.full(len(mine), number))
        pairs = (sources[mine] - places.start) * len(network.destinations) + destinations[mine]
        columns.append(pairs)
        values.append(amounts.numerators[mine].astype(object))
    every = np.concatenate(values)
    shape = (len(traffic), len(places) * len(network.destinations))
    for shift in range(0, max(int(max(every, default=0)).bit_length(), 1), PART_BITS):
        part = ((every >> shift) & ((1 << PART_BITS) - 1)).astype(np.int64)
        yield (
            shift,
            csr_array((part, (np.concatenate(rows), np.concatenate(columns))), shape=shape),
        )


def check_paths(network: Network, routing: Routing, listed: ListedPaths) -> None:
    """Check that every pair takes listed paths only.

    Raises
    ------
    CertificateError
        Names the first pair that does not.
    """
    for place, source in enumerate(network.sources.tolist()):
        paths = listed(place)
        lasts = np.cumsum(paths.hops)
        may_take: dict[int, set[bytes]] = {}
        for end, first, last in zip(
            paths.ends.tolist(), (lasts - paths.hops).tolist(), lasts.tolist(), strict=True
        ):
            may_take.setdefault(end, set()).add(paths.channels[first:last].tobytes())
        for end, destination in enumerate(network.destinations.tolist()):
            if source == destination:
                continue
            for _, path in routing.paths(network, source, destination):
                if np.array(path, dtype=np.int64).tobytes() not in may_take[end]:
                    raise CertificateError(
                        f"a path from {network.describe(source)} to "
                        f"{network.describe(destination)} is not in the set of paths"
                    )


def _conserved(
    network: Network, routing: Routing, places: range
) -> tuple[SparseRationalMatrix, IntArray, NDArray[Any]]:
    """Check the flows from some sources to all destinations.

    Return them, the limbs of their numerators, and the hops of each pair, which are integers over
    the denominator of the flows.
    """
    ends = len(network.destinations)
    starts = np.repeat(network.sources[places.start : places.stop], ends)
    stops = np.tile(network.destinations, len(places))
    loads = routing.channel_loads(network, starts, stops)
    unit, numerators = loads.values.denominator, loads.values.numerators
    largest = max(int(numerators.max(initial=0)), unit)
    amounts = to_limbs(numerators, limb_count(largest * network.channel_count))
    wrong, hops = _balanced(
        loads.row_pointers(),
        loads.columns,
        amounts,
        network.tail,
        network.head,
        starts,
        stops,
        to_limbs([unit], amounts.shape[1])[0],
        network.node_count,
    )
    if wrong < 0:
        wrong = next(iter(loads.rows[numerators < 0].tolist()), -1)
    if wrong >= 0:
        raise CertificateError(
            f"the flow from {network.describe(int(starts[wrong]))} to "
            f"{network.describe(int(stops[wrong]))} is no unit of flow"
        )
    counted = np.array(from_limbs(hops), dtype=object)
    shortest = network.distances[places.start : places.stop][:, network.destinations].ravel()
    if np.any(counted < shortest.astype(np.int64).astype(object) * unit):
        raise CertificateError("a flow has fewer hops than a shortest path")
    return loads, amounts, counted


@compiled
def _balanced(
    rows: IntArray,
    channels: IntArray,
    amounts: IntArray,
    tail: IntArray,
    head: IntArray,
    starts: IntArray,
    stops: IntArray,
    demand: IntArray,
    nodes: int,
) -> tuple[int, IntArray]:  # pragma: no cover  # compiled
    """Return the first pair whose flow is not balanced at every node, or -1; and limbs of hops.

    The entries of pair i are from ``rows[i]`` to ``rows[i + 1]``. A unit, ``demand``, leaves the
    start of a pair and enters its stop; elsewhere as much leaves a node as enters it.
    """
    limbs = amounts.shape[1]
    hops = np.zeros((len(starts), limbs), dtype=np.int64)
    balance = np.empty((nodes, limbs), dtype=np.int64)
    for pair in range(len(starts)):
        balance[:] = 0
        for entry in range(rows[pair], rows[pair + 1]):
            leaves, enters = tail[channels[entry]], head[channels[entry]]
            for limb in range(limbs):
                amount = amounts[entry, limb]
                hops[pair, limb] += amount
                balance[leaves, limb] += amount
                balance[enters, limb] -= amount
        if starts[pair] != stops[pair]:
            for limb in range(limbs):
                balance[starts[pair], limb] -= demand[limb]
                balance[stops[pair], limb] += demand[limb]
        for node in range(nodes):
            carry = 0
            for limb in range(limbs):
                left = balance[node, limb] + carry
                carry = left >> LIMB_BITS
                if left & MASK if limb < limbs - 1 else left:
                    return pair, hops
    return -1, hops


def checked_worst_case(network: Network, routing: Routing, channels: Iterable[int]) -> Fraction:
    """Return the largest worst-case load over bandwidth of given channels of a routing.

    Each gets a matching, whose certificate is checked.
    """
    largest = Fraction(0)
    for channel in channels:
        loads = routing.pair_loads(network, channel)
        worst = worst_case(loads, network.injection, network.ejection, channel)
        check_certificate(worst, loads, network.injection, network.ejection)
        largest = max(largest, worst.load / network.bandwidth.fraction(channel))
    return largest


def check_copies(
    network: Network,
    routing: Routing,
    focus: Iterable[tuple[int, Iterable[Turn]]],
    carriers: Carriers | None = None,
) -> None:
    """Check that every channel has the worst case of a focus channel.

    A focus channel comes with claimed symmetries that carry it to other channels. Those must have
    the same pair loads in another order of terminals of the same bandwidths. With ``carriers``,
    the flows are those of the first source, carried: then a channel has the pair loads of each
    that it is carried to, and is looked at for all of them.

    Raises
    ------
    CertificateError
        If a channel is like no focus channel, or not as claimed.
    """
    seen = np.zeros(network.channel_count, dtype=np.bool_)
    carried = None if carriers is None else CarriedFlows.of(network, routing, carriers)
    if carried is not None:
        carried.check_sources(routing)

    def look_at(channel: int) -> SparseRationalMatrix:
        loads = routing.pair_loads(network, channel)
        if carried is None:
            seen[channel] = True
        else:
            carried.check_channel(loads, channel)
            seen[carried.carriers.orbit(channel)] = True
        return loads

    for channel, copies in focus:
        dense = _dense(look_at(channel))
        for turn in copies:
            other = int(turn[1][channel])
            if not seen[other]:
                _check_copy(network, look_at(other), dense, channel, turn)
    if not seen.all():
        raise CertificateError(f"channel {int(np.flatnonzero(~seen)[0])} was not looked at")


def _check_copy(
    network: Network, theirs: SparseRationalMatrix, loads: RationalArray, channel: int, turn: Turn
) -> None:
    """Check that pair loads are those of a channel, carried to another one by a symmetry."""
    nodes, channels, reverses = turn
    other = int(channels[channel])
    ends = ((network.sources, network.injection), (network.destinations, network.ejection))
    index = (network.source_index, network.destination_index)
    origins: list[IntArray] = []
    right = network.bandwidth.fraction(channel) == network.bandwidth.fraction(other)
    for which in range(2):
        there = 1 - which if reverses else which
        image = index[there][nodes[ends[which][0]]]
        full = np.array_equal(np.sort(image), np.arange(len(ends[there][0])))
        right = right and full and _alike(ends[which][1], ends[there][1].take(image))
        origins.append(np.argsort(image, kind="stable"))
    if right and theirs.nonzeros == np.count_nonzero(loads.numerators):
        places = (theirs.columns, theirs.rows) if reverses else (theirs.rows, theirs.columns)
        carried = loads.numerators[origins[0][places[0]], origins[1][places[1]]]
        right = _alike(theirs.values, RationalArray(carried, loads.denominator))
    else:
        right = False
    if not right:
        raise CertificateError(
            f"channel {other} is not loaded as channel {channel}, though a symmetry says so"
        )


def _dense(loads: SparseRationalMatrix) -> RationalArray:
    matrix = np.zeros(loads.shape, dtype=loads.values.numerators.dtype)
    matrix[loads.rows, loads.columns] = loads.values.numerators
    return RationalArray(matrix, loads.values.denominator)


def _alike(left: RationalArray, right: RationalArray) -> bool:
    if left.denominator == right.denominator:
        return bool(np.array_equal(left.numerators, right.numerators))
    return left.fractions() == right.fractions()
