"""What a kind of experiment makes of an answer: contents of a store, words, other files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.network import Network


@dataclass(frozen=True)
class Contents:
    """What a kind puts into a store: arrays by its specifications, labels of dims, attributes.

    ``network`` and ``routing`` are what it is of; ``label`` is what tables call the routing where
    that is not what the kind calls it.
    """

    network: Network
    routing: str
    arrays: Mapping[str, Any]
    coordinates: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""


@dataclass(frozen=True)
class Rederived:
    """What a store must hold, and how many certificates in it were proved on the way."""

    contents: Contents
    certificates: int = 0


@dataclass(frozen=True)
class Shown:
    """A part of an answer for people: a title with named values, or lines of text.

    A ``long`` part is printed if the whole answer is asked for.
    """

    title: str = ""
    rows: Sequence[tuple[str, str]] = ()
    lines: Sequence[str] = ()
    long: bool = False


@dataclass(frozen=True)
class Output(ABC):
    """A file that a command can write of its answer: its option, what it is, and how."""

    word: str
    meaning: str
    suffixes: tuple[str, ...]

    def check(self, file: Path) -> None:
        """Refuse a name of a kind of file that is not written."""
        if file.suffix not in self.suffixes:
            raise InputError(
                f"{self.word} {file}: expected a name that ends in {' or '.join(self.suffixes)}"
            )

    @abstractmethod
    def write(self, answer: Any, settings: Any, file: Path) -> None:
        """Write it."""
