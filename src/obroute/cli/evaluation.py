"""Commands for one question: evaluate, verify, list."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.estimates import estimate_rows
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
from obroute.registry import Registry
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.breakdown import LoadGroup
    from obroute.throughput import Evaluation, PatternResult


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(evaluate)
    app.command()(verify)
    app.command("list")(list_registered)


def evaluate(
    network: Annotated[
        str, typer.Argument(help="Network: torus:9x9, hypercube:6, edges.csv, … (see `list`).")
    ],
    routing: Annotated[
        str, typer.Argument(help="Routing: dor, romm:order=fixed, routes.csv, 1/2*dor+1/2*ival.")
    ],
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            help="Also this traffic: a pattern, or a file of a permutation or matrix; may be "
            "repeated."
        ),
    ] = None,
    random_permutations: Annotated[
        int, typer.Option(min=0, help="Also the worst of this many random permutations.")
    ] = 0,
    average_case: Annotated[
        int, typer.Option(min=0, help="Also the mean throughput of this many random matrices.")
    ] = 0,
    matrix_kind: Annotated[
        str, typer.Option(help="Random matrices: permutation, mixture or sinkhorn.")
    ] = "permutation",
    seed: Annotated[int, typer.Option(min=0, help="Seed of every draw.")] = 0,
    sampled_paths: Annotated[
        int,
        typer.Option(
            min=0,
            help="Estimate from this many paths a pair: an interval of 95 % confidence, inexact.",
        ),
    ] = 0,
    sampled_pairs: Annotated[
        str,
        typer.Option(
            help="Draw for one source of every orbit (canonical), or for every source (all)."
        ),
    ] = "canonical",
    all_channels: Annotated[
        bool, typer.Option("--all-channels", help="Solve every channel, without symmetry.")
    ] = False,
    channels: Annotated[
        Path | None,
        typer.Option(
            help="Write every channel's worst case and loads here (.csv).", metavar="FILE"
        ),
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write a store (zarr) here.")] = None,
    pair_load_limit: Annotated[
        int, typer.Option(min=0, help="Save pair loads up to this many non-zero entries.")
    ] = 1_000_000,
    no_memory_check: NoMemoryCheck = False,
    scheduler: Scheduler = "threads",
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the exact worst case of a routing on a network, and its throughput otherwise."""
    from obroute.breakdown import channel_table
    from obroute.execution import ON_THIS_MACHINE, open_runner
    from obroute.importers import make_network
    from obroute.memory import check_memory, evaluation_megabytes, sampled_megabytes
    from obroute.results import cell_dataset, write_store
    from obroute.routing import routings
    from obroute.sampling import SampledRouting
    from obroute.throughput import evaluate as evaluate_objects
    from obroute.traffic import make_pattern
    from obroute.views import write_whole

    if sampled_paths and save is not None:
        raise InputError("--save keeps exact results; leave out --sampled-paths or --save")
    if channels is not None and channels.suffix != ".csv":
        raise InputError(f"--channels {channels}: expected a name that ends in .csv")
    made = make_network(network)
    chosen = routings.create(routing)
    patterns = [make_pattern(name) for name in dict.fromkeys(pattern or [])]
    count = threads or os.cpu_count() or 1
    if scheduler in ON_THIS_MACHINE and not no_memory_check:
        chosen.check(made)
        if sampled_paths:
            sampled = SampledRouting(chosen, sampled_paths, seed, sampled_pairs)
            needed = sampled_megabytes(made, sampled, all_channels=all_channels, threads=count)
        else:
            needed = evaluation_megabytes(made, chosen, all_channels=all_channels, threads=count)
        check_memory(needed, f"{made.name} with {chosen.name}")
    settings = {
        "patterns": [p.name for p in patterns],
        "random_permutation_samples": random_permutations,
        "average_case_samples": average_case,
        "matrix_kind": matrix_kind,
        "seed": seed,
        "all_channels": all_channels,
        "pair_load_limit": pair_load_limit,
    }
    start = time.perf_counter()
    with open_runner(scheduler, count, quiet) as run:
        found = evaluate_objects(
            made,
            chosen,
            patterns,
            random_permutation_samples=random_permutations,
            average_case_samples=average_case,
            matrix_kind=matrix_kind,
            seed=seed,
            all_channels=all_channels,
            sampled_paths=sampled_paths,
            sampled_pairs=sampled_pairs,
            run=run,
        )
    seconds = time.perf_counter() - start
    if save is not None:
        write_store(cell_dataset(found, settings, seconds, pair_load_limit), save)
    if channels is not None:
        write_whole(channels, channel_table(found).encode())
    if as_json:
        print_json(_evaluation_json(found, seconds))
    else:
        _print_evaluation(found, seconds)


