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

from obroute.execution.places import CONNECT_SECONDS, TlsFiles, place_in
from obroute.extras import needs
from obroute.specs import InputError
from obroute.writing import write_whole

SECONDS_BETWEEN_LOOKS = 5
LOCAL_PATIENCE = "60s"
"""How long tasks wait for a worker on this machine before they fail. Lost workers come back at
once or not at all, and a cell that fails is better than one that waits for ever."""
SLURM_PATIENCE = "1h"
"""How long tasks wait for a worker that is a Slurm job: those lost wait in the queue again."""
SLURM_MEMORY = "4GB"
"""Of each worker, where neither the command nor dask-jobqueue's configuration says."""
HERE = "127.0.0.1"
"""Where clusters of this machine listen, and dashboards that are not asked to be elsewhere."""
NO_PAGES: dict[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Dask's servers of pages, which ask for no password, without a page."""
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Run in each local worker: a terminal sends Ctrl-C to it as well, but we end our workers."""


@dataclass(frozen=True)
class SlurmJob:
    """What each worker asks Slurm for; where None, dask-jobqueue's configuration says."""

    queue: str | None = None
    account: str | None = None
    walltime: str | None = None


@dataclass(frozen=True)
class Access:
    """Who can reach a cluster: nobody unasked.

    Parameters
    ----------
    tls
        The files that whoever connects has to have; if None, who reaches the port may run code.
    dashboard
        Where Dask shows its pages, such as ``127.0.0.1:8787``; None for nowhere.
    """

    tls: TlsFiles | None = None
    dashboard: str | None = None

    def security(self) -> Any:
        """Return what Dask takes; None without TLS."""
        return None if self.tls is None else self.tls.security()

    def pages(self) -> dict[str, Any]:
        """Return the settings of Dask for its pages."""
        return NO_PAGES if self.dashboard is None else {}

    def scheduler_options(self) -> dict[str, Any]:
        """Return the options of a scheduler for its pages."""
        shown = self.dashboard is not None
        return {"dashboard": shown, "dashboard_address": self.dashboard or f"{HERE}:0"}


CLOSED = Access()


def keep_cluster(
    file: Path,
    workers: int,
    memory: str | None = None,
    slurm: SlurmJob | None = None,
    access: Access = CLOSED,
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
        None for processes on this machine, which listen to this machine only.
    access
        TLS and the dashboard; neither if not given.
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
    if access.dashboard is not None:
        _check_dashboard(access.dashboard)
    patience = LOCAL_PATIENCE if slurm is None else SLURM_PATIENCE
    settings = {"distributed.scheduler.no-workers-timeout": patience} | access.pages()
    with dask.config.set(settings):
        cluster = (
            local_cluster(workers, memory, access)
            if slurm is None
            else _slurm_cluster(memory, slurm, file.absolute().parent / "logs", access)
        )
    with cluster:
        cluster.scale(workers)
        needed = workers if slurm is None else 1
        while len(cluster.scheduler.workers) < needed:
            time.sleep(0.1)
        with _scheduler_file(file, cluster.scheduler, access.tls):
            tell(cluster.scheduler_address)
            while True:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                cluster.scale(workers)


def local_cluster(workers: int, memory: str | None = None, access: Access = CLOSED) -> Any:
    """Start worker processes that listen to this machine only.

    If ``memory`` is None, they share that of the machine evenly.
    """
    from distributed import LocalCluster

    with dask.config.set(access.pages()):
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=memory or "auto",
            host=HERE,
            security=access.security(),
            scheduler_kwargs=access.scheduler_options(),
            silence_logs=logging.CRITICAL,
            preload=[LEAVE_CTRL_C, *dask.config.get("distributed.worker.preload")],
        )


def _slurm_cluster(memory: str | None, job: SlurmJob, logs: Path, access: Access) -> Any:
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
        security=access.security(),
        scheduler_options=access.scheduler_options() | configured.get("scheduler-options", {}),
        worker_extra_args=["--no-dashboard", *configured.get("worker-extra-args", [])],
        job_script_prologue=[
            "export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'",
            *configured.get("job-script-prologue", []),
        ],
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


def _check_dashboard(address: str) -> None:
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port) < 2**16):
        raise InputError(f"dashboard '{address}' is no address; expected one such as {HERE}:8787")


def _check_free(file: Path) -> None:
    """Refuse a scheduler file whose scheduler still answers, or that cannot be written."""
    from distributed.comm.addressing import get_address_host_port

    if not file.absolute().parent.is_dir():
        raise InputError(f"folder {file.absolute().parent} of the scheduler file does not exist")
    if file.is_dir():
        raise InputError(f"scheduler file {file} is a folder; name a file")
    if not os.access(file.absolute().parent, os.W_OK):
        raise InputError(
            f"cannot write scheduler file {file}: its folder may not be written to; name another "
            "with --scheduler-file"
        )
    try:
        address = place_in(file).address
        with socket.create_connection(get_address_host_port(address), timeout=CONNECT_SECONDS):
            pass
    except (InputError, OSError, ValueError):
        return  # no file, or one that a scheduler left when it was killed
    raise InputError(
        f"scheduler file {file} is that of a running scheduler, {address}; stop that one, or name "
        "another file"
    )


@contextmanager
def _scheduler_file(file: Path, scheduler: Any, tls: TlsFiles | None) -> Iterator[None]:
    """Show a scheduler in a file, written whole, and removed unless it is another's by then."""
    said = scheduler.identity() | ({} if tls is None else {"tls": tls.to_json()})
    write_whole(file, json.dumps(said).encode())
    try:
        yield
    finally:
        with suppress(InputError, OSError):
            if place_in(file).address == scheduler.address:
                file.unlink(missing_ok=True)
