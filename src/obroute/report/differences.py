"""What changed from one routing to another, in the report."""

from __future__ import annotations

from obroute.plots import routing_label
from obroute.plots.differences import differences_figure
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.report.wording import counted
from obroute.trends.differences import Step, steps
from obroute.views import Block, Paragraph, Section, StudyData, Table, sections


@sections.register("differences", needs=("differences",), place=60)
def differences_section(data: StudyData) -> Section | None:
    """Return every difference: guarantees before and after, channels and pairs that changed."""
    found = steps(data["differences"])
    if not found:
        return None
    blocks: list[Block] = [
        Paragraph(
            f"{counted(len(found), 'pair')} of routings, evaluated exactly on every channel: what "
            "each guarantees for all traffic, which channels can be loaded more or less than "
            "before, and how many pairs load channels otherwise. "
            + " ".join(_sentence(step) for step in found if step.new_load > step.old_load)
        ),
        drawing(
            lambda: differences_figure(data["differences"]),
            alt="A row for each change of a routing, with what was and what is guaranteed.",
            caption="What the old routing guaranteed (open) and the new one guarantees (filled), "
            "as fractions of injection bandwidth.",
        ),
        Table(
            "Worst-case loads before and after, in packets per cycle over channel bandwidth. The "
            "last column is the load of the new routing under the worst traffic of the old one.",
            [
                "Network",
                "Old",
                "New",
                "Before",
                "After",
                "Critical channel",
                "Channels worse",
                "Channels better",
                "Pairs moved",
                "Under the old worst",
            ],
            [_row(step) for step in found],
            numbers=(3, 4, 6, 7, 8, 9),
        ),
    ]
    return Section("Changes", "differences", blocks, "What changed")


def _sentence(step: Step) -> str:
    return (
        f"On {network_label(step.network)}, {routing_label(step.new)} can be loaded with "
        f"{step.new_load} on {step.new_channel}, where {routing_label(step.old)} had at most "
        f"{step.old_load}."
    )


def _row(step: Step) -> list[str]:
    again = step.old_worst_on_new
    return [
        network_label(step.network),
        routing_label(step.old),
        routing_label(step.new),
        str(step.old_load),
        str(step.new_load),
        step.new_channel,
        str(step.worse),
        str(step.better),
        str(step.moved),
        "–" if again is None else str(again),
    ]
