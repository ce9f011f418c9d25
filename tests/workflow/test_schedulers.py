"""One study on every scheduler gives the same stores to the last bit, and clusters clean up.

The schedulers are real: Dask's as processes of their own, and Slurm where `.ci/slurm` started one.
Without one, the tests that need it are skipped and say why; with OBROUTE_REQUIRE_SLURM=1, as in
`.ci/run`, they fail.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from tests.support.certificates import authority
from tests.support.datasets import cell_dataset, simulation_dataset
from tests.support.runners import shuffled
from tests.workflow.conftest import Sweep

import obroute
from obroute.execution import open_runner
from obroute.kinds.registry import specs_of
from obroute.packets import experiments
from obroute.results.stores import data_digest

pytestmark = [pytest.mark.cluster, pytest.mark.workflow]

PROGRAMS = Path(sys.executable).parent
STUDY = {
    "study": "small",
    "networks": ["torus:{k}x{k}"],
    "radices": "3-4",
    "routings": ["dor", "valiant"],
    "patterns": ["uniform", "tornado"],
    "random_permutations": {"samples": 1200},
    "average_case": {"samples": 30},
    "simulations": [{"networks": ["hypercube:3"], "routings": ["valiant"], "seeds": 3}],
    "seed": 1,
    "report": {},
}
STORES = ["results/small/evaluations.zarr", "results/small/simulations.zarr"]
CELLS = 5
PATIENCE = 120
SLURM = (
    "--workflow-profile=profiles/slurm",
    # This Slurm has no accounting. Its jobs take less than ten seconds, and where the plugin finds
    # none finished it waits ten seconds longer the next time.
    "--slurm-status-command=squeue",
    "--slurm-no-account",
    "--slurm-init-seconds-before-status-checks=12",
    "--seconds-between-status-checks=12",
    "--latency-wait=5",
)


@pytest.fixture(scope="module")
def shared_sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A study in a folder that the tests share, so that its compiled kernels stay valid."""
    return Sweep(tmp_path_factory.mktemp("schedulers") / "work", dict(STUDY))


@pytest.fixture(scope="module")
def on_one_machine(shared_sweep: Sweep) -> dict[str, str]:
    """What `snakemake --cores 2` makes: the digest of each store."""
    shared_sweep.run(*STORES)
    digests = shared_sweep.digests()
    assert len(digests) == CELLS + len(STORES)
    return digests


@pytest.fixture
def sweep(shared_sweep: Sweep, on_one_machine: dict[str, str]) -> Iterator[Sweep]:
    """The study, to be run anew."""
    for folder in ("results", ".snakemake"):
        shutil.rmtree(shared_sweep.folder / folder, ignore_errors=True)
    yield shared_sweep
    shared_sweep.write(**STUDY)


@pytest.fixture(scope="session")
def slurm() -> None:
    """A Slurm that takes jobs, or a skip that says why there is none."""
    problem = "there is no sinfo"
    if shutil.which("sinfo"):
        states = command_output("sinfo", "--noheader", "--format=%T").split()
        if {"idle", "mixed", "allocated"} & set(states):
            return
        problem = f"sinfo shows {' '.join(states) or 'no node'}"
    reason = f"no Slurm that takes jobs: {problem}; start one by .ci/slurm (as root, on Debian)"
    if os.environ.get("OBROUTE_REQUIRE_SLURM") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def command_output(*command: str | Path) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout


def wait_until(holds: Callable[[], Any], what: str, seconds: float = PATIENCE) -> None:
    """Wait for something, and say what is missing if it does not come."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} after {seconds} s"
        time.sleep(0.1)


@contextmanager
def started(
    *command: str | Path, folder: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run a program in a process group of its own; end what is left of it."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()


def wait_for_file(file: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a scheduler's file is there."""

    def there() -> bool:
        assert process.poll() is None, process.communicate()[0]
        return file.exists()

    wait_until(there, f"no {file.name}")


def worker_jobs(folder: Path) -> list[str]:
    """Return the numbers of Slurm's unfinished jobs that were submitted in a folder."""
    lines = command_output("squeue", "--noheader", "--format=%i %Z").splitlines()
    return [line.split()[0] for line in lines if line.split()[1] == str(folder)]


