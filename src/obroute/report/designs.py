"""Designed routings in the report: curves, locality, and the designs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import xarray as xr

from obroute import plots
from obroute.decimals import no_less_than
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.plots.trade_off import mixes
from obroute.report.average_case import average_rows
from obroute.report.drawings import drawing
from obroute.report.wording import OBJECTIVES, counted, decimal, listed
from obroute.topologies.registry import networks
from obroute.trends import Curve, curve_of, design_rows
from obroute.trends.trade_offs import complete_in_words, curves, sample_note
from obroute.trends.values import exact, holds
from obroute.views import (
    Drawing,
    Paragraph,
    Section,
    StudyData,
    Written,
    added_to,
    remarks_on,
    sections,
)

TEMPLATE = Path(__file__).parent / "templates" / "designs.html.j2"


@sections.register("designs", needs=("evaluations",), uses=("designs", "trade_offs"), place=70)
def designs_section(data: StudyData) -> Section | None:
    """Return curves, locality and the designs; None if there are none."""
    designs, trade_offs = data.get("designs"), curves(data)
    if designs is None and not trade_offs:
        return None
    study = data["evaluations"]
    drawn = [curve_of(trade_off) for trade_off in trade_offs]
    rows = [] if designs is None else design_rows(designs)
    tables = {
        "averages": [] if designs is None else average_rows(designs),
        "rows": [_shown(row) for row in rows],
        "claims": _claims(rows),
    }
    blocks = [
        Paragraph(_proved(study, rows, drawn)),
        *(_curve_drawing(data, *both) for both in zip(drawn, trade_offs, strict=True)),
        *added_to("designs", data),
        Written(TEMPLATE, {"designs": tables}),
    ]
    return Section("Designed routings", "designs", blocks)


def _curve_drawing(data: StudyData, curve: Curve, trade_off: xr.Dataset) -> Drawing:
    study = data["evaluations"]
    name = OBJECTIVES.get(curve.objective, curve.objective)
    paths = str(trade_off.attrs["paths"])
    caption = (
        f"The optimal trade-off of {name} and path length on {network_label(curve.network)}"
        + ("" if paths == "all" else f", {paths.replace('_', ' ')} paths only")
        + f": {complete_in_words(curve)}. {_sentence(str(trade_off.attrs['claims']))} "
        "Everywhere in the shaded region there is a routing. "
    )
    mixed = mixes(study, curve)
    if mixed:
        names = listed([f"with {routing_label(name)}" for name in mixed])
        caption += (
            f"Dashed or dotted: DOR mixed {names}, at the worst case that their own two worst "
            "cases guarantee, which is exact where both share a worst permutation."
        )
    elif curve.objective == "average_case":
        note = sample_note(study, curve)
        assert note is not None
        caption += (
            f"Throughput is 1 over the mean load; {note}. A routing that was designed for other "
            "matrices lies left of the curve even where it is best for those."
        )
    caption += remarks_on("trade_off", data, network=curve.network, objective=curve.objective)
    return drawing(
        lambda: plots.trade_off_figure(trade_off, study),
        alt=f"Line chart of the least path length over the {name} throughput on "
        f"{network_label(curve.network)}, "
        f"from {curve.normalized_lengths()[0]:.3f} times the minimal at the best throughput down "
        "to the shortest paths; the study's routings are points above it.",
        caption=caption,
    )


def _shown(row: dict[str, Any]) -> dict[str, str]:
    width = row["relative_width"]
    return {
        "network": network_label(row["network"]),
        "design": routing_label(row["design"]),
        "load_exact": _short(row["routing_load_exact"]),
        "bounds": _bounds(row),
        "width": "0" if width == 0 else "–" if math.isnan(width) else no_less_than(width, 2),
        "fraction": decimal(row["fraction_of_capacity"]),
        "path_length": decimal(row["normalized_path_length"]),
        "exact": "yes" if row["exact"] else "no",
        "program": f"{row['rows']} × {row['columns']}",
        "unreduced": _unreduced(row["network"]),
        "symmetry": row["symmetry"],
        "solver": row["solver"],
        "seconds": f"{row['seconds']:.3g}",
    }


def _unreduced(network: str) -> str:
    """Return N³ × CN², what the SPAA paper counts without reduction; a dash for a file's network.

    >>> _unreduced("torus:8x8")
    '262144 × 1048576'
    """
    if network.partition(":")[0] not in networks:
        return "–"
    made = networks.create(network)
    return f"{made.node_count**3} × {made.channel_count * made.node_count**2}"


def _claims(rows: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """Return each thing that is proved, once, with the designs that it is proved of."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        sentence = _sentence(row["claims"])
        if sentence:
            found.setdefault((sentence, row["design"]), []).append(network_label(row["network"]))
    return [
        {"designs": f"{routing_label(design)} on {', '.join(networks)}", "sentence": sentence}
        for (sentence, design), networks in found.items()
    ]


