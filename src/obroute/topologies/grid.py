"""Grids: k-ary n-cubes (tori), meshes, rings and hypercubes, any number of dimensions.

A grid has a radix in each dimension; a dimension wraps around (torus) or not (mesh). Node numbers
are the row-major indices of coordinates, so the last coordinate varies fastest and dimension 0
is the row of a two-dimensional grid. A two-node ring has one channel each way, not two, so a
wrapped dimension of radix 2 equals an unwrapped one, and ``hypercube:n`` is the torus of n such.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Self

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, parse_integer
from obroute.topologies.lattice import Lattice, Twist, TwistedTorus, is_twisted
from obroute.topologies.radices import RadixNetwork
from obroute.topologies.registry import Bandwidth, Hosts, hosts_at, networks
from obroute.topologies.sizes import MOST_COUNTED, Size, power, product

POSITIVE, NEGATIVE = 0, 1
"""Index of a direction in :attr:`Grid.channel_at`: coordinates rise or fall along the channel."""

STEP = (1, -1)

GRIDS = ("torus", "mesh", "ring", "hypercube")
"""The families of grids by name."""


@dataclass(frozen=True, eq=False)
class Grid(RadixNetwork):
    """A torus, mesh or a mix: see the module.

    Parameters
    ----------
    wraps
        Whether each dimension wraps around; False for every dimension of radix 2.
    channel_at
        Array dimension × direction × node with the channel that leaves the node that way, -1
        where there is none.

    Examples
    --------
    >>> torus = networks.create("torus:4x3")
    >>> torus.node_count, torus.channel_count, torus.coordinates[5].tolist()
    (12, 48, [1, 2])
    """

    wraps: tuple[bool, ...] = ()
    channel_at: IntArray = field(default_factory=lambda: np.zeros((0, 2, 0), dtype=np.int64))

    @classmethod
    def build(
        cls,
        radices: tuple[int, ...],
        wraps: tuple[bool, ...],
        bandwidth: Fraction,
        hosts: int = 1,
    ) -> Self:
        """Lay out the nodes and channels."""
        for dimension, radix in enumerate(radices):
            if radix < 2:
                raise InputError(
                    f"radix {radix} in dimension {dimension}; expected a radix of at least 2 "
                    "(drop the dimension to leave it out)"
                )
        wraps = tuple(wrap and radix > 2 for wrap, radix in zip(wraps, radices, strict=True))
        count = math.prod(radices)
        nodes = np.arange(count, dtype=np.int64)
        coordinates = np.stack(np.unravel_index(nodes, radices), axis=1).astype(np.int64)
        channel_at = np.full((len(radices), 2, count), -1, dtype=np.int64)
        tails, heads = [], []
        found = 0
        for dimension, (radix, wrap) in enumerate(zip(radices, wraps, strict=True)):
            stride = math.prod(radices[dimension + 1 :])
            here = coordinates[:, dimension]
            for direction, step in enumerate(STEP):
                there = (here + step) % radix
                present = np.full(count, True) if wrap else there == here + step
                tail = nodes[present]
                tails.append(tail)
                heads.append((nodes + (there - here) * stride)[present])
                channel_at[dimension, direction, tail] = found + np.arange(len(tail))
                found += len(tail)
        channel_at.flags.writeable = False
        return cls(
            "grid",
            count,
            np.concatenate(tails),
            np.concatenate(heads),
            bandwidth=RationalArray.full(found, bandwidth),
            coordinates=coordinates,
            connected=True,
            radices=radices,
            wraps=wraps,
            channel_at=channel_at,
            **hosts_at(nodes, hosts),
        )

    @cached_property
    def place_of_channel(self) -> IntArray:
        """Array channels × 3: the dimension, direction and tail node of each channel."""
        places = np.empty((self.channel_count, 3), dtype=np.int64)
        for dimension in range(len(self.radices)):
            for direction in (POSITIVE, NEGATIVE):
                channels = self.channel_at[dimension, direction]
                tails = np.flatnonzero(channels >= 0)
                places[channels[tails]] = np.stack(
                    [np.full_like(tails, dimension), np.full_like(tails, direction), tails], axis=1
                )
        return places

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops of shortest paths over all pairs, self pairs included."""
        return sum(
            (
                self._mean_distance(radix, wrap)
                for radix, wrap in zip(self.radices, self.wraps, strict=True)
            ),
            Fraction(0),
        )

    @staticmethod
    def _mean_distance(radix: int, wrap: bool) -> Fraction:
        if wrap:
            return Fraction(sum(min(o, radix - o) for o in range(radix)), radix)
        return Fraction((radix - 1) * (radix + 1), 3 * radix)

    def capacity_load(self) -> Fraction:
        """Return the least largest channel load of uniform traffic over all routings.

        In packets per cycle and channel bandwidth. A cut gives the lower bound and shortest paths
        with evenly split ties reach it: ``k²/8k`` (even k) or ``(k²-1)/8k`` (odd k) in a ring,
        ``⌊k²/4⌋/k`` in a line of k nodes, and the largest over the dimensions; all of it times the
        hosts of a router.
        """
        loads = [
            Fraction(radix * radix - radix % 2, 8 * radix)
            if wrap
            else Fraction(radix * radix // 4, radix)
            for radix, wrap in zip(self.radices, self.wraps, strict=True)
        ]
        return max(loads) * self.injection.fraction(0) / self.bandwidth.fraction(0)

    def automorphisms(self) -> Generators:
        """Return translations, reflections and exchanges of like dimensions, as generators.

        A translation is one step along a dimension that wraps around.
        """
        assert self.coordinates is not None
        found: Generators = {}
        for dimension, (radix, wrap) in enumerate(zip(self.radices, self.wraps, strict=True)):
            if wrap or radix == 2:
                found[Generator(Symmetry.TRANSLATION, (dimension,))] = self._moved(dimension, 1, 1)
            if radix > 2:
                found[Generator(Symmetry.REFLECTION, (dimension,))] = self._moved(
                    dimension, -1, radix - 1
                )
        kinds = list(zip(self.radices, self.wraps, strict=True))
        for kind in dict.fromkeys(kinds):
            alike = [d for d, other in enumerate(kinds) if other == kind]
            for first, second in itertools.pairwise(alike):
                coordinates = self.coordinates.copy()
                coordinates[:, [first, second]] = coordinates[:, [second, first]]
                exchange = Generator(Symmetry.EXCHANGE, (first, second))
                found[exchange] = self.node_at(coordinates)
        return found

    def _moved(self, dimension: int, sign: int, shift: int) -> IntArray:
        assert self.coordinates is not None
        coordinates = self.coordinates.copy()
        coordinates[:, dimension] = (sign * coordinates[:, dimension] + shift) % self.radices[
            dimension
        ]
        return self.node_at(coordinates)

    def node_at(self, coordinates: IntArray) -> IntArray:
        """Return the nodes with the given coordinates (array … × dimensions)."""
        numbers = np.ravel_multi_index(tuple(np.moveaxis(coordinates, -1, 0)), self.radices)
        return np.asarray(numbers, dtype=np.int64)


class Hypercube(Grid):
    """A grid of radix two in every dimension, whose size is the number of dimensions."""

    size_is = "dimension n"

    @property
    def size(self) -> int:
        """The number of dimensions."""
        return self.dimensions


def grid_size(radices: tuple[int, ...], wraps: bool) -> Size:
    """Return how many nodes and channels a torus or mesh has.

    >>> grid_size((4, 3), wraps=True), grid_size((4, 4), wraps=False)
    (Size(nodes=12, channels=48), Size(nodes=16, channels=48))
    """
    nodes = product(radices)
    if nodes == MOST_COUNTED or 0 in radices:
        return Size(nodes, nodes)
    lines = ((nodes // radix, radix if wraps and radix > 2 else radix - 1) for radix in radices)
    return Size(nodes, sum(2 * count * cables for count, cables in lines))


def _parse_shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.lower().split("x"))
    except ValueError:
        raise InputError(
            f"'{text}' is not a shape; expected radices joined by x, such as 8x8"
        ) from None


def _shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


Shape = Annotated[
    tuple[int, ...],
    Parameter("the radix in each dimension, joined by x, such as 8x8", _parse_shape, _shape_text),
]


@networks.register(
    "torus",
    "k-ary n-cube, mixed radices allowed",
    size=lambda shape, twist: (
        Lattice(shape, twist).size() if is_twisted(twist) else grid_size(shape, wraps=True)
    ),
    examples=("torus:8x8", "torus:4x4x4", "torus:4x4x8,twist=0x0x4/0x0x4"),
    small=(
        "torus:3x3",
        "torus:4x3,bandwidth=2/3",
        "torus:4x3",
        "torus:2x4",
        "torus:4x4",
        "torus:3x3x3",
        "torus:2x3,twist=0x1",
        "torus:3,hosts=2",
    ),
)
def torus(
    shape: Shape, bandwidth: Bandwidth = Fraction(1), twist: Twist = None, hosts: Hosts = 1
) -> Grid | TwistedTorus:
    """Return a torus; two channels a dimension and node, one where the radix is 2.

    With a twist, a wrap also moves along other dimensions; routings that take the dimensions one
    by one are then not defined.

    >>> torus((8, 8)).channel_count
    256
    """
    if twist is not None and is_twisted(twist):
        return TwistedTorus.build(Lattice(shape, twist), hosts, bandwidth)
    return Grid.build(shape, (True,) * len(shape), bandwidth, hosts)


@networks.register(
    "mesh",
    "k-ary n-mesh, mixed radices allowed",
    size=lambda shape: grid_size(shape, wraps=False),
    examples=("mesh:8x8",),
    small=("mesh:3x4", "mesh:2x2x3", "mesh:2x3x3"),
)
def mesh(shape: Shape, bandwidth: Bandwidth = Fraction(1), hosts: Hosts = 1) -> Grid:
    """Return a mesh.

    >>> mesh((4, 4)).channel_count
    48
    """
    return Grid.build(shape, (False,) * len(shape), bandwidth, hosts)


@networks.register(
    "ring",
    "one-dimensional torus",
    size=lambda nodes: grid_size((nodes,), wraps=True),
    examples=("ring:16",),
    small=("ring:5", "ring:2", "ring:6"),
)
def ring(
    nodes: Annotated[int, Parameter("number of nodes", parse_integer(2))],
    bandwidth: Bandwidth = Fraction(1),
    hosts: Hosts = 1,
) -> Grid:
    """Return a ring.

    >>> ring(5).channel_count
    10
    """
    return Grid.build((nodes,), (True,), bandwidth, hosts)


@networks.register(
    "hypercube",
    "binary n-cube; DOR on it is e-cube",
    size=lambda dimensions: Size(power(2, dimensions), dimensions * power(2, dimensions)),
    examples=("hypercube:6",),
    small=("hypercube:3", "hypercube:1"),
)
def hypercube(
    dimensions: Annotated[int, Parameter("number of dimensions", parse_integer(1))],
    bandwidth: Bandwidth = Fraction(1),
    hosts: Hosts = 1,
) -> Hypercube:
    """Return a hypercube; dimension 0 is the highest bit of the node number.

    >>> hypercube(3).channel_count
    24
    """
    return Hypercube.build((2,) * dimensions, (False,) * dimensions, bandwidth, hosts)
