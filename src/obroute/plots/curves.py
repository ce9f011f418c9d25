"""Curves of a study: the worst case over the radix, and path length against the worst case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from obroute.plots.style import FAINT, INK, look_of, routing_label, save, style
from obroute.specs import InputError, suggestion
from obroute.trends import ClosedForm, Series, TrendRow, series_of, trend_table
from obroute.trends.closed_forms import SMALLEST_RADIX, romm_asymptote
from obroute.trends.published import APPROACHED_AT, APPROACHES
from obroute.trends.readings import holds, network_names, routing_names, value

LARGEST_RADIX = 499
"""Radix to which closed forms are drawn; ROMM's is checked against matchings up to there."""
HEADROOM = 1.15
FRACTION_LABEL = "guaranteed throughput (fraction of capacity)"

Group = tuple[list[str], list[TrendRow]]
"""Routings whose worst cases are the same at every radix that they share, and the longest rows."""


def trend_figure(study: xr.Dataset) -> Figure:
    """Draw the guaranteed throughput over the radix, computed and in closed form.

    A row a series. Markers are computed values, lines closed forms; on k-ary 2-cubes a second
    panel follows the closed forms to k = 499 on a logarithmic axis, with the technical report's
    0.26 and 0.14 where they belong. A study without a series gives a figure that says so.
    """
    with style():
        shown = [series for series in series_of(study) if _has_fractions(study, series)]
        if not shown:
            return _sentence_figure("This study holds no series of at least two radices.")
        figure = Figure(figsize=(10, 4.4 * len(shown)), layout="constrained")
        axes = figure.subplots(len(shown), 2, squeeze=False)
        for series, (left, right) in zip(shown, axes.tolist(), strict=True):
            groups = _groups(study, series)
            looks = look_of(routing_names(study))
            _computed_panel(left, series, groups, looks)
            if any(series.closed_form(name) for names, _ in groups for name in names):
                _long_run_panel(right, series, groups, looks)
            else:
                _load_panel(right, groups, looks)
        return figure


def _has_fractions(study: xr.Dataset, series: Series) -> bool:
    return any(
        row.fraction_of_capacity_exact for row in trend_table(study) if row.series == series.title
    )


def _groups(study: xr.Dataset, series: Series) -> list[Group]:
    """Put routings of one and the same curve together, so that none hides another."""
    rows: dict[str, list[TrendRow]] = {}
    for row in trend_table(study):
        if row.series == series.title and row.fraction_of_capacity_exact:
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
    return groups


def _joint_label(routings: Sequence[str]) -> str:
    return " = ".join(routing_label(name) for name in routings)


def _form_of(series: Series, routings: Sequence[str]) -> ClosedForm | None:
    return next((form for name in routings if (form := series.closed_form(name))), None)


