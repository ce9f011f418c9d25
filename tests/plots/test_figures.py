"""Every figure of the repository's studies can be read: nothing cut off, no text on another.

The figures are all public functions of :mod:`obroute.plots` that return one; what they draw is
chosen by the names of their parameters, so that a new figure is checked as soon as it is there.
"""

from __future__ import annotations

import inspect
import itertools
import typing
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from tests.support.datasets import cell_dataset
from tests.support.effort import few
from tests.support.figure_checks import contradictions, faults
from tests.support.sample_studies import (
    curves_like,
    read_config,
    simulations_like,
    stability_like,
    study_like,
)

import obroute
from obroute import make_network, make_routing, plots
from obroute.convergence import Convergence, converge
from obroute.papers import locality
from obroute.plots.load_matrix import matrix_of
from obroute.plots.placement import channel_arrows
from obroute.plots.style import look_of, network_label, routing_label
from obroute.trends.structure import Structure
from obroute.trends.topologies import Guarantee, Topology

STUDIES = ("default", "paper")
CELLS = (
    ("torus:9x9", "romm", "transpose", "tornado", "bit_complement"),
    ("torus:9x9", "dor", "tornado"),
    ("torus:9x9", "valiant", "tornado"),
    ("torus:8x8", "dor", "uniform"),
    ("mesh:3x4", "o1turn", "uniform"),
    ("torus:12x12", "dor"),
)
"""What the maps and permutations of the studies' report are of."""
OTHER_SHAPES = (
    ("torus:4x4x4", "romm", "bit_complement"),
    ("torus:3x3x3", "ival"),
    ("mesh:2x3x4", "dor", "uniform"),
    ("hypercube:3", "dor", "bit_reverse"),
    ("hypercube:6", "dor", "transpose"),
    ("hypercube:4", "valiant", "bit_reverse"),
    ("torus:3x2x3x2", "dor"),
    ("complete:5", "ecmp"),
    ("complete:12", "ecmp"),
    ("butterfly:3", "bit_fixing"),
)
"""Networks that have no plane."""


QUICK = {"trend_figure", "locality_figure", "pareto_figure", "worst_case_map", "queues_figure"}
SAME_FOR_ALL = {"cell", "cells", "convergence", "found"}
"""Parameters that have the same data for every study."""


@cache
def study(name: str) -> xr.Dataset:
    """Give a study in the shape of a configuration."""
    return study_like(read_config(name))


@cache
def cell(network: str, routing: str, *patterns: str) -> xr.Dataset:
    """Evaluate one cell."""
    return cell_dataset(obroute.evaluate(network, routing, patterns))


@cache
def estimates() -> list[Convergence]:
    """Estimate from sampled paths: from few to many, and a single point."""
    return [
        converge(make_network("torus:5x5"), make_routing("romm"), [1, 10, 100, 1000], seed=1),
        converge(make_network("ring:4"), make_routing("valiant"), [2], pairs=["all"]),
    ]


def compared(count: int) -> list[Topology]:
    """Give topologies whose points are near to each other, with long names."""
    return [
        Topology(
            f"family_of_networks:{number},hosts={number}",
            f"family {number}",
            Structure(Fraction(64), 16, 300 + 7 * number * (number % 5), 5, 4),
            None,
            Fraction(1 + number % 7, 2) if number % 2 else None,
            tuple(
                Guarantee(routing, Fraction(2 + number % 7 + place, 2), Fraction(3), None)
                for place, routing in enumerate(("ecmp", "valiant", "dor"))
            ),
        )
        for number in range(count)
    ]


@cache
def given(name: str) -> dict[str, list[Any]]:
    """Give what a figure is drawn from, by the name of its parameter: one or more of each."""
    config = read_config(name)
    return {
        "study": [study(name)],
        "network": [config.report.pareto_network],
        "trade_off": _unlike(curves_like(config)),
        "simulations": [simulations_like(config)],
        "stability": [stability_like(config)],
        "cell": [cell(*case) for case in CELLS],
        "convergence": estimates(),
        "found": [compared(4), compared(24)],
        "cells": [[cell(*case) for case in CELLS if case[0] == "torus:9x9"]],
    }


