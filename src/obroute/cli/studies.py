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

from obroute.choices.reports import TITLE
from obroute.cli.output import with_parameters
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.views import StudyData, View, Views

Study = Annotated[Path, typer.Argument(help="The study's folder, or a store in it.")]
Stores = Annotated[
    list[Path],
    typer.Argument(help="The study's folder, a store in it, or cells to draw together."),
]
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
Picture = Annotated[Path, typer.Option("--output", help="The file to write: .svg, .pdf or .png.")]
LOOK: dict[str, Any] = {
    "width": Annotated[
        float | None, typer.Option(help="Width in inches; the figure is laid out anew.")
    ],
    "height": Annotated[float | None, typer.Option(help="Height in inches.")],
    "dpi": Annotated[float, typer.Option(help="Pixels an inch, of a PNG.")],
    "dark": Annotated[bool, typer.Option("--dark", help="On a dark ground.")],
    "say_why": Annotated[
        bool,
        typer.Option(
            "--say-why", help="Where there is nothing to draw, write a picture that says why."
        ),
    ],
}
"""Options of every figure: what it looks like."""
LOOK_DEFAULTS = {"width": None, "height": None, "dpi": 160, "dark": False, "say_why": False}
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
    def command(self, view: View[Any]) -> Any:
        """Return the command that makes a view."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all of them."""
        return [*(view.name for view in self.views()), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one of them by its name; None if there is none."""
        view = next((view for view in self.views() if view.name == cmd_name), None)
        return super().get_command(ctx, cmd_name) if view is None else self.command(view)


class _Tables(_Registered):
    def views(self) -> Views[Any]:
        from obroute.views import tables

        return tables

    def command(self, view: View[Any]) -> Any:
        from obroute.views import write_whole

        def run(folder: Path, output: Path, **given: Any) -> None:
            own, stores = _parted(view, given)
            made = view.of(_with_stores(_data(folder), **stores), **own)
            write_whole(output, made.csv().encode())

        return _command(view, run, {"folder": Study, "output": Output}, {})


class _Figures(_Registered):
    def views(self) -> Views[Any]:
        from obroute.views import figures

        return figures

    def command(self, view: View[Any]) -> Any:
        def run(stores: list[Path], output: Path, **given: Any) -> None:
            look = {name: given.pop(name) for name in LOOK}
            own, others = _parted(view, given)
            data = _with_stores(_data_for(view, stores, own), **others)
            _refuse_unfit(view, data, self.views())
            _draw(lambda: view.of(data, **own), output, **look)

        words = {"stores": Stores, "output": Picture, **LOOK}
        return _command(view, run, words, LOOK_DEFAULTS)


def _parted(view: View[Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the options of a view from those that name stores."""
    names = {option.name for option in view.options}
    own = {name: value for name, value in given.items() if name in names}
    return own, {name: value for name, value in given.items() if name not in names}


def _command(
    view: View[Any], run: Callable[..., None], words: dict[str, Any], preset: dict[str, Any]
) -> Any:
    """Return the command that makes a view: its options are those of the view's function."""
    stores = {STORES[section] for section in view.uses if section in STORES}
    words = dict(words)
    words |= {option.name: _option(option.help, type(option.default)) for option in view.options}
    words |= dict(sorted(stores)) | ({"cells": CellsFolder} if view.cells else {})
    defaults = {option.name: option.default for option in view.options} | preset
    defaults |= dict.fromkeys([*dict(stores), "cells"], None)
    parameters = (
        (name, annotation, defaults.get(name, inspect.Parameter.empty))
        for name, annotation in words.items()
    )
    app = typer.Typer(add_completion=False)
    app.command(view.name, help=view.summary)(with_parameters(run, parameters))
    return typer.main.get_command(app)


def _draw(
    draw: Callable[[], Any],
    output: Path,
    *,
    width: float | None,
    height: float | None,
    dpi: float,
    dark: bool,
    say_why: bool,
) -> None:
    """Draw a figure at the size and on the ground asked for, and write it."""
    from obroute.plots import darken, drawn_at, save
    from obroute.plots.style import Sentence, kind_of

    kind_of(output)
    figure = drawn_at(draw, width, height)
    if isinstance(figure, Sentence) and not say_why:
        raise InputError(
            f"nothing to draw: {figure.sentence.rstrip('.')}; --say-why writes a picture of that"
        )
    if dark:
        darken(figure)
    save(figure, output, dpi)


def _option(text: str, kind: type) -> Any:
    return Annotated[kind, typer.Option(help=text)]


def _data(place: Path) -> StudyData:
    from obroute.views import StudyData

    return StudyData.read(place)


def _data_for(view: View[Any], stores: list[Path], options: dict[str, Any]) -> StudyData:
    """Return the data of a study, or of cells; of a single one, the option names it."""
    from obroute.results.stores import stored_kind
    from obroute.views import StudyData, is_cell

    if len(stores) == 1 and not is_cell(stored_kind(stores[0])):
        return _data(stores[0])
    if not view.each_cell:
        return StudyData.of_cells(stores)
    if len(stores) > 1:
        raise InputError(f"'{view.name}' is made of one cell, not of {len(stores)}")
    data, options["cell"] = StudyData.read_cell(stores[0])
    return data


def _refuse_unfit(view: View[Any], data: StudyData, known: Views[Any]) -> None:
    """Raise if a study has not what a view is made of, naming the views that it has that for."""
    missing = [section for section in view.needs if section not in data.sections]
    if missing:
        others = ", ".join(known.of_sections(data.sections)) or "none"
        raise InputError(
            f"{data.origin} has no {missing[0]}, which '{view.name}' is made of; what can be made "
            f"of it: {others}"
        )


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


def report(
    folder: Study,
    output: Output,
    title: Annotated[str, typer.Option(help="Heading of the report.")] = TITLE,
    packets: Packets = None,
    designs: DesignsStore = None,
    trade_off: TradeOffs = None,
    cells: CellsFolder = None,
    configuration: Annotated[
        str, typer.Option(help="The study's YAML file, or its text as JSON: for the record.")
    ] = "",
) -> None:
    """Write the report of a study: one HTML file that opens offline."""
    from obroute.report import write_report

    data = _with_stores(
        _data(folder), designs=designs, trade_off=trade_off, cells=cells, packets=packets
    )
    data.configuration = _configuration(configuration)
    write_report(data, output, title)


def _configuration(given: str) -> dict[str, Any]:
    """Return a study's configuration from its file, or from JSON."""
    from obroute.reading import parse_json, read_yaml

    if not given:
        return {}
    is_text = given.startswith("{")
    found = parse_json(given, "--configuration") if is_text else read_yaml(Path(given))
    if not isinstance(found, dict):
        raise InputError("--configuration: expected keys and values, such as networks: […]")
    return found
