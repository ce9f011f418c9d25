"""A design as a routing of the whole network: flow conserved for every pair, its load and length.

Nothing of the program or of its orbits is used: what the routing says that its packets do is read
pair by pair and channel by channel, through the contract that every routing fulfils. A claimed
symmetry only spares matchings: the pair loads of a channel must be, entry by entry, those of the
channel that stands for it, carried to other terminals of the same bandwidths.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from obroute.design.full_problem import ListedPaths
from obroute.design.integers import (
    carried_over,
    from_limbs,
    limb_count,
    negative,
    nonzero,
    to_limbs,
)
from obroute.design.triple_orbits import Turn
from obroute.loads import largest_normalised_load, traffic_loads
from obroute.matching import CertificateError, check_certificate, worst_case
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing


def checked_path_length(network: Network, routing: Routing) -> Fraction:
    """Return the mean path length (hops) of a routing, having checked the flow of every pair.

    One unit must leave every source for every destination, and what enters any other node must
    leave it.

    Raises
    ------
    CertificateError
        Names the first pair whose flow is none.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> checked_path_length(make_network("torus:4x4"), make_routing("valiant"))
    Fraction(4, 1)
    """
    total = Fraction(0)
    weights = network.ejection.fractions()
    for place, source in enumerate(network.sources.tolist()):
        starts = np.full(len(network.destinations), source)
        loads = routing.channel_loads(network, starts, network.destinations)
        hops = _conserved(network, source, loads)
        shortest = network.distances[place, network.destinations]
        if np.any(hops.to_float() < shortest * (1 - 1e-12)):
            raise CertificateError(f"a flow from {network.describe(source)} skips channels")
        mean = sum((h * w for h, w in zip(hops.fractions(), weights, strict=True)), Fraction(0))
        total += mean * network.injection.fraction(place)
    return total / (network.injection.sum() * network.ejection.sum())


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


def _conserved(network: Network, source: int, loads: SparseRationalMatrix) -> RationalArray:
    """Check the flows from a source to all destinations; return the hops of each."""
    unit, numerators = loads.values.denominator, loads.values.numerators
    largest = max(int(numerators.max(initial=0)), unit)
    limbs = limb_count(largest * network.channel_count)
    amounts = to_limbs(numerators, limbs)
    ends = network.destinations
    balance, hops = _sums(network, loads, amounts)
    demand = to_limbs([unit], limbs)[0]
    away = np.flatnonzero(ends != source)
    balance[away, source] -= demand
    balance[away, ends[away]] += demand
    wrong = np.argwhere(nonzero(balance))
    below = np.flatnonzero(negative(amounts))
    if len(wrong) or len(below):
        place = int(wrong[0][0]) if len(wrong) else int(loads.rows[below[0]])
        raise CertificateError(
            f"the flow from {network.describe(source)} to {network.describe(int(ends[place]))} "
            "is no unit of flow"
        )
    return RationalArray(np.array(from_limbs(carried_over(hops)), dtype=object), unit)


def _sums(
    network: Network, loads: SparseRationalMatrix, amounts: IntArray
) -> tuple[IntArray, IntArray]:
    """Return what leaves each node less what enters it, and the hops, of each destination."""
    channels = np.arange(network.channel_count)
    ones = np.ones(network.channel_count, dtype=np.int64)
    incidence = csr_array(
        (
            np.concatenate([ones, -ones]),
            (np.tile(channels, 2), np.concatenate([network.tail, network.head])),
        ),
        shape=(network.channel_count, network.node_count),
    )
    flows = [
        csr_array((amounts[:, limb].copy(), (loads.rows, loads.columns)), shape=loads.shape)
        for limb in range(amounts.shape[1])
    ]
    balance = np.stack([(flow @ incidence).toarray() for flow in flows], axis=-1)
    return balance, np.stack([flow.sum(axis=1) for flow in flows], axis=-1)


def checked_worst_case(
    network: Network, routing: Routing, focus: Iterable[tuple[int, Iterable[Turn]]]
) -> Fraction:
    """Return the worst-case load over bandwidth of any channel of a routing.

    Each focus channel gets a matching, whose certificate is checked. It comes with claimed
    symmetries that carry it to other channels, which must have the same pair loads in another
    order.

    Raises
    ------
    CertificateError
        If a channel is like no focus channel, or not as claimed.
    """
    largest = Fraction(0)
    seen = np.zeros(network.channel_count, dtype=np.bool_)
    for channel, copies in focus:
        loads = routing.pair_loads(network, channel)
        worst = worst_case(loads, network.injection, network.ejection, channel)
        check_certificate(worst, loads, network.injection, network.ejection)
        largest = max(largest, worst.load / network.bandwidth.fraction(channel))
        seen[channel] = True
        for turn in copies:
            other = int(turn[1][channel])
            if not seen[other]:
                _check_copy(network, routing, loads, channel, other, turn)
                seen[other] = True
    if not seen.all():
        raise CertificateError(f"channel {int(np.flatnonzero(~seen)[0])} was not looked at")
    return largest


def _check_copy(
    network: Network,
    routing: Routing,
    loads: SparseRationalMatrix,
    channel: int,
    other: int,
    turn: Turn,
) -> None:
    """Check that the pair loads of a channel are those of another one, carried elsewhere."""
    nodes, _, reverses = turn
    ends = ((network.sources, network.injection), (network.destinations, network.ejection))
    index = (network.source_index, network.destination_index)
    images: list[IntArray] = []
    right = network.bandwidth.fraction(channel) == network.bandwidth.fraction(other)
    for which in range(2):
        there = 1 - which if reverses else which
        image = index[there][nodes[ends[which][0]]]
        full = np.array_equal(np.sort(image), np.arange(len(ends[there][0])))
        right = right and full and _alike(ends[which][1], ends[there][1].take(image))
        images.append(image)
    rows, columns = images[0][loads.rows], images[1][loads.columns]
    if reverses:
        rows, columns = columns, rows
    order = np.argsort(rows * loads.shape[1] + columns)
    found = routing.pair_loads(network, other)
    if not (
        right
        and np.array_equal(found.rows, rows[order])
        and np.array_equal(found.columns, columns[order])
        and _alike(found.values, loads.values.take(order))
    ):
        raise CertificateError(
            f"channel {other} is not loaded as channel {channel}, though a symmetry says so"
        )


def _alike(left: RationalArray, right: RationalArray) -> bool:
    if left.denominator == right.denominator:
        return bool(np.array_equal(left.numerators, right.numerators))
    return left.fractions() == right.fractions()


def checked_traffic_load(network: Network, routing: Routing, amounts: RationalArray) -> Fraction:
    """Return the largest load over bandwidth under traffic (sources × destinations)."""
    rows, columns = np.nonzero(amounts.numerators)
    loads = traffic_loads(
        network,
        routing,
        network.sources[rows],
        network.destinations[columns],
        amounts.take((rows, columns)),
    )
    return largest_normalised_load(network, loads)[0]
