"""Local search among routings of one path for each pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.deployment.images import Images
from obroute.deployment.restrictions import Restriction
from obroute.deployment.search import Search
from obroute.deployment.ways import Ways
from obroute.network import Network, Path
from obroute.rational import FloatArray
from obroute.routing import Routing
from obroute.routing.path_table import PathTable
from obroute.specs import InputError

Pair = tuple[int, int]
Chosen = dict[Pair, Path]
Change = tuple[Pair, Path, list[int], FloatArray]

STEEPNESS = 4
"""How much a load counts towards the cost of a channel: its share of the worst to this power."""
AVOIDED = 6.0
"""What a channel of the worst load costs more than one without any."""


class SinglePaths(Search[Chosen, Change]):
    """One path for each pair of a source with the first destination of an orbit, and the images.

    A pair is led along the path of the least cost. A channel costs the more the more it is
    loaded, but less where the source sends much over it already, or the destination gets it: one
    permutation has only one pair of each.
    """

    def __init__(
        self, network: Network, restriction: Restriction, images: Images, seed: int
    ) -> None:
        super().__init__(network, restriction, images, seed)
        self.ways = Ways(network, restriction)
        self.paths: Chosen = {}

    def begin(self, routing: Routing | None) -> None:
        """Take a routing, or lead one pair after another by the cheapest path."""
        network = self.network
        pairs = [
            (source, destination)
            for destination in self.images.first_destinations
            for source in range(len(network.sources))
            if network.sources[source] != network.destinations[destination]
        ]
        if routing is None:
            pairs = [pairs[place] for place in self.random.permutation(len(pairs)).tolist()]
        for source, destination in pairs:
            ends = int(network.sources[source]), int(network.destinations[destination])
            if routing is None:
                path = self.ways.cheapest(*ends, self._cost(source, destination))
                if path is None:
                    raise InputError(
                        f"{network.name} has no path from node {network.describe(ends[0])} to "
                        f"node {network.describe(ends[1])} that is allowed: {self.restriction}"
                    )
            else:
                _, path = next(routing.paths(network, *ends))
            self._put((source, destination), path)
            if routing is None:
                self.loads.refresh(self.loads.orbits(np.array(path)))
        self.loads.refresh(list(range(len(self.loads.first))))

    def _cost(self, source: int, destination: int) -> FloatArray:
        loads = self.loads
        worst = max(float(loads.values.max(initial=0.0)), 1e-9)
        own = loads.pair_loads[:, source, :].sum(axis=1)
        own += loads.pair_loads[:, :, destination].sum(axis=1)
        load = (loads.values[loads.orbit] / worst) ** STEEPNESS
        drawn = self.random.uniform(1.0, 1.5, len(own))
        cost: FloatArray = drawn * (1 + AVOIDED * load / (1 + own))
        return cost

    def _put(self, pair: Pair, path: Path) -> None:
        self.paths[pair] = path
        self.loads.add(*pair, np.array(path, dtype=np.int64), 1.0)

    def _take(self, pair: Pair) -> Path:
        path = self.paths[pair]
        self.loads.add(*pair, np.array(path, dtype=np.int64), -1.0)
        return path

    def move(self, channel: int, source: int, destination: int) -> Change | None:
        """Lead the pair by the cheapest path without the channel."""
        pair = source, destination
        before = self._take(pair)
        cost = self._cost(source, destination)
        cost[channel] = np.inf
        network = self.network
        path = self.ways.cheapest(
            int(network.sources[source]), int(network.destinations[destination]), cost
        )
        if path is None or path == before:
            self._put(pair, before)
            return None
        self._put(pair, path)
        orbits = self.loads.orbits(_changed(before, path))
        old = self.loads.values[orbits].copy()
        self.loads.refresh(orbits)
        return pair, before, orbits, old

    def undo(self, change: Change) -> None:
        """Put the former path back."""
        pair, before, orbits, old = change
        self._take(pair)
        self._put(pair, before)
        self.loads.values[orbits] = old

    def keep(self) -> Chosen:
        """Return the paths."""
        return dict(self.paths)

    def routing(self, kept: Chosen, name: str) -> Routing:
        """Return the paths and their images."""
        network, images = self.network, self.images
        paths: dict[Pair, dict[Path, Fraction]] = {}
        for (source, destination), path in kept.items():
            ends = [network.sources[source], network.destinations[destination]]
            for element in range(len(images.nodes)):
                there = images.nodes[element, ends].tolist()
                moved = tuple(images.channels[element, list(path)].tolist())
                paths[there[0], there[1]] = {moved: Fraction(1)}
        return PathTable(name, paths)


def _changed(before: Path, after: Path) -> NDArray[np.int64]:
    return np.array(sorted(set(before) ^ set(after)), dtype=np.int64)
