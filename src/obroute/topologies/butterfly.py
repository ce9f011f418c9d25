"""Butterflies and Beneš networks: rows of switches between inputs and outputs, level by level.

A node is a pair (row, level), with 2ⁿ rows whose numbers are read as n bits. From each level to
the next a *straight* channel keeps the row and a *cross* channel flips one bit of it, the same bit
at all nodes of the level, and channels back run beside them. Packets are injected at level 0 (the
inputs) and ejected at the last level (the outputs).

Bits are counted from the left, so bit 0 is the highest, as dimension 0 of ``hypercube:n`` is. The
step from level l to level l + 1 flips bit l in a butterfly; a Beneš network is a butterfly
followed by its mirror image, and flips bits 0, 1, …, n-1, n-1, …, 1, 0. (The notes on routing
permutations call it two butterflies back to back.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, networks
from obroute.topologies.sizes import Size, power

FORWARD, BACKWARD = 0, 1
"""The direction of a channel: towards the outputs, or towards the inputs."""


@dataclass(frozen=True, eq=False)
class Multistage(Network):
    """What butterflies and Beneš networks share: see the module.

    The node (row, level) has number ``row * levels + level``, and the channels are numbered by
    direction, step, straight before cross, and the row of the tail, in this order: see
    :meth:`channel_at`.

    Parameters
    ----------
    bits
        Number of bits n of a row.
    flips
        The bit that the cross channels of each step flip, as a mask: 2ⁿ⁻¹ for bit 0.

    Examples
    --------
    >>> butterfly = networks.create("butterfly:3")
    >>> butterfly.node_count, butterfly.channel_count, butterfly.coordinates[6].tolist()
    (32, 96, [1, 2])
    >>> butterfly.flips
    (4, 2, 1)
    """

    size_is: ClassVar[str] = "dimension n"
    butterflies: ClassVar[int] = 1
    """How many butterflies stand one behind the other."""

    bits: int = 0
    flips: tuple[int, ...] = ()

    @classmethod
    def flipped_bits(cls, dimensions: int) -> list[int]:
        """Return the bit, counted from the left, that each step flips."""
        return list(range(dimensions))

    @classmethod
    def size_for(cls, dimensions: int) -> Size:
        """Return how many nodes and channels a network of n bits a row has.

        >>> Butterfly.size_for(3)
        Size(nodes=32, channels=96)
        """
        rows, steps = power(2, dimensions), dimensions * cls.butterflies
        return Size(rows * (steps + 1), 4 * rows * steps)

    @classmethod
    def build(cls, dimensions: int, bandwidth: Fraction) -> Self:
        """Lay out the nodes and channels."""
        steps = dimensions * cls.butterflies
        flips = [1 << (dimensions - 1 - bit) for bit in cls.flipped_bits(dimensions)]
        rows = np.arange(1 << dimensions, dtype=np.int64)
        step = np.arange(steps, dtype=np.int64)[:, None, None]
        flip = np.array(flips, dtype=np.int64)[:, None, None]
        shape = (2, steps, 2, len(rows))
        tail, head = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
        here = rows * (steps + 1)
        there = (rows ^ (np.arange(2)[None, :, None] * flip)) * (steps + 1)
        tail[FORWARD], head[FORWARD] = here + step, there + step + 1
        tail[BACKWARD], head[BACKWARD] = here + step + 1, there + step
        coordinates = np.empty((len(rows), steps + 1, 2), dtype=np.int64)
        coordinates[:, :, 0], coordinates[:, :, 1] = rows[:, None], np.arange(steps + 1)
        return cls(
            cls.__name__,
            len(rows) * (steps + 1),
            tail.ravel(),
            head.ravel(),
            bandwidth=RationalArray.full(tail.size, bandwidth),
            sources=here,
            destinations=here + steps,
            coordinates=coordinates.reshape(-1, 2),
            connected=True,
            bits=dimensions,
            flips=tuple(flips),
        )

    @property
    def row_count(self) -> int:
        """Number of rows, 2ⁿ: of inputs, and of outputs."""
        return 1 << self.bits

    @property
    def steps(self) -> int:
        """Number of steps from the inputs to the outputs, one less than levels."""
        return len(self.flips)

    def rows_and_levels(self, nodes: NDArray[Any] | int) -> tuple[IntArray, IntArray]:
        """Return the row and the level of each node."""
        rows, levels = np.divmod(np.asarray(nodes, dtype=np.int64), self.steps + 1)
        return rows, levels

    def channel_at(
        self,
        direction: int,
        step: NDArray[Any] | int,
        cross: NDArray[Any] | int,
        row: NDArray[Any] | int,
    ) -> IntArray:
        """Return the channels with the given places; arrays broadcast.

        ``step`` l lies between levels l and l + 1, whichever way the channel goes; ``cross`` is 1
        for a cross channel and 0 for a straight one; ``row`` is the row that the channel leaves.

        >>> butterfly = networks.create("butterfly:2")
        >>> channel = int(butterfly.channel_at(BACKWARD, 1, 1, 2))
        >>> (
        ...     butterfly.describe(butterfly.tail[channel]),
        ...     butterfly.describe(butterfly.head[channel]),
        ... )
        ('(2,2)', '(3,1)')
        """
        stage = (direction * self.steps + np.asarray(step, dtype=np.int64)) * 2
        return np.asarray((stage + cross) * self.row_count + row, dtype=np.int64)

    def place_of(self, channel: int) -> tuple[int, int, int, int]:
        """Return direction, step, whether it crosses (1 or 0), and the row of the tail."""
        stage, row = divmod(channel, self.row_count)
        stage, cross = divmod(stage, 2)
        direction, step = divmod(stage, self.steps)
        return direction, step, cross, row

    def mean_shortest_path_length(self) -> Fraction:
        """Return the number of steps: every output is that far from every input.

        A channel changes the level by one, and a forward path reaches every row.
        """
        return Fraction(self.steps)

    def capacity_load(self) -> Fraction:
        """Return the least largest channel load of uniform traffic over all routings: 1/2.

        In packets per cycle and channel bandwidth. The 2ⁿ packets per cycle that the inputs inject
        all pass from level 0 to level 1, over 2·2ⁿ channels, so some channel carries 1/2 or more.
        Forward paths reach it at every step: a packet for a uniformly random row that fixes the
        bits in the order of the levels is at each level in a uniformly random row, and goes
        straight or across with equal probability; in the second half of a Beneš network the same
        holds of the paths read backwards, when the row in the middle is drawn at random.
        """
        return Fraction(1, 2) / self.bandwidth.fraction(0)

    @property
    def size(self) -> int:
        """The number n of bits of a row."""
        return self.bits

    def automorphisms(self) -> Generators:
        """Return a translation for each bit and a crossing for each step, as generators.

        A translation flips a bit of the row in every node. A crossing flips the bit of step l
        in the rows beyond that step and leaves the rows before it: it exchanges the straight and
        cross channels of step l, and maps those of another step to their like, because flipping
        one bit commutes with flipping another. Both map inputs to inputs and outputs to outputs.
        Together they map any forward channel of a step to any other, and likewise backward.
        (There are more, which exchange the two nodes of a single pair of twins.)
        """
        rows, levels = self.rows_and_levels(np.arange(self.node_count))
        height = self.steps + 1
        found: Generators = {}
        for bit in range(self.bits):
            flip = 1 << (self.bits - 1 - bit)
            found[Generator(Symmetry.TRANSLATION, (bit,))] = (rows ^ flip) * height + levels
        for step, flip in enumerate(self.flips):
            beyond = np.where(levels > step, rows ^ flip, rows)
            found[Generator(Symmetry.CROSSING, (step,))] = beyond * height + levels
        return found


class Butterfly(Multistage):
    """A butterfly of dimension n: n + 1 levels, one forward path from each input to each output.

    >>> networks.create("butterfly:10").mean_shortest_path_length()
    Fraction(10, 1)
    """


class Benes(Multistage):
    """A Beneš network of dimension n: 2n + 1 levels, a path through every row of the middle one.

    >>> networks.create("benes:3").flips
    (4, 2, 1, 1, 2, 4)
    """

    butterflies = 2

    @classmethod
    def flipped_bits(cls, dimensions: int) -> list[int]:
        """Return the bit, counted from the left, that each step flips: there and back."""
        return [*range(dimensions), *reversed(range(dimensions))]


Dimensions = Annotated[
    int, Parameter("number n of bits of a row; there are 2^n rows", parse_integer(1))
]


@networks.register(
    "butterfly",
    "n-dimensional butterfly, channels both ways; inputs and outputs",
    size=Butterfly.size_for,
    examples=("butterfly:4",),
    small=("butterfly:1", "butterfly:3"),
)
def butterfly(dimensions: Dimensions, bandwidth: Bandwidth = Fraction(1)) -> Butterfly:
    """Return a butterfly; sources are the nodes of level 0, destinations those of level n.

    >>> butterfly(3).sources.tolist()
    [0, 4, 8, 12, 16, 20, 24, 28]
    """
    return Butterfly.build(dimensions, bandwidth)


@networks.register(
    "benes",
    "Beneš network: a butterfly and its mirror image, channels both ways",
    size=Benes.size_for,
    examples=("benes:4",),
    small=("benes:1", "benes:2,bandwidth=3/2"),
)
def benes(dimensions: Dimensions, bandwidth: Bandwidth = Fraction(1)) -> Benes:
    """Return a Beneš network; sources are the nodes of level 0, destinations those of level 2n.

    >>> benes(3).node_count, benes(3).channel_count
    (56, 192)
    """
    return Benes.build(dimensions, bandwidth)
