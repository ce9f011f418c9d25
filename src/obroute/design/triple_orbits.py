"""Orbits of (source, destination, channel) under claimed symmetries, found without the reduction.

Every triple is joined with its images; nothing is shared with :mod:`obroute.symmetry`, whose
orbits the reduced programs rest on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.compiled import compiled
from obroute.network import Network
from obroute.rational import IntArray, RationalArray

MOST_TRIPLES = 500_000_000
"""Triples whose orbits are looked for at the most: four bytes each."""

Turn = tuple[IntArray, IntArray, bool]
"""A claimed symmetry: the image of each node and channel, and whether it turns channels around."""
Index = NDArray[np.int32]


def check_generators(network: Network, generators: Sequence[Turn]) -> None:
    """Check that each generator keeps the network, or turns it around.

    Raises
    ------
    CertificateError
        If one does not.
    """
    for number, (nodes, channels, reverses) in enumerate(generators):
        tail, head = (network.head, network.tail) if reverses else (network.tail, network.head)
        sources, destinations = (
            (network.destinations, network.sources)
            if reverses
            else (network.sources, network.destinations)
        )
        keeps = (
            np.array_equal(np.sort(nodes), np.arange(network.node_count))
            and np.array_equal(np.sort(channels), np.arange(network.channel_count))
            and np.array_equal(network.tail[channels], nodes[tail])
            and np.array_equal(network.head[channels], nodes[head])
            and _equal(network.bandwidth, network.bandwidth, channels)
            and np.array_equal(np.sort(nodes[network.sources]), np.sort(sources))
            and np.array_equal(np.sort(nodes[network.destinations]), np.sort(destinations))
        )
        if keeps:
            ends = (network.injection, network.ejection)
            places = (network.source_index, network.destination_index)
            for which in range(2):
                mine = (network.sources, network.destinations)[which]
                other = 1 - which if reverses else which
                keeps = keeps and _equal(ends[which], ends[other], places[other][nodes[mine]])
        if not keeps:
            raise CertificateError(f"generator {number} is no symmetry of {network.name}")


def _equal(values: RationalArray, others: RationalArray, places: IntArray) -> bool:
    """Whether each value is the other one at its place."""
    common = math.lcm(values.denominator, others.denominator)
    return bool(np.array_equal(values.over(common), others.over(common)[places]))


def triple_orbits(
    network: Network, generators: Sequence[Turn]
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return the size of each orbit of (source, destination, channel), and the orbit of each."""
    shape = (len(network.sources), len(network.destinations), network.channel_count)
    count = math.prod(shape)
    if count > MOST_TRIPLES:
        raise CertificateError(
            f"{network.name} is too large: {count:,} (source, destination, channel), and orbits "
            f"of up to {MOST_TRIPLES:,} are found; nothing is proved"
        )
    check_generators(network, generators)
    parent = np.arange(count, dtype=np.int32)
    for nodes, channels, reverses in generators:
        source_place = (network.destination_index if reverses else network.source_index)[
            nodes[network.sources]
        ]
        destination_place = (network.source_index if reverses else network.destination_index)[
            nodes[network.destinations]
        ]
        _join(parent, shape[1], shape[2], source_place, destination_place, channels, reverses)
    return _number(parent)


@compiled
def _root(parent: Index, place: int) -> int:  # pragma: no cover  # compiled
    while parent[place] != place:
        parent[place] = parent[parent[place]]
        place = parent[place]
    return place


@compiled
def _join(
    parent: Index,
    destinations: int,
    channels: int,
    source_image: IntArray,
    destination_image: IntArray,
    channel_image: IntArray,
    reverses: bool,
) -> None:  # pragma: no cover  # compiled
    """Join every triple with its image."""
    triple = 0
    for source in range(len(source_image)):
        for destination in range(destinations):
            first, second = source_image[source], destination_image[destination]
            if reverses:
                first, second = second, first
            image = (first * destinations + second) * channels
            for channel in range(channels):
                one = _root(parent, triple)
                other = _root(parent, image + channel_image[channel])
                if one < other:
                    parent[other] = one
                else:
                    parent[one] = other
                triple += 1


@compiled
def _number(parent: Index) -> tuple[IntArray, Index]:  # pragma: no cover  # compiled
    """Give numbers to the roots, in order, and count what belongs to each."""
    labels = np.empty(len(parent), dtype=np.int32)
    count = 0
    for place in range(len(parent)):
        root = _root(parent, place)  # never after its members
        if root == place:
            labels[place] = count
            count += 1
        else:
            labels[place] = labels[root]
    sizes = np.zeros(count, dtype=np.int64)
    for place in range(len(parent)):
        sizes[labels[place]] += 1
    return sizes, labels
