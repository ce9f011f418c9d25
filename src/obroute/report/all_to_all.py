"""All-to-all and collectives, in the report."""

from __future__ import annotations

from obroute.plots import routing_label
from obroute.plots.all_to_all import all_to_all_figure, collectives_figure
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.report.wording import decimal
from obroute.trends.all_to_all import all_to_all_rows, collective_rows
from obroute.views import Section, StudyData, Table, sections


@sections.register("all-to-all", needs=("all_to_all",), place=86)
def all_to_all_section(data: StudyData) -> Section:
    """Return the times of every routing, beside the least."""
    rows = [
        (
            network_label(row["network"]),
            routing_label(row["routing"]),
            row["time_exact"],
            row["least_time_exact"],
            decimal(row["time"] / row["least_time"]),
        )
        for row in all_to_all_rows(data["all_to_all"])
    ]
    table = Table(
        "Cycles until every terminal has sent a packet to each, and the least of all routings, "
        "proved.",
        ["Network", "Routing", "Time", "Least time", "Over the least"],
        rows,
        numbers=(4,),
        exact=(2, 3),
    )
    drawn = drawing(
        lambda: all_to_all_figure(data["all_to_all"]),
        alt="Bar charts of the time of an all-to-all over the least; the table has the numbers.",
        caption="Time of an all-to-all over the least of all routings, which is the dashed line.",
    )
    return Section("All-to-all", "all-to-all", [drawn, table])


@sections.register("collectives", needs=("collectives",), place=87)
def collectives_section(data: StudyData) -> Section:
    """Return the times of every collective."""
    rows = [
        (
            network_label(row["network"]),
            routing_label(row["routing"]),
            row["collective"],
            row["time_exact"],
        )
        for row in collective_rows(data["collectives"])
    ]
    table = Table(
        "Cycles for a vector of one packet: the loads of all steps, each times what is sent.",
        ["Network", "Routing", "Collective", "Time"],
        rows,
        exact=(3,),
    )
    drawn = drawing(
        lambda: collectives_figure(data["collectives"]),
        alt="Bar charts of the time of each collective by each routing; numbers below.",
        caption="Time of each collective for a vector of one packet; lower is better.",
    )
    return Section("Collectives", "collectives", [drawn, table])
