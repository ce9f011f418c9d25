"""Orbits and stabilisers from generators, by Schreier's lemma.

With t_x an element that carries a base point to x, the elements ``t_{g x}⁻¹ g t_x``, over points x
and generators g, generate the stabiliser of the base point. No t_x is held: of each point it is
known from which other one, and by which generator, it was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import overload

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray
from obroute.symmetry.groups import Element, identity

Moves = Callable[[int], Iterable[tuple[int, Element]]]
"""Gives, for every generator, the point that it takes a point to, and the element that does."""


@dataclass(frozen=True, eq=False)
class Carrying(Sequence[Element]):
    """For each point the element that carries the base of its orbit there.

    Each is composed when it is asked for: held, they would be the points times the channels.

    Parameters
    ----------
    network
        The network that the elements act on.
    moves
        What the orbits were searched by.
    reached
        The points, each after the one that it was reached from.
    parent, step
        From which point each was reached, and by which of its moves; -1 for a base.
    """

    network: Network
    moves: Moves
    reached: IntArray
    parent: IntArray
    step: IntArray

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.parent)

    @overload
    def __getitem__(self, point: int) -> Element: ...

    @overload
    def __getitem__(self, point: slice) -> Sequence[Element]: ...

    def __getitem__(self, point: int | slice) -> Element | Sequence[Element]:
        """Return the element that carries to a point."""
        if isinstance(point, slice):
            return [self[one] for one in range(*point.indices(len(self)))]
        way = []
        while self.step[point] >= 0:
            way.append(self._last(point))
            point = int(self.parent[point])
        return reduce(Element.then, reversed(way), identity(self.network))

    def _last(self, point: int) -> Element:
        """Return the element by which a point was reached from the one before."""
        moves = self.moves(int(self.parent[point]))
        return next(islice(moves, int(self.step[point]), None))[1]

    def listed(self) -> list[Element]:
        """Return all of them, each composed of the one before."""
        elements = [identity(self.network)] * len(self)
        for point in self.reached.tolist():
            if self.step[point] >= 0:
                elements[point] = elements[self.parent[point]].then(self._last(point))
        return elements

    def tables(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the images of the nodes and of the channels under every element."""
        network = self.network
        nodes = np.empty((len(self), network.node_count), dtype=np.int32)
        channels = np.empty((len(self), network.channel_count), dtype=np.int32)
        for point in self.reached.tolist():
            if self.step[point] < 0:
                nodes[point] = np.arange(network.node_count)
                channels[point] = np.arange(network.channel_count)
            else:
                last, before = self._last(point), self.parent[point]
                nodes[point] = last.nodes[nodes[before]]
                channels[point] = last.channels[channels[before]]
        return nodes, channels


@dataclass(frozen=True, eq=False)
class Orbits:
    """What a group does to numbered points.

    Parameters
    ----------
    base
        The first point of each point's orbit.
    elements
        An element that carries the base point to each point.
    stabilisers
        Generators of the stabiliser of each base point.
    """

    base: IntArray
    elements: Carrying
    stabilisers: dict[int, tuple[Element, ...]]


def orbits_with_stabilisers(network: Network, count: int, moves: Moves) -> Orbits:
    """Search orbits breadth first; find stabilisers by Schreier's lemma.

    ``moves(point)`` gives, for every generator, the point that it reaches and the element. The
    images of the nodes, which tell elements apart, are held for one orbit at a time.
    """
    base = np.full(count, -1, dtype=np.int64)
    parent, step = np.arange(count), np.full(count, -1, dtype=np.int64)
    every: list[int] = []
    loops: dict[int, list[tuple[int, int, Element]]] = {}
    for start in range(count):
        if base[start] >= 0:
            continue
        base[start] = start
        reached = [start]
        nodes = {start: np.arange(network.node_count, dtype=np.int32)}
        turned = {start: False}
        known: set[bytes] = set()
        found = loops[start] = []
        for point in reached:
            for number, (there, element) in enumerate(moves(point)):
                around = element.nodes[nodes[point]].astype(np.int32)
                turns = turned[point] != element.reverses
                if base[there] < 0:
                    base[there], parent[there], step[there] = start, point, number
                    nodes[there], turned[there] = around, turns
                    reached.append(there)
                    continue
                turns = turns != turned[there]
                if not turns and np.array_equal(around, nodes[there]):
                    continue
                back = np.empty_like(around)
                back[nodes[there]] = np.arange(len(back))
                key = back[around].tobytes() + bytes([turns])
                if key not in known:
                    known.add(key)
                    found.append((point, there, element))
        every += reached
    elements = Carrying(network, moves, np.array(every, dtype=np.int64), parent, step)
    stabilisers = {
        start: tuple(
            elements[point].then(element).then(elements[there].inverse())
            for point, there, element in found
        )
        for start, found in loops.items()
    }
    return Orbits(base, elements, stabilisers)
