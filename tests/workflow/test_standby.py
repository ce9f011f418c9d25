"""The process that stands by for a sweep: it does what the command would, or the command does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import obroute_standby

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has what it takes"),
]

SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 600
"""Seconds to wait for what must come, however busy the machine is."""
MAIN = "from obroute_command import main; main()"
PATIENT = f"import obroute_standby; obroute_standby.PATIENCE = {PATIENCE}; {MAIN}"
PROGRAM = [sys.executable, "-c", MAIN]
WORKFLOW = """
import os, sys, time
import obroute_standby
obroute_standby.stand_by()
print(os.environ[obroute_standby.VARIABLE], flush=True)
for line in sys.stdin:
    print(os.system(line), flush=True)
"""
"""What starts it, and the commands line by line, as Snakemake would."""
LONG = "evaluate torus:16x16 romm --all-channels --threads 1 --quiet"


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Workflow:
    """A process that starts commands one by one, and a process that stands by for them."""

    def __init__(self, source: Path, folder: Path) -> None:
        single = dict.fromkeys(obroute_standby.THREADS_OF_LIBRARIES, "1")
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKFLOW],
            cwd=folder,
            env=os.environ | single | {"PYTHONPATH": str(source)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.place = Path(self._line().split(" ", 2)[2])

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def begin(self, words: str, before: str = "") -> None:
        """Start a command; its output and errors go to files."""
        assert self.process.stdin is not None
        program = f"{sys.executable} -c '{MAIN if before else PATIENT}'"
        self.process.stdin.write(f"{before} {program} {words} >out 2>err\n")
        self.process.stdin.flush()

    def run(self, words: str, before: str = "") -> tuple[int, str, str]:
        """Run a command; return its exit status, output and errors."""
        self.begin(words, before)
        status = os.waitstatus_to_exitcode(int(self._line()))
        return status, *((self.folder / name).read_text() for name in ("out", "err"))

    def below(self) -> dict[int, str]:
        """Return the processes of the session by number, with their command lines."""
        found = {}
        for place in Path("/proc").iterdir():
            if place.name.isdecimal() and int(place.name) != self.process.pid:
                try:
                    if os.getsid(int(place.name)) == self.process.pid:
                        found[int(place.name)] = (place / "cmdline").read_text().replace("\0", " ")
                except OSError:
                    continue
        return found

    def standing_by(self) -> list[int]:
        """Return the numbers of the process that stands by and of what it forked."""
        return sorted(pid for pid, line in self.below().items() if str(self.place) in line)

    def end(self) -> None:
        """Kill whatever is left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workflow]:
    """One for the tests that change nothing."""
    workflow = Workflow(SOURCE, tmp_path_factory.mktemp("shared"))
    wait_until(workflow.place.exists)
    yield workflow
    workflow.end()


@pytest.fixture
def workflow(tmp_path: Path) -> Iterator[Workflow]:
    """One of its own."""
    started = Workflow(SOURCE, tmp_path)
    wait_until(started.place.exists)
    yield started
    started.end()


def alone(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as if there were none."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [*PROGRAM, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def processor_seconds(usage: Path) -> float:
    """Return the processor seconds that a job says it took."""
    return float(usage.read_text().splitlines()[1].split("\t")[0])


def digest_of(store: Path) -> str:
    """Return the digest of what a store holds."""
    found: str = json.loads((store / "zarr.json").read_text())["attributes"]["data_digest"]
    return found


@pytest.mark.parametrize(
    "words",
    [
        "evaluate torus:3x3 dor --pattern tornado",
        "evaluate torus:3x3 nowhere",
        "evaluate torus:3x3",
        "simulate hypercube:3 dor --seeds 2",
        "list routings",
    ],
)
def test_it_answers_as_the_command_does(shared: Workflow, words: str) -> None:
    """Output, errors and exit status; only the seconds differ."""
    itself = alone(shared.folder, *words.split())
    status, output, errors = shared.run(words)
    assert (status, errors) == (itself.returncode, itself.stderr)

    def timeless(text: str) -> list[str]:
        return [line for line in text.splitlines() if "seconds" not in line]

    assert timeless(output) == timeless(itself.stdout)


def test_its_stores_are_those_of_the_command(shared: Workflow) -> None:
    """In the folder of the command; with what the job took, not the process that stands by."""
    words = "evaluate torus:4x4 romm --save {}.zarr --usage {}.tsv"
    assert shared.run(words.format("forked", "forked"))[0] == 0
    alone(shared.folder, *words.format("alone", "alone").split())
    assert digest_of(shared.folder / "forked.zarr") == digest_of(shared.folder / "alone.zarr")
    taken = {}
    for name in ("forked", "alone"):
        heading, line = (shared.folder / f"{name}.tsv").read_text().splitlines()
        assert heading == "processor_seconds\tpeak_megabytes"
        taken[name] = [float(number) for number in line.split("\t")]
    assert 0 < taken["forked"][0] < taken["alone"][0] / 2
    assert 100 < taken["forked"][1] < 1000


@pytest.mark.parametrize(
    ("before", "forked"),
    [
        ("", True),
        ("HOME=/tmp", True),
        ("OMP_NUM_THREADS=2", False),
        ("PYTHONHASHSEED=1", False),
        ("env --unset=OBROUTE_STANDBY", False),
        ("OBROUTE_STANDBY=off", False),
        ("OBROUTE_STANDBY='1 1 /nowhere'", False),
        ("setsid --fork", False),
    ],
)
def test_what_differs_is_done_by_the_command(shared: Workflow, before: str, forked: bool) -> None:
    """And what is no descendant of the workflow's process, as a job of a batch system."""
    small = "evaluate torus:3x3 dor --usage usage.tsv"
    file = shared.folder / "usage.tsv"
    file.unlink(missing_ok=True)
    detached = "sh -c 'sleep 0.5; exec \"$@\"' sh" if "setsid" in before else ""
    shared.run(small, f"{before} {detached}")
    wait_until(file.exists)
    seconds = processor_seconds(file)
    alone(shared.folder, *small.split())
    assert (seconds < processor_seconds(file) / 2) == forked


def test_a_changed_source_is_loaded_anew(tmp_path: Path) -> None:
    """The process that stands by has the old one."""
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source)
    workflow = Workflow(source, tmp_path)
    try:
        assert "worst-case load" in workflow.run("evaluate torus:3x3 dor")[1]
        shown = source / "obroute/experiments/evaluation/shown.py"
        shown.write_text(shown.read_text().replace("worst-case load", "heaviest load"))
        assert "heaviest load" in workflow.run("evaluate torus:3x3 dor")[1]
    finally:
        workflow.end()


