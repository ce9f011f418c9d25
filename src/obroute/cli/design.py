"""Commands that design routings: design, pareto."""

from __future__ import annotations

import time
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.output import Json, NoMemoryCheck, out, print_json, print_rows
from obroute.cli.routing_tables import (
    Table,
    check_table_name,
    write_tables,
)
from obroute.specs import InputError, parse_positive_fraction

if TYPE_CHECKING:
    from obroute.design import Design, SampleAssessment, TradeOff
    from obroute.network import Network

NetworkName = Annotated[str, typer.Argument(help="Network: torus:8x8, edges.csv, … (see `list`).")]
Paths = Annotated[
    str,
    typer.Option(help="all, minimal, two_turn, a routing whose paths to use; + joins them."),
]
Samples = Annotated[int, typer.Option(help="Traffic matrices of the average case.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the sample.")]
MatrixKind = Annotated[str, typer.Option(help="permutation, mixture or sinkhorn.")]
Symmetry = Annotated[
    str,
    typer.Option(help="auto, declared, found, translations, translations+reversal or none."),
]
TimeLimit = Annotated[
    float | None, typer.Option(help="Seconds for each linear program; no limit if not given.")
]
Save = Annotated[Path | None, typer.Option(help="Write a store (zarr) here.")]


class Objective(StrEnum):
    """What can be optimised."""

    CAPACITY = "capacity"
    WORST_CASE = "worst_case"
    AVERAGE_CASE = "average_case"


class Then(StrEnum):
    """What can be optimised after the objective."""

    LOCALITY = "locality"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(design)
    app.command()(pareto)


def design(
    network: NetworkName,
    objective: Annotated[
        Objective | None, typer.Option(help="What to optimise; the worst case if not given.")
    ] = None,
    named: Annotated[
        str | None, typer.Option(help="A design by name in place of an objective: 2turn, 2turna.")
    ] = None,
    locality: Annotated[
        str | None,
        typer.Option(help="Largest mean path length, over that of shortest paths: 1.25, 5/4."),
    ] = None,
    equal: Annotated[
        bool, typer.Option("--equal", help="Exactly this locality, not at most.")
    ] = False,
    load: Annotated[
        str | None,
        typer.Option(help="Largest load, in place of the best: the shortest paths at it."),
    ] = None,
    then: Annotated[
        Then | None, typer.Option(help="Of the best routings, one of the shortest paths.")
    ] = None,
    paths: Paths = "all",
    traffic: Annotated[
        str | None,
        typer.Option(
            help="Traffic of the capacity objective, a pattern or file; uniform if not given."
        ),
    ] = None,
    samples: Samples = 100,
    seed: Seed = 0,
    matrix_kind: MatrixKind = "permutation",
    fresh: Annotated[
        int, typer.Option(min=1, help="Matrices outside the sample to judge an average case by.")
    ] = 1000,
    symmetry: Symmetry = "auto",
    method: Annotated[
        str, typer.Option(help="auto, simplex, crossover, interior_point or first_order.")
    ] = "auto",
    gap: Annotated[
        float, typer.Option(help="Relative width of the bracket at which first_order stops.")
    ] = 1e-3,
    time_limit: TimeLimit = None,
    name: Annotated[str | None, typer.Option(help="What to call the routing.")] = None,
    save: Save = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the routing of every pair here (.csv or .json).")
    ] = None,
    export_as: Annotated[
        Table, typer.Option(help="What to write: paths, flows or next channels.")
    ] = Table.PATHS,
    hard: Annotated[
        Path | None,
        typer.Option(
            help="Write the weighted permutations that no routing serves better (.csv or .json)."
        ),
    ] = None,
    no_memory_check: NoMemoryCheck = False,
    as_json: Json = False,
) -> None:
    """Design the routing with the best throughput, with its value proved."""
    from obroute.design import assess
    from obroute.design import design as find
    from obroute.importers import make_network
    from obroute.results import design_dataset, write_store
    from obroute.traffic import make_pattern

    settings: dict[str, Any] = {
        "samples": samples,
        "seed": seed,
        "matrix_kind": matrix_kind,
        "symmetry": symmetry,
        "name": name or named,
    } | _settings(objective, named, then, paths, (locality, load))
    if locality is not None:
        settings["locality"] = str(parse_positive_fraction(locality))
        settings["exact_locality"] = equal
    if traffic is not None:
        settings["traffic"] = traffic
    if load is not None:
        settings["load"] = str(parse_positive_fraction(load))
        settings["then"] = Then.LOCALITY.value
    check_table_name("--export", export)
    check_table_name("--hard", hard)
    made = make_network(network)
    if not no_memory_check:
        _check_memory(made)
    given = dict(settings)
    for bound in ("locality", "load"):
        if settings.get(bound) is not None:
            given[bound] = Fraction(settings[bound])
    if traffic is not None:
        given["traffic"] = make_pattern(traffic)
    found = find(made, **given, method=method, seconds=time_limit, gap=gap)
    judged = None
    if found.problem.objective == "average_case":
        judged = assess(made, found.routing, found.problem.sample, fresh)
    if save is not None:
        write_store(design_dataset(found, settings, judged=judged), save)
    write_tables(found, export, export_as, hard)
    if as_json:
        print_json(_design_json(found, judged))
    else:
        _print_design(found, judged)


