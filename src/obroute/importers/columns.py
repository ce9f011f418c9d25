"""What the columns of an edge list mean: two ends, a bandwidth, a port.

A header names them in any order and in any of the usual words: ``tail`` (``source``, ``from``,
``src``), ``head`` (``target``, ``to``, ``dst``), ``bandwidth`` (``capacity``, ``speed``, ``rate``)
and ``port``. Other columns are left out, and the user is told. A ``weight`` may be a bandwidth or
a length: where nothing else is the bandwidth and the weights are not all 1, the user says which,
``:bandwidth=weight`` or ``:bandwidth=none``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from obroute.delimited import Row
from obroute.specs import InputError, shown, suggestion

MEANINGS = {
    **dict.fromkeys(("tail", "source", "from", "src"), "tail"),
    **dict.fromkeys(("head", "target", "to", "destination", "dst"), "head"),
    **dict.fromkeys(("bandwidth", "capacity", "speed", "rate"), "bandwidth"),
    "port": "port",
    "weight": "weight",
}
"""What a word in a header means."""
UNNAMED = ("tail", "head", "bandwidth")
NONE, AUTO = "none", "auto"


@dataclass(frozen=True)
class Columns:
    """The columns of a table of channels.

    Parameters
    ----------
    file
        Where it is from, for errors.
    names
        What each is called, in small letters.
    is_header
        Whether the file names them itself.
    may_be_empty
        Whether a line need not say its bandwidth.
    """

    file: Path
    names: tuple[str, ...]
    is_header: bool = True
    may_be_empty: bool = False

    @classmethod
    def of_header(cls, file: Path, first: Row, below: Callable[[], set[str]]) -> Columns:
        """Return the columns.

        Parameters
        ----------
        file, first
            The file, and its first line, which may be a header.
        below
            Gives all that stands in the cells of the other lines.
        """
        words = tuple(map(str.lower, first.cells))
        meant = [MEANINGS.get(word, "") for word in words]
        if not {"tail", "head"} <= set(meant):
            return cls(file, UNNAMED, is_header=False)
        where = f"{file}: line {first.number}"
        for word, column in zip(words, meant, strict=True):
            close = difflib.get_close_matches(word, MEANINGS, n=1, cutoff=0.8)
            if not column and close:
                raise InputError(
                    f"{where}: column {shown(word)} is unknown{suggestion(word, close)}; "
                    "rename it, or leave it out"
                )
            if column and meant.count(column) > 1:
                raise InputError(f"{where} names the {column} twice; name each column once")
        # It may be a header, and may be a channel between nodes.
        ends = {
            cell for cell, column in zip(first.cells, meant, strict=True) if column in UNNAMED
        } - set(UNNAMED)
        if len(ends) > 1 and ends <= below():
            raise InputError(
                f"{where} is {shown(first.text)}, a header or a channel, for nodes are called "
                "so; write the header tail,head above it"
            )
        return cls(file, words, may_be_empty="port" in words)

    def place(self, meaning: str) -> int | None:
        """Return which column means that, None if none does."""
        meant = [MEANINGS.get(name) for name in self.names]
        return meant.index(meaning) if meaning in meant else None

    def bandwidth(self, chosen: str, said: Callable[[int], set[str]]) -> int | None:
        """Return which column is the bandwidth.

        Parameters
        ----------
        chosen
            The name of a column, ``none``, or ``auto``.
        said
            Gives all that stands in a column.

        Raises
        ------
        InputError
            If there is no such column, or a weight may be one.
        """
        if chosen == NONE:
            return None
        if chosen != AUTO:
            if not self.is_header or chosen.lower() not in self.names:
                raise InputError(
                    f"{self.file} has no column {shown(chosen)}"
                    + suggestion(chosen, list(self.names))
                )
            return self.names.index(chosen.lower())
        place, weight = self.place("bandwidth"), self.place("weight")
        if place is None and weight is not None:
            check_weights(self.file, said(weight), self.names[weight])
        return place

    def left_out(self, chosen: str) -> list[str]:
        """Return the names of the columns that mean nothing here."""
        used = {"tail", "head", "port", *({"bandwidth"} if chosen == AUTO else ())}
        return [
            name
            for name in self.names
            if self.is_header and MEANINGS.get(name) not in used and name != chosen.lower()
        ]


def said_in(rows: Sequence[Row], column: int) -> set[str]:
    """Return all that stands in a column."""
    return {row.cells[column] for row in rows if len(row.cells) > column}


def check_weights(file: Path | str, said: set[str], name: str) -> None:
    """Refuse weights that may be bandwidths, unless all are 1, which is what none says."""
    if said - {"1", "1.0", ""}:
        raise InputError(
            f"{file}: {shown(name)} may be a bandwidth or a length; say which: "
            f"{file}:bandwidth={name} or {file}:bandwidth={NONE}"
        )
