"""Times of all-to-all and of collectives drawn as bars, a panel a network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas, width_of
from obroute.plots.notes import CellName, note
from obroute.plots.style import (
    INK,
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.all_to_all import all_to_all_rows, collective_rows
from obroute.views import StudyData, figures

PANELS_ACROSS, LEAST_PANEL = 2, 4.5


class Bar(NamedTuple):
    """A bar of a panel: its group, the routing, how high it is, and what that is in words."""

    group: str
    routing: str
    height: float
    words: str


def all_to_all_figure(study: xr.Dataset) -> Figure:
    """Draw the time of an all-to-all by each routing over the least, which is one.

    Raises
    ------
    InputError
        If the dataset holds no gathered all-to-all.
    """
    panels: dict[str, list[Bar]] = {}
    for row in all_to_all_rows(study):
        words = f"{row['time_exact']} cycles, the least {row['least_time_exact']}"
        bar = Bar("all-to-all", row["routing"], row["time"] / row["least_time"], words)
        panels.setdefault(row["network"], []).append(bar)
    return _bars(panels, "time over the least", least=True)


def collectives_figure(study: xr.Dataset) -> Figure:
    """Draw the time of each collective by each routing.

    Raises
    ------
    InputError
        If the dataset holds no gathered collectives.
    """
    panels: dict[str, list[Bar]] = {}
    for row in collective_rows(study):
        words = f"{row['collective']}, {row['time_exact']} cycles"
        bar = Bar(row["collective"], row["routing"], row["time"], words)
        panels.setdefault(row["network"], []).append(bar)
    return _bars(panels, "cycles for a vector of a packet")


def _bars(panels: dict[str, list[Bar]], what: str, least: bool = False) -> Figure:
    with style():
        if not panels:
            return sentence_figure("This dataset holds no times.")
        routings = list(dict.fromkeys(bar.routing for bars in panels.values() for bar in bars))
        looks = look_of(routings)
        across = min(PANELS_ACROSS, len(panels), max(1, int(width_of(10.8) / LEAST_PANEL)))
        down = math.ceil(len(panels) / across)
        figure = canvas(5.4 * across, 3.4 * down + 0.5, least=LEAST_PANEL)
        grid = figure.subplots(down, across, squeeze=False).ravel()
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        handles: dict[str, Any] = {}
        for axes, (network, bars) in zip(grid, panels.items(), strict=False):
            handles |= _panel(axes, network, bars, routings, looks)
            if least:
                axes.axhline(1, color=INK, lw=0.9, ls=(0, (4, 3)))
            room = figure.get_figwidth() / across - 0.9
            axes.set(title=fitted(network_label(network), room), ylabel=what)
            axes.grid(axis="y")
        figure.legend(
            list(handles.values()),
            list(map(routing_label, handles)),
            loc="outside lower center",
            ncols=min(2 * across, len(handles)),
        )
        return figure


def _panel(
    axes: Axes,
    network: str,
    bars: Sequence[Bar],
    routings: Sequence[str],
    looks: dict[str, tuple[str, str]],
) -> dict[str, Any]:
    groups = list(dict.fromkeys(bar.group for bar in bars))
    width = 0.8 / len(routings)
    handles: dict[str, Any] = {}
    for number, routing in enumerate(routings):
        mine = [bar for bar in bars if bar.routing == routing]
        if mine:
            places = np.array([groups.index(bar.group) for bar in mine]) + number * width
            colour = looks[routing][0]
            heights = [bar.height for bar in mine]
            handles[routing] = axes.bar(places, heights, width, color=colour)
            of = CellName(network, routing)
            for place, bar in zip(places.tolist(), mine, strict=True):
                note(axes, f"{of}: {bar.words}", (place, bar.height / 2), cell=of)
    axes.set_xticks(
        np.arange(len(groups)) + 0.4 - width / 2, groups, rotation=20 * (len(groups) > 1)
    )
    return handles


@figures.register("all-to-all", "Times of an all-to-all over the least.", needs=("all_to_all",))
def _all_to_all(data: StudyData) -> Figure:
    return all_to_all_figure(data["all_to_all"])


@figures.register("collectives", "Times of collectives.", needs=("collectives",))
def _collectives(data: StudyData) -> Figure:
    return collectives_figure(data["collectives"])
