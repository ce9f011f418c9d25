"""Orbits of flows and potentials: what is left of a design problem under its symmetry.

A *frame* is a canonical source with a destination: one canonical source for every orbit of
sources under the elements that turn no channel around. Frames fall into orbits again, under the
stabilisers of the canonical sources and under path reversal; each orbit of pairs has one
*canonical pair*, and the flow of that pair on the orbits of channels under its stabiliser are the
flow variables. One focus channel stands for an orbit of channels; the potentials of its sources
and destinations are one for each orbit under its stabiliser (a reversing element exchanges the
potentials of sources with those of destinations).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray
from obroute.symmetry.channels import orbits
from obroute.symmetry.groups import Element, SymmetryGroup
from obroute.symmetry.schreier import orbits_with_stabilisers

Allowed = Callable[[int, int], NDArray[np.bool_]]
"""Says for a (source node, destination node) which channels its packets may take."""


@dataclass(frozen=True, eq=False)
class CanonicalPair:
    """One pair for an orbit of pairs.

    ``flow`` holds the flow variable of each channel, -1 where none is allowed; ``node_orbit`` the
    orbit of each node under the pair's stabiliser; ``stabiliser`` its generators; ``pairs`` the
    number of pairs that it stands for.
    """

    source: int
    destination: int
    flow: NDArray[np.int32]
    node_orbit: IntArray
    stabiliser: tuple[Element, ...]


@dataclass(frozen=True, eq=False)
class FocusPotentials:
    """One channel for an orbit of channels.

    ``potential`` holds the orbit of each source and then each destination under the stabiliser of
    the channel, numbered from 0; ``members`` are the channels that it stands for, and
    ``elements[member]`` carries it to each of them.
    """

    channel: int
    potential: IntArray
    members: IntArray
    elements: Sequence[Element]

    @property
    def multiplicity(self) -> int:
        """Number of channels that it stands for."""
        return len(self.members)


@dataclass(frozen=True, eq=False)
class Reduction:
    """The orbits of a design problem; see the module.

    Parameters
    ----------
    group
        The symmetry used.
    canonical
        Position of the canonical source of each source.
    multiplicity
        Number of sources that each canonical source stands for.
    node_frame, channel_frame
        Arrays sources × nodes and sources × channels: where a node or a channel lies seen from
        the source's canonical source.
    frame_pair
        Array canonical sources × destinations: the canonical pair of each frame, -1 from a node
        to itself.
    frame_element
        The element that carries the canonical pair to each frame, in row-major order.
    flow_of
        Array canonical sources × destinations × channels: flow variable of each triple, or -1.
    pairs
        The canonical pairs.
    focus
        The focus channels.
    flow_count
        Number of flow variables.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.symmetry import declared_group
    >>> reduction = Reduction.build(declared_group(make_network("torus:8x8")))
    >>> len(reduction.pairs), reduction.flow_count, len(reduction.focus)
    (14, 1061, 1)
    """

    group: SymmetryGroup
    sources: IntArray = field(repr=False)
    canonical: IntArray = field(repr=False)
    multiplicity: IntArray = field(repr=False)
    node_frame: NDArray[np.int32] = field(repr=False)
    channel_frame: NDArray[np.int32] = field(repr=False)
    frame_pair: IntArray = field(repr=False)
    frame_element: Sequence[Element] = field(repr=False)
    flow_of: NDArray[np.int32] = field(repr=False)
    pairs: list[CanonicalPair] = field(repr=False)
    focus: list[FocusPotentials] = field(repr=False)
    flow_count: int

    @property
    def network(self) -> Network:
        """The network."""
        return self.group.network

    @classmethod
    def build(cls, group: SymmetryGroup, allowed: Allowed | None = None) -> Reduction:
        """Find the orbits; ``allowed`` must be the same, up to the group, all over an orbit."""
        network = group.network
        frames = _SourceFrames.of(group)
        count, destinations = len(frames.sources), len(network.destinations)
        moves = _FrameMoves(group, frames)
        frame_orbits = orbits_with_stabilisers(network, count * destinations, moves)
        frame_pair = np.full(count * destinations, -1, dtype=np.int64)
        flow_of = np.full((count * destinations, network.channel_count), -1, dtype=np.int32)
        pairs: list[CanonicalPair] = []
        flow_count = 0
        for frame in range(count * destinations):
            source = int(frames.sources[frame // destinations])
            destination = int(network.destinations[frame % destinations])
            base = int(frame_orbits.base[frame])
            if source == destination:
                continue
            if base == frame:
                pair = _canonical_pair(
                    network,
                    source,
                    destination,
                    frame_orbits.stabilisers[base],
                    allowed,
                    flow_count,
                )
                flow_count = max(flow_count, int(pair.flow.max()) + 1)
                frame_pair[frame] = len(pairs)
                pairs.append(pair)
                flow_of[frame] = pair.flow
            else:
                frame_pair[frame] = frame_pair[base]
                flow_of[frame, frame_orbits.elements[frame].channels] = flow_of[base]
        return cls(
            group,
            frames.sources,
            frames.canonical,
            np.bincount(frames.canonical, minlength=count),
            frames.nodes,
            frames.channels,
            frame_pair.reshape(count, destinations),
            frame_orbits.elements,
            flow_of.reshape(count, destinations, -1),
            pairs,
            _focus_channels(group),
            flow_count,
        )

    @cached_property
    def destination_frame(self) -> NDArray[np.int32]:
        """Position of each destination as seen from each source's canonical source."""
        network = self.network
        seen = self.node_frame[:, network.destinations]
        return np.asarray(network.destination_index[seen].astype(np.int32))

    def flows_from(self, place: int) -> NDArray[np.int32]:
        """Return the flow variable of every destination and channel for a source; or -1."""
        frame = self.flow_of[self.canonical[place]].take(self.destination_frame[place], axis=0)
        return np.asarray(frame.take(self.channel_frame[place], axis=1))

    def flows_on(self, channel: int) -> NDArray[np.int32]:
        """Return the flow variable of every pair on a channel, sources × destinations; or -1."""
        return np.asarray(
            self.flow_of[
                self.canonical[:, None],
                self.destination_frame,
                self.channel_frame[:, [channel]],
            ]
        )


