"""Commands that keep a Dask cluster: on this machine, or as jobs of Slurm."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from obroute.cli.output import out
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.execution.cluster import Access, SlurmJob

cluster_app = typer.Typer(
    help="Keep a Dask cluster for the tasks of many jobs, until Ctrl-C.", no_args_is_help=True
)

Workers = Annotated[int, typer.Option(min=1, help="How many workers, of one thread each.")]
SchedulerFile = Annotated[
    Path, typer.Option(help="Written when workers are there, removed at the end.")
]
Dashboard = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Where Dask shows its dashboard, such as 127.0.0.1:8787; nowhere if not given, for "
        "it asks for no password.",
    ),
]
TlsCa = Annotated[
    Path | None, typer.Option(help="PEM file of the authority whose certificates may connect.")
]
TlsCert = Annotated[Path | None, typer.Option(help="PEM file of our certificate.")]
TlsKey = Annotated[Path | None, typer.Option(help="PEM file of its key.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(cluster_app, name="cluster")


@cluster_app.command("local")
def cluster_local(
    workers: Workers,
    scheduler_file: SchedulerFile = Path("scheduler.json"),
    memory: Annotated[
        str | None,
        typer.Option(help="Memory of each worker, such as 2GB; an even share if not given."),
    ] = None,
    dashboard: Dashboard = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Keep a Dask cluster of processes on this machine."""
    access = _access(dashboard, tls_ca, tls_cert, tls_key)
    _keep(scheduler_file, workers, memory, None, access)


@cluster_app.command("slurm")
def cluster_slurm(
    workers: Workers,
    scheduler_file: SchedulerFile = Path("scheduler.json"),
    memory: Annotated[
        str | None, typer.Option(help="Memory of each worker, such as 2GB; 4GB if not given.")
    ] = None,
    walltime: Annotated[
        str | None, typer.Option(help="Time limit of each worker's job; 00:30:00 if not given.")
    ] = None,
    queue: Annotated[str | None, typer.Option(help="Partition of the workers' jobs.")] = None,
    account: Annotated[str | None, typer.Option(help="Account that they are charged to.")] = None,
    dashboard: Dashboard = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Keep a Dask cluster whose workers are Slurm jobs, one a worker."""
    from obroute.execution.cluster import SlurmJob

    access = _access(dashboard, tls_ca, tls_cert, tls_key)
    _keep(scheduler_file, workers, memory, SlurmJob(queue, account, walltime), access)


def _access(dashboard: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Access:
    from obroute.execution.cluster import Access
    from obroute.execution.places import TlsFiles

    if ca is None and cert is None and key is None:
        return Access(None, dashboard)
    if ca is None or cert is None or key is None:
        raise InputError("TLS takes three files: --tls-ca, --tls-cert and --tls-key")
    return Access(TlsFiles(ca, cert, key), dashboard)


def _keep(
    file: Path, workers: int, memory: str | None, slurm: SlurmJob | None, access: Access
) -> None:
    from obroute.execution.cluster import keep_cluster

    _stop_as_by_ctrl_c()
    try:
        keep_cluster(file, workers, memory, slurm, access, _tell(file.absolute()))
    except KeyboardInterrupt:
        out.print("cluster closed")


def _stop_as_by_ctrl_c() -> None:
    """Let SIGTERM, and the end of the terminal unless under nohup, stop as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, stop)


def _tell(file: Path) -> Callable[[str], None]:
    def tell(address: str) -> None:
        out.print(f"Dask cluster at {address}; Ctrl-C ends it. To use it:")
        out.print(f"  snakemake --cores 2 --config scheduler={file}")
        out.print(f"  obroute evaluate torus:9x9 romm --scheduler {file}")

    return tell