def test_one_that_cannot_load_is_not_waited_for(tmp_path: Path) -> None:
    """The command does the work; where it can load, the first command waits for it, above."""
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source)
    (source / "obroute/standby.py").write_text("raise MemoryError\n")
    workflow = Workflow(source, tmp_path)
    try:
        start = time.monotonic()
        assert workflow.run("evaluate torus:3x3 dor")[0] == 0
        assert time.monotonic() - start < PATIENCE
        assert not workflow.place.exists()
    finally:
        workflow.end()


def test_a_killed_command_takes_its_job_with_it(workflow: Workflow) -> None:
    """And nothing else: the next one is done."""
    wait_until(lambda: len(workflow.standing_by()) == 1)
    workflow.begin(LONG)
    wait_until(lambda: len(workflow.standing_by()) == 2)
    found = {pid for pid, line in workflow.below().items() if line.startswith(sys.executable)}
    (command,) = found - set(workflow.standing_by())
    os.kill(command, signal.SIGKILL)
    wait_until(lambda: len(workflow.standing_by()) == 1)
    workflow._line()
    assert workflow.run("evaluate torus:3x3 dor")[0] == 0


def test_a_killed_job_is_told(workflow: Workflow) -> None:
    """With the exit status that a shell gives a killed process."""
    workflow.begin(LONG)
    wait_until(lambda: len(workflow.standing_by()) == 2)
    os.kill(workflow.standing_by()[1], signal.SIGKILL)
    assert os.waitstatus_to_exitcode(int(workflow._line())) == 137


def test_without_it_the_next_command_does_its_work(workflow: Workflow) -> None:
    """The one whose job was being done says so in one line."""
    workflow.begin(LONG)
    wait_until(lambda: len(workflow.standing_by()) == 2)
    first, second = workflow.standing_by()
    os.kill(first, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(int(workflow._line())) == 1
    assert (workflow.folder / "err").read_text().count("\n") == 1
    wait_until(lambda: second not in workflow.standing_by())
    assert workflow.run("evaluate torus:3x3 dor")[0] == 0


def test_ctrl_c_reaches_the_job(workflow: Workflow) -> None:
    """As the terminal sends it, to all processes in front."""
    workflow.begin(LONG)
    wait_until(lambda: len(workflow.standing_by()) == 2)
    os.killpg(workflow.process.pid, signal.SIGINT)
    workflow._line()  # of the shell, which does not wait for the command
    wait_until(lambda: len(workflow.below()) == 1)
    assert len(workflow.standing_by()) == 1
    # By the job; and by the command, if it was not yet left to the job.
    assert set((workflow.folder / "err").read_text().splitlines()) == {"interrupted"}
    assert workflow.run("evaluate torus:3x3 dor")[0] == 0


def test_it_ends_after_the_workflow_when_its_jobs_have_ended(workflow: Workflow) -> None:
    """As jobs go on when Snakemake is killed; nothing of it is left."""
    workflow.begin("evaluate torus:12x12 romm --all-channels --save cell.zarr --quiet --threads 1")
    wait_until(lambda: len(workflow.standing_by()) == 2)
    workflow.process.kill()
    wait_until(lambda: not workflow.below())
    assert (workflow.folder / "cell.zarr/zarr.json").exists()
    assert not workflow.place.parent.exists()
