"""Routings on trees of switches: up to a nearest common ancestor, and down to the host.

A packet leaves its host upward, through as many levels as it then comes down, and which port it
takes up at each level is all that there is to choose: below the nearest common ancestor the way is
given. Where the port follows from the number of the source, or of the destination, modulo
something, a channel is loaded by all pairs of some sources and some destinations, none of which
are both. The largest load of such a block needs no matching: it is the smaller number of the two.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.rounded_loads import Alone, Ends, LoadBlock, RoundedLoads, Rounding
from obroute.specs import InputError
from obroute.topologies.tree import Tree

TREES = "trees of switches without failed links (leafspine, xgft, kary_ntree, fattree)"


def tree_of(network: Network, routing: str, defined_for: str = TREES) -> Tree:
    """Return the network as a tree; raise :class:`InputError` where it is none, or not whole."""
    if isinstance(network, Tree) and network.intact:
        return network
    why = "it has failed links" if isinstance(network, Tree) else "it is no tree of switches"
    raise InputError(
        f"{routing} is not defined on {network.name}: {why}; it is defined for {defined_for}"
    )


def up_and_down(tree: Tree, source: int, destination: int, ports: list[int]) -> Path:
    """Return the path that takes the given ports up, and comes down by the same."""
    up, down, within = [], [], 0
    for level, port in enumerate(ports):
        hosts = int(tree.below[level])
        up.append(tree.cable(level, source // hosts, within, port))
        down.append(tree.cable(level, destination // hosts, within, port) + len(tree.cables))
        within += port % tree.parents[level] * int(tree.above[level])
    return (*up, *reversed(down))


def levels_up(tree: Tree, source: int, destination: int) -> int:
    """Return the level of the nearest common ancestors of two hosts."""
    apart = [
        level for level, hosts in enumerate(tree.below) if source // hosts != destination // hosts
    ]
    return len(apart)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs whose packets cross each channel of a tree: a block of sources and destinations.

    The sources and the destinations whose packets take a cable are those of a residue modulo
    something: up, sources below it, and destinations elsewhere; down, the other way round.

    Parameters
    ----------
    tree
        The network.
    moduli, residues
        Arrays 2 × cables: of sources, and of destinations.
    """

    tree: Tree
    moduli: IntArray
    residues: IntArray

    @property
    def below(self) -> tuple[IntArray, IntArray]:
        """The first host below each cable, and the one after the last."""
        level, subtree = self.tree.cables[:, 0], self.tree.cables[:, 1]
        hosts = self.tree.below[level]
        return subtree * hosts, (subtree + 1) * hosts

    @cached_property
    def counts(self) -> IntArray:
        """Array 2 × channels: the sources, and the destinations, of the block of each channel."""
        first, after = self.below
        inside = self._numbers_below(after) - self._numbers_below(first)
        outside = self._numbers_below(np.int64(self.tree.host_count)) - inside
        up, down = (inside[0], outside[1]), (outside[0], inside[1])
        return np.concatenate([up, down], axis=1)

    def _numbers_below(self, limit: IntArray | np.int64) -> IntArray:
        return np.asarray((limit - 1 - self.residues) // self.moduli + 1)

    def members(self, channel: int) -> tuple[IntArray, IntArray]:
        """Return the sources and the destinations of the block of a channel."""
        down, cable = divmod(channel, len(self.tree.cables))
        hosts = np.arange(self.tree.host_count)
        first, after = (ends[cable] for ends in self.below)
        inside = (hosts >= first) & (hosts < after)
        fits = hosts % self.moduli[:, [cable]] == self.residues[:, [cable]]
        sources, destinations = fits & ((~inside, inside) if down else (inside, ~inside))
        return np.flatnonzero(sources), np.flatnonzero(destinations)


class BlockLoads(RoundedLoads):
    """Loads of blocks, none of which needs a matching."""

    def __init__(self, blocks: Blocks) -> None:
        super().__init__(Ends.apart(blocks.tree), Rounding(1))
        counts = blocks.counts
        self.sizes = np.sort(counts, axis=0)
        uniform = RationalArray(counts.prod(axis=0), blocks.tree.host_count)
        self._alone = Alone(np.arange(counts.shape[1]), self.sizes[0], uniform)

    def alone(self) -> Alone:
        """Return all channels: the smaller number of sources and destinations."""
        return self._alone

    def alike(self, channels: IntArray) -> IntArray:
        """Return the first of the given channels whose block has the same size."""
        _, first, which = np.unique(
            self.sizes[:, channels], axis=1, return_index=True, return_inverse=True
        )
        return np.asarray(first[which.ravel()])

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Yield nothing: no channel is left."""
        yield from ()


class TreeRouting(Routing):
    """A routing of one path, whose ports follow from residues of the numbers of hosts."""

    takes_shortest_paths = True
    defined_for = TREES

    @abstractmethod
    def port(self, tree: Tree, level: int, source: int, destination: int) -> int:
        """Return the port up at a level: the parallel link times w_{l+1} plus b_{l+1}."""

    @abstractmethod
    def blocks(self, tree: Tree) -> Blocks:
        """Return the pairs whose packets cross each channel."""

    def tree(self, network: Network) -> Tree:
        """Return the network, if the routing is defined on it."""
        return tree_of(network, self.name, self.defined_for)

    def check(self, network: Network) -> None:
        """Raise unless the network is such a tree."""
        self.tree(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the one path."""
        tree = self.tree(network)
        levels = range(levels_up(tree, source, destination))
        ports = [self.port(tree, level, source, destination) for level in levels]
        yield Fraction(1), up_and_down(tree, source, destination, ports)

    def longest_path(self, network: Network) -> int:
        """Return the hops over the top."""
        return 2 * self.tree(network).height

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return 1 for each pair of the block of the channel."""
        sources, destinations = self._blocks(network).members(channel)
        hosts = len(network.sources)
        count = len(sources) * len(destinations)
        return SparseRationalMatrix(
            np.repeat(sources, len(destinations)),
            np.tile(destinations, len(sources)),
            RationalArray.full(count, 1),
            (hosts, hosts),
        )

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the sizes of all blocks."""
        return self.remember(network, "loads", lambda: BlockLoads(self._blocks(network)))

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what the sizes take: no load is held."""
        return 64.0 * network.channel_count

    def _blocks(self, network: Network) -> Blocks:
        tree = self.tree(network)
        return self.remember(network, "blocks", lambda: self.blocks(tree))


def residues_of_ports(tree: Tree) -> tuple[IntArray, IntArray]:
    """Return, of each cable, a modulus and the residue of the numbers that choose it.

    The numbers x whose ports up are ``x div W_l mod (w_{l+1} p_{l+1})`` at each level l.
    """
    level, _, within, port = tree.cables.T
    above = tree.above[level]
    return above * tree.ports_up[level], within + above * port
