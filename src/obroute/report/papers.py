"""The papers in the report: Table 1, and every printed number beside ours with one verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import xarray as xr

from obroute.papers import TABLE1_NETWORK, sources
from obroute.papers.comparison import VERDICTS, Comparison, compare
from obroute.papers.tables import table1
from obroute.plots import routing_label
from obroute.report.pieces import Cells, counted
from obroute.trends.readings import holds, network_names, routing_names


def table1_section(study: xr.Dataset, cells: Cells) -> dict[str, Any] | None:
    """Return what the report shows of Table 1; None if the study has not its network."""
    if TABLE1_NETWORK not in network_names(study):
        return None
    routings = [r for r in routing_names(study) if holds(study, TABLE1_NETWORK, r)]
    entries = table1(study, TABLE1_NETWORK, cells)
    labels = list(dict.fromkeys(entry.label for entry in entries))
    return {
        "network": TABLE1_NETWORK,
        "source": sources()["technical_report"].citation,
        "routings": [routing_label(routing) for routing in routings],
        "rows": [
            {"label": label, "entries": [entry for entry in entries if entry.label == label]}
            for label in labels
        ],
    }


def comparison_section(
    study: xr.Dataset,
    cells: Cells,
    designs: xr.Dataset | None,
    trade_offs: Sequence[xr.Dataset],
) -> dict[str, Any] | None:
    """Return every published number beside ours; None if the study covers none."""
    found = compare(study, designs, trade_offs, cells)
    if not found:
        return None
    counts = Counter(row.verdict for row in found)
    return {
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
