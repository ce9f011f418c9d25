"""Figures of packets that queue: steps and queues over the dimension, and stable rates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from obroute.packets.relations import BORODIN_HOPCROFT
from obroute.plots.style import FAINT, INK, look_of, routing_label, save, style
from obroute.rational import FloatArray
from obroute.results import IN_PHASES
from obroute.trends.packets import (
    GREEDY,
    HARD_FOR_GREEDY,
    VALIANT,
    Sizes,
    StableRate,
    averaging_bound,
    seeds_of,
    sizes_of,
    stable_rates,
    through_zero,
    traffic_names,
)
from obroute.trends.readings import routing_names

OFFLINE_LOOK = ("#7b4173", "d")
"""Colour and marker of what is no routing, and so has those of none."""
MOST_TICKS = 16
TRAFFIC_LABELS = {
    "bit_reverse": "bit reversal",
    "borodin_hopcroft": "Borodin and Hopcroft's",
    "random_permutation": "random permutations",
    "worst_case": "worst case",
}


def traffic_label(traffic: str) -> str:
    """Return what a person calls a traffic.

    >>> traffic_label("bit_reverse"), traffic_label("bit_complement")
    ('bit reversal', 'bit complement')
    """
    return TRAFFIC_LABELS.get(traffic, traffic.replace("_", " "))


@dataclass(frozen=True)
class _Method:
    """A way to route, with every routing that it goes by."""

    label: str
    colour: str
    marker: str
    array: str
    routings: tuple[str, ...]


def _methods(simulations: xr.Dataset, array: str) -> Iterator[_Method]:
    routings = routing_names(simulations)
    looks = look_of(list(dict.fromkeys(["dor", "valiant", *routings])))
    if set(GREEDY) & set(routings):
        yield _Method("greedy (bit fixing)", *looks["dor"], array, GREEDY)
    if set(VALIANT) & set(routings):
        yield _Method("Valiant's two phases", *looks["valiant"], array, VALIANT)
    for name in routings:
        if name not in (*GREEDY, *VALIANT) and not name.endswith(IN_PHASES):
            yield _Method(routing_label(name), *looks[name], array, (name,))


def _points(
    simulations: xr.Dataset, sizes: Sizes, traffic: str, method: _Method
) -> list[tuple[int, FloatArray]]:
    """Return n and the values of all seeds, for every n that has some."""
    points = []
    for n, network in sizes.networks.items():
        runs = (
            seeds_of(simulations, method.array, network, routing, traffic)
            for routing in method.routings
        )
        values = next((found for found in runs if found.size), None)
        if values is not None:
            points.append((n, values))
    return points


def steps_figure(simulations: xr.Dataset) -> Figure:
    """Draw the steps to deliver a permutation over n: greedy, Valiant, and the off-line schedule.

    A row a family, a panel a traffic; lines are medians over the seeds, bands reach from the least
    to the most. Dashed: √N/2, the packets on greedy's heaviest channel, and √N/n, the bound that
    the notes prove (2^⌊n/2⌋ stands for √N where n is odd), and 2n - 1 of the off-line schedule.

    Raises
    ------
    InputError
        If the dataset holds no gathered simulations.
    """
    routings = tuple(routing_names(simulations))
    offline = _Method("off-line schedule", *OFFLINE_LOOK, "offline_steps", routings)
    methods = [*_methods(simulations, "steps"), offline]
    return _over_dimension(simulations, methods, "steps until all packets arrived")


def queues_figure(simulations: xr.Dataset) -> Figure:
    """Draw the longest queue of any channel over n, as :func:`steps_figure` does the steps.

    The off-line schedule is not in it: a node never holds more than one packet then.

    Raises
    ------
    InputError
        If the dataset holds no gathered simulations.
    """
    methods = list(_methods(simulations, "largest_queue"))
    return _over_dimension(simulations, methods, "longest queue (packets)")


def _over_dimension(simulations: xr.Dataset, methods: list[_Method], label: str) -> Figure:
    traffics = [name for name in traffic_names(simulations) if name != BORODIN_HOPCROFT]
    groups = [
        sizes
        for sizes in sizes_of(simulations)
        if any(_points(simulations, sizes, *case) for case in itertools.product(traffics, methods))
    ]
    with style():
        if not groups:
            return _sentence("These simulations hold no hypercube, butterfly or Beneš network.")
        figure = Figure(
            figsize=(0.6 + 3.3 * len(traffics), 0.7 + 3.0 * len(groups)), layout="constrained"
        )
        panels = figure.subplots(len(groups), len(traffics), squeeze=False, sharey="row")
        handles: dict[str, Line2D] = {}
        for row, sizes in zip(panels.tolist(), groups, strict=True):
            for axes, traffic in zip(row, traffics, strict=True):
                drawn: dict[str, Line2D] = {}
                for method in methods:
                    points = _points(simulations, sizes, traffic, method)
                    drawn |= _draw_method(axes, points, method)
                if not drawn:
                    axes.set_visible(False)
                    continue
                drawn |= _draw_references(axes, sizes, traffic, methods[0].array)
                _finish_panel(axes, sizes, traffic)
                handles |= drawn
            leftmost = next(axes for axes in row if axes.get_visible())
            leftmost.set_ylabel(label)
            leftmost.tick_params(labelleft=True)
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="outside lower center",
            ncols=min(len(handles), 3 if len(traffics) > 1 else 2),
        )
        return figure


def _draw_method(
    axes: Axes, points: list[tuple[int, FloatArray]], method: _Method
) -> dict[str, Line2D]:
    if not points:
        return {}
    dimensions = [n for n, _ in points]
    axes.fill_between(
        dimensions,
        [values.min() for _, values in points],
        [values.max() for _, values in points],
        color=method.colour,
        alpha=0.18,
        lw=0,
        zorder=1,
    )
    (line,) = axes.plot(
        dimensions,
        [float(np.median(values)) for _, values in points],
        color=method.colour,
        marker=method.marker,
        ms=4.5,
        lw=1.4,
        zorder=3,
    )
    return {method.label: line}


def _draw_references(axes: Axes, sizes: Sizes, traffic: str, array: str) -> dict[str, Line2D]:
    """Draw the bounds that hold for the panel: of one packet per channel and step."""
    if sizes.options:
        return {}
    chosen: list[tuple[str, str, Any, Callable[[int], float]]] = []
    if traffic in HARD_FOR_GREEDY:
        label = "√N/2, packets on greedy's heaviest channel"
        chosen.append((label, INK, (0, (4, 2)), lambda n: through_zero(n) / 2))
        if array == "steps" and sizes.family == "hypercube":
            label = "⌈√N/n⌉, the bound of the proof for greedy"
            chosen.append((label, INK, (0, (1, 1.5)), averaging_bound))
    if array == "steps" and sizes.family == "hypercube":
        label = "2n − 1, the most that a schedule takes"
        chosen.append((label, OFFLINE_LOOK[0], (0, (4, 2)), lambda n: 2 * n - 1))
    dimensions = [
        n for n in sizes.networks if not (traffic == "transpose" and n % 2)
    ]  # transpose needs an even n
    return {
        label: axes.plot(
            dimensions, [of(n) for n in dimensions], color=colour, ls=dashes, lw=1, zorder=2
        )[0]
        for label, colour, dashes, of in chosen
    }


def _finish_panel(axes: Axes, sizes: Sizes, traffic: str) -> None:
    axes.set(title=f"{sizes.title}: {traffic_label(traffic)}", xlabel="dimension n")
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_locator(LogLocator(base=2))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    low, high = axes.get_ylim()  # from one power of two to another, so that both ends have a tick
    axes.set_ylim(2 ** math.floor(math.log2(low)), 2 ** math.ceil(math.log2(high)))
    if len(sizes.networks) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(list(sizes.networks)))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


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
            return _sentence("This dataset holds no stable rate.")
        cases = list(dict.fromkeys((rate.network, rate.traffic) for rate in rates))
        if not stability.sizes.get("rate", 0):
            cases = []
        looks = look_of(routing_names(stability))
        height = max(5.4, 2.5 * len(cases) + 0.6, 3.4 + 0.24 * len(rates))
        figure = Figure(figsize=(11.5 if cases else 5, height), layout="constrained")
        grid = GridSpec(1, 2, figure, width_ratios=[1.05, 2]) if cases else GridSpec(1, 1, figure)
        left = grid[0].subgridspec(2, 1, height_ratios=[3, 0.8 + 0.2 * len(rates)])
        _ideal_panel(figure.add_subplot(left[0]), rates, looks)
        _residual_panel(figure.add_subplot(left[1]), rates, looks)
        if cases:
            _curve_panels(figure, grid[1].subgridspec(len(cases), 2), stability, cases, looks)
        routings = list(dict.fromkeys(rate.routing for rate in rates))
        figure.legend(
            [
                Line2D([], [], color=looks[name][0], marker=looks[name][1], ms=5, lw=1.3)
                for name in routings
            ],
            [routing_label(name) for name in routings],
            loc="outside lower center",
            ncols=len(routings),
        )
        return figure


def _ideal_panel(axes: Axes, rates: list[StableRate], looks: dict[str, tuple[str, str]]) -> None:
    most = 1.08 * max(max(rate.unstable, rate.ideal) for rate in rates)
    axes.plot([0, most], [0, most], color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    for rate in rates:
        colour, marker = looks[rate.routing]
        axes.vlines(rate.ideal, rate.stable, rate.unstable, color=colour, lw=2, zorder=2)
        axes.plot(
            rate.ideal,
            (rate.stable + rate.unstable) / 2,
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


def _residual_panel(
    axes: Axes, rates: list[StableRate], looks: dict[str, tuple[str, str]]
) -> None:
    networks = {rate.network for rate in rates}
    axes.axvline(0, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    for place, rate in enumerate(rates):
        colour, marker = looks[rate.routing]
        low, high = rate.percents
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
        accepted.set(title=f"Accepted: {heading}", ylabel="accepted", xlim=(0, most))
        accepted.set_ylim(0, None)
        delay.set(title=f"Mean delay: {heading}", ylabel="steps", xlim=(0, most), yscale="log")
        delay.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        for axes in (accepted, delay):
            axes.grid(axis="y")
            if row == len(cases) - 1:
                axes.set_xlabel("offered (packets per step, sending source)")


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


def _sentence(sentence: str) -> Figure:
    figure = Figure(figsize=(6.4, 1.2), layout="constrained")
    figure.text(0.5, 0.5, sentence, ha="center", va="center", color=INK)
    return figure


def write_steps_figure(simulations: xr.Dataset, path: Path) -> None:
    """Write :func:`steps_figure` as SVG, PNG or PDF."""
    save(steps_figure(simulations), path)


def write_queues_figure(simulations: xr.Dataset, path: Path) -> None:
    """Write :func:`queues_figure` as SVG, PNG or PDF."""
    save(queues_figure(simulations), path)


def write_stability_figure(stability: xr.Dataset, path: Path) -> None:
    """Write :func:`stability_figure` as SVG, PNG or PDF."""
    save(stability_figure(stability), path)
