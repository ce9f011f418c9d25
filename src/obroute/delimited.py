"""Tables in text files, and the one way to write a name in them.

Cells stand between commas, semicolons or tabs, whichever the file uses, otherwise between blanks.
Blanks around a cell do not count; blanks within one belong to it. A cell in double quotes is taken
as it stands, whatever is in it, with a quote in it written twice: ``"node ""a"", left"``. Blank
lines and lines that start with ``#`` are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from obroute.specs import InputError, shown

SEPARATORS = (",", ";", "\t")
QUOTED = r'"[^"]*+(?:""[^"]*+)*+"'
_QUOTED_CELL = re.compile(rf"(?<![^\s,;#>-]){QUOTED}(?=[\s,;#<-]|$)")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_UNCLOSED = "has a quote that is not closed, or text after one; write a quote in a name twice"


class Row(NamedTuple):
    """One line of a table: its number, its text, and its cells without their quotes."""

    number: int
    text: str
    cells: tuple[str, ...]


def masked(text: str) -> str:
    """Return a text of the same length in which what is quoted is a row of quotes.

    >>> masked('x,"a, b"').count(",")
    1
    """
    if '"' not in text:
        return text
    return _QUOTED_CELL.sub(lambda found: '"' * len(found[0]), text)


def unquoted(text: str) -> str:
    """Return what a cell says: as it stands in quotes, otherwise without blanks around it.

    Raises
    ------
    InputError
        If it begins with a quote and does not end with the one that closes it.
    """
    text = text.strip()
    if not text.startswith('"'):
        return text
    if not re.fullmatch(QUOTED, text, re.DOTALL):
        raise InputError(f"{shown(text)} {_UNCLOSED}")
    return text[1:-1].replace('""', '"')


def quoted(name: str, special: str = "") -> str:
    """Return a name as it is written: in quotes where one of the characters in it is special.

    Parameters
    ----------
    name
        The name.
    special
        Characters that mean something where it is written, besides blanks at its ends, a quote
        and what begins a comment.

    >>> quoted("node a"), quoted("a,b", special=","), quoted('5" pipe')
    ('node a', '"a,b"', '"5"" pipe"')
    """
    plain = name == name.strip() != "" and not name.startswith("#")
    if plain and not any(mark in name for mark in ('"', *special)):
        return name
    return '"' + name.replace('"', '""') + '"'


def split_cells(text: str, separator: str | None) -> tuple[str, ...]:
    """Split a line into cells at a separator, at blanks if it is None.

    >>> split_cells('"node a", b ,"say ""c"" now"', ",")
    ('node a', 'b', 'say "c" now')
    >>> split_cells('"node a"  b', None)
    ('node a', 'b')
    """
    if '"' not in text:  # as most lines are
        return tuple(text.split() if separator is None else map(str.strip, text.split(separator)))
    hidden = masked(text)
    if separator is None:
        spans = [found.span() for found in re.finditer(r"\S+", hidden)]
    else:
        ends = [*(place for place, mark in enumerate(hidden) if mark == separator), len(text)]
        spans = list(zip([0, *(end + 1 for end in ends[:-1])], ends, strict=True))
    return tuple(unquoted(text[first:last]) for first, last in spans)


def separator_of(lines: list[str]) -> str | None:
    """Return what separates the cells of a table's lines, None for blanks.

    What stands on every line, or else a comma or semicolon on some: a tab may be a blank.
    """
    hidden = [masked(line) for line in lines]
    for separator in SEPARATORS:
        if lines and all(separator in line for line in hidden):
            return separator
    return next((s for s in SEPARATORS[:2] if any(s in line for line in hidden)), None)


def text_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, without blanks around them, and their numbers."""
    lines = enumerate(map(str.strip, _LINE_ENDS.split(text)), start=1)
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def read_rows(
    file: Path, text: str, *, whole: Callable[[str], bool] = lambda line: False
) -> list[Row]:
    r"""Split the lines of a table into cells; see the module for the format.

    Parameters
    ----------
    file, text
        Its name, for errors, and its content.
    whole
        Says of a line in a file without separators whether it is one cell, blanks and all.

    Raises
    ------
    InputError
        Names the line with a quote that is not closed.

    Examples
    --------
    >>> [row.cells for row in read_rows(Path("x.csv"), "# x\na;b\n\nnode c;d e\n")]
    [('a', 'b'), ('node c', 'd e')]
    >>> [row.cells for row in read_rows(Path("x.csv"), "node c\n", whole=lambda line: True)]
    [('node c',)]
    """
    return rows_of_lines(file, text_lines(text), whole=whole)


def rows_of_lines(
    file: Path, lines: list[tuple[int, str]], *, whole: Callable[[str], bool] = lambda line: False
) -> list[Row]:
    """Do the same with the lines, as :func:`text_lines` returns them; they are used up."""
    separator = separator_of([line for _, line in lines])
    rows = []
    lines.reverse()  # each is let go as it is split: of a large file both would be held
    while lines:
        number, line = lines.pop()
        try:
            one = separator is None and whole(line)
            cells = (unquoted(line),) if one else split_cells(line, separator)
        except InputError as error:
            raise InputError(f"{file}: line {number}: {error}") from None
        rows.append(Row(number, line, cells))
    return rows


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    r"""Write rows of cells, a line each, as :func:`read_rows` reads them.

    Raises
    ------
    InputError
        If a cell holds the end of a line, which a line cannot.

    Examples
    --------
    >>> csv_text([["node", "next"], ["a", "b, left"]])
    'node,next\na,"b, left"\n'
    """
    lines = []
    for row in rows:
        broken = next((cell for cell in row if _LINE_ENDS.search(cell)), None)
        if broken is not None:
            raise InputError(f"{shown(broken)} does not fit on a line of CSV; write .json")
        lines.append(",".join(quoted(cell, ",;\t") if cell else "" for cell in row) + "\n")
    return "".join(lines)


def json_name(value: Any) -> str:
    """Return the name that a JSON value is: text as it stands, or a whole number.

    Raises
    ------
    InputError
        If it is neither.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{shown(value)} is no name; expected text or a whole number")
