"""Times of all-to-all and of collectives drawn as bars, a panel a network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas, width_of
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
Bars = Sequence[tuple[str, str, float]]
"""Group, routing and time of each bar of a panel."""


def all_to_all_figure(study: xr.Dataset) -> Figure:
    """Draw the time of an all-to-all by each routing over the least, which is one.

    Raises
    ------
    InputError
        If the dataset holds no gathered all-to-all.
    """
    panels: dict[str, list[tuple[str, str, float]]] = {}
    for row in all_to_all_rows(study):
        bar = "all-to-all", row["routing"], row["time"] / row["least_time"]
        panels.setdefault(row["network"], []).append(bar)
    return _bars(panels, "time over the least", least=True)


def collectives_figure(study: xr.Dataset) -> Figure:
    """Draw the time of each collective by each routing.

    Raises
    ------
    InputError
        If the dataset holds no gathered collectives.
    """
    panels: dict[str, list[tuple[str, str, float]]] = {}
    for row in collective_rows(study):
        bar = row["collective"], row["routing"], row["time"]
        panels.setdefault(row["network"], []).append(bar)
    return _bars(panels, "cycles for a vector of a packet")


def _bars(
    panels: dict[str, list[tuple[str, str, float]]], what: str, least: bool = False
) -> Figure:
    with style():
        if not panels:
            return sentence_figure("This dataset holds no times.")
        routings = list(dict.fromkeys(bar[1] for bars in panels.values() for bar in bars))
        looks = look_of(routings)
        across = min(PANELS_ACROSS, len(panels), max(1, int(width_of(10.8) / LEAST_PANEL)))
        down = math.ceil(len(panels) / across)
        figure = canvas(5.4 * across, 3.4 * down + 0.5, least=LEAST_PANEL)
        grid = figure.subplots(down, across, squeeze=False).ravel()
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        handles: dict[str, Any] = {}
        for axes, (network, bars) in zip(grid, panels.items(), strict=False):
            handles |= _panel(axes, bars, routings, looks)
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
    axes: Axes, bars: Bars, routings: Sequence[str], looks: dict[str, tuple[str, str]]
) -> dict[str, Any]:
    groups = list(dict.fromkeys(group for group, _, _ in bars))
    width = 0.8 / len(routings)
    handles: dict[str, Any] = {}
    for number, routing in enumerate(routings):
        heights = {group: time for group, name, time in bars if name == routing}
        if heights:
            places = np.array([groups.index(group) for group in heights]) + number * width
            colour = looks[routing][0]
            handles[routing] = axes.bar(places, list(heights.values()), width, color=colour)
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
