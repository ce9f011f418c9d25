"""One channel of each orbit, with the orbits that its stabiliser makes of prices and distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from obroute.design.triple_orbits import Turn
from obroute.network import Network
from obroute.rational import IntArray
from obroute.symmetry import Element, SymmetryGroup, orbits
from obroute.symmetry.schreier import orbits_with_stabilisers
from obroute.symmetry.triples import ChannelMoves

ImageOf = Callable[[Element], IntArray]
"""Gives the image of each thing under an element."""


@dataclass(frozen=True, eq=False)
class FocusChannel:
    """A channel that stands for an orbit of channels, as the group leaves it.

    Parameters
    ----------
    channel
        The channel.
    copies
        Elements that carry it to every channel that it stands for, itself included; two to each
        where it can be turned around, one of which does.
    stabiliser
        Generators of what keeps it and turns no channel around.
    """

    channel: int
    copies: tuple[Element, ...]
    stabiliser: tuple[Element, ...]

    def prices(self, network: Network) -> IntArray:
        """Return the orbit of each channel under the stabiliser."""
        return orbits(network.channel_count, [one.channels for one in self.stabiliser])

    def pairs(self, network: Network) -> IntArray:
        """Return the orbit of each source with each node, sources × nodes."""
        return self._with_sources(network, network.node_count, lambda one: one.nodes)

    def steps(self, network: Network) -> IntArray:
        """Return the orbit of each source with each channel, sources × channels."""
        return self._with_sources(network, network.channel_count, lambda one: one.channels)

    def _with_sources(self, network: Network, count: int, image_of: ImageOf) -> IntArray:
        sources = network.sources
        images = (
            (network.source_index[one.nodes[sources]][:, None] * count + image_of(one)).ravel()
            for one in self.stabiliser
        )
        return orbits(len(sources) * count, images).reshape(len(sources), count)


def turns_of(focus: FocusChannel) -> list[Turn]:
    """Return the elements that carry a channel to its copies, as checks take them."""
    return [(one.nodes, one.channels, one.reverses) for one in focus.copies]


def focus_channels_of(group: SymmetryGroup) -> list[FocusChannel]:
    """Return a channel of each orbit under a group.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.symmetry import declared_group
    >>> (focus,) = focus_channels_of(declared_group(make_network("torus:4x4")))
    >>> len(focus.copies), len(focus.stabiliser) > 0
    (128, True)
    """
    network = group.network
    found = orbits_with_stabilisers(network, network.channel_count, ChannelMoves(group))
    elements = found.elements.listed()
    channels = []
    for base in np.unique(found.base).tolist():
        stabiliser = found.stabilisers[base]
        copies = [elements[place] for place in np.flatnonzero(found.base == base).tolist()]
        turned = next((one for one in stabiliser if one.reverses), None)
        if turned is not None:
            copies += [turned.then(one) for one in copies]
        kept = SymmetryGroup(network, stabiliser, "stabiliser").preserving_generators
        channels.append(FocusChannel(base, tuple(copies), kept))
    return channels