# --------------------------------------------------------------------------- the same stores


def test_running_dask_cluster_gives_the_same_stores(sweep, on_one_machine):
    """`dask scheduler` and `dask worker` by hand, named by the scheduler file."""
    file = sweep.folder / "dask.json"
    with ExitStack() as processes:
        for command in (
            ("scheduler", "--scheduler-file", file, "--port", "0", "--dashboard-address", ":0"),
            ("worker", "--scheduler-file", file, "--nworkers", "2", "--nthreads", "1"),
        ):
            process = processes.enter_context(
                started(
                    PROGRAMS / "dask", *command, folder=sweep.folder, environment=sweep.environment
                )
            )
            wait_for_file(file, process)
        sweep.run(*STORES, "--config", f"scheduler={file}")
    assert sweep.digests() == on_one_machine


def test_obroute_cluster_local_gives_the_same_stores(sweep, on_one_machine):
    """And its tasks really run there: the scheduler has seen them."""
    file = sweep.folder / "local.json"
    with started(
        PROGRAMS / "obroute",
        *("cluster", "local", "--workers", "2", "--scheduler-file", file),
        folder=sweep.folder,
        environment=sweep.environment,
    ) as process:
        wait_for_file(file, process)
        sweep.run(*STORES, "--config", f"scheduler={file}")
        assert steps_of_tasks(file) > 0
    assert sweep.digests() == on_one_machine


def steps_of_tasks(file: Path) -> int:
    """Return how often a task went from one state to the next in a scheduler."""
    from distributed import Client

    def count(dask_scheduler: Any) -> int:
        return dask_scheduler.transition_counter

    with Client(scheduler_file=str(file)) as client:
        return client.run_on_scheduler(count)


def test_slurm_gives_the_same_stores(slurm, sweep, on_one_machine):
    """`snakemake --executor slurm` with profiles/slurm, one job a cell."""
    printed = run_on_slurm(sweep, *STORES)
    assert printed.count("has been submitted with SLURM jobid") == CELLS + len(STORES)
    assert sweep.digests() == on_one_machine


def test_slurm_job_arrays_give_the_same_stores(slurm, sweep, on_one_machine):
    """With the options that docs/how-to/cluster.md gives: every cell in `jobs`, one memory."""
    cells = [
        f"evaluations/torus-{k}x{k}/{routing}.zarr"
        for k in (3, 4)
        for routing in ("dor", "valiant")
    ]
    printed = run_on_slurm(
        sweep,
        *(f"results/small/{cell}" for cell in cells),
        "--jobs=10000",
        "--slurm-array-jobs=cell",
        "--slurm-array-limit=100",
        "--set-resources=cell:mem_mb=500",
    )
    assert "The individual task IDs are 1-4" in printed
    assert sweep.digests() == {cell: on_one_machine[cell] for cell in cells}


def test_slurm_job_that_fails_gets_more_memory_and_time(slurm, sweep, tmp_path):
    """The second attempt asks for twice as much of both."""
    failing = tmp_path / "obroute"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    cell = "results/small/evaluations/torus-3x3/dor.zarr"
    environment = sweep.environment
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    earlier = len(jobs_submitted_in(sweep.folder))
    with started(
        *(sys.executable, "-m", "snakemake", *SLURM, cell),
        folder=sweep.folder,
        environment=environment,
    ) as process:
        wait_until(lambda: len(jobs_submitted_in(sweep.folder)) == earlier + 2, "no second job")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    (_, memory, time_limit), (_, more_memory, more_time) = jobs_submitted_in(sweep.folder)[-2:]
    assert int(more_memory.rstrip("M")) == 2 * int(memory.rstrip("M"))
    assert (time_limit, more_time) == ("1:00:00", "2:00:00")


def jobs_submitted_in(folder: Path) -> list[tuple[int, str, str]]:
    """Return number, memory and time limit of Slurm's jobs from a folder, finished ones too."""
    lines = command_output("squeue", "--states=all", "--noheader", "--format=%A|%m|%l|%Z")
    jobs = (line.split("|") for line in lines.splitlines())
    return sorted(
        (int(number), memory, limit)
        for number, memory, limit, place in jobs
        if place == str(folder)
    )


