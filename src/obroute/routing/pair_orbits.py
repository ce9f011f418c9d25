"""Loads of all pairs from those of few: by automorphisms that a routing respects.

What :class:`~obroute.routing.Routing` falls back on where a family has no closed form. With
declared symmetries the paths of one pair of every orbit are listed, and the loads of the others
are the images of these. Without any, every pair is listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from obroute.generators import Generator
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, concatenate
from obroute.routing.ranges import ranges
from obroute.symmetry import (
    CanonicalPairs,
    CanonicalSources,
    canonical_sources,
    spanning_generators,
)

if TYPE_CHECKING:
    from obroute.routing.contract import Routing


def sources_of(
    routing: Routing, network: Network, symmetries: Mapping[Generator, IntArray]
) -> CanonicalSources:
    """Return the canonical sources of a routing, found once for a network."""
    return routing.remember(
        network,
        "canonical sources",
        lambda: canonical_sources(network, spanning_generators(network, symmetries)),
    )


def bytes_of_images(network: Network) -> int:
    """Return what the automorphisms to every source take: nodes there and back, and channels."""
    return 4 * len(network.sources) * (2 * network.node_count + network.channel_count)


class LoadsByChannel(Protocol):
    """Loads of all pairs, from which those of one channel can be read."""

    def pair_loads(self, channel: int) -> SparseRationalMatrix:
        """Return the pair loads of one channel, sources × destinations, in lowest terms."""


def loads_by_channel(
    routing: Routing, network: Network, symmetries: Mapping[Generator, IntArray]
) -> LoadsByChannel:
    """Return the loads of all pairs, found for one source of every orbit."""
    if symmetries:
        sources = sources_of(routing, network, symmetries)
        return FromCanonicalSources(routing, network, sources)
    return FromAllSources(routing, network)


class FromAllSources:
    """Loads of all pairs, sorted by channel, so that one channel's pair loads are a slice."""

    def __init__(self, routing: Routing, network: Network) -> None:
        self.shape = (len(network.sources), len(network.destinations))
        sources = np.repeat(network.sources, self.shape[1])
        destinations = np.tile(network.destinations, self.shape[0])
        loads = routing.channel_loads(network, sources, destinations)
        order = np.argsort(loads.columns, kind="stable")
        self.pairs = loads.rows[order]
        self.values = loads.values.take(order)
        self.starts = np.searchsorted(loads.columns[order], np.arange(network.channel_count + 1))

    def pair_loads(self, channel: int) -> SparseRationalMatrix:
        """Return the slice of the channel."""
        part = slice(int(self.starts[channel]), int(self.starts[channel + 1]))
        rows, columns = np.divmod(self.pairs[part], self.shape[1])
        return SparseRationalMatrix(rows, columns, self.values.take(part).reduced(), self.shape)


class FromCanonicalSources:
    """Loads by the canonical sources, sorted by source and channel.

    A channel seen from another source is the channel that the source's automorphism carries to
    it, so that its pair loads are a slice for each source.
    """

    def __init__(self, routing: Routing, network: Network, sources: CanonicalSources) -> None:
        self.shape = (len(network.sources), len(network.destinations))
        self.sources = sources
        # The arrays, not the network: it is a weak key to this object.
        self.destinations = network.destinations
        self.destination_index = network.destination_index
        count = len(self.sources.nodes)
        loads = routing.channel_loads(
            network,
            np.repeat(self.sources.nodes, self.shape[1]),
            np.tile(network.destinations, count),
        )
        frames, self.places = np.divmod(loads.rows, self.shape[1])
        keys = frames * network.channel_count + loads.columns
        order = np.argsort(keys, kind="stable")
        self.places = self.places[order]
        self.values = loads.values.take(order)
        self.starts = np.searchsorted(keys[order], np.arange(count * network.channel_count + 1))
        self.channel_count = network.channel_count

    def pair_loads(self, channel: int) -> SparseRationalMatrix:
        """Return the slices of what the channel is seen from each source, put together."""
        _, seen = np.nonzero(self.sources.channel_image == channel)
        keys = self.sources.canonical * self.channel_count + seen
        starts, lengths = self.starts[keys], self.starts[keys + 1] - self.starts[keys]
        rows, taken = ranges(starts, lengths)
        ends = self.sources.node_image[rows, self.destinations[self.places[taken]]]
        found = SparseRationalMatrix.from_triplets(
            rows, self.destination_index[ends], self.values.take(taken), self.shape
        )
        return SparseRationalMatrix(found.rows, found.columns, found.values.reduced(), self.shape)


class CarriedLoads:
    """Loads of pairs listed once for each canonical pair, when first asked for, and carried."""

    def __init__(
        self, routing: Routing, network: Network, symmetries: Mapping[Generator, IntArray]
    ) -> None:
        sources = sources_of(routing, network, symmetries)
        self.pairs = CanonicalPairs.build(network, symmetries, sources)
        self.known: dict[int, tuple[IntArray, RationalArray]] = {}
        self.seen: dict[int, IntArray] = {}
        self.listing = Lock()

    def channel_loads(
        self, routing: Routing, network: Network, sources: IntArray, destinations: IntArray
    ) -> SparseRationalMatrix:
        """Return the loads of every channel by each of the given pairs, pairs × channels."""
        places = network.source_index[np.asarray(sources, dtype=np.int64)]
        frames = self.pairs.frames(network, places, np.asarray(destinations, dtype=np.int64))
        roots = self.pairs.root[frames].tolist()
        with self.listing:
            self._list(routing, network, sorted(set(roots) - self.known.keys()))
        images = self.pairs.sources.channel_image
        channels = [
            images[place][self._channels(frame)]
            for place, frame in zip(places.tolist(), frames.tolist(), strict=True)
        ]
        empty = np.zeros(0, dtype=np.int64)
        lengths = np.array([len(found) for found in channels], dtype=np.int64)
        return SparseRationalMatrix.from_triplets(
            np.repeat(np.arange(len(roots)), lengths),
            np.concatenate([*channels, empty]),
            concatenate([self.known[root][1] for root in roots]),
            (len(roots), network.channel_count),
        )

    def _list(self, routing: Routing, network: Network, roots: list[int]) -> None:
        at, there = np.divmod(np.array(roots, dtype=np.int64), len(network.destinations))
        listed = routing.listed_loads(
            network, self.pairs.sources.nodes[at], network.destinations[there]
        )
        starts = listed.row_pointers()
        for row, root in enumerate(roots):
            part = slice(int(starts[row]), int(starts[row + 1]))
            self.known[root] = listed.columns[part], listed.values.take(part).reduced()

    def _channels(self, frame: int) -> IntArray:
        """Return the loaded channels of a frame: the images of its canonical pair's."""
        way = []
        while frame not in self.seen and self.pairs.step[frame] >= 0:
            way.append(frame)
            frame = int(self.pairs.parent[frame])
        found = self.seen.get(frame)
        if found is None:
            found = self.seen[frame] = self.known[frame][0]
        for frame in reversed(way):
            found = self.seen[frame] = self.pairs.steps[self.pairs.step[frame]][found]
        return found
