"""Leagues drawn: a dot for what each routing guarantees, the best at the top."""

from __future__ import annotations

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.joined_dots import NAMES, Dot, draw_dots, name_rows
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, note, share
from obroute.plots.style import (
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.leagues import Ranked, ranked_rows
from obroute.views import StudyData, figures


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
                look = looks[one.routing]
                dots = {"guaranteed for all traffic": Dot(float(1 / one.load), look, filled=True)}
                if one.uniform_load:
                    uniform = float(1 / one.uniform_load)
                    dots["uniform traffic"] = Dot(uniform, look, filled=False)
                drawn = draw_dots(axes, row, [*dots.values()])
                entries = dict(zip(dots, drawn, strict=True)) | entries
                said = f"{routing_label(one.routing)}: {share(one.load)} guaranteed"
                if one.uniform_load:
                    said += f", uniform traffic {share(one.uniform_load)}"
                if one.channel:
                    said += f"; critical channel {one.channel}"
                for dot in dots.values():
                    note(axes, said, (dot.value, row), cell=CellName(network, one.routing))
            name_rows(axes, [f"{one.place}  {routing_label(one.routing)}" for one in rows])
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
