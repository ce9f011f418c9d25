"""Commands of a study, which the rules of the sweep call: gather, table, figure and report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from obroute.cli.output import Json, out, print_json

table_app = typer.Typer(help="Write a table of a study as CSV.", no_args_is_help=True)
figure_app = typer.Typer(help="Draw a figure of a study.", no_args_is_help=True)

Study = Annotated[Path, typer.Argument(help="The study's store (study.zarr).")]
Simulations = Annotated[Path, typer.Argument(help="The gathered store (simulations.zarr).")]
Stabilities = Annotated[Path, typer.Argument(help="The gathered store (stability.zarr).")]
TradeOffs = Annotated[
    list[Path] | None,
    typer.Option("--trade-off", help="A trade-off curve's store; may be repeated."),
]
DesignsStore = Annotated[
    Path | None, typer.Option("--designs", help="The gathered designs (designs.zarr).")
]
CellsFolder = Annotated[
    Path | None,
    typer.Option("--cells", help="The folder of the study's cells, for their samples."),
]
Output = Annotated[Path, typer.Option("--output", help="The file to write.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(gather)
    app.add_typer(table_app, name="table")
    app.add_typer(figure_app, name="figure")
    app.command()(report)
    app.command()(schema)
    app.command()(check)


def gather(
    cells: Annotated[list[str], typer.Argument(help="Names of cell stores below the folder.")],
    folder: Annotated[Path, typer.Option(help="The folder of the cells.")],
    output: Output,
    study: Annotated[str, typer.Option(help="Name of the study, for the record.")] = "",
) -> None:
    """Gather cell stores into one study store that xarray opens in one call."""
    from obroute.results import (
        gather_designs,
        gather_packets,
        read_store,
        study_dataset,
        write_store,
    )

    found = {name: read_store(folder / name) for name in cells}
    kinds = {dataset.attrs["kind"] for dataset in found.values()}
    gathering = {"cell": study_dataset, "design": gather_designs}
    gathered = gathering.get(kinds.pop(), gather_packets) if len(kinds) == 1 else gather_packets
    write_store(gathered(found, {"study": study}), output)


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
    cells: CellsFolder = None,
) -> None:
    """Table 1 of the technical report, ours beside the printed values."""
    from obroute.papers.tables import write_table1

    found = _read_study(study)
    write_table1(found, output, network, _paper_cells(found, cells))


@table_app.command("summary")
def table_summary(study: Study, output: Output) -> None:
    """Every network and routing of the study."""
    from obroute.trends import write_summary

    write_summary(_read_study(study), output)


@table_app.command("designs")
def table_designs(
    designs: Annotated[Path, typer.Argument(help="The gathered store (designs.zarr).")],
    output: Output,
) -> None:
    """Every design: its values, proved bounds, and linear program."""
    from obroute.results import read_store
    from obroute.trends import write_designs

    write_designs(read_store(designs, "designs"), output)


@table_app.command("papers")
def table_papers(
    study: Study,
    output: Output,
    designs: DesignsStore = None,
    trade_off: TradeOffs = None,
    cells: CellsFolder = None,
) -> None:
    """Every number that the papers print, ours beside it, a verdict, and why they differ."""
    from obroute.papers.tables import write_comparison

    found = _read_study(study)
    gathered, curves = _designed(designs, trade_off)
    write_comparison(found, output, gathered, curves, _paper_cells(found, cells))


def _designed(designs: Path | None, trade_offs: list[Path] | None) -> tuple[Any, list[Any]]:
    """Read gathered designs, if any, and trade-off curves."""
    from obroute.results import read_store

    return (
        designs and read_store(designs, "designs"),
        [read_store(store, "trade_off") for store in trade_offs or []],
    )


def _paper_cells(study: Any, folder: Path | None) -> dict[str, Any]:
    """Read the cells of the papers' networks."""
    from obroute.papers import SPAA_NETWORK, TABLE1_NETWORK
    from obroute.results import read_store
    from obroute.trends.readings import network_names

    if folder is None:
        return {}
    known = {SPAA_NETWORK, TABLE1_NETWORK} & set(network_names(study))
    names = study["cell"].sel(network=sorted(known)).values.ravel()
    return {str(name): read_store(folder / str(name), "cell") for name in names if name}