def run_on_slurm(sweep: Sweep, *options: str) -> str:
    """Run Snakemake on Slurm in a study's folder; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *SLURM, *options],
        cwd=sweep.folder,
        env=sweep.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_obroute_cluster_slurm_gives_the_same_stores_and_leaves_no_job(
    slurm, sweep, on_one_machine
):
    """Its workers are Slurm jobs; on SIGTERM they end and the file goes."""
    file = sweep.folder / "slurm.json"
    with started(
        *(PROGRAMS / "obroute", "cluster", "slurm", "--workers", "2", "--memory", "1GB"),
        *("--scheduler-file", file),
        folder=sweep.folder,
        environment=sweep.environment,
    ) as process:
        wait_for_file(file, process)
        assert len(worker_jobs(sweep.folder)) == 2
        sweep.run(*STORES, "--config", f"scheduler={file}")
        process.terminate()
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, printed
    assert not file.exists()
    wait_until(lambda: not worker_jobs(sweep.folder), "jobs are left")
    assert sweep.digests() == on_one_machine


# ------------------------------------------------- workers, batches, and order of completion


def digests_of(run: Any) -> list[str]:
    """Return the digests of an evaluation's store and a simulation's."""
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("valiant")
    found = obroute.evaluate(
        network,
        routing,
        ["tornado"],
        random_permutation_samples=300,
        average_case_samples=40,
        seed=5,
        all_channels=True,
        run=run,
    )
    runs = experiments.run_permutations(
        network, routing, ["tornado", "random_permutation"], seeds=6, seed=5, run=run
    )
    datasets = [cell_dataset(found, {"seed": 5}), simulation_dataset(runs, {"seed": 5})]
    return [data_digest(dataset, specs_of(dataset.attrs["kind"])) for dataset in datasets]


@pytest.fixture(scope="module")
def in_one_thread() -> list[str]:
    """Without any runner, in batches of the usual size."""
    with open_runner("sync") as run:
        return digests_of(run)


@pytest.mark.parametrize("samples_a_task", [7, 10_000])
@pytest.mark.parametrize("task_seconds", [1e-9, 100.0], ids=["one-a-task", "all-in-one"])
@pytest.mark.parametrize(
    ("scheduler", "workers"), [("threads", 2), ("threads", 5), ("processes", 2)]
)
def test_neither_workers_nor_batches_change_a_store(
    scheduler, workers, task_seconds, samples_a_task, in_one_thread, monkeypatch
):
    """A draw belongs to its number in the cell, not to a worker or a batch."""
    monkeypatch.setattr("obroute.tasks.TASK_SECONDS", task_seconds)
    monkeypatch.setattr("obroute.averages.SAMPLES_A_TASK", samples_a_task)
    with open_runner(scheduler, workers) as run:
        assert digests_of(run) == in_one_thread


def test_order_of_completion_changes_no_store(in_one_thread, monkeypatch):
    """The last batch first gives the same as the first."""
    monkeypatch.setattr("obroute.tasks.TASK_SECONDS", 1e-9)
    monkeypatch.setattr("obroute.averages.SAMPLES_A_TASK", 7)
    assert digests_of(shuffled) == in_one_thread


# ------------------------------------------------------------------------- obroute cluster


@pytest.mark.parametrize("by", ["SIGTERM", "Ctrl-C"])
def test_cluster_serves_and_cleans_up(by, tmp_path):
    """The file is whole when it appears; afterwards file, scheduler and workers are gone.

    A terminal sends Ctrl-C to the workers as well: they leave the ending to the command.
    """

    def where_it_runs(batch: int) -> tuple[int, str | None]:
        return os.getpid(), os.environ.get("OPENBLAS_NUM_THREADS")

    file = tmp_path / "scheduler.json"
    with started(
        *(PROGRAMS / "obroute", "cluster", "local", "--workers", "2", "--memory", "1GB"),
        folder=tmp_path,
    ) as process:
        wait_for_file(file, process)
        assert len(json.loads(file.read_text())["workers"]) == 2
        with open_runner(str(file)) as run:
            found = list(run(where_it_runs, (), list(range(8)), "numbers", [1] * 8))
        workers = {pid for pid, _ in found}
        assert process.pid not in workers
        assert {threads for _, threads in found} == {"1"}
        if by == "Ctrl-C":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"--scheduler {file}" in printed
    assert printed.endswith("cluster closed\n")
    assert "Traceback" not in printed
    assert not list(tmp_path.iterdir())
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "workers live")


def test_cluster_can_be_stopped_before_a_worker_is_there(tmp_path):
    """Nothing is left, and no file was written."""
    with started(
        PROGRAMS / "obroute", "cluster", "local", "--workers", "2", folder=tmp_path
    ) as process:
        time.sleep(2.5)
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert not list(tmp_path.iterdir())


def test_cluster_leaves_the_file_of_a_running_scheduler_and_takes_a_stale_one(tmp_path):
    """One line says whose it is; what a killed scheduler left is written over."""
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": "tcp://127.0.0.1:9"}))
    command = (PROGRAMS / "obroute", "cluster", "local", "--workers", "1")
    with started(*command, folder=tmp_path) as process:
        wait_until(lambda: not file.read_text().endswith(':9"}'), "a new file")
        address = json.loads(file.read_text())["address"]
        with started(*command, folder=tmp_path) as second:
            printed, _ = second.communicate(timeout=PATIENCE)
        assert second.returncode == 2
        assert f"that of a running scheduler, {address}; stop that one" in " ".join(
            printed.split()
        )
        assert process.poll() is None
        assert json.loads(file.read_text())["address"] == address


def test_worker_jobs_that_end_are_submitted_again(slurm, tmp_path):
    """At the end of their time, or cancelled by somebody."""
    with started(
        *(PROGRAMS / "obroute", "cluster", "slurm", "--workers", "1", "--memory", "1GB"),
        folder=tmp_path,
    ) as process:
        wait_for_file(tmp_path / "scheduler.json", process)
        (first,) = worker_jobs(tmp_path)
        command_output("scancel", first)
        wait_until(lambda: set(worker_jobs(tmp_path)) - {first}, "no new job")
    assert list((tmp_path / "logs").glob(f"*{first}*"))
    wait_until(lambda: not worker_jobs(tmp_path), "jobs are left")


def test_a_cluster_of_slurm_jobs_encrypts_and_shows_nothing(slurm, tmp_path):
    """Scheduler and workers take the files; a client reads them in the scheduler's file."""
    files = authority(tmp_path / "tls")
    with started(
        *(PROGRAMS / "obroute", "cluster", "slurm", "--workers", "1", "--memory", "1GB"),
        *(f"--tls-{name}={file}" for name, file in vars(files).items()),
        folder=tmp_path,
    ) as process:
        file = tmp_path / "scheduler.json"
        wait_for_file(file, process)
        identity = json.loads(file.read_text())
        with open_runner(str(file)) as run:
            assert list(run(pow, (2,), [1, 2], "powers", [1, 1])) == [2, 4]
        assert identity["address"].startswith("tls://")
        assert [address[:6] for address in identity["workers"]] == ["tls://"]
        for one in (identity, *identity["workers"].values()):
            host = one.get("host", "127.0.0.1")
            for port in one["services"].values():
                for page in ("status", "info/main/workers.html", "metrics", "health"):
                    with pytest.raises(URLError):
                        urlopen(f"http://{host}:{port}/{page}", timeout=5)
    wait_until(lambda: not worker_jobs(tmp_path), "jobs are left")


def test_cluster_says_why_slurm_refuses(slurm, tmp_path):
    """In one line, instead of waiting for workers that never come."""
    with started(
        *(PROGRAMS / "obroute", "cluster", "slurm", "--workers", "1", "--queue", "nowhere"),
        folder=tmp_path,
    ) as process:
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert printed.startswith("error: Slurm refuses the workers' jobs: invalid partition")
