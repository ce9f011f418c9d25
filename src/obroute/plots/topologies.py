"""What topologies guarantee, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, note, share
from obroute.plots.style import FAINT, INK, fitted, network_label, sentence_figure, style
from obroute.trends.topologies import Topology, is_of_topologies, topologies
from obroute.views import StudyData, figures

NAMES = 3.6
"""Inches that long names take, and the numbers at the right."""
ROW, FRAME = 0.27, 1.9
"""Inches that a topology takes, and all around them."""


def topologies_figure(found: Sequence[Topology]) -> Figure:
    """Draw what the routings of each topology guarantee, a row each, in the order given.

    A bar is a routing, the filled point the best of them, a ring what the best oblivious routing
    guarantees. Beside each row stand the switch ports that a host costs.
    """
    with style():
        if not found:
            return sentence_figure("This study has no network of a family.")
        figure = canvas(8, FRAME + ROW * len(found), least=6)
        axes = figure.subplots()
        entries: dict[str, Artist] = {}
        for row, one in enumerate(found):
            held = [float(routing.throughput) for routing in one.guarantees]
            best = [float(1 / one.best_load)] if one.best_load else []
            for routing, at in zip(one.guarantees, held, strict=True):
                of = CellName(one.network, routing.routing)
                note(axes, f"{of}: {share(routing.load)}", (at, row), cell=of)
            for at in best:
                said = f"the best oblivious routing: {share(one.best_load)}"
                note(axes, f"{network_label(one.network)}, {said}", (at, row))
            axes.hlines(row, min(held), max([*held, *best]), color=FAINT, lw=1.2, zorder=1)
            (entries["a routing"],) = axes.plot(
                held, [row] * len(held), ls="none", marker="|", color=INK, ms=9, zorder=2
            )
            (entries["the best of these"],) = axes.plot(
                max(held), row, ls="none", marker="o", color=INK, ms=5, zorder=4
            )
            if best:
                (entries["the best of all oblivious routings"],) = axes.plot(
                    best, [row], ls="none", marker="o", mfc="none", mec=INK, ms=9, zorder=3
                )
        axes.axvline(1, color=FAINT, lw=0.8, ls=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(found)), [network_label(one.network) for one in found])
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_xlim(left=0)
        room = figure.get_figwidth() - NAMES
        axes.set(
            title=fitted("What each topology guarantees for all traffic", room),
            xlabel=fitted("guaranteed throughput (fraction of injection bandwidth)", room, 9.5),
        )
        axes.grid(True, axis="x")
        costs = axes.secondary_yaxis("right")
        costs.set_yticks(
            range(len(found)), [f"{float(one.structure.ports_per_host):.3g}" for one in found]
        )
        costs.tick_params(length=0)
        costs.set_ylabel("switch ports per host")
        legend_below(figure, entries)
        return figure


@figures.register(
    "topologies",
    "What every topology guarantees, with its ports per host.",
    uses=("designs",),
    applies=is_of_topologies,
)
def _topologies(data: StudyData) -> Figure:
    return topologies_figure([one for one in topologies(data) if one.guarantees])