def _check_memory(network: Network) -> None:
    from obroute.memory import check_memory, design_megabytes

    check_memory(
        design_megabytes(network),
        f"a design for {network.name}",
        "take a smaller network, or a machine with more",
    )


def _settings(
    objective: Objective | None,
    named: str | None,
    then: Then | None,
    paths: str,
    bounds: tuple[str | None, ...],
) -> dict[str, Any]:
    from obroute.design import NAMED_DESIGNS, NamedDesign
    from obroute.routing import routings

    if named is None:
        return {
            "objective": (objective or Objective.WORST_CASE).value,
            "paths": paths,
            "then": None if then is None else then.value,
        }
    if objective is not None or then is not None or paths != "all" or any(bounds):
        raise InputError(
            f"--named {named} says what to optimise; leave out --objective, --then, --paths, "
            "--locality and --load"
        )
    routing = routings.create(named)
    if not isinstance(routing, NamedDesign):
        raise InputError(
            f"--named '{named}' is no design; expected {', '.join(NAMED_DESIGNS)}, such as "
            "optimal:objective=average_case"
        )
    settings = {"paths": "all"} | routing.settings
    for bound in ("locality", "load"):
        if settings.get(bound) is not None:
            settings[bound] = str(settings[bound])
    return settings


def _design_json(found: Design, judged: SampleAssessment | None) -> dict[str, Any]:
    network = found.problem.network
    shortest = network.mean_shortest_path_length()
    least = found.least_path_length
    fraction = found.fraction_of_capacity
    answer: dict[str, Any] = {
        "network": network.name,
        "routing": found.routing.name,
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "scope": found.scope.to_dict(),
        "proved": {
            "load": None if found.load is None else found.scope.of_load,
            "path_length": None if least is None else found.scope.of_length,
        },
        "value": str(found.routing_load),
        "lower": None if found.load is None else str(found.load.lower),
        "upper": None if found.load is None else str(found.load.upper),
        "exact": found.least_proved,
        "capacity_load": None if found.capacity_load is None else str(found.capacity_load),
        "fraction_of_capacity": None if fraction is None else str(fraction),
        "fraction_of_capacity_float": None if fraction is None else float(fraction),
        "path_length": str(found.path_length),
        "normalized_path_length": str(found.normalized_path_length),
        "normalized_path_length_float": float(found.normalized_path_length),
        "normalized_path_length_lower": None if least is None else str(least.lower / shortest),
        "normalized_path_length_lower_at_limit": (
            None
            if found.least_path_length_at_limit is None
            else str(found.least_path_length_at_limit / shortest)
        ),
        "rows": found.rows,
        "columns": found.columns,
        "nonzeros": found.nonzeros,
        "symmetry": found.symmetry,
        "solver": found.solver,
        "seconds": round(found.seconds, 3),
    }
    if judged is not None:
        answer["sample"] = {
            where: {
                "matrices": len(average.loads),
                "throughput": average.throughput,
                "standard_error": average.standard_error,
                "inverse_of_mean_load": average.approximate_throughput,
            }
            for where, average in vars(judged).items()
        }
    return answer


def _throughput_row(found: Design) -> tuple[str, str]:
    """Say what the load leaves: a throughput, or of demands the factor that they can grow by."""
    from obroute.demands import fills_terminals

    problem, fraction = found.problem, found.fraction_of_capacity
    if problem.traffic is not None and not problem.traffic.is_uniform:
        amounts = problem.traffic.amounts(problem.network)
        if not fills_terminals(problem.network, amounts):
            return "scaling factor", f"{_short(1 / found.routing_load)} of the demands"
    return (
        "throughput",
        f"{float(1 / found.routing_load):.6g} of injection bandwidth"
        + ("" if fraction is None else f", {_short(fraction)} of capacity"),
    )


