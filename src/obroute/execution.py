"""Where tasks run: in this thread, in a pool of threads or processes, or on a Dask cluster.

This is the only module that knows Dask. Results do not depend on where tasks run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
from dask.base import compute
from dask.callbacks import Callback
from dask.delayed import delayed
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from obroute.specs import InputError
from obroute.throughput import TaskRunner

SCHEDULERS = "threads, processes, sync, tcp://host:port, or the path of a scheduler file"
CONNECT_SECONDS = 20


class _Report:
    """Progress on the terminal, things done and time left; silent where there is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=quiet or not sys.stderr.isatty(),
        )

    @contextmanager
    def count(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        with self.progress:
            task = self.progress.add_task(what, total=total)
            yield lambda done: self.progress.update(task, advance=done)
            self.progress.remove_task(task)


@contextmanager
def open_runner(
    scheduler: str = "threads", workers: int = 1, quiet: bool = False
) -> Iterator[TaskRunner]:
    """Open a place to run tasks, and close what was opened for it.

    Parameters
    ----------
    scheduler
        ``threads`` (a pool of ``workers`` threads; the kernels release the lock), ``processes``
        (a pool of that many processes on this machine, for routings in pure Python), ``sync``
        (this thread), or a running Dask cluster by its address or its scheduler file.
    workers
        Size of the pool; 1 runs in this thread.
    quiet
        Show no progress even on a terminal.

    Raises
    ------
    InputError
        If the scheduler is unknown, its file is missing, or nothing answers there.

    Examples
    --------
    >>> with open_runner("sync") as run:
    ...     list(run(lambda shift, batch: batch + shift, (10,), [1, 2], "numbers", [1, 1]))
    [11, 12]
    """
    report = _Report(quiet)
    if scheduler == "sync" or (scheduler == "threads" and workers == 1):
        yield _runner_in_this_thread(report)
    elif scheduler == "threads":
        yield _runner_in_threads(report, workers)
    else:
        with _connect(scheduler, workers) as client:
            yield _runner_on_cluster(report, client)


def _runner_in_this_thread(report: _Report) -> TaskRunner:
    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Iterator[Any]:
        with report.count(what, sum(sizes)) as done:
            for batch, size in zip(batches, sizes, strict=True):
                yield function(*shared, batch)
                done(size)

    return run


def _runner_in_threads(report: _Report, workers: int) -> TaskRunner:
    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Sequence[Any]:
        task = delayed(function, pure=False, traverse=False)
        wrapped = [delayed(item, traverse=False) for item in shared]
        keys = [f"{function.__name__}-{place}" for place in range(len(batches))]
        tasks = [
            task(*wrapped, batch, dask_key_name=key)
            for batch, key in zip(batches, keys, strict=True)
        ]
        size_of = dict(zip(keys, sizes, strict=True))
        with (
            report.count(what, sum(sizes)) as done,
            Callback(posttask=lambda key, *_: done(size_of.get(str(key), 0))),
        ):
            found: Sequence[Any] = compute(*tasks, scheduler="threads", num_workers=workers)
        return found

    return run


def _runner_on_cluster(report: _Report, client: Any) -> TaskRunner:
    from distributed import as_completed

    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Sequence[Any]:
        placed = [client.scatter(item, broadcast=True, hash=False) for item in shared]
        futures = [client.submit(function, *placed, batch, pure=False) for batch in batches]
        size_of = {future.key: size for future, size in zip(futures, sizes, strict=True)}
        with report.count(what, sum(sizes)) as done:
            for future in as_completed(futures):
                done(size_of[future.key])
        return list(client.gather(futures))

    return run


def _address_in(file: Path) -> str:
    """Read the address from a scheduler file, which a dying scheduler may have left unfinished."""
    try:
        return str(json.loads(file.read_text())["address"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"scheduler file {file} names no address; start `dask scheduler --scheduler-file "
            f"{file}` anew"
        ) from None


@contextmanager
def _connect(scheduler: str, workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if scheduler == "processes":
        settings = {"distributed.scheduler.no-workers-timeout": "60s"}
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=40
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    if "://" in scheduler:
        place = {"address": scheduler}
    elif Path(scheduler).is_file():
        place = {"address": _address_in(Path(scheduler))}
    elif scheduler.endswith(".json"):
        raise InputError(
            f"scheduler file {scheduler} does not exist; start `dask scheduler --scheduler-file "
            f"{scheduler}` first"
        )
    else:
        raise InputError(f"unknown scheduler '{scheduler}'; expected {SCHEDULERS}")
    try:
        client = Client(**place, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"no Dask scheduler answers at {scheduler} ({reason}); start one, or use threads"
        ) from None
    with client:
        yield client
