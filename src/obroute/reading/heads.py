"""The beginning of a file, by which its format is told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from obroute.reading.files import read_head

MOST_OF_A_HEAD = 2**16
"""Bytes of a file that its format is told by."""


@dataclass(frozen=True)
class Head:
    r"""The first bytes of a file, and whether they are all of it.

    Examples
    --------
    >>> Head(b"# a mesh\nrouter 0 router 1\nrouter 1 rou", complete=False).lines
    ('router 0 router 1',)
    """

    content: bytes
    complete: bool

    @classmethod
    def of(cls, file: Path) -> Head:
        """Read it."""
        content = read_head(file, MOST_OF_A_HEAD)
        return cls(content, len(content) < MOST_OF_A_HEAD)

    @cached_property
    def text(self) -> str:
        """The text, if it is one in UTF-8; what is not is marked so."""
        return self.content.decode("utf-8-sig", errors="replace")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are there whole, without those that are blank or begin with ``#``."""
        found = self.text.splitlines()
        if not self.complete:
            found = found[:-1]
        stripped = (line.strip() for line in found)
        return tuple(line for line in stripped if line and not line.startswith("#"))
