"""Every registered figure of every kind of study can be read, at its own size and at its least.

The figures are those of the registry and the studies those of the repository: a figure or a
network that is added is drawn here as soon as it is there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.support.datasets import cell_dataset, gathered_dataset
from tests.support.every_kind import words_of
from tests.support.figure_checks import contradictions, faults
from tests.support.rule import run
from tests.support.sample_studies import (
    curves_like,
    read_config,
    simulations_like,
    stability_like,
    study_like,
)

import obroute
from obroute import plots
from obroute.kinds.registry import kinds
from obroute.plots.dark import GROUND
from obroute.plots.points import marker_sizes
from obroute.plots.style import Sentence
from obroute.specs import InputError
from obroute.study import Cell
from obroute.trends.values import holds, network_names, routing_names, value
from obroute.views import Coverage, StudyData, View, figures

EXAMPLES = Path(__file__).parents[2] / "examples"
OWN = (
    "abilene.xml",
    "fabric.dot",
    "backbone.xml",
    "noc.anynet",
    "zoo.graphml",
    "gpus.txt",
    "tree.topo",
)
STUDIES = ("default", "paper", "families", "own", "tiny")
DRAWN = {
    "default": ("mesh:8x8", "torus:4x4", "torus:9x9"),
    "paper": ("torus:9x9", "torus:4x4"),
}
"""Networks whose cells are drawn; of the other studies every network is."""
QUICK = {("own", "load_comparison"), ("own", "worst_cases"), ("default", "pareto")}


@cache
def cell(network: str, routing: str) -> xr.Dataset:
    """Evaluate one cell."""
    return cell_dataset(obroute.evaluate(network, routing))


@cache
def own_cells() -> dict[str, xr.Dataset]:
    """Evaluate fabrics of one's own, each from a file with a long path."""
    found = {}
    for file in OWN:
        network = str(EXAMPLES / file)
        for routing in ("ecmp", "minimal"):
            try:
                found[f"{file}/{routing}.zarr"] = cell(network, routing)
            except InputError:
                continue  # a routing that this fabric has not
    return found


@cache
def study(name: str) -> xr.Dataset:
    """Give the evaluations of a study: real ones of what is small, else in shape."""
    if name == "tiny":
        return tiny()["evaluations"]
    return gathered_dataset(own_cells()) if name == "own" else study_like(read_config(name))


@cache
def tiny() -> StudyData:
    """Give a study of every kind of experiment that there is: a cell or two of each."""
    stores = []
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in kinds().items():
            for routing in ("dor", "valiant") if kind.takes_routing else ("",):
                store = Path(folder) / f"{name}-{routing}.zarr"
                words = words_of(kind, "torus:3x3", routing)
                if run(Path(folder), *words, "--save", store, "--quiet").status == 0:
                    stores.append(store)
        return StudyData.of_cells(stores)


class Cells(dict[str, xr.Dataset]):
    """Cells of a study that are evaluated when they are asked for, by the names of its stores."""

    def __init__(self, cells: dict[str, Cell]) -> None:
        super().__init__()
        self.known = {f"{name}.zarr": one for name, one in cells.items()}

    def __contains__(self, name: object) -> bool:
        return name in self.known

    def __getitem__(self, name: str) -> xr.Dataset:
        return cell(self.known[name].network, self.known[name].routing)

    def __bool__(self) -> bool:
        return bool(self.known)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)


@cache
def data_of(name: str) -> StudyData:
    """Give a study's data, by section."""
    if name == "tiny":
        return tiny()
    if name == "own":
        return StudyData({"evaluations": study(name)}, {"evaluations": own_cells()})
    config = read_config(name)
    stores = {"evaluations": study(name)}
    if config.simulations:
        stores["simulations"] = simulations_like(config)
    if config.stability:
        stores["stability"] = stability_like(config)
    curves = {f"{place}": curve for place, curve in enumerate(curves_like(config))}
    cells = {"evaluations": Cells(config.cells("evaluations")), "trade_offs": curves}
    return StudyData(stores, cells)


def ways(name: str, view: View[Any]) -> dict[str, dict[str, str]]:
    """Give the options that a figure of a study is drawn with, each by a title."""
    data = data_of(name)
    if view.needs == ("trade_offs",):
        return {place: {"cell": place} for place in data.cell_names("trade_offs")}
    options = {option.name for option in view.options}
    if not options & {"cell", "network"}:
        return {"": {}}
    networks = [n for n in network_names(data["evaluations"]) if n in DRAWN.get(name, (n,))]
    if "cell" not in options:
        return {network: {"network": network} for network in networks}
    first = {
        network: next(r for r in routing_names(study(name)) if holds(study(name), network, r))
        for network in networks
    }
    return {
        network: {"cell": str(value(study(name), "cell", network=network, routing=routing))}
        for network, routing in first.items()
    }


