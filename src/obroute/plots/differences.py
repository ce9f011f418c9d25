"""What changed from one routing to another, drawn: the guarantee before and after."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.joined_dots import NAMES, Dot, draw_dots, name_rows
from obroute.plots.notes import CellName, note, share
from obroute.plots.style import (
    fitted,
    look_of,
    network_label,
    routing_label,
    sentence_figure,
    style,
)
from obroute.trends.differences import steps
from obroute.views import StudyData, figures


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
            before = Dot(old, looks[step.old], filled=False)
            draw_dots(axes, row, [before, Dot(new, looks[step.new], filled=True)])
            said = f"{share(step.old_load)} on {step.old_channel} before"
            said += f", {share(step.new_load)} on {step.new_channel} after"
            for name, at in ((step.old, old), (step.new, new)):
                of = CellName(step.network, name)
                note(axes, f"{of}: {said}", (at, row), cell=of)
        axes.set(
            title=fitted("Guaranteed for all traffic: before (open) and after (filled)", room),
            xlabel="fraction of injection bandwidth",
        )
        name_rows(
            axes,
            [
                f"{network_label(step.network)}\n{routing_label(step.old)} → "
                f"{routing_label(step.new)}"
                for step in found
            ],
        )
        return figure


@figures.register(
    "differences", "What routings guarantee before and after a change.", needs=("differences",)
)
def _differences(data: StudyData) -> Figure:
    return differences_figure(data["differences"])
