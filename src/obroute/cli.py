"""The command line: reads arguments, calls the library, prints. No computation of its own."""

from __future__ import annotations

import json
import os
import sys
import time
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from obroute.matching import CertificateError
from obroute.specs import InputError, Registry

if TYPE_CHECKING:
    from obroute.throughput import Evaluation

app = typer.Typer(
    name="obroute",
    help="The exact worst case of oblivious routing on any interconnection network.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
table_app = typer.Typer(help="Write a table of a study as CSV.", no_args_is_help=True)
figure_app = typer.Typer(help="Draw a figure of a study.", no_args_is_help=True)
app.add_typer(table_app, name="table")
app.add_typer(figure_app, name="figure")

out = Console(soft_wrap=True, highlight=False)
errors = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Study = Annotated[Path, typer.Argument(help="The study's store (study.zarr).")]
Output = Annotated[Path, typer.Option("--output", help="The file to write.")]


def main() -> None:
    """Run the command line; an error in the input is one line and exit status 2."""
    try:
        app()
    except InputError as error:
        errors.print(f"error: {error}")
        sys.exit(2)
    except CertificateError as error:
        errors.print(f"wrong: {error}")
        sys.exit(1)
    except MemoryError:
        errors.print("error: out of memory; take a smaller network, or a machine with more")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _print_json(value: Any) -> None:
    if isinstance(value, dict):  # one key a line, so that a permutation does not fill the screen
        lines = (f"  {json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in value.items())
        sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


@app.command()
def evaluate(
    network: Annotated[
        str, typer.Argument(help="Network: torus:9x9, hypercube:6, edges.csv, … (see `list`).")
    ],
    routing: Annotated[
        str, typer.Argument(help="Routing: dor, romm:order=fixed, routes.csv, 1/2*dor+1/2*ival.")
    ],
    pattern: Annotated[
        list[str] | None,
        typer.Option(help="Also this traffic pattern, or permutation file; may be repeated."),
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
        typer.Option(min=0, help="Estimate from this many paths a pair; the result is not exact."),
    ] = 0,
    all_channels: Annotated[
        bool, typer.Option("--all-channels", help="Solve every channel, without symmetry.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Write a store (zarr) here.")] = None,
    pair_load_limit: Annotated[
        int, typer.Option(min=0, help="Save pair loads up to this many non-zero entries.")
    ] = 1_000_000,
    scheduler: Annotated[
        str, typer.Option(help="threads, processes, sync, tcp://host:port, or a scheduler file.")
    ] = "threads",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads or processes; every core if not given.")
    ] = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Find the exact worst case of a routing on a network, and its throughput otherwise."""
    from obroute.execution import open_runner
    from obroute.importers import make_network
    from obroute.results import cell_dataset, write_store
    from obroute.routing import routings
    from obroute.throughput import evaluate as evaluate_objects
    from obroute.traffic import make_pattern

    if sampled_paths and save is not None:
        raise InputError("--save keeps exact results; leave out --sampled-paths or --save")
    made = make_network(network)
    chosen = routings.create(routing)
    patterns = [make_pattern(name) for name in dict.fromkeys(pattern or [])]
    settings = {
        "patterns": [p.name for p in patterns],
        "random_permutation_samples": random_permutations,
        "average_case_samples": average_case,
        "matrix_kind": matrix_kind,
        "seed": seed,
        "all_channels": all_channels,
    }
    start = time.perf_counter()
    with open_runner(scheduler, threads or os.cpu_count() or 1, quiet) as run:
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
            run=run,
        )
    seconds = time.perf_counter() - start
    if save is not None:
        write_store(cell_dataset(found, settings, seconds, pair_load_limit), save)
    if as_json:
        _print_json(_evaluation_json(found, seconds))
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
        "fraction_of_capacity": _fraction(found, found.worst_case_load),
        "channel": _channel_json(found, worst.channel),
        "permutation": (
            None if permutation is None else network.destinations[permutation].tolist()
        ),
        "traffic": None,
        "mean_path_length": str(found.mean_path_length),
        "normalized_path_length": float(found.normalised_path_length),
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
            "standard_error": _finite(found.average_case.standard_error),
            "approximate_throughput": found.average_case.approximate_throughput,
        }
    if found.estimate is not None:
        result["estimate"] = vars(found.estimate)
    return result


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


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
        "number": channel,
    }


def _print_evaluation(found: Evaluation, seconds: float) -> None:
    network = found.network
    load, channel = found.worst_case_load, _channel_json(found, found.critical.worst.channel)
    rows = [
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
        ("channel", f"{channel['tail_name']} → {channel['head_name']}"),
        (
            "mean path length",
            f"{found.mean_path_length} = {float(found.mean_path_length):.6g} hops "
            f"({float(found.normalised_path_length):.4g} times shortest)",
        ),
        (
            "certified",
            f"yes, {len(found.channels)} of {network.channel_count} channels solved, the others "
            "alike by symmetry"
            if found.certified and len(found.channels) < network.channel_count
            else "yes, every channel solved"
            if found.certified
            else "no: an estimate from sampled paths",
        ),
    ]
    if found.estimate is not None:
        rows.append(
            (
                "second sample",
                f"{found.estimate.load:.6g} ± {found.estimate.standard_error:.2g} (one standard "
                "error) on the same permutation",
            )
        )
    for result in found.patterns:
        share = _percent(found, result.load)
        rows.append((f"load of {result.pattern}", f"{result.load}; {share}"))
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
    out.print(f"{found.routing.name} on {network.name}", style="bold", markup=False)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        out.print(f"  {name:<{width}}  {value}", markup=False)
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


def _percent(found: Evaluation, load: Any) -> str:
    if not load:
        return "no channel is loaded"
    fraction = found.fraction_of_capacity(load)
    if fraction is None:
        return "share of capacity unknown (the capacity of this network has no closed form)"
    return f"{fraction} = {float(fraction):.4f} of capacity"


@app.command()
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
            out.print(f"{verified.store}: {verified.kind} store in order{count}", markup=False)
    if as_json:
        stores = [
            {"store": str(v.store), "kind": v.kind, "certificates": v.certificates}
            for v in checked
        ]
        _print_json({"verified": True, "stores": stores})


class Kind(StrEnum):
    """What can be listed."""

    NETWORKS = "networks"
    ROUTINGS = "routings"
    PATTERNS = "patterns"


@app.command("list")
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
        _print_json(
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


@app.command()
def gather(
    cells: Annotated[list[str], typer.Argument(help="Names of cell stores below the folder.")],
    folder: Annotated[Path, typer.Option(help="The folder of the cells.")],
    output: Output,
    study: Annotated[str, typer.Option(help="Name of the study, for the record.")] = "",
) -> None:
    """Gather cell stores into one study store that xarray opens in one call."""
    from obroute.results import read_store, study_dataset, write_store

    found = {name: read_store(folder / name, "cell") for name in cells}
    write_store(study_dataset(found, {"study": study}), output)


def _read_study(store: Path) -> Any:
    from obroute.results import read_store

    return read_store(store, "study")


@table_app.command("trends")
def table_trends(study: Study, output: Output) -> None:
    """Worst case over the radix, beside the closed forms."""
    from obroute.trends import write_trends

    write_trends(_read_study(study), output)


@table_app.command("table1")
def table_table1(
    study: Study,
    output: Output,
    network: Annotated[str, typer.Option(help="Network of the table.")] = "torus:9x9",
) -> None:
    """Table 1 of the technical report, ours beside the printed values."""
    from obroute.trends import write_table1

    write_table1(_read_study(study), output, network)


@table_app.command("summary")
def table_summary(study: Study, output: Output) -> None:
    """Every network and routing of the study."""
    from obroute.trends import write_summary

    write_summary(_read_study(study), output)


@figure_app.command("trends")
def figure_trends(study: Study, output: Output) -> None:
    """Fraction of capacity over the radix."""
    from obroute.plots import write_trend_figure

    write_trend_figure(_read_study(study), output)


@figure_app.command("pareto")
def figure_pareto(
    study: Study,
    output: Output,
    network: Annotated[str, typer.Option(help="Network of the figure.")] = "torus:8x8",
) -> None:
    """Path length against guaranteed throughput, one point a routing."""
    from obroute.plots import write_pareto_figure

    write_pareto_figure(_read_study(study), network, output)


@app.command()
def report(
    study: Study,
    cells: Annotated[Path, typer.Option(help="The folder of the study's cells.")],
    output: Output,
    title: Annotated[str, typer.Option(help="Heading of the report.")] = (
        "Worst-case throughput of oblivious routing"
    ),
) -> None:
    """Write the report of a study: one HTML file that opens offline."""
    from obroute.report import write_report

    write_report(_read_study(study), cells, output, title)


@app.command()
def schema(
    stores: Annotated[
        bool, typer.Option("--stores", help="The arrays of the stores, as Markdown.")
    ] = False,
) -> None:
    """Print the JSON schema of a study's configuration, or what the stores hold."""
    from obroute.config import schema as study_schema
    from obroute.results import describe_arrays

    sys.stdout.write(describe_arrays() if stores else study_schema() + "\n")


@app.command()
def check(
    config: Annotated[Path, typer.Argument(help="The study's YAML file.")], as_json: Json = False
) -> None:
    """Check a study's configuration and list its cells."""
    from obroute.config import read_study

    study = read_study(config)
    if as_json:
        _print_json(
            {
                "study": study.study,
                "cells": [
                    {"network": c.network, "routing": c.routing, "options": list(c.options)}
                    for c in study.cells.values()
                ],
            }
        )
        return
    for cell in study.cells.values():
        out.print(cell.label, markup=False)
    out.print(f"{len(study.cells)} cells in study {study.study}", markup=False)
