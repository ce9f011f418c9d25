"""How estimates from sampled paths close in on the exact worst case."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from obroute.convergence import Convergence, Point
from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import note
from obroute.plots.style import ALERT, FAINT, INK, routing_label, style
from obroute.sampling import PAIR_CHOICES

_SECOND = "#0072b2"
_TITLES = {
    "canonical": "drawn for one source of every orbit",
    "all": "drawn for every pair",
}


def convergence_figure(convergence: Convergence) -> Figure:
    """Draw the load found against the paths drawn for a pair, on logarithmic axes.

    A panel for each choice of pairs: the interval, the worst case of the sample, which is too high
    on average, and the load of the same traffic in a second sample, which is too low. A line at
    the exact worst case where it is known.
    """
    with style():
        shown = [pairs for pairs in PAIR_CHOICES if convergence.series(pairs)]
        figure = canvas(5.2 * max(1, len(shown)), 3.9, least=4 * max(1, len(shown)))
        figure.suptitle(
            f"Worst-case load of {routing_label(convergence.routing)} on {convergence.network}, "
            "estimated"
        )
        panels = figure.subplots(1, max(1, len(shown)), sharey=True, squeeze=False)[0]
        entries: dict[str, Artist] = {}
        for axes, pairs in zip(panels, shown, strict=False):
            entries.update(_panel(axes, convergence, pairs))
        panels[0].set_ylabel("load over channel bandwidth")
        legend_below(figure, entries)
        return figure


def _panel(axes: Axes, convergence: Convergence, pairs: str) -> dict[str, Artist]:
    points = convergence.series(pairs)
    counts = [point.estimate.paths_per_pair for point in points]
    confidence = min(point.estimate.confidence for point in points)
    interval = axes.vlines(
        counts,
        [point.estimate.lower for point in points],
        [point.estimate.upper for point in points],
        color=FAINT,
        lw=2.2,
    )
    entries: dict[str, Artist] = {f"interval of at least {confidence:.0%} confidence": interval}
    for label, colour, marker, loads in (
        ("in the sample", ALERT, "o", [point.sample_load for point in points]),
        ("same traffic, drawn again", _SECOND, "D", _second_loads(points)),
    ):
        (line,) = axes.plot(counts, loads, color=colour, marker=marker, ms=5, lw=0.8, ls=":")
        entries[label] = line
        for count, load in zip(counts, loads, strict=True):
            note(axes, f"{label}, {count} paths a pair: load {load:.5g}", (count, load))
    if convergence.exact is not None:
        exact = float(convergence.exact)
        entries[f"exact: {convergence.exact}"] = axes.axhline(exact, color=INK, lw=1)
    axes.set(xscale="log", yscale="log", title=_TITLES[pairs], xlabel="paths a pair")
    axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="y")
    return entries


def _second_loads(points: list[Point]) -> list[float]:
    """Return the loads of the second samples; zero has no place on a logarithmic axis."""
    return [point.estimate.load or float("nan") for point in points]
