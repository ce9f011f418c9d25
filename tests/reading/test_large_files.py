"""Large files: what their reading is said to take, and what it takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from obroute import InputError, make_network, progress
from obroute.importers.plain_edges import OVER_CABLES
from obroute.machine import LARGE_FILE, READ_OVER_WRITTEN
from obroute.routing.lft import OVER_TABLES
from obroute.routing.plain_tables import OVER_PLAIN

MADE = """
import re, sys, obroute
obroute.{}(sys.argv[1])
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
"""Prints the peak of a process that has read a file, its own: that of ``getrusage`` is what the
process had before that started it, if that is more."""
SIZE = 20 * 10**6
"""Bytes of a file that is read in blocks."""


def edge_list(file: Path, size: int = SIZE) -> None:
    """Write short lines, which take most for each byte."""
    steps = ((number % 20000, number // 20000 + 1) for number in range(10**7))
    lines = (f"{node},{(node + step) % 20000}\n" for node, step in steps)
    with file.open("w") as out:
        out.write("source,target\n")
        while out.tell() < size:
            out.writelines(next(lines) for _ in range(1000))


def ring_of_names(file: Path) -> None:
    """Write an edge list in which every line names a new node."""
    count = SIZE // 17
    with file.open("w") as out:
        out.writelines(f"n{node:06} n{(node + 1) % count:06}\n" for node in range(count))


def quoted_edges(file: Path) -> None:
    """Write an edge list that is read as a whole."""
    edge_list(file, LARGE_FILE * 10**6)
    with file.open("a") as out:
        out.write('"0",1\n')


def paths(file: Path) -> None:
    """Write the paths of a ring, one way."""
    size = 330
    with file.open("w") as out:
        out.write("source,destination,probability,path\n")
        for source in range(size):
            around = [str((source + step) % size) for step in range(size)]
            out.writelines(
                f"{source},{around[hops]},1,{' '.join(around[: hops + 1])}\n"
                for hops in range(1, size)
            )


def flows(file: Path) -> None:
    """Write flows that are all different."""
    with file.open("w") as out:
        out.write("source,destination,tail,head,flow\n")
        out.writelines(
            f"{row % 256},{row // 256 % 256},{row % 250},{row % 251},0.{row:012}\n"
            for row in range(SIZE // 25)
        )


def tables(file: Path) -> None:
    """Write tables of switches."""
    with file.open("w") as out:
        for switch in range(600):
            out.write(f"Unicast lids [0-600] of switch Lid {switch + 1} guid 0x{switch + 1:x}:\n")
            out.writelines(
                f"0x{lid:04x} {lid % 30:03} # Channel Adapter portguid 0x{lid:016x}: 'host{lid}'\n"
                for lid in range(1, 600)
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name", "network", "over"),
    [
        (edge_list, "edges.csv", True, OVER_CABLES),
        (ring_of_names, "ring.txt", True, OVER_CABLES),
        (quoted_edges, "quoted.csv", True, READ_OVER_WRITTEN),
        (paths, "paths.csv", False, OVER_PLAIN),
        (flows, "flows.csv", False, OVER_PLAIN),
        (tables, "lfts.dump", False, OVER_TABLES),
    ],
)
def test_reading_takes_no_more_than_is_said(
    write: Callable[[Path], None], name: str, network: bool, over: int, tmp_path: Path
) -> None:
    """Beyond what a process takes that has read a small file."""
    file = tmp_path / name
    write(file)
    peaks = []
    small, large = ("torus:2x2", f"{file}:undirected") if network else ("dor", str(file))
    for spec in (small, large):
        ran = subprocess.run(
            [
                sys.executable,
                "-c",
                MADE.format("make_network" if network else "make_routing"),
                spec,
            ],
            capture_output=True,
            check=True,
        )
        peaks.append(int(ran.stdout) * 1024)
    size = file.stat().st_size
    assert size >= LARGE_FILE * 10**6
    assert over * size / 8 < peaks[1] - peaks[0] < over * size


def test_what_is_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its size and memory, of a large file alone; what cannot fit is refused before."""
    monkeypatch.setattr("obroute.machine.LARGE_FILE", 1e-5)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    file = tmp_path / "edges.csv"
    file.write_text("a,b\nb,c\nc,a\n")
    with progress.spoken():
        make_network(str(file))
    assert "reading edges.csv, 0 MB, with 0 MB of memory at most: " in capsys.readouterr().err
    monkeypatch.setattr("obroute.importers.plain_edges.OVER_CHANNELS", 10**15)
    with pytest.raises(InputError, match=r"reading .*edges.csv needs about \d+ MB of memory"):
        make_network(str(file))


def test_what_has_been_read_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file is shown by its megabytes, until it is found not to be plain."""
    told: list[tuple[str, int, int]] = []

    class Listener:
        @contextmanager
        def count(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
            done = 0

            def more(number: int) -> None:
                nonlocal done
                done += number

            try:
                yield more
            finally:
                told.append((what, done, total))

        def stage(self, what: str) -> AbstractContextManager[Callable[[str], None]]:
            return nullcontext(lambda known: None)

    monkeypatch.setattr(progress, "_voices", [Listener()])
    monkeypatch.setattr("obroute.reading.files.MEGABYTE", 4)
    monkeypatch.setattr("obroute.reading.files._PIECE", 6)
    file = tmp_path / "x.csv"
    for text in ("a,b\nb,a\n" * 3, "a,b\n" + '"b",a\n' * 3):
        file.write_text(text)
        make_network(str(file))
    assert told == [("megabytes of x.csv", 6, 6), ("megabytes of x.csv", 3, 5)]
