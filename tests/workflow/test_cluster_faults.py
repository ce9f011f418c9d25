"""A Dask cluster that loses workers or its scheduler: nothing hangs, nothing finished is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from distributed import Client

from obroute import TaskError
from obroute.execution import cluster_tasks, open_runner
from obroute.kinds.stores import read_store

pytestmark = [pytest.mark.cluster, pytest.mark.faults, pytest.mark.slow]

PROGRAMS = Path(sys.executable).parent
LONG = ("torus:20x20", "romm", "--all-channels")
"""An evaluation of a hundred tasks, about ten seconds."""
KILL_WORKER = """
import os, signal
from obroute import solved_channels

if solved_channels.solve_channels.__name__ != "fatal":  # a worker may load this twice
    solve_channels = solved_channels.solve_channels

    def fatal(network, *others):
        if network.name == "torus:4x4":
            os.kill(os.getpid(), signal.SIGKILL)
        return solve_channels(network, *others)

    solved_channels.solve_channels = fatal
"""


def soon(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something is there, and return it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


@contextmanager
def running(*command: str, **settings: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a program in a process group of its own, and leave nothing of it behind."""
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(
        [PROGRAMS / command[0], *command[1:]], start_new_session=True, **(piped | settings)
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@dataclass
class Cluster:
    """A scheduler and workers as somebody starts them by hand."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    worker_options: tuple[str, ...] = ()
    stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Cluster:
        self.file = self.folder / "scheduler.json"
        options = ("--scheduler-file", str(self.file))
        log = self.stack.enter_context((self.folder / "cluster.log").open("w"))
        started = {
            "env": os.environ | self.settings,
            "cwd": self.folder,
            "stdout": log,
            "stderr": subprocess.STDOUT,
        }
        self.scheduler = self.stack.enter_context(
            running("dask", "scheduler", *options, "--port", "0", "--no-dashboard", **started)
        )
        self.address = soon(self.read_address)
        options += ("--nthreads", "1", "--no-dashboard", *self.worker_options)
        for _ in range(2):
            self.stack.enter_context(running("dask", "worker", *options, **started))
        self.client = self.stack.enter_context(Client(self.address, timeout=60))
        self.client.wait_for_workers(2, timeout=60)
        return self

    def __exit__(self, *error: object) -> None:
        self.stack.close()

    def read_address(self) -> str | None:
        """Return the address that the scheduler wrote, if it has."""
        try:
            return json.loads(self.file.read_text())["address"]
        except (OSError, ValueError):
            return None

    def workers(self) -> dict[str, int]:
        """Return the process of each worker by its address."""
        return self.client.run(os.getpid)

    def busy(self) -> list[str]:
        """Return the workers that have tasks."""
        return [address for address, tasks in self.client.processing().items() if tasks]


def start_long(place: str, store: Path) -> Any:
    """Start the long evaluation on a cluster."""
    return running("obroute", "evaluate", *LONG, "--scheduler", place, "--save", str(store))


def failed_in_one_line(process: subprocess.Popen[str], status: int, within: float = 90) -> str:
    """Expect a program to end in time with a status and one line; return the line."""
    _, said = process.communicate(timeout=within)
    assert process.returncode == status, said
    assert said.startswith("error: "), said
    assert said.count("\n") == 1, said
    return said


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the long evaluation, made in one thread."""
    store = tmp_path_factory.mktemp("undisturbed") / "cell.zarr"
    options = ("--scheduler", "sync", "--quiet", "--save", str(store))
    with running("obroute", "evaluate", *LONG, *options) as process:
        process.communicate(timeout=300)
    return read_store(store).attrs["data_digest"]


def test_a_worker_killed_mid_task_loses_nothing(tmp_path: Path, undisturbed: str) -> None:
    """Its task moves, and the result is the same to the last bit."""
    store = tmp_path / "cell.zarr"
    with Cluster(tmp_path) as cluster, start_long(cluster.address, store) as process:
        (busy, *_) = soon(cluster.busy)
        os.kill(cluster.workers()[busy], signal.SIGKILL)
        _, said = process.communicate(timeout=200)
        assert process.returncode == 0, said
    assert read_store(store).attrs["data_digest"] == undisturbed


def test_all_workers_killed_and_back_lose_nothing(tmp_path: Path, undisturbed: str) -> None:
    """What they held, the network among it, goes to those that their nannies start instead."""
    store = tmp_path / "cell.zarr"
    with Cluster(tmp_path) as cluster, start_long(str(cluster.file), store) as process:
        soon(cluster.busy)
        for worker in cluster.workers().values():
            os.kill(worker, signal.SIGKILL)
        _, said = process.communicate(timeout=200)
        assert process.returncode == 0, said
    assert read_store(store).attrs["data_digest"] == undisturbed


@pytest.mark.workflow
def test_a_task_that_always_kills_its_worker_fails_its_cell_alone(fresh_sweep) -> None:
    """The log and `obroute status` say which batch; the other cells are made."""
    folder = fresh_sweep.folder
    (folder / "fatal.py").write_text(KILL_WORKER)
    settings = {"PYTHONPATH": str(folder / "src")}
    with Cluster(folder, settings, ("--preload", str(folder / "fatal.py"))) as cluster:
        fresh_sweep.write(scheduler=str(cluster.file), routings=["dor"])
        printed = fresh_sweep.run(ok=False)
    said = "error: batch 1 of 1 of the channels killed the worker it ran on 4 times, at last tcp:"
    assert said in printed
    assert "Traceback" not in printed
    assert set(fresh_sweep.digests()) == {"evaluations/torus-3x3/dor.zarr"}
    found = fresh_sweep.status()
    assert found["evaluations/torus-3x3/dor.zarr"] == ("done", "")
    state, reason = found["evaluations/torus-4x4/dor.zarr"]
    assert state == "failed"
    assert reason.startswith(said.removeprefix("error: "))
    fresh_sweep.write(scheduler="threads")
    fresh_sweep.run()
    assert {state for state, _ in fresh_sweep.status().values()} == {"done"}


def test_all_workers_lost_is_one_line(tmp_path: Path) -> None:
    """After the time that the scheduler was told to wait for others."""
    settings = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "3s"}
    store = tmp_path / "cell.zarr"
    with (
        Cluster(tmp_path, settings, ("--no-nanny",)) as cluster,
        start_long(cluster.address, store) as process,
    ):
        soon(cluster.busy)
        for worker in cluster.workers().values():
            os.kill(worker, signal.SIGKILL)
        said = failed_in_one_line(process, status=1)
        assert f"the Dask cluster at {cluster.address} has no worker; start some" in said
    assert not store.exists()


