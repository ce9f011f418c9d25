"""BCube: hosts of several ports that pass packets on, joined by small switches."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, networks
from obroute.topologies.sizes import Size, power, product


@dataclass(frozen=True, eq=False)
class BCube(Network):
    """Hosts by their k + 1 digits, then the switches of each level by the other k digits.

    Parameters
    ----------
    radix_of_digits, digits
        The ports n of a switch, and the digits k + 1 of a host.
    """

    size_is: ClassVar[str] = "hosts N"

    radix_of_digits: int = 2
    digits: int = 1

    @property
    def size(self) -> int:
        """The number of hosts."""
        return len(self.sources)

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops: two for each digit that differs."""
        n = self.radix_of_digits
        return 2 * self.digits * Fraction(n - 1, n)

    def capacity_load(self) -> Fraction:
        """Return the least largest load of uniform traffic over all routings: ``1 - 1/n``.

        In packets per cycle over channel bandwidth. Every packet whose ends differ in a digit
        crosses a channel from a host to a switch of that level, of which each host has one;
        fixing digits in any order loads all alike.
        """
        n = self.radix_of_digits
        return Fraction(n - 1, n) / self.bandwidth.fraction(0)

    def automorphisms(self) -> Generators:
        """Return orders of the values of a digit, and exchanges of digits, as generators."""
        n, places = self.radix_of_digits, self._places()
        found: Generators = {}
        for digit in range(self.digits):
            own = places[:, digit]
            for kind, order in (
                (Symmetry.CYCLE, np.roll(np.arange(n), -1)),
                (Symmetry.EXCHANGE, np.array([1, 0, *range(2, n)])),
            ):
                moved = places.copy()
                moved[:, digit] = np.where(own >= 0, order[own], -1)
                found[Generator(kind, (digit,))] = self._nodes(moved)
            if digit:
                moved = places.copy()
                moved[:, [digit - 1, digit]] = places[:, [digit, digit - 1]]
                found[Generator(Symmetry.EXCHANGE, (digit - 1, digit))] = self._nodes(moved)
        return found

    def _places(self) -> IntArray:
        """Return the digits of each node, from the lowest on; -1 for a switch's own."""
        return np.concatenate(
            [_digits(self.radix_of_digits, self.digits)]
            + [
                np.insert(_digits(self.radix_of_digits, self.digits - 1), level, -1, axis=1)
                for level in range(self.digits)
            ]
        )

    def _nodes(self, places: IntArray) -> IntArray:
        """Return the nodes with the given digits."""
        n, hosts = self.radix_of_digits, self.size
        missing = places < 0
        level = np.argmax(missing, axis=1)
        is_switch = np.asarray(missing.any(axis=1))
        digit = np.arange(self.digits)
        beyond = is_switch[:, None] & (digit > level[:, None])
        number = (np.maximum(places, 0) * n ** (digit - beyond)).sum(axis=1)
        return np.asarray(number + np.where(is_switch, hosts + level * (hosts // n), 0))


def _digits(radix: int, count: int) -> IntArray:
    numbers = np.arange(radix**count)[:, None]
    return np.asarray(numbers // radix ** np.arange(count) % radix, dtype=np.int64)


def _size(n: int, k: int) -> Size:
    hosts = power(n, k + 1)
    return Size(hosts + product((k + 1, power(n, k))), product((2, k + 1, hosts)))


@networks.register(
    "bcube",
    "BCube_k: hosts of k + 1 ports and levels of n-port switches; hosts pass packets on",
    size=_size,
    examples=("bcube:n=4,k=1",),
    small=("bcube:n=2,k=1",),
)
def bcube(
    *,
    n: Annotated[int, Parameter("ports of a switch", parse_integer(2))],
    k: Annotated[int, Parameter("levels of switches but one", parse_integer(0))],
    bandwidth: Bandwidth = Fraction(1),
) -> BCube:
    """Return BCube_k of n-port switches (Guo and others 2009).

    n^(k+1) hosts, ``host0`` and on, whose numbers have k + 1 digits of base n, the lowest first.
    ``switch1.0`` and on are of level 1: each joins the n hosts that differ in digit 1 alone.

    >>> network = bcube(n=4, k=1)
    >>> len(network.sources), network.node_count, network.channel_count
    (16, 24, 64)
    """
    hosts = np.arange(n ** (k + 1))
    switches = n**k
    above = [
        len(hosts) + level * switches + hosts // n ** (level + 1) * n**level + hosts % n**level
        for level in range(k + 1)
    ]
    one, other = np.tile(hosts, k + 1), np.concatenate(above)
    names = [f"host{number}" for number in hosts.tolist()]
    names += [f"switch{level}.{number}" for level in range(k + 1) for number in range(switches)]
    return BCube(
        "bcube",
        len(names),
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        bandwidth=RationalArray.full(2 * len(one), bandwidth),
        sources=hosts,
        destinations=hosts,
        labels=tuple(names),
        connected=True,
        radix_of_digits=n,
        digits=k + 1,
    )
