"""Groups of symmetries with exactly one that carries a first source to each source.

The translations of a torus are such a group. What is said of one source and every channel can then
be *defined* for all the others by carrying it there, and sums and shortest paths are those of the
first source. Nothing is believed: that each generator keeps the network is checked, and that the
carriers are a group is, too. Nothing is shared with :mod:`obroute.symmetry`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from obroute.design.triple_orbits import Turn, check_generators
from obroute.network import Network
from obroute.rational import IntArray

Table = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Carriers:
    """For each source, the symmetry that carries the first source to it, backwards.

    Parameters
    ----------
    nodes, channels
        What each node, and each channel, is carried from: sources × nodes, sources × channels.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:4")
    >>> turned = (np.roll(np.arange(4), -1), np.array([1, 2, 3, 0, 5, 6, 7, 4]), False)
    >>> Carriers.of(ring, [turned]).nodes[:, 0].tolist()
    [0, 3, 2, 1]
    """

    nodes: Table
    channels: Table

    @classmethod
    def of(cls, network: Network, generators: Sequence[Turn]) -> Carriers | None:
        """Return the group of some generators; None where not exactly one carries to each source.

        Raises
        ------
        CertificateError
            If a generator is no symmetry of the network.
        """
        if not generators or any(reverses for _, _, reverses in generators):
            return None
        check_generators(network, generators)
        first, count = int(network.sources[0]), len(network.sources)
        nodes = np.zeros((count, network.node_count), dtype=np.int32)
        channels = np.zeros((count, network.channel_count), dtype=np.int32)
        nodes[0], channels[0] = np.arange(network.node_count), np.arange(network.channel_count)
        known = np.zeros(count, dtype=np.bool_)
        known[0] = True
        for place in (reached := [0]):
            for on_nodes, on_channels, _ in generators:
                there = int(network.source_index[on_nodes[nodes[place, first]]])
                if not known[there]:
                    known[there] = True
                    nodes[there] = on_nodes[nodes[place]]
                    channels[there] = on_channels[channels[place]]
                    reached.append(there)
        ends = nodes[:, int(network.destinations[0])]
        if not known.all() or not np.array_equal(np.sort(ends), np.sort(network.destinations)):
            return None
        for on_nodes, on_channels, _ in generators:
            moved = network.source_index[on_nodes[network.sources]]
            if not np.array_equal(on_nodes[nodes], nodes[moved]):
                return None
            if not np.array_equal(on_channels[channels], channels[moved]):
                return None
        return cls(_inverse(nodes), _inverse(channels))

    def orbit(self, channel: int) -> IntArray:
        """Return the channels that a channel is carried to, and those it is carried from."""
        return np.unique(self.channels[:, channel]).astype(np.int64)

    def keep(self, codes: IntArray) -> bool:
        """Say whether numbers of the channels stay the same when channels are carried."""
        return all(np.array_equal(codes[back], codes) for back in self.channels)


def _inverse(images: Table) -> Table:
    """Return where each is carried from, by what each is carried to."""
    back = np.empty_like(images)
    np.put_along_axis(
        back, images, np.broadcast_to(np.arange(images.shape[1], dtype=np.int32), images.shape), 1
    )
    return back
