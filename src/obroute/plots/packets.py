"""Figures of packets that queue: steps and queues over the dimension."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from obroute.packets import IN_PHASES
from obroute.packets.relations import BORODIN_HOPCROFT
from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import note
from obroute.plots.style import (
    INK,
    fitted,
    look_of,
    routing_label,
    sentence_figure,
    style,
    traffic_label,
)
from obroute.rational import FloatArray
from obroute.trends.packets import (
    GREEDY,
    HARD_FOR_GREEDY,
    VALIANT,
    Sizes,
    averaging_bound,
    seeds_of,
    sizes_of,
    through_zero,
    traffic_names,
)
from obroute.trends.values import routing_names
from obroute.views import StudyData, figures

OFFLINE_LOOK = ("#7b4173", "d")
"""Colour and marker of what is no routing, and so has those of none."""
MOST_TICKS = 16


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
            return sentence_figure(
                "These simulations hold no hypercube, butterfly or Beneš network."
            )
        across = len(traffics)
        figure = canvas(0.6 + 3.3 * across, 0.3 + 3.0 * len(groups), least=0.6 + 2.6 * across)
        panels = figure.subplots(len(groups), len(traffics), squeeze=False, sharey="row")
        handles: dict[str, Line2D] = {}
        for row, sizes in zip(panels.tolist(), groups, strict=True):
            places = iter(row)
            for traffic in traffics:
                points = [
                    (_points(simulations, sizes, traffic, method), method) for method in methods
                ]
                if not any(found for found, _ in points):
                    continue
                axes = next(places)
                drawn: dict[str, Line2D] = {}
                for found, method in points:
                    drawn |= _draw_method(axes, found, method)
                drawn |= _draw_references(axes, sizes, traffic, methods[0].array)
                _finish_panel(axes, sizes, traffic, (figure.get_figwidth() - 0.8) / across)
                handles |= drawn
            row[0].set_ylabel(label)
            for axes in places:
                axes.set_visible(False)
        legend_below(figure, handles)
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
    for n, values in points:
        middle, least, most = (float(of(values)) for of in (np.median, np.min, np.max))
        said = f"{method.label}, n = {n}: {middle:g}"
        if least < most:
            said += f" (median of {values.size} seeds, from {least:g} to {most:g})"
        note(axes, said, (n, middle))
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


def _finish_panel(axes: Axes, sizes: Sizes, traffic: str, inches: float) -> None:
    title = fitted(f"{sizes.title}: {traffic_label(traffic)}", inches)
    axes.set(title=title, xlabel="dimension n")
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


@figures.register(
    "steps",
    "Delivery steps over n: greedy, Valiant and the off-line schedule.",
    needs=("simulations",),
)
def _steps(data: StudyData) -> Figure:
    return steps_figure(data["simulations"])


@figures.register("queues", "Longest queues over n: greedy and Valiant.", needs=("simulations",))
def _queues(data: StudyData) -> Figure:
    return queues_figure(data["simulations"])
