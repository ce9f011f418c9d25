"""Leagues in the report: routings ranked by what they guarantee, and what else counts."""

from __future__ import annotations

from obroute import plots
from obroute.experiments.league.shown import NOTHING
from obroute.plots.style import network_label, routing_label
from obroute.report.drawings import drawing
from obroute.trends.leagues import Ranked, ranked_rows
from obroute.views import Paragraph, Section, StudyData, Table, sections

SENTENCE = (
    "Routings are ranked by the load that the worst traffic makes, exactly; those that guarantee "
    "the same share a place, the one that carries more uniform traffic first. Shares are of what "
    "the best oblivious routing and the best table of single next hops guarantee, both proved; a "
    "dash stands where that is not known or was not asked for."
)


@sections.register("leagues", needs=("leagues",), place=74)
def leagues_section(data: StudyData) -> Section:
    """Return the ranking of every league, and the figure."""
    found = data["leagues"]
    cells = [_cells(one) for one in ranked_rows(found)]
    table = Table(
        "Routings ranked, with the channel of the worst case.",
        [
            "Network",
            "Place",
            "Routing",
            "Worst-case load",
            "Uniform load",
            "Random permutations",
            "Path length",
            "Virtual channels",
            "Of the best",
            "Of the best table",
            "Channel",
        ],
        cells,
        numbers=(1, 3, 4, 5, 6, 7, 8, 9),
        exact=(3, 4),
    )
    figure = drawing(
        lambda: plots.leagues_figure(found),
        alt="Dots, a panel a league, a row a routing: what it guarantees for all traffic and what "
        "it carries of uniform traffic; the table has the numbers.",
        caption="Filled: guaranteed for all traffic; open: uniform traffic, as fractions of "
        "injection bandwidth. The best is at the top.",
    )
    return Section("Leagues", "leagues", [Paragraph(SENTENCE), table, figure])


def _cells(one: Ranked) -> tuple[str, ...]:
    table = one.of_best_table
    share = NOTHING
    if table is not None:
        share = " to ".join(dict.fromkeys(f"{float(end):.4f}" for end in table))
    return (
        network_label(one.network),
        str(one.place),
        routing_label(one.routing),
        str(one.load),
        NOTHING if one.uniform_load is None else str(one.uniform_load),
        NOTHING if one.average is None else f"{one.average:.4f}",
        f"{float(one.length):.3f}",
        NOTHING if one.virtual_channels is None else str(one.virtual_channels),
        NOTHING if one.of_best is None else f"{float(one.of_best):.4f}",
        share,
        one.channel,
    )