def _computed_panel(
    axes: Axes, series: Series, groups: list[Group], looks: dict[str, tuple[str, str]]
) -> None:
    formed = any(_form_of(series, names) for names, _ in groups)
    for names, rows in groups:
        colour, marker = looks[names[0]]
        radices = [row.radix for row in rows]
        form = _form_of(series, names)
        if form is None:
            axes.plot(
                radices, [r.fraction_of_capacity for r in rows], color=colour, lw=0.8, ls=":"
            )
        else:
            _draw_form(axes, form, radices[0], radices[-1], colour)
        axes.plot(
            radices,
            [row.fraction_of_capacity for row in rows],
            color=colour,
            marker=marker,
            ms=5.5,
            ls="none",
            label=_joint_label(names),
        )
    exact = all(row.certified for _, rows in groups for row in rows)
    axes.set(
        title=f"{series.title}: computed{', every worst case exact' if exact else ''}",
        xlabel="radix k",
        ylabel=FRACTION_LABEL,
        ylim=(0, HEADROOM * max(row.fraction_of_capacity for _, rows in groups for row in rows)),
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
    axes.legend(
        loc="lower left",
        ncols=3,
        handletextpad=0.3,
        title="markers: computed; solid lines: closed forms" if formed else None,
        title_fontsize=8.5,
        alignment="left",
    )


def _draw_form(axes: Axes, form: ClosedForm, first: int, last: int, colour: str) -> None:
    radices = form.radices(max(first, SMALLEST_RADIX), last)
    axes.plot(radices, [float(form.fraction(k)) for k in radices], color=colour, lw=1.3, zorder=1)


def _long_run_panel(
    axes: Axes, series: Series, groups: list[Group], looks: dict[str, tuple[str, str]]
) -> None:
    last = max(LARGEST_RADIX, *series.networks)
    axes.axvspan(*APPROACHED_AT, color="#eeeeee", zorder=0)
    axes.axhline(0.25, color=FAINT, lw=0.8, ls=(0, (4, 3)), zorder=0)
    for names, rows in groups:
        colour, marker = looks[names[0]]
        form = _form_of(series, names)
        if form is None:
            continue
        _draw_form(axes, form, SMALLEST_RADIX, last, colour)
        axes.plot(
            [row.radix for row in rows],
            [row.fraction_of_capacity for row in rows],
            color=colour,
            marker=marker,
            ms=3.5,
            ls="none",
        )
        _name_curve(axes, names, form, last, colour)
    radices = np.geomspace(5, last, 200)
    axes.plot(radices, [romm_asymptote(k) for k in radices], color=FAINT, lw=0.9, ls=":", zorder=0)
    _mark_published(axes)
    axes.set(
        title=f"Where the series go: the closed forms to k = {last}",
        xlabel="radix k (logarithmic)",
        xscale="log",
        xlim=(2.8, last * 1.1),
        ylim=(0, HEADROOM * max(row.fraction_of_capacity for _, rows in groups for row in rows)),
    )
    axes.xaxis.set_major_locator(FixedLocator([3, 5, 9, 17, 33, 65, 129, 257, last]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")


def _name_curve(
    axes: Axes, names: Sequence[str], form: ClosedForm, last: int, colour: str
) -> None:
    final = form.radices(last - 1, last)[-1]
    height = float(form.fraction(final))
    if form.limit.value:
        text = f"{_joint_label(names)} → {form.limit.value}"
    else:
        text = f"{_joint_label(names)}: no positive limit,\nlike 1/(2(ln h + γ + 1))"
    axes.annotate(
        text,
        (final, height),
        xytext=(0, 5 if form.limit.value else 24),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=colour,
        fontweight="bold",
        fontsize=8.5,
    )


def _mark_published(axes: Axes) -> None:
    middle = sum(APPROACHED_AT) / 2
    for routing, printed in APPROACHES.items():
        axes.plot(middle, float(printed), marker="_", ms=15, mew=2, color=INK, zorder=5)
        axes.annotate(
            f"“≈ {printed}”",
            (middle, float(printed)),
            xytext=(9, 8) if routing == "dor" else (-11, -9),
            textcoords="offset points",
            ha="left" if routing == "dor" else "right",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    axes.text(
        middle,
        0.012,
        "technical report:\nk = 17 to 19",
        ha="center",
        va="bottom",
        fontsize=7.5,
        color=INK,
    )


def _load_panel(axes: Axes, groups: list[Group], looks: dict[str, tuple[str, str]]) -> None:
    for names, rows in groups:
        colour, marker = looks[names[0]]
        axes.plot(
            [row.radix for row in rows],
            [row.worst_case_load for row in rows],
            color=colour,
            marker=marker,
            ms=5,
            lw=1,
            label=_joint_label(names),
        )
    axes.set(
        title="Worst-case load",
        xlabel="radix k",
        ylabel="packets per cycle over bandwidth",
        ylim=(0, None),
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


def pareto_figure(study: xr.Dataset, network: str) -> Figure:
    """Draw mean path length against guaranteed throughput, a point a routing (SPAA 2003, Fig. 1).

    Filled points are those that no other routing of the study beats in both; right and down is
    better.
    """
    if network not in network_names(study):
        raise InputError(
            f"the study has no network '{network}'" + suggestion(network, network_names(study))
        )
    with style():
        points = _points(study, network)
        if not points:
            return _sentence_figure(f"The capacity of {network} is unknown: no fraction to draw.")
        figure = Figure(figsize=(8, 4.4), layout="constrained")
        axes = figure.subplots()
        looks = look_of(routing_names(study))
        for (fraction, length), names in points.items():
            colour, marker = looks[names[0]]
            best = not any(_beats(other, (fraction, length)) for other in points)
            axes.plot(
                fraction,
                length,
                marker=marker,
                ms=9,
                mew=1.8,
                mec=colour,
                mfc=colour if best else "white",
                ls="none",
                label=_joint_label(names),
            )
        axes.margins(0.08, 0.1)
        axes.set(
            title=f"Locality against the worst case on {network}",
            xlabel=FRACTION_LABEL,
            ylabel="mean path length (1 = minimal)",
        )
        axes.grid(True)
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.02, 1),
            labelspacing=1,
            title="filled: no other\nrouting here beats it",
            title_fontsize=8.5,
            alignment="left",
        )
        return figure


def _points(study: xr.Dataset, network: str) -> dict[tuple[float, float], list[str]]:
    points: dict[tuple[float, float], list[str]] = {}
    for routing in routing_names(study):
        if holds(study, network, routing):
            place = {"network": network, "routing": routing}
            point = (
                float(value(study, "worst_case_fraction", **place)),
                float(value(study, "normalised_path_length", **place)),
            )
            if not np.isnan(point).any():
                points.setdefault(point, []).append(routing)
    return points


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Say whether a point guarantees at least as much on paths no longer, and is another."""
    return one != other and one[0] >= other[0] and one[1] <= other[1]


def _sentence_figure(sentence: str) -> Figure:
    figure = Figure(figsize=(6.4, 1.2), layout="constrained")
    figure.text(0.5, 0.5, sentence, ha="center", va="center", color=INK)
    return figure


def write_trend_figure(study: xr.Dataset, path: Path) -> None:
    """Write :func:`trend_figure` as SVG, PNG or PDF."""
    save(trend_figure(study), path)


def write_pareto_figure(study: xr.Dataset, network: str, path: Path) -> None:
    """Write :func:`pareto_figure` as SVG, PNG or PDF."""
    save(pareto_figure(study, network), path)
