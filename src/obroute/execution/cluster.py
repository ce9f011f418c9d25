"""A Dask cluster of our own: worker processes on this machine, or Slurm jobs.

`obroute cluster` keeps one for others to run tasks on.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask

from obroute.extras import needs
from obroute.reading import read_json, read_text
from obroute.specs import InputError

CONNECT_SECONDS = 20
SECONDS_BETWEEN_LOOKS = 5
LOCAL_PATIENCE = "60s"
"""How long tasks wait for a worker on this machine before they fail. Lost workers come back at
once or not at all, and a cell that fails is better than one that waits for ever."""
SLURM_PATIENCE = "1h"
"""How long tasks wait for a worker that is a Slurm job: those lost wait in the queue again."""
SLURM_MEMORY = "4GB"
"""Of each worker, where neither the command nor dask-jobqueue's configuration says."""
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Run in each local worker: a terminal sends Ctrl-C to it as well, but we end our workers."""


@dataclass(frozen=True)
class SlurmJob:
    """What each worker asks Slurm for; where None, dask-jobqueue's configuration says."""

    queue: str | None = None
    account: str | None = None
    walltime: str | None = None


def keep_cluster(
    file: Path,
    workers: int,
    memory: str | None = None,
    slurm: SlurmJob | None = None,
    tell: Callable[[str], None] = lambda address: None,
) -> None:
    """Start a Dask cluster, write its scheduler file, and keep it until KeyboardInterrupt.

    The file appears, whole, once workers take tasks: every worker on this machine, the first one
    under Slurm, where the others may wait in the queue. It is removed before the cluster closes.
    Workers that are lost are started again.

    Parameters
    ----------
    file
        The scheduler file, for ``open_runner``.
    workers
        How many, of one thread each.
    memory
        Of each worker, such as ``2GB``; if None, an even share of this machine, ``4GB`` in Slurm.
    slurm
        None for processes on this machine.
    tell
        Called with the scheduler's address when the file is there.

    Raises
    ------
    InputError
        If the cluster cannot be started, or the file is a running scheduler's.
    """
    needs("distributed")
    _check_free(file)
    if memory is not None:
        _check_memory(memory)
    patience = LOCAL_PATIENCE if slurm is None else SLURM_PATIENCE
    with dask.config.set({"distributed.scheduler.no-workers-timeout": patience}):
        cluster = (
            local_cluster(workers, memory)
            if slurm is None
            else _slurm_cluster(memory, slurm, file.absolute().parent / "logs")
        )
    with cluster:
        cluster.scale(workers)
        needed = workers if slurm is None else 1
        while len(cluster.scheduler.workers) < needed:
            time.sleep(0.1)
        with _scheduler_file(file, cluster.scheduler):
            tell(cluster.scheduler_address)
            while True:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                cluster.scale(workers)


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


def _slurm_cluster(memory: str | None, job: SlurmJob, logs: Path) -> Any:
    needs("dask_jobqueue")
    from dask_jobqueue.slurm import SLURMCluster

    if shutil.which("sbatch") is None:
        raise InputError("there is no sbatch here; run this where Slurm jobs are submitted")
    configured = dask.config.get("jobqueue.slurm")
    cluster = SLURMCluster(
        cores=1,
        processes=1,
        memory=memory or configured.get("memory") or SLURM_MEMORY,
        queue=job.queue,
        account=job.account,
        walltime=job.walltime,
        log_directory=configured.get("log-directory") or str(logs),
        scheduler_options={"dashboard_address": ":0"} | configured.get("scheduler-options", {}),
    )
    # A job that Slurm refuses would only be logged, and its worker awaited for ever.
    asked = subprocess.run(
        ["sbatch", "--test-only"],
        input=cluster.job_script(),
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        cluster.close()
        reason = " ".join(asked.stderr.replace("sbatch: error:", "").split())
        raise InputError(f"Slurm refuses the workers' jobs: {reason}")
    return cluster


def _check_memory(memory: str) -> None:
    from dask.utils import parse_bytes

    with suppress(ValueError):
        if parse_bytes(memory) > 0:
            return
    raise InputError(f"memory '{memory}' is no size; expected one such as 4GB")


def address_in(file: Path) -> str:
    """Read the address from a scheduler file, which a dying scheduler may have left unfinished."""
    try:
        return str(read_json(file, read_text(file, "JSON"))["address"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"scheduler file {file} names no address; start `dask scheduler --scheduler-file "
            f"{file}` anew"
        ) from None


def _check_free(file: Path) -> None:
    """Refuse a scheduler file whose scheduler still answers, or that cannot be written."""
    from distributed.comm.addressing import get_address_host_port

    if not file.absolute().parent.is_dir():
        raise InputError(f"folder {file.absolute().parent} of the scheduler file does not exist")
    if file.is_dir():
        raise InputError(f"scheduler file {file} is a folder; name a file")
    try:
        address = address_in(file)
        with socket.create_connection(get_address_host_port(address), timeout=CONNECT_SECONDS):
            pass
    except (InputError, OSError, ValueError):
        return  # no file, or one that a scheduler left when it was killed
    raise InputError(
        f"scheduler file {file} is that of a running scheduler, {address}; stop that one, or name "
        "another file"
    )


@contextmanager
def _scheduler_file(file: Path, scheduler: Any) -> Iterator[None]:
    """Show a scheduler in a file, written whole, and removed unless it is another's by then."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_text(json.dumps(scheduler.identity()), encoding="utf-8")
        unfinished.replace(file)
        yield
    finally:
        unfinished.unlink(missing_ok=True)
        with suppress(InputError):
            if address_in(file) == scheduler.address:
                file.unlink(missing_ok=True)
