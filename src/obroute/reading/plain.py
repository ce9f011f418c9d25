"""Plain tables, read in blocks into whole numbers, so that a text is held once.

Plain is a table with one separator on every line and as many cells on each, without quotes and
without blanks around a cell. What stands between two separators is a number from then on: every
different text is kept once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.reading.files import ManyLinesError, read_blocks, read_text
from obroute.specs import InputError

SEPARATORS = (",", ";", "\t", " ")
_OTHER_BLANKS = "\r\x0b\x0c\x1c\x1d\x1e\x1f"
_WIDE_BLANK = re.compile(r"[^\S \t\n]")
Codes = NDArray[np.int32]


class _Numbers(dict[str, int]):
    """The number of each text, the next one of a text that is new."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def of(self, texts: Iterable[str], count: int) -> Codes:
        return np.fromiter(map(self.__getitem__, texts), np.int32, count)


@dataclass(frozen=True)
class PlainColumns:
    """The cells of a plain table by column.

    Parameters
    ----------
    texts
        What the cells say, each different text once, in the order of appearance.
    columns
        Of every line, the first one too, the number of each cell's text: an array for each column.
        The cells of the parted column are split at blanks; theirs are all the pieces.
    parts
        How many pieces the parted column has on each line; None if there is no such column.
    first_line, first_text, line_count
        The number of the first line that is kept, its text, and how many lines the file has.
    """

    texts: list[str]
    columns: list[Codes]
    parts: NDArray[np.int64] | None
    first_line: int
    first_text: str
    line_count: int

    @cached_property
    def first(self) -> tuple[str, ...]:
        """The cells of the first line, but for those of a parted column."""
        return tuple(self.texts[int(column[0])] for column in self.columns)

    def __len__(self) -> int:
        return min(map(len, self.columns))

    def line(self, row: int) -> int | None:
        """Return the number of a line in the file, None where others are left out below it."""
        left_out = self.line_count - len(self) != self.first_line - 1
        return None if left_out and row else self.first_line + row

    def said(self, column: int, start: int = 0) -> list[str]:
        """Return the different texts in a column, from a line on."""
        return [self.texts[code] for code in self.used(self.columns[column][start:])]

    def used(self, codes: Codes) -> list[int]:
        """Return which texts are among some cells."""
        seen = np.zeros(len(self.texts), dtype=np.bool_)
        seen[codes] = True
        found: list[int] = np.flatnonzero(seen).tolist()
        return found

    def looked_up(self, codes: Codes, meaning: Callable[[str], int]) -> Codes:
        """Return what each of some cells means; every different text is asked for once."""
        meant = np.full(len(self.texts), -1, dtype=np.int32)
        used = self.used(codes)
        meant[used] = [meaning(self.texts[code]) for code in used]
        found: Codes = meant[codes]
        return found


def read_plain(
    file: Path,
    expected: str,
    fits: Callable[[Sequence[str]], bool],
    parted: str | None = None,
    no: str = "",
) -> PlainColumns | None:
    r"""Read a plain table, or return None as soon as it turns out to be none.

    Lines that begin with ``#`` and blank ones are left out.

    Parameters
    ----------
    file, expected
        As for :func:`obroute.reading.read_text`.
    fits
        Says of the cells of the first line whether it is such a table.
    parted
        What the first line calls a column whose cells have pieces between blanks.
    no
        Characters that no plain table has in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
    ...     _ = table.write("node,path\na,a b\nb,b a\n")
    ...     table.flush()
    ...     read = read_plain(Path(table.name), "CSV", lambda cells: True, "path")
    >>> read.texts, [column.tolist() for column in read.columns], read.parts.tolist()
    (['node', 'a', 'b', 'path'], [[0, 1, 2], [3, 1, 2, 2, 1]], [1, 2, 2])
    """
    numbers = _Numbers()
    pieces: list[list[Codes]] = []
    parts: list[NDArray[np.int64]] = []
    separator = place = None
    first_line, first_text, line_count = 0, "", 0
    for block in read_blocks(file, expected):
        lines = _lines(block)
        if not lines:
            line_count += block.count("\n")
            continue
        if separator is None:
            separator = next((mark for mark in SEPARATORS if mark in lines[0]), None)
            if separator is None or not fits(cells := lines[0].split(separator)):
                return None
            first_text = lines[0]
            first_line = line_count + block[: block.index(lines[0])].count("\n") + 1
            place = cells.index(parted) if parted in cells else None
            width = len(cells)
            pieces = [[] for _ in range(width)]
        if not _is_plain(block, lines, separator, width, no):
            return None
        line_count += block.count("\n") + (not block.endswith("\n"))
        cells = separator.join(lines).split(separator)
        if place is not None:
            steps = list(map(str.split, cells[place::width]))
            del cells[place::width]
            counts = np.fromiter(map(len, steps), np.int64, len(steps))
            parts.append(counts)
        grid = numbers.of(cells, len(cells)).reshape(len(lines), -1)
        others = iter(range(grid.shape[1]))
        for column in range(width):
            if column == place:
                pieces[column].append(numbers.of(chain.from_iterable(steps), int(counts.sum())))
            else:
                pieces[column].append(grid[:, next(others)].copy())
    if separator is None:
        return None
    columns = [_joined(found) for found in pieces]
    counted = _joined(parts) if place is not None else None
    return PlainColumns(list(numbers), columns, counted, first_line, first_text, line_count)


def read_not_plain(file: Path, expected: str) -> str:
    """Return the text of a table that is not plain, for what reads it line by line.

    Raises
    ------
    InputError
        As :func:`obroute.reading.read_text`; of too many lines, with what a plain table is.
    """
    try:
        return read_text(file, expected)
    except ManyLinesError as error:
        raise InputError(
            f"{error}, or write it plainly, which is read with any number of lines: one separator "
            "and as many cells on every line, no quotes, no arrows, no blanks around cells"
        ) from None


def _lines(block: str) -> list[str]:
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    return [line for line in block.split("\n") if line and line[0] != "#"]


def _is_plain(block: str, lines: list[str], separator: str, width: int, no: str) -> bool:
    """Say whether blanks mean nothing in a block, and all its lines have so many cells."""
    no += '"' + _OTHER_BLANKS.replace("\r", "")
    no += {",": "\t", ";": "\t", "\t": "", " ": ",;\t"}[separator]
    around = {f"{one}{other}" for one in ("\n", separator) for other in " \t" + separator}
    if "#" in block or "\r" in block:
        block = "\n".join(lines)
    if "\r" in block or any(mark in block for mark in no):
        return False
    framed = f"\n{block}" if block.endswith("\n") else f"\n{block}\n"
    if any(pair in framed or pair[::-1] in framed for pair in around):
        return False
    if not block.isascii() and _WIDE_BLANK.search(block):
        return False
    return set(map(methodcaller("count", separator), lines)) == {width - 1}


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the pieces in one; the list is used up, so that it is not held besides."""
    whole = np.concatenate(pieces)
    pieces.clear()
    return whole
