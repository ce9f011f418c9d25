"""What a theorem on k-ary 2-cubes says, and what a check of it at one radix consists of.

Every theorem here is about the channel (0, 0) → (1, 0) of the k-ary 2-cube with channels and
terminals of unit bandwidth; symmetry gives the others. A pair can load it only if its source is
``(1 - I, y)`` and its destination ``(J, z)`` with I and J from 1 to m = ⌊k/2⌋: the packet then
comes from I - 1 columns behind the channel's tail and goes J - 1 beyond its head. Coordinates are
residues between -k/2 and k/2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from obroute.certificates import CertificateError, check_potentials, potentials_value, traffic_load
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.specs import InputError
from obroute.topologies.grid import POSITIVE, Grid

SMALLEST_RADIX = 3
"""A two-node ring has one channel each way, so the theorems start at k = 3."""

Place = tuple[int, int]
"""Coordinates of a node relative to the channel's tail."""

Potential = Callable[[int, int], Fraction]
"""A potential by I (or J), from 1 to ⌊k/2⌋, and the distance |y| from the channel's row."""


def torus_uniform_load(radix: int) -> Fraction:
    """Return the capacity load of a k-ary n-cube: the least largest load of uniform traffic.

    ``(k² - 1) / 8k`` for odd and ``k / 8`` for even k (packets per cycle): half of the mean hops
    in a ring, spread over its two directions.

    >>> torus_uniform_load(9), torus_uniform_load(8)
    (Fraction(10, 9), Fraction(1, 1))
    """
    return Fraction(radix * radix - radix % 2, 8 * radix)


def tie_weight(radix: int, i: int, j: int) -> Fraction:
    """Return the probability that a packet goes from column 1 - I to column J over the channel.

    It does where that is the shorter way round the ring, I + J - 1 hops: 1 below half the ring,
    1/2 at exactly half (ties split evenly), 0 beyond.

    >>> [str(tie_weight(8, 1, j)) for j in (3, 4)], str(tie_weight(9, 1, 4))
    (['1', '1/2'], '1')
    """
    return Fraction((2 * (i + j - 1) < radix) + (2 * (i + j - 1) <= radix), 2)


@dataclass(frozen=True)
class Bounds:
    """What is proved of a worst-case load (packets per cycle): it lies between these two."""

    lower: Fraction
    upper: Fraction

    @property
    def exact(self) -> Fraction | None:
        """The load where the bounds meet, else None."""
        return self.lower if self.lower == self.upper else None

    def allow(self, load: Fraction) -> bool:
        """Say whether a load is between the bounds."""
        return self.lower <= load <= self.upper

    def __str__(self) -> str:
        if self.exact is not None:
            return str(self.exact)
        return f"between {self.lower} and {self.upper}"


@dataclass(frozen=True)
class Certificate:
    """Traffic and potentials of the channel (0, 0) → (1, 0) at one radix, in closed form.

    ``traffic`` are the pairs that load the channel, each source and each destination once; their
    load is a lower bound. The potentials are zero but for sources ``(1 - I, y)`` and destinations
    ``(J, z)``; their sum is an upper bound.
    """

    radix: int
    traffic: list[tuple[Place, Place]]
    source_potential: Potential
    destination_potential: Potential

    def check(self, network: Grid, pair_loads: SparseRationalMatrix) -> Bounds:
        """Return the bounds that this certificate proves for the given pair loads.

        ``pair_loads`` are those of :func:`first_channel` of the network, derived by the routing
        itself: nothing of the theorem's own account of them is used.

        Raises
        ------
        CertificateError
            If a terminal sends or receives twice, or a potential is too small.
        """
        unit = network.injection, network.ejection
        ends = np.array(self.traffic, dtype=np.int64).reshape(-1, 2, 2) % self.radix
        sources, destinations = network.node_at(ends[:, 0]), network.node_at(ends[:, 1])
        amounts = RationalArray.full(len(sources), 1)
        name = f"k = {self.radix}"
        lower = traffic_load(name, sources, destinations, amounts, pair_loads, *unit)
        potentials = (
            self._potentials(network, self.source_potential, lambda x: 1 - x),
            self._potentials(network, self.destination_potential, lambda x: x),
        )
        check_potentials(name, *potentials, pair_loads)
        return Bounds(lower, potentials_value(name, *potentials, *unit))

    def _potentials(
        self, network: Grid, potential: Potential, place: Callable[[int], int]
    ) -> RationalArray:
        assert network.coordinates is not None
        half = self.radix // 2
        values = []
        for x, y in network.coordinates.tolist():
            i = place(x if x <= half else x - self.radix)
            inside = 1 <= i <= half
            values.append(potential(i, min(y, self.radix - y)) if inside else Fraction(0))
        return RationalArray.from_fractions(values)


def first_channel(network: Grid) -> int:
    """Return the channel (0, 0) → (1, 0)."""
    return int(network.channel_at[0, POSITIVE, 0])


class CubeTheorem(ABC):
    """A theorem on the worst case of one routing on k-ary 2-cubes."""

    routing: str
    """Canonical name of the routing."""
    formula: ClassVar[str]
    """The load, for reading."""
    domain: ClassVar[str]
    """The k for which the formula is the worst-case load."""
    page: ClassVar[str]
    """Where the proof is written."""

    def holds_for(self, radix: int) -> bool:
        """Say whether the theorem gives the load itself at this radix."""
        return radix >= SMALLEST_RADIX

    def covers(self, radix: int) -> bool:
        """Say whether the theorem bounds the load at this radix."""
        return radix >= SMALLEST_RADIX

    @abstractmethod
    def bounds(self, radix: int) -> Bounds:
        """Return what is proved of the load at a radix (packets per cycle)."""

    @abstractmethod
    def check(self, radix: int) -> list[str]:
        """Check the proof at one radix in at most O(k²) sums; say what was checked.

        Raises
        ------
        CertificateError
            Names the first thing that does not hold.
        """

    @abstractmethod
    def certificate(self, radix: int) -> Certificate:
        """Return traffic and potentials, to be held against a routing's own pair loads."""

    def load(self, radix: int) -> Fraction:
        """Return the worst-case load (packets per cycle) at a radix that the formula covers.

        Raises
        ------
        InputError
            If it does not.
        """
        exact = self.bounds(radix).exact if self.holds_for(radix) else None
        if exact is None:
            raise InputError(
                f"no closed form for {self.routing} at k = {radix}; it holds for {self.domain}"
            )
        return exact


def require(holds: bool, message: str) -> None:
    """Raise where something that a proof rests on does not hold."""
    if not holds:
        raise CertificateError(message)


def total(values: Iterable[Fraction]) -> Fraction:
    """Add fractions."""
    return sum(values, Fraction(0))
