"""Failures drawn: the share of sets after which the worst case is at least so large."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import note
from obroute.plots.style import (
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.rational import exactly
from obroute.trends.values import holds, network_names, routing_names
from obroute.views import StudyData, figures


def failures_figure(failures: xr.Dataset) -> Figure:
    """Draw the distribution of the worst case over all sets of failures, a panel a network.

    A step at a load is as high as the share of sets after which the worst case is at least that
    load; the line begins at the load where nothing has failed, of which it is said in a marker.

    Raises
    ------
    InputError
        If the dataset holds no gathered failures.
    """
    names = routing_names(failures)
    shown = {
        network: [name for name in names if _has_distribution(failures, network, name)]
        for network in network_names(failures)
    }
    shown = {network: some for network, some in shown.items() if some}
    with style():
        if not shown:
            return sentence_figure("This study has no distribution over sets of failures.")
        looks = look_of(names)
        figure = canvas(6.2, 0.6 + 3.2 * len(shown), least=4.5)
        entries: dict[str, Artist] = {}
        for row, (network, routings) in enumerate(shown.items()):
            axes = figure.add_subplot(len(shown), 1, row + 1)
            alike: dict[tuple[float, ...], list[str]] = {}
            for routing in routings:
                cell = failures.sel(network=network, routing=routing)
                alike.setdefault(_curve(cell), []).append(routing)
            for same in alike.values():
                _draw(axes, failures.sel(network=network, routing=same[0]), looks[same[0]])
                label = " = ".join(map(failing_label, same))
                _note(axes, failures.sel(network=network, routing=same[0]), label)
                entries[label] = axes.get_lines()[-2]
            axes.set_title(fitted(network_label(network), figure.get_figwidth() - 0.9))
            axes.set_ylabel("share of sets")
            axes.set_ylim(0, 1.04)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.grid(True)
        axes.set_xlabel("worst-case load after the failures, at least")
        legend_below(figure, entries)
        return figure


def failing_label(label: str) -> str:
    """Return what figures and tables call a routing that some parts fail below.

    >>> failing_label("ecmp:split=hops without 2 cables")
    'ECMP (split=hops) without 2 cables'
    """
    routing, without, what = label.partition(" without ")
    return routing_label(routing) + without + what


def _has_distribution(failures: xr.Dataset, network: str, routing: str) -> bool:
    if not holds(failures, network, routing):
        return False
    loads = failures["load"].sel(network=network, routing=routing).values
    return bool(np.isfinite(loads).any())


def _curve(cell: xr.Dataset) -> tuple[float, ...]:
    """Return what is drawn of a routing, by which those that are alike are found."""
    known = np.isfinite(cell["load"].values)
    shares = cell["sets_of_rank"].values[known] / cell["sets"].item()
    return (cell["load_before"].item(), *cell["load"].values[known].tolist(), *shares.tolist())


def _note(axes: Axes, cell: xr.Dataset, label: str) -> None:
    """Say of each step how many sets have its load, and what was before."""
    known = np.isfinite(cell["load"].values)
    loads, counts = cell["load"].values[known], cell["sets_of_rank"].values[known]
    exact = cell["load_exact"].values[known].tolist()
    count = cell["sets"].item()
    for load, text, sets, above in zip(loads, exact, counts, np.cumsum(counts), strict=True):
        said = f"{label}: worst-case load {exactly(Fraction(text))} after {sets} of {count} sets"
        note(axes, said, (float(load), float(above) / count))
    before = Fraction(str(cell["load_before_exact"].item()))
    note(axes, f"{label}: {exactly(before)} before any failure", (float(before), 1.0))


def _draw(axes: Axes, cell: xr.Dataset, look: tuple[str, str]) -> None:
    """Draw a line of steps, and a marker where nothing has failed."""
    colour, marker = look
    known = np.isfinite(cell["load"].values)
    loads = cell["load"].values[known]
    shares = np.cumsum(cell["sets_of_rank"].values[known]) / cell["sets"].item()
    before = cell["load_before"].item()
    axes.step(
        np.r_[loads, min(before, loads[-1])],
        np.r_[shares, 1.0],
        where="post",
        color=colour,
        lw=1.5,
        marker=marker,
        ms=4,
        markevery=list(range(len(loads))),
    )
    axes.plot([before], [1.0], color=colour, marker=marker, ms=6.5, mfc="white", ls="none")


@figures.register(
    "failures",
    "Share of sets of failures by the worst-case load after them.",
    needs=("failures",),
)
def _failures(data: StudyData) -> Figure:
    return failures_figure(data["failures"])
