"""What tables and sections of the report are made of, whoever writes them down."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Rows:
    """A table as data: names of the columns, and rows by them."""

    header: Sequence[str]
    rows: Iterable[Mapping[str, Any]]

    def csv(self) -> str:
        r"""Return it as CSV; what is not known is left empty.

        >>> Rows(["k", "load"], [{"k": 3, "load": 1.5}, {"k": -1, "load": float("nan")}]).csv()
        'k,load\n3,1.5\n,\n'
        """
        text = io.StringIO()
        writer = csv.DictWriter(text, self.header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {name: "" if _missing(entry) else entry for name, entry in row.items()}
            for row in self.rows
        )
        return text.getvalue()


def _missing(entry: Any) -> bool:
    """Say whether an entry is what a study holds in place of none: NaN or the integer -1."""
    if isinstance(entry, float):
        return math.isnan(entry)
    return isinstance(entry, int) and entry == -1


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Spot:
    """What a point or line of a picture stands for, and every place of it.

    A place is per cents from the left and from the top: two of a point, four of a line's ends.
    ``cell`` names the evaluation that it is of, as the page calls it; empty for none.
    """

    text: str
    at: tuple[tuple[float, ...], ...]
    cell: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure as a data URI with its alternative text, or only a sentence in its place.

    ``spots`` say what is drawn, exactly.
    """

    caption: str
    image: str = ""
    alt: str = ""
    spots: Sequence[Spot] = ()

    def by_cell(self) -> list[tuple[str, list[Spot]]]:
        """Return the spots in their order, those of one cell that follow each other together."""
        return [(cell, list(same)) for cell, same in groupby(self.spots, lambda one: one.cell)]


@dataclass(frozen=True)
class Table:
    """A table in the report: its caption, the heads of its columns, and rows of texts.

    The first cell of a row is its head. Columns (from 0) of ``numbers`` are set to the right,
    those of ``exact`` values in type of equal width; a ``tall`` table scrolls in a box of its own.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    numbers: Collection[int] = ()
    exact: Collection[int] = ()
    tall: bool = False


@dataclass(frozen=True)
class Facts:
    """Names, each with what it is."""

    entries: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Written:
    """What a template file of the section's own writes; it is given the values by their names."""

    template: Path
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Columns:
    """Blocks side by side where there is room, one below the other where there is none."""

    blocks: Sequence[Block]


Block: TypeAlias = "Heading | Paragraph | Drawing | Table | Facts | Written | Columns"


@dataclass(frozen=True)
class Section:
    """A section of the report.

    ``title`` stands in the list of sections, and over the section if there is no ``heading``;
    ``anchor`` is what a link to it names.
    """

    title: str
    anchor: str
    blocks: Sequence[Block]
    heading: str = ""
