"""Megafly: groups of leaves and spines, joined like the groups of a dragonfly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import FloatArray, RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.places import circles_of
from obroute.topologies.registry import Bandwidth, Hosts, hosts_at, networks
from obroute.topologies.sizes import Size


@dataclass(frozen=True, eq=False)
class Megafly(Network):
    """Groups of leaf and spine routers; leaves have hosts, spines links to other groups.

    Nodes are numbered group by group, leaves before spines.

    Parameters
    ----------
    leaves, spines
        Of each group.
    groups
        How many there are.
    """

    size_is: ClassVar[str] = "groups g"

    leaves: int = 0
    spines: int = 0
    groups: int = 0

    @property
    def size(self) -> int:
        """The number of groups."""
        return self.groups

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops: 0 to a leaf itself, 2 within its group, 3 to another group."""
        leaves, groups = self.leaves, self.groups
        return Fraction(2 * (leaves - 1) + 3 * leaves * (groups - 1), leaves * groups)

    def capacity_load(self) -> Fraction:
        """Return the least largest load of uniform traffic over all routings.

        In packets per cycle over channel bandwidth, with p hosts a leaf, l leaves, s spines and g
        groups: ``max(l p / g, p (1 - 1 / (l g)) / s)``. What leaves a group goes over its g - 1
        links, and what leaves a leaf over its s; shortest paths load each of either kind alike.
        """
        hosts, leaves, groups = self.injection.fraction(0), self.leaves, self.groups
        between = hosts * leaves / groups
        within = hosts * (1 - Fraction(1, leaves * groups)) / self.spines
        return max(between, within) / self.bandwidth.fraction(0)

    def places(self) -> FloatArray:
        """Return the groups, each in a circle."""
        return circles_of(np.arange(self.node_count) // (self.leaves + self.spines))

    def automorphisms(self) -> Generators:
        """Return the rotation of groups, and orders of the leaves of a group, as generators."""
        size = self.leaves + self.spines
        nodes = np.arange(self.node_count)
        group, place = np.divmod(nodes, size)
        found: Generators = {
            Generator(Symmetry.TRANSLATION): (nodes + size) % self.node_count,
        }
        if self.leaves > 1:
            cycled = np.where(place < self.leaves, (place + 1) % self.leaves, place)
            found[Generator(Symmetry.CYCLE)] = group * size + cycled
            exchange = nodes.copy()
            exchange[[0, 1]] = [1, 0]
            found[Generator(Symmetry.EXCHANGE, (0, 1))] = exchange
        return found


@networks.register(
    "megafly",
    "dragonfly+ of groups of leaves and spines, palmtree arrangement",
    size=lambda leaves, spines, global_: Size(
        (spines * global_ + 1) * (leaves + spines),
        (spines * global_ + 1) * spines * (2 * leaves + global_),
    ),
    examples=("megafly:leaves=2,spines=2,hosts=2,global=2",),
    small=("megafly:leaves=2,spines=1,hosts=2,global=2",),
)
def megafly(
    *,
    leaves: Annotated[int, Parameter("leaf routers of a group", parse_integer(1))],
    spines: Annotated[int, Parameter("spine routers of a group", parse_integer(1))],
    hosts: Hosts = 1,
    global_: Annotated[int, Parameter("links of a spine to other groups", parse_integer(1))] = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> Megafly:
    """Return a Megafly (Flajslik, Borch and Parker 2018), also known as Dragonfly+.

    With h global links a spine there are ``g = spines · h + 1`` groups, each two of which have one
    link. Every leaf of a group has a link to each of its spines. Global port ``k = r h + q``, the
    q-th of spine r, leads from group G to group ``(G - 1 - k) mod g`` (the palmtree arrangement).
    Terminals are the leaves, of ``hosts`` units each.

    >>> network = megafly(leaves=2, spines=2, hosts=2, global_=2)
    >>> network.groups, network.node_count, network.channel_count, network.name
    (5, 20, 60, 'megafly:leaves=2,spines=2,hosts=2,global=2')
    """
    groups, size = spines * global_ + 1, leaves + spines
    first = np.arange(groups)[:, None, None] * size
    leaf, spine = np.arange(leaves)[:, None], leaves + np.arange(spines)
    up = (first + leaf + 0 * spine).ravel(), (first + spine + 0 * leaf).ravel()
    port = np.arange(spines * global_)
    group = np.arange(groups)[:, None]
    there, back = (group - 1 - port) % groups, groups - 2 - port
    out = group * size + leaves + port // global_
    over = there * size + leaves + back // global_
    tail = np.concatenate([up[0], up[1], out.ravel()])
    head = np.concatenate([up[1], up[0], over.ravel()])
    names = [f"leaf{{}}.{i}" for i in range(leaves)] + [f"spine{{}}.{i}" for i in range(spines)]
    return Megafly(
        "megafly",
        groups * size,
        tail,
        head,
        bandwidth=RationalArray.full(len(tail), bandwidth),
        **hosts_at((first[:, 0] + np.arange(leaves)).ravel(), hosts),
        labels=tuple(name.format(g) for g in range(groups) for name in names),
        connected=True,
        leaves=leaves,
        spines=spines,
        groups=groups,
    )
