"""Worst cases in the report: over the radix, and drawn on a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from obroute import plots
from obroute.papers import SPAA_NETWORK
from obroute.plots import routing_label
from obroute.report.pieces import Cells, Drawing, drawing, stored_cell
from obroute.trends import TrendRow, closed_forms, limits, trend_table
from obroute.trends.readings import holds, network_names, routing_names, value

PERMUTATION_ROUTINGS = ("romm", "romm:order=fixed", "rlb", "dor", "o1turn", "valiant", "ival")
"""Whose worst permutation to draw: the first of these that the study has on the network."""
MAP_ROUTINGS = ("dor", "romm", "valiant")
LARGEST_RADIX_TO_DRAW = 12
BEST_RADIX_TO_DRAW = 9
LIMIT_RADICES = (17, 99, 499)


def trends_section(study: xr.Dataset) -> dict[str, Any]:
    """Return the trends over the radix, their closed forms and where they go."""
    rows = trend_table(study)
    if not rows:
        return {"rows": []}
    cubes = [row for row in rows if (row.family, row.dimensions) == ("torus", 2)]
    covered = list(dict.fromkeys(row.routing for row in cubes if row.closed_form_exact))
    return {
        "rows": [vars(row) | {"routing": routing_label(row.routing)} for row in rows],
        "figure": drawing(
            lambda: plots.trend_figure(study),
            alt=_trend_alt(rows),
            caption="Guaranteed throughput over the radix. Left: every computed value, with the "
            "closed forms as lines. Right: the closed forms, all of them proved, on to k = 499, "
            "with the values that the technical report says the series approach.",
        ),
        "limits": [
            {"routing": routing_label(r), "text": limits(r).text, "examples": _examples(r)}
            for r in _with_limits(cubes)
        ],
        "forms": [_form(routing, cubes) for routing in covered],
    }


def _with_limits(cubes: list[TrendRow]) -> list[str]:
    """Return the routings whose limit on k-ary 2-cubes is known, in order."""
    return [r for r in dict.fromkeys(row.routing for row in cubes) if limits(r).value is not None]


def _trend_alt(rows: list[TrendRow]) -> str:
    parts = []
    for routing in dict.fromkeys(row.routing for row in rows):
        mine = [r for r in rows if r.routing == routing and r.fraction_of_capacity_exact]
        if mine:
            first, last = mine[0], mine[-1]
            parts.append(
                f"{routing_label(routing)} from {first.fraction_of_capacity:.3f} at "
                f"k = {first.radix} to {last.fraction_of_capacity:.3f} at k = {last.radix}"
            )
    return "Line chart of the guaranteed fraction of capacity: " + "; ".join(parts) + "."


def _examples(routing: str) -> str:
    form = closed_forms.get(routing)
    if form is None or len({form.fraction(radix) for radix in LIMIT_RADICES}) == 1:
        return ""
    return (
        "It is "
        + ", ".join(f"{float(form.fraction(k)):.4f} at k = {k}" for k in LIMIT_RADICES)
        + "."
    )


def _form(routing: str, rows: list[TrendRow]) -> dict[str, str]:
    form = closed_forms[routing]
    covered = [row for row in rows if row.routing == routing and row.closed_form_exact]
    wrong = [row.radix for row in covered if row.agreement == "differs"]
    return {
        "routing": routing_label(routing),
        "formula": form.formula,
        "domain": form.domain,
        "source": form.source,
        "agreement": (
            f"differs at k = {', '.join(map(str, wrong))}"
            if wrong
            else f"equal at all {len(covered)} radices that it covers"
        ),
    }


def permutation_drawing(study: xr.Dataset, cells: Cells) -> Drawing:
    """Draw a worst permutation on the torus that shows it best."""
    network = _network_to_draw(study)
    if network is None:
        return Drawing("This study holds no torus of two dimensions small enough to draw.")
    known = [r for r in PERMUTATION_ROUTINGS if holds(study, network, r)]
    known += [r for r in routing_names(study) if holds(study, network, r)]
    label = routing_label(known[0])
    cell = stored_cell(study, cells, network, known[0])
    return drawing(
        lambda: plots.worst_permutation_figure(cell),
        alt=f"The worst permutation of {label} on {network}: arrows of the source and "
        "destination pairs that load the critical channel, and the permutation as a matrix.",
        caption=f"The permutation that loads one channel most under {label} on {network}. Pairs "
        "within the channel's own row or column load it as tornado traffic does; the quadrants "
        "of the other pairs overlap the channel, and each adds a little more. The torus is "
        "turned so that the channel is in the middle; the numbers at the edge are the true "
        "coordinates. Right: as in Figure 9 of the technical report, each place names the "
        "destination of the source there.",
    )


def _network_to_draw(study: xr.Dataset) -> str | None:
    """Return the 2-D torus to draw: the largest odd k up to 9, else the nearest small one."""
    radices = {
        int(value(study, "radix", network=name)): name
        for name in reversed(network_names(study))
        if (value(study, "family", network=name), value(study, "dimensions", network=name))
        == ("torus", 2)
    }
    fit = [radix for radix in radices if 2 < radix <= LARGEST_RADIX_TO_DRAW]
    if not fit:
        return None
    return radices[max(fit, key=lambda k: (k <= BEST_RADIX_TO_DRAW and k % 2 == 1, k))]


def loads_drawing(study: xr.Dataset, cells: Cells) -> Drawing:
    """Draw the load of every channel of a small network under some routings."""
    network = _network_to_draw(study) or _first_small_network(study)
    if network is None:
        return Drawing("This study holds no network small enough for a channel-load map.")
    chosen = [r for r in MAP_ROUTINGS if holds(study, network, r)]
    chosen = chosen or [r for r in routing_names(study) if holds(study, network, r)][:3]
    labels = ", ".join(map(routing_label, chosen))
    drawn = [stored_cell(study, cells, network, routing) for routing in chosen]
    return drawing(
        lambda: plots.channel_load_comparison(drawn),
        alt=f"Maps of {network} with every channel coloured by its load, for {labels}, each "
        "under its own worst-case traffic.",
        caption=f"Load of every channel of {network} under the worst-case traffic of {labels}, "
        "in one scale. Unloaded channels are grey, wrap-around channels are stubs at the edge.",
    )


def worst_case_drawing(study: xr.Dataset, cells: Cells) -> Drawing | None:
    """Draw the worst case of each channel of the largest small mesh, None if there is none."""
    meshes = [
        (int(value(study, "nodes", network=name)), name)
        for name in network_names(study)
        if (value(study, "family", network=name), value(study, "dimensions", network=name))
        == ("mesh", 2)
    ]
    small = [mesh for mesh in meshes if mesh[0] <= LARGEST_RADIX_TO_DRAW**2]
    if not small:
        return None
    _, network = max(small)
    chosen = [r for r in routing_names(study) if holds(study, network, r)][:3]
    labels = ", ".join(map(routing_label, chosen))
    drawn = [stored_cell(study, cells, network, routing) for routing in chosen]
    return drawing(
        lambda: plots.worst_case_map(drawn),
        alt=f"Maps of {network} with every channel coloured by its own worst case, for {labels}.",
        caption=f"The most that any permutation can put on each channel of {network} under "
        f"{labels}: every channel has a worst permutation of its own, found and certified for it "
        "or for a channel that a symmetry of the routing maps to it. On a torus the channels of a "
        "dimension are alike; a mesh has a profile, and only its largest value is the worst case "
        "of the routing.",
    )


def _first_small_network(study: xr.Dataset) -> str | None:
    sizes = study["nodes"].values
    small = np.flatnonzero(sizes <= LARGEST_RADIX_TO_DRAW**2)
    return network_names(study)[int(small[np.argmax(sizes[small])])] if len(small) else None


def pareto_drawing(study: xr.Dataset) -> Drawing:
    """Draw path length against guaranteed throughput."""
    names = network_names(study)
    network = SPAA_NETWORK if SPAA_NETWORK in names else (_network_to_draw(study) or names[-1])
    return drawing(
        lambda: plots.pareto_figure(study, network),
        alt=f"Scatter plot of mean path length against guaranteed throughput on {network}, a "
        "point a routing; the numbers are in the table of every worst case.",
        caption=f"Each routing on {network} by what it guarantees and what it costs in path "
        "length; lower and further right is better (compare Figure 1 of the SPAA 2003 paper).",
    )
