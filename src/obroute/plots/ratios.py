"""Oblivious ratios: how far each routing is from the best for each traffic."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, NullFormatter

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, between, note
from obroute.plots.style import (
    FAINT,
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.ratios import RatioRow, ratio_rows
from obroute.views import StudyData, figures

ROW, FRAME = 0.32, 1.9
"""Inches that a network takes, and all around them."""
NAMES = 3
"""Inches that long names take."""
NARROW = 3
"""Up to this ratio the axis is linear."""


def ratios_figure(rows: Sequence[RatioRow]) -> Figure:
    """Draw the ratio of every routing, a row a network; a bar where only an interval is known."""
    with style():
        if not rows:
            return sentence_figure("This study has no oblivious ratio.")
        names = list(dict.fromkeys(row.network for row in rows))
        looks = look_of(list(dict.fromkeys(row.routing for row in rows)))
        figure = canvas(8, FRAME + ROW * len(names), least=6)
        room = figure.get_figwidth() - NAMES
        axes = figure.subplots()
        entries: dict[str, Artist] = {}
        for row in rows:
            colour, marker = looks[row.routing]
            place = names.index(row.network)
            of = CellName(row.network, row.routing)
            note(
                axes,
                f"{of}: ratio {between(row.lower, row.upper)}",
                (float(row.upper), place),
                cell=of,
            )
            if not row.is_exact:
                axes.hlines(place, float(row.lower), float(row.upper), color=colour, lw=2)
            (entries[routing_label(row.routing)],) = axes.plot(
                float(row.upper), place, ls="none", marker=marker, color=colour, ms=7, mfc="none"
            )
        axes.axvline(1, color=FAINT, lw=0.8, ls=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(names)), [network_label(name) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
        if max(float(row.upper) for row in rows) > NARROW:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
            axes.set_xticks([1, 2, 3, 5, 10, 20, 50])
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(0.95, 1.08 * max(float(row.upper) for row in rows))
        axes.set(
            title=fitted("How far routings are from the best for each traffic", room),
            xlabel=fitted(
                "oblivious ratio (largest utilization over the least of any routing)", room, 9.5
            ),
        )
        axes.grid(True, axis="x")
        legend_below(figure, entries)
        return figure


@figures.register("ratios", "The oblivious ratio of every routing.", needs=("ratios",))
def _ratios(data: StudyData) -> Figure:
    return ratios_figure(ratio_rows(data))