def _sentence(claims: str) -> str:
    """Return claims, a line each, as sentences: long fractions in decimals."""
    shorter = re.sub(
        r"\d+/\d+", lambda found: _short(found.group()), claims.replace("proved: ", "")
    )
    lines = shorter.splitlines()
    return f"Proved: {'; '.join(lines)}." if lines else ""


def _bounds(row: dict[str, Any]) -> str:
    """Return the proved interval of the best load, in short."""
    lower, upper = row["load_lower_exact"], row["load_upper_exact"]
    if not lower:
        return "–"
    if lower == upper:
        return "= load" if lower == row["routing_load_exact"] else f"= {_short(lower)}"
    return f"{_short(lower)} to {_short(upper)}"


def _short(text: str) -> str:
    """Return a fraction, or its decimals where it would fill the page."""
    return text if len(text) <= 16 else f"{float(Fraction(text)):.12g}…"


def _proved(study: xr.Dataset, rows: Sequence[dict[str, Any]], curves: Sequence[Curve]) -> str:
    """Say what of the designs and curves is proved, and what is left open."""
    parts = []
    if rows:
        count = sum(bool(row["exact"]) for row in rows)
        parts.append(
            f"{counted(len(rows), 'design')}: each load lies between a proved lower bound and the "
            "load of the routing found, both in exact arithmetic and checked on the whole network "
            "without its symmetry. What each bound is a bound for, the routings and the traffic, "
            f"is said beside it. {count} of them {'is an' if count == 1 else 'are'} exact "
            f"{'optimum' if count == 1 else 'optima'} of that, load and path length alike."
        )
        above = {
            Fraction(row["routing_load_exact"]) / Fraction(row["load_lower_exact"]) - 1: row
            for row in rows
            if not row["exact"] and row["load_lower_exact"]
        }
        if above:
            widest = above[max(above)]
            most = f"{no_less_than(100 * max(above), 2)}\N{NO-BREAK SPACE}%"
            parts.append(
                f"The loads of the others are at most {most} above the proved lower bound "
                f"({routing_label(widest['design'])} on {network_label(widest['network'])})."
            )
        parts += _evaluated_again(study, rows)
    return " ".join([*parts, *_curves(curves)])


def _curves(curves: Sequence[Curve]) -> list[str]:
    """Say which curves are complete, those of one objective together, and what proves them."""
    parts = []
    for objective in dict.fromkeys(curve.objective for curve in curves):
        name = OBJECTIVES.get(objective, objective)
        whole = [c for c in curves if c.objective == objective and c.complete]
        if len(whole) > 1:
            parts.append(
                f"The curves of the {name} on "
                f"{listed([network_label(c.network) for c in whole])} are complete: "
                "each of their segments is a line that bounds the whole curve, proved for the "
                "routings and the traffic that their captions name."
            )
        for curve in curves:
            if curve.objective != objective or (curve.complete and len(whole) > 1):
                continue
            proof = (
                ": each of its segments is a line that bounds the whole curve, proved for the "
                "routings and the traffic that its caption names."
                if curve.complete
                else ", by lines that bound the whole curve, proved for what its caption names."
            )
            parts.append(
                f"The curve of the {name} on {network_label(curve.network)} is "
                f"{complete_in_words(curve)}{proof}"
            )
    return parts


def _evaluated_again(study: xr.Dataset, rows: Sequence[dict[str, Any]]) -> list[str]:
    """Say whether the evaluator finds the worst cases that the designer states."""
    found = [
        (row, exact(study, "worst_case_load", network=row["network"], routing=row["design"]))
        for row in rows
        if row["objective"] == "worst_case" and holds(study, row["network"], row["design"])
    ]
    wrong = [row for row, load in found if load != Fraction(row["routing_load_exact"])]
    if wrong:
        names = ", ".join(
            f"{routing_label(r['design'])} on {network_label(r['network'])}" for r in wrong
        )
        return [f"The evaluation finds another worst case of {names}: verify these stores."]
    if not found:
        return []
    return [
        f"The evaluation by matchings, which does not know how a routing was made, finds the same "
        f"worst case for all {len(found)} designs for the worst case."
    ]