def _print_design(found: Design, judged: SampleAssessment | None) -> None:
    load, least = found.load, found.least_path_length
    if load is None:
        proved = f"at most {_short(found.problem.load or found.routing_load)} was asked for"
    elif found.least_proved:
        proved = f"proved: {found.scope.of_load}"
    else:
        proved = (
            f"proved: {found.scope.of_load_below(f'{float(load.lower):.12g}')}; one has "
            f"{float(load.upper):.12g}"
        )
    length = f"{found.normalized_path_length} = {float(found.normalized_path_length):.6g}"
    if least is not None:
        length += (
            f"; proved: {found.scope.of_length}"
            if least.exact
            else f", at most {least.relative_width:.1e} above the shortest; proved: "
            f"{found.scope.of_length} by more"
        )
    at_limit = found.least_path_length_at_limit
    if least is not None and not least.exact and at_limit is not None:
        shortest = found.problem.network.mean_shortest_path_length()
        length += f"; at the load to be kept at least {float(at_limit / shortest):.9g}"
    rows = [
        ("load", f"{_short(found.routing_load)}; {proved}"),
        _throughput_row(found),
        ("path length over shortest", length),
        (
            "linear program",
            f"{found.rows} rows, {found.columns} columns, {found.nonzeros} non-zeros "
            f"({found.symmetry} symmetry)",
        ),
        ("solver", f"{found.solver}, {found.seconds:.2f} s in all"),
    ]
    if judged is not None:
        capacity = float(found.capacity_load or 1)
        rows += [
            (
                where.replace("_", " "),
                f"{average.throughput * capacity:.4f} ± {average.standard_error * capacity:.4f} "
                f"of capacity over {len(average.loads)} matrices (1 / mean load: "
                f"{average.approximate_throughput * capacity:.4f})",
            )
            for where, average in vars(judged).items()
        ]
    print_rows(f"{found.routing.name} on {found.problem.network.name}", rows)


def _short(value: Fraction) -> str:
    exact = str(value)
    return f"{exact} = {float(value):.9g}" if len(exact) < 40 else f"{float(value):.12g}"


def pareto(
    network: NetworkName,
    objective: Annotated[Objective, typer.Option(help="Of what throughput.")] = (
        Objective.WORST_CASE
    ),
    paths: Paths = "all",
    samples: Samples = 100,
    seed: Seed = 0,
    matrix_kind: MatrixKind = "permutation",
    symmetry: Symmetry = "auto",
    most_solves: Annotated[
        int, typer.Option(min=2, help="Linear programs to solve at the most.")
    ] = 2000,
    time_limit: TimeLimit = None,
    save: Save = None,
    no_memory_check: NoMemoryCheck = False,
    as_json: Json = False,
) -> None:
    """Find the whole curve of throughput against path length, breakpoint by breakpoint."""
    from obroute.design import trade_off
    from obroute.importers import make_network
    from obroute.results import trade_off_dataset, write_store

    start = time.perf_counter()
    settings: dict[str, Any] = {
        "objective": objective.value,
        "paths": paths,
        "samples": samples,
        "seed": seed,
        "matrix_kind": matrix_kind,
        "symmetry": symmetry,
        "most_solves": most_solves,
    }
    made = make_network(network)
    if not no_memory_check:
        _check_memory(made)
    found = trade_off(made, seconds=time_limit, **settings)
    seconds = time.perf_counter() - start
    if save is not None:
        write_store(trade_off_dataset(found, settings, seconds), save)
    if as_json:
        print_json(_curve_json(found, seconds))
    else:
        _print_curve(found, seconds)


def _curve_json(found: TradeOff, seconds: float) -> dict[str, Any]:
    capacity = found.capacity_load
    return {
        "network": found.network.name,
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "complete": found.complete,
        "gap": found.gap,
        "vertices": [
            {
                "load": str(vertex.load),
                "path_length": str(vertex.path_length),
                "fraction_of_capacity": None if capacity is None else str(capacity / vertex.load),
                "normalized_path_length": str(length),
                "proved": vertex.proved,
            }
            for vertex, length in zip(found.vertices, found.normalized_lengths(), strict=True)
        ],
        "solves": found.solves,
        "solver": found.solver,
        "seconds": round(seconds, 3),
    }


def _print_curve(found: TradeOff, seconds: float) -> None:
    capacity = found.capacity_load
    whole = "complete, proved" if found.complete else f"within {found.gap:.1e} of the whole curve"
    out.print(
        f"{found.problem.objective} of {found.network.name}: {len(found.vertices)} breakpoints, "
        f"{whole}; {found.solves} linear programs, {seconds:.1f} s",
        style="bold",
        markup=False,
    )
    out.print("  load, fraction of capacity, path length over shortest", markup=False)
    for vertex, length in zip(found.vertices, found.normalized_lengths(), strict=True):
        fraction = "" if capacity is None else f"{_short(capacity / vertex.load)}  "
        mark = "" if vertex.proved else "  (not proved)"
        out.print(f"  {_short(vertex.load)}  {fraction}{_short(length)}{mark}", markup=False)
