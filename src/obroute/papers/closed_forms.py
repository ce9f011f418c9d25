"""Closed forms of the worst case on k-ary 2-cubes, and where each one goes as k grows.

Loads are packets per cycle over channel bandwidth, for channels and terminals of unit bandwidth.
Every form is a theorem (:mod:`obroute.theorems`): proved for each k that it covers.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import xarray as xr

from obroute.choices.reports import TABLE1_NETWORK
from obroute.papers.published import SPAA_NETWORK, published_number
from obroute.theorems import (
    SMALLEST_RADIX,
    Bounds,
    CubeTheorem,
    cube_bounds,
    romm_asymptote,
    romm_growth,
    theorems,
    torus_uniform_load,
)
from obroute.trends.theory import Asymptote, Limit, Printed, Theory, theory
from obroute.trends.values import holds, normalized_path_length, value


@dataclass(frozen=True)
class CubeForm:
    """An exact formula of the worst-case load of one routing on k-ary 2-cubes.

    ``source`` says where the proof is and what it rests on.
    """

    theorem: CubeTheorem
    source: str
    limit: Limit

    @property
    def routing(self) -> str:
        """Canonical name of the routing."""
        return self.theorem.routing

    @property
    def formula(self) -> str:
        """The formula, for reading."""
        return self.theorem.formula

    @property
    def domain(self) -> str:
        """The k that it holds for, for reading."""
        return self.theorem.domain

    def holds_for(self, radix: int) -> bool:
        """Say whether the formula covers this radix."""
        return self.theorem.holds_for(radix)

    def load(self, radix: int) -> Fraction:
        """Return the worst-case load (packets per cycle).

        >>> closed_forms["romm"].load(17)
        Fraction(136, 9)
        >>> closed_forms["romm"].load(16)
        Traceback (most recent call last):
        obroute.specs.InputError: no closed form for romm at k = 16; it holds for odd k ≥ 3
        """
        return self.theorem.load(radix)

    def fraction(self, radix: int) -> Fraction:
        """Return the guaranteed throughput as a fraction of capacity.

        >>> closed_forms["romm"].fraction(9), closed_forms["dor"].fraction(9)
        (Fraction(25, 144), Fraction(5, 18))
        """
        return torus_uniform_load(radix) / self.load(radix)

    def radices(self, first: int, last: int) -> list[int]:
        """Return the radices of a range that the formula covers."""
        return [radix for radix in range(first, last + 1) if self.holds_for(radix)]


_QUARTER = Limit(
    Fraction(1, 4),
    "tends to 1/4 (proved): it is (k + 1)/(4k) for odd k and k/(4(k − 1)) for even k",
)
_HALF = Limit(
    Fraction(1, 2),
    "is 1/2 for every k (proved), and no routing guarantees more",
)
_NONE = Limit(
    Fraction(0),
    "has no positive limit (proved): the load over (k − 1)/2 grows like ½(ln((k + 1)/2) + γ + 1), "
    "γ = 0.577…, with an error of O(1/k²) for odd k, so the fraction falls like 1/(2 ln k)",
)
_TWO_PHASES = (
    "Proved: two phases of uniform traffic, whatever the pattern; removing loops only lowers "
    "loads. No routing has a smaller worst case (Towles, Dally and Boyd, SPAA 2003, section 5; "
    "docs/methods/trends.md)."
)

closed_forms: dict[str, CubeForm] = {
    routing: CubeForm(theorems[routing], source, limit)
    for routing, source, limit in (
        (
            "dor",
            "Proved: each source in the channel's row loads it at most once, tornado in that row "
            "reaches it (Towles, technical report, section 5; docs/methods/trends.md).",
            _QUARTER,
        ),
        (
            "o1turn",
            "Proved: half of DOR's count by sources, half by destinations "
            "(docs/methods/trends.md).",
            _QUARTER,
        ),
        (
            "romm",
            "Proved: a permutation and dual potentials in closed form (docs/methods/romm.md). For "
            "even k a bracket is proved.",
            _NONE,
        ),
        ("valiant", _TWO_PHASES, _HALF),
        ("valiant:order=random", _TWO_PHASES, _HALF),
        ("ival", _TWO_PHASES, _HALF),
        ("ival:order=random", _TWO_PHASES, _HALF),
    )
}
"""Closed forms of the worst-case load on k-ary 2-cubes, by the canonical name of the routing.

