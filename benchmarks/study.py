"""What the default study takes, with the process that stands by and without.

``python benchmarks/study.py`` prints the numbers of docs/methods/scale.md, in some minutes;
``--runs 1`` is quicker. Pytest does not collect it: it measures, and asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import obroute_standby

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent


def processor_seconds() -> float:
    """Return what all processes took that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_cells(results: Path) -> float:
    """Return the processor seconds that the cells say they took."""
    files = results.rglob("benchmarks/**/*.tsv")
    return sum(float(file.read_text().splitlines()[1].split("\t")[0]) for file in files)


def run(cores: str, changes: dict[str, str]) -> tuple[float, float, float]:
    """Run the study; return seconds, processor seconds, and those of them in the cells."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "SLURM_CONF": os.devnull,
        }
        words = ["--cores", cores, "--quiet", "all", "--config", f"results={folder}"]
        before, start = processor_seconds(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "snakemake", *words],
            cwd=ROOT,
            env=os.environ | environment | changes,
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - start
        return seconds, processor_seconds() - before, in_cells(Path(folder))


def main() -> None:
    """Run it several times each way, and print the best."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", default="2")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    for what, changes in {"standing by": {}, "off": {obroute_standby.VARIABLE: "off"}}.items():
        found = [run(arguments.cores, changes) for _ in range(arguments.runs)]
        seconds, used, cells = (min(each) for each in zip(*found, strict=True))
        print(f"{what}: {seconds:.1f} s, {used:.1f} of processor, {cells:.1f} of it in cells")


if __name__ == "__main__":
    main()
