"""Worst cases over sets of traffic drawn: a panel a network, a line a routing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from obroute.plots.canvas import canvas, width_of
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.style import (
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.rational import exactly
from obroute.trends.restricted import restricted_rows, set_names
from obroute.trends.values import routing_names
from obroute.views import StudyData, figures

PANELS_ACROSS, LEAST_PANEL = 2, 4


def restricted_figure(restricted: xr.Dataset) -> Figure:
    """Draw the largest load over each set of traffic, in the order that the study lists them.

    Raises
    ------
    InputError
        If the dataset holds no gathered worst cases over sets of traffic.
    """
    rows = list(restricted_rows(restricted))
    with style():
        if not rows:
            return sentence_figure("This dataset holds no worst case over a set of traffic.")
        networks = list(dict.fromkeys(row.network for row in rows))
        looks = look_of(routing_names(restricted))
        across = min(PANELS_ACROSS, len(networks), max(1, int(width_of(10.8) / LEAST_PANEL)))
        down = math.ceil(len(networks) / across)
        figure = canvas(5.4 * across, 3.6 * down + 0.3, least=LEAST_PANEL)
        room = figure.get_figwidth() / across - 0.9
        grid = figure.subplots(down, across, squeeze=False)
        for axes in grid.ravel()[len(networks) :]:
            axes.set_axis_off()
        for axes, network in zip(grid.ravel(), networks, strict=False):
            mine = [row for row in rows if row.network == network]
            names = [n for n in set_names(restricted) if any(r.traffic_set == n for r in mine)]
            for routing in dict.fromkeys(row.routing for row in mine):
                loads = {row.traffic_set: row.load for row in mine if row.routing == routing}
                colour, marker = looks[routing]
                heights = [loads.get(name, np.nan) for name in names]
                axes.plot(range(len(names)), heights, color=colour, marker=marker, ms=5, lw=1.2)
            for row in mine:
                of = CellName(network, row.routing)
                load = exactly(Fraction(row.load_exact))
                place = (names.index(row.traffic_set), row.load)
                note(axes, f"{of}, {row.traffic_set}: largest load {load}", place, cell=of)
            axes.set(
                title=fitted(network_label(network), room), ylabel="largest load", ylim=(0, None)
            )
            axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
            axes.grid(axis="y")
        routings = list(dict.fromkeys(row.routing for row in rows))
        legend_below(
            figure,
            {
                routing_label(name): Line2D(
                    [], [], color=looks[name][0], marker=looks[name][1], ms=5, lw=1.2
                )
                for name in routings
            },
        )
        return figure


@figures.register("restricted", "Worst cases over sets of traffic.", needs=("restricted",))
def _restricted(data: StudyData) -> Figure:
    return restricted_figure(data["restricted"])
