"""Worst cases over sets of traffic, in the report."""

from __future__ import annotations

from obroute import plots
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.report.wording import decimal
from obroute.trends.restricted import restricted_rows
from obroute.views import Paragraph, Section, StudyData, Table, sections


@sections.register("restricted", needs=("restricted",), place=85)
def restricted_section(data: StudyData) -> Section | None:
    """Return what the report shows of sets of traffic; None where no worst case is known."""
    rows = list(restricted_rows(data["restricted"]))
    if not rows:
        return None
    table = Table(
        "The largest load of a channel over all traffic of a set, exact and certified.",
        ["Network", "Routing", "Set of traffic", "Largest load", "Exact", "Throughput"],
        [
            (
                network_label(row.network),
                routing_label(row.routing),
                row.traffic_set,
                decimal(row.load),
                row.load_exact,
                decimal(1 / row.load) if row.load else "–",
            )
            for row in rows
        ],
        numbers=(3, 5),
        exact=(4,),
    )
    return Section(
        "Restricted traffic",
        "restricted",
        [
            Paragraph(
                "A guarantee over less traffic is never worse: what few pairs, jobs, racks or "
                "pairs with a limit can do at the most."
            ),
            drawing(
                lambda: plots.restricted_figure(data["restricted"]),
                alt="Line charts of the largest load over sets of traffic, a panel a network and "
                "a line a routing; the table below has the numbers.",
                caption="The largest load over each set of traffic; lower is better.",
            ),
            table,
        ],
    )
