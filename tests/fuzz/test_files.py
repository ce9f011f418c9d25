"""Files of every kind that is read: refused in a line, or read rightly.

What reads a file says so in its annotation (a parameter that is a path); such parameters of
whatever is registered take part.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fuzz import drawn
from tests.fuzz.answers import check_evaluation
from tests.fuzz.explore import EXTENTS, explore
from tests.support.effort import few
from tests.support.hostile import FILES, lay

from obroute import make_network, make_pattern
from obroute.importers import importers
from obroute.importers.registry import ANY_TEXT
from obroute.routing import routings
from obroute.traffic import patterns

NETWORK = "a,b\nb,a\n"


@dataclass(frozen=True)
class Reader:
    """What reads a file: the words that make it so, and texts that it reads.

    Parameters
    ----------
    name
        Of the reader.
    file
        Of the file that it reads.
    network, routing
        What is evaluated.
    words
        Further words.
    texts
        Good ones.
    """

    name: str
    file: str
    network: str = "net.csv"
    routing: str = "ecmp"
    words: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


def _readers() -> Iterator[Reader]:
    for entry in importers:
        # Any ending will do for what is told by its content.
        texts = drawn.NETWORKS if entry.name == ANY_TEXT else entry.small or drawn.NETWORKS
        yield Reader(f"{entry.name} networks", f"x.{entry.name}", f"x.{entry.name}", texts=texts)
        if entry.name != ANY_TEXT:
            continue  # terminals are read in one way
        for name in drawn.files_of(entry)[1:]:
            yield Reader(
                f"{name} of {entry.name}", "x.csv", f"net.csv:{name}=x.csv", texts=drawn.TERMINALS
            )
    yield Reader("lft tables", "x.csv", "net.netlist", "lft:x.csv", texts=drawn.FORWARDING)
    for entry in routings:
        for name in drawn.files_of(entry):
            for ending in ("csv", "json"):
                yield Reader(
                    f"{ending} {name} of {entry.name}",
                    f"x.{ending}",
                    routing=f"{entry.name}:{name}=x.{ending}",
                    texts=_of_ending(drawn.TABLES, ending),
                )
    for entry in patterns:
        for name in drawn.files_of(entry):
            for ending in ("csv", "json"):
                yield Reader(
                    f"{ending} {name} of {entry.name}",
                    f"x.{ending}",
                    words=("--pattern", f"{entry.name}:{name}=x.{ending}"),
                    texts=_of_ending(drawn.TRAFFIC, ending),
                )


def _of_ending(texts: tuple[str, ...], ending: str) -> tuple[str, ...]:
    return tuple(text for text in texts if text.startswith("[") == (ending == "json"))


READERS = tuple(_readers())
QUICK = (
    next(one for one in READERS if one.name == f"{ANY_TEXT} networks"),
    next(one for one in READERS if one.words),
)
BAD = [name for name in FILES if name.partition(".")[2] in ("csv", "json")]


def test_every_reader_takes_part() -> None:
    """Whatever is registered with a file among its parameters."""
    named = [e for r in drawn.registries() for e in r if drawn.files_of(e)]
    assert {e.name for e in named} <= {word for r in READERS for word in r.name.split()}


@pytest.mark.parametrize("times", EXTENTS)
@pytest.mark.parametrize("reader", few(READERS, QUICK), ids=str)
def test_a_file_is_refused_or_read_rightly(reader: Reader, times: int, tmp_path: Path) -> None:
    """Whatever is in it."""

    def check(content: bytes) -> None:
        (tmp_path / reader.file).write_bytes(content)
        found = check_evaluation(tmp_path, reader.network, reader.routing, *reader.words)
        if found.status == 0:
            _check_reading(reader, tmp_path, content.decode("utf-8-sig"))

    lay(tmp_path, {"net.csv": NETWORK, "net.netlist": drawn.FABRIC})
    explore(check, 15 * times, content=drawn.mangled(reader.texts))


def _check_reading(reader: Reader, folder: Path, text: str) -> None:
    """Hold what was read of commas alone to what Python's own reader finds."""
    lines = [line for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]
    with chdir(folder):
        if reader.file != reader.network:
            if reader.words:
                traffic = make_pattern(reader.words[1]).traffic(make_network(reader.network))
                assert min(traffic.amounts.values.fractions(), default=0) >= 0
            return
        network = make_network(reader.network)
    if (
        reader.name != f"{ANY_TEXT} networks"
        or not all("," in line for line in lines)
        or any(mark in text for mark in "->→↔;\t\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    ):
        return
    rows = [
        [cell.strip() for cell in row]
        for row in csv.reader(lines, skipinitialspace=True, strict=True)
    ]
    named = {cell for row in rows for cell in row[:2]}
    assert set(network.labels or ()) <= named


@pytest.mark.parametrize("reader", few(READERS, QUICK), ids=str)
def test_files_that_are_none_are_refused(reader: Reader, tmp_path: Path) -> None:
    """Pipes, folders, loops of links, what never ends, what no encoding reads."""
    lay(tmp_path, {"net.csv": NETWORK, "net.netlist": drawn.FABRIC, **FILES})
    ending = reader.file.rpartition(".")[2]
    for name in BAD:
        if (ending == "json" and name.endswith(".json")) or ending != "json":
            network, routing, *words = (
                word.replace(reader.file, name)
                for word in (reader.network, reader.routing, *reader.words)
            )
            found = check_evaluation(tmp_path, network, routing, *words)
            assert found.status in (0, 2)
