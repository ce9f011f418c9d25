"""Potentials ``f(|y|) + [y = 0] g(I)`` against ROMM's pair loads, checked class by class.

The pair load of ``(1 - I, y)`` and ``(J, z)`` depends on I and J only where y or z is zero, and
so do such potentials. All pairs are covered if, for each group of (I, J) of one weight, three
families of inequalities hold (:meth:`Separable.check`): O(k²) of them in place of N².
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.rational import IntArray, RationalArray, compact_integers, multiply_integers
from obroute.theorems.statement import require, tie_weight, total

HALF = Fraction(1, 2)


def romm_pair_load(radix: int, i: int, j: int, y: int, z: int) -> Fraction:
    """Return the load of (0, 0) → (1, 0) by ``(1 - I, y)`` and ``(J, z)`` under ROMM.

    Random order in both phases; y and z are residues between -k/2 and k/2. With ``b = |y| + |z|``
    rows to go, ``1/(2(b + 1)) + [y = 0] J/(2(I + J)) + [z = 0] I/(2(I + J))``, times the
    probability of each tie; zero where the way from y to z does not pass row 0. See
    ``docs/methods/romm.md``.

    >>> [str(romm_pair_load(9, 2, 3, y, z)) for y, z in ((0, 0), (0, 2), (1, -2), (1, 2))]
    ['1', '7/15', '1/8', '0']
    """
    b = abs(y) + abs(z)
    half_ring = 2 * abs(y) == radix or 2 * abs(z) == radix  # then both ways pass row 0 alike
    if (y * z > 0 and not half_ring) or 2 * b > radix:
        return Fraction(0)
    weight = tie_weight(radix, i, j)
    if 2 * b == radix and y and z:
        weight /= 2
    ends = (j if y == 0 else 0) + (i if z == 0 else 0)
    return weight * (Fraction(1, 2 * (b + 1)) + Fraction(ends, 2 * (i + j)))


@dataclass(frozen=True)
class Separable:
    """Potentials of sources ``(1 - I, y)``, and the same for destinations ``(I, y)``.

    Parameters
    ----------
    radix
        k; I goes from 1 to m = ⌊k/2⌋ and |y| from 0 to m.
    inner
        f by |y|, for I < m (and for I = m where ``last`` is None).
    g
        What is added in the channel's own row, by I - 1.
    last
        f by |y| for I = m.
    """

    radix: int
    inner: Sequence[Fraction]
    g: Sequence[Fraction]
    last: Sequence[Fraction] | None = None

    def at(self, i: int, b: int) -> Fraction:
        """Return the potential of I and |y|."""
        return self._f(i)[b] + (self.g[i - 1] if b == 0 else 0)

    def _f(self, i: int) -> Sequence[Fraction]:
        return self.inner if self.last is None or i < self.radix // 2 else self.last

    def value(self) -> Fraction:
        """Return the sum over all sources and destinations."""
        half, even = self.radix // 2, self.radix % 2 == 0
        rows = [1] + [2] * (half - 1) + [1 if even else 2]
        summed = {
            id(f): total(count * entry for count, entry in zip(rows, f, strict=True))
            for f in (self.inner, self._f(half))
        }
        return 2 * total(summed[id(self._f(i))] + self.g[i - 1] for i in range(1, half + 1))

    def check(self) -> int:
        """Check every class of pairs; return the number of inequalities.

        For a group of (I, J) of one weight w, with f and f' those of I and J:

        - y, z ≠ 0: ``f(b) + f'(c)`` is at least w, halved for a tie, times ``1/(2(b + c + 1))``;
        - y = 0 ≠ z: the least ``g(I) - w J/(2(I + J))``, or 0 if that is less, plus the least
          ``f(0) + f'(c) - w/(2(c + 1))`` is not negative (z = 0 ≠ y is the same with I and J
          exchanged, and the groups hold both);
        - y = z = 0: the least ``g(I) + g(J)`` plus ``f(0) + f'(0)`` is at least w.

        Raises
        ------
        CertificateError
            Names the first class that is not covered.
        """
        for f in (self.inner, self.last or (), self.g):
            require(all(x >= 0 for x in f), f"k = {self.radix}: a potential is negative")
        count = 0
        for group in self._groups():
            count += self._check_aside(group) + self._check_in_row(group)
        return count

    def _groups(self) -> Iterator[_Group]:
        half = self.radix // 2
        i, j = np.meshgrid(np.arange(1, half + 1), np.arange(1, half + 1), indexing="ij")
        hops = 2 * (i + j - 1)
        ends = [False] if self.last is None else [False, True]
        for weight, near in ((Fraction(1), hops < self.radix), (HALF, hops == self.radix)):
            for first, second in itertools.product(ends, ends):
                mine = near
                if self.last is not None:
                    mine = near & ((i == half) == first) & ((j == half) == second)
                if mine.any():
                    yield _Group(
                        weight,
                        self._f(half if first else 0),
                        self._f(half if second else 0),
                        i[mine],
                        j[mine],
                    )

    def _check_aside(self, group: _Group) -> int:
        half, count = self.radix // 2, 0
        first, second = _Parts.of(group.first), _Parts.of(group.second)
        for b in range(1, half):
            c = np.arange(1, half + 1 - b)
            mine, theirs = (first.numerators[b], first.denominators[b]), second.take(c)
            sums = multiply_integers(theirs.numerators, mine[1]) + multiply_integers(
                theirs.denominators, mine[0]
            )
            # w/(2(b + c + 1)), halved at a tie, as a whole number over 8(b + c + 1)
            tied = 2 * (b + c) == self.radix
            wanted = int(2 * group.weight) * np.where(tied, 1, 2)
            denominators = multiply_integers(theirs.denominators, mine[1])
            left = multiply_integers(sums, 8 * (b + c + 1))
            short = np.flatnonzero(left < multiply_integers(denominators, wanted))
            if short.size:
                place = f"|y| = {b}, |z| = {c[short[0]]}"
                raise CertificateError(f"k = {self.radix}: the potentials fall short at {place}")
            count += len(c)
        return count

    def _check_in_row(self, group: _Group) -> int:
        half, weight, first, second = self.radix // 2, group.weight, group.first, group.second
        g = RationalArray.from_fractions(self.g)
        own = multiply_integers(g.numerators[group.i - 1], 4 * (group.i + group.j))
        short = np.flatnonzero(
            own < multiply_integers(2 * group.j, int(2 * weight) * g.denominator)
        )
        columns = zip(group.i[short].tolist(), group.j[short].tolist(), strict=True)
        lacking = [self.g[i - 1] - weight * Fraction(j, 2 * (i + j)) for i, j in columns]
        spare = min(first[0] + second[c] - weight / (2 * (c + 1)) for c in range(1, half + 1))
        slack = min(lacking, default=Fraction(0)) + spare
        require(slack >= 0, f"k = {self.radix}: the potentials fall short by {-slack} at y = 0")
        both = int((g.numerators[group.i - 1] + g.numerators[group.j - 1]).min())
        covered = Fraction(both, g.denominator) + first[0] + second[0]
        require(covered >= weight, f"k = {self.radix}: {covered} falls short at y = z = 0")
        return 2 * len(group.i) + half


@dataclass(frozen=True)
class _Group:
    """All (I, J) of one weight whose potentials aside of the row are the same."""

    weight: Fraction
    first: Sequence[Fraction]
    second: Sequence[Fraction]
    i: IntArray
    j: IntArray


@dataclass(frozen=True)
class _Parts:
    """Numerators and denominators of fractions, each its own: a common one would be too large."""

    numerators: NDArray[Any]
    denominators: NDArray[Any]

    @classmethod
    def of(cls, fractions: Sequence[Fraction]) -> _Parts:
        """Take fractions apart."""
        parts = [[f.numerator for f in fractions], [f.denominator for f in fractions]]
        return cls(*(compact_integers(np.array(part, dtype=object)) for part in parts))

    def take(self, index: NDArray[Any]) -> _Parts:
        """Return some of them."""
        return _Parts(self.numerators[index], self.denominators[index])
