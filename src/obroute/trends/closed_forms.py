"""Closed forms of the worst case on k-ary 2-cubes, and where each one goes as k grows.

Loads are packets per cycle over channel bandwidth, for channels and terminals of unit bandwidth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from obroute.specs import InputError

EULER_GAMMA = 0.5772156649015329
SMALLEST_RADIX = 3
"""A two-node ring has one channel each way, so the forms start at k = 3."""

ROMM_CHECKED = "3 to 39, 49, 65, 79, 99, 149, 199, 299, 399 and 499"


def torus_uniform_load(radix: int) -> Fraction:
    """Return the capacity load of a k-ary n-cube: the least largest load of uniform traffic.

    ``(k² - 1) / 8k`` for odd and ``k / 8`` for even k (packets per cycle): half of the mean hops
    in a ring, spread over its two directions.

    >>> torus_uniform_load(9), torus_uniform_load(8)
    (Fraction(10, 9), Fraction(1, 1))
    """
    return Fraction(radix * radix - radix % 2, 8 * radix)


def dor_load(radix: int) -> Fraction:
    """Return DOR's worst-case load on a k-ary 2-cube, ``(k - 1) / 2``.

    >>> dor_load(9)
    Fraction(4, 1)
    """
    return Fraction(radix - 1, 2)


def romm_load(radix: int) -> Fraction:
    """Return ROMM's worst-case load on a k-ary 2-cube of odd k.

    ``h · [Σ_{y=0..a} 1/(2y+1) + (h - 2a - 1)/(h + 1)]`` with ``h = (k-1)/2`` and
    ``a = ⌊(h-1)/4⌋``, for two-phase ROMM whose phases each take a random order of dimensions.

    >>> romm_load(3), romm_load(9), romm_load(25)
    (Fraction(1, 1), Fraction(32, 5), Fraction(1616, 65))
    """
    h = (radix - 1) // 2
    a = (h - 1) // 4
    harmonic = sum((Fraction(1, 2 * y + 1) for y in range(a + 1)), Fraction(0))
    return h * (harmonic + Fraction(h - 2 * a - 1, h + 1))


def twice_capacity_load(radix: int) -> Fraction:
    """Return twice the capacity load: that of two phases of uniform traffic.

    >>> twice_capacity_load(9)
    Fraction(20, 9)
    """
    return 2 * torus_uniform_load(radix)


def romm_growth(radix: int) -> float:
    """Return what ROMM's worst-case load over ``h = (k-1)/2`` grows like: ``½ (ln h + γ + 1)``.

    >>> round(romm_growth(99), 3), round(float(romm_load(99) / 49), 3)
    (2.735, 2.744)
    """
    return (math.log((radix - 1) / 2) + EULER_GAMMA + 1) / 2


def romm_asymptote(radix: int) -> float:
    """Return what ROMM's fraction of capacity falls like: ``1 / (2 (ln h + γ + 1))``.

    >>> round(romm_asymptote(499), 4)
    0.0705
    """
    return 1 / (4 * romm_growth(radix))


@dataclass(frozen=True)
class Limit:
    """Where a fraction of capacity goes as the radix grows: the limit, and in words how."""

    value: Fraction | None
    text: str


@dataclass(frozen=True)
class ClosedForm:
    """An exact formula of the worst-case load of one routing on k-ary 2-cubes.

    ``formula`` and ``domain`` (the k it holds for) are for reading; ``source`` says where it
    comes from and how sure it is.
    """

    routing: str
    formula: str
    domain: str
    source: str
    limit: Limit
    value: Callable[[int], Fraction]
    odd_only: bool = False

    def holds_for(self, radix: int) -> bool:
        """Say whether the formula covers this radix."""
        return radix >= SMALLEST_RADIX and (radix % 2 == 1 or not self.odd_only)

    def load(self, radix: int) -> Fraction:
        """Return the worst-case load (packets per cycle).

        >>> closed_forms["romm"].load(17)
        Fraction(136, 9)
        >>> closed_forms["romm"].load(16)
        Traceback (most recent call last):
        obroute.specs.InputError: no closed form for romm at k = 16; it holds for odd k ≥ 3
        """
        if not self.holds_for(radix):
            raise InputError(
                f"no closed form for {self.routing} at k = {radix}; it holds for {self.domain}"
            )
        return self.value(radix)

    def fraction(self, radix: int) -> Fraction:
        """Return the guaranteed throughput as a fraction of capacity.

        >>> closed_forms["romm"].fraction(9), closed_forms["dor"].fraction(9)
        (Fraction(25, 144), Fraction(5, 18))
        """
        return torus_uniform_load(radix) / self.load(radix)

    def radices(self, first: int, last: int) -> list[int]:
        """Return the radices of a range that the formula covers."""
        return [radix for radix in range(first, last + 1) if self.holds_for(radix)]


_HALF = Limit(
    Fraction(1, 2),
    "is 1/2 for every k: two phases load a channel at most twice as much as uniform traffic",
)

closed_forms: dict[str, ClosedForm] = {
    form.routing: form
    for form in (
        ClosedForm(
            "dor",
            "(k − 1)/2",
            "k ≥ 3",
            "Towles, technical report, section 5 (tornado in one row; odd k); for even k the "
            "same count of sources and destinations, with one split tie. Agrees with every "
            "certified matching computed.",
            Limit(
                Fraction(1, 4),
                "tends to 1/4: it is (k + 1)/(4k) for odd k and k/(4(k − 1)) for even k",
            ),
            dor_load,
        ),
        ClosedForm(
            "romm",
            "h·[Σ 1/(2y + 1), y = 0..a, + (h − 2a − 1)/(h + 1)], h = (k − 1)/2, a = ⌊(h − 1)/4⌋",
            "odd k ≥ 3",
            "Read off exact solutions; equals the certified matching at every odd k of "
            f"{ROMM_CHECKED}. Not proved for all k.",
            Limit(
                Fraction(0),
                "has no positive limit: the load over h = (k − 1)/2 grows like ½(ln h + γ + 1), "
                "γ = 0.577…, so the fraction falls like 1/(2(ln h + γ + 1)), that is like 1/ln k",
            ),
            romm_load,
            odd_only=True,
        ),
        ClosedForm(
            "valiant",
            "(k² − 1)/(4k) for odd k, k/4 for even k",
            "k ≥ 3",
            "Twice the capacity load: either phase is uniform traffic whatever the pattern "
            "(Towles, Dally and Boyd, SPAA 2003, section 5).",
            _HALF,
            twice_capacity_load,
        ),
        ClosedForm(
            "ival",
            "(k² − 1)/(4k) for odd k, k/4 for even k",
            "k ≥ 3",
            "As VAL: removing loops adds no load, and no routing guarantees more than half of "
            "capacity (Towles, Dally and Boyd, SPAA 2003, section 5.2). Agrees with every "
            "certified matching computed.",
            _HALF,
            twice_capacity_load,
        ),
    )
}
"""Closed forms of the worst-case load on k-ary 2-cubes, by the canonical name of the routing.

>>> closed_forms["ival"].load(8)
Fraction(2, 1)
"""


def limits(routing: str) -> Limit:
    """Return where a routing's fraction of capacity goes on k-ary 2-cubes as k grows.

    >>> limits("dor").value
    Fraction(1, 4)
    >>> limits("rlb").value is None
    True
    """
    form = closed_forms.get(routing)
    return form.limit if form else Limit(None, "has no closed form here; the series shows it")
