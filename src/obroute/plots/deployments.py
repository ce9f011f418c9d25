"""The price of what switches cannot do, network by network."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import between, note
from obroute.plots.style import FAINT, fitted, look_of, network_label, sentence_figure, style
from obroute.rational import exactly
from obroute.trends.deployments import DeploymentRow, deployment_rows
from obroute.views import StudyData, figures

ROW, FRAME = 0.18, 1.9
"""Inches that a restriction takes, and all around them."""


def prices_figure(rows: Sequence[DeploymentRow]) -> Figure:
    """Draw the price of every restriction, a row a network; a bar where it is an interval."""
    with style():
        priced = [(row, row.price) for row in rows if row.price is not None]
        if not priced:
            return sentence_figure("This study has no price of a restriction.")
        names = list(dict.fromkeys(row.network for row, _ in priced))
        kinds = list(dict.fromkeys(row.restriction for row, _ in priced))
        looks = look_of(kinds)
        height = FRAME + ROW * len(names) * max(2, len(kinds))
        figure = canvas(8, height, least=6)
        axes = figure.subplots()
        entries: dict[str, Artist] = {}
        for row, (lower, upper) in priced:
            colour, marker = looks[row.restriction]
            step = (kinds.index(row.restriction) + 1) / (len(kinds) + 1) - 0.5
            place = names.index(row.network) + 0.8 * step
            note(
                axes,
                f"{row.restriction} on {network_label(row.network)}: price "
                f"{between(lower, upper)}, worst-case load {exactly(row.load)}",
                (float(upper), place),
            )
            axes.hlines(place, float(lower), float(upper), color=colour, lw=2)
            (entries[row.restriction],) = axes.plot(
                float(upper),
                place,
                ls="none",
                marker=marker,
                color=colour,
                ms=6,
                mfc=colour if lower == upper else "none",
            )
        axes.axvline(1, color=FAINT, lw=0.8, ls=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(names)), [network_label(name) for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0.95, 1.05 * max(float(upper) for _, (_, upper) in priced))
        axes.set(
            title=fitted(
                "What switches cost: the least worst-case load over the best of any routing",
                figure.get_figwidth() - 3,
            ),
            xlabel=fitted(
                "price (filled: proved; open, with a bar: between the ends of the bar)",
                figure.get_figwidth() - 3,
            ),
        )
        axes.grid(True, axis="x")
        legend_below(figure, entries)
        return figure


@figures.register("prices", "The price of what switches cannot do.", needs=("deployments",))
def _prices(data: StudyData) -> Figure:
    return prices_figure(deployment_rows(data))
