"""Routings of a network as points: path length against the worst case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas
from obroute.plots.curves import FRACTION_LABEL
from obroute.plots.legends import joint_label, legend_below
from obroute.plots.notes import CellName, note
from obroute.plots.points import Place, joint_points, marker_sizes
from obroute.plots.style import fitted, look_of, network_label, sentence_figure, style
from obroute.rational import exactly
from obroute.specs import InputError, suggestion
from obroute.trends.values import (
    exact,
    fraction_of_capacity,
    holds,
    network_names,
    routing_names,
    value,
)
from obroute.views import StudyData, figures

SHOWN = "torus:8x8"
"""The network whose routings are compared where none is named."""


def pareto_figure(study: xr.Dataset, network: str) -> Figure:
    """Draw mean path length against guaranteed throughput, a point a routing (SPAA 2003, Fig. 1).

    Filled points are those that no other routing of the study beats in both; right and down is
    better.
    """
    if network not in network_names(study):
        raise InputError(
            f"the study has no network '{network}'" + suggestion(network, network_names(study))
        )
    with style():
        points = pareto_points(study, network)
        if not points:
            return sentence_figure(f"The capacity of {network} is unknown: no fraction to draw.")
        figure = canvas(8, 4.2, least=4)
        width = figure.get_figwidth()
        axes = figure.subplots()
        looks = look_of(routing_names(study))
        entries: dict[str, Artist] = {}
        sizes = marker_sizes(list(points), figure.get_size_inches(), 9)
        for size, ((fraction, length), names) in zip(sizes, points.items(), strict=True):
            colour, marker = looks[names[0]]
            text = _point_words(study, network, names)
            note(axes, text, (fraction, length), cell=CellName(network, names[0]))
            best = not any(_beats(other, (fraction, length)) for other in points)
            (entries[joint_label(names)],) = axes.plot(
                fraction,
                length,
                marker=marker,
                ms=size,
                mew=1.8,
                mec=colour,
                mfc=colour if best else "white",
                ls="none",
            )
        axes.margins(0.08, 0.1)
        axes.set(
            title=fitted(
                f"Locality against the worst case on {network_label(network)}", width - 0.9
            ),
            xlabel=fitted(FRACTION_LABEL, width - 0.9, 9.5),
            ylabel="mean path length (1 = minimal)",
        )
        axes.grid(True)
        legend_below(figure, entries, title="filled: no other routing here beats it")
        return figure


def pareto_points(study: xr.Dataset, network: str) -> dict[Place, list[str]]:
    """Return the routings by where they stand: fraction of capacity and path length."""
    points: dict[str, Place] = {}
    for routing in routing_names(study):
        if holds(study, network, routing):
            place = {"network": network, "routing": routing}
            point = (
                float(value(study, "fraction_of_capacity", **place)),
                float(value(study, "normalized_path_length", **place)),
            )
            if not np.isnan(point).any():
                points[routing] = point
    return joint_points(points)


def _point_words(study: xr.Dataset, network: str, routings: Sequence[str]) -> str:
    """Say in exact values where routings stand that share a point."""
    place = {"network": network, "routing": routings[0]}
    fraction = fraction_of_capacity(study, "worst_case_load", **place)
    load = exact(study, "worst_case_load", **place)
    assert fraction is not None
    assert load is not None
    return (
        f"{joint_label(routings)}: {exactly(fraction, '.4f')} of capacity, worst-case load "
        f"{exactly(load)}, mean path {value(study, 'normalized_path_length', **place):.5g} times "
        "the shortest"
    )


def _beats(one: Place, other: Place) -> bool:
    """Say whether a point guarantees at least as much on paths no longer, and is another."""
    return one != other and one[0] >= other[0] and one[1] <= other[1]


@figures.register(
    "pareto",
    "Path length against guaranteed throughput, one point a routing.",
    applies=lambda study, network: network in study.networks,
)
def _pareto(
    data: StudyData,
    network: Annotated[str, "Network of the figure; not needed where there is but one."] = SHOWN,
) -> Figure:
    study = data["evaluations"]
    known = network_names(study)
    only = known[0] if network == SHOWN and len(known) == 1 else network
    return pareto_figure(study, only)
