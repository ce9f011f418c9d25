"""Hexagonal patches of a plane of triangles: HexaMesh."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, Hosts, both_ways, hosts_at, networks
from obroute.topologies.sizes import Size


@dataclass(frozen=True, eq=False)
class HexaMesh(Network):
    """All nodes at most ``radius`` hops from one, where every inner node has six neighbours.

    Coordinates are steps along two of the three directions of cables; a step along the third is
    one forward along the first and one back along the second.
    """

    size_is: ClassVar[str] = "radius r"

    radius: int = 0

    @property
    def size(self) -> int:
        """The hops from the node in the middle to the border."""
        return self.radius

    def places(self) -> FloatArray:
        """Return the patch as it is, its cables in three directions a sixth of a turn apart."""
        assert self.coordinates is not None
        first, second = self.coordinates.T
        return np.stack([second + first / 2, first * math.sqrt(3) / 2], axis=1)

    def automorphisms(self) -> Generators:
        """Return a turn by a sixth and a reflection."""
        assert self.coordinates is not None
        first, second = self.coordinates.T
        return {
            Generator(Symmetry.ROTATION): _number(self.radius, -second, first + second),
            Generator(Symmetry.REFLECTION): _number(self.radius, second, first),
        }


def _number(radius: int, first: IntArray, second: IntArray) -> IntArray:
    """Return the nodes at places in the patch, row by row."""
    starts = np.concatenate([[0], np.cumsum(_lengths(radius))])
    return np.asarray(
        starts[first + radius] + second - np.maximum(-radius, -radius - first), dtype=np.int64
    )


def _lengths(radius: int) -> IntArray:
    return 2 * radius + 1 - np.abs(np.arange(-radius, radius + 1))


@networks.register(
    "hexamesh",
    "hexagonal patch with six neighbours a node",
    size=lambda radius: Size(1 + 3 * radius * (radius + 1), 6 * radius * (3 * radius + 1)),
    examples=("hexamesh:radius=2",),
    small=("hexamesh:radius=1",),
)
def hexamesh(
    *,
    radius: Annotated[int, Parameter("hops from the middle to the border", parse_integer(1))],
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> HexaMesh:
    """Return a hexagonal patch of 1 + 3r(r + 1) nodes.

    (Iff, Besta, Cavalcante, Fischer, Benini and Hoefler, *HexaMesh*, DAC 2023.)

    >>> patch = hexamesh(radius=2)
    >>> patch.node_count, patch.channel_count, patch.coordinates[0].tolist()
    (19, 84, [-2, 0])
    """
    lengths = _lengths(radius)
    first = np.repeat(np.arange(-radius, radius + 1), lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    second = within + np.maximum(-radius, -radius - first)
    ends = []
    for step, aside in ((1, 0), (0, 1), (1, -1)):
        there = np.stack([first + step, second + aside])
        inside = np.abs(np.stack([*there, there.sum(axis=0)])).max(axis=0) <= radius
        ends.append((np.flatnonzero(inside), _number(radius, *there[:, inside])))
    cables = both_ways(*(np.concatenate(side) for side in zip(*ends, strict=True)))
    return HexaMesh(
        "HexaMesh",
        len(first),
        **cables,
        bandwidth=RationalArray.full(len(cables["tail"]), bandwidth),
        coordinates=np.stack([first, second], axis=1),
        connected=True,
        radius=radius,
        **hosts_at(np.arange(len(first)), hosts),
    )
