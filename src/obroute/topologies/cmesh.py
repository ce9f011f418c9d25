"""Concentrated meshes: meshes of routers with several hosts each."""

from __future__ import annotations

from fractions import Fraction

from obroute.topologies.grid import Grid, Shape, grid_size
from obroute.topologies.registry import Bandwidth, Hosts, networks


@networks.register(
    "cmesh",
    "concentrated mesh: a mesh with several hosts at every router",
    size=lambda shape: grid_size(shape, wraps=False),
    examples=("cmesh:4x4",),
    small=("cmesh:2x3",),
)
def cmesh(shape: Shape, hosts: Hosts = 4, bandwidth: Bandwidth = Fraction(1)) -> Grid:
    """Return a mesh with four hosts, or as many as are said, at every router.

    (Balfour and Dally, *Design tradeoffs for tiled CMP on-chip networks*, ICS 2006.)

    >>> mesh = cmesh((4, 4))
    >>> mesh.node_count, mesh.injection.sum()
    (16, Fraction(64, 1))
    """
    return Grid.build(shape, (False,) * len(shape), bandwidth, hosts)
