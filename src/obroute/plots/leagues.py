"""Leagues drawn: a dot for what each routing guarantees, the best at the top."""

from __future__ import annotations

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.style import (
    FAINT,
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.leagues import Ranked, ranked_rows
from obroute.views import StudyData, figures

NAMES = 2.6
"""Inches that names beside the rows have."""


def leagues_figure(leagues: xr.Dataset) -> Figure:
    """Draw what routings guarantee, a panel a league, the best at the top.

    Filled: guaranteed for all traffic; open: uniform traffic (fractions of injection bandwidth).
    """
    panels: dict[tuple[str, str], list[Ranked]] = {}
    for one in ranked_rows(leagues):
        panels.setdefault((one.network, one.league), []).append(one)
    with style():
        if not panels:
            return sentence_figure("This dataset holds no league.")
        looks = look_of([one.routing for rows in panels.values() for one in rows])
        most = sum(len(rows) for rows in panels.values())
        figure = canvas(7.2, 0.9 + 0.8 * len(panels) + 0.32 * most, least=6)
        room = figure.get_figwidth() - NAMES
        sizes = [len(rows) + 1 for rows in panels.values()]
        grid = figure.add_gridspec(len(panels), 1, height_ratios=sizes)
        entries: dict[str, Artist] = {}
        for place, ((network, _), rows) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[place, 0])
            for row, one in enumerate(rows):
                if not one.load:
                    continue
                colour, marker = looks[one.routing]
                ends = [(float(1 / one.load), colour, "guaranteed for all traffic")]
                if one.uniform_load:
                    ends.append((float(1 / one.uniform_load), "none", "uniform traffic"))
                axes.plot([end[0] for end in ends], [row] * len(ends), color=FAINT, lw=2, zorder=1)
                for at, face, meaning in ends:
                    (dot,) = axes.plot(
                        at, row, color=colour, marker=marker, ms=7, mfc=face, mew=1.4, ls="none"
                    )
                    entries.setdefault(meaning, dot)
            axes.set(yticks=range(len(rows)), ylim=(len(rows) - 0.5, -0.5))
            axes.set_yticklabels(
                [fitted(f"{one.place}  {routing_label(one.routing)}", NAMES, 8.5) for one in rows]
            )
            axes.set_xlim(left=0)
            axes.set_title(fitted(network_label(network), room))
            axes.grid(axis="x")
        axes.set_xlabel("fraction of injection bandwidth")
        legend_below(figure, entries)
        return figure


@figures.register(
    "leagues", "What routings guarantee, ranked, with uniform traffic beside.", needs=("leagues",)
)
def _leagues(data: StudyData) -> Figure:
    return leagues_figure(data["leagues"])