>>> closed_forms["ival"].load(8)
Fraction(2, 1)
"""

_AS_ROMM = "has no positive limit (proved): the load is at least {}that of ROMM with random order"
_LIMITS: dict[str, Limit] = {
    "romm:order=fixed": Limit(Fraction(0), _AS_ROMM.format("")),
    **{
        routing: Limit(Fraction(0), _AS_ROMM.format("a quarter of "))
        for routing in ("rlb", "rlb:order=fixed", "rlbth", "rlbth:order=fixed")
    },
}
"""Limits of routings that have no closed form."""


def _approaching() -> Printed:
    items = [published_number(f"report-{name}-approaches") for name in ("dor", "romm")]
    first, last = items[0].radices
    return Printed(
        tuple(item.printed for item in items),
        (first, last),
        f"printed in the technical report, k from {first} to {last}",
        "the values that the technical report says the series approach",
    )


APPROACHING = _approaching()
"""What the technical report says that the fractions approach."""


@dataclass(frozen=True)
class CubeTheory(Theory):
    """What is proved of k-ary n-cubes; the closed forms are those of n = 2."""

    dimensions: int
    smallest_radix = SMALLEST_RADIX

    def capacity_load(self, radix: int) -> Fraction | None:
        """Return the load of uniform traffic; rings of two are no series of k-ary n-cubes."""
        return torus_uniform_load(radix) if radix >= SMALLEST_RADIX else None

    def bounds(self, routing: str, radix: int) -> Bounds | None:
        """Return what a theorem proves of the load."""
        return cube_bounds(routing, radix, self.dimensions)


class SquareTheory(CubeTheory):
    """What is proved of k-ary 2-cubes, and what the technical report prints of them."""

    title = "k-ary 2-cubes"
    asymptote = Asymptote(
        "ROMM: no positive limit (proved), falls like 1/(2 ln k)", romm_asymptote
    )

    def closed_form(self, routing: str) -> CubeForm | None:
        """Return the exact formula of a routing's worst-case load."""
        return closed_forms.get(routing)

    def limit(self, routing: str) -> Limit | None:
        """Return where a routing's fraction of capacity goes, by its closed form or a bound.

        >>> square = SquareTheory(2)
        >>> square.limit("dor").value, square.limit("rlb").value, square.limit("ecmp")
        (Fraction(1, 4), Fraction(0, 1), None)
        """
        form = closed_forms.get(routing)
        return form.limit if form else _LIMITS.get(routing)

    def printed(self, networks: Collection[str]) -> Printed | None:
        """Return what the technical report says the series approach."""
        return APPROACHING if {SPAA_NETWORK, TABLE1_NETWORK} & set(networks) else None

    def growth(self, routing: str, radix: int) -> float:
        """Return what ROMM's load over (k - 1)/2 grows like."""
        return romm_growth(radix) if routing == "romm" and radix >= SMALLEST_RADIX else math.nan


@theory("torus")
@cache
def cube_theory(dimensions: int) -> CubeTheory:
    """Return the theory of k-ary n-cubes."""
    return SquareTheory(2) if dimensions == 2 else CubeTheory(dimensions)


def cube_path_length(study: xr.Dataset, network: str, routing: str) -> Fraction | None:
    """Return the path length on a k-ary n-cube over the minimal, n rings of mean 2·U hops."""
    if not holds(study, network, routing):
        return None
    radix = int(value(study, "radix", network=network))
    dimensions = int(value(study, "dimensions", network=network))
    shortest = 2 * dimensions * torus_uniform_load(radix)
    return normalized_path_length(study, network, routing, shortest)
