"""The worst set of failures of every network and routing, as a table."""

from __future__ import annotations

from typing import Any

import xarray as xr

from obroute.trends.values import holds, network_names, routing_names, value
from obroute.views import Rows, StudyData, tables

ARRAYS = (
    "failing",
    "count",
    "parts",
    "repair",
    "load_before_exact",
    "worst_case_load_exact",
    "worst_case_load",
    "worst_set",
    "sets",
    "sets_that_cut",
    "most_pairs_cut",
)


@tables.register("failures", "The worst set of failures of every routing.", needs=("failures",))
def failures_table(data: StudyData) -> Rows:
    """Return a row for each network and routing."""
    return Rows(["network", "routing", *ARRAYS], failure_rows(data["failures"]))


def failure_rows(failures: xr.Dataset) -> list[dict[str, Any]]:
    """Return what is gathered of failures, a row for each network and routing."""
    return [
        {
            "network": network,
            "routing": routing,
            **{name: value(failures, name, network=network, routing=routing) for name in ARRAYS},
        }
        for network in network_names(failures)
        for routing in routing_names(failures)
        if holds(failures, network, routing)
    ]
