"""Deadlock in the report: virtual channels that a study's routings take, on a small network."""

from __future__ import annotations

import xarray as xr

from obroute.plots import routing_label
from obroute.trends.values import holds, network_names, routing_names, value
from obroute.trends.virtual_channels import judged_paths
from obroute.views import Paragraph, Section, StudyData, Table, remarks_on, sections

MOST_NODES = 25
"""The largest network whose every path is walked: a second or two for all routings."""
GRIDS = frozenset({"torus", "mesh", "hypercube", "ring"})


@sections.register("deadlock", place=80)
def deadlock_section(data: StudyData) -> Section | None:
    """Return what the routings on a study's largest small grid take; None if it has none."""
    study = data["evaluations"]
    network = _small_grid(study)
    rows = [] if network is None else virtual_channels(study, network)
    if not rows:
        return None
    sentence = (
        "A packet takes a further set of virtual channels after each turn to an earlier "
        "dimension, and in a set the second of two after a ring's dateline."
    ) + remarks_on("deadlock", data)
    table = Table(
        f"Virtual channels of each channel of {network} with which a routing is free of deadlock: "
        "proved by a numbering of the virtual channels that rises along every path (Dally and "
        "Seitz 1987). Fewer may do by another scheme.",
        ["Paths", "Virtual channels", "Paths walked"],
        rows,
        numbers=(1, 2),
    )
    return Section("Deadlock", "deadlock", [Paragraph(sentence), table])


def virtual_channels(study: xr.Dataset, network: str) -> list[tuple[str, int, int]]:
    """Return the virtual channels that each routing takes, and the paths that were walked."""
    rows = []
    for routing in routing_names(study):
        judged = judged_paths(network, routing) if holds(study, network, routing) else None
        if judged is not None:
            every = routing == "2turn"
            label = "every path of at most two turns" if every else routing_label(routing)
            rows.append((label, *judged))
    return rows


def _small_grid(study: xr.Dataset) -> str | None:
    small = [
        name
        for name in network_names(study)
        if value(study, "family", network=name) in GRIDS
        and int(value(study, "nodes", network=name)) <= MOST_NODES
    ]
    return max(small, key=lambda name: int(value(study, "nodes", network=name)), default=None)
