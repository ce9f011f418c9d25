"""The worst permutation of a study's best torus to draw."""

from __future__ import annotations

import xarray as xr

from obroute import plots
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.trends.values import evaluation_of, holds, network_names, routing_names, value
from obroute.views import Section, StudyData, remarks_on, sections

PERMUTATION_ROUTINGS = ("romm", "romm:order=fixed", "rlb", "dor", "o1turn", "valiant", "ival")
"""Whose worst permutation to draw: the first of these that the study has on the network."""
LARGEST_RADIX_TO_DRAW = 12
BEST_RADIX_TO_DRAW = 9


@sections.register("permutation", place=6)
def permutation_section(data: StudyData) -> Section | None:
    """Return a worst permutation on the torus that shows it best; None without such a torus."""
    study = data["evaluations"]
    network = drawn_network(study)
    if network is None:
        return None
    known = [r for r in PERMUTATION_ROUTINGS if holds(study, network, r)]
    known += [r for r in routing_names(study) if holds(study, network, r)]
    label = routing_label(known[0])
    cell = evaluation_of(data, network, known[0])
    drawn = drawing(
        lambda: plots.worst_permutation_figure(cell),
        alt=f"The worst permutation of {label} on "
        f"{network_label(network)}: arrows of the source and "
        "destination pairs that load the critical channel, and the permutation as a matrix.",
        caption=f"The permutation that loads one channel most under {label} on "
        f"{network_label(network)}. Pairs "
        "within the channel's own row or column load it as tornado traffic does; the quadrants "
        "of the other pairs overlap the channel, and each adds a little more. The torus is "
        "turned so that the channel is in the middle; the numbers at the edge are the true "
        "coordinates. Right: each place names the destination of the source there."
        + remarks_on("permutation", data, network=network),
    )
    return Section("The worst permutation", "permutation", [drawn])


def drawn_network(study: xr.Dataset) -> str | None:
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
