"""Running tasks in this thread, in a pool, or on a Dask cluster; results do not depend on it."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
import warnings
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

from obroute.extras import needs
from obroute.specs import InputError, TaskError
from obroute.tasks import TaskRunner

SCHEDULERS = "threads, processes, sync, tcp://host:port, or the path of a scheduler file"
ON_THIS_MACHINE = ("threads", "processes", "sync")
CONNECT_SECONDS = 20
LOCAL_PATIENCE = "60s"
"""How long tasks wait for a worker on this machine before they fail. Lost workers come back at
once or not at all, and a cell that fails is better than one that waits for ever."""
WORKERLESS_SECONDS = 300
"""The same on a cluster that says no such time of its own."""
SECONDS_BETWEEN_LOOKS = 5
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Run in each local worker: a terminal sends Ctrl-C to it as well, but we end our workers."""


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
    TaskError
        While tasks run on a cluster: one always kills its worker, no worker is left for a while,
        or the scheduler is gone. A lost worker alone is no error: others take its tasks.

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
        needs("distributed")
        with _dask_silenced(), _connect(scheduler, workers) as client:
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
    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Sequence[Any]:
        found: dict[int, Any] = {}
        failure: Exception | None = None
        with report.count(what, sum(sizes)) as done, _loss_explained(client, what):
            _wait_for_a_worker(client)
            # Not scattered: workers that die with every copy would leave nothing to begin from.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                placed = [client.submit(_held, item, pure=False) for item in shared]
            pending = {
                client.submit(_attempt, function, *placed, batch, pure=False): place
                for place, batch in enumerate(batches)
            }
            for place, result, failure in _finished(client, pending, what):
                if failure is not None:
                    break
                found[place] = result
                done(sizes[place])
        if failure is not None:
            raise failure
        return [found[place] for place in range(len(batches))]

    return run


def _held(item: Any) -> Any:
    return item


def _attempt(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
    """Return what a task gives and None, or None and its error.

    Dask would send the error with its traceback, and a client that cannot read a traceback (of a
    recursion too deep, say) waits for the task for ever.
    """
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error.with_traceback(None)


def _finished(
    client: Any, pending: dict[Any, int], what: str
) -> Iterator[tuple[int, Any, Exception | None]]:
    """Yield results and errors as they come; look at the cluster when none come for a while."""
    from distributed import as_completed

    batches = len(pending)
    workers = _WorkerWatch(client)
    while pending:
        try:
            for future in as_completed(list(pending), timeout=SECONDS_BETWEEN_LOOKS):
                if future.status == "error":
                    name = f"batch {pending[future] + 1} of {batches} of the {what}"
                    result, error = None, _explained(client, future.exception(), name)
                else:
                    result, error = future.result(timeout=SECONDS_BETWEEN_LOOKS)
                yield pending.pop(future), result, error
        except TimeoutError:
            workers.look()


def _explained(client: Any, error: Exception, batch: str) -> Exception:
    """Say in one line what Dask says of a task that it gave up."""
    from distributed.scheduler import KilledWorker, NoWorkerError

    if isinstance(error, NoWorkerError):
        return _no_worker(client)
    if isinstance(error, KilledWorker):
        return TaskError(
            f"{batch} killed the worker it ran on {error.allowed_failures + 1} times, at last "
            f"{error.last_worker.address}; give the workers more memory, or see why with "
            "--scheduler sync"
        )
    return error


class _WorkerWatch:
    """Ends a wait for tasks where there has been no worker for too long.

    A scheduler that was started with ``distributed.scheduler.no-workers-timeout``, as ours are,
    fails the tasks itself.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.lost_since: float | None = None

    def look(self) -> None:
        now = time.monotonic()
        if self.client.sync(self.client.scheduler.ncores, callback_timeout=CONNECT_SECONDS):
            self.lost_since = None
        elif self.lost_since is None:
            self.lost_since = now
        elif now - self.lost_since > _patience(self.client):
            raise _no_worker(self.client)


def _own_patience(dask_scheduler: Any) -> float | None:
    seconds: float | None = dask_scheduler.no_workers_timeout
    return seconds


def _patience(client: Any) -> float:
    """Return how many seconds tasks wait on a cluster without workers."""
    own: float | None = client.run_on_scheduler(_own_patience)
    return WORKERLESS_SECONDS if own is None else own + SECONDS_BETWEEN_LOOKS


def _wait_for_a_worker(client: Any) -> None:
    if client.scheduler_info()["workers"]:
        return
    try:
        client.wait_for_workers(1, timeout=_patience(client))
    except TimeoutError:
        raise _no_worker(client) from None


def _no_worker(client: Any) -> TaskError:
    address = client.scheduler.address
    return TaskError(
        f"the Dask cluster at {address} has no worker; start some (`dask worker {address}`) and "
        "run again"
    )


@contextmanager
def _loss_explained(client: Any, what: str) -> Iterator[None]:
    """Say in one line that the scheduler is gone."""
    from distributed import CancelledError
    from distributed.comm.core import CommClosedError

    address = client.scheduler.address
    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError):
        raise TaskError(
            f"the Dask scheduler at {address} went away while {what} were worked out; start it "
            "again and run again, or use --scheduler threads"
        ) from None


def address_in(file: Path) -> str:
    """Read the address from a scheduler file, which a dying scheduler may have left unfinished."""
    try:
        return str(json.loads(file.read_text())["address"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"scheduler file {file} names no address; start `dask scheduler --scheduler-file "
            f"{file}` anew"
        ) from None


def _check_answers(address: str) -> None:
    """Raise OSError unless a Dask scheduler greets us; a client would wait for that for ever."""
    from distributed.comm.addressing import get_address_host_port

    if not address.startswith("tcp://"):
        return
    place = get_address_host_port(address)
    with socket.create_connection(place, timeout=CONNECT_SECONDS) as connection:
        if not connection.recv(1):
            raise ConnectionError("another program has that port")


@contextmanager
def _dask_silenced() -> Iterator[None]:
    """Keep Dask from logging what we say in a line of our own."""
    import distributed  # noqa: F401  # its import sets the levels

    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _connect(scheduler: str, workers: int) -> Iterator[Any]:
    from distributed import Client

    if scheduler == "processes":
        settings = {"distributed.scheduler.no-workers-timeout": LOCAL_PATIENCE}
        with (
            dask.config.set(settings),
            local_cluster(workers, None) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    if "://" in scheduler:
        place = {"address": scheduler}
    elif Path(scheduler).is_file():
        place = {"address": address_in(Path(scheduler))}
    elif scheduler.endswith(".json"):
        raise InputError(
            f"scheduler file {scheduler} does not exist; start `dask scheduler --scheduler-file "
            f"{scheduler}` first"
        )
    else:
        raise InputError(f"unknown scheduler '{scheduler}'; expected {SCHEDULERS}")
    try:
        _check_answers(place["address"])
        client = Client(**place, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"no Dask scheduler answers at {scheduler} ({reason}); start one, or use threads"
        ) from None
    with client:
        yield client


def local_cluster(workers: int, memory: str | None) -> Any:
    """Start worker processes on this machine; if ``memory`` is None, they share it evenly."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=memory or "auto",
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
        preload=[LEAVE_CTRL_C, *dask.config.get("distributed.worker.preload")],
    )
