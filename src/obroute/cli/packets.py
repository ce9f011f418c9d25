"""Commands about packets that queue: simulate, adversary, benes."""

from __future__ import annotations

import math
import os
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.output import (
    Json,
    NoMemoryCheck,
    Quiet,
    Scheduler,
    Threads,
    out,
    print_json,
    print_rows,
)
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.packets.experiments import PermutationRuns, StabilityRuns
    from obroute.packets.stability import LoadPoint

NetworkName = Annotated[str, typer.Argument(help="Network: hypercube:10, torus:8x8, …")]
RoutingName = Annotated[str, typer.Argument(help="Routing: dor, valiant, bit_fixing, …")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(simulate)
    app.command()(adversary)
    app.command()(benes)


def simulate(
    network: NetworkName,
    routing: RoutingName,
    traffic: Annotated[
        list[str] | None,
        typer.Option(
            help="Pattern, file of traffic, worst_case, borodin_hopcroft or (with a rate) "
            "uniform; may be repeated."
        ),
    ] = None,
    rate: Annotated[
        list[float] | None,
        typer.Option(help="Inject continuously, packets per step and source; may be repeated."),
    ] = None,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Find the largest stable rate.")
    ] = False,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps of each simulation at a rate.")
    ] = 40_000,
    tolerance: Annotated[
        float, typer.Option(help="Relative width at which the search for it stops.")
    ] = 0.01,
    queue: Annotated[
        str, typer.Option(help="fifo, lifo, random, farthest or nearest (first).")
    ] = "fifo",
    phases: Annotated[
        bool,
        typer.Option("--phases", help="Valiant's two phases by the routing, one after the other."),
    ] = False,
    h: Annotated[
        int,
        typer.Option(
            "--h", min=1, help="Packets from every source and to every destination: an h-relation."
        ),
    ] = 1,
    half_duplex: Annotated[
        bool,
        typer.Option("--half-duplex", help="The two channels of a cable share its bandwidth."),
    ] = False,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each permutation.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write a store (zarr) here.")] = None,
    no_memory_check: NoMemoryCheck = False,
    scheduler: Scheduler = "threads",
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Route packets that queue: permutations to their end, or traffic at a rate."""
    from obroute.execution import ON_THIS_MACHINE, open_runner
    from obroute.importers import make_network
    from obroute.memory import check_memory, simulation_megabytes
    from obroute.packets.experiments import run_permutations, run_stability
    from obroute.results import simulation_dataset, stability_dataset, write_store
    from obroute.routing import routings

    made, chosen = make_network(network), routings.create(routing)
    names = list(dict.fromkeys(traffic or ["random_permutation"]))
    settings: dict[str, Any] = {"traffic": names, "seed": seed, "queue": queue}
    settings["half_duplex"] = half_duplex
    continuous = saturation or bool(rate)
    if continuous and phases:
        raise InputError("--phases is of permutations; leave out --rate and --saturation")
    if continuous and h > 1:
        raise InputError("--h is of permutations; leave out --rate and --saturation")
    if rate and not saturation and save is not None:
        raise InputError("--save of rates keeps the saturation too; add --saturation")
    count = threads or os.cpu_count() or 1
    if scheduler in ON_THIS_MACHINE and not no_memory_check:
        packets = h * len(made.sources) * count
        if saturation:
            packets = len(made.sources) * steps * min(count, len(names))
        elif rate:
            packets = int(len(made.sources) * steps * max(rate))
        remedy = f"take fewer {'steps' if continuous else 'threads'} or a machine with more"
        megabytes = simulation_megabytes(made, packets)
        check_memory(megabytes, f"{made.name} with {chosen.name}", remedy)
    start = time.perf_counter()
    with open_runner(scheduler, count, quiet) as run:
        if rate and not saturation:
            points = _rate_points(made, chosen, names, rate, steps, seed, queue, half_duplex)
            _show_points(points, as_json)
            return
        if continuous:
            settings |= {"steps": steps, "tolerance": tolerance, "rates": rate or []}
            stability = run_stability(
                made,
                chosen,
                names,
                steps=steps,
                tolerance=tolerance,
                rates=rate or [],
                seed=seed,
                discipline=queue,
                half_duplex=half_duplex,
                run=run,
            )
            dataset = stability_dataset(stability, settings, time.perf_counter() - start)
            _show_stability(stability, as_json)
        else:
            settings |= {"seeds": seeds, "phases": phases, "h": h}
            runs = run_permutations(
                made,
                chosen,
                names,
                seeds=seeds,
                seed=seed,
                discipline=queue,
                phases=phases,
                h=h,
                half_duplex=half_duplex,
                run=run,
            )
            dataset = simulation_dataset(runs, settings, time.perf_counter() - start)
            _show_runs(runs, as_json)
    if save is not None:
        write_store(dataset, save)


def _rate_points(
    network: Any,
    routing: Any,
    names: list[str],
    rates: list[float],
    steps: int,
    seed: int,
    queue: str,
    half_duplex: bool,
) -> dict[str, list[LoadPoint]]:
    from obroute.packets.relations import traffic_named
    from obroute.packets.stability import load_curve

    routing.check(network)
    return {
        name: load_curve(
            network,
            routing,
            traffic_named(network, routing, name),
            rates,
            steps=steps,
            seed=seed,
            discipline=queue,
            half_duplex=half_duplex,
        )
        for name in names
    }


def _show_points(points: dict[str, list[LoadPoint]], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "traffic": {
                    name: [{**vars(point), "verdict": point.verdict} for point in curve]
                    for name, curve in points.items()
                }
            }
        )
        return
    for name, curve in points.items():
        rows = [
            (
                f"rate {point.rate:g}",
                f"accepted {point.accepted:.4f} of {point.offered:.4f} offered, mean delay "
                f"{point.mean_delay:.2f} steps, largest queue {point.largest_queue}, "
                f"{_verdict(point)}",
            )
            for point in curve
        ]
        print_rows(name, rows)


def _verdict(point: LoadPoint) -> str:
    from obroute.packets.stability import DRIFT_ERRORS, UNSTABLE

    if point.verdict == UNSTABLE:
        return f"unstable: the network fills by {point.growth:.4f} per step and source"
    margin = DRIFT_ERRORS * point.drift_error
    return f"{point.verdict} (drift {point.drift:.4f} ± {margin:.4f})"


def _show_stability(found: StabilityRuns, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "network": found.network.name,
                "routing": found.routing.name,
                "traffic": [
                    {
                        "traffic": name,
                        "stable_rate": saturation.stable,
                        "unstable_rate": saturation.unstable,
                        "ideal_rate": str(saturation.ideal),
                        "ideal_rate_float": float(saturation.ideal),
                        "critical_channels": saturation.critical_channels,
                        "points": [
                            {**vars(point), "verdict": point.verdict}
                            for point in sorted(
                                saturation.points + curve, key=lambda point: point.rate
                            )
                        ],
                    }
                    for name, saturation, curve in zip(
                        found.traffic, found.saturations, found.curves, strict=True
                    )
                ],
            }
        )
        return
    rows = [
        (
            name,
            f"measured stable up to {saturation.stable:.4f} and unstable from "
            f"{saturation.unstable:.4f}; ideal {saturation.ideal} = {float(saturation.ideal):.4f}",
        )
        for name, saturation in zip(found.traffic, found.saturations, strict=True)
    ]
    print_rows(f"{found.routing.name} on {found.network.name}", rows)


def _show_runs(found: PermutationRuns, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "network": found.network.name,
                "routing": found.routing.name,
                "traffic": [
                    {
                        "traffic": name,
                        "exact_load": None if load is None else str(load),
                        "runs": [vars(run) for run in runs],
                    }
                    for name, load, runs in zip(
                        found.traffic, found.exact_loads, found.runs, strict=True
                    )
                ],
            }
        )
        return
    for name, load, runs in zip(found.traffic, found.exact_loads, found.runs, strict=True):
        steps = [run.steps for run in runs]
        rows = [
            ("steps", _spread(steps)),
            ("mean delay", f"{sum(run.mean_delay for run in runs) / len(runs):.3f} steps"),
            ("largest queue", _spread([run.largest_queue for run in runs])),
            ("packets on the heaviest channel", _spread([run.heaviest_channel for run in runs])),
            ("longest path", _spread([run.longest_path for run in runs])),
        ]
        if load is not None:
            rows.append(("exact expected load of the heaviest", f"{load} = {float(load):.6g}"))
        if runs[0].offline_steps >= 0:
            rows.append(
                ("steps of the off-line schedule", _spread([r.offline_steps for r in runs]))
            )
        print_rows(f"{found.routing.name} on {found.network.name}, {name}", rows)


def _spread(values: list[int]) -> str:
    if min(values) == max(values):
        return str(values[0]) + (f" over {len(values)} seeds" if len(values) > 1 else "")
    mean = sum(values) / len(values)
    return f"{min(values)} to {max(values)}, mean {mean:.2f} over {len(values)} seeds"


def adversary(
    network: NetworkName,
    routing: RoutingName,
    as_json: Json = False,
) -> None:
    """Find bad permutations: Borodin and Hopcroft's, and the exact worst of the matching."""
    from obroute.importers import make_network
    from obroute.packets.adversary import borodin_hopcroft, exact_worst, greedy_lower_bounds
    from obroute.routing import routings
    from obroute.routing.bit_fixing import is_hypercube

    made, chosen = make_network(network), routings.create(routing)
    chosen.check(made)
    witness = borodin_hopcroft(made, chosen)
    worst = exact_worst(made, chosen)
    bounds = (
        greedy_lower_bounds(made)
        if is_hypercube(made) and chosen.name in ("dor", "bit_fixing")
        else []
    )
    witness_nodes = made.destinations[witness.permutation].tolist()
    permutation = worst.worst.permutation
    worst_nodes = None if permutation is None else made.destinations[permutation].tolist()
    if as_json:
        print_json(
            {
                "network": made.name,
                "routing": chosen.name,
                "borodin_hopcroft": {
                    "guaranteed_pairs": witness.guaranteed_pairs,
                    "guaranteed_steps": witness.guaranteed_steps,
                    "pairs": witness.pairs,
                    "load": witness.load,
                    "steps_at_least": witness.steps,
                    "channel": _ends(made, witness.channel),
                    "permutation": witness_nodes,
                },
                "exact_worst": {
                    "load": str(worst.normalized_load),
                    "channel": _ends(made, worst.worst.channel),
                    "permutation": worst_nodes,
                },
                "greedy_bounds": [_bound_json(bound) for bound in bounds],
            }
        )
        return
    rows = [
        (
            "Borodin and Hopcroft",
            f"{witness.pairs} pairs through one channel (the proof promises "
            f"{witness.guaranteed_pairs} through some link); at least {_steps(witness.steps)}",
        ),
        (
            "exact worst permutation",
            f"{worst.normalized_load} packets on one channel for each that it sends in a step, so "
            f"at least {_steps(math.ceil(worst.normalized_load))}",
        ),
        *(
            (
                bound.pattern,
                f"at least {_steps(bound.averaging)} by the notes' average, "
                f"{math.ceil(bound.load)} by its heaviest channel",
            )
            for bound in bounds
        ),
    ]
    print_rows(f"{chosen.name} on {made.name}", rows)
    out.print(f"Borodin and Hopcroft's permutation\n{witness_nodes}", markup=False)
    out.print(f"exact worst permutation\n{worst_nodes}", markup=False)


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"