@figure_app.command("trends")
def figure_trends(study: Study, output: Output) -> None:
    """Fraction of capacity over the radix."""
    from obroute.plots import write_trend_figure

    write_trend_figure(_read_study(study), output)


@figure_app.command("worst_cases")
def figure_worst_cases(
    cells: Annotated[list[Path], typer.Argument(help="Cell stores of one network.")],
    output: Output,
) -> None:
    """Worst-case load of each channel of a network, a map a routing."""
    from obroute.plots import write_worst_case_map
    from obroute.results import read_store

    write_worst_case_map([read_store(cell, "cell") for cell in cells], output)


@figure_app.command("pareto")
def figure_pareto(
    study: Study,
    output: Output,
    network: Annotated[str, typer.Option(help="Network of the figure.")] = "torus:8x8",
) -> None:
    """Path length against guaranteed throughput, one point a routing."""
    from obroute.plots import write_pareto_figure

    write_pareto_figure(_read_study(study), network, output)


@figure_app.command("trade_off")
def figure_trade_off(
    trade_off: Annotated[Path, typer.Argument(help="The curve's store, by `obroute pareto`.")],
    output: Output,
    study: Annotated[
        Path | None, typer.Option(help="A study whose routings to draw as points.")
    ] = None,
) -> None:
    """Optimal curve of path length against throughput, routings as points."""
    from obroute.plots import write_trade_off_figure
    from obroute.results import read_store

    points = _read_study(study) if study else None
    write_trade_off_figure(read_store(trade_off, "trade_off"), points, output)


@figure_app.command("locality")
def figure_locality(study: Study, output: Output) -> None:
    """Path length over the radix of routings with the best worst case."""
    from obroute.plots import write_locality_figure

    write_locality_figure(_read_study(study), output)


@figure_app.command("steps")
def figure_steps(store: Simulations, output: Output) -> None:
    """Delivery steps over n: greedy, Valiant and the off-line schedule."""
    from obroute.plots import write_steps_figure
    from obroute.results import read_store

    write_steps_figure(read_store(store, "simulations"), output)


@figure_app.command("queues")
def figure_queues(store: Simulations, output: Output) -> None:
    """Longest queues over n: greedy and Valiant."""
    from obroute.plots import write_queues_figure
    from obroute.results import read_store

    write_queues_figure(read_store(store, "simulations"), output)


@figure_app.command("stability")
def figure_stability(store: Stabilities, output: Output) -> None:
    """Stable rates against the ideal throughput, and the curves over the rate."""
    from obroute.plots import write_stability_figure
    from obroute.results import read_store

    write_stability_figure(read_store(store, "stabilities"), output)


def report(
    study: Study,
    cells: Annotated[Path, typer.Option(help="The folder of the study's cells.")],
    output: Output,
    title: Annotated[str, typer.Option(help="Heading of the report.")] = (
        "Worst-case throughput of oblivious routing"
    ),
    packets: Annotated[
        list[Path] | None,
        typer.Option(help="Gathered simulations or stability to report too; may be repeated."),
    ] = None,
    designs: DesignsStore = None,
    trade_off: TradeOffs = None,
) -> None:
    """Write the report of a study: one HTML file that opens offline."""
    from obroute.report import write_report
    from obroute.results import read_store

    gathered = [read_store(store) for store in packets or []]
    found, curves = _designed(designs, trade_off)
    write_report(_read_study(study), cells, output, title, gathered, found, curves)


def schema(
    stores: Annotated[
        bool, typer.Option("--stores", help="The arrays of the stores, as Markdown.")
    ] = False,
) -> None:
    """Print the JSON schema of a study's configuration, or what the stores hold."""
    from obroute.config import schema as study_schema
    from obroute.results import describe_arrays

    sys.stdout.write(describe_arrays() if stores else study_schema() + "\n")


def check(
    config: Annotated[Path, typer.Argument(help="The study's YAML file.")], as_json: Json = False
) -> None:
    """Check a study's configuration and list its cells."""
    from obroute.config import read_study

    study = read_study(config)
    if as_json:
        print_json(
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
