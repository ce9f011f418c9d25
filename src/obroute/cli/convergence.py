"""Estimates from more and more sampled paths: the series, and its figure."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Annotated

import typer

from obroute.choices.execution import SCHEDULER
from obroute.cli.arguments import NetworkName, RoutingName
from obroute.cli.output import Json, Quiet, Scheduler, Threads, out, print_json
from obroute.cli.studies import Output, figure_app
from obroute.kinds.shown import exact_json


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(convergence)
    figure_app.command("convergence")(figure_convergence)


def convergence(
    network: NetworkName,
    routing: RoutingName,
    paths: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Paths a pair; may be repeated. 1 to 1000 if not given."),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(help="Draw for canonical sources, or for all; both if not given."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
    exact: Annotated[
        bool, typer.Option("--exact/--no-exact", help="Compute the exact worst case too.")
    ] = True,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the series here (.csv).")
    ] = None,
    scheduler: Scheduler = SCHEDULER,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Estimate the worst case from more and more sampled paths, beside the exact one."""
    from obroute.convergence import DEFAULT_COUNTS, converge, to_csv
    from obroute.decimals import interval
    from obroute.execution import open_runner
    from obroute.importers import make_network
    from obroute.rational import exactly
    from obroute.routing import routings
    from obroute.sampling import PAIR_CHOICES
    from obroute.views import write_whole

    with open_runner(scheduler, threads or os.cpu_count() or 1, quiet) as run:
        found = converge(
            make_network(network),
            routings.create(routing),
            paths or DEFAULT_COUNTS,
            pairs=pairs or PAIR_CHOICES,
            seed=seed,
            exact=exact,
            run=run,
        )
    if output is not None:
        write_whole(output, to_csv(found).encode())
    if as_json:
        print_json(
            {
                "network": found.network,
                "routing": found.routing,
                **exact_json("worst_case_load", found.exact),
                "points": [
                    {"sample_load": p.sample_load, **dataclasses.asdict(p.estimate)}
                    for p in found.points
                ],
            }
        )
        return
    out.print(f"{found.routing} on {found.network}", style="bold")
    out.print(f"  {'pairs':<10}{'paths':>6}{'in the sample':>15}{'again':>9}  interval")
    for point in found.points:
        one = point.estimate
        out.print(
            f"  {one.pairs:<10}{one.paths_per_pair:>6}{point.sample_load:>15.4g}{one.load:>9.4g}"
            f"  {interval(one.lower, one.upper, 4)}"
        )
    if found.exact is not None:
        out.print(f"  exact: {exactly(found.exact)}")


def figure_convergence(
    series: Annotated[Path, typer.Argument(help="The series, by `obroute convergence`.")],
    output: Output,
) -> None:
    """Estimates from sampled paths over their number, beside the exact worst case."""
    from obroute.convergence import from_csv
    from obroute.plots import convergence_figure, save

    save(convergence_figure(from_csv(series)), output)
