"""Runs that are interrupted, killed or starved, and stores damaged behind our back.

After each fault: what the user sees, nothing finished is lost, nothing half-written counts as
finished, and the next run completes the study.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.workflow.conftest import Sweep

from obroute import cli
from obroute.kinds.stores import read_store
from obroute.study import read_study

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.workflow]

OBROUTE = Path(sys.executable).parent / "obroute"
DOR = "evaluations/torus-4x4/dor.zarr"
SMALL_DISK, LARGE_DISK = "300k", "20m"
KILLS = 10
MOST_CELLS, LATEST_KILL = 12, 0.5
"""A run is killed when it has made up to so many cells, and up to so many seconds later."""


@contextmanager
def started(sweep: Sweep, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run Snakemake in a process group of its own, and leave nothing of it behind."""
    process = subprocess.Popen(
        sweep.command(*options),
        cwd=sweep.folder,
        env=sweep.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for_cells(sweep: Sweep, count: int, seconds: float = 90) -> dict[str, float]:
    """Wait until a run has made some cells; return when each was written."""
    end = time.monotonic() + seconds
    while len(found := sweep.written()) < count:
        assert time.monotonic() < end, "waited in vain for cells"
        time.sleep(0.02)
    return found


def obroute(sweep: Sweep, *words: str, **settings) -> subprocess.CompletedProcess[str]:
    """Run the command line in the study's folder."""
    return subprocess.run(
        [OBROUTE, *words],
        cwd=sweep.folder,
        env=sweep.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **settings,
    )


def processor_seconds(pid: int) -> float:
    """Return the processor time that a running process has used."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def assert_whole(sweep: Sweep) -> None:
    """Every store that has a cell's name is read and has its digest."""
    for name in sweep.written():
        read_store(sweep.results / name, "evaluation")


def assert_finished(sweep: Sweep, expected: dict[str, str], patience: float = 300) -> None:
    """The next run completes the study, with the cells that an undisturbed run makes."""
    sweep.run(patience=patience)
    assert {state for state, _ in sweep.status().values()} == {"done"}
    cells = {name: digest for name, digest in sweep.digests().items() if name in expected}
    assert cells == expected


@pytest.fixture
def expected(places: tuple[Path, Path]) -> dict[str, str]:
    """The digests of the cells that an undisturbed run makes."""
    finished = Sweep(places[1]).digests()
    return {name: digest for name, digest in finished.items() if name.startswith("evaluations/")}


def test_ctrl_c_stops_soon_and_keeps_what_is_finished(
    fresh_sweep: Sweep, expected: dict[str, str]
) -> None:
    """No lock stays, so that the next run goes on at once."""
    fresh_sweep.write(radices="3-5")
    with started(fresh_sweep) as process:
        finished = wait_for_cells(fresh_sweep, 2)
        wait_for_cells(fresh_sweep, 3)  # so that Snakemake has noted the first two
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert_whole(fresh_sweep)
    assert {state for state, _ in fresh_sweep.status().values()} == {"done", "missing"}
    assert_finished(fresh_sweep, expected)
    assert finished.items() <= fresh_sweep.written().items()


def test_ctrl_c_ends_one_evaluation_without_a_traceback(finished_sweep: Sweep) -> None:
    """And without a store."""
    words = ("evaluate", "torus:24x24", "romm", "--all-channels", "--save", "cell.zarr")
    process = subprocess.Popen(
        [OBROUTE, *words],
        cwd=finished_sweep.folder,
        env=finished_sweep.environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    while processor_seconds(process.pid) < 3:  # of some 20
        assert process.poll() is None, "it ended before it was interrupted"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith("interrupted\n")
    assert "Traceback" not in said
    assert not (finished_sweep.folder / "cell.zarr").exists()


def test_a_killed_snakemake_leaves_its_lock_and_its_jobs(
    fresh_sweep: Sweep, expected: dict[str, str]
) -> None:
    """The next run says how to unlock; then it may meet jobs that still write the same stores."""
    with started(fresh_sweep) as process:
        before = wait_for_cells(fresh_sweep, 1)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert "--unlock" in fresh_sweep.run(ok=False)
        fresh_sweep.run("--unlock")
        assert_whole(fresh_sweep)
        assert set(before) <= set(fresh_sweep.written())
        assert_finished(fresh_sweep, expected)


def test_a_second_run_of_the_same_study_is_refused(
    fresh_sweep: Sweep, expected: dict[str, str]
) -> None:
    """It says so, touches nothing, and the first one finishes."""
    with started(fresh_sweep) as process:
        wait_for_cells(fresh_sweep, 1)
        os.killpg(process.pid, signal.SIGSTOP)  # so that it is at work when the second comes
        printed = fresh_sweep.run(ok=False)
        os.killpg(process.pid, signal.SIGCONT)
        assert "Directory cannot be locked" in printed
        assert "Traceback" not in printed
        first, _ = process.communicate(timeout=300)
        assert process.returncode == 0, first
    assert_finished(fresh_sweep, expected)


def test_evaluations_that_save_one_store_at_once_leave_one_whole_store(
    finished_sweep: Sweep,
) -> None:
    """All of them succeed; the store is that of the last, and nothing is left beside it."""
    folder = finished_sweep.folder / "shared"
    (folder / "cell.zarr").parent.mkdir()
    script = (
        "import obroute; from obroute.kinds.stores import dataset_of;"
        "cell = dataset_of('evaluation', obroute.evaluate('torus:3x3', 'dor'));"
        f"[obroute.write_store(cell, {str(folder / 'cell.zarr')!r}) for _ in range(12)]"
    )
    command = [sys.executable, "-c", script]
    running = [
        subprocess.Popen(command, env=finished_sweep.environment, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert [path.name for path in folder.iterdir()] == ["cell.zarr"]
    read_store(folder / "cell.zarr", "evaluation")


@contextmanager
def disk(folder: Path) -> Iterator[None]:
    """Mount a small disk on a folder; skip the test where that is not allowed."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a disk can be mounted by root only; the test with a limit on files runs")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(
    fresh_sweep: Sweep, expected: dict[str, str]
) -> None:
    """With room on the disk the next run completes the study."""
    cells = fresh_sweep.results / "evaluations"
    with disk(cells):
        printed = fresh_sweep.run(ok=False)
        assert "error: cannot write results/small/evaluations/" in printed
        assert ": No space left on device" in printed
        assert "Traceback" not in printed
        assert_whole(fresh_sweep)
        assert not list(cells.rglob(".*.zarr.*"))
        states = {name: found[0] for name, found in fresh_sweep.status().items()}
        assert "failed" in states.values()
        options = f"remount,size={LARGE_DISK}"
        subprocess.run(["mount", "-o", options, str(cells)], check=True)
        assert_finished(fresh_sweep, expected)


def test_a_write_that_fails_keeps_the_old_store(finished_sweep: Sweep) -> None:
    """Here because files may not grow, as on a disk that fills while a store is replaced."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    store = f"results/small/{DOR}"
    before = read_store(finished_sweep.folder / store).attrs["data_digest"]
    done = obroute(
        finished_sweep, "evaluate", "torus:4x4", "dor", "--save", store, preexec_fn=limit
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith(f"error: cannot write {store}: File too large")
    assert read_store(finished_sweep.folder / store).attrs["data_digest"] == before
    assert not list(finished_sweep.results.rglob(".*.zarr.*"))


def truncate_metadata(store: Path) -> None:
    """Cut the metadata short."""
    file = store / "zarr.json"
    file.write_bytes(file.read_bytes()[:500])


def truncate_chunk(store: Path) -> None:
    """Cut one chunk short."""
    file = next(file for file in store.glob("worst_permutation/c/**/*") if file.is_file())
    file.write_bytes(file.read_bytes()[:-3])


def delete_chunk(store: Path) -> None:
    """Delete the chunks of one array, which zarr reads as zeros."""
    shutil.rmtree(store / "worst_permutation/c")


def change_chunk(store: Path) -> None:
    """Put another store's chunk there, whole by its own checksum."""
    other = store.with_name("valiant.zarr") / "worst_case_load/c/0"
    shutil.copyfile(other, store / "worst_case_load/c/0")


@pytest.mark.parametrize("damage", [truncate_metadata, truncate_chunk, delete_chunk, change_chunk])
def test_a_store_damaged_behind_our_back_is_found(finished_sweep: Sweep, damage) -> None:
    """By `obroute verify` and `obroute status`, in one line."""
    damage(finished_sweep.results / DOR)
    done = obroute(finished_sweep, "verify", "results/small")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: results/small/{DOR} is truncated or ")
    assert "remove it and make it again" in done.stderr
    assert done.stderr.count("\n") == 1
    found = finished_sweep.status()
    assert found[DOR][0] == "damaged"
    assert found["evaluations.zarr"] == ("stale", "cells not done: torus-4x4/dor.zarr")


def test_a_damaged_store_that_is_removed_is_made_again_as_it_was(
    finished_sweep: Sweep, expected: dict[str, str]
) -> None:
    """Snakemake goes by what exists, so that the damaged store has to go."""
    delete_chunk(finished_sweep.results / DOR)
    assert finished_sweep.planned() == set()
    shutil.rmtree(finished_sweep.results / DOR)
    assert_finished(finished_sweep, expected)


# ------------------------------------------------------------------- a study killed ten times over

LARGE_STUDY = {
    "networks": ["ring:{k}"],
    "radices": "3-42",
    "routings": ["dor", "valiant", "romm", "ival", "rlb"],
    "patterns": ["tornado"],
    "report": {},
}
CELLS = 200


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The digests of the large study's cells, made one after the other in this process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    digests = {}
    for name, cell in read_study(LARGE_STUDY).cells("evaluations").items():
        store = folder / f"{name}.zarr"
        words = (*cell.words, "--threads", "1", "--json", "--save", str(store))
        cli.app(list(words), standalone_mode=False)
        digests[f"evaluations/{name}.zarr"] = read_store(store).attrs["data_digest"]
    assert len(digests) == CELLS
    return digests


def test_a_study_killed_ten_times_over_finishes_as_if_undisturbed(
    fresh_sweep: Sweep, undisturbed: dict[str, str]
) -> None:
    """SIGKILL of everything at random moments; at most the cells in work are made again."""
    fresh_sweep.study = {"study": "small"}
    fresh_sweep.write(**LARGE_STUDY)
    moments = random.Random(20)
    before: dict[str, float] = {}
    cores = 2
    for _ in range(KILLS):
        fresh_sweep.kill_during_run(
            moments.randint(1, MOST_CELLS), moments.uniform(0, LATEST_KILL)
        )
        found = fresh_sweep.written()
        again = [name for name, moment in before.items() if found.get(name) != moment]
        assert len(again) <= cores, again
        new = found.keys() - before.keys()
        for name in new | set(again) & found.keys():
            assert read_store(fresh_sweep.results / name).attrs["data_digest"] == undisturbed[name]
        before = found
        fresh_sweep.run("--unlock")
    assert 0 < len(before) < CELLS
    assert_finished(fresh_sweep, undisturbed, patience=1200)