def drawings(name: str, view: View[Any]) -> dict[str, Callable[[], Figure]]:
    """Give what draws a figure of a study, by title."""

    def drawing(options: dict[str, str]) -> Callable[[], Figure]:
        return lambda: view.of(data_of(name), **options)

    return {f"{view.name} {title}": drawing(way) for title, way in ways(name, view).items()}


def made(draw: Callable[[], Figure]) -> Figure | None:
    """Draw a figure; None if it says that it cannot be drawn of this, in one line."""
    said = ""
    try:
        return draw()
    except InputError as error:
        said = str(error)
    assert said
    assert "\n" not in said
    return None


def least_width(draw: Callable[[], Figure]) -> float:
    """Return the least width that a figure is drawn at."""
    with pytest.raises(InputError, match="give at least") as raised:
        plots.drawn_at(draw, width=1)
    return float(re.findall(r"at least ([\d.]+)", str(raised.value))[0])


def applicable(name: str) -> list[View[Any]]:
    """Return the figures that a study has what is needed for, and that say something of it."""
    if name == "tiny":
        return list(figures)
    has = {"evaluations"} | ({"trade_offs"} if name in ("default", "paper") else set())
    has |= {"simulations", "stability"} if name == "default" else set()
    if name == "own":
        networks = [str(EXAMPLES / file) for file in OWN]
    else:
        networks = [one.network for one in read_config(name).cells("evaluations").values()]
    designed = set() if name == "own" else {"designs"}
    covered = Coverage({key: ["a cell"] for key in has | designed}, frozenset(networks))
    return [
        view
        for view in figures
        if set(view.needs) <= has and (view.options or view.applies(covered))
    ]


@pytest.mark.parametrize(
    ("name", "view"),
    [
        pytest.param(
            name,
            view,
            id=f"{name}-{view.name}",
            marks=[] if (name, view.name) in QUICK else [pytest.mark.slow],
        )
        for name in STUDIES
        for view in applicable(name)
    ],
)
def test_every_figure_of_every_study_can_be_read(name: str, view: View[Any]) -> None:
    """Nothing leaves the canvas and no two texts overlap, at its own width and the least."""
    wrong: dict[str, list[str]] = {}
    for title, draw in drawings(name, view).items():
        figure = made(draw)
        if figure is None or isinstance(figure, Sentence):
            continue
        wrong[title] = faults(figure)
        least = least_width(draw)
        wrong[f"{title}, {least:g} inches"] = faults(plots.drawn_at(draw, width=least))
    assert {title: found for title, found in wrong.items() if found} == {}


@pytest.mark.slow
def test_every_figure_is_drawn_of_something() -> None:
    """None is left that no study here has what is needed for."""
    lacking = {view.name: set(view.needs) - set(tiny().sections) for view in figures}
    assert {name: needs for name, needs in lacking.items() if needs} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "paper"])
def test_a_routing_has_one_look_in_all_figures_of_a_study(name: str) -> None:
    """Its colour and its marker, in the legends of every registered figure."""
    drawn = {
        title: figure
        for view in applicable(name)
        if not set(view.needs) & {"simulations"} and not {"cell"} & {o.name for o in view.options}
        for title, draw in drawings(name, view).items()
        if (figure := made(draw)) is not None
    }
    assert contradictions(drawn, routing_names(study(name))) == []


def test_texts_on_a_dark_ground_stand_out_from_it() -> None:
    """Every text and every marker has a contrast of 4.5 to 1, as WCAG asks of texts."""
    figure = plots.pareto_figure(study("default"), "torus:8x8")
    plots.darken(figure)
    texts = [t.get_color() for t in figure.findobj(Text) if t.get_text()]
    markers = [line.get_markeredgecolor() for line in figure.axes[0].lines]
    ground = luminance(GROUND)
    assert luminance(figure.get_facecolor()) == pytest.approx(ground)
    for colour in texts + markers:
        assert (luminance(colour) + 0.05) / (ground + 0.05) > 4.5, colour


def luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_no_marker_is_hidden_by_another() -> None:
    """Where points nearly coincide, each later one is smaller than the earlier."""
    crowd = [(0.5, 1.0), (0.5001, 1.0), (0.9, 2.0), (0.4999, 1.0)]
    sizes = marker_sizes(crowd, (8, 5), 9)
    assert sizes[2] == sizes[0] == 9
    assert sizes[0] > sizes[1] > sizes[3]
