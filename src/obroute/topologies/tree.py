"""Hosts below levels of switches: what the families of fat trees share.

Extended generalized fat trees, ``XGFT(h; m_1 … m_h; w_1 … w_h)``, of Öhring, Ibel, Das and Kumar
(1995), with p_l parallel links from a child to a parent as Zahavi (2012) has them. A node of level
l, from 0 for hosts to h, is ``(a_h … a_{l+1}, b_l … b_1)`` with 0 ≤ a_i < m_i and 0 ≤ b_i < w_i;
its parents have some b_{l+1} in place of a_{l+1}. So it has m_l children and w_{l+1} parents.
M_l = m_1 ⋯ m_l hosts are below a node of level l, and W_l = w_1 ⋯ w_l nodes of level l are above
a host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, parse_integer, parse_positive_fraction, shown
from obroute.topologies.sizes import MOST_COUNTED_BITS, Size, product

Shape = tuple[int, ...]
MOST_LEVELS = MOST_COUNTED_BITS


def parse_numbers(text: str) -> Shape:
    """Read whole numbers of levels or dimensions, from 1 on, joined by x.

    Raises
    ------
    InputError
        If one is none or below 1, or there are more than :data:`MOST_LEVELS`.

    Examples
    --------
    >>> parse_numbers("3x3x3")
    (3, 3, 3)
    """
    numbers = text.lower().split("x")
    if len(numbers) > MOST_LEVELS:
        raise InputError(f"{len(numbers)} numbers joined by x; expected at most {MOST_LEVELS}")
    try:
        return tuple(map(parse_integer(1), numbers))
    except InputError as error:
        raise InputError(
            f"{shown(text)}: {error}; expected whole numbers from 1 on joined by x, such as 3x3x3"
        ) from None


def numbers_text(numbers: Shape) -> str:
    """Write numbers as :func:`parse_numbers` reads them."""
    return "x".join(map(str, numbers))


LinkBandwidth = Annotated[
    Fraction,
    Parameter(
        "bandwidth of every channel between switches, where those of hosts have 1",
        parse_positive_fraction,
    ),
]


@dataclass(frozen=True, eq=False)
class Tree(Network):
    """A tree of switches with hosts below: see the module.

    Nodes are numbered level by level from the hosts on; in a level by ``(a_h … a_{l+1})``, the
    subtree of height l that the node is at the top of, and then by ``(b_l … b_1)``. So host d is
    in the subtree ``d div M_l``, and a_1 is the lowest digit of its number. The channels up come
    first, by :attr:`cables`, then those down.

    Parameters
    ----------
    children, parents, links
        m_l, w_l and p_l of each level from 1 on.
    cables
        Array cables × 4: the level of the lower end, its subtree, its ``(b_l … b_1)``, and the
        port that leads up: the parallel link times w_{l+1} plus b_{l+1}.
    intact
        Whether all cables are there.
    """

    size_is: ClassVar[str] = "hosts N"

    children: Shape = ()
    parents: Shape = ()
    links: Shape = ()
    cables: NDArray[np.int32] = None  # type: ignore[assignment]  # given by build
    intact: bool = True

    @classmethod
    def build(
        cls,
        children: Shape,
        parents: Shape,
        links: Shape,
        bandwidth: Fraction,
        switches: tuple[str, ...],
        broken: IntArray | None = None,
    ) -> Self:
        """Lay out the nodes and channels.

        Parameters
        ----------
        children, parents, links
            As above.
        bandwidth
            Of the channels between switches; those of hosts have 1.
        switches
            What the switches of each level are called, before their number.
        broken
            Which of all cables are left out, by number.
        """
        counts = level_counts(children, parents)
        cables = _lay_cables(counts, parents, links)
        if broken is not None:
            cables = np.delete(cables, broken, axis=0)
        cables.flags.writeable = False
        first, above = np.cumsum([0, *counts]), np.cumprod([1, *parents])
        tail = np.empty(2 * len(cables), dtype=np.int64)
        head = np.empty_like(tail)
        kinds = RationalArray.from_fractions([Fraction(1), bandwidth])
        widths = np.repeat(kinds.numerators[1:], 2 * len(cables))
        for level, (w, below) in enumerate(zip(parents, children, strict=True)):
            start, end = np.searchsorted(cables[:, 0], [level, level + 1])
            subtree, within, port = cables[start:end, 1:].astype(np.int64).T
            lower = first[level] + subtree * above[level] + within
            upper = first[level + 1] + subtree // below * above[level + 1]
            upper += port % w * above[level] + within
            up, down = slice(start, end), slice(start + len(cables), end + len(cables))
            tail[up] = head[down] = lower
            head[up] = tail[down] = upper
            if level == 0:
                widths[up] = widths[down] = kinds.numerators[0]
        hosts = np.arange(counts[0])
        names = zip(("host", *switches), counts, strict=True)
        return cls(
            cls.__name__,
            int(first[-1]),
            tail,
            head,
            bandwidth=RationalArray(widths, kinds.denominator),
            sources=hosts,
            destinations=hosts,
            labels=tuple(f"{name}{number}" for name, count in names for number in range(count)),
            connected=broken is None,
            children=children,
            parents=parents,
            links=links,
            cables=cables,
            intact=broken is None,
        )

    @property
    def height(self) -> int:
        """The number h of levels of switches."""
        return len(self.children)

    @property
    def host_count(self) -> int:
        """The number N of hosts."""
        return math.prod(self.children)

    @property
    def size(self) -> int:
        """The number of hosts."""
        return self.host_count

    @cached_property
    def below(self) -> IntArray:
        """M_l of each level from 0 on: the hosts below each node."""
        return np.cumprod([1, *self.children])

    @cached_property
    def above(self) -> IntArray:
        """W_l of each level from 0 on: the nodes above each host."""
        return np.cumprod([1, *self.parents])

    @cached_property
    def ports_up(self) -> IntArray:
        """The ports that lead up from a node of each level but the last: ``w_{l+1} p_{l+1}``."""
        return np.asarray(np.multiply(self.parents, self.links), dtype=np.int64)

    @cached_property
    def levels(self) -> IntArray:
        """The level of each node, 0 for hosts."""
        counts = level_counts(self.children, self.parents)
        return np.repeat(np.arange(len(counts)), counts)

    def cable(self, level: int, subtree: int, within: int, port: int) -> int:
        """Return the number of a cable, which is its channel up, where all are there."""
        counts = level_counts(self.children, self.parents)[:level]
        before = sum(int(n * ports) for n, ports in zip(counts, self.ports_up, strict=False))
        return (
            before + (subtree * int(self.above[level]) + within) * int(self.ports_up[level]) + port
        )

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops over all pairs: 2l where the nearest common ancestor is at level l.

        That is ``Σ 2l (M_l - M_{l-1}) / N``.
        """
        if not self.intact:
            return super().mean_shortest_path_length()
        hosts_at = np.diff(self.below)
        hops = sum(2 * level * int(hosts) for level, hosts in enumerate(hosts_at, start=1))
        return Fraction(hops, self.host_count)

    def capacity_load(self) -> Fraction | None:
        """Return the least largest load of uniform traffic over all routings.

        In packets per cycle over channel bandwidth. What leaves a subtree of height l,
        ``M_l (1 - M_l / N)``, goes over its ``W_{l+1} p_{l+1}`` channels up, and a random nearest
        common ancestor spreads it evenly. None where cables are left out.
        """
        if not self.intact:
            return None
        hosts = self.host_count
        return max(
            Fraction(inside * (hosts - inside), hosts) / self.width_of_subtree(level)
            for level, inside in enumerate(self.below[:-1].tolist())
        )

    def width_of_subtree(self, level: int) -> Fraction:
        """Return what leads up from a subtree of that height (packets per cycle)."""
        channels = int(self.above[level]) * int(self.ports_up[level])
        first = int(np.argmax(self.cables[:, 0] == level))
        return channels * self.bandwidth.fraction(first)

    def automorphisms(self) -> Generators:
        """Return changes of one digit, as generators.

        For each digit a cycle of its values in all nodes, and an exchange of 0 and 1 where all
        digits a_i of a higher i, or b_i of a lower i, are 0: of two subtrees alone, or of two
        nodes above one. None where cables are left out.
        """
        if not self.intact:
            return {}
        found: Generators = {}
        nodes = np.arange(self.node_count)
        for place, radix in enumerate((*self.children, *self.parents)):
            if radix > 1:
                digit, weight, alone = self._digit(place, radix)
                has = (digit >= 0).astype(np.int64)
                cycled = ((digit + 1) % radix - digit) * has
                exchanged = (1 - 2 * digit) * (alone & (digit < 2)) * has
                found[Generator(Symmetry.CYCLE, (place,))] = nodes + cycled * weight
                found[Generator(Symmetry.EXCHANGE, (place,))] = nodes + exchanged * weight
        return found

    def _digit(self, place: int, radix: int) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Return a digit of each node, its weight in the number, and whether the others are 0.

        The places are those of a_1 … a_h, b_1 … b_h; a digit that a node has not is -1.
        """
        kind, at = divmod(place, self.height)
        digits, weights, alone = [], [], []
        for level, count in enumerate(level_counts(self.children, self.parents)):
            subtree, within = np.divmod(np.arange(count), self.above[level])
            has = level > at if kind else level <= at
            number = within if kind else subtree
            step = self.above[at] if kind else max(self.below[at] // self.below[level], 1)
            others = within % step if kind else subtree // (step * radix)
            digits.append(number // step % radix if has else np.full(count, -1))
            weights.append(np.full(count, step if kind else step * self.above[level]))
            alone.append(others == 0)
        return np.concatenate(digits), np.concatenate(weights), np.concatenate(alone)


def _lay_cables(counts: list[int], parents: Shape, links: Shape) -> NDArray[np.int32]:
    """Return the places of all cables, as :attr:`Tree.cables` has them."""
    ports = [w * p for w, p in zip(parents, links, strict=True)]
    cables = np.empty((sum(map(math.prod, zip(counts, ports, strict=False))), 4), dtype=np.int32)
    start = 0
    for level, (count, each) in enumerate(zip(counts, ports, strict=False)):
        rows = cables[start : start + count * each]
        rows[:, 0] = level
        node, rows[:, 3] = np.divmod(np.arange(count * each, dtype=np.int32), each)
        rows[:, 1], rows[:, 2] = np.divmod(node, math.prod(parents[:level]))
        start += count * each
    return cables


def level_counts(children: Shape, parents: Shape) -> list[int]:
    """Return the nodes of each level, hosts first.

    >>> level_counts((2, 4), (1, 3))
    [8, 4, 3]
    """
    levels = range(len(children) + 1)
    return [product((*children[level:], *parents[:level])) for level in levels]


def tree_size(children: Shape, parents: Shape, links: Shape) -> Size:
    """Return how many nodes and channels a tree has.

    >>> tree_size((4, 4), (1, 4), (1, 1))
    Size(nodes=24, channels=64)
    """
    counts = level_counts(children, parents)
    ports = (parents[level] * links[level] for level in range(len(children)))
    cables = sum(count * each for count, each in zip(counts, ports, strict=False))
    return Size(sum(counts), 2 * cables)
