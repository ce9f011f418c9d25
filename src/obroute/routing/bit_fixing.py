"""Bit fixing (greedy routing) on hypercubes, butterflies and Beneš networks.

Bit fixing, the greedy strategy of the notes on routing permutations, changes the bits of the
source to those of the destination one at a time. On a hypercube that is dimension-order routing;
on a butterfly it is the one forward path from an input to an output; on a Beneš network the first
half fixes all bits and the second half goes straight. In every case a packet crosses at a step
exactly where its row differs from the destination's in the bit of that step.

A set of bits is written as a mask, and *free* bits are those that a step says nothing about: the
row of a channel fixes the source's bits that no earlier step has changed, and the destination's
bits that this step and earlier ones have fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, TypeGuard

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.batches import BatchRouting
from obroute.routing.contract import PathBatch
from obroute.routing.grid_moves import FIXED, Order
from obroute.routing.registry import routings
from obroute.specs import InputError, Parameter
from obroute.topologies.butterfly import BACKWARD, FORWARD, Multistage
from obroute.topologies.grid import NEGATIVE, POSITIVE, Grid


def is_hypercube(network: Network) -> TypeGuard[Grid]:
    """Say whether a network is a grid of radix two in every dimension."""
    return isinstance(network, Grid) and network.radix == 2


def numbers_with(bits: int, free: int) -> IntArray:
    """Return, ascending, the numbers that agree with ``bits`` outside the mask ``free``.

    >>> numbers_with(0b010, free=0b101).tolist()
    [2, 3, 6, 7]
    """
    numbers = np.array([bits & ~free], dtype=np.int64)
    for place in reversed(range(free.bit_length())):
        if free >> place & 1:
            numbers = (numbers[:, None] | np.array([0, 1 << place])).ravel()
    return numbers


def mask_of(flips: Sequence[int]) -> int:
    """Return the bits that the given steps flip."""
    mask = 0
    for flip in flips:
        mask |= flip
    return mask


class BitRouting(BatchRouting):
    """What routings by bits share: they are defined on hypercubes, butterflies and Beneš."""

    defined_for: ClassVar[str] = "hypercube, butterfly and benes networks"

    def check(self, network: Network) -> None:
        """Raise unless the network is a hypercube, a butterfly or a Beneš network."""
        if not isinstance(network, Multistage) and not is_hypercube(network):
            raise InputError(
                f"routing {self.name} is not defined on {network.name}; it is defined for "
                f"{self.defined_for} (ecmp and tables work on every network)"
            )

    def rows(self, network: Multistage, source: int, destination: int) -> tuple[int, int]:
        """Return the rows of an input and an output.

        Raises
        ------
        InputError
            If one of the nodes is neither.
        """
        for node, index, what in (
            (source, network.source_index, "an input"),
            (destination, network.destination_index, "an output"),
        ):
            if index[node] < 0:
                raise InputError(
                    f"{network.name}: node {network.describe(node)} is not {what}; {self.name} "
                    "routes from level 0 to the last level"
                )
        return source // (network.steps + 1), destination // (network.steps + 1)


def walk(network: Multistage, row: int, destination: int, steps: Sequence[int]) -> Path:
    """Go forward over the given steps, crossing where the row differs from the destination's."""
    path = []
    height = network.steps + 1
    for step in steps:
        head = row ^ ((row ^ destination) & network.flips[step])
        path.append(network.channel(row * height + step, head * height + step + 1))
        row = head
    return tuple(path)


def walk_many(
    network: Multistage, rows: IntArray, destinations: IntArray, steps: Sequence[int]
) -> IntArray:
    """Return the channels of :func:`walk` for many packets, packets × steps."""
    channels = np.empty((len(rows), len(steps)), dtype=np.int64)
    for place, step in enumerate(steps):
        change = (rows ^ destinations) & network.flips[step]
        channels[:, place] = network.channel_at(FORWARD, step, change != 0, rows)
        rows = rows ^ change
    return channels


def path_batch(channels: IntArray) -> PathBatch:
    """Return the paths in an array packets × steps, leaving out steps of -1."""
    moves = channels >= 0
    starts = np.concatenate([[0], np.cumsum(moves.sum(axis=1))]).astype(np.int64)
    return PathBatch(starts, channels[moves].astype(np.int32))


def block(
    sources: IntArray, destinations: IntArray, load: Fraction, shape: tuple[int, int]
) -> SparseRationalMatrix:
    """Return the matrix that is ``load`` for the given sources and destinations, else zero."""
    return SparseRationalMatrix(
        np.repeat(sources, len(destinations)),
        np.tile(destinations, len(sources)),
        RationalArray.full(len(sources) * len(destinations), load),
        shape,
    )


def _parse_order(text: str) -> Order:
    order = Order.parse(text)
    if order.is_random:
        raise InputError(
            "bit fixing takes one order for all packets; expected fixed or every dimension once, "
            "such as 1-0 (dor:order=random draws an order)"
        )
    return order


BitsInOrder = Annotated[
    Order,
    Parameter(
        "order of the bits on a hypercube: fixed (left to right), or given, as in 1-0",
        _parse_order,
    ),
]


