"""Is there a routing by weights of next hops below a load? All are tried, if few.

What is chosen for one destination is independent of the others: weights at every node whose
channels make no cycle. They are listed, once for each different set of loads. Destinations get
theirs one after the other, and a choice is given up as soon as a permutation of the destinations
that have theirs loads a channel too much: further ones only add to it. The most that those can put
on a channel is kept for every set of sources, so that one more destination is one more maximum
over its source. All is in whole numbers; what ends without a routing proves that there is none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.deployment.exhaustive import OutOfStepsError
from obroute.deployment.restrictions import Restriction, all_hops
from obroute.network import Network
from obroute.rational import IntArray

MOST_SOURCES = 10
MOST_ENTRIES, ENTRIES_A_STEP = 2**23, 2**16
"""Of what channels carry by sets of sources: all that one destination may do, and one step."""
WEIGHTS_A_STEP = 32
"""Weights that are chosen at a node in what counts as one step."""
LARGEST = 2**40

Weights = dict[int, tuple[int, ...]]
"""Of the channels out of each node."""


def no_weights_below(
    network: Network, restriction: Restriction, load: Fraction, steps: int
) -> bool | None:
    """Look for a routing by weights of next hops with less than a load.

    Parameters
    ----------
    network
        One whose terminals all inject and eject the same.
    restriction
        One of weights.
    load
        The load.
    steps
        Choices for a destination, or for many nodes on the way to one, at the most.

    Returns
    -------
    bool or None
        Whether it is proved that there is none; None where the steps ended.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:4")
    >>> no_weights_below(ring, Restriction("wcmp", weight=2), Fraction(1), 5000)
    True
    """
    if len(network.sources) > MOST_SOURCES:
        return None
    tried = _Tried(network, restriction.weight, steps)
    try:
        choices = [tried.loads_to(int(d)) for d in network.destinations]
        unit = math.lcm(*(value.denominator for one in choices for value in set(_values(one))))
        if unit > LARGEST:
            return None
        arrays = [
            np.array([[[int(v * unit) for v in row] for row in rows] for rows in one])
            for one in choices
        ]
        return not tried.goes(arrays, math.ceil(load * unit))
    except OutOfStepsError:
        return None


def _values(choices: list[list[list[Fraction]]]) -> Iterator[Fraction]:
    return itertools.chain.from_iterable(itertools.chain.from_iterable(choices))


class _Tried:
    def __init__(self, network: Network, most: int, steps: int) -> None:
        self.network, self.left = network, steps * WEIGHTS_A_STEP
        self.without = len(network.destinations)
        channels, starts = network.out_channels
        self.out = [
            channels[starts[node] : starts[node + 1]].tolist()
            for node in range(network.node_count)
        ]
        self.ratios = {
            count: [
                ratio
                for ratio in itertools.product(range(most + 1), repeat=count)
                if math.gcd(*ratio) == 1
            ]
            for count in {len(out) for out in self.out}
            if (most + 1) ** count <= self.left
        }
        self.hops = all_hops(network)

    def _choose(self, weights: int = 1) -> None:
        self.left -= weights
        if self.left < 0:
            raise OutOfStepsError

    def loads_to(self, destination: int) -> list[list[list[Fraction]]]:
        """Return the loads of all choices for a destination: sources × channels of each.

        Raises
        ------
        OutOfStepsError
            If so many for every destination would be too many.
        """
        spare = self.left - self.left // self.without
        self.left, self.without = self.left - spare, self.without - 1
        order = np.argsort(self.hops[:, destination], kind="stable").tolist()
        order.remove(destination)
        found: dict[tuple[tuple[Fraction, ...], ...], None] = {}
        for weights in self._acyclic(order, {}):
            of_each = self._by_source(weights, destination)
            found[tuple(map(tuple, of_each))] = None
        self.left += spare
        return [[list(row) for row in rows] for rows in found]

    def _acyclic(self, left: list[int], chosen: Weights) -> Iterator[Weights]:
        """Yield the weights of all nodes that lead to the destination without a cycle."""
        if not left:
            yield chosen
            return
        node, rest = left[0], left[1:]
        if len(self.out[node]) not in self.ratios:
            raise OutOfStepsError
        for weights in self.ratios[len(self.out[node])]:
            self._choose()
            further = {**chosen, node: weights}
            if not self._comes_back(node, further):
                yield from self._acyclic(rest, further)

    def _next(self, node: int, weights: Weights) -> list[tuple[int, int]]:
        """Return channels of positive weight out of a node that has weights, and these."""
        own = zip(self.out[node], weights.get(node, ()), strict=False)
        return [(channel, weight) for channel, weight in own if weight]

    def _comes_back(self, node: int, weights: Weights) -> bool:
        seen, left = set[int](), [node]
        while left:
            for channel, _ in self._next(left.pop(), weights):
                head = int(self.network.head[channel])
                if head == node:
                    return True
                if head not in seen:
                    seen.add(head)
                    left.append(head)
        return False

    def _by_source(self, weights: Weights, destination: int) -> list[list[Fraction]]:
        """Return what a unit from each source puts on each channel, over its bandwidth."""
        bandwidth = self.network.bandwidth.fractions()
        amount = self.network.injection.fraction(0)
        found = []
        for source in self.network.sources.tolist():
            loads = [Fraction(0)] * self.network.channel_count
            left = [(source, amount)] if source != destination else []
            while left:
                node, here = left.pop()
                ways = self._next(node, weights)
                total = sum(weight for _, weight in ways)
                for channel, weight in ways:
                    part = here * Fraction(weight, total)
                    loads[channel] += part / bandwidth[channel]
                    if self.network.head[channel] != destination:
                        left.append((int(self.network.head[channel]), part))
            found.append(loads)
        return found

    def goes(self, choices: list[NDArray[Any]], below: int) -> bool:
        """Say whether some choice for each destination stays below a load."""
        sources = len(self.network.sources)
        sets = np.arange(2**sources)
        with_source = [sets[sets >> source & 1 == 1] for source in range(sources)]
        entries = max(len(one) for one in choices) * choices[0].shape[2] * len(sets)
        if entries > MOST_ENTRIES:
            raise OutOfStepsError

        def choose(place: int, most: IntArray) -> bool:
            if place == len(choices):
                return True
            self._choose(WEIGHTS_A_STEP * (1 + entries // ENTRIES_A_STEP))
            loads = choices[place]
            found = np.repeat(most[None], len(loads), axis=0)
            for source, holds in enumerate(with_source):
                added = most[:, holds ^ (1 << source)] + loads[:, source, :, None]
                found[:, :, holds] = np.maximum(found[:, :, holds], added)
            heaviest = found[:, :, -1].max(axis=1)
            for one in np.argsort(heaviest, kind="stable").tolist():
                if heaviest[one] >= below:
                    return False
                if choose(place + 1, found[one]):
                    return True
            return False

        return choose(0, np.zeros((choices[0].shape[2], len(sets)), dtype=np.int64))
