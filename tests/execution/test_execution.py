"""Tasks give the same wherever they run, and a place that is not there is an error soon."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import obroute
from obroute import InputError
from obroute.execution import cluster_tasks, open_runner

SETTINGS = {"random_permutation_samples": 1200, "average_case_samples": 600, "seed": 3}


def evaluate(run: Any, **settings: Any) -> dict[str, Any]:
    """Evaluate in a runner, into values that compare."""
    found = obroute.evaluate(
        "torus:4x4", "dor", ["tornado"], all_channels=True, run=run, **settings
    )
    assert found.certified
    return {
        "worst": [(r.worst.channel, r.normalized_load) for r in found.channels],
        "destinations": [r.worst.destinations.tolist() for r in found.channels],
        "patterns": found.patterns,
        "permutations": found.random_permutations and found.random_permutations.loads,
        "matrices": found.average_case and found.average_case.loads.tolist(),
    }


@pytest.fixture(scope="module")
def in_this_thread() -> dict[str, Any]:
    """Evaluate without Dask."""
    with open_runner("sync") as run:
        return evaluate(run, **SETTINGS)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_threads_give_the_same_as_this_thread(
    in_this_thread: dict[str, Any], workers: int
) -> None:
    """To the last bit, whatever the number."""
    with open_runner("threads", workers) as run:
        assert evaluate(run, **SETTINGS) == in_this_thread


def test_without_a_runner_tasks_run_in_this_thread(in_this_thread: dict[str, Any]) -> None:
    """The library needs none."""
    found = obroute.evaluate("torus:4x4", "dor", ["tornado"], all_channels=True, **SETTINGS)
    worst = [(r.worst.channel, r.normalized_load) for r in found.channels]
    assert worst == in_this_thread["worst"]


@pytest.mark.parametrize(("scheduler", "workers"), [("sync", 4), ("threads", 1), ("threads", 3)])
def test_results_come_in_the_order_of_the_batches(scheduler: str, workers: int) -> None:
    """Also if the first takes longest."""

    def task(shift: int, batch: int) -> int:
        time.sleep(0.02 / batch)
        return batch + shift

    with open_runner(scheduler, workers) as run:
        batches = list(range(1, 9))
        assert list(run(task, (10,), batches, "numbers", [1] * 8)) == [11 + n for n in range(8)]
        assert list(run(task, (10,), [], "numbers", [])) == []


@pytest.mark.parametrize(("workers", "several"), [(1, False), (3, True)])
def test_a_pool_has_as_many_threads_as_asked_for(workers: int, several: bool) -> None:
    """One worker is this thread."""
    seen = set()

    def task(batch: int) -> None:
        seen.add(threading.get_ident())
        time.sleep(0.02)

    with open_runner("threads", workers) as run:
        list(run(task, (), list(range(9)), "numbers", [1] * 9))
    assert (len(seen) > 1) == several
    assert len(seen) <= workers
    assert (threading.get_ident() in seen) == (workers == 1)


@pytest.mark.parametrize(("scheduler", "workers"), [("sync", 1), ("threads", 2)])
def test_an_error_in_a_task_is_raised_here(scheduler: str, workers: int) -> None:
    """As it is."""

    def task(batch: int) -> int:
        raise InputError(f"batch {batch} cannot be used")

    with (
        open_runner(scheduler, workers) as run,
        pytest.raises(InputError, match="batch 1 cannot be used"),
    ):
        list(run(task, (), [1], "numbers", [1]))


def test_nothing_is_shown_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither on stdout nor on stderr."""
    for workers in (1, 2):
        with open_runner("threads", workers) as run:
            list(run(lambda batch: batch, (), [1, 2], "numbers", [1, 1]))
    assert capfd.readouterr() == ("", "")


def refused(scheduler: str, message: str) -> None:
    """Expect an error in one line, soon: well below the minutes that a cluster is waited for."""
    start = time.monotonic()
    with pytest.raises(InputError, match=message) as caught, open_runner(scheduler):
        pass
    assert time.monotonic() - start < 30
    assert "\n" not in str(caught.value)


def test_a_missing_scheduler_file_is_an_error_at_once(tmp_path: Path) -> None:
    """Dask would wait for it for ever."""
    file = tmp_path / "scheduler.json"
    refused(str(file), f"scheduler file {file} does not exist; start `dask scheduler")


@pytest.mark.parametrize("scheduler", ["dask", "thread", "", "local-cluster"])
def test_an_unknown_scheduler_is_refused(scheduler: str) -> None:
    """With those that there are."""
    refused(scheduler, f"unknown scheduler '{scheduler}'; expected threads, processes")


def test_an_address_at_which_nothing_answers_is_an_error_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the time that is allowed, and not after Dask's own patience."""
    monkeypatch.setattr(cluster_tasks, "CONNECT_SECONDS", 1)
    address = "tcp://127.0.0.1:9"
    refused(address, f"no Dask scheduler answers at {address} .*; start one, or use")


def test_a_stale_scheduler_file_is_an_error_soon(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its scheduler is gone."""
    monkeypatch.setattr(cluster_tasks, "CONNECT_SECONDS", 1)
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": "tcp://127.0.0.1:9"}), encoding="utf-8")
    refused(str(file), "no Dask scheduler answers at")


@pytest.mark.parametrize("address", ["tcp://nowhere", "gopher://127.0.0.1:9"])
def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """A port is missing, or the protocol is unknown."""
    monkeypatch.setattr(cluster_tasks, "CONNECT_SECONDS", 1)
    refused(address, f"no Dask scheduler answers at {address}")


@pytest.mark.parametrize("text", ["", "{", "{}", "[]"])
def test_a_scheduler_file_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    """Empty, cut short, or of something else."""
    monkeypatch.setattr(cluster_tasks, "CONNECT_SECONDS", 1)
    file = tmp_path / "scheduler.json"
    file.write_text(text, encoding="utf-8")
    refused(str(file), "scheduler")


@pytest.mark.cluster
def test_processes_give_the_same_as_this_thread(in_this_thread: dict[str, Any]) -> None:
    """Networks, routings and tensors go to the workers whole."""
    with open_runner("processes", 2) as run:
        assert evaluate(run, **SETTINGS) == in_this_thread


@pytest.mark.cluster
def test_a_running_cluster_serves_by_its_address_and_by_its_file(
    in_this_thread: dict[str, Any], tmp_path: Path
) -> None:
    """As somebody else started it; it goes on afterwards."""
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=40
    ) as cluster:
        file = tmp_path / "scheduler.json"
        file.write_text(json.dumps(cluster.scheduler.identity()), encoding="utf-8")
        for place in (cluster.scheduler_address, str(file)):
            with open_runner(place) as run:
                assert evaluate(run, **SETTINGS) == in_this_thread
        with Client(cluster) as client:
            assert len(client.scheduler_info()["workers"]) == 2
