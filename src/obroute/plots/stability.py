"""Stable rates drawn: against the ideal throughput, and the curves over the rate."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.style import (
    FAINT,
    fitted,
    look_of,
    routing_label,
    sentence_figure,
    style,
    traffic_label,
)
from obroute.rational import FloatArray
from obroute.trends.packets import StableRate, stable_rates
from obroute.trends.values import routing_names
from obroute.views import StudyData, figures


def stability_figure(stability: xr.Dataset) -> Figure:
    """Draw measured stable rates against the ideal throughput, and the curves over the rate.

    Left, the interval from the largest rate found stable to the least found unstable: over the
    exact ideal, and its distance from it in per cent. Middle and right, a row a traffic: packets
    accepted over packets offered, and the mean delay; vertical lines mark the ideal rate, and open
    markers are beyond it, where delays grow with the length of the run.

    Raises
    ------
    InputError
        If the dataset holds no gathered stability.
    """
    rates = stable_rates(stability)
    with style():
        if not rates:
            return sentence_figure("This dataset holds no stable rate.")
        cases = list(dict.fromkeys((rate.network, rate.traffic) for rate in rates))
        if not stability.sizes.get("rate", 0):
            cases = []
        looks = look_of(routing_names(stability))
        height = max(5.4, 2.5 * len(cases) + 0.6, 3.4 + 0.24 * len(rates))
        figure = canvas(11.5 if cases else 5, height, least=9.5 if cases else 4.5)
        figure.set_layout_engine("constrained", hspace=0.05)  # titles from the panels above
        grid = GridSpec(1, 2, figure, width_ratios=[1.05, 2]) if cases else GridSpec(1, 1, figure)
        left = grid[0].subgridspec(2, 1, height_ratios=[3, 0.8 + 0.2 * len(rates)])
        _ideal_panel(figure.add_subplot(left[0]), rates, looks)
        _residual_panel(figure.add_subplot(left[1]), rates, looks)
        if cases:
            _curve_panels(figure, grid[1].subgridspec(len(cases), 2), stability, cases, looks)
        routings = list(dict.fromkeys(rate.routing for rate in rates))
        legend_below(
            figure,
            {
                routing_label(name): Line2D(
                    [], [], color=looks[name][0], marker=looks[name][1], ms=5, lw=1.3
                )
                for name in routings
            },
        )
        return figure


def _ideal_panel(axes: Axes, rates: list[StableRate], looks: dict[str, tuple[str, str]]) -> None:
    most = 1.08 * max(max(rate.unstable, rate.ideal) for rate in rates)
    axes.plot([0, most], [0, most], color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    for rate in rates:
        colour, marker = looks[rate.routing]
        middle = (rate.stable + rate.unstable) / 2
        _note_rate(axes, rate, (rate.ideal, middle))
        axes.vlines(rate.ideal, rate.stable, rate.unstable, color=colour, lw=2, zorder=2)
        axes.plot(
            rate.ideal,
            middle,
            color=colour,
            marker=marker,
            ms=6,
            mfc="none",
            mew=1.4,
            zorder=3,
        )
    axes.set(
        title="Stable rate against the ideal",
        xlabel="ideal throughput (exact)",
        ylabel="measured stable rate (95 %)",
        xlim=(0, most),
        ylim=(0, most),
    )
    axes.grid(True)


def _note_rate(axes: Axes, rate: StableRate, place: tuple[float, float]) -> None:
    of = CellName(rate.network, rate.routing)
    said = f"stable at {rate.stable:.4g}, unstable at {rate.unstable:.4g}, ideal {rate.ideal:.5g}"
    note(axes, f"{of}, {traffic_label(rate.traffic)}: {said}", place, cell=of)


def _residual_panel(
    axes: Axes, rates: list[StableRate], looks: dict[str, tuple[str, str]]
) -> None:
    networks = {rate.network for rate in rates}
    axes.axvline(0, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    for place, rate in enumerate(rates):
        colour, marker = looks[rate.routing]
        low, high = rate.percents
        _note_rate(axes, rate, ((low + high) / 2, place))
        axes.hlines(place, low, high, color=colour, lw=3, zorder=2)
        axes.plot((low + high) / 2, place, color=colour, marker=marker, ms=4.5, zorder=3)
    widest = max(2.0, *(abs(percent) for rate in rates for percent in rate.percents))
    axes.set(
        title="Its distance from the ideal",
        xlabel="per cent of the ideal",
        xlim=(-1.15 * widest, 1.15 * widest),
        ylim=(len(rates) - 0.4, -0.6),
    )
    axes.set_yticks(
        range(len(rates)),
        [
            (f"{rate.network} " if len(networks) > 1 else "")
            + f"{routing_label(rate.routing)}, {traffic_label(rate.traffic)}"
            for rate in rates
        ],
    )
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def _curve_panels(
    figure: Figure,
    grid: Any,
    stability: xr.Dataset,
    cases: list[tuple[str, str]],
    looks: dict[str, tuple[str, str]],
) -> None:
    for row, (network, traffic) in enumerate(cases):
        accepted = figure.add_subplot(grid[row, 0])
        delay = figure.add_subplot(grid[row, 1])
        most = 0.0
        for rate in stable_rates(stability):
            if (rate.network, rate.traffic) == (network, traffic):
                at = stability.sel(network=network, routing=rate.routing, traffic=traffic)
                offered = at["offered"].values
                look = looks[rate.routing]
                # Curves that coincide stay visible one in the other.
                size = max(4.0, 6.5 - 1.25 * list(looks).index(rate.routing))
                _draw_curve(accepted, offered, at["accepted"].values, rate.ideal, look, size)
                _draw_curve(delay, offered, at["mean_delay"].values, rate.ideal, look, size)
                most = max(most, float(np.nanmax(offered, initial=0.0)), rate.ideal)
        most = (most or 1.0) * 1.04
        accepted.plot([0, most], [0, most], color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
        heading = f"{traffic_label(traffic)} on {network}"
        inches = 0.28 * figure.get_figwidth()
        accepted.set(
            title=fitted(f"Accepted: {heading}", inches), ylabel="accepted", xlim=(0, most)
        )
        accepted.set_ylim(0, None)
        delay.set(
            title=fitted(f"Mean delay: {heading}", inches),
            ylabel="steps",
            xlim=(0, most),
            yscale="log",
        )
        delay.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        for axes in (accepted, delay):
            axes.grid(axis="y")
            if row == len(cases) - 1:
                axes.set_xlabel(fitted("offered (packets per step, sending source)", inches, 9.5))


def _draw_curve(
    axes: Axes,
    offered: FloatArray,
    values: FloatArray,
    ideal: float,
    look: tuple[str, str],
    size: float,
) -> None:
    colour, marker = look
    axes.axvline(ideal, color=colour, lw=size / 4.5, ls=":", zorder=1)
    known = np.isfinite(offered) & np.isfinite(values)
    x, y = offered[known], values[known]
    axes.plot(x, y, color=colour, lw=size / 4, zorder=2)
    for beyond, fill in ((False, colour), (True, "white")):
        mine = (x > ideal) == beyond
        axes.plot(x[mine], y[mine], color=colour, marker=marker, ms=size, mfc=fill, ls="none")


@figures.register(
    "stability",
    "Stable rates against the ideal throughput, and the curves over the rate.",
    needs=("stability",),
)
def _stability(data: StudyData) -> Figure:
    return stability_figure(data["stability"])
