"""Lines of whole numbers and words, as simulators read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from obroute.reading import read_text
from obroute.specs import InputError, Parameter, parse_integer, parse_whole, shown

MOST_NODES = 2**28
HostsAt = Annotated[
    int,
    Parameter("hosts of every router, each of which injects a packet per cycle", parse_integer(1)),
]


@dataclass(frozen=True)
class Line:
    """A line that says something: where it is, and its words."""

    file: Path
    number: int
    text: str

    @property
    def words(self) -> list[str]:
        """What stands between blanks."""
        return self.text.split()

    def wrong(self, expected: str) -> InputError:
        """Return the error that says what was expected here."""
        return InputError(f"{self.file}: line {self.number} is {shown(self.text)}; {expected}")

    def whole(self, word: str, below: int = MOST_NODES) -> int:
        """Read a whole number from 0 to less than a bound.

        Raises
        ------
        InputError
            If it is none; names the line.
        """
        try:
            value = parse_whole(word)
        except InputError as error:
            raise InputError(f"{self.file}: line {self.number}: {error}") from None
        if not 0 <= value < below:
            raise InputError(
                f"{self.file}: line {self.number}: {shown(word)} is out of range; expected 0 to "
                f"{below - 1}"
            )
        return value


def lines_of(
    file: Path, expected: str, comments: Iterable[str] = ("#",), blank: bool = False
) -> list[Line]:
    """Return the lines of a file, without comments.

    Parameters
    ----------
    file, expected
        As for :func:`~obroute.reading.read_text`.
    comments
        What begins a comment, anywhere on a line.
    blank
        Whether lines that say nothing count.
    """
    found = []
    for number, line in enumerate(read_text(file, expected).splitlines(), start=1):
        text = line
        for mark in comments:
            text = text.partition(mark)[0]
        text = text.strip()
        if text or (blank and not line.strip()):
            found.append(Line(file, number, text))
    return found
