"""Numbers that the source papers print, as data: what, where, for which network and routing.

The data is in ``published.yaml``, whose head explains its fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

import yaml

SPAA_NETWORK = "torus:8x8"
TABLE1_ROWS: tuple[tuple[str, str, str], ...] = (
    ("Uniform", "pattern", "uniform"),
    ("Bit-complement", "pattern", "bit_complement"),
    ("Transpose", "pattern", "transpose"),
    ("Tornado", "pattern", "tornado"),
    ("Worst of random permutations", "random_permutations", ""),
    ("Worst case", "worst_case", ""),
)
"""Label, quantity and pattern of each row of the technical report's Table 1."""

_NUMBER = re.compile(r"\d+(\.\d+)?%?")


@dataclass(frozen=True)
class Source:
    """A paper: its short name and its citation."""

    name: str
    citation: str


@dataclass(frozen=True)
class Published:
    """One printed number.

    ``printed`` is the text as printed, so that its decimals say how it was rounded. ``value`` is
    the number to compare with where ``printed`` is a word, and then must be met exactly;
    ``margin`` half the width that rounding leaves a number which follows from other printed ones.
    ``bound`` says that the paper prints an upper bound, ``sample`` on how many random matrices or
    permutations it measured. ``reference`` is the other routing of a ratio, a saving or a mix,
    ``pattern`` the traffic of a pattern's throughput, ``radices`` the range that shows a number
    of many radices. ``words`` names the definition that a reading takes.
    """

    id: str
    source: str
    where: str
    label: str
    printed: str
    quantity: str
    network: str = ""
    routing: str = ""
    reference: str = ""
    pattern: str = ""
    value: str = ""
    margin: str = ""
    bound: bool = False
    sample: int = 0
    radices: tuple[int, int] = (0, 0)
    readings: tuple[Mapping[str, Any], ...] = ()
    why: str = ""
    note: str = ""
    words: str = ""

    @property
    def number(self) -> Fraction:
        """The number to compare with; a percentage as a fraction of one."""
        return number_of(self.value or self.printed)

    @property
    def decimals(self) -> int:
        """The decimals of the number as printed, those of a percentage plus two."""
        text = self.value or self.printed
        return len(text.rstrip("%").partition(".")[2]) + (2 if text.endswith("%") else 0)

    @property
    def percent(self) -> bool:
        """Whether it is a percentage."""
        return (self.value or self.printed).endswith("%")

    def variants(self) -> list[Published]:
        """Return the number by each reading of its definition, that of the text first."""
        return [replace(self, readings=(), **changes) for changes in self.readings] or [self]


def number_of(text: str) -> Fraction:
    """Return a printed number.

    >>> number_of("62.3%"), number_of("0.173")
    (Fraction(623, 1000), Fraction(173, 1000))
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"'{text}' is no number; give the value to compare with")
    return Fraction(text.rstrip("%")) / (100 if text.endswith("%") else 1)


@cache
def _data() -> dict[str, Any]:
    text = resources.files("obroute.papers").joinpath("published.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@cache
def sources() -> dict[str, Source]:
    """Return the papers by the names that numbers give as their source."""
    return {name: Source(**entry) for name, entry in _data()["sources"].items()}


@cache
def published() -> tuple[Published, ...]:
    """Return every printed number, in the order of the papers.

    >>> [item.printed for item in published() if item.id == "spaa-ival-length"]
    ['1.61']
    """
    return tuple(_item(entry) for entry in _data()["numbers"])


def _item(entry: Mapping[str, Any]) -> Published:
    known = {field.name for field in fields(Published)}
    if unknown := set(entry) - known:
        raise ValueError(f"{entry.get('id')}: unknown {', '.join(sorted(unknown))}")
    lists = {key: tuple(entry[key]) for key in ("readings", "radices") if key in entry}
    return Published(**{**entry, **lists})


def published_number(name: str) -> Published:
    """Return the printed number of that ``id``."""
    (found,) = (item for item in published() if item.id == name)
    return found


@dataclass(frozen=True)
class LeftOut:
    """A printed number that is compared with nothing, and why."""

    source: str
    where: str
    printed: str
    why: str


@cache
def left_out() -> tuple[LeftOut, ...]:
    """Return the printed numbers without a row."""
    return tuple(LeftOut(**entry) for entry in _data()["left_out"])


def figure_9() -> list[tuple[int, int]]:
    """Return the destinations of Figure 9 of the technical report, in the order of sources.

    >>> figure_9()[:2], len(figure_9())
    ([(4, 0), (4, 6)], 81)
    """
    return [(row, column) for line in _data()["figure_9"] for row, column in line]
