"""The optimal trade-off of path length and throughput drawn, routings as points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from obroute.plots.canvas import canvas
from obroute.plots.labels import Label, place_labels
from obroute.plots.legends import joint_label, legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.points import Place, joint_points, marker_sizes
from obroute.plots.style import (
    FAINT,
    INK,
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.rational import FloatArray, exactly
from obroute.trends import Curve, curve_of
from obroute.trends.trade_offs import (
    Point,
    complete_in_words,
    fractions_of,
    sample_note,
    worst_point,
)
from obroute.trends.values import holds, routing_names, value
from obroute.views import StudyData, figures

FEASIBLE = "#e9e9e6"
POINT_ARRAYS = {
    "worst_case": "fraction_of_capacity",
    "average_case": "average_case_load_fraction_of_capacity",
}
"""What a study knows of the throughput that a curve is of."""
AXIS_LABELS = {
    "worst_case": "guaranteed throughput (fraction of capacity)",
    "average_case": "average-case throughput, 1 over the mean load (fraction of capacity)",
    "capacity": "throughput of uniform traffic (fraction of capacity)",
}
INTERPOLATIONS = {"ival": (0, (5, 2.5)), "2turn": (0, (1, 1.6))}
"""The routings that DOR is mixed with, and the dashes of the line (SPAA 2003, Figure 5)."""


def trade_off_figure(trade_off: xr.Dataset, study: xr.Dataset | None = None) -> Figure:
    """Draw path length against throughput: the optimal curve, and a study's routings as points.

    As SPAA 2003, Figures 1 and 5 (worst case) and 6 (average case). Above the curve and up to the
    best throughput routings exist (shaded), below it none. Of the worst case there are also the
    mixes of DOR with IVAL and with 2TURN, by the harmonic bound of equation 14.

    Parameters
    ----------
    trade_off
        A trade-off store.
    study
        A study; its routings on the same network become points.

    Raises
    ------
    InputError
        If the first dataset is of another kind.
    """
    curve = curve_of(trade_off)
    with style():
        if curve.capacity is None:
            return sentence_figure(
                f"The capacity of {curve.network} is unknown: no fraction to draw."
            )
        figure = canvas(8, 5, least=4.5)
        axes = figure.subplots()
        points = {} if study is None else _points(study, curve)
        xs, ys = curve.fractions(), curve.normalized_lengths()
        top = 1.06 * max([float(ys.max()), *(y for _, y in points.values())])
        right, left = _limits(xs, [x for x, _ in points.values()])
        _draw_region(axes, curve, left, top)
        mixes = [] if study is None else _draw_mixes(axes, study, curve)
        joint = joint_points(points)
        labels = _draw_points(axes, joint, [] if study is None else routing_names(study))
        if study is not None:
            _note_points(axes, joint, study, curve)
        axes.set(
            title=fitted(
                f"Optimal trade-off on {network_label(curve.network)}: {complete_in_words(curve)}",
                figure.get_figwidth() - 0.9,
            ),
            xlabel=fitted(AXIS_LABELS[curve.objective], figure.get_figwidth() - 0.9, 9.5),
            ylabel="mean path length (1 = minimal)",
            xlim=(left, right),
            ylim=(1 - 0.06 * (top - 1) - 0.03, top),
        )
        border = np.column_stack([[xs[0], *xs, left], [top, *ys, ys[-1]]])
        size = figure.get_size_inches()
        note = sample_note(study, curve) if points and study is not None else None
        legend = _write_legend(figure, axes, note)
        crowded = place_labels(figure, axes, labels, [border, *mixes])
        if crowded:  # what found no room beside its point has its marker in the legend
            legend.remove()
            figure.set_size_inches(*size)  # the panel stays as large as the labels found it
            _write_legend(figure, axes, note, {label.text: label.marker for label in crowded})
        return figure


def _write_legend(
    figure: Figure,
    axes: Axes,
    note: str | None,
    markers: Mapping[str, tuple[str, str]] | None = None,
) -> Legend:
    handles, texts = axes.get_legend_handles_labels()
    entries: dict[str, Artist] = dict(zip(texts, handles, strict=True))
    entries["feasible"] = Patch(facecolor=FEASIBLE, edgecolor=FAINT, lw=0.6)
    for text, (colour, marker) in (markers or {}).items():
        entries[text] = Line2D([], [], color=colour, marker=marker, ms=6.5, ls="none")
    legend = legend_below(figure, entries, title=note)
    assert legend is not None  # the curve is always in it
    return legend


def _limits(curve: FloatArray, points: Sequence[float]) -> tuple[float, float]:
    """Return the right and the left end of the axis of throughput, with room for labels."""
    low, high = min([float(curve.min()), *points]), max([float(curve.max()), *points])
    room = max(high - low, 0.05)
    return high + 0.16 * room, max(0.0, low - 0.12 * room)


def _points(study: xr.Dataset, curve: Curve) -> dict[str, tuple[float, float]]:
    """Return the throughput and path length of a study's routings on the network of a curve."""
    array = POINT_ARRAYS.get(curve.objective)
    points = {}
    for routing in routing_names(study):
        if array is not None and holds(study, curve.network, routing):
            place = {"network": curve.network, "routing": routing}
            point = (
                float(value(study, array, **place)),
                float(value(study, "normalized_path_length", **place)),
            )
            if not np.isnan(point).any():
                points[routing] = point
    return points


