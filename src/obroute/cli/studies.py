"""Commands of a study, which the rules of the sweep call: gather, table, figure and report.

Tables and figures are commands because they are registered; none is named here.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from obroute.cli.output import with_parameters
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.views import StudyData, View, Views

Study = Annotated[Path, typer.Argument(help="The study's folder, or a store in it.")]
TradeOffs = Annotated[
    list[Path] | None,
    typer.Option("--trade-off", help="A trade-off curve's store; may be repeated."),
]
DesignsStore = Annotated[
    Path | None, typer.Option("--designs", help="The gathered designs (designs.zarr).")
]
Evaluations = Annotated[
    Path | None, typer.Option("--study", help="A study whose routings to draw as points.")
]
CellsFolder = Annotated[
    Path | None,
    typer.Option("--cells", help="The folder of the study's cells, for their samples."),
]
Packets = Annotated[
    list[Path] | None,
    typer.Option("--packets", help="Gathered simulations or stability; may be repeated."),
]
Output = Annotated[Path, typer.Option("--output", help="The file to write.")]
STORES = {
    "evaluations": ("study", Evaluations),
    "designs": ("designs", DesignsStore),
    "trade_offs": ("trade_off", TradeOffs),
}
"""Options that name stores in place of those in the study's folder, by section."""


class _Registered(TyperGroup, ABC):
    """A command for each registered table or figure, looked for when one is asked for."""

    @abstractmethod
    def views(self) -> Views[Any]:
        """Return the registry."""

    @abstractmethod
    def write(self, made: Any, output: Path) -> None:
        """Write what a view made."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all of them."""
        return [*(view.name for view in self.views()), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one of them by its name; None if there is none."""
        view = next((view for view in self.views() if view.name == cmd_name), None)
        return super().get_command(ctx, cmd_name) if view is None else _command(view, self.write)


class _Tables(_Registered):
    def views(self) -> Views[Any]:
        from obroute.views import tables

        return tables

    def write(self, made: Any, output: Path) -> None:
        from obroute.views import write_whole

        write_whole(output, made.csv().encode())


class _Figures(_Registered):
    def views(self) -> Views[Any]:
        from obroute.views import figures

        return figures

    def write(self, made: Any, output: Path) -> None:
        from obroute.plots import save

        save(made, output)


def _command(view: View[Any], write: Callable[[Any, Path], None]) -> Any:
    """Return the command that makes a view: its options are those of the view's function."""
    stores = {STORES[section] for section in view.uses if section in STORES}
    own = [(option.name, _option(option.help, type(option.default))) for option in view.options]
    words: dict[str, Any] = {"folder": Study, "output": Output}
    words |= dict(own) | dict(sorted(stores)) | ({"cells": CellsFolder} if view.cells else {})

    def run(**given: Any) -> None:
        options = {name: given.pop(name) for name, _ in own}
        place, output = given.pop("folder"), given.pop("output")
        data = _data_of_cell(view, place, options) if view.each_cell else _data(place)
        write(view.of(_with_stores(data, **given), **options), output)

    defaults = {option.name: option.default for option in view.options}
    defaults |= dict.fromkeys([*dict(stores), "cells"], None)
    parameters = (
        (name, annotation, defaults.get(name, inspect.Parameter.empty))
        for name, annotation in words.items()
    )
    app = typer.Typer(add_completion=False)
    app.command(view.name, help=view.summary)(with_parameters(run, parameters))
    return typer.main.get_command(app)


def _option(text: str, kind: type) -> Any:
    return Annotated[kind, typer.Option(help=text)]


def _data(place: Path) -> StudyData:
    from obroute.views import StudyData

    return StudyData.read(place)


def _data_of_cell(view: View[Any], place: Path, options: dict[str, Any]) -> StudyData:
    """Return the data of a study, or of that which a cell's store is in; the option names it."""
    from obroute.results.stores import stored_kind
    from obroute.views import StudyData, is_cell

    if not is_cell(stored_kind(place)):
        return _data(place)
    data, options["cell"] = StudyData.read_cell(place)
    return data


def _with_stores(
    data: StudyData,
    *,
    study: Path | None = None,
    designs: Path | None = None,
    trade_off: list[Path] | None = None,
    cells: Path | None = None,
    packets: list[Path] | None = None,
) -> StudyData:
    """Put the stores that were named in place of those of the study's folder."""
    from obroute.kinds.stores import read_store
    from obroute.views import is_cell, section_of

    for store in packets or []:
        dataset = read_store(store)
        kind = str(dataset.attrs["kind"])
        section = section_of(kind)
        if section not in ("simulations", "stability") or is_cell(kind):
            raise InputError(
                f"packets of kind {kind!r} are not reported; expected gathered stores of kind "
                "simulations or stabilities"
            )
        data = data.with_gathered(section, dataset)
    for section, given in (("evaluations", study), ("designs", designs)):
        if given is not None:
            data = data.with_gathered(section, read_store(given))
    if trade_off:
        curves = {store.as_posix(): read_store(store) for store in trade_off}
        data = data.with_cells("trade_offs", curves)
    return data if cells is None else data.with_cells("evaluations", cells)


table_app = typer.Typer(cls=_Tables, help="Write a table of a study as CSV.", no_args_is_help=True)
figure_app = typer.Typer(cls=_Figures, help="Draw a figure of a study.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(table_app, name="table")
    app.add_typer(figure_app, name="figure")
    app.command()(report)


@figure_app.command("worst_cases")
def figure_worst_cases(
    cells: Annotated[list[Path], typer.Argument(help="Cell stores of one network.")],
    output: Output,
) -> None:
    """Worst-case load of each channel of a network, a map a routing."""
    from obroute.kinds.stores import read_store
    from obroute.plots import save, worst_case_map

    save(worst_case_map([read_store(cell, "evaluation") for cell in cells]), output)


def report(
    folder: Study,
    output: Output,
    title: Annotated[str, typer.Option(help="Heading of the report.")] = (
        "Worst-case throughput of oblivious routing"
    ),
    packets: Packets = None,
    designs: DesignsStore = None,
    trade_off: TradeOffs = None,
    cells: CellsFolder = None,
) -> None:
    """Write the report of a study: one HTML file that opens offline."""
    from obroute.report import write_report

    data = _with_stores(
        _data(folder), designs=designs, trade_off=trade_off, cells=cells, packets=packets
    )
    write_report(data, output, title)
