"""Running tasks in this thread, in a pool, or on a Dask cluster; results do not depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from obroute.choices.execution import SCHEDULER
from obroute.extras import needs
from obroute.progress import count, spoken
from obroute.specs import InputError
from obroute.tasks import TaskRunner

MOST_PROCESSES = 1000
ON_THIS_MACHINE = ("threads", "processes", "sync")


@contextmanager
def open_runner(
    scheduler: str = SCHEDULER, workers: int = 1, quiet: bool = False
) -> Iterator[TaskRunner]:
    """Open a place to run tasks, and close what was opened for it.

    Parameters
    ----------
    scheduler
        ``threads`` (a pool of ``workers`` threads; the kernels release the lock), ``processes``
        (a pool of that many processes on this machine, for routings in pure Python), ``sync``
        (this thread), or a running Dask cluster by its address (``tcp://host:port``, or
        ``tls://host:port?ca=FILE&cert=FILE&key=FILE``) or its scheduler file.
    workers
        Size of the pool; 1 runs in this thread.
    quiet
        Show no progress, whatever lasts.

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
    with spoken(quiet):
        if scheduler == "sync" or (scheduler == "threads" and workers == 1):
            yield _run_in_this_thread
        elif scheduler == "threads":
            yield _runner_in_threads(workers)
        else:
            needs("distributed")
            if scheduler == "processes" and workers > MOST_PROCESSES:
                raise InputError(f"{workers:,} processes; expected at most {MOST_PROCESSES:,}")
            from obroute.execution.cluster_tasks import connected, runner_on_cluster

            with connected(scheduler, workers) as client:
                yield runner_on_cluster(client, count)


def _run_in_this_thread(
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    batches: Sequence[Any],
    what: str,
    sizes: Sequence[int],
) -> Iterator[Any]:
    with count(what, sum(sizes)) as done:
        for batch, size in zip(batches, sizes, strict=True):
            yield function(*shared, batch)
            done(size)


def _runner_in_threads(workers: int) -> TaskRunner:
    def run(
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Sequence[Any]:
        if len(batches) == 1:
            return list(_run_in_this_thread(function, shared, batches, what, sizes))
        from dask.base import compute
        from dask.callbacks import Callback
        from dask.delayed import delayed

        task = delayed(function, pure=False, traverse=False)
        wrapped = [delayed(item, traverse=False) for item in shared]
        keys = [f"{function.__name__}-{place}" for place in range(len(batches))]
        tasks = [
            task(*wrapped, batch, dask_key_name=key)
            for batch, key in zip(batches, keys, strict=True)
        ]
        size_of = dict(zip(keys, sizes, strict=True))
        with (
            count(what, sum(sizes)) as done,
            Callback(posttask=lambda key, *_: done(size_of.get(str(key), 0))),
        ):
            results: Sequence[Any] = compute(*tasks, scheduler="threads", num_workers=workers)
        return results

    return run
