"""Large files: what their reading is said to take, and what it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from obroute import InputError, make_network, progress
from obroute.machine import LARGE_FILE, READ_OVER_WRITTEN

MADE = """
import resource, sys, obroute
obroute.{}(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""Prints the peak of a process that has read a file."""
SIZE = LARGE_FILE * 10**6


def edge_list(file: Path) -> Path:
    """Write short lines, which take most for each byte."""
    steps = ((number % 20000, number // 20000 + 1) for number in range(10**7))
    lines = (f"{node},{(node + step) % 20000}\n" for node, step in steps)
    with file.open("w") as out:
        out.write("source,target\n")
        while out.tell() < SIZE:
            out.writelines(next(lines) for _ in range(1000))
    return file


def paths(file: Path) -> Path:
    """Write the paths of a ring, one way."""
    size = 200
    with file.open("w") as out:
        out.write("source,destination,probability,path\n")
        for source in range(size):
            around = [str((source + step) % size) for step in range(size)]
            out.writelines(
                f"{source},{around[hops]},1,{' '.join(around[: hops + 1])}\n"
                for hops in range(1, size)
            )
    return file


def tables(file: Path) -> Path:
    """Write tables of switches."""
    with file.open("w") as out:
        for switch in range(300):
            out.write(f"Unicast lids [0-300] of switch Lid {switch + 1} guid 0x{switch + 1:x}:\n")
            out.writelines(
                f"0x{lid:04x} {lid % 30:03} # Channel Adapter portguid 0x{lid:016x}: 'host{lid}'\n"
                for lid in range(1, 300)
            )
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name", "network"),
    [
        (edge_list, "edges.csv", True),
        (paths, "paths.csv", False),
        (tables, "lfts.dump", False),
    ],
)
def test_reading_takes_no_more_than_is_said(
    write: object, name: str, network: bool, tmp_path: Path
) -> None:
    """Beyond what a process takes that has read a small file."""
    assert callable(write)
    file = write(tmp_path / name)
    assert file.stat().st_size >= SIZE
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
    assert peaks[1] - peaks[0] < READ_OVER_WRITTEN * file.stat().st_size


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
    monkeypatch.setattr("obroute.machine.READ_OVER_WRITTEN", 10**15)
    with pytest.raises(InputError, match=r"reading .*edges.csv needs about \d+ MB of memory"):
        make_network(str(file))
