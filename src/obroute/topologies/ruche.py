"""Grids with express channels: Ruche networks."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generators
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import Parameter, parse_choice, parse_integer
from obroute.topologies.grid import Grid, Shape, grid_size
from obroute.topologies.registry import Bandwidth, Hosts, both_ways, hosts_at, networks
from obroute.topologies.sizes import Size, product

BASES = ("mesh", "torus")


@dataclass(frozen=True, eq=False)
class Ruche(Network):
    """A grid whose nodes are also joined to those ``factor`` hops away along each dimension.

    Express channels are where the dimension is long enough: of more nodes than ``factor`` in a
    mesh, of twice as many or more in a torus.
    """

    size_is: ClassVar[str] = "radix k"

    grid: Grid = field(default_factory=lambda: Grid.build((2,), (False,), Fraction(1)))

    @property
    def size(self) -> int | None:
        """The radix, if there is one."""
        return self.grid.radix

    def automorphisms(self) -> Generators:
        """Return those of the grid, which carry express channels to express channels."""
        return self.grid.automorphisms()


def _express(radix: int, factor: int, torus: bool) -> int:
    """Return how many express cables a line of nodes has."""
    if not torus:
        return max(0, radix - factor)
    return 0 if 2 * factor > radix else factor if 2 * factor == radix else radix


def _size(shape: tuple[int, ...], factor: int, base: str) -> Size:
    plain = grid_size(shape, wraps=base == "torus")
    lines = [
        product([2 * _express(radix, factor, base == "torus"), plain.nodes // max(1, radix)])
        for radix in shape
    ]
    return Size(plain.nodes, plain.channels + sum(lines))


@networks.register(
    "ruche",
    "Ruche network: a mesh or torus with express channels over some hops",
    size=_size,
    examples=("ruche:8x8,factor=3",),
    small=("ruche:2x4", "ruche:5,factor=3", "ruche:2x5,base=torus"),
)
def ruche(
    shape: Shape,
    factor: Annotated[int, Parameter("hops that an express channel spans", parse_integer(2))] = 2,
    base: Annotated[str, Parameter("mesh or torus", parse_choice(*BASES))] = "mesh",
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> Ruche:
    """Return a grid with express channels, all of one bandwidth.

    (Jung, Davidson, Zhao, Richmond and Taylor, *Ruche networks: wire-maximal, no-fuss NoCs*, NOCS
    2020.) Routings of grids are not defined on it; ``ecmp`` is.

    >>> network = ruche((8, 8), factor=3)
    >>> network.channel_count - Grid.build((8, 8), (False, False), Fraction(1)).channel_count
    160
    """
    torus = base == "torus"
    grid = Grid.build(shape, (torus,) * len(shape), bandwidth)
    assert grid.coordinates is not None
    ends = [(grid.tail[grid.tail < grid.head], grid.head[grid.tail < grid.head])]
    for dimension, radix in enumerate(shape):
        there = grid.coordinates.copy()
        there[:, dimension] += factor
        count = _express(radix, factor, torus)
        begins = np.flatnonzero(grid.coordinates[:, dimension] < count)
        there[:, dimension] %= radix
        ends.append((begins, grid.node_at(there[begins])))
    cables = both_ways(*(np.concatenate(side) for side in zip(*ends, strict=True)))
    return Ruche(
        "Ruche network",
        grid.node_count,
        **cables,
        bandwidth=RationalArray.full(len(cables["tail"]), bandwidth),
        coordinates=grid.coordinates,
        connected=True,
        grid=grid,
        **hosts_at(np.arange(grid.node_count), hosts),
    )
