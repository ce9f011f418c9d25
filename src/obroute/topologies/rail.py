"""Rails: hosts of several accelerators, the i-th of every host at the i-th leaf."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import Parameter, parse_integer, parse_positive_fraction
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size
from obroute.topologies.tree import LinkBandwidth

WITHIN = Fraction(9)
"""450 GB/s within a host and 50 GB/s out of it, of an accelerator of today."""


@dataclass(frozen=True, eq=False)
class Rail(Network):
    """Accelerators host by host, then the hosts' switches, the rails' leaves and the spines.

    Parameters
    ----------
    hosts, rails, spines
        How many there are; a host has an accelerator on each rail.
    within
        Bandwidth of the channel of an accelerator to the switch of its host.
    """

    size_is: ClassVar[str] = "accelerators N"

    hosts: int = 0
    rails: int = 0
    spines: int = 0
    within: Fraction = WITHIN

    @property
    def size(self) -> int:
        """The number of accelerators."""
        return self.hosts * self.rails

    def capacity_load(self) -> Fraction | None:
        """Return the least largest load of uniform traffic over all routings, without spines.

        In packets per cycle over channel bandwidth: ``max(1 - 1/H, (1 - 1/R) / within)`` for H
        hosts and R rails. A packet to another host goes over a channel to a leaf, one to another
        rail over a channel to the switch of a host, and one of each is enough. With spines None.
        """
        if self.spines:
            return None
        between, inside = 1 - Fraction(1, self.hosts), 1 - Fraction(1, self.rails)
        return max(between, inside / self.within)

    def automorphisms(self) -> Generators:
        """Return orders of the hosts, of the rails and of the spines, as generators."""
        found: Generators = {}
        counts = self.hosts, self.rails, self.spines
        for kind, count in enumerate(counts):
            if count > 1:
                for symmetry, order in (
                    (Symmetry.CYCLE, np.roll(np.arange(count), -1)),
                    (Symmetry.EXCHANGE, np.array([1, 0, *range(2, count)])),
                ):
                    orders = [np.arange(each) for each in counts]
                    orders[kind] = order
                    found[Generator(symmetry, (kind,))] = self._moved(*orders)
        return found

    def _moved(self, hosts: IntArray, rails: IntArray, spines: IntArray) -> IntArray:
        accelerators = hosts[:, None] * self.rails + rails
        first = accelerators.size
        second, third = first + self.hosts, first + self.hosts + self.rails
        return np.concatenate(
            [accelerators.ravel(), first + hosts, second + rails, third + spines]
        )


@networks.register(
    "rail",
    "hosts of several accelerators, one leaf a rail, with or without spines above",
    size=lambda hosts, accelerators, spines, links: Size(
        hosts * accelerators + hosts + accelerators + spines,
        4 * hosts * accelerators + 2 * accelerators * spines * links,
    ),
    examples=("rail:hosts=4,accelerators=8", "rail:hosts=32,accelerators=8,spines=32"),
    small=("rail:hosts=2,accelerators=2,spines=1,links=2,within=3",),
)
def rail(
    *,
    hosts: Annotated[int, Parameter("number of hosts", parse_integer(2))],
    accelerators: Annotated[int, Parameter("accelerators of each host: rails", parse_integer(1))],
    spines: Annotated[int, Parameter("spine switches above the leaves", parse_integer(0))] = 0,
    links: Annotated[int, Parameter("links from each leaf to each spine", parse_integer(1))] = 1,
    within: Annotated[
        Fraction,
        Parameter(
            "bandwidth of an accelerator within its host, where its own to the leaf is 1",
            parse_positive_fraction,
        ),
    ] = WITHIN,
    bandwidth: LinkBandwidth = Fraction(1),
) -> Rail:
    """Return a rail-optimized fabric, or without spines a rail-only one (Wang and others 2024).

    Accelerator i of every host has a channel to leaf i, ``rail`` i, and one to the switch ``host``
    of its host. Accelerators are terminals of one unit, ``accelerator`` host ``.`` rail, and pass
    packets on.

    >>> network = rail(hosts=4, accelerators=8)
    >>> len(network.sources), network.node_count, network.channel_count
    (32, 44, 128)
    """
    count = hosts * accelerators
    number = np.arange(count)
    host, lane = np.divmod(number, accelerators)
    leaf = count + hosts + np.repeat(np.arange(accelerators), spines * links)
    spine = (
        count + hosts + accelerators + np.tile(np.repeat(np.arange(spines), links), accelerators)
    )
    one = np.concatenate([number, number, leaf])
    other = np.concatenate([count + host, count + hosts + lane, spine])
    kinds = RationalArray.from_fractions([within, Fraction(1), bandwidth])
    widths = np.repeat(kinds.numerators, [count, count, len(leaf)])
    names = [f"accelerator{h}.{r}" for h in range(hosts) for r in range(accelerators)]
    for kind, many in (("host", hosts), ("rail", accelerators), ("spine", spines)):
        names += [f"{kind}{index}" for index in range(many)]
    return Rail(
        "rail",
        len(names),
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        bandwidth=RationalArray(np.tile(widths, 2), kinds.denominator),
        sources=number,
        destinations=number,
        labels=tuple(names),
        connected=True,
        hosts=hosts,
        rails=accelerators,
        spines=spines,
        within=within,
    )
