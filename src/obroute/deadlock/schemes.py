"""Virtual-channel schemes: on which virtual channel a packet takes each hop of its path.

A scheme is a rule for every path of a set; each registers itself in :data:`schemes`. Virtual
channels of a channel are numbered 0, 1, ….
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from obroute.deadlock.paths import PathSet
from obroute.network import Network, Path
from obroute.rational import IntArray
from obroute.registry import Registry
from obroute.routing import PathBatch
from obroute.specs import InputError
from obroute.topologies.grid import POSITIVE, Grid

Hops = NDArray[np.int32]
"""The virtual channel of each hop of a batch, in the order of its ``channels``."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """The virtual channel of every hop of a set of paths.

    Parameters
    ----------
    paths
        The paths.
    rule
        The scheme that says it for one batch after another, or
    listed
        the virtual channels themselves, one array a batch.
    most
        A packet that would go past the last of so many virtual channels stays on it.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:4")
    >>> path = ring.path_from_nodes([2, 3, 0, 1])
    >>> assignment = schemes.create("dateline").assign(PathSet.of(ring, [(2, path)], "one"))
    >>> [hops.tolist() for _, hops in assignment]
    [[0, 0, 1]]
    """

    paths: PathSet
    rule: Scheme | None = None
    listed: Sequence[Hops] = ()
    most: int | None = None

    def __iter__(self) -> Iterator[tuple[PathBatch, Hops]]:
        """Yield each batch of paths with the virtual channels of its hops."""
        for place, batch in enumerate(self.paths.batches()):
            if self.rule is not None:
                hops = self.rule.virtual_channels(self.paths.network, batch)
            else:
                hops = self.listed[place]
            yield batch, hops if self.most is None else np.minimum(hops, self.most - 1)

    def rows(self) -> Iterator[tuple[Fraction | None, Path, tuple[int, ...]]]:
        """Yield each path with its probability, if it has one, and the virtual channels."""
        for place, (batch, hops) in enumerate(self):
            numbers = hops.tolist()
            probabilities = self.paths.probabilities[self.paths.batch_of[place]]
            for index, (begin, end) in enumerate(pairwise(batch.starts.tolist())):
                yield probabilities[index], batch.path(index), tuple(numbers[begin:end])

    def within(self, most: int) -> Assignment:
        """Return the same with packets kept on the last of so many virtual channels."""
        return Assignment(self.paths, self.rule, self.listed, most)


class Scheme(ABC):
    """A rule that gives each hop of a path its virtual channel."""

    name: ClassVar[str]

    def check(self, network: Network) -> None:
        """Raise :class:`InputError` where the scheme is not defined on the network."""
        return  # defined everywhere, unless a scheme says otherwise

    @abstractmethod
    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Return the virtual channel of each hop of a batch."""

    def assign(self, paths: PathSet) -> Assignment:
        """Apply the rule to a set of paths.

        Raises
        ------
        InputError
            If the scheme is not defined on the network.
        """
        self.check(paths.network)
        return Assignment(paths, self)


schemes: Registry[Scheme] = Registry("virtual-channel scheme", ["obroute.deadlock"])
"""Virtual-channel schemes by name (``single``, ``dateline``, …)."""


def _first_hops(batch: PathBatch) -> NDArray[np.bool_]:
    first = np.zeros(len(batch.channels), dtype=np.bool_)
    first[batch.starts[:-1][batch.lengths > 0]] = True
    return first


def _count_within(marked: NDArray[np.bool_], begins: NDArray[np.bool_]) -> Hops:
    """Count the marked hops since each part began, the hop itself included."""
    total = np.cumsum(marked)
    places = np.flatnonzero(begins)
    before: IntArray = (total - marked)[places]
    lengths = np.diff(np.append(places, len(marked)))
    return (total - np.repeat(before, lengths)).astype(np.int32)


@schemes.register("single", "one virtual channel: every hop on 0")
class Single(Scheme):
    """Every hop on virtual channel 0: the channels as they are."""

    name = "single"

    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Return zeros."""
        return np.zeros(len(batch.channels), dtype=np.int32)


@schemes.register("hops", "the number of the hop: always free of deadlock")
class HopNumber(Scheme):
    """Hop i on virtual channel i, so that every dependency leads up.

    It needs as many virtual channels as the longest path has hops.
    """

    name = "hops"

    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Return the place of each hop in its path."""
        first = _first_hops(batch)
        return _count_within(np.ones(len(first), dtype=np.bool_), first) - np.int32(1)


class _GridScheme(Scheme):
    """What the schemes that know dimensions share."""

    def check(self, network: Network) -> None:
        """Raise unless the network is a grid."""
        if not isinstance(network, Grid):
            raise InputError(
                f"virtual-channel scheme {self.name} is not defined on {network.name}; it is "
                "defined for torus, mesh, ring and hypercube networks (single, hops and found "
                "work on every network)"
            )

    def _grid(self, network: Network) -> Grid:
        self.check(network)
        assert isinstance(network, Grid)
        return network


@schemes.register(
    "dateline",
    "two virtual channels a ring: 1 after its dateline",
    defined_for="torus, mesh, ring and hypercube networks",
)
class Dateline(_GridScheme):
    """Virtual channel 0 from the beginning of each run in a ring, 1 after crossing its dateline.

    The dateline of a ring of radix k is the channel between the coordinates k - 1 and 0, one each
    way; a packet that crosses it still does so on 0 (Dally and Seitz 1987, section 4). A run ends
    with its dimension or direction, and the next begins on 0 again. Without rings it is
    ``single``.
    """

    name = "dateline"

    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Return 1 for each hop after the dateline of its run, else 0."""
        grid = self._grid(network)
        assert grid.coordinates is not None
        dimension, direction, tail = grid.place_of_channel[batch.channels].T
        begins = _first_hops(batch)
        begins[1:] |= (np.diff(dimension) != 0) | (np.diff(direction) != 0)
        last = np.where(direction == POSITIVE, np.array(grid.radices)[dimension] - 1, 0)
        crossing = np.array(grid.wraps)[dimension] & (grid.coordinates[tail, dimension] == last)
        crossed: Hops = _count_within(crossing, begins) - crossing.astype(np.int32)
        return np.minimum(crossed, np.int32(1))


@schemes.register(
    "phases",
    "a further pair of virtual channels after each turn to an earlier dimension",
    defined_for="torus, mesh, ring and hypercube networks",
)
class Phases(_GridScheme):
    """One set of virtual channels for each phase, and in a set those of ``dateline``.

    A phase takes the dimensions in ascending order; a turn from a later dimension to an earlier
    one, or back in the same dimension, begins the next (SPAA 2003, section 5.2, for paths of two
    turns, which do not turn back). Virtual channel = 2 · phase + dateline bit, and = phase where
    no dimension wraps around.
    """

    name = "phases"

    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Return the phase and the dateline bit in one number."""
        grid = self._grid(network)
        dimension, direction, _ = grid.place_of_channel[batch.channels].T
        first = _first_hops(batch)
        turns_down = np.zeros(len(first), dtype=np.bool_)
        step = np.diff(dimension)
        turns_down[1:] = (step < 0) | ((step == 0) & (np.diff(direction) != 0))
        phase = _count_within(turns_down & ~first, first)
        if not any(grid.wraps):
            return phase
        return 2 * phase + Dateline().virtual_channels(network, batch)
