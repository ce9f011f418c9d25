"""The papers in the report: Table 1, and every printed number beside ours with one verdict."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from obroute.choices.reports import TABLE1_NETWORK
from obroute.papers import SPAA_NETWORK, sources
from obroute.papers.comparison import VERDICTS, Comparison
from obroute.papers.tables import compared, paper_cells, table1
from obroute.plots import routing_label
from obroute.report.wording import counted
from obroute.trends.values import holds, network_names, routing_names
from obroute.views import Section, StudyData, Written, remarks, sections

TEMPLATES = Path(__file__).parent / "templates"


@sections.register("table1", place=104)
def table1_section(data: StudyData) -> Section | None:
    """Return Table 1; None if the study has not its network."""
    study = data["evaluations"]
    if TABLE1_NETWORK not in network_names(study):
        return None
    routings = [r for r in routing_names(study) if holds(study, TABLE1_NETWORK, r)]
    entries = table1(study, TABLE1_NETWORK, paper_cells(data))
    labels = list(dict.fromkeys(entry.label for entry in entries))
    shown = {
        "network": TABLE1_NETWORK,
        "source": sources()["technical_report"].citation,
        "routings": [routing_label(routing) for routing in routings],
        "rows": [
            {"label": label, "entries": [entry for entry in entries if entry.label == label]}
            for label in labels
        ],
    }
    return Section(
        "Table 1",
        "table-1",
        [Written(TEMPLATES / "table1.html.j2", {"table1": shown})],
        heading="Table 1: throughput on the 9-ary 2-cube",
    )


@sections.register("papers", uses=("designs", "trade_offs"), place=105)
def comparison_section(data: StudyData) -> Section | None:
    """Return every published number beside ours; None without a network of the papers."""
    if not {SPAA_NETWORK, TABLE1_NETWORK} & set(network_names(data["evaluations"])):
        return None
    found = compared(data)
    if not found:
        return None
    counts = Counter(row.verdict for row in found)
    shown = {
        "lines": [_line(row) for row in found],
        "sentence": (
            f"{counted(len(found), 'printed number')} that this study covers, each with one "
            "verdict: "
            + "; ".join(f"{verdict}: {counts[verdict]}" for verdict in VERDICTS if counts[verdict])
            + "."
        ),
        "verdicts": {verdict: VERDICTS[verdict] for verdict in VERDICTS if counts[verdict]},
        "sources": [sources()[name].citation for name in dict.fromkeys(r.source for r in found)],
    }
    return Section(
        "The papers’ numbers",
        "papers",
        [Written(TEMPLATES / "comparison.html.j2", {"comparison": shown})],
        heading="The papers’ numbers beside ours",
    )


def _line(row: Comparison) -> dict[str, Any]:
    percent = row.ours.endswith("%")
    difference = row.difference * (100 if percent else 1)
    text = f"{difference:+.2g}" if abs(difference) > 1e-9 else "0"
    routing = routing_label(row.routing) if row.routing else ""
    named = routing.split(" ")[0] in row.label
    place = [] if named or not routing else [routing]
    return {
        **vars(row),
        "where": f"{sources()[row.source].name}, {row.where}",
        "place": " on ".join([*place, *([row.network] if row.network else [])]),
        "difference": text.replace("-", "−") + (" points" if percent else ""),
        "exact": row.ours_exact if "/" in row.ours_exact else "",
    }


@remarks.register("permutation/figure9")
def figure_9_remark(data: StudyData, network: str) -> str:
    """Name the paper's drawing of a worst permutation, on its network."""
    return "Compare Figure 9 of the technical report." if network == TABLE1_NETWORK else ""


@remarks.register("pareto/spaa")
def pareto_remark(data: StudyData, network: str) -> str:
    """Name the paper's plane of throughput and path length, on its network."""
    return "Compare Figure 1 of the SPAA 2003 paper." if network == SPAA_NETWORK else ""


@remarks.register("trade_off/spaa")
def trade_off_remark(data: StudyData, network: str, objective: str) -> str:
    """Name the paper's curves, on its network."""
    if network != SPAA_NETWORK:
        return ""
    return {
        "worst_case": "The mixes are by equation 14 of the SPAA 2003 paper; compare its Figures 1 "
        "and 5.",
        "average_case": "Compare Figure 6 of the SPAA 2003 paper.",
    }.get(objective, "")


@remarks.register("deadlock/spaa")
def deadlock_remark(data: StudyData) -> str:
    """Say whose scheme it is, where the paper's network is in the study."""
    if SPAA_NETWORK not in network_names(data["evaluations"]):
        return ""
    return "It is the scheme that the SPAA 2003 paper describes."