def test_all_workers_lost_of_a_cluster_that_would_wait_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then this side says when to give up, before tasks are sent and while they run."""
    monkeypatch.setattr(cluster_tasks, "WORKERLESS_SECONDS", 2)
    monkeypatch.setattr(cluster_tasks, "SECONDS_BETWEEN_LOOKS", 1)
    with Cluster(tmp_path, {}, ("--no-nanny",)) as cluster, open_runner(cluster.address) as run:
        workers = cluster.workers().values()

        def kill() -> None:
            soon(cluster.busy)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)

        killer = Thread(target=kill)
        killer.start()
        with pytest.raises(TaskError, match="has no worker; start some"):
            list(run(time.sleep, (), [30, 30], "naps", [1, 1]))
        killer.join()
        with pytest.raises(TaskError, match="has no worker; start some"):
            list(run(time.sleep, (), [30, 30], "naps", [1, 1]))


def test_a_killed_scheduler_is_one_line_and_its_file_is_stale(tmp_path: Path) -> None:
    """The running evaluation ends soon, and so does one that is sent to what the file names."""
    store = tmp_path / "cell.zarr"
    with Cluster(tmp_path) as cluster, start_long(str(cluster.file), store) as process:
        soon(cluster.busy)
        os.kill(cluster.scheduler.pid, signal.SIGKILL)
        said = failed_in_one_line(process, status=1)
        assert f"the Dask scheduler at {cluster.address} went away while channels" in said
        assert not store.exists()
        with start_long(str(cluster.file), store) as again:
            said = failed_in_one_line(again, status=2)
    assert f"no Dask scheduler answers at {cluster.file}" in said
    assert not [left for left in tmp_path.iterdir() if "cell.zarr" in left.name]


def test_an_address_that_listens_and_never_answers_is_one_line(tmp_path: Path) -> None:
    """As when another program has the port by now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        file = tmp_path / "scheduler.json"
        file.write_text(json.dumps({"address": "tcp://{}:{}".format(*server.getsockname())}))
        with start_long(str(file), tmp_path / "cell.zarr") as process:
            said = failed_in_one_line(process, status=2)
    assert f"no Dask scheduler answers at {file}" in said


def test_an_error_in_a_task_is_raised_here_whatever_it_is(tmp_path: Path) -> None:
    """A client that cannot read the traceback of a deep recursion would wait for ever."""

    def recurse(depth: int) -> int:
        return recurse(depth + 1)

    with Cluster(tmp_path) as cluster, open_runner(cluster.address) as run:
        with pytest.raises(RecursionError):
            list(run(recurse, (), [1], "numbers", [1]))
        assert list(run(abs, (), [-1, -2], "numbers", [1, 1])) == [1, 2]


@pytest.mark.workflow
def test_a_missing_scheduler_file_fails_the_cells_and_nothing_else(finished_sweep) -> None:
    """What is done stays; the next run with a scheduler that is there makes the rest."""
    before = finished_sweep.digests()
    finished_sweep.write(scheduler="missing.json", radices="3-5")
    printed = finished_sweep.run(ok=False)
    assert "error: scheduler file missing.json does not exist; start `dask scheduler" in printed
    assert "Traceback" not in printed
    found = finished_sweep.status()
    assert found["evaluations/torus-5x5/dor.zarr"][0] == "failed"
    cells = {name: digest for name, digest in before.items() if name.startswith("evaluations")}
    assert cells.items() <= finished_sweep.digests().items()
    finished_sweep.write(scheduler="threads")
    finished_sweep.run()
    assert {state for state, _ in finished_sweep.status().values()} == {"done"}
