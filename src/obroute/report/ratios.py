"""Oblivious ratios in the report."""

from __future__ import annotations

from obroute.decimals import interval, no_less_than
from obroute.plots import routing_label
from obroute.plots.ratios import ratios_figure
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.trends.ratios import RatioRow, ratio_rows
from obroute.views import Paragraph, Section, StudyData, Table, sections


@sections.register("ratios", needs=("ratios",), place=45)
def ratios_section(data: StudyData) -> Section | None:
    """Return the ratios of a study; None if it has none."""
    rows = ratio_rows(data)
    if not rows:
        return None
    largest = max(rows, key=lambda row: row.upper)
    sentence = (
        "Here traffic has no limit at the terminals: a routing is held against the best routing "
        "for each traffic alone, which may split as it likes (Azar et al. 2003). A ratio of 2 "
        "says that some traffic loads a channel twice as full as needed, and none more. "
        f"The largest ratio is {'' if largest.is_exact else 'at most '}"
        f"{no_less_than(largest.upper, 4)}, of {routing_label(largest.routing)} on "
        f"{network_label(largest.network)}."
    )
    table = Table(
        "Oblivious ratios. Each is proved by prices of channels and by traffic; least_ratio is "
        "the least of all oblivious routings.",
        ["Network", "Routing", "Ratio, exact", "Ratio"],
        [_cells(row) for row in rows],
        numbers=(3,),
        exact=(2,),
    )
    chart = drawing(
        lambda: ratios_figure(rows),
        alt="Chart of oblivious ratios, a row a network; the numbers are in the table.",
        caption="The oblivious ratio of each routing, on a row for each network; 1 is as good as "
        "the best routing of every traffic.",
    )
    return Section(
        "Ratios", "ratios", [Paragraph(sentence), chart, table], "Against the best of each traffic"
    )


def _cells(row: RatioRow) -> list[object]:
    if row.is_exact:
        text = str(row.upper)
        return [
            network_label(row.network),
            routing_label(row.routing),
            text if len(text) < 30 else "–",
            f"{float(row.upper):.6g}",
        ]
    ends = interval(row.lower, row.upper).removeprefix("from ")
    return [network_label(row.network), routing_label(row.routing), "–", ends]
