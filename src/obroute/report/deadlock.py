"""Deadlock in the report: virtual channels that a study's routings take, on a small network."""

from __future__ import annotations

from typing import Any

import xarray as xr

from obroute.papers.computed import SCHEME, judged_paths
from obroute.plots import routing_label
from obroute.trends.readings import holds, network_names, routing_names, value

MOST_NODES = 25
"""The largest network whose every path is walked: a second or two for all routings."""
GRIDS = frozenset({"torus", "mesh", "hypercube", "ring"})


def deadlock_section(study: xr.Dataset) -> dict[str, Any] | None:
    """Return what the routings on a study's largest small grid take; None if it has none."""
    network = _small_grid(study)
    if network is None:
        return None
    rows = []
    for routing in routing_names(study):
        if not holds(study, network, routing):
            continue
        judged = judged_paths(network, routing)
        if judged is None:
            continue
        label = "every path of at most two turns" if routing == "2turn" else routing_label(routing)
        rows.append({"routing": label, "needed": judged[0], "paths": judged[1]})
    if not rows:
        return None
    return {
        "network": network,
        "scheme": SCHEME,
        "rows": rows,
        "sentence": (
            "A packet takes a further set of virtual channels after each turn to an earlier "
            "dimension, and in a set the second of two after a ring's dateline: the scheme that "
            "the SPAA 2003 paper describes."
        ),
    }


def _small_grid(study: xr.Dataset) -> str | None:
    small = [
        name
        for name in network_names(study)
        if value(study, "family", network=name) in GRIDS
        and int(value(study, "nodes", network=name)) <= MOST_NODES
    ]
    return max(small, key=lambda name: int(value(study, "nodes", network=name)), default=None)
