"""Dragonflies: complete groups of routers, and global cables between any two groups.

A group has ``a`` routers, each joined to the others of its group (*local* channels) and with ``h``
*global* ports and ``p`` hosts (Kim, Dally, Scott and Abts, ISCA 2008). Port k = r·h + q of a group
is port q of its router r. With g = a·h + 1 groups each port leads to another group:

- ``palmtree``: port k of group G leads to group (G - 1 - k) mod g;
- ``relative``: to (G + 1 + k) mod g;
- ``absolute``: to group k, or k + 1 from k = G on (Camarero, Vallejo and Beivide, TACO 2015).

Where there are fewer groups, the ports are taken in rounds of g - 1: round j is ports j·(g - 1) to
(j + 1)·(g - 1) - 1, each laid out as above, and joins every two groups once. Ports that do not
fill a round are left free, so that all pairs of groups have equally many cables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.specs import InputError, Parameter, parse_choice, parse_integer
from obroute.topologies.places import circles_of
from obroute.topologies.registry import Bandwidth, hosts_at, networks
from obroute.topologies.sizes import Size, product

PALMTREE, RELATIVE, ABSOLUTE = "palmtree", "relative", "absolute"


@dataclass(frozen=True, eq=False)
class Dragonfly(Network):
    """A dragonfly: see the module.

    Router r of group G is node G·a + r. The local channels come first, sorted by tail, then by
    how far up (cyclically, within the group) they lead; then the global ones by group and port.

    Parameters
    ----------
    groups, routers
        Groups g, and routers a of a group.
    hosts, ports_of_router
        Hosts p and global ports h of a router.
    rounds
        Cables between any two groups.
    port_towards
        Array groups × groups × rounds: the ports of a group that lead to another.

    Examples
    --------
    >>> network = networks.create("dragonfly:p=2,a=4,h=2")
    >>> network.node_count, network.groups, network.channel_count, network.labels[5]
    (36, 9, 180, 'g1r1')
    """

    size_is: ClassVar[str] = "groups g"

    groups: int = 0
    routers: int = 0
    hosts: int = 0
    ports_of_router: int = 0
    rounds: int = 0
    turns: bool = False
    """Whether the next group has the same cables, all moved by one group."""
    port_towards: IntArray = field(default_factory=lambda: np.zeros((0, 0, 0), dtype=np.int64))

    @classmethod
    def build(
        cls, p: int, a: int, h: int, groups: int, arrangement: str, bandwidth: Fraction
    ) -> Self:
        """Lay out the routers and channels."""
        if not 2 <= groups <= a * h + 1:
            raise InputError(
                f"{groups} groups of {a} routers with {h} global ports each; expected from 2 to "
                f"{a * h + 1}, since every two groups have a cable"
            )
        rounds = a * h // (groups - 1)
        group = np.arange(groups)[:, None]
        place = np.arange(groups - 1)[None, :]
        if arrangement == ABSOLUTE:
            leads_to = np.where(place < group, place, place + 1)
        elif arrangement == RELATIVE:
            leads_to = (group + 1 + place) % groups
        else:
            leads_to = (group - 1 - place) % groups
        towards = np.full((groups, groups), -1, dtype=np.int64)
        towards[group, leads_to] = place
        port_towards = np.where(
            towards[:, :, None] >= 0,
            towards[:, :, None] + np.arange(rounds) * (groups - 1),
            -1,
        )
        count = groups * a
        nodes = np.arange(count)
        local_head = nodes[:, None] // a * a + (nodes[:, None] % a + np.arange(1, a)) % a
        port = np.arange(rounds * (groups - 1))
        other = np.tile(leads_to, rounds)
        back = port_towards[other, group, port[None, :] // (groups - 1)]
        tail = np.concatenate([np.repeat(nodes, a - 1), (group * a + port // h).ravel()])
        head = np.concatenate([local_head.ravel(), (other * a + back // h).ravel()])
        port_towards.flags.writeable = False
        return cls(
            "dragonfly",
            count,
            tail,
            head,
            bandwidth=RationalArray.full(len(tail), bandwidth),
            labels=tuple(f"g{node // a}r{node % a}" for node in range(count)),
            connected=True,
            groups=groups,
            routers=a,
            hosts=p,
            ports_of_router=h,
            rounds=rounds,
            turns=arrangement != ABSOLUTE,
            port_towards=port_towards,
            **hosts_at(nodes, p),
        )

    @property
    def local_count(self) -> int:
        """Number of local channels, the first ones."""
        return self.node_count * (self.routers - 1)

    @property
    def ports_used(self) -> int:
        """Global ports of a group that have a cable."""
        return self.rounds * (self.groups - 1)

    def cables(self, here: NDArray[Any] | int, there: NDArray[Any] | int, round_: int) -> IntArray:
        """Return the global channels from groups to other groups, of one round."""
        port = self.port_towards[here, there, round_]
        return np.asarray(self.local_count + np.asarray(here) * self.ports_used + port)

    @property
    def size(self) -> int:
        """The number of groups."""
        return self.groups

    def places(self) -> FloatArray:
        """Return the groups, each in a circle."""
        return circles_of(np.arange(self.node_count) // self.routers)

    def automorphisms(self) -> Generators:
        """Return the step to the next group, and the order of groups and routers read backwards.

        Cables of the next group are the same but for ``absolute``. Backwards they are where every
        port has one: what leads so many groups on then leads as many back.
        """
        if not self.turns:
            return {}
        step = (np.arange(self.node_count) + self.routers) % self.node_count
        found = {Generator(Symmetry.TRANSLATION): step}
        if self.ports_used == self.routers * self.ports_of_router:
            group, router = np.divmod(np.arange(self.node_count), self.routers)
            back = -group % self.groups * self.routers + self.routers - 1 - router
            found[Generator(Symmetry.REFLECTION)] = back
        return found


def _size(a: int, h: int, groups: int | None) -> Size:
    count = product((a, h)) + 1 if groups is None else groups
    rounds = max(0, a * h // max(1, count - 1))
    nodes = product((count, a))
    return Size(nodes, product((nodes, a - 1)) + product((count, rounds, max(0, count - 1))))


@networks.register(
    "dragonfly",
    "dragonfly: complete groups of routers, and global cables between all groups",
    size=_size,
    examples=("dragonfly:p=2,a=4,h=2",),
    small=(
        "dragonfly:p=1,a=2,h=1",
        "dragonfly:p=2,a=2,h=2,arrangement=absolute,groups=3,bandwidth=3/2",
    ),
)
def dragonfly(
    *,
    p: Annotated[int, Parameter("hosts of a router", parse_integer(1))],
    a: Annotated[int, Parameter("routers of a group", parse_integer(1))],
    h: Annotated[int, Parameter("global ports of a router", parse_integer(1))],
    arrangement: Annotated[
        str,
        Parameter(
            "which group a global port leads to", parse_choice(PALMTREE, RELATIVE, ABSOLUTE)
        ),
    ] = PALMTREE,
    groups: Annotated[
        int | None,
        Parameter("groups; a h + 1 where not given, or fewer with more cables", parse_integer(2)),
    ] = None,
    bandwidth: Bandwidth = Fraction(1),
) -> Dragonfly:
    """Return a dragonfly.

    >>> dragonfly(p=2, a=4, h=2, groups=5).rounds
    2
    """
    count = a * h + 1 if groups is None else groups
    return Dragonfly.build(p, a, h, count, arrangement, bandwidth)
