"""What changed from one routing to another, drawn: the guarantee before and after."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.style import (
    FAINT,
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.differences import steps
from obroute.views import StudyData, figures

NAMES = 2.6
"""Inches that names beside the rows have."""


def differences_figure(differences: xr.Dataset) -> Figure:
    """Draw what every routing guarantees for all traffic, after what the old one did.

    A row a difference: open the old routing, filled the new one (fractions of injection
    bandwidth).
    """
    found = steps(differences)
    with style():
        if not found:
            return sentence_figure("This dataset holds no difference.")
        looks = look_of([name for step in found for name in (step.old, step.new)])
        figure = canvas(7.2, 1.2 + 0.55 * len(found), least=6)
        room = figure.get_figwidth() - NAMES
        axes = figure.add_subplot()
        for row, step in enumerate(found):
            old, new = step.throughputs
            axes.plot([old, new], [row, row], color=FAINT, lw=2, zorder=1)
            for name, at, filled in ((step.old, old, False), (step.new, new, True)):
                colour, marker = looks[name]
                face = colour if filled else "none"
                axes.plot(at, row, color=colour, marker=marker, ms=7, mfc=face, mew=1.4, ls="none")
        axes.set(
            title=fitted("Guaranteed for all traffic: before (open) and after (filled)", room),
            xlabel="fraction of injection bandwidth",
            yticks=range(len(found)),
            ylim=(len(found) - 0.5, -0.5),
        )
        axes.set_xlim(left=0)
        axes.set_yticklabels(
            [
                fitted(
                    f"{network_label(step.network)}\n{routing_label(step.old)} → "
                    f"{routing_label(step.new)}",
                    NAMES,
                    8.5,
                )
                for step in found
            ]
        )
        return figure


@figures.register(
    "differences", "What routings guarantee before and after a change.", needs=("differences",)
)
def _differences(data: StudyData) -> Figure:
    return differences_figure(data["differences"])