def _evaluation_json(found: Evaluation, seconds: float) -> dict[str, Any]:
    network, worst = found.network, found.critical.worst
    permutation = worst.permutation
    capacity = found.capacity_load
    result: dict[str, Any] = {
        "network": network.name,
        "routing": found.routing.name,
        "worst_case_load": str(found.worst_case_load),
        "worst_case_load_float": float(found.worst_case_load),
        "throughput": _float(found.worst_case_throughput),
        "capacity_load": None if capacity is None else str(capacity),
        "capacity_proof": found.capacity_proof,
        "fraction_of_capacity": _fraction(found, found.worst_case_load),
        "channel": _channel_json(found, worst.channel),
        "permutation": (
            None if permutation is None else network.destinations[permutation].tolist()
        ),
        "traffic": None,
        "contributions": [
            {"pairs": group.pairs, "load": str(group.load)} for group in _groups(found)
        ],
        "mean_path_length": str(found.mean_path_length),
        "normalized_path_length": float(found.normalized_path_length),
        "certified": found.certified,
        "focus_channels": len(found.channels),
        "uniform_load": str(found.uniform.load),
        "patterns": [
            {
                "pattern": result.pattern,
                "load": str(result.load),
                "load_float": float(result.load),
                "throughput": _float(result.throughput),
                "fraction_of_capacity": _fraction(found, result.load),
                "channel": _channel_json(found, result.channel),
                "beyond_terminals": result.beyond or None,
            }
            for result in found.patterns
        ],
        "seconds": round(seconds, 3),
    }
    if permutation is None:
        result["traffic"] = [
            {"source": source, "destination": destination, "amount": str(amount)}
            for source, destination, amount in zip(
                network.sources[worst.sources].tolist(),
                network.destinations[worst.destinations].tolist(),
                worst.amounts.fractions(),
                strict=True,
            )
        ]
    if found.random_permutations is not None:
        load = found.random_permutations.worst
        result["random_permutations"] = {
            "samples": len(found.random_permutations.loads),
            "seed": found.random_permutations.seed,
            "worst_load": str(load),
            "fraction_of_capacity": _fraction(found, load),
        }
    if found.average_case is not None:
        result["average_case"] = {
            "samples": len(found.average_case.loads),
            "seed": found.average_case.seed,
            "kind": found.average_case.kind,
            "throughput": found.average_case.throughput,
            "standard_error": found.average_case.standard_error,
            "approximate_throughput": found.average_case.approximate_throughput,
        }
    if found.estimate is not None:
        result["estimate"] = vars(found.estimate)
    return result


def _groups(found: Evaluation) -> list[LoadGroup]:
    from obroute.breakdown import contributions, load_groups

    return load_groups(contributions(found.critical.worst, found.critical.pair_loads))


def _made_up_of(found: Evaluation) -> str:
    from obroute.breakdown import describe_groups

    bandwidth = found.network.bandwidth.fraction(found.critical.worst.channel)
    over = "" if bandwidth == 1 else f" over a bandwidth of {bandwidth}"
    return describe_groups(_groups(found)) + over


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _fraction(found: Evaluation, load: Any) -> float | None:
    fraction = found.fraction_of_capacity(load)
    return None if fraction is None else float(fraction)


def _channel_json(found: Evaluation, channel: int) -> dict[str, Any]:
    network = found.network
    tail, head = int(network.tail[channel]), int(network.head[channel])
    return {
        "tail": tail,
        "head": head,
        "tail_name": network.describe(tail),
        "head_name": network.describe(head),
        "port": network.port(channel),
        "number": channel,
    }


def _print_evaluation(found: Evaluation, seconds: float) -> None:
    network = found.network
    rows = [
        *(_worst_case_rows(found) if found.estimate is None else estimate_rows(found)),
        ("channel", network.describe_channel(found.critical.worst.channel)),
        ("made up of", _made_up_of(found)),
        (
            "mean path length",
            f"{found.mean_path_length} = {float(found.mean_path_length):.6g} hops "
            f"({float(found.normalized_path_length):.4g} times shortest)",
        ),
        (
            "certified",
            f"yes, {len(found.channels)} of {network.channel_count} channels solved, the others "
            "alike by symmetry"
            if found.certified and len(found.channels) < network.channel_count
            else "yes, every channel solved"
            if found.certified
            else "no: an estimate from sampled paths; all but the intervals is of the sample",
        ),
    ]
    for result in found.patterns:
        rows.append((f"load of {result.pattern}", _pattern_row(found, result)))
        if result.beyond:
            rows.append(("beyond terminals", f"{result.beyond}; the load is of all of it"))
    if found.random_permutations is not None:
        sample = found.random_permutations
        rows.append(
            (
                f"worst of {len(sample.loads)} random permutations",
                f"{sample.worst}; {_percent(found, sample.worst)} (a sample, seed {sample.seed})",
            )
        )
    if found.average_case is not None:
        average = found.average_case
        rows.append(
            (
                f"average case over {len(average.loads)} matrices",
                f"{average.throughput:.4f} ± {average.standard_error:.2g} of injection bandwidth",
            )
        )
    rows.append(("seconds", f"{seconds:.2f}"))
    print_rows(f"{found.routing.name} on {network.name}", rows)
    permutation = found.critical.worst.permutation
    if permutation is not None:
        nodes = network.destinations[permutation].tolist()
        if network.labels is not None:
            nodes = [network.describe(node) for node in nodes]
        images = ", ".join(map(str, nodes))
        out.print(f"worst permutation: destinations of sources in order\n[{images}]", markup=False)
        return
    out.print("worst traffic: source → destination, packets per cycle")
    worst = found.critical.worst
    for source, destination, amount in zip(
        network.sources[worst.sources].tolist(),
        network.destinations[worst.destinations].tolist(),
        worst.amounts.fractions(),
        strict=True,
    ):
        ends = f"{network.describe(source)} → {network.describe(destination)}"
        out.print(f"  {ends}, {amount}", markup=False)


