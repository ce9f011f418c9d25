"""Path length over the radix of the routings that guarantee the best worst case (SPAA 2003)."""

from __future__ import annotations

from fractions import Fraction

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from obroute.papers.closed_forms import cube_path_length
from obroute.papers.published import SPAA_NETWORK, published_number
from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import note
from obroute.plots.style import FAINT, INK, look_of, routing_label, sentence_figure, style
from obroute.rational import exactly
from obroute.report.drawings import drawing
from obroute.theorems.path_lengths import IVAL_LIMIT
from obroute.trends import Series, series_of
from obroute.trends.values import holds, network_names
from obroute.views import Block, StudyData, additions, figures

LOCALITY_ROUTINGS = ("valiant", "ival", "2turn", "optimal")
SETTLING = tuple(map(published_number, ("spaa-ival-settles", "spaa-optimal-settles")))
"""What the paper says that the lengths settle to."""
SETTLED_AT = SETTLING[0].radices


COMPARED = (
    ", so that the paper's 1.64 and 1.52 are what its range shows, not limits. Compare Figure 4 "
    "of the SPAA 2003 paper."
)


def locality_figure(study: xr.Dataset) -> Figure:
    """Draw the path length over k of the routings that guarantee the best worst case.

    As SPAA 2003, Figure 4: VAL, IVAL, 2TURN and the optimum on k-ary 2-cubes, with IVAL's closed
    form for odd k and its limit 5/3; in a study of the paper's network also the 1.64 and 1.52 that
    it reads off its own range.
    """
    with style():
        series = next((found for found in series_of(study) if _is_two_cube(found)), None)
        rows = {} if series is None else _localities(study, series)
        if not rows:
            return sentence_figure("This study holds no series of k-ary 2-cubes to draw.")
        figure = canvas(8, 4.8, least=6)
        axes = figure.subplots()
        last = max(SETTLED_AT[1], *(max(row) for row in rows.values()))
        axes.axhline(float(IVAL_LIMIT), color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
        odd = [k for k in range(3, last + 1) if k % 2]
        axes.plot(
            odd,
            [(5 * k - 1) / (3 * k) for k in odd],
            color=look_of(["ival"])["ival"][0],
            lw=1.1,
            zorder=1,
            label="(5k − 1)/(3k), IVAL for odd k",
        )
        looks = look_of(LOCALITY_ROUTINGS)
        for size, (routing, row) in zip((9, 8.5, 7, 4.5), rows.items(), strict=False):
            for k, length in row.items():
                said = f"{routing_label(routing)}, k = {k}: {exactly(length)} times the shortest"
                note(axes, said, (k, float(length)))
            colour, marker = looks[routing]  # smaller and smaller, so that none hides another
            axes.plot(
                list(row),
                [float(length) for length in row.values()],
                color=colour,
                marker=marker,
                ms=size,
                lw=0.9,
                ls=":",
                label=routing_label(routing),
            )
        compared = SPAA_NETWORK in network_names(study)
        if compared:
            _mark_range(axes)
        _name_limit(axes, last)
        if compared:
            _note_rounding(axes)
        axes.set(
            title="Path length of routings with the best worst case, on k-ary 2-cubes",
            xlabel=f"radix k{_rising(rows.get('optimal', {}))}",
            ylabel="mean path length (1 = minimal)",
            xlim=(2.5, last + 1.8),
            ylim=(None, 2.06),
        )
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y")
        handles, texts = axes.get_legend_handles_labels()
        legend_below(figure, dict(zip(texts, handles, strict=True)))
        return figure


def _is_two_cube(series: Series) -> bool:
    return (series.family, series.dimensions, series.options) == ("torus", 2, "")


def _localities(study: xr.Dataset, series: Series) -> dict[str, dict[int, Fraction]]:
    """Return the normalized path length by radix of the routings to draw."""
    rows: dict[str, dict[int, Fraction]] = {}
    for routing in LOCALITY_ROUTINGS:
        for radix, network in series.networks.items():
            length = cube_path_length(study, network, routing)
            if radix > 2 and length is not None:
                rows.setdefault(routing, {})[radix] = length
    return rows


def _name_limit(axes: Axes, last: int) -> None:
    axes.annotate(
        "5/3",
        (last + 1.8, float(IVAL_LIMIT)),
        xytext=(-2, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8.5,
        color=INK,
    )


def _mark_range(axes: Axes) -> None:
    """Mark what the paper says the series go to, where its own range ends."""
    axes.axvspan(*SETTLED_AT, color="#f0f0f0", zorder=0)
    lowest = min(float(item.printed) for item in SETTLING)
    for item in SETTLING:
        height = float(item.printed)
        above = height == lowest  # the points of the other are above it
        axes.hlines(height, *SETTLED_AT, color=INK, lw=1.2, zorder=1)
        axes.annotate(
            f"“≈ {item.printed}”",
            (sum(SETTLED_AT) / 2, height),
            xytext=(0, 4 if above else -6),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            fontsize=8.5,
            color=INK,
        )


def _note_rounding(axes: Axes) -> None:
    axes.annotate(
        "as printed; IVAL\nrounds to 1.64 here",
        (sum(SETTLED_AT) / 2, 0.03),
        xycoords=("data", "axes fraction"),
        ha="center",
        va="bottom",
        fontsize=7.5,
        color=INK,
    )


def _rising(optimum: dict[int, Fraction]) -> str:
    """Say that the optimum is still rising, if it is, by the last two radices of one parity."""
    for radix in sorted(optimum, reverse=True):
        before = optimum.get(radix - 2)
        if before is not None and before < optimum[radix]:
            return (
                f"\nthe optimum is still rising: {float(before):.4f} at k = {radix - 2}, "
                f"{float(optimum[radix]):.4f} at k = {radix}"
            )
    return ""


@figures.register(
    "locality",
    "Path length over the radix of routings with the best worst case.",
    applies=lambda study: bool(study.cells.get("designs")),
)
def _locality(data: StudyData) -> Figure:
    return locality_figure(data["evaluations"])


@additions.register("designs/locality")
def locality_blocks(data: StudyData) -> list[Block]:
    """Return the drawing of path length over the radix where the study has an optimum to draw."""
    study = data["evaluations"]
    series = [found for found in series_of(study) if _is_two_cube(found)]
    if not any(holds(study, n, "optimal") for s in series for n in s.networks.values()):
        return []
    return [
        drawing(
            lambda: locality_figure(study),
            alt="Line chart of mean path length over the radix k for VAL, IVAL, 2TURN and the "
            "optimum on k-ary 2-cubes; the optimum is far lower at even than at odd k.",
            caption="Path length of routings that guarantee half of capacity. IVAL follows "
            "(5k − 1)/(3k) at odd k and goes to 5/3, and the optimum at even k still rises where "
            "computed" + (COMPARED if SPAA_NETWORK in network_names(study) else "."),
        )
    ]
