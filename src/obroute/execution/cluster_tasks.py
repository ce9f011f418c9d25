"""Running tasks on a Dask cluster: reaching it, waiting for results, saying what went wrong."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import dask

from obroute.execution.cluster import (
    LOCAL_PATIENCE,
    SECONDS_BETWEEN_LOOKS,
    local_cluster,
)
from obroute.execution.places import CONNECT_SECONDS, TLS_EXAMPLE, place_at, place_in
from obroute.specs import InputError, TaskError
from obroute.tasks import TaskRunner

Count = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Counts things of a name up to a total: gives what is called with how many more are done."""
SCHEDULERS = (
    f"threads, processes, sync, tcp://host:port, {TLS_EXAMPLE}, or the path of a scheduler file"
)
WORKERLESS_SECONDS = 300
"""How long tasks wait for a worker on a cluster that says no such time of its own."""


@contextmanager
def connected(scheduler: str, workers: int) -> Iterator[Any]:
    """Open a client of a running cluster, or of one of our own: ``processes``.

    Raises
    ------
    InputError
        If the scheduler is unknown, its file is missing, or nothing answers there.
    """
    with _dask_silenced(), _client(scheduler, workers) as client:
        yield client


@contextmanager
def _client(scheduler: str, workers: int) -> Iterator[Any]:
    from distributed import Client

    if scheduler == "processes":
        settings = {"distributed.scheduler.no-workers-timeout": LOCAL_PATIENCE}
        with (
            dask.config.set(settings),
            local_cluster(workers) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    if "://" in scheduler:
        place = place_at(scheduler)
    elif Path(scheduler).is_file():
        place = place_in(Path(scheduler))
    elif scheduler.endswith(".json"):
        raise InputError(
            f"scheduler file {scheduler} does not exist; start `dask scheduler --scheduler-file "
            f"{scheduler}` first"
        )
    else:
        raise InputError(f"unknown scheduler '{scheduler}'; expected {SCHEDULERS}")
    security = place.security()
    try:
        place.check_answers()
        client = Client(place.address, security=security, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        given = scheduler.partition("?")[0]
        raise InputError(
            f"no Dask scheduler answers at {given} ({reason}); start one, or use threads"
        ) from None
    with client:
        yield client


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


def runner_on_cluster(client: Any, count: Count) -> TaskRunner:
    """Return what runs tasks on the cluster of a client, and counts those done."""

    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Sequence[Any]:
        results: dict[int, Any] = {}
        failure: Exception | None = None
        with count(what, sum(sizes)) as done, _loss_explained(client, what):
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
                results[place] = result
                done(sizes[place])
        if failure is not None:
            raise failure
        return [results[place] for place in range(len(batches))]

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
