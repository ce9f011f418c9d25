"""The price of Valiant, family by family."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, NullFormatter

from obroute.plots.canvas import canvas
from obroute.plots.legends import legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.style import FAINT, INK, look_of, network_label, sentence_figure, style
from obroute.rational import exactly
from obroute.trends.price import Price, has_valiant, prices
from obroute.views import StudyData, figures

ROW, FRAME = 0.27, 1.9
"""Inches that a network takes, and all around them."""


FINE, COARSE, FAR = (1, 1.25, 1.5, 2), (1, 2, 3, 5, 10, 20, 50, 100), 2.2
"""Ticks where the largest price is up to a bound, and beyond."""


def price_figure(found: Sequence[Price]) -> Figure:
    """Draw the worst-case loads of VAL and shortest paths over the least of all, a row each."""
    with style():
        if not found:
            return sentence_figure("This study has no network with VAL and the best routing.")
        figure = canvas(8, FRAME + ROW * len(found), least=5.5)
        axes = figure.subplots()
        looks = look_of(["minimal", "valiant"])
        entries: dict[str, Artist] = {}
        most = 1.25
        for row, one in enumerate(found):
            loads = [("VAL", "valiant", one.valiant)]
            if one.minimal is not None:
                loads.append(("shortest paths", "minimal", one.minimal))
            shares = [float(guarantee.load / one.best) for _, _, guarantee in loads]
            most = max(most, *shares)
            axes.hlines(row, 1, max(shares), color=FAINT, lw=1, zorder=1)
            for (label, routing, guarantee), share in zip(loads, shares, strict=True):
                note(
                    axes,
                    f"{label} on {network_label(one.network)}: "
                    f"{exactly(guarantee.load / one.best)} times the least worst-case load, "
                    f"{exactly(one.best)}",
                    (share, row),
                    cell=CellName(one.network, guarantee.routing),
                )
                colour, marker = looks[routing]
                (entries[label],) = axes.plot(
                    share, row, ls="none", marker=marker, color=colour, ms=6, mfc="none"
                )
        axes.axvline(1, color=INK, lw=0.8, zorder=0)
        axes.set_yticks(range(len(found)), [network_label(one.network) for one in found])
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_xscale("log")
        most *= 1.08
        axes.set_xlim(0.97, most)
        axes.set_xticks([tick for tick in (FINE if most <= FAR else COARSE) if tick <= most])
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set(
            title=f"What {' and '.join(entries)} {'cost' if len(entries) > 1 else 'costs'}",
            xlabel="worst-case load over the least of any oblivious routing",
        )
        axes.grid(True, axis="x")
        legend_below(figure, entries)
        return figure


@figures.register(
    "price",
    "VAL and shortest paths beside the best oblivious routing.",
    needs=("evaluations", "designs"),
    applies=has_valiant,
)
def _price(data: StudyData) -> Figure:
    return price_figure(prices(data))