def _draw_region(axes: Axes, curve: Curve, left: float, top: float) -> None:
    """Shade what exists: on or above the curve, which goes on level to lower throughputs."""
    xs, ys = curve.fractions(), curve.normalized_lengths()
    # Between breakpoints the curve is straight in the load, which is the inverse of x.
    smooth_x, smooth_y = _mixed(xs, ys)
    axes.fill_between(
        np.append(smooth_x, left),
        np.append(smooth_y, smooth_y[-1]),
        top,
        facecolor=FEASIBLE,
        edgecolor="none",
        zorder=0,
        label="feasible",
    )
    gap = math.ceil(1000 * curve.gap) / 10
    line = "optimal curve" if curve.complete else f"within {gap:g} % of the optimum"
    axes.plot(smooth_x, smooth_y, color=INK, lw=1.6, zorder=2, label=line)
    axes.plot([xs[-1], left], [ys[-1], ys[-1]], color=INK, lw=0.8, zorder=2)
    axes.plot([xs[0], xs[0]], [ys[0], top], color=INK, lw=0.8, zorder=2)
    name = "its breakpoints" if curve.complete else "routings found"
    axes.plot(xs, ys, color=INK, marker=".", ms=4, ls="none", zorder=2, label=name)
    for (load, length), x, y in zip(curve.points, xs.tolist(), ys.tolist(), strict=True):
        note(axes, f"on the curve: load {exactly(load)}, mean path {exactly(length)} hops", (x, y))


def _mixed(xs: FloatArray, ys: FloatArray, count: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return points of the mixes of neighbours: lengths mix linearly, throughputs harmonically."""
    share = np.linspace(0, 1, count)
    x = [1 / ((1 - share) / a + share / b) for a, b in itertools.pairwise(xs)]
    y = [(1 - share) * a + share * b for a, b in itertools.pairwise(ys)]
    return np.concatenate([xs[:1], *x]), np.concatenate([ys[:1], *y])


def mixes(study: xr.Dataset, curve: Curve) -> dict[str, tuple[Point, Point]]:
    """Return DOR and what it is mixed with beside a curve, by the other routing.

    Only where the curve is of the worst case, and the study has both.
    """
    dor = worst_point(study, curve.network, "dor")
    if curve.objective != "worst_case" or dor is None:
        return {}
    found = {name: worst_point(study, curve.network, name) for name in INTERPOLATIONS}
    return {
        name: (dor, other)
        for name, other in found.items()
        if other is not None and other[0] != dor[0]
    }


def _draw_mixes(axes: Axes, study: xr.Dataset, curve: Curve) -> list[FloatArray]:
    """Draw the mixes of DOR with others; return the lines."""
    drawn = []
    for routing, ends in mixes(study, curve).items():
        x, y = _mixed(*_in_axes(curve, ends))
        label = f"DOR–{routing_label(routing)} interpolation"
        colour, dashes = look_of([routing])[routing][0], INTERPOLATIONS[routing]
        axes.plot(x, y, color=colour, ls=dashes, lw=1.5, label=label)
        drawn.append(np.column_stack([x, y]))
    return drawn


def _in_axes(curve: Curve, points: Sequence[Point]) -> tuple[FloatArray, FloatArray]:
    fractions = fractions_of([load for load, _ in points], curve.capacity)
    return fractions, np.array([float(length / curve.shortest) for _, length in points])


def _draw_points(
    axes: Axes, points: Mapping[Place, list[str]], known: Sequence[str]
) -> list[Label]:
    """Draw a marker a point, in the looks of the first routing there, and return its label."""
    looks = look_of(known)
    labels = []
    figure = axes.get_figure(root=True)
    assert figure is not None
    sizes = marker_sizes(list(points), figure.get_size_inches(), 6.5)
    for size, ((x, y), routings) in zip(sizes, points.items(), strict=True):
        colour, marker = looks[routings[0]]
        axes.plot(x, y, marker=marker, ms=size, color=colour, ls="none", zorder=4)
        labels.append(Label(x, y, joint_label(routings), colour, marker))
    return labels


def _note_points(
    axes: Axes, points: Mapping[Place, list[str]], study: xr.Dataset, curve: Curve
) -> None:
    """Say what each routing has, exactly where it is the worst case that is drawn."""
    for (x, y), routings in points.items():
        known = worst_point(study, curve.network, routings[0])
        said = f"{x:.5g} of capacity, mean path {y:.5g} times the shortest"
        if curve.objective == "worst_case" and known is not None:
            load, length = known
            said = f"worst-case load {exactly(load)}, mean path {exactly(length)} hops"
        of = CellName(curve.network, routings[0])
        note(axes, f"{joint_label(routings)}: {said}", (x, y), cell=of)


@figures.register(
    "trade_off",
    "Optimal curve of path length against throughput, routings as points.",
    needs=("trade_offs",),
    uses=("evaluations",),
    each_cell=True,
)
def _trade_off(data: StudyData, cell: str = "") -> Figure:
    return trade_off_figure(data.cell("trade_offs", cell), data.get("evaluations"))