@routings.register(
    "bit_fixing",
    "one bit after another to the destination's; greedy, e-cube on a hypercube",
    aliases=("greedy",),
    defined_for=BitRouting.defined_for,
    examples=("bit_fixing",),
    small=("bit_fixing", "bit_fixing:order=2-0-1"),
)
class BitFixing(BitRouting):
    """Bit fixing, the greedy routing of the notes: deterministic, left to right or in any order.

    On a hypercube it equals ``dor`` with the same order. On butterflies and Beneš networks the
    levels give the order.

    >>> from obroute import make_network, make_routing
    >>> cube = make_network("hypercube:3")
    >>> [cube.path_nodes(0, path) for _, path in make_routing("bit_fixing").paths(cube, 0, 5)]
    [(0, 4, 5)]
    """

    takes_shortest_paths = True

    def __init__(self, order: BitsInOrder = FIXED) -> None:
        super().__init__()
        self.order = order

    def check(self, network: Network) -> None:
        """Raise unless the network is one of the three and the order is one of its dimensions."""
        super().check(network)
        if isinstance(network, Grid):
            self.order.check(len(network.radices))
        elif self.order != FIXED:
            raise InputError(
                f"{self.name}: the levels of {network.name} give the order of the bits; leave "
                "out order"
            )

    def _cube_flips(self, cube: Grid) -> list[tuple[int, int]]:
        """Return the dimensions of a hypercube in the order taken, with the bit of each."""
        dimensions = len(cube.radices)
        ((_, order),) = self.order.orders(dimensions)
        return [(dimension, 1 << (dimensions - 1 - dimension)) for dimension in order]

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the one path."""
        self.check(network)
        if isinstance(network, Multistage):
            rows = self.rows(network, source, destination)
            yield Fraction(1), walk(network, *rows, range(network.steps))
            return
        assert isinstance(network, Grid)
        path, node = [], source
        for _, flip in self._cube_flips(network):
            if (node ^ destination) & flip:
                path.append(network.channel(node, node ^ flip))
                node ^= flip
        yield Fraction(1), tuple(path)

    def channel_paths(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> IntArray:
        """Return the channels that each packet crosses, pairs × steps; -1 where it need not move.

        ``sources`` and ``destinations`` are nodes. A step is a level, or a dimension in the order
        taken.

        >>> from obroute import make_network
        >>> cube = make_network("hypercube:3")
        >>> BitFixing().channel_paths(cube, np.array([0]), np.array([5])).tolist()
        [[0, -1, 18]]
        """
        self.check(network)
        nodes, goals = np.asarray(sources, dtype=np.int64), np.asarray(destinations)
        if isinstance(network, Multistage):
            (rows, _), (goals, _) = network.rows_and_levels(nodes), network.rows_and_levels(goals)
            return walk_many(network, rows, goals, range(network.steps))
        assert isinstance(network, Grid)
        flips = self._cube_flips(network)
        channels = np.empty((len(nodes), len(flips)), dtype=np.int64)
        for place, (dimension, flip) in enumerate(flips):
            change = (nodes ^ goals) & flip
            direction = np.where(nodes & flip, NEGATIVE, POSITIVE)
            leaving = network.channel_at[dimension, direction, nodes]
            channels[:, place] = np.where(change, leaving, -1)
            nodes = nodes ^ change
        return channels

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact channel loads of given pairs: one for each channel of the path."""
        channels = self.channel_paths(network, sources, destinations)
        pairs, steps = np.nonzero(channels >= 0)
        return SparseRationalMatrix.from_triplets(
            pairs,
            channels[pairs, steps],
            RationalArray(np.ones(len(pairs), dtype=np.int64), 1),
            (len(channels), network.channel_count),
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the exact pair loads of a channel: one for sources times destinations.

        The bits of earlier steps are free in the source, those of later steps in the destination,
        so that every channel of a hypercube or butterfly is crossed by 2ⁿ⁻¹ pairs.
        """
        self.check(network)
        shape = (len(network.sources), len(network.destinations))
        if isinstance(network, Multistage):
            direction, step, cross, row = network.place_of(channel)
            flips, flip = list(network.flips), network.flips[step]
            if direction == BACKWARD or (cross and flip in flips[:step]):
                return SparseRationalMatrix.zero(shape)
        else:
            assert isinstance(network, Grid)
            dimension, _, row = network.place_of_channel[channel].tolist()
            taken = self._cube_flips(network)
            flips = [bit for _, bit in taken]
            step, cross = [d for d, _ in taken].index(dimension), 1
            flip = flips[step]
        before, after = mask_of(flips[:step]), (shape[0] - 1) & ~mask_of(flips[: step + 1])
        return block(
            numbers_with(row, before),
            numbers_with(row ^ (flip * cross), after),
            Fraction(1),
            shape,
        )

    def symmetries(self, network: Network) -> Generators:
        """Return translations; on the others also exchanges of straight and cross channels.

        A butterfly has one forward path for each pair, so that every automorphism respects it. In
        the second half of a Beneš network cross channels are never used, straight ones are.
        """
        self.check(network)
        steps = range(network.bits if isinstance(network, Multistage) else 0)
        kept = [Generator(Symmetry.CROSSING, (step,)) for step in steps]
        return {
            generator: image
            for generator, image in network.automorphisms().items()
            if generator.is_translation or generator in kept
        }

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Return the one path of each pair."""
        return path_batch(self.channel_paths(network, sources, destinations))