@dataclass(frozen=True, eq=False)
class _SourceFrames:
    """The canonical sources, which of them stands for each source, and the way back there.

    ``nodes`` and ``channels`` are the images under the element that carries each source to its
    canonical one.
    """

    sources: IntArray
    canonical: IntArray
    nodes: NDArray[np.int32]
    channels: NDArray[np.int32]
    stabilisers: list[tuple[Element, ...]]

    @classmethod
    def of(cls, group: SymmetryGroup) -> _SourceFrames:
        network = group.network
        found = orbits_with_stabilisers(network, len(network.sources), _SourceMoves(group))
        bases, canonical = np.unique(found.base, return_inverse=True)
        tables = found.elements.tables()
        for table in tables:
            _invert(table)
        stabilisers = [found.stabilisers[int(base)] for base in bases]
        return cls(network.sources[bases], canonical, *tables, stabilisers)

    def to_canonical(self, place: int) -> Element:
        """Return the element that carries a source to its canonical one."""
        nodes, channels = (table[place].astype(np.int64) for table in (self.nodes, self.channels))
        return Element(nodes, channels, False)


def _invert(table: NDArray[np.int32]) -> None:
    """Replace each row, a permutation, by its inverse."""
    for row in table:
        image = row.copy()
        row[image] = np.arange(len(row))


@dataclass(frozen=True, eq=False)
class _SourceMoves:
    """Where the elements that turn no channel around take each source."""

    group: SymmetryGroup

    def __call__(self, place: int) -> Iterator[tuple[int, Element]]:
        network = self.group.network
        for generator in self.group.preserving_generators:
            yield int(network.source_index[generator.nodes[network.sources[place]]]), generator


@dataclass(frozen=True, eq=False)
class _FrameMoves:
    """Where stabilisers of the canonical sources, and path reversal, take each frame."""

    group: SymmetryGroup
    frames: _SourceFrames

    def __call__(self, frame: int) -> Iterator[tuple[int, Element]]:
        network, frames, reversal = self.group.network, self.frames, self.group.reversal
        destinations = len(network.destinations)
        at, place = divmod(frame, destinations)
        destination = network.destinations[place]
        for element in frames.stabilisers[at]:
            there = network.destination_index[element.nodes[destination]]
            yield at * destinations + int(there), element
        if reversal is not None:
            start = int(network.source_index[reversal.nodes[destination]])
            element = reversal.then(frames.to_canonical(start))
            end = network.destination_index[element.nodes[frames.sources[at]]]
            yield int(frames.canonical[start]) * destinations + int(end), element


@dataclass(frozen=True, eq=False)
class ChannelMoves:
    """Where the generators of a group take each channel."""

    group: SymmetryGroup

    def __call__(self, channel: int) -> Iterator[tuple[int, Element]]:
        """Give the image of a channel under each generator."""
        for generator in self.group.generators:
            yield int(generator.channels[channel]), generator


def _canonical_pair(
    network: Network,
    source: int,
    destination: int,
    stabiliser: tuple[Element, ...],
    allowed: Allowed | None,
    first: int,
) -> CanonicalPair:
    permitted = (network.head != source) & (network.tail != destination)
    if allowed is not None:
        permitted &= allowed(source, destination)
    labels = orbits(network.channel_count, [element.channels for element in stabiliser])
    flow = np.full(network.channel_count, -1, dtype=np.int32)
    _, numbers = np.unique(labels[permitted], return_inverse=True)
    flow[permitted] = first + numbers
    node_orbit = orbits(network.node_count, [element.nodes for element in stabiliser])
    return CanonicalPair(source, destination, flow, node_orbit, stabiliser)


def _focus_channels(group: SymmetryGroup) -> list[FocusPotentials]:
    network = group.network
    channel_orbits = orbits_with_stabilisers(network, network.channel_count, ChannelMoves(group))
    sources, destinations = len(network.sources), len(network.destinations)
    channels = []
    for base in np.unique(channel_orbits.base).tolist():
        images = []
        for element in channel_orbits.stabilisers[base]:
            source_index, destination_index = (
                network.source_index,
                network.destination_index + sources,
            )
            if element.reverses:
                source_index, destination_index = destination_index, source_index
            images.append(
                np.concatenate(
                    [
                        source_index[element.nodes[network.sources]],
                        destination_index[element.nodes[network.destinations]],
                    ]
                )
            )
        potential = orbits(sources + destinations, images)
        members = np.flatnonzero(channel_orbits.base == base)
        channels.append(FocusPotentials(base, potential, members, channel_orbits.elements))
    return channels
