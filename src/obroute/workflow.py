"""The sweep for who has no checkout: its files laid down in a folder, and Snakemake run on them.

The Snakefile, its rules and its profiles stand in the repository once. A checkout reads them
there; a wheel carries them in ``workflow_files``, laid out alike. A folder that :func:`lay_down`
makes has a Snakefile of its own, which takes the rules from wherever obroute is installed.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import obroute_standby
from obroute.extras import needs
from obroute.kinds.sweep import CONFIGURATION
from obroute.names import printable
from obroute.progress import duration
from obroute.reading import read_yaml
from obroute.results.stores import is_store
from obroute.specs import InputError
from obroute.status import failure_in
from obroute.study import StudyBase
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


def is_running() -> bool:
    """Say whether a Snakemake holds the working directory's lock, or was killed while it did."""
    return any(Path(".snakemake/locks").glob("*"))


def stand_by_for(workflow: Any) -> None:
    """Let a process that has loaded obroute do the jobs of a Snakemake, if they are many.

    Parameters
    ----------
    workflow
        Snakemake's own object, of which a Snakefile knows.
    """
    if workflow.local_exec and len([*workflow.dag.needrun_jobs()]) >= FEWEST_JOBS:
        obroute_standby.stand_by()


def tell_at_end(workflow: Any, study: StudyBase) -> None:
    """Let the last line of a run of Snakemake say what was done, and where the report is.

    Parameters
    ----------
    workflow
        Snakemake's own object, of which a Snakefile knows.
    study
        What it runs.
    """
    atexit.register(_tell, workflow, study, Path.cwd())


def _tell(workflow: Any, study: StudyBase, folder: Path) -> None:
    """Say it, unless Snakemake did something else than run the study, or is a job of a run."""
    began = workflow.scheduler is not None and not workflow.dryrun
    if not began or workflow.exec_mode.name != "DEFAULT":
        return
    quiet = {one.name for one in workflow.output_settings.quiet or ()}
    failed = sorted(workflow.scheduler.failed, key=str)
    if failed or "ALL" not in quiet:
        seconds = (datetime.now() - workflow.start_time).total_seconds()
        jobs = [*workflow.dag.needrun_jobs(exclude_finished=False)]
        done = sum(map(workflow.dag.finished, jobs))
        with suppress(OSError, ValueError):  # nobody reads it
            os.chdir(folder)  # which Snakemake has left
            for line in last_lines(study, len(jobs), done, failed, seconds):
                sys.stderr.write(f"{printable(line)}\n")


def last_lines(
    study: StudyBase, jobs: int, done: int, failed: Sequence[Any], seconds: float
) -> Iterator[str]:
    """Yield what is said at the end of a run: the jobs that failed, each with its log; the sum."""
    for job in failed:
        logs = list(map(str, job.log))
        reason = next(filter(None, (failure_in(Path(log)) for log in logs)), "")
        where = f"; log: {', '.join(logs)}" if logs else ""
        yield f"failed: {job.message or job.rule.name}{': ' if reason else ''}{reason}{where}"
    proved = sum(is_store(cell.store) for cell in study.cells("evaluations").values())
    left = jobs - done - len(failed)
    told = [
        f"{jobs} job{'s' * (jobs != 1)}" if jobs else "nothing to do",
        f"{proved} worst case{'s' * (proved != 1)} certified",
        f"{len(failed)} failed",
        *([f"{left} not run"] if left else []),
        duration(seconds),
    ]
    yield f"{', '.join(told)}; {_report(study.folder / 'report.html', is_new=jobs == done)}"


def _report(report: Path, is_new: bool) -> str:
    """Say where the report is, by its path from where the person is who began it all."""
    if not report.exists():
        return "no report"
    here, report = Path(os.environ.get("PWD", "")), report.absolute()
    shown = report.relative_to(here) if here in report.parents else report
    return f"report: {shown}" if is_new else f"report of an earlier run: {shown}"
