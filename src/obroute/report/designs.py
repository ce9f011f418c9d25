"""Designed routings in the report: curves, locality, and the designs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import xarray as xr

from obroute import plots
from obroute.plots import routing_label
from obroute.report.average_case import average_rows
from obroute.report.pieces import Drawing, counted, decimal, drawing
from obroute.specs import InputError
from obroute.topologies.registry import networks
from obroute.trends import Curve, curve_of, design_rows, series_of
from obroute.trends.readings import exact, holds
from obroute.trends.trade_offs import complete_in_words, sample_note

OBJECTIVES = {
    "worst_case": "worst case",
    "average_case": "average case",
    "capacity": "capacity",
}


def designs_section(
    study: xr.Dataset, designs: xr.Dataset | None, trade_offs: Sequence[xr.Dataset]
) -> dict[str, Any] | None:
    """Return what the report shows of designed routings; None if there are none.

    Raises
    ------
    InputError
        If a dataset is of another kind.
    """
    if designs is None and not trade_offs:
        return None
    if designs is not None and designs.attrs.get("kind") != "designs":
        raise InputError(
            f"designs of kind {designs.attrs.get('kind')!r} are not reported; expected a gathered "
            "store of kind designs"
        )
    curves = [curve_of(trade_off) for trade_off in trade_offs]
    rows = [] if designs is None else design_rows(designs)
    return {
        "figures": [
            *(
                _curve_drawing(study, curve, trade_off)
                for curve, trade_off in zip(curves, trade_offs, strict=True)
            ),
            *_locality(study),
        ],
        "proved": _proved(study, rows, curves),
        "averages": [] if designs is None else average_rows(designs),
        "rows": [_shown(row) for row in rows],
        "claims": _claims(rows),
    }


def _curve_drawing(study: xr.Dataset, curve: Curve, trade_off: xr.Dataset) -> Drawing:
    name = OBJECTIVES.get(curve.objective, curve.objective)
    paths = str(trade_off.attrs["paths"])
    caption = (
        f"The optimal trade-off of {name} and path length on {curve.network}"
        + ("" if paths == "all" else f", {paths.replace('_', ' ')} paths only")
        + f": {complete_in_words(curve)}. {_sentence(str(trade_off.attrs['claims']))} "
        "Everywhere in the shaded region there is a routing. "
    )
    if curve.objective == "worst_case":
        caption += (
            "Dashed and dotted: DOR mixed with IVAL and with 2TURN, at the worst case that their "
            "own two worst cases guarantee (equation 14 of the SPAA 2003 paper), which is exact "
            "where both share a worst permutation. Compare Figures 1 and 5 of the paper."
        )
    elif curve.objective == "average_case":
        note = sample_note(study, curve)
        assert note is not None
        caption += (
            f"Throughput is 1 over the mean load; {note}. A routing that was designed for other "
            "matrices lies left of the curve even where it is best for those. Compare Figure 6 of "
            "the paper."
        )
    return drawing(
        lambda: plots.trade_off_figure(trade_off, study),
        alt=f"Line chart of the least path length over the {name} throughput on {curve.network}, "
        f"from {curve.normalized_lengths()[0]:.3f} times the minimal at the best throughput down "
        "to the shortest paths; the study's routings are points above it.",
        caption=caption,
    )


def _locality(study: xr.Dataset) -> list[Drawing]:
    """Return the drawing of path length over the radix where the study has an optimum to draw."""
    series = [
        s for s in series_of(study) if (s.family, s.dimensions, s.options) == ("torus", 2, "")
    ]
    if not any(holds(study, n, "optimal") for s in series for n in s.networks.values()):
        return []
    return [
        drawing(
            lambda: plots.locality_figure(study),
            alt="Line chart of mean path length over the radix k for VAL, IVAL, 2TURN and the "
            "optimum on k-ary 2-cubes; the optimum is far lower at even than at odd k.",
            caption="Path length of routings that guarantee half of capacity. IVAL follows "
            "(5k − 1)/(3k) at odd k and goes to 5/3, and the optimum at even k still rises where "
            "computed, so that the paper's 1.64 and 1.52 are what its range shows, not limits. "
            "Compare Figure 4 of the SPAA 2003 paper.",
        )
    ]


def _shown(row: dict[str, Any]) -> dict[str, str]:
    width = row["relative_width"]
    return {
        "network": row["network"],
        "design": routing_label(row["design"]),
        "load_exact": _short(row["routing_load_exact"]),
        "bounds": _bounds(row),
        "width": "0" if width == 0 else "–" if math.isnan(width) else f"{width:.1e}",
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
            found.setdefault((sentence, row["design"]), []).append(row["network"])
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
            f"is said beside it. {count} of them are exact optima of that, load and path length "
            "alike."
        )
        above = {
            float(Fraction(row["routing_load_exact"]) / Fraction(row["load_lower_exact"]) - 1): row
            for row in rows
            if not row["exact"] and row["load_lower_exact"]
        }
        if above:
            widest = above[max(above)]
            parts.append(
                f"The loads of the others are at most {max(above):.1e} above the proved lower "
                f"bound, relative ({routing_label(widest['design'])} on {widest['network']})."
            )
        parts += _evaluated_again(study, rows)
    for curve in curves:
        name = OBJECTIVES.get(curve.objective, curve.objective)
        parts.append(
            f"The curve of the {name} on {curve.network} is {complete_in_words(curve)}"
            + (
                ": each of its segments is a line that bounds the whole curve, proved for the "
                "routings and the traffic that its caption names."
                if curve.complete
                else ", by lines that bound the whole curve, proved for what its caption names."
            )
        )
    return " ".join(parts)


def _evaluated_again(study: xr.Dataset, rows: Sequence[dict[str, Any]]) -> list[str]:
    """Say whether the evaluator finds the worst cases that the designer states."""
    found = [
        (row, exact(study, "worst_case_load", network=row["network"], routing=row["design"]))
        for row in rows
        if row["objective"] == "worst_case" and holds(study, row["network"], row["design"])
    ]
    wrong = [row for row, load in found if load != Fraction(row["routing_load_exact"])]
    if wrong:
        names = ", ".join(f"{routing_label(r['design'])} on {r['network']}" for r in wrong)
        return [f"The evaluation finds another worst case of {names}: verify these stores."]
    if not found:
        return []
    return [
        f"The evaluation by matchings, which does not know how a routing was made, finds the same "
        f"worst case for all {len(found)} designs for the worst case."
    ]


def design_digests(
    designs: xr.Dataset | None, trade_offs: Sequence[xr.Dataset]
) -> list[tuple[str, str]]:
    """Return the digests that the designs and curves state of themselves."""
    found = [("designs", designs)] if designs is not None else []
    for trade_off in trade_offs:
        name = OBJECTIVES.get(trade_off.attrs["objective"], trade_off.attrs["objective"])
        found.append((f"curve of the {name} on {trade_off.attrs['network']}", trade_off))
    return [
        (f"digest of the {name}", str(dataset.attrs["data_digest"]))
        for name, dataset in found
        if "data_digest" in dataset.attrs
    ]
