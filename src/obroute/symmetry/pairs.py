"""Canonical pairs: one (source, destination) for every orbit of pairs, and the way to each pair.

A routing that respects a symmetry g takes from g s to g d the images of its paths from s to d, so
the paths of one pair of every orbit give those of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators
from obroute.network import Network
from obroute.rational import IntArray
from obroute.symmetry.channels import (
    CanonicalSources,
    canonical_sources,
    check_symmetries,
    orbits,
)


def spanning_generators(network: Network, symmetries: Mapping[Generator, IntArray]) -> Generators:
    """Return the generators, first ones first, that already make the orbits of sources of all.

    With translations first these are the translations, and the elements composed of them carry a
    channel to every other in at most one way.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:4x4")
    >>> [str(one) for one in spanning_generators(torus, make_routing("romm").symmetries(torus))]
    ['translate 0', 'translate 1']
    """
    check_symmetries(network, symmetries)
    chosen: Generators = {}
    count = len(network.sources)
    for name, image in symmetries.items():
        merged = _source_orbits(network, {**chosen, name: image})
        if merged < count:
            chosen[name] = image
            count = merged
    return chosen


def _source_orbits(network: Network, symmetries: Mapping[Generator, IntArray]) -> int:
    images = [network.source_index[image[network.sources]] for image in symmetries.values()]
    return int(orbits(len(network.sources), images).max()) + 1


@dataclass(frozen=True, eq=False)
class CanonicalPairs:
    """One pair for every orbit of pairs.

    A *frame* is a canonical source with a destination: frame ``i · destinations + j`` is that of
    canonical source i and destination j. Frames fall into orbits under the stabilisers of the
    canonical sources; the first of each orbit is its canonical pair.

    Parameters
    ----------
    sources
        The canonical sources, and the automorphism from each to every source of its orbit.
    node_frame
        Array sources × nodes: where a node lies seen from the canonical source.
    root
        The frame of the canonical pair of each frame.
    parent, step
        A frame is the image of its parent under the automorphism with channel image
        ``steps[step]``; canonical pairs have step -1.
    steps
        Images of the channels under some elements of the stabilisers.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:9x9")
    >>> romm = make_routing("romm").symmetries(torus)
    >>> translations = {one: image for one, image in romm.items() if one.is_translation}
    >>> [len(CanonicalPairs.build(torus, group).roots) for group in (translations, romm)]
    [81, 15]
    """

    sources: CanonicalSources
    node_frame: NDArray[np.int32]
    root: IntArray
    parent: IntArray
    step: IntArray
    steps: tuple[IntArray, ...]

    @classmethod
    def build(
        cls,
        network: Network,
        symmetries: Mapping[Generator, IntArray],
        sources: CanonicalSources | None = None,
    ) -> CanonicalPairs:
        """Find the orbits under the automorphisms that the given ones generate.

        ``sources`` are the canonical sources, if they are known.

        Raises
        ------
        InputError
            If a map is no automorphism, or does not keep the terminals.
        """
        if sources is None:
            sources = canonical_sources(network, spanning_generators(network, symmetries))
        node_frame = _inverses(sources.node_image)
        count = len(network.destinations)
        root = np.arange(len(sources.nodes) * count)
        parent, step = root.copy(), np.full(len(root), -1, dtype=np.int64)
        steps: list[IntArray] = []
        for frame in range(len(sources.nodes)):
            stabiliser = _stabiliser(network, symmetries, sources, node_frame, frame)
            places = [
                network.destination_index[nodes[network.destinations]] for nodes, _ in stabiliser
            ]
            part = slice(frame * count, (frame + 1) * count)
            ways = _search(count, places)
            root[part], parent[part] = (places + frame * count for places in ways[:2])
            step[part] = np.where(ways[2] >= 0, ways[2] + len(steps), -1)
            steps += [channels for _, channels in stabiliser]
        return cls(sources, node_frame, root, parent, step, tuple(steps))

    @property
    def roots(self) -> IntArray:
        """The frames of the canonical pairs."""
        return np.unique(self.root)

    def frames(self, network: Network, places: IntArray, destinations: IntArray) -> IntArray:
        """Return the frame of each pair of a place among the sources and a destination node."""
        seen = network.destination_index[self.node_frame[places, destinations]]
        return self.sources.canonical[places] * len(network.destinations) + seen


def _inverses(images: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the inverse of each row, a permutation."""
    result = np.empty_like(images)
    everything = np.arange(images.shape[1], dtype=np.int32)[None, :]
    np.put_along_axis(result, images, np.broadcast_to(everything, images.shape), axis=1)
    return result


def _stabiliser(
    network: Network,
    symmetries: Mapping[Generator, IntArray],
    sources: CanonicalSources,
    node_frame: NDArray[np.int32],
    frame: int,
) -> list[tuple[IntArray, IntArray]]:
    """Return elements that keep a canonical source: images of the nodes and of the channels.

    Schreier's lemma: with t_x the element from the canonical source to x, the elements
    ``t_{g x}⁻¹ g t_x`` generate the stabiliser. Only those are kept that join orbits of nodes
    which those before them left apart.
    """
    kept: list[tuple[IntArray, IntArray]] = []
    labels = np.arange(network.node_count)
    members = np.flatnonzero(sources.canonical == frame)
    for image in symmetries.values():
        channel_image = network.channel_image(image)
        for place in members.tolist():
            there = int(network.source_index[image[network.sources[place]]])
            nodes = node_frame[there][image[sources.node_image[place]]].astype(np.int64)
            if np.array_equal(labels[nodes], labels):
                continue
            back = np.argsort(sources.channel_image[there])
            kept.append((nodes, back[channel_image[sources.channel_image[place]]]))
            labels = orbits(network.node_count, [nodes for nodes, _ in kept])
    return kept


def _search(count: int, images: list[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first of each orbit, and by which image from which other each is reached."""
    root = np.full(count, -1, dtype=np.int64)
    parent, step = np.arange(count), np.full(count, -1, dtype=np.int64)
    for start in range(count):
        if root[start] >= 0:
            continue
        root[start] = start
        reached = [start]
        for place in reached:
            for number, image in enumerate(images):
                there = int(image[place])
                if root[there] < 0:
                    root[there], parent[there], step[there] = start, place, number
                    reached.append(there)
    return root, parent, step
