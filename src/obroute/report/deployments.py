"""What can be deployed, in the report."""

from __future__ import annotations

from fractions import Fraction

from obroute.plots.deployments import prices_figure
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.trends.deployments import deployment_rows
from obroute.views import Block, Paragraph, Section, StudyData, Table, sections


@sections.register("deployments", needs=("deployments",), place=72)
def deployments_section(data: StudyData) -> Section | None:
    """Return the interval of each restriction, and its price; None if there are none."""
    rows = deployment_rows(data)
    if not rows:
        return None
    proved = sum(row.lower == row.load for row in rows)
    words = dict.fromkeys(f"{row.restriction}: {row.words}" for row in rows)
    blocks: list[Block] = [
        Paragraph(
            "The best routings that switches can carry out, each in a proved interval: the "
            "upper end is the worst-case load of a routing that was found, and no routing of the "
            f"kind goes below the lower end. {proved} of {len(rows)} are proved to be the best."
        ),
        Paragraph(f"Restrictions: {'; '.join(words)}."),
    ]
    if any(row.price for row in rows):
        blocks.append(
            drawing(
                lambda: prices_figure(rows),
                alt="Chart of the price of each restriction; the numbers are in the table.",
                caption="The least worst-case load under each restriction, over that of the best "
                "oblivious routing.",
            )
        )
    blocks.append(
        Table(
            "What can be deployed.",
            ["Network", "Restriction", "Worst-case load", "Price", "From"],
            [
                (
                    network_label(row.network),
                    row.restriction,
                    _interval(row.lower, row.load),
                    _interval(*row.price) if row.price else "–",
                    row.origin,
                )
                for row in rows
            ],
            exact=(2, 3),
        )
    )
    return Section("Deployments", "deployments", blocks, "What can be deployed")


def _interval(lower: Fraction, upper: Fraction) -> str:
    return str(upper) if lower == upper else f"{lower} to {upper}"
