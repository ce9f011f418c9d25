"""ROMM on k-ary 2-cubes: the worst case of every odd k, and a bracket for every even k.

The proof is in ``docs/methods/romm.md``. Throughout h = ⌊(k - 1)/2⌋ and A = ⌊(h - 1)/4⌋.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from obroute.theorems.separable import Separable, romm_pair_load
from obroute.theorems.statement import (
    SMALLEST_RADIX,
    Bounds,
    Certificate,
    CubeTheorem,
    Place,
    require,
    total,
)

EULER_GAMMA = 0.5772156649015329
SMALLEST_SHARP_RADIX = 6


def romm_load(radix: int) -> Fraction:
    """Return ROMM's worst-case load on a k-ary 2-cube of odd k.

    ``h · [Σ_{y=0..A} 1/(2y+1) + (h - 2A - 1)/(h + 1)]``, for two-phase ROMM whose phases each
    take a random order of dimensions.

    >>> romm_load(3), romm_load(9), romm_load(25)
    (Fraction(1, 1), Fraction(32, 5), Fraction(1616, 65))
    """
    h = (radix - 1) // 2
    a = (h - 1) // 4
    harmonic = total(Fraction(1, 2 * y + 1) for y in range(a + 1))
    return h * (harmonic + Fraction(h - 2 * a - 1, h + 1))


def romm_growth(radix: float) -> float:
    """Return what ROMM's load over (k - 1)/2 grows like: ``½ (ln((k + 1)/2) + γ + 1)``.

    For odd k the difference is O(1/k²).

    >>> round(romm_growth(99), 4), round(float(romm_load(99) / 49), 4)
    (2.7446, 2.7444)
    """
    return (math.log((radix + 1) / 2) + EULER_GAMMA + 1) / 2


def romm_asymptote(radix: float) -> float:
    """Return what ROMM's fraction of capacity falls like: ``(k + 1)/4k`` over the growth.

    The first factor is the capacity load over (k - 1)/2, for odd k.

    >>> round(romm_asymptote(499), 4)
    0.0706
    """
    return (radix + 1) / (4 * radix * romm_growth(radix))


def worst_row(radix: int, y: int) -> int:
    """Return π(y): the row that the worst permutation sends row y to, relative to the channel's.

    ``-sign(y) (h - |y|)`` where A < |y| < h - A, else ``-y``; the row k/2 of an even k stays.

    >>> [worst_row(11, y) for y in range(-5, 6)]
    [5, 4, 2, 3, 1, 0, -1, -3, -2, -4, -5]
    """
    h = (radix - 1) // 2
    a = (h - 1) // 4
    if a < abs(y) < h - a:
        return (abs(y) - h) * (1 if y > 0 else -1)
    return y if 2 * y == radix else -y


def odd_potentials(radix: int) -> Separable:
    """Return the potentials that prove the load of an odd k.

    >>> potentials = odd_potentials(9)
    >>> potentials.value(), potentials.check()
    (Fraction(32, 5), 30)
    """
    h = (radix - 1) // 2

    def f(b: int) -> Fraction:
        if 2 * b <= h:
            return Fraction(1, 4 * (2 * b + 1))
        rest = Fraction(1, 2 * (h + 1)) - Fraction(1, 4 * (2 * (h - b) + 1))
        return max(Fraction(0), rest)

    g = [Fraction(h + 1 - i, 2 * (h + 1)) for i in range(1, h + 1)]
    return Separable(radix, [f(b) for b in range(h + 1)], g)


def averaged_potentials(radix: int) -> Separable:
    """Return the first upper bound of an even k: the mean of the potentials of k - 1 and k + 1.

    >>> averaged_potentials(8).value() == (romm_load(7) + romm_load(9)) / 2
    True
    """
    small, large = odd_potentials(radix - 1), odd_potentials(radix + 1)
    inner = [(x + y) / 2 for x, y in zip([*small.inner, Fraction(0)], large.inner, strict=True)]
    g = [(x + y) / 2 for x, y in zip([*small.g, Fraction(0)], large.g, strict=True)]
    return Separable(radix, inner, g, [x / 2 for x in large.inner])


def sharper_potentials(radix: int) -> Separable:
    """Return the second upper bound of an even k ≥ 6: those of k - 1, and what I = k/2 needs.

    >>> sharper_potentials(8).value() - romm_load(7)
    Fraction(13, 40)
    """
    half = radix // 2
    small = odd_potentials(radix - 1)
    inner, g = [*small.inner, Fraction(0)], [*small.g, Fraction(0)]

    def needed(b: int) -> Fraction:
        lacking = (
            romm_pair_load(radix, half, 1, b, -c) - inner[c] - (g[0] if c == 0 else 0)
            for c in range(half + 1 - b)
        )
        return max(Fraction(0), *lacking)

    return Separable(radix, inner, g, [needed(b) for b in range(half + 1)])


@lru_cache(maxsize=16)
def best_potentials(radix: int) -> Separable:
    """Return the potentials of the least upper bound that is proved.

    >>> [str(best_potentials(k).value()) for k in (4, 6, 8, 9)]
    ['11/6', '37/12', '193/40', '32/5']
    """
    if radix % 2:
        return odd_potentials(radix)
    averaged = averaged_potentials(radix)
    if radix < SMALLEST_SHARP_RADIX:
        return averaged
    return min(averaged, sharper_potentials(radix), key=Separable.value)


class Romm(CubeTheorem):
    """ROMM with random order: its load for odd k, a bracket for even k.

    >>> Romm().load(9), str(Romm().bounds(8))
    (Fraction(32, 5), 'between 9/2 and 193/40')
    """

    routing = "romm"
    formula = "h·[Σ 1/(2y + 1), y = 0..A, + (h − 2A − 1)/(h + 1)], h = (k − 1)/2, A = ⌊(h − 1)/4⌋"
    domain = "odd k ≥ 3"
    page = "docs/methods/romm.md"

    def holds_for(self, radix: int) -> bool:
        """Say whether k is odd."""
        return radix >= SMALLEST_RADIX and radix % 2 == 1

    def bounds(self, radix: int) -> Bounds:
        """Return the closed form of odd k, twice; G(k - 1) and the least upper bound of even k."""
        if radix % 2:
            return Bounds(romm_load(radix), romm_load(radix))
        return Bounds(romm_load(radix - 1), best_potentials(radix).value())

    def check(self, radix: int) -> list[str]:
        """Check the permutation's load, the potentials' sum, and every class of pairs."""
        bounds, h = self.bounds(radix), (radix - 1) // 2
        rows = range(-h, radix // 2 + 1)
        require(
            sorted(worst_row(radix, y) for y in rows) == list(rows),
            f"k = {radix}: the rows of the permutation are not all different",
        )
        reached = total(self._row_load(radix, y) for y in rows)
        require(  # at k = 4 a tie in the rows adds a little
            reached == bounds.lower or (radix % 2 == 0 and reached > bounds.lower),
            f"k = {radix}: the permutation loads the channel with {reached}, not {bounds.lower}",
        )
        potentials = best_potentials(radix)
        value = potentials.value()
        require(
            value == bounds.upper,
            f"k = {radix}: the potentials sum to {value}, not {bounds.upper}",
        )
        inequalities = potentials.check()
        return [
            f"permutation: {len(rows)} rows load the channel with {_short(reached)}",
            f"potentials: cover all pairs ({inequalities} inequalities, one a class of pairs), "
            f"and sum to {_short(value)}",
        ]

    @staticmethod
    def _row_load(radix: int, y: int) -> Fraction:
        """Return the load by row y: the same for each I with I + J = h + 1."""
        h, z = (radix - 1) // 2, worst_row(radix, y)
        require((y == 0) == (z == 0), f"k = {radix}: row {y} goes to row {z}")
        return h * romm_pair_load(radix, h, 1, y, z)

    def certificate(self, radix: int) -> Certificate:
        """Return the pairs of the permutation that load the channel, and the potentials."""
        h = (radix - 1) // 2
        traffic: list[tuple[Place, Place]] = [
            ((1 - i, y), (h + 1 - i, worst_row(radix, y)))
            for i in range(1, h + 1)
            for y in range(-h, radix // 2 + 1)
        ]
        potentials = best_potentials(radix)
        return Certificate(radix, traffic, potentials.at, potentials.at)


class RommInFixedOrder(CubeTheorem):
    """ROMM with dimension order in both phases: from the load of random order to twice that.

    Random order is the mean of a phase in each order, so its pair loads are the mean of those of
    fixed order and of their mirror image: at least half of them, and with no larger a worst case.

    >>> str(RommInFixedOrder().bounds(9))
    'between 32/5 and 64/5'
    """

    routing = "romm:order=fixed"
    formula = "from ROMM's load to twice that"
    domain = "no k"
    page = "docs/methods/romm.md"

    def __init__(self) -> None:
        self._random = Romm()

    def holds_for(self, radix: int) -> bool:
        """Say no: there is a bracket only."""
        return False

    def bounds(self, radix: int) -> Bounds:
        """Return the lower bound of random order and twice the upper one."""
        random = self._random.bounds(radix)
        return Bounds(random.lower, 2 * random.upper)

    def check(self, radix: int) -> list[str]:
        """Check the proof of random order, on which this one rests."""
        return [f"random order, {line}" for line in self._random.check(radix)]

    def certificate(self, radix: int) -> Certificate:
        """Return the traffic of random order, and twice its potentials."""
        random = self._random.certificate(radix)
        potential = random.source_potential
        return replace(
            random,
            source_potential=lambda i, b: 2 * potential(i, b),
            destination_potential=lambda j, c: 2 * potential(j, c),
        )


def _short(value: Fraction) -> str:
    """Write a fraction, or only its decimals where it has too many digits to read."""
    return str(value) if len(str(value)) <= 40 else f"{float(value):.12g}"
