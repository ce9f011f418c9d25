"""A copy of the project in a temporary folder, and Snakemake run on it for real."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COPIED = (
    "Snakefile",
    "workflow",
    "profiles",
    "config",
    "src",
    "environment.yml",
    "environment.post-deploy.sh",
    "pyproject.toml",
)

SMALL_STUDY = {
    "study": "small",
    "networks": ["torus:{k}x{k}"],
    "radices": "3-4",
    "routings": ["dor", "valiant"],
    "patterns": ["uniform", "tornado"],
    "seed": 1,
    "report": {"table1_network": "torus:3x3", "pareto_network": "torus:4x4"},
}


@dataclass
class Sweep:
    """A small study in a folder of its own, run by Snakemake as a user would."""

    folder: Path
    study: dict = field(default_factory=lambda: dict(SMALL_STUDY))

    def __post_init__(self) -> None:
        if not self.folder.exists():
            self.folder.mkdir()
            for name in COPIED:
                source, target = ROOT / name, self.folder / name
                if source.is_dir():
                    shutil.copytree(source, target)
                else:
                    shutil.copy2(source, target)
            self.write()

    def write(self, **changes) -> None:
        """Write the study's configuration, with changes."""
        self.study |= changes
        (self.folder / "config/config.yaml").write_text(yaml.safe_dump(self.study))

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a run: this interpreter's programs, the copied sources."""
        programs = Path(sys.executable).parent
        return os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "src"),
        }

    def command(self, *options: str) -> list[str]:
        """The Snakemake command line."""
        return [sys.executable, "-m", "snakemake", "--cores", "2", *options]

    def run(self, *options: str, ok: bool = True, patience: float = 300) -> str:
        """Run Snakemake to its end; return what it printed."""
        done = subprocess.run(
            self.command(*options),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
        printed = done.stdout + done.stderr
        assert (done.returncode == 0) == ok, printed
        return printed

    def planned(self, *options: str) -> set[str]:
        """Return what a run would make: paths below the study's folder of results."""
        rows = [line.split("\t") for line in self.run("--summary", *options).splitlines()]
        return {
            row[0].removeprefix("results/small/") for row in rows if row[-1] == "update pending"
        }

    def kill_during_run(self, cells: int, after: float = 0.0) -> None:
        """SIGKILL Snakemake and all that it started once it has made so many cells, or later.

        By what was made and not by a clock: how far a run is after some seconds is the machine's.
        """
        goal = len(self.written()) + cells
        process = subprocess.Popen(
            self.command(),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while len(self.written()) < goal:
                assert process.poll() is None, "the run ended before it was killed"
                time.sleep(0.02)
            time.sleep(after)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def written(self) -> dict[str, float]:
        """Return when each evaluation with a cell's name was written."""
        return {
            str(file.parent.relative_to(self.results)): file.stat().st_mtime
            for file in self.results.glob("evaluations/*/[!.]*.zarr/zarr.json")
        }

    @property
    def results(self) -> Path:
        """The study's folder of results."""
        return self.folder / "results/small"

    def digests(self) -> dict[str, str]:
        """Return the data digest of every store by its path.

        Hidden folders are writes that did not end; what reads results passes over them too.
        """
        found = {}
        for file in self.results.rglob("zarr.json"):
            path = file.parent.relative_to(self.results)
            if any(part.startswith(".") for part in path.parts):
                continue
            attributes = json.loads(file.read_text()).get("attributes", {})
            if "data_digest" in attributes:
                found[str(path)] = attributes["data_digest"]
        return found

    def status(self) -> dict[str, tuple[str, str]]:
        """Return what `obroute status` says of every store: its state, and why."""
        done = subprocess.run(
            [Path(sys.executable).parent / "obroute", "status", "--json"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return {
            str(Path(one["store"]).relative_to(f"results/{self.study['study']}")): (
                one["state"],
                one["reason"],
            )
            for one in json.loads(done.stdout)["stores"]
        }


@pytest.fixture(scope="session", autouse=True)
def slurm_that_answers() -> None:
    """Spare Snakemake the nine seconds that it waits for a Slurm that is installed but silent."""
    try:
        subprocess.run(["scontrol", "ping"], capture_output=True, timeout=2, check=True)
    except (OSError, subprocess.SubprocessError):
        os.environ.setdefault("SLURM_CONF", os.devnull)


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder to work in, and a copy of it with the small study run to its end.

    Tests share one folder, restored for each, so that the compiled kernels in it stay valid.
    """
    folder = tmp_path_factory.mktemp("sweep")
    Sweep(folder / "work").run()
    shutil.copytree(folder / "work", folder / "finished")
    return folder / "work", folder / "finished"


@pytest.fixture
def finished_sweep(places: tuple[Path, Path]) -> Sweep:
    """A small study that has run, free to be changed."""
    work, finished = places
    shutil.rmtree(work)
    shutil.copytree(finished, work)
    return Sweep(work)


@pytest.fixture
def fresh_sweep(finished_sweep: Sweep) -> Sweep:
    """A small study that has not run."""
    shutil.rmtree(finished_sweep.folder / "results")
    shutil.rmtree(finished_sweep.folder / ".snakemake")
    return finished_sweep
