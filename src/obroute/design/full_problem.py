"""Lower bounds of the design problem as it is written: every pair, every channel, no symmetry.

Checked prices ``q`` of every (source, destination, channel) prove a bound
(:mod:`obroute.design.prices`): under any routing with loads of at most ``w``::

    charge · w  ≥  Σ q(s, d, c) · flow(s, d, c)  ≥  Σ_(s, d) cheapest path,

because the traffic that a channel is charged for loads it with at most ``bandwidth · w``, and the
unit of flow of a pair takes paths. A bound on the path length adds to the price of every hop.

Prices may come from anywhere, as the duals of a reduced program do when they are spread over their
orbits. This module knows nothing of orbits: it looks at every price, and finds the cheapest path
of every pair in exact integers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.certificates import CertificateError
from obroute.compiled import compiled
from obroute.design.integers import LIMB_BITS, MASK, from_limbs, least, limb_count, to_limbs
from obroute.design.prices import Index, Prices, nonnegative, price_table
from obroute.network import Network
from obroute.rational import IntArray


@dataclass(frozen=True, eq=False)
class FullBound:
    """What prices prove: ``charge · load + hops · mean path length ≥ cheapest`` for any routing.

    ``cheapest`` is the price of the cheapest path of every pair, added up, with ``hops`` for each
    unit of the mean path length.
    """

    cheapest: Fraction
    charge: Fraction
    hops: Fraction

    def least_load(self, path_length: Fraction | None = None) -> Fraction:
        """Return the least load of the routings of at most that mean path length (hops).

        Zero where the prices prove nothing of it.
        """
        if not self.charge:
            return Fraction(0)
        if path_length is None:
            return self.cheapest / self.charge if not self.hops else Fraction(0)
        return max((self.cheapest - self.hops * path_length) / self.charge, Fraction(0))

    def least_path_length(self, load: Fraction | None = None) -> Fraction:
        """Return the least mean path length (hops) of the routings of at most that load."""
        if not self.hops:
            return Fraction(0)
        if load is None:
            return self.cheapest / self.hops if not self.charge else Fraction(0)
        return max((self.cheapest - self.charge * load) / self.hops, Fraction(0))


@dataclass(frozen=True, eq=False)
class PathList:
    """Every path that packets of one source may take, one after the other.

    ``channels`` are those of the first path, of the second and so on; ``hops`` the number of
    each, at least one; ``ends`` the position of its destination, in ascending order.
    """

    channels: IntArray
    hops: IntArray
    ends: IntArray


ListedPaths = Callable[[int], PathList]
"""Gives the paths of the source at a position."""


def full_bound(
    network: Network,
    prices: Prices,
    hops: Fraction = Fraction(0),
    *,
    minimal: bool = False,
    listed: ListedPaths | None = None,
) -> FullBound:
    """Return what checked prices, and a price of ``hops`` on the mean path length, prove.

    Parameters
    ----------
    network, prices, hops
        The network, its checked prices, and the price of a unit of the mean path length; not
        negative.
    minimal
        Whether packets may take shortest paths only.
    listed
        Gives the paths that the packets of a source may take; None for all.

    Examples
    --------
    Each channel of a ring of three is charged a sixth for traffic that sends one packet over it:

    >>> from obroute import make_network
    >>> from obroute.design.prices import traffic_prices
    >>> from obroute.rational import RationalArray
    >>> ring = make_network("ring:3")
    >>> amounts = RationalArray.full(9, Fraction(1, 3)).take(np.arange(9).reshape(3, 3))
    >>> prices = traffic_prices(ring, amounts, RationalArray.full(6, Fraction(1, 6)))
    >>> full_bound(ring, prices).least_load()
    Fraction(1, 3)
    """
    injection, ejection = network.injection, network.ejection
    a_hop = hops / (injection.sum() * ejection.sum())
    unit = a_hop / (injection.denominator * ejection.denominator)
    common = math.lcm(prices.values.denominator, unit.denominator)
    values, per_unit = nonnegative(prices.values, common), int(unit * common)
    sent, received = injection.numerators.tolist(), ejection.numerators.tolist()
    most = max([*values, 0]) + per_unit * max(sent) * max(received)
    limbs = limb_count(most * network.node_count)
    table = price_table(values, limbs)
    order, starts = network.out_channels
    reach = dijkstra(network.adjacency, unweighted=True) if minimal else None
    total, places = 0, network.sources.tolist()
    if prices.carriers is not None:
        if listed is not None:
            raise ValueError("listed paths are those of each source")
        # Paths are carried with their prices: the cheapest cost as much from each source.
        places = places[:1]
    for place, source in enumerate(places):
        index = np.ascontiguousarray(prices.index(place), dtype=np.int32)
        added = to_limbs([per_unit * sent[place] * amount for amount in received], limbs)
        if listed is not None:
            total += _cheapest_listed(network, listed(place), source, index, table, added)
            continue
        if reach is None:
            allowed = np.ones((1, network.channel_count), dtype=np.bool_)
        else:
            through = (
                reach[source, network.tail] + 1 + reach[network.head][:, network.destinations].T
            )
            shortest = reach[source, network.destinations][:, None]
            allowed = np.ascontiguousarray(through == shortest)
        costs = _cheapest(
            order,
            starts,
            network.head,
            index,
            table,
            added,
            allowed,
            source,
            network.destinations,
        )
        if np.any(costs < 0):
            raise CertificateError(f"no path leads from node {network.describe(source)} on")
        total += sum(from_limbs(costs))
    if prices.carriers is not None:
        total *= len(network.sources)
    return FullBound(Fraction(total, common), prices.charge, hops)


def _cheapest_listed(
    network: Network,
    paths: PathList,
    source: int,
    index: Index,
    table: IntArray,
    added: IntArray,
) -> int:
    """Return the prices of the cheapest listed path to each destination, added up."""
    away = np.flatnonzero(network.destinations != source)
    if not np.array_equal(np.unique(paths.ends), away):
        raise CertificateError(f"no path is listed from {network.describe(source)} to some node")
    prices = table[index[np.repeat(paths.ends, paths.hops), paths.channels]]
    sums = np.add.reduceat(prices, np.cumsum(paths.hops) - paths.hops, axis=0)
    sums += paths.hops[:, None] * added[paths.ends]
    bounds = np.searchsorted(paths.ends, np.append(away, len(network.destinations)))
    cheapest = [least(sums[first:last]) for first, last in itertools.pairwise(bounds.tolist())]
    return sum(from_limbs(np.array(cheapest)))


@compiled
def _cheapest(
    order: IntArray,
    starts: IntArray,
    head: IntArray,
    index: Index,
    table: IntArray,
    added: IntArray,
    allowed: NDArray[Any],
    source: int,
    destinations: IntArray,
) -> IntArray:  # pragma: no cover  # compiled
    """Return the price of the cheapest path to each destination (Bellman and Ford, by a queue).

    A price below zero says that there is no path.
    """
    count, limbs = len(starts) - 1, table.shape[1]
    cheapest = np.zeros((len(destinations), limbs), dtype=np.int64)
    price = np.zeros((count, limbs), dtype=np.int64)
    known = np.zeros(count, dtype=np.bool_)
    waiting = np.zeros(count, dtype=np.bool_)
    queue = np.empty(count, dtype=np.int64)
    sums = np.empty(limbs, dtype=np.int64)
    for place in range(len(destinations)):
        destination = destinations[place]
        if destination == source:
            continue
        row = place if len(allowed) > 1 else 0
        known[:] = False
        known[source] = True
        price[source] = 0
        queue[0] = source
        first, waits = 0, 1
        while waits:
            node = queue[first]
            first = first + 1 if first + 1 < count else 0
            waits -= 1
            waiting[node] = False
            for at in range(starts[node], starts[node + 1]):
                channel = order[at]
                there = head[channel]
                if there == source or not allowed[row, channel]:
                    continue
                number = index[place, channel]
                carry = 0
                for limb in range(limbs):
                    reached = price[node, limb] + added[place, limb] + carry
                    if number >= 0:
                        reached += table[number, limb]
                    carry = reached >> LIMB_BITS
                    sums[limb] = reached & MASK
                if known[there] and not _less(sums, price[there]):
                    continue
                if known[destination] and not _less(sums, price[destination]):
                    continue
                known[there] = True
                price[there] = sums
                if there != destination and not waiting[there]:
                    waiting[there] = True
                    end = first + waits
                    queue[end if end < count else end - count] = there
                    waits += 1
        if known[destination]:
            cheapest[place] = price[destination]
        else:
            cheapest[place] = -1
    return cheapest


@compiled
def _less(left: IntArray, right: IntArray) -> bool:  # pragma: no cover  # compiled
    for limb in range(len(left) - 1, -1, -1):
        if left[limb] != right[limb]:
            return bool(left[limb] < right[limb])
    return False