def _ends(network: Any, channel: int) -> dict[str, Any]:
    return {
        "tail": int(network.tail[channel]),
        "head": int(network.head[channel]),
        "port": network.port(channel),
    }


def _bound_json(bound: Any) -> dict[str, Any]:
    return {
        key: str(value) if isinstance(value, Fraction) else value
        for key, value in vars(bound).items()
    }


def benes(
    dimensions: Annotated[int, typer.Argument(min=1, help="n: the network has 2^n inputs.")],
    permutation: Annotated[
        str, typer.Option(help="File of destinations, or a pattern: bit_reverse, transpose, …")
    ],
    as_json: Json = False,
) -> None:
    """Find vertex-disjoint paths through a Beneš network for a permutation, by looping."""
    from obroute.importers import make_network
    from obroute.packets.benes import (
        benes_rows,
        check_disjoint,
        check_schedule,
        offline_schedule,
    )
    from obroute.traffic import make_pattern

    cube = make_network(f"hypercube:{dimensions}")
    destinations = make_pattern(permutation).permutation(cube)
    rows = benes_rows(destinations)
    check_disjoint(rows, destinations)
    steps = check_schedule(offline_schedule(destinations), destinations)
    if as_json:
        print_json(
            {
                "dimensions": dimensions,
                "inputs": len(destinations),
                "disjoint": True,
                "offline_steps": steps,
                "rows": rows.tolist(),
            }
        )
        return
    print_rows(
        f"Beneš network of dimension {dimensions}, {permutation}",
        [
            ("inputs", str(len(destinations))),
            ("vertex-disjoint", "yes, checked"),
            (
                "off-line schedule on the hypercube",
                f"{steps} steps of at most {2 * dimensions - 1}",
            ),
        ],
    )
    if len(destinations) <= 64:
        out.print("rows of each path, level by level")
        for path in rows.tolist():
            out.print(f"  {path}", markup=False)
