"""Commands about theorems on packets: phases of Valiant's, and networks that correspond."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.choices.execution import SCHEDULER
from obroute.choices.packets import QUEUE
from obroute.cli.output import Json, Quiet, Scheduler, Threads, out, print_json, print_rows
from obroute.kinds.shown import exact_json
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.packets.phases import PhaseRuns


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(valiant)
    app.command()(correspond)


def valiant(
    dimensions: Annotated[int, typer.Argument(min=1, max=20, help="n: 2^n nodes.")],
    traffic: Annotated[
        str, typer.Option(help="A permutation by its pattern or file.")
    ] = "bit_reverse",
    steps: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Steps to bound the chance of more of; may be repeated."),
    ] = None,
    exponent: Annotated[
        int, typer.Option(min=1, help="c: bounds are found for a chance of N^-c.")
    ] = 1,
    queue: Annotated[
        str, typer.Option(help="fifo, lifo, random, farthest or nearest (first).")
    ] = QUEUE,
    seeds: Annotated[int, typer.Option(min=0, help="Runs to measure; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run.")] = 0,
    scheduler: Scheduler = SCHEDULER,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bound the steps of Valiant's phases on a hypercube (proved), beside runs (measured)."""
    from obroute.execution import open_runner
    from obroute.importers import make_network
    from obroute.packets.phase_bounds import TAILS, mean_met, phase_bounds, steps_within
    from obroute.packets.phases import run_phases

    within = {name: steps_within(tail, dimensions, exponent) for name, tail in TAILS.items()}
    runs = None
    if seeds:
        with open_runner(scheduler, threads or os.cpu_count() or 1, quiet) as run:
            runs = run_phases(
                make_network(f"hypercube:{dimensions}"),
                traffic,
                seeds=seeds,
                seed=seed,
                discipline=queue,
                run=run,
            )
    chosen = sorted(set(steps or [dimensions, 2 * dimensions, 3 * dimensions, *within.values()]))
    bounds = phase_bounds(dimensions, chosen)
    if as_json:
        print_json(
            {
                "dimensions": dimensions,
                "exponent": exponent,
                "steps_within": within,
                **exact_json("mean_met", mean_met(dimensions)),
                "bounds": [
                    {
                        "steps": bound.steps,
                        "proved": {name: _above(tail) for name, tail in bound.tails.items()},
                        "measured": _share(runs, bound.steps),
                    }
                    for bound in bounds
                ],
                "measured": None if runs is None else _measured_json(runs),
            }
        )
        return
    rows = [
        (f"proved, {name}", f"at most {count} steps with probability 1 - N^-{exponent} or more")
        for name, count in within.items()
    ]
    print_rows(f"One phase of Valiant's on hypercube:{dimensions}", rows)
    out.print("chance of more steps: proved at most; measured")
    for bound in bounds:
        out.print(f"  {bound.steps:>4} steps  {_bounds_text(bound.tails, runs, bound.steps)}")
    if runs is not None:
        _show_measured(runs, mean_met(dimensions))


def _bounds_text(tails: dict[str, Fraction], runs: PhaseRuns | None, steps: int) -> str:
    from obroute.packets.phase_bounds import rounded_up

    proved = ", ".join(rounded_up(tail) for tail in tails.values())
    return proved if runs is None else f"{proved}; {_share(runs, steps):.4g}"


def _show_measured(runs: PhaseRuns, expected: Fraction) -> None:
    kept = "in every run" if runs.latest <= 0 else f"not kept, by {runs.latest} steps"
    print_rows(
        f"measured on {runs.traffic}: both phases of {len(runs.steps)} seeds",
        [
            (
                "steps of a phase",
                f"{runs.steps.min()} to {runs.steps.max()}, mean {runs.steps.mean():.2f}",
            ),
            (
                "others met by a packet",
                f"mean {runs.mean_met.mean():.3f} ({float(expected):.3f} expected), at most "
                f"{runs.most_met.max()}",
            ),
            ("delay at most the others met (Lemma 1)", kept),
        ],
    )


def _above(bound: Fraction) -> float:
    """Return a float that is no less."""
    nearest = float(bound)
    return nearest if nearest >= bound else math.nextafter(nearest, math.inf)


def _share(runs: PhaseRuns | None, steps: int) -> float | None:
    return None if runs is None else float((runs.steps > steps).mean())


def _measured_json(runs: PhaseRuns) -> dict[str, Any]:
    return {
        "traffic": runs.traffic,
        "phases": runs.steps.size,
        "most_steps": int(runs.steps.max()),
        "mean_steps": float(runs.steps.mean()),
        "most_met": int(runs.most_met.max()),
        "mean_met": float(runs.mean_met.mean()),
        "lemma_1": runs.latest <= 0,
    }


def correspond(
    network: Annotated[str, typer.Argument(help="hypercube:n, butterfly:n or benes:n.")],
    other: Annotated[str, typer.Argument(help="Another of these, of the same n.")],
    source: Annotated[int, typer.Option(help="Node that paths start from, by number.")],
    destination: Annotated[int, typer.Option(help="Node that they lead to.")],
    routing: Annotated[str, typer.Option(help="Routing of the first network.")] = "bit_fixing",
    as_json: Json = False,
) -> None:
    """Carry the paths of a pair from one network to a corresponding one."""
    from obroute.importers import make_network
    from obroute.packets.correspondence import carried, carrier
    from obroute.routing import path_distribution, routings

    first, second, chosen = make_network(network), make_network(other), routings.create(routing)
    chosen.check(first)
    for node, terminals, what in (
        (source, first.sources, "source"),
        (destination, first.destinations, "destination"),
    ):
        if node not in terminals:
            raise InputError(
                f"{what} {node} is none of {first.name}; expected a number from "
                f"{terminals.min()} to {terminals.max()}"
            )
    carry = carrier(first, second)
    paths = path_distribution(chosen, first, source, destination)
    images = carried(paths, lambda path: carry(source, path)[1])
    rows = [
        {
            **exact_json("probability", probability),
            "path": _described(first, source, path),
            "image": _described(second, *carry(source, path)),
        }
        for path, probability in paths.items()
    ]
    if as_json:
        print_json(
            {
                "network": first.name,
                "other": second.name,
                "routing": chosen.name,
                "paths": rows,
                "images": len(images),
            }
        )
        return
    out.print(f"{chosen.name} on {first.name}, carried to {second.name}", style="bold")
    for row in rows:
        out.print(f"  {row['probability_exact']:>5}  {' '.join(row['path'])}")
        out.print(f"         {' '.join(row['image'])}")


def _described(network: Any, source: int, path: Any) -> list[str]:
    describe: Callable[[int], str] = network.describe
    return [describe(node) for node in network.path_nodes(source, path)]
