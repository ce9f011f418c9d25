"""What Snakemake, Dask and obroute each cost for one more cell or task, and how work scales.

``python benchmarks/scale.py`` prints the numbers of docs/methods/scale.md, in about three minutes
on two quiet cores; ``--cells 500`` is quicker, and the cost of 2,000 cells is then extrapolated.
Pytest does not collect it: it measures, and asserts nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

import obroute
from obroute.execution import open_runner

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent
STUDY_CELLS = 2_000
REPEATS = 5
CELLS_A_WORKER = 12
SAMPLES_A_WORKER = 100_000
NO_OPS = """
rule all:
    input: expand("out/{{cell}}", cell=range({cells}))

rule cell:
    output: "out/{{cell}}"
    shell: "true > {{output}}"
"""


@contextlib.contextmanager
def stopwatch(times: dict[str, float], name: str) -> Iterator[None]:
    """Add the seconds that a block takes under a name."""
    start = time.perf_counter()
    yield
    times[name] = time.perf_counter() - start
    print(f"{name}: {times[name]:.3f} s", flush=True)


def snakemake(folder: Path, cores: int, *options: str) -> None:
    """Run Snakemake quietly in a folder, with the scheduler of profiles/default."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--scheduler", "greedy"]
    programs = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [*command, "--quiet", "all", *options],
        cwd=folder,
        check=True,
        env=os.environ | {"PATH": programs},
        capture_output=True,
    )


def measure_snakemake(times: dict[str, float], cells: int, cores: int) -> None:
    """Run shell jobs that do nothing: a quarter of them, and all, for the cost of one more."""
    for count in (cells // 4, cells):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Snakefile").write_text(NO_OPS.format(cells=count))
            with stopwatch(times, f"snakemake, {count} jobs that do nothing"):
                snakemake(Path(folder), cores)


def nothing(batch: int) -> int:
    """Do nothing: one task."""
    return batch


def measure_dask(times: dict[str, float], cells: int, workers: int) -> None:
    """Run tasks that do nothing, in threads and on a cluster of processes."""
    for scheduler in ("threads", "processes"):
        with (
            stopwatch(times, f"dask {scheduler}, start and end with 1 task"),
            open_runner(scheduler, workers) as run,
        ):
            list(run(nothing, (), [0], "tasks", [1]))
        with open_runner(scheduler, workers) as run:
            list(run(nothing, (), [0], "tasks", [1]))
            with stopwatch(times, f"dask {scheduler}, {cells} tasks that do nothing"):
                list(run(nothing, (), list(range(cells)), "tasks", [1] * cells))


def measure_start(times: dict[str, float]) -> None:
    """Start our own program on the smallest cell; the least of several."""
    evaluate = [PROGRAMS / "obroute", "evaluate", "ring:3", "dor", "--threads", "1", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "obroute --help": [PROGRAMS / "obroute", "--help"],
            "obroute evaluate ring:3 dor": evaluate,
            "obroute evaluate torus:5x5 dor": [*evaluate[:2], "torus:5x5", *evaluate[3:]],
            "obroute evaluate ring:3 dor --save": [*evaluate, "--save", f"{folder}/cell.zarr"],
        }
        for name, command in commands.items():
            seconds = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                seconds.append(time.perf_counter() - start)
            times[name] = min(seconds)
            print(f"{name}: {min(seconds):.3f} s", flush=True)


def measure_weak_scaling(times: dict[str, float]) -> None:
    """Give one worker, then two, as many cells each, and as many samples of one cell."""
    for workers in (1, 2):
        study = {
            "networks": ["ring:{k}"],
            "radices": f"10-{9 + workers * CELLS_A_WORKER}",
            "routings": ["dor"],
        }
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "study.yaml").write_text(yaml.safe_dump(study))
            options = ("--snakefile", str(ROOT / "Snakefile"), "--configfile", "study.yaml")
            with stopwatch(times, f"sweep, {workers} workers, {CELLS_A_WORKER} cells each"):
                snakemake(Path(folder), workers, *options, "--until", "cell")
    for workers in (1, 2):
        with open_runner("processes", workers) as run:
            obroute.evaluate("torus:16x16", "romm", random_permutation_samples=1000, run=run)
            samples = SAMPLES_A_WORKER * workers
            with stopwatch(times, f"dask, {workers} processes, {SAMPLES_A_WORKER} samples each"):
                obroute.evaluate(
                    "torus:16x16", "romm", random_permutation_samples=samples, run=run
                )


def main() -> None:
    """Measure everything, print each line as it comes and all of them as JSON at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=STUDY_CELLS)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    times: dict[str, float] = {}
    measure_start(times)
    measure_dask(times, chosen.cells, chosen.cores)
    measure_weak_scaling(times)
    measure_snakemake(times, chosen.cells, chosen.cores)
    counts = (chosen.cells // 4, chosen.cells)
    few, many = (times[f"snakemake, {count} jobs that do nothing"] for count in counts)
    slope = (many - few) / (counts[1] - counts[0])
    how = "measured" if chosen.cells == STUDY_CELLS else f"extrapolated from {chosen.cells}"
    print(
        f"snakemake: {1000 * slope:.1f} ms for one more job, "
        f"{many + slope * (STUDY_CELLS - chosen.cells):.0f} s for {STUDY_CELLS} jobs ({how})"
    )
    print(json.dumps(times, indent=2))


if __name__ == "__main__":
    main()
