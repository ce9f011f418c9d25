"""Failures in the report: the worst set of each routing, and the distribution over all sets."""

from __future__ import annotations

from obroute import plots
from obroute.plots.failures import failing_label
from obroute.report.drawings import drawing
from obroute.trends.failures import failure_rows
from obroute.views import Paragraph, Section, StudyData, Table, sections

SENTENCE = (
    "Every set of so many parts fails once, and the worst case of what is left is exact; of sets "
    "that a symmetry of network and routing carries to one another, one is looked at. A pair is "
    "cut where no path leads from one to the other any more, or none back, or where a routing "
    "that keeps its paths has none left; the load is that of all other pairs. More failures may "
    "load less: a set is not bounded by those within it."
)


@sections.register("failures", needs=("failures",), place=75)
def failures_section(data: StudyData) -> Section:
    """Return the worst set of every network and routing, and the figure."""
    failures = data["failures"]
    cells = [
        (
            f"{row['network']}, {failing_label(row['routing'])}",
            row["repair"],
            row["load_before_exact"],
            row["worst_case_load_exact"],
            row["worst_set"],
            row["sets"],
            row["sets_that_cut"],
            row["most_pairs_cut"],
        )
        for row in failure_rows(failures)
    ]
    table = Table(
        "The worst case over all sets of failures, exactly, in packets per cycle over channel "
        "bandwidth, and a set that has it.",
        [
            "Network and routing",
            "Repair",
            "Nothing failed",
            "Worst case",
            "Worst set",
            "Sets",
            "Sets that cut pairs",
            "Most pairs cut",
        ],
        cells,
        numbers=(2, 3, 5, 6, 7),
        exact=(2, 3),
    )
    figure = drawing(
        lambda: plots.failures_figure(failures),
        alt="Step lines, a panel a network: the share of sets of failures after which the "
        "worst-case load is at least so large; the table has the largest.",
        caption="Share of the sets after which the worst case is at least so large. Open markers: "
        "nothing failed.",
    )
    return Section("Failures", "failures", [Paragraph(SENTENCE), table, figure])