def _unlike(curves: list[xr.Dataset]) -> list[xr.Dataset]:
    """Leave out curves that differ from others by their radix alone."""
    on_large = [curve for curve in curves if curve.attrs["network"] == "torus:8x8"]
    return curves[:1] + [curve for curve in on_large if curve is not curves[0]]


def figure_functions() -> dict[str, Callable[..., Figure]]:
    """Return every public function of the plots, and the papers' own, that gives a figure.

    Those of other kinds of experiment are drawn from the registry, in `test_registered_figures`.
    """
    return {
        name: function
        for module, names in ((plots, plots.__all__), (locality, ["locality_figure"]))
        for name in names
        if name not in ("drawn_at", "failures_figure", "leagues_figure", "restricted_figure")
        and inspect.isfunction(function := getattr(module, name))
        and typing.get_type_hints(function).get("return") is Figure
    }


@cache
def drawn(study_name: str, function_name: str) -> dict[str, Figure]:
    """Draw a figure of a study, once for each of what it can be drawn from."""
    function = figure_functions()[function_name]
    known = given(study_name)
    required = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty or name == "study"
    ]
    unknown = [name for name in required if name not in known]
    assert not unknown, f"say in `given` what to draw {function_name} from: {unknown}"
    return {
        f"{function_name} {place}": function(**dict(zip(required, chosen, strict=True)))
        for place, chosen in enumerate(itertools.product(*(known[name] for name in required)))
    }


