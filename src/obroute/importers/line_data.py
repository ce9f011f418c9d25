"""Lines of an edge list that end in a dictionary, as networkx writes them.

``a b {'capacity': 10, 'name': 'x'}``: the ends, then what the line says of itself. Nothing of it
is evaluated: keys are in quotes, values in quotes, or numbers, ``True``, ``False`` or ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from obroute.delimited import Row, separator_of, split_cells
from obroute.importers.columns import Columns
from obroute.specs import InputError, shown

_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ENTRY = re.compile(
    rf"\s*(?P<key>{_TEXT})\s*:\s*(?P<value>{_TEXT}|[-+\w.]+)\s*(?P<end>,|$)", re.DOTALL
)
_DATA = re.compile(r"(?P<ends>[^{}]*[\s,;])\{(?P<data>.*)\}$", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")


def has_data(line: str) -> bool:
    """Say whether a line ends in a dictionary.

    >>> has_data("0 1 {}"), has_data("0 1")
    (True, False)
    """
    return _DATA.fullmatch(line) is not None


def read_data_lines(file: Path, lines: Sequence[tuple[int, str]]) -> tuple[Columns, list[Row]]:
    """Return what lines with dictionaries say, as a table with a column for every key.

    Raises
    ------
    InputError
        Names the line without a dictionary, or with one that is none.
    """
    parsed: list[tuple[int, str, str, dict[str, str]]] = []
    for number, line in lines:
        found = _DATA.fullmatch(line)
        if found is None:
            raise InputError(
                f"{file}: line {number} is {shown(line)}; expected two nodes and {{…}}, as in the "
                "lines above it"
            )
        ends = found["ends"].strip().rstrip(",;")
        parsed.append((number, line, ends, _entries(file, number, found["data"])))
    separator = separator_of([ends for _, _, ends, _ in parsed])
    keys = list(dict.fromkeys(key for *_, data in parsed for key in data))
    names = ("tail", "head", *(key.lower() for key in keys))
    columns = Columns(file, names, may_be_empty=True)
    rows = []
    for number, line, ends, data in parsed:
        cells = split_cells(ends, separator)
        if len(cells) != 2 or not all(cells):
            raise InputError(
                f"{file}: line {number} is {shown(line)}; expected two nodes and {{…}}"
            )
        rows.append(Row(number, line, (*cells, *(data.get(key, "") for key in keys))))
    return columns, rows


def _entries(file: Path, number: int, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    place = 0
    while text[place:].strip():
        entry = _ENTRY.match(text, place)
        if entry is None:
            raise InputError(
                f"{file}: line {number}: {shown(text[place:])} is no entry of a dictionary; "
                "expected 'key': value with a number or a text in quotes"
            )
        found[_plain(entry["key"])] = _plain(entry["value"])
        place = entry.end()
    return found


def _plain(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1]) if text[0] in "'\"" else text
