"""HyperX: Hamming graphs, in which all routers that differ in one coordinate are joined.

A router is a tuple of coordinates, and has a cable to each router that has another value in one
of them (Ahn, Binkert, Davis, McLaren and Schreiber, SC 2009). The flattened butterfly is the case
in which all dimensions are alike and a router has as many hosts as a dimension has routers.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators, Symmetry
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.specs import InputError, Parameter, parse_integer
from obroute.topologies.grid import Shape
from obroute.topologies.places import circles_of
from obroute.topologies.radices import RadixNetwork
from obroute.topologies.registry import Bandwidth, Hosts, hosts_at, networks
from obroute.topologies.sizes import MOST_COUNTED, Size, product


@dataclass(frozen=True, eq=False)
class HyperX(RadixNetwork):
    """A HyperX: see the module.

    Node numbers are the row-major indices of coordinates. The channels of a dimension stand
    together, sorted by tail, then by how far up (cyclically) the coordinate goes.

    Parameters
    ----------
    widths
        Links of a cable in each dimension. A cable is one channel of their bandwidth together:
        packets are spread over its links as they come.
    hosts
        Hosts of a router.

    Examples
    --------
    >>> network = networks.create("hyperx:3x4,hosts=2")
    >>> network.node_count, network.channel_count, network.total_injection
    (12, 60, Fraction(24, 1))
    """

    widths: tuple[int, ...] = ()
    hosts: int = 1

    @classmethod
    def build(
        cls, radices: tuple[int, ...], widths: tuple[int, ...], hosts: int, bandwidth: Fraction
    ) -> Self:
        """Lay out the routers and channels."""
        for dimension, radix in enumerate(radices):
            if radix < 2:
                raise InputError(
                    f"radix {radix} in dimension {dimension}; expected a radix of at least 2 "
                    "(drop the dimension to leave it out)"
                )
        if len(widths) not in (1, len(radices)):
            raise InputError(
                f"{len(widths)} widths for {len(radices)} dimensions; give one for all, or one "
                "for each joined by x"
            )
        widths = widths * (len(radices) // len(widths))
        nodes = np.arange(math.prod(radices), dtype=np.int64)
        coordinates = np.stack(np.unravel_index(nodes, radices), axis=1).astype(np.int64)
        tails, heads, links = [], [], []
        for dimension, (radix, width) in enumerate(zip(radices, widths, strict=True)):
            here = coordinates[:, dimension, None]
            there = (here + np.arange(1, radix)) % radix
            stride = math.prod(radices[dimension + 1 :])
            heads.append((nodes[:, None] + (there - here) * stride).ravel())
            tails.append(np.repeat(nodes, radix - 1))
            links.append(np.full(len(tails[-1]), width, dtype=np.int64))
        return cls(
            "hyperx",
            len(nodes),
            np.concatenate(tails),
            np.concatenate(heads),
            bandwidth=RationalArray(np.concatenate(links), 1).scaled(bandwidth),
            coordinates=coordinates,
            connected=True,
            radices=radices,
            widths=widths,
            hosts=hosts,
            **hosts_at(nodes, hosts),
        )

    def channel_along(
        self, dimension: int, nodes: NDArray[Any] | int, coordinates: NDArray[Any] | int
    ) -> IntArray:
        """Return the channels from nodes to other coordinates in a dimension; arrays broadcast.

        >>> network = networks.create("hyperx:3x4")
        >>> channel = int(network.channel_along(1, 5, 0))
        >>> network.describe_channel(channel)
        '(1,1) → (1,0)'
        """
        assert self.coordinates is not None
        radix = self.radices[dimension]
        first = self.node_count * sum(other - 1 for other in self.radices[:dimension])
        up = (np.asarray(coordinates) - self.coordinates[nodes, dimension]) % radix
        return np.asarray(first + np.asarray(nodes) * (radix - 1) + up - 1, dtype=np.int64)

    def place_of(self, channel: int) -> tuple[int, int, int]:
        """Return the dimension of a channel, its tail, and the coordinate that it leads to."""
        tail, head = int(self.tail[channel]), int(self.head[channel])
        assert self.coordinates is not None
        differs = self.coordinates[tail] != self.coordinates[head]
        dimension = int(np.argmax(differs))
        return dimension, tail, int(self.coordinates[head, dimension])

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean number of coordinates that differ, self pairs included."""
        return sum((Fraction(radix - 1, radix) for radix in self.radices), Fraction(0))

    def capacity_load(self) -> Fraction:
        """Return the least largest channel load of uniform traffic over all routings.

        With T hosts a router and channels of bandwidth K in a dimension of k routers it is
        T / (K k), and the largest over the dimensions: of the packets (k - 1) / k have to change
        the coordinate, and k - 1 channels leave each router that do; dimension order spreads
        them evenly.
        """
        loads = (
            Fraction(self.hosts, width * radix)
            for radix, width in zip(self.radices, self.widths, strict=True)
        )
        one = self.bandwidth.fraction(0) / self.widths[0]
        return max(loads) / one

    def places(self) -> FloatArray:
        """Return the routers that differ in the last dimension alone, each in a circle."""
        return circles_of(np.arange(self.node_count) // self.radices[-1])

    def automorphisms(self) -> Generators:
        """Return every order of the coordinates of a dimension, and exchanges of like dimensions.

        Of a dimension a translation by one step, and the exchange of its first two coordinates.
        """
        assert self.coordinates is not None
        found: Generators = {}
        for dimension, radix in enumerate(self.radices):
            moved = self.coordinates.copy()
            moved[:, dimension] = (moved[:, dimension] + 1) % radix
            found[Generator(Symmetry.TRANSLATION, (dimension,))] = self.node_at(moved)
            if radix > 2:
                moved = self.coordinates.copy()
                moved[:, dimension] = np.r_[1, 0, 2:radix][moved[:, dimension]]
                found[Generator(Symmetry.RELABELLING, (dimension,))] = self.node_at(moved)
        kinds = list(zip(self.radices, self.widths, strict=True))
        for kind in dict.fromkeys(kinds):
            alike = [d for d, other in enumerate(kinds) if other == kind]
            for first, second in itertools.pairwise(alike):
                moved = self.coordinates.copy()
                moved[:, [first, second]] = moved[:, [second, first]]
                found[Generator(Symmetry.EXCHANGE, (first, second))] = self.node_at(moved)
        return found

    def node_at(self, coordinates: IntArray) -> IntArray:
        """Return the nodes with the given coordinates (array … × dimensions)."""
        numbers = np.ravel_multi_index(tuple(np.moveaxis(coordinates, -1, 0)), self.radices)
        return np.asarray(numbers, dtype=np.int64)


def hyperx_size(shape: tuple[int, ...]) -> Size:
    """Return how many nodes and channels a HyperX has.

    >>> hyperx_size((3, 4))
    Size(nodes=12, channels=60)
    """
    nodes = product(shape)
    if nodes == MOST_COUNTED or min(shape, default=0) < 1:
        return Size(nodes, nodes)
    return Size(nodes, nodes * sum(radix - 1 for radix in shape))


def _parse_widths(text: str) -> tuple[int, ...]:
    return tuple(parse_integer(1)(number) for number in text.lower().split("x"))


def _widths_text(widths: tuple[int, ...]) -> str:
    return "x".join(map(str, widths))


Widths = Annotated[
    tuple[int, ...],
    Parameter(
        "links of a cable, together one channel: of all, or of each dimension joined by x",
        _parse_widths,
        _widths_text,
    ),
]


@networks.register(
    "hyperx",
    "HyperX: a cable between any two routers that differ in one coordinate",
    size=hyperx_size,
    examples=("hyperx:4x4,hosts=4", "hyperx:3x3x3,hosts=3"),
    small=("hyperx:3x3,hosts=3", "hyperx:2x3,hosts=2,width=1x2,bandwidth=2/3"),
)
def hyperx(
    shape: Shape,
    hosts: Hosts = 1,
    width: Widths = (1,),
    bandwidth: Bandwidth = Fraction(1),
) -> HyperX:
    """Return a HyperX; ``bandwidth`` is that of a link.

    >>> hyperx((3, 3, 3), hosts=3).channel_count
    162
    """
    return HyperX.build(shape, width, hosts, bandwidth)