@pytest.mark.parametrize(
    ("name", "function"),
    [
        pytest.param(
            name,
            function,
            marks=[pytest.mark.slow] if name == "paper" or function not in QUICK else [],
        )
        for function, drawing in sorted(figure_functions().items())
        for name in STUDIES
        if name == "default" or not set(inspect.signature(drawing).parameters) & SAME_FOR_ALL
    ],
)
def test_a_figure_of_a_study_can_be_read(name: str, function: str) -> None:
    """No artist leaves the canvas, no two texts overlap, no panel is squeezed."""
    found = {title: faults(figure) for title, figure in drawn(name, function).items()}
    assert found
    assert {title: wrong for title, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("name", few(STUDIES))
def test_a_routing_looks_the_same_in_every_figure(name: str) -> None:
    """The colour and the marker of a label are the same in all legends of a study."""
    figures = {
        title: figure
        for function in ("trend_figure", "pareto_figure", "trade_off_figure", "locality_figure")
        for title, figure in drawn(name, function).items()
    } | drawn(name, "stability_figure")
    names = study(name)["routing"].values.tolist()
    assert contradictions(figures, names) == []


def renamed(count: int, network: str = "torus:8x8") -> xr.Dataset:
    """Give a study of one network with many routings whose names are long and of files."""
    part = study("paper").sel(network=[network])
    part = part.isel(routing=np.flatnonzero(part["present"].values[0]))
    chosen = part.isel(routing=[place % part.sizes["routing"] for place in range(count)])
    names = [f"our fabrics/of last year/routing-table-of-site-{n}.csv" for n in range(count)]
    chosen = chosen.assign_coords(routing=("routing", np.array(names, dtype=object)))
    chosen = chosen.copy(deep=True)
    spread = np.linspace(0.7, 1, count)
    for name in ("fraction_of_capacity", "average_case_fraction_of_capacity"):
        chosen[name].values[:] = chosen[name].values * spread
    chosen["normalized_path_length"].values[:] /= spread
    return chosen


@pytest.mark.parametrize("count", few([1, 40]))
def test_figures_survive_one_routing_and_many_with_the_names_of_files(count: int) -> None:
    """One point, a crowd of points, and a network whose name would not fit in a line."""
    many = renamed(count)
    long = "our fabrics/of last year/the whole network of the second site, with spares.csv"
    elsewhere = many.assign_coords(network=("network", np.array([long], dtype=object)))
    curve, *_ = curves_like(read_config("default"))
    figures = {
        "pareto": plots.pareto_figure(many, "torus:8x8"),
        "pareto of a file": plots.pareto_figure(elsewhere, long),
        "one radix": plots.trend_figure(many),
        "curve": plots.trade_off_figure(curve, many),
        "curve of a file": plots.trade_off_figure(curve.assign_attrs(network=long), elsewhere),
    }
    assert {title: wrong for title, found in figures.items() if (wrong := faults(found))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("case", OTHER_SHAPES, ids=lambda case: case[0])
def test_every_channel_of_a_network_without_a_plane_has_a_place_of_its_own(
    case: tuple[str, ...],
) -> None:
    """Planes side by side, a small circle, or a matrix; no two channels in one place."""
    drawn_cell = cell(*case)
    figure = plots.channel_load_map(drawn_cell, ["worst_case"])
    assert faults(figure) == []
    matrix = matrix_of(drawn_cell)
    if matrix is None:
        _, start, step = channel_arrows(drawn_cell)
        places = start + step / 2
        apart = np.hypot(*(places[:, np.newaxis] - places).T)
        assert apart[~np.eye(len(places), dtype=bool)].min() > 0.1
    else:
        assert len(np.unique(matrix.places, axis=0)) == drawn_cell.sizes["channel"]
        tails = np.array(matrix.rows)[matrix.places[:, 0]]
        network = obroute.make_network(case[0])
        assert [network.describe(n) for n in drawn_cell["tail"].values.tolist()] == tails.tolist()
    assert len(faults(plots.channel_load_comparison([drawn_cell] * 3))) == 0


def test_no_two_routings_of_a_study_look_alike() -> None:
    """Nor do many that are files or variants that nobody has heard of."""
    files = [f"my fabrics/table-{n}.csv" for n in range(12)] + [f"romm:seed={n}" for n in range(9)]
    for names in (*(study(name)["routing"].values.tolist() for name in STUDIES), files):
        looks = look_of(names)
        assert set(looks) == set(names)
        assert len(set(looks.values())) == len(names)


def test_what_a_routing_looks_like_does_not_depend_on_the_others() -> None:
    """The same in the order of any study, and alone."""
    names = study("paper")["routing"].values.tolist()
    assert look_of(names) == look_of(names[::-1])
    assert all(look_of([name])[name] == look for name, look in look_of(names).items())


def test_a_figure_with_a_fault_is_found() -> None:
    """The checker itself: each fault that it looks for, made on purpose."""
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="a label")
    axes.text(0.5, 0.5, "one text")
    axes.text(0.52, 0.5, "another")
    axes.text(0.2, 0.2, "small", fontsize=4)
    axes.set_title("a title that is far too long for a figure of four inches, so it is cut off")
    figure.add_axes((0.9, 0.9, 0.05, 0.05)).set_title("tiny")
    axes.legend()
    found = " | ".join(faults(figure))
    for expected in (
        "'one text' overlaps 'another'",
        "cut off' leaves the canvas",
        "outside the canvas",
        "the panel 'tiny' is only",
        "a legend lies over",
        "'small' is written in 4.0 points",
    ):
        assert expected in found
    turned = Figure(figsize=(4, 3))
    for x in (0.3, 0.35):
        turned.text(x, 0.5, "side by side at a slant", rotation=45, ha="center", va="center")
    assert faults(turned) == []
    turned.text(0.32, 0.5, "in between", rotation=45, ha="center", va="center")
    assert len(faults(turned)) == 2


def test_labels_of_files_are_their_names() -> None:
    """A folder in a label would push everything else off the figure."""
    assert routing_label("tables/of mine/romm.csv") == "romm.csv"
    assert routing_label("1/2*dor+1/2*my/romm.csv") == "1/2 DOR + 1/2 romm.csv"
    assert network_label("torus:4x4,bandwidth=1/2") == "torus:4x4,bandwidth=1/2"
    assert network_label("my/edges.csv:terminals=my/hosts.csv") == "edges.csv:terminals=hosts.csv"


def test_text_in_an_svg_file_is_text_in_fonts_that_browsers_have() -> None:
    """It can be searched, copied and read aloud; the last resort is any font without serifs."""
    figure = plots.pareto_figure(study("default"), "torus:8x8")
    written = plots.image_bytes(figure, "svg").decode()
    for expected in ("<text", "DOR = O1TURN", "guaranteed throughput", "sans-serif"):
        assert expected in written
