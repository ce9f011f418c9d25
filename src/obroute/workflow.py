"""The sweep for who has no checkout: its files laid down in a folder, and Snakemake run on them.

The Snakefile, its rules and its profiles stand in the repository once. A checkout reads them
there; a wheel carries them in ``workflow_files``, laid out alike. A folder that :func:`lay_down`
makes has a Snakefile of its own, which takes the rules from wherever obroute is installed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import obroute_standby
from obroute.extras import needs
from obroute.kinds.sweep import CONFIGURATION
from obroute.reading import read_yaml
from obroute.specs import InputError
from obroute.study import read_study
from obroute.writing import write_whole

PACKAGE = Path(__file__).parent
RULES = ("Snakefile", "workflow", "environment.yml", "environment.post-deploy.sh")
CORES_KNOWN = (
    "-c",
    "--cores",
    "-j",
    "--jobs",
    "-e",
    "--executor",
    "--profile",
    "--workflow-profile",
)
"""Options of Snakemake that say how much may run at one time."""

FEWEST_JOBS = 8
"""How many jobs make up for a process that loads what any of them may need."""


def workflow_folder() -> Path:
    """Return the folder that holds the Snakefile, `workflow`, `profiles` and the environment."""
    packaged = PACKAGE / "workflow_files"
    return packaged if packaged.is_dir() else PACKAGE.parents[1]


def snakefile() -> Path:
    """Return the Snakefile of the sweep, for ``module`` in another one."""
    return workflow_folder() / "Snakefile"


def lay_down(folder: Path, with_rules: bool = False) -> list[Path]:
    """Write what a sweep in a folder of its own needs; return the files.

    Parameters
    ----------
    folder
        Made if it is not there; what it holds already stays.
    with_rules
        Copy the rules as well, to be edited. They then stay as they are when obroute is upgraded.

    Raises
    ------
    InputError
        If a file is there already, or cannot be written; then none is left.
    """
    source = workflow_folder()
    origins = _files(source / "workflow/init", source / "workflow/init")
    origins |= _files(source / "profiles", source)
    if with_rules:
        for name in RULES:
            origins |= _files(source / name, source)
        origins = {file: origin for file, origin in origins.items() if "init" not in file.parts}
    targets = sorted(origins)
    existing = [str(target) for target in targets if (folder / target).exists()]
    if existing:
        raise InputError(
            f"{folder} has {', '.join(existing)} already; name another folder, or remove what is "
            "there"
        )
    written: list[Path] = []
    try:
        for target in targets:
            write_whole(folder / target, origins[target].read_bytes())
            written.append(folder / target)
    except InputError:
        for file in written:  # what is there would stand in the way of the next attempt
            file.unlink(missing_ok=True)
        raise
    return written


def _files(place: Path, root: Path) -> dict[Path, Path]:
    """Return a file, or the files below a folder, by where they are in ``root``."""
    files = place.rglob("*") if place.is_dir() else [place]
    found = (file for file in files if file.is_file() and file.parent.name != "__pycache__")
    return {file.relative_to(root): file for file in found}


def run_sweep(place: Path, cores: str | None = None, options: Sequence[str] = ()) -> int:
    """Run Snakemake to its end; return its exit status.

    Parameters
    ----------
    place
        A folder with a Snakefile, or a study's YAML file, which is run in the working directory by
        obroute's own rules.
    cores
        How many, or ``all``; all if neither this nor an option says how much may run.
    options
        For Snakemake, as they are.
    """
    needs("snakemake")
    command = ["--cores", cores] if cores else []
    if not cores and not any(word.startswith(CORES_KNOWN) for word in options):
        command = ["--cores", "all"]
    if place.is_dir():
        folder = place
        if not any((place / name).exists() for name in ("Snakefile", "workflow/Snakefile")):
            raise InputError(f"{place} has no Snakefile; `obroute init {place}` lays one down")
    elif place.exists():
        folder = Path()
        command += ["--snakefile", str(snakefile()), "--configfile", str(place)]
    else:
        raise InputError(f"{place} does not exist; name a folder with a Snakefile, or a study")
    study = place / CONFIGURATION if place.is_dir() else place
    if study.exists():
        read_yaml(study)  # what Snakemake takes without a word, or ends with a traceback
    return _run([sys.executable, "-m", "snakemake", *command, *options], folder)


def _run(command: list[str], folder: Path) -> int:
    """Run a command as if it stood in our place: what stops us is its to answer."""
    programs = str(Path(sys.executable).parent)  # where the rules find `obroute`: this one
    environment = os.environ | {"PATH": programs + os.pathsep + os.environ.get("PATH", "")}
    if workflow_folder() != PACKAGE / "workflow_files":
        environment["OBROUTE_CHECKOUT"] = str(workflow_folder())
    process = subprocess.Popen(command, cwd=folder, env=environment)
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            with suppress(KeyboardInterrupt):  # which the terminal has sent to Snakemake as well
                status = process.wait()
                return status if status >= 0 else 128 - status
    finally:
        signal.signal(signal.SIGTERM, before)


def stand_by_for(workflow: Any) -> None:
    """Let a process that has loaded obroute do the jobs of a Snakemake, if they are many.

    Parameters
    ----------
    workflow
        Snakemake's own object, of which a Snakefile knows.
    """
    if workflow.local_exec and len([*workflow.dag.needrun_jobs()]) >= FEWEST_JOBS:
        obroute_standby.stand_by()


def report_of(place: Path, options: Sequence[str] = ()) -> Path | None:
    """Return the report that a sweep of this place has left, or None if there is none.

    Parameters
    ----------
    place, options
        As for :func:`run_sweep`.
    """
    folder, study = (place, place / CONFIGURATION) if place.is_dir() else (Path(), place)
    if not study.is_file() or any(word.startswith("--configfile") for word in options):
        return None
    settings = read_yaml(study)
    # Only what says where it is: a workflow of one's own may have other keys.
    places = {key: settings[key] for key in ("study", "results") if key in settings}
    changed = (word.split("=", 1) for word in options if word.startswith(("study=", "results=")))
    report = folder / read_study(places | dict(changed)).folder / "report.html"
    return report if report.exists() else None
