"""The command that ranks the engines of a fabric."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.output import Json, Quiet, Scheduler, Threads, out, print_json
from obroute.kinds.shown import exact_json
from obroute.specs import MOST_DRAWN, InputError, split_outside

if TYPE_CHECKING:
    from fractions import Fraction

    from obroute.functions.leagues import League
    from obroute.league import Standing


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("compare-engines")(compare_engines)


def compare_engines(
    network: Annotated[
        str, typer.Argument(help="Network: a file, or torus:9x9, fattree:k=4, … (see `list`).")
    ],
    routings: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tables or routings; every engine of OpenSM, in a simulator, if not given."
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help="A cable that failed, by its ends: A,B; may be repeated.", metavar="A,B"
        ),
    ] = None,
    permutations: Annotated[
        int, typer.Option(min=0, max=MOST_DRAWN, help="Random permutations to take the mean of.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the permutations.")] = 0,
    best: Annotated[
        bool,
        typer.Option(
            "--best", help="Find the best routing and the best table: what of theirs has each?"
        ),
    ] = False,
    lanes: Annotated[
        bool,
        typer.Option(
            "--lanes",
            help="Ask OpenSM for the service level of every pair; judge the lanes of its tables.",
        ),
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write the league here (.csv).")] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Keep the fabric and the tables of OpenSM's engines in this folder."),
    ] = None,
    scheduler: Scheduler = "threads",
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank routings, or the tables of OpenSM's engines, by what they guarantee."""
    from obroute.delimited import csv_text
    from obroute.execution import open_runner
    from obroute.functions.leagues import compare_engines as compared
    from obroute.writing import write_whole

    if output is not None and output.suffix != ".csv":
        raise InputError(f"--output {output}: expected a name that ends in .csv")
    with open_runner(scheduler, threads or os.cpu_count() or 1, quiet) as run:
        found = compared(
            network,
            routings or (),
            without=[_ends(cable) for cable in without or ()],
            permutations=permutations,
            seed=seed,
            best=best,
            lanes=lanes,
            folder=keep,
            run=run,
        )
    if output is not None:
        write_whole(output, csv_text([_columns(found), *_rows(found)]).encode())
    if as_json:
        print_json(_as_json(found))
    else:
        _show(found)


def _ends(cable: str) -> tuple[str, str]:
    ends = [end.strip() for end in split_outside(cable, ",")]
    if len(ends) != 2 or not all(ends):
        raise InputError(
            f"--without {cable}: expected the two ends of a cable, such as leaf0,spine1"
        )
    return ends[0], ends[1]


COLUMNS = (
    "place",
    "routing",
    "worst_case_load",
    "guaranteed",
    "uniform_load",
    "random_permutations",
    "path_length",
    "virtual_channels",
    "of_best",
    "of_best_table",
)


LANES = "lanes_told"
"""The column of the virtual lanes that tables use themselves, where some tell them."""


def _columns(found: League) -> list[str]:
    return [*COLUMNS, *[LANES] * any(one.told is not None for one in found.standings)]


def _rows(found: League) -> list[list[str]]:
    columns = len(_columns(found))
    return [[*_cells(found, one), _lanes(one)][:columns] for one in found.standings]


def _lanes(one: Standing) -> str:
    if one.told is None:
        return "–"
    said = "free" if one.told.deadlock_free else f"a cycle of {len(one.told.cycle)}"
    return f"{one.told.virtual_channels}: {said}"


def _cells(found: League, one: Standing) -> list[str]:
    from obroute.rational import brief

    values = (
        one.place,
        _short(one.routing),
        brief(one.load),
        "–" if one.throughput is None else f"{float(one.throughput):.4f}",
        "–" if one.uniform_load is None else brief(one.uniform_load),
        "–" if one.average is None else f"{one.average:.4f}",
        f"{float(one.length):.3f}",
        "–" if one.virtual_channels is None else one.virtual_channels,
        "–" if one.of_best is None else f"{float(one.of_best):.4f}",
        _interval(found.of_best_table(one)),
    )
    return [str(value) for value in values]


def _short(routing: str) -> str:
    """Return a routing without the folders of its files, and without what else is given of it."""
    return Path(split_outside(routing, ",")[0]).name


def _interval(ends: tuple[Fraction, Fraction] | None) -> str:
    if ends is None:
        return "–"
    return " to ".join(dict.fromkeys(f"{float(end):.4f}" for end in ends))


def _show(found: League) -> None:
    from obroute.rational import brief

    out.print(f"routings on {found.name}, by what they guarantee", style="bold")
    rows = [[column.replace("_", " ") for column in _columns(found)], *_rows(found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place == 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.print(f"  {'  '.join(cells)}".rstrip())
    out.print("worst cases, proved: the channel and what the pairs that collide there add")
    for one in found.standings:
        out.print(f"  {_short(one.routing)}: {_witness(found, one)}")
    for name, why in found.refused.items():
        out.print(f"  {_short(name)}: not ranked: {why}")
    if found.best is not None:
        out.print(f"best possible, proved: {brief(found.best)} (no oblivious routing has less)")
    if found.best_table is not None:
        lower, upper = map(brief, found.best_table)
        more = "" if lower == upper else f"; one of {upper} is found"
        out.print(f"best table, proved: {lower} (no table of single next hops has less{more})")


def _witness(found: League, one: Standing) -> str:
    from obroute.breakdown import contributions, describe_groups, load_groups

    critical = found.evaluations[one.routing].critical
    groups = load_groups(contributions(critical.worst, critical.pair_loads))
    return f"{found.network.describe_channel(critical.worst.channel)}, {describe_groups(groups)}"


def _as_json(found: League) -> dict[str, Any]:
    network = found.network
    entries = []
    for one in found.standings:
        worst = found.evaluations[one.routing].critical.worst
        entries.append(
            {
                "place": one.place,
                "routing": one.routing,
                **exact_json("worst_case_load", one.load),
                **exact_json("worst_case_throughput", one.throughput),
                **exact_json("uniform_load", one.uniform_load),
                "random_permutations_throughput": one.average,
                "random_permutations_standard_error": one.average_error,
                **exact_json("mean_path_length", one.length),
                "virtual_channels": one.virtual_channels,
                "lanes_told": None if one.told is None else one.told.virtual_channels,
                "deadlock_free_on_lanes": None if one.told is None else one.told.deadlock_free,
                **exact_json("of_best", one.of_best),
                "channel": network.describe_channel(worst.channel),
                "permutation": [
                    [
                        network.node_name(int(network.sources[source])),
                        network.node_name(int(network.destinations[destination])),
                    ]
                    for source, destination in zip(worst.sources, worst.destinations, strict=True)
                ],
            }
        )
    return {
        "network": found.name,
        **exact_json("best_load", found.best),
        **exact_json("best_table_load_lower", found.best_table and found.best_table[0]),
        **exact_json("best_table_load_upper", found.best_table and found.best_table[1]),
        "routings": entries,
        "not_ranked": found.refused,
    }
