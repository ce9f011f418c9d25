"""Orbits of channels and of sources: focus channels, canonical sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from obroute.generators import Generator, Generators
from obroute.network import Network
from obroute.rational import IntArray
from obroute.specs import InputError


def orbits(count: int, images: Iterable[IntArray]) -> IntArray:
    """Return the orbit number of each of ``count`` things under the group that images generate.

    Orbits are numbered by their first member.

    >>> orbits(4, [np.array([1, 0, 2, 3])]).tolist()
    [0, 0, 1, 2]
    """
    things = np.arange(count)
    edges = [np.stack([things, image]) for image in images]
    if not edges:
        return things
    tails, heads = np.concatenate(edges, axis=1)
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def common_generators(each: Sequence[Mapping[Generator, IntArray]]) -> Generators:
    """Return the generators of the first that all the others have, too, doing the same.

    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:4x4")
    >>> both = [make_routing(name).symmetries(torus) for name in ("romm", "dor")]
    >>> [str(generator) for generator in common_generators(both)]
    ['translate 0', 'reflect 0', 'translate 1', 'reflect 1']
    """
    first, *others = each
    return {
        generator: image
        for generator, image in first.items()
        if all(np.array_equal(other.get(generator, ()), image) for other in others)
    }


@dataclass(frozen=True)
class FocusChannels:
    """One channel of every orbit, how many channels each stands for, and which.

    ``labels`` holds the position in ``channels`` of the one that stands for each channel.

    Some focus channel is loaded as heavily as any channel can be (technical report, Theorem 2).
    """

    channels: IntArray
    multiplicity: IntArray
    labels: IntArray


def focus_channels(network: Network, symmetries: Mapping[Generator, IntArray]) -> FocusChannels:
    """Return the focus channels under the given generators, the first channel of each orbit.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:4x4")
    >>> [
    ...     len(focus_channels(torus, make_routing(r).symmetries(torus)).channels)
    ...     for r in ("romm", "dor")
    ... ]
    [1, 2]
    """
    check_symmetries(network, symmetries)
    labels = orbits_of_channels(network, symmetries.values())
    _, first, counts = np.unique(labels, return_index=True, return_counts=True)
    return FocusChannels(first.astype(np.int64), counts.astype(np.int64), labels)


def orbits_of_channels(network: Network, node_images: Iterable[IntArray]) -> IntArray:
    """Return the orbit number of each channel under automorphisms, given on nodes.

    Raises
    ------
    InputError
        If a map of nodes is no automorphism.
    """
    images = [network.channel_image(image) for image in node_images]
    return orbits(network.channel_count, images)


def check_symmetries(network: Network, symmetries: Mapping[Generator, IntArray]) -> None:
    """Raise :class:`InputError` where a map of nodes does not keep the terminals."""
    for image in symmetries.values():
        if not _keeps_terminals(network, image):
            raise InputError(f"{network.name}: a declared symmetry does not keep the terminals")


def _keeps_terminals(network: Network, image: IntArray) -> bool:
    for nodes, index, amount in (
        (network.sources, network.source_index, network.injection),
        (network.destinations, network.destination_index, network.ejection),
    ):
        places = index[image[nodes]]
        if np.any(places < 0) or np.any(amount.numerators[places] != amount.numerators):
            return False
    return True


@dataclass(frozen=True)
class CanonicalSources:
    """A canonical source for every orbit of sources, and a way from it to each member.

    Parameters
    ----------
    nodes
        The canonical sources.
    canonical
        Position in ``nodes`` of each source's canonical one.
    node_image
        Array sources × nodes: the automorphism that maps the canonical source to this one.
    channel_image
        Array sources × channels: the same automorphism on channels.
    """

    nodes: IntArray
    canonical: IntArray
    node_image: NDArray[np.int32]
    channel_image: NDArray[np.int32]


def canonical_sources(
    network: Network, symmetries: Mapping[Generator, IntArray]
) -> CanonicalSources:
    """Search the orbits of sources breadth first, composing generators along the way."""
    node_generators = list(symmetries.values())
    channel_generators = [network.channel_image(image) for image in node_generators]
    count = len(network.sources)
    canonical = np.full(count, -1, dtype=np.int64)
    node_image = np.empty((count, network.node_count), dtype=np.int32)
    channel_image = np.empty((count, network.channel_count), dtype=np.int32)
    nodes: list[int] = []
    for start in range(count):
        if canonical[start] >= 0:
            continue
        canonical[start] = len(nodes)
        nodes.append(int(network.sources[start]))
        node_image[start] = np.arange(network.node_count)
        channel_image[start] = np.arange(network.channel_count)
        front = [start]
        while front:
            reached = []
            for place in front:
                for node_step, channel_step in zip(
                    node_generators, channel_generators, strict=True
                ):
                    there = int(network.source_index[node_step[network.sources[place]]])
                    if canonical[there] < 0:
                        canonical[there] = canonical[start]
                        node_image[there] = node_step[node_image[place]]
                        channel_image[there] = channel_step[channel_image[place]]
                        reached.append(there)
            front = reached
    return CanonicalSources(np.array(nodes, dtype=np.int64), canonical, node_image, channel_image)
