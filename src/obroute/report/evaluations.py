"""Worst cases in the report: drawn on a network, against path lengths, and in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from obroute import plots
from obroute.breakdown import describe_groups, load_groups
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.rational import RationalArray, brief
from obroute.report.critical import shown_cell
from obroute.report.drawings import drawing
from obroute.report.networks import MOST_NETWORKS
from obroute.report.permutation import LARGEST_RADIX_TO_DRAW, drawn_network
from obroute.report.wording import decimal
from obroute.trends.critical import CriticalChannel
from obroute.trends.values import evaluation_of, holds, network_names, routing_names, value
from obroute.views import (
    Block,
    Drawing,
    Heading,
    Section,
    StudyData,
    Written,
    remarks_on,
    sections,
)

SUMMARY = Path(__file__).parent / "templates" / "summary.html.j2"

MAP_ROUTINGS = ("dor", "romm", "valiant")


@sections.register("loads", place=50)
def loads_section(data: StudyData) -> Section | None:
    """Return the load of every channel of a small network, and worst cases on a mesh."""
    many = len(network_names(data["evaluations"])) > MOST_NETWORKS  # of few each has its drawing
    drawn = _loads_drawing(data) if many else None
    blocks = [*([drawn] if drawn else []), *_worst_case_blocks(data)]
    if not blocks:
        return None
    heading = "Channel loads under the worst case"
    return Section("Channel loads", "loads", blocks, heading)


def _loads_drawing(data: StudyData) -> Drawing | None:
    """Draw the load of every channel of a small network under some routings."""
    study = data["evaluations"]
    network = drawn_network(study) or _first_small_network(study)
    if network is None:
        return None
    chosen = [r for r in MAP_ROUTINGS if holds(study, network, r)]
    chosen = chosen or [r for r in routing_names(study) if holds(study, network, r)][:3]
    labels = ", ".join(map(routing_label, chosen))
    drawn = [evaluation_of(data, network, routing) for routing in chosen]
    return drawing(
        lambda: plots.channel_load_comparison(drawn),
        alt=f"Maps of {network_label(network)} with every channel coloured by its load, for "
        f"{labels}, each under its own worst-case traffic.",
        caption=f"Load of every channel of {network_label(network)} under the worst-case "
        f"traffic of {labels}, in one scale. Unloaded channels are grey, wrap-around channels are "
        "stubs at the edge.",
    )


def _worst_case_blocks(data: StudyData) -> list[Block]:
    """Draw the worst case of each channel of the largest small mesh, if there is one."""
    study = data["evaluations"]
    meshes = [
        (int(value(study, "nodes", network=name)), name)
        for name in network_names(study)
        if (value(study, "family", network=name), value(study, "dimensions", network=name))
        == ("mesh", 2)
    ]
    small = [mesh for mesh in meshes if mesh[0] <= LARGEST_RADIX_TO_DRAW**2]
    if not small:
        return []
    _, network = max(small)
    chosen = [r for r in routing_names(study) if holds(study, network, r)][:3]
    labels = ", ".join(map(routing_label, chosen))
    drawn = [evaluation_of(data, network, routing) for routing in chosen]
    shown = drawing(
        lambda: plots.worst_case_map(drawn),
        alt=f"Maps of {network_label(network)} with every channel coloured by its own worst "
        f"case, for {labels}.",
        caption="The most that any permutation can put on each channel of "
        f"{network_label(network)} under {labels}: every channel has a worst permutation of its "
        "own, found and certified for it or for a channel that a symmetry of the routing maps to "
        "it. On a torus the channels of a dimension are alike; a mesh has a profile, and only its "
        "largest value is the worst case of the routing.",
    )
    return [Heading("The worst case of each channel"), shown]


def _first_small_network(study: xr.Dataset) -> str | None:
    sizes = study["nodes"].values
    small = np.flatnonzero(sizes <= LARGEST_RADIX_TO_DRAW**2)
    return network_names(study)[int(small[np.argmax(sizes[small])])] if len(small) else None


@sections.register("pareto", place=60)
def pareto_section(data: StudyData) -> Section | None:
    """Return path length against guaranteed throughput; None where there is nothing to weigh."""
    study = data["evaluations"]
    network = _most_routings(study)
    if network is None or len(plots.pareto_points(study, network)) < 2:
        return None
    name = network_label(network)
    drawn = drawing(
        lambda: plots.pareto_figure(study, network),
        alt=f"Scatter plot of mean path length against guaranteed throughput on {name}, a point a "
        "routing; the numbers are in the table of every worst case.",
        caption=f"Each routing on {name} by what it guarantees and what it costs in path length; "
        "lower and further right is better." + remarks_on("pareto", data, network=network),
    )
    heading = "Locality against the worst case"
    return Section("Locality and worst case", "pareto", [drawn], heading)


def _most_routings(study: xr.Dataset) -> str | None:
    """Return the network of known capacity with most routings; the largest of several."""
    known = [
        name for name in network_names(study) if value(study, "capacity_load_exact", network=name)
    ]
    return max(
        known,
        key=lambda name: (
            int(study["present"].sel(network=name).sum()),
            int(value(study, "nodes", network=name)),
        ),
        default=None,
    )


@sections.register("summary", place=100)
def summary_section(data: StudyData) -> Section:
    """Return the worst case of every network and routing, with what each cell shows on demand."""
    study = data["evaluations"]
    readable = set(data.readable_cells("evaluations"))
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, object]] = []
    names: dict[str, list[str]] = {}
    for network in network_names(study):
        made = None  # each network is made once, not once a cell
        for routing in routing_names(study):
            if not holds(study, network, routing):
                continue
            row = _worst_case(study, network, routing)
            if value(study, "cell", network=network, routing=routing) in readable:
                critical = CriticalChannel(evaluation_of(data, network, routing), made)
                made = critical.network
                row["cell"] = len(cells)
                row["hint"] = _hint(critical)
                cells.append(shown_cell(critical))
                if network not in names and made is not None:
                    names[network] = [made.describe(node) for node in range(made.node_count)]
            rows.append(row)
    shown = {"summary": rows, "held": {"names": names, "cells": cells}}
    return Section("Every worst case", "summary", [Written(SUMMARY, shown)])


def _hint(critical: CriticalChannel) -> str:
    """Say in a line where the worst case is, and what adds up to it."""
    said = f"{brief(critical.load)} on channel {critical.name(critical.channel)}"
    if not critical.collisions:
        return said
    added = [pair.load for pair in critical.collisions]
    over = "" if critical.bandwidth == 1 else f", over a bandwidth of {critical.bandwidth}"
    return f"{said}: {describe_groups(load_groups(RationalArray.from_fractions(added)))}{over}"


def _worst_case(study: xr.Dataset, network: str, routing: str) -> dict[str, Any]:
    place = {"network": network, "routing": routing}
    return {
        "network": network_label(network),
        "named": network,
        "routing": routing_label(routing),
        "load_exact": value(study, "worst_case_load_exact", **place),
        "load": f"{value(study, 'worst_case_load', **place):.5g}",
        "fraction": decimal(value(study, "fraction_of_capacity", **place)),
        "path_length": decimal(value(study, "normalized_path_length", **place)),
        "certified": bool(value(study, "certified", **place)),
        "cell": None,
        "hint": "",
    }