def _pattern_row(found: Evaluation, result: PatternResult) -> str:
    from obroute.demands import fills_terminals

    amounts = found.pattern_amounts.get(result.pattern)
    if amounts is None or not result.load or fills_terminals(found.network, amounts):
        return f"{result.load}; {_percent(found, result.load)}"
    scale = 1 / result.load
    return f"{result.load}; the demands can be scaled by {scale} = {float(scale):.4g}"


def _worst_case_rows(found: Evaluation) -> list[tuple[str, str]]:
    """Say the worst case and what it guarantees."""
    load = found.worst_case_load
    return [
        (
            "worst-case load",
            f"{load} = {float(load):.6g} packets per cycle over channel bandwidth",
        ),
        (
            "throughput",
            "unbounded: no traffic loads a channel"
            if found.worst_case_throughput is None
            else f"{found.worst_case_throughput} = {float(found.worst_case_throughput):.6g} of "
            "injection bandwidth",
        ),
        ("fraction of capacity", _percent(found, load)),
        *_capacity_row(found),
    ]


def _capacity_row(found: Evaluation) -> list[tuple[str, str]]:
    """Return what proves the capacity, where that is no closed form of the family."""
    if found.capacity_load is None or found.network.capacity_load() is not None:
        return []
    return [("capacity load", f"{found.capacity_load}; proved: {found.capacity_proof}")]


def _percent(found: Evaluation, load: Any) -> str:
    if not load:
        return "no channel is loaded"
    fraction = found.fraction_of_capacity(load)
    if fraction is None:
        return "share of capacity unknown (obroute design … --objective capacity finds it)"
    return f"{fraction} = {float(fraction):.4f} of capacity"


def verify(
    store: Annotated[Path, typer.Argument(help="A store, or a folder of stores.")],
    as_json: Json = False,
) -> None:
    """Check every certificate of a store again, or of all stores below a folder."""
    from obroute.verification import verify_stores

    checked = []
    for verified in verify_stores(store):
        checked.append(verified)
        if not as_json:
            count = f", {verified.certificates} certificates" if verified.certificates else ""
            theorem = f", {verified.theorem}" if verified.theorem else ""
            line = f"{verified.store}: {verified.kind} store in order{count}{theorem}"
            out.print(line, markup=False)
    if as_json:
        stores = [
            {
                "store": str(v.store),
                "kind": v.kind,
                "certificates": v.certificates,
                "theorem": v.theorem or None,
            }
            for v in checked
        ]
        print_json({"verified": True, "stores": stores})


class Kind(StrEnum):
    """What can be listed."""

    NETWORKS = "networks"
    ROUTINGS = "routings"
    PATTERNS = "patterns"


def list_registered(
    kind: Annotated[Kind, typer.Argument(help="What to list.")], as_json: Json = False
) -> None:
    """List the networks, routings or traffic patterns that exist, with their parameters."""
    from obroute.importers import importers
    from obroute.routing import routings
    from obroute.topologies import networks
    from obroute.traffic import patterns

    registries: dict[Kind, list[Registry[Any]]] = {
        Kind.NETWORKS: [networks, importers],
        Kind.ROUTINGS: [routings],
        Kind.PATTERNS: [patterns],
    }
    entries = [entry for registry in registries[kind] for entry in registry]
    if as_json:
        print_json(
            [
                {
                    "name": entry.name,
                    "usage": entry.usage(),
                    "summary": entry.summary,
                    "defined_for": entry.defined_for,
                    "aliases": list(entry.aliases),
                    "parameters": [
                        {
                            "name": parameter.name,
                            "meaning": parameter.meaning,
                            "default": None if parameter.required else str(parameter.default),
                        }
                        for parameter in entry.parameters
                    ],
                }
                for entry in entries
            ]
        )
        return
    for entry in entries:
        out.print(f"{entry.usage()}", style="bold", markup=False)
        out.print(f"    {entry.summary}", markup=False)
        if entry.defined_for:
            out.print(f"    defined for {entry.defined_for}", markup=False)
        if entry.aliases:
            out.print(f"    also called {', '.join(entry.aliases)}", markup=False)
        for parameter in entry.parameters:
            default = "" if parameter.required else f" (default {parameter.default})"
            out.print(f"    {parameter.name}: {parameter.meaning}{default}", markup=False)
