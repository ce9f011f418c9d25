"""The paths that packets may take, without their probabilities: what deadlock depends on.

Paths are held for one canonical source of each orbit under the symmetries that the routing
respects; the others are images, made when they are looked at. So the paths of a relative routing
are enumerated from one node, whatever a virtual-channel scheme then makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator
from obroute.network import Network, Path
from obroute.rational import IntArray
from obroute.routing import PathBatch, Routing
from obroute.routing.contract import MOST_PATHS, path_distribution
from obroute.routing.two_turn import check_two_turn, two_turn_paths
from obroute.symmetry import canonical_sources

Distribution = Mapping[Path, Fraction | None]
Listed = tuple[PathBatch, tuple[Fraction | None, ...]]
"""Paths with their probabilities."""
MOST_HELD = 3_000_000
"""Paths from canonical sources that are held at a time."""


@dataclass(frozen=True, eq=False)
class PathSet:
    """Paths of at least one hop, in batches: one for each source, or one for all.

    Parameters
    ----------
    network
        The network that they are in.
    name
        The routing, or what else the paths are.
    canonical
        The batches of the canonical sources.
    probabilities
        The probability of each of those paths, where they have one.
    batch_of, images
        The canonical batch that each batch is an image of, and where the automorphism sends each
        channel (batches × channels).

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> paths = PathSet.of_routing(make_network("torus:4x4"), make_routing("dor"))
    >>> len(paths), paths.longest, len(paths.canonical)
    (384, 4, 1)
    """

    network: Network
    name: str
    canonical: tuple[PathBatch, ...]
    probabilities: tuple[tuple[Fraction | None, ...], ...]
    batch_of: IntArray
    images: NDArray[np.int32]

    @classmethod
    def of_routing(cls, network: Network, routing: Routing) -> PathSet:
        """Enumerate the paths of positive probability of every pair of two terminals.

        What a routing does from a node to itself is left out: such a packet need not enter the
        network.

        Raises
        ------
        InputError
            If the routing is not defined on the network, or has too many paths to list.
        """
        routing.check(network)
        left = MOST_HELD

        def between(source: int, destination: int) -> Distribution:
            nonlocal left
            found = path_distribution(routing, network, source, destination, min(left, MOST_PATHS))
            left -= len(found)
            return found

        def at_once(source: int) -> Listed:
            others = network.destinations[network.destinations != source]
            given = np.full(len(others), source), others, np.random.default_rng(0)
            batch = routing.sample_paths(network, *given)
            return batch, (Fraction(1),) * len(batch)

        from_source = at_once if routing.has_one_path else _listed(network, between)
        return cls._by_source(network, routing.name, routing.symmetries(network), from_source)

    @classmethod
    def two_turn(cls, network: Network) -> PathSet:
        """Enumerate every path of at most two turns, whatever routing uses it.

        Raises
        ------
        InputError
            If the network is no grid.
        """
        grid = check_two_turn(network)

        def between(source: int, destination: int) -> Distribution:
            return dict.fromkeys(two_turn_paths(grid, source, destination))

        return cls._by_source(grid, "two-turn paths", grid.automorphisms(), _listed(grid, between))

    @classmethod
    def of(cls, network: Network, paths: Iterable[tuple[int, Path]], name: str) -> PathSet:
        """Take paths as they are given, each with the node that it starts from.

        Raises
        ------
        InputError
            If a channel of a path does not leave the node that the path is at.
        """
        listed = []
        for source, path in paths:
            network.path_nodes(source, path)
            if path:
                listed.append(path)
        return cls.of_batch(network, PathBatch.of(listed), name)

    @classmethod
    def of_batch(cls, network: Network, batch: PathBatch, name: str) -> PathSet:
        """Take paths of at least one hop that are known to be in the network."""
        identity = np.arange(network.channel_count, dtype=np.int32)[np.newaxis]
        none: tuple[Fraction | None, ...] = (None,) * len(batch)
        return cls(network, name, (batch,), (none,), np.zeros(1, int), identity)

    @classmethod
    def _by_source(
        cls,
        network: Network,
        name: str,
        symmetries: Mapping[Generator, IntArray],
        from_source: Callable[[int], Listed],
    ) -> PathSet:
        sources = canonical_sources(network, symmetries)
        listed = [from_source(source) for source in sources.nodes.tolist()]
        return cls(
            network,
            name,
            tuple(batch for batch, _ in listed),
            tuple(probabilities for _, probabilities in listed),
            sources.canonical,
            sources.channel_image,
        )

    def batches(self) -> Iterator[PathBatch]:
        """Yield the paths of each source."""
        for place, image in zip(self.batch_of.tolist(), self.images, strict=True):
            batch = self.canonical[place]
            yield PathBatch(batch.starts, image[batch.channels])

    @property
    def longest(self) -> int:
        """Hops of the longest path."""
        return max((int(b.lengths.max(initial=0)) for b in self.canonical), default=0)

    @property
    def hop_count(self) -> int:
        """Hops of all paths together."""
        hops = np.array([len(batch.channels) for batch in self.canonical])
        return int(hops[self.batch_of].sum())

    def __len__(self) -> int:
        counts = np.array([len(batch) for batch in self.canonical])
        return int(counts[self.batch_of].sum())


def _listed(
    network: Network, between: Callable[[int, int], Distribution]
) -> Callable[[int], Listed]:
    """Return what lists the paths from a source, of pair after pair."""

    def from_source(source: int) -> Listed:
        found: dict[Path, Fraction | None] = {}
        for destination in network.destinations.tolist():
            if destination != source:
                found.update(between(source, destination))
        return PathBatch.of(found), tuple(found.values())

    return from_source
