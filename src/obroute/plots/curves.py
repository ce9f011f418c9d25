"""Curves of a study: the worst case over the radix, computed and in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from obroute.plots.canvas import canvas, width_of
from obroute.plots.legends import height_of, joint_label, legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.style import (
    FAINT,
    INK,
    look_of,
    sentence_figure,
    style,
)
from obroute.rational import exactly
from obroute.trends import ClosedForm, Series, TrendRow, series_of, trend_table
from obroute.trends.theory import PLACES, Printed
from obroute.trends.values import routing_names
from obroute.views import StudyData, figures

LARGEST_RADIX = 499
"""Radix to which closed forms are drawn."""
HEADROOM = 1.15
PANEL_HEIGHT = 4.3
"""Inches that a row of panels takes, without its legend."""
SIDE_BY_SIDE = 7.5
"""Inches of width from which two panels have room side by side."""
WIDEST_LINEAR = 12
"""The largest radix over the least for which the axis is linear."""
FRACTION_LABEL = "guaranteed throughput (fraction of capacity)"
INJECTION_LABEL = "guaranteed throughput (of injection bandwidth)"
"""Where the capacity of some size is not known."""

Group = tuple[list[str], list[TrendRow]]
"""Routings whose worst cases are the same at every radix that they share, and the longest rows."""


def trend_figure(study: xr.Dataset) -> Figure:
    """Draw the guaranteed throughput over the radix, computed and in closed form.

    A row a series. Markers are computed values, lines closed forms; on k-ary 2-cubes a second
    panel follows the closed forms to k = 499 on a logarithmic axis, with what has been printed of
    them where it belongs. A study without a series gives a figure that says so.
    """
    with style():
        rows = [row for row in trend_table(study) if row.worst_case_load_exact]
        shown = [
            (series, mine)
            for series in series_of(study)
            if (mine := [row for row in rows if row.series == series.title])
        ]
        if not shown:
            return sentence_figure("This study holds no series of at least two radices.")
        stacked = width_of(10) < SIDE_BY_SIDE
        figure = canvas(10, PANEL_HEIGHT * (1 + stacked) * len(shown), least=4.2)
        width, height = figure.get_size_inches()
        looks = look_of(routing_names(study))
        grid = figure.add_gridspec(len(shown), 1)
        heights = [
            _series_row(
                figure.add_subfigure(grid[place]),
                series,
                _groups(mine),
                looks,
                height / len(shown),
            )
            for place, (series, mine) in enumerate(shown)
        ]
        grid.set_height_ratios(heights)
        figure.set_size_inches(width, sum(heights))
        return figure


def _series_row(
    part: SubFigure,
    series: Series,
    groups: list[Group],
    looks: dict[str, tuple[str, str]],
    height: float,
) -> float:
    """Draw one series, its legend below; return the height in inches that it needs with it."""
    stacked = width_of(10) < SIDE_BY_SIDE
    left, right = part.subplots(2, 1) if stacked else part.subplots(1, 2)
    part.suptitle(series.title, fontweight="bold")
    entries = _computed_panel(left, series, groups, looks)
    if any(_form_of(series, names) for names, _ in groups):
        entries |= _long_run_panel(right, series, groups, looks)
    else:
        _load_panel(right, series, groups, looks)
    return height + height_of(legend_below(part, entries))


def _groups(found: Sequence[TrendRow]) -> list[Group]:
    """Put routings of one and the same curve together, so that none hides another."""
    rows: dict[str, list[TrendRow]] = {}
    for row in found:
        rows.setdefault(row.routing, []).append(row)
    groups: list[Group] = []
    for routing, mine in sorted(rows.items(), key=lambda item: -len(item[1])):
        curve = {(row.radix, row.worst_case_load_exact) for row in mine}
        for names, longest in groups:
            if curve <= {(row.radix, row.worst_case_load_exact) for row in longest}:
                names.append(routing)
                break
        else:
            groups.append(([routing], mine))
    order = list(rows)
    return [(sorted(names, key=order.index), longest) for names, longest in groups]


def _form_of(series: Series, routings: Sequence[str]) -> ClosedForm | None:
    return next((form for name in routings if (form := series.closed_form(name))), None)


def _computed_panel(
    axes: Axes, series: Series, groups: list[Group], looks: dict[str, tuple[str, str]]
) -> dict[str, Artist]:
    """Draw every computed value; return what is drawn, by its label."""
    entries: dict[str, Artist] = {}
    every = [row for _, rows in groups for row in rows]
    known = all(row.fraction_of_capacity_exact for row in every)

    def heights(rows: Sequence[TrendRow]) -> list[float]:
        return [row.fraction_of_capacity if known else 1 / row.worst_case_load for row in rows]

    for names, rows in groups:
        colour, marker = looks[names[0]]
        radices = [row.radix for row in rows]
        form = _form_of(series, names)
        if form is None:
            axes.plot(radices, heights(rows), color=colour, lw=0.8, ls=":")
        else:
            first = max(radices[0], series.theory.smallest_radix)
            _draw_form(axes, form, first, radices[-1], colour)
        axes.plot(radices, heights(rows), color=colour, marker=marker, ms=5.5, ls="none")
        _note_rows(axes, names, rows, heights(rows))
        dashes = ":" if form is None else "-"
        entries[joint_label(names)] = Line2D(
            [], [], color=colour, marker=marker, ms=5.5, lw=1.1, ls=dashes
        )
    exact = all(row.certified for row in every)
    formed = any(_form_of(series, names) for names, _ in groups)
    axes.set(
        title=f"Computed{', every worst case exact' if exact else ''}"
        + ("\n(solid lines: closed forms, proved)" if formed else ""),
        xlabel=series.size_is,
        ylabel=FRACTION_LABEL if known else INJECTION_LABEL,
        ylim=(0, HEADROOM * max(heights(every))),
    )
    _size_axis(axes, series, [row.radix for row in every])
    axes.grid(axis="y")
    return entries


def _note_rows(
    axes: Axes, names: Sequence[str], rows: Sequence[TrendRow], heights: Sequence[float]
) -> None:
    """Say of each computed value what it is, exactly."""
    for row, height in zip(rows, heights, strict=True):
        fraction, load = row.fraction_of_capacity_exact, Fraction(row.worst_case_load_exact)
        known = f"{exactly(Fraction(fraction), '.4f')} of capacity, " if fraction else ""
        text = f"{joint_label(names)} on {row.network}: {known}worst-case load {exactly(load)}"
        note(axes, text, (row.radix, height), cell=CellName(row.network, row.routing))


def _size_axis(axes: Axes, series: Series, sizes: Sequence[int]) -> None:
    """Set whole sizes as ticks; on a logarithmic axis where the small ones would be squeezed."""
    first, last = min(sizes), max(sizes)
    if last > WIDEST_LINEAR * first:
        axes.set(xscale="log", xlabel=f"{series.size_is} (logarithmic)")
        axes.xaxis.set_major_locator(FixedLocator(_doubled(first, last)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _doubled(first: int, last: int) -> list[int]:
    """Return radices from the first to the last, each about twice the one before.

    >>> _doubled(3, 99)
    [3, 5, 9, 17, 33, 99]
    """
    ticks = [first]
    while 3 * ticks[-1] < last:
        ticks.append(2 * ticks[-1] - 1 if ticks[-1] > 1 else 2)
    return [*ticks, last]


def _draw_form(axes: Axes, form: ClosedForm, first: int, last: int, colour: str) -> None:
    radices = form.radices(first, last)
    axes.plot(radices, [float(form.fraction(k)) for k in radices], color=colour, lw=1.3, zorder=1)


def _long_run_panel(
    axes: Axes, series: Series, groups: list[Group], looks: dict[str, tuple[str, str]]
) -> dict[str, Artist]:
    """Follow the closed forms to large radices; return what the other panel does not show."""
    theory, last = series.theory, max(LARGEST_RADIX, *series.networks)
    ends: list[tuple[float, str, str]] = []
    for names, rows in groups:
        colour, marker = looks[names[0]]
        form = _form_of(series, names)
        if form is None:
            continue
        _draw_form(axes, form, theory.smallest_radix, last, colour)
        fractions = [row.fraction_of_capacity for row in rows]
        axes.plot(
            [row.radix for row in rows], fractions, color=colour, marker=marker, ms=3.5, ls="none"
        )
        _note_rows(axes, names, rows, fractions)
        if form.limit.value is not None:
            final = float(form.fraction(form.radices(last - 1, last)[-1]))
            ends.append((final, f"→ {form.limit.value}", colour))
    top = HEADROOM * max(row.fraction_of_capacity for _, rows in groups for row in rows)
    axes.set(
        title=f"Where they go: the closed forms\nto k = {last}, and the limits",
        xlabel=f"{series.size_is} (logarithmic)",
        xscale="log",
        xlim=(2.8, last * 1.1),
        ylim=(0, top),
    )
    axes.xaxis.set_major_locator(FixedLocator(_doubled(theory.smallest_radix, last)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")
    _name_ends(axes, ends, last * 1.1, top)
    return _draw_theory(axes, series, last)


def _draw_theory(axes: Axes, series: Series, last: int) -> dict[str, Artist]:
    """Draw what a series is like for large radices, and what was printed of it, if anything."""
    theory, printed = series.theory, series.theory.printed(series.networks.values())
    entries: dict[str, Artist] = {}
    if printed is not None:
        axes.axvspan(*printed.radices, color="#eeeeee", zorder=0)
    if theory.asymptote is not None:
        radices = np.geomspace(5, last, 200)
        (entries[theory.asymptote.label],) = axes.plot(
            radices,
            [theory.asymptote.fraction(k) for k in radices],
            color=FAINT,
            lw=0.9,
            ls=":",
            zorder=0,
        )
    if printed is not None:
        entries[printed.label] = _mark_printed(axes, printed)
    return entries


def _name_ends(
    axes: Axes, ends: Sequence[tuple[float, str, str]], right: float, top: float
) -> None:
    """Write limits at the right edge, where the curves end, lifted where two would touch."""
    lowest = -1.0
    for height, text, colour in sorted(ends):
        lowest = max(height, lowest + 0.07 * top)
        axes.annotate(
            text,
            (right, lowest),
            xytext=(5, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            color=colour,
            fontweight="bold",
            fontsize=9,
            annotation_clip=False,
        )


def _mark_printed(axes: Axes, values: Printed) -> Artist:
    """Mark the values that a publication says the series approach; return one mark."""
    middle = sum(values.radices) / 2
    lowest = min(values.values, key=float)
    for printed in values.values:
        (mark,) = axes.plot(
            middle, float(printed), marker="_", ms=15, mew=2, color=INK, zorder=5, ls="none"
        )
        below = printed == lowest  # the points of its curve are above it
        axes.annotate(
            f"“≈ {printed}”",
            (middle, float(printed)),
            xytext=(-11, -9) if below else (9, 9),
            textcoords="offset points",
            ha="right" if below else "left",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    return mark


def _load_panel(
    axes: Axes, series: Series, groups: list[Group], looks: dict[str, tuple[str, str]]
) -> None:
    for names, rows in groups:
        colour, marker = looks[names[0]]
        loads = [row.worst_case_load for row in rows]
        _note_rows(axes, names, rows, loads)
        axes.plot(
            [row.radix for row in rows],
            loads,
            color=colour,
            marker=marker,
            ms=5,
            lw=1,
        )
    axes.set(
        title="Worst-case load",
        xlabel=series.size_is,
        ylabel="packets per cycle over bandwidth",
        ylim=(0, None),
    )
    _size_axis(axes, series, [row.radix for _, rows in groups for row in rows])
    axes.grid(axis="y")


@figures.register("trends", "Fraction of capacity over the radix.", code=PLACES)
def _trends(data: StudyData) -> Figure:
    return trend_figure(data["evaluations"])
