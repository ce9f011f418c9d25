"""What is proved of the worst cases of a family, beside which a study's own are shown.

A family of networks has its theory where somebody has proved one: it is registered for the family
by the module that states it, and found when a series of such networks is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Protocol

from obroute.registry import import_all
from obroute.theorems.statement import Bounds

PLACES = ("obroute.papers.closed_forms",)
"""Modules that register theories; plugins may too."""


@dataclass(frozen=True)
class Limit:
    """Where a fraction of capacity goes as the radix grows: the limit, and in words how."""

    value: Fraction | None
    text: str


class ClosedForm(Protocol):
    """An exact formula of the worst-case load of one routing on a series of networks."""

    @property
    def formula(self) -> str:
        """The formula, for reading."""

    @property
    def domain(self) -> str:
        """The radices that it holds for, for reading."""

    @property
    def source(self) -> str:
        """Where the proof is and what it rests on."""

    @property
    def limit(self) -> Limit:
        """Where the fraction of capacity goes."""

    def fraction(self, radix: int) -> Fraction:
        """Return the guaranteed throughput as a fraction of capacity."""

    def radices(self, first: int, last: int) -> list[int]:
        """Return the radices of a range that the formula covers."""


@dataclass(frozen=True)
class Asymptote:
    """What a fraction of capacity is like for large radices, and what to call it."""

    label: str
    fraction: Callable[[float], float]


@dataclass(frozen=True)
class Printed:
    """Fractions that a publication says the series approach, as printed.

    ``radices`` are the first and the last that it shows; ``label`` stands in a legend, and
    ``words`` in a sentence.
    """

    values: tuple[str, ...]
    radices: tuple[int, int]
    label: str
    words: str


class Theory:
    """What is proved of a series of networks by radix; nothing, unless a subclass says so.

    Loads are packets per cycle for channels of unit bandwidth.
    """

    title = ""
    """The field's name of the networks that the closed forms are about."""
    smallest_radix = 2
    """Where the series begins."""
    asymptote: Asymptote | None = None

    def capacity_load(self, radix: int) -> Fraction | None:
        """Return the load of uniform traffic under the best routing."""
        return None

    def bounds(self, routing: str, radix: int) -> Bounds | None:
        """Return what is proved of a worst-case load."""
        return None

    def closed_form(self, routing: str) -> ClosedForm | None:
        """Return the exact formula of a routing's worst-case load."""
        return None

    def limit(self, routing: str) -> Limit | None:
        """Return where a routing's fraction of capacity goes."""
        return None

    def printed(self, networks: Collection[str]) -> Printed | None:
        """Return what has been printed of a series, where its networks are those of a paper."""
        return None

    def growth(self, routing: str, radix: int) -> float:
        """Return what the load over (k - 1)/2 grows like; NaN if that is not known."""
        return math.nan


UNKNOWN = Theory()
_theories: dict[str, Callable[[int], Theory]] = {}


def theory(family: str) -> Callable[[Callable[[int], Theory]], Callable[[int], Theory]]:
    """Register what returns the theory of a family in a number of dimensions."""

    def decorate(make: Callable[[int], Theory]) -> Callable[[int], Theory]:
        if family in _theories:
            raise ValueError(f"the family '{family}' has two theories")
        _theories[family] = make
        return make

    return decorate


@cache
def _find_all() -> None:
    import_all(PLACES)


def theory_of(family: str, dimensions: int) -> Theory:
    """Return the theory of a family in a number of dimensions.

    >>> theory_of("torus", 2).title, theory_of("mesh", 2) is UNKNOWN
    ('k-ary 2-cubes', True)
    """
    _find_all()
    make = _theories.get(family)
    return UNKNOWN if make is None else make(dimensions)
