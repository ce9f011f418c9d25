"""Worst cases over sets of traffic, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import xarray as xr

from obroute.trends.values import holds, network_names, routing_names, value
from obroute.views import Rows, StudyData, tables


@dataclass(frozen=True)
class RestrictedRow:
    """The worst case of a routing on a network over one set of traffic."""

    network: str
    routing: str
    traffic_set: str
    load: float
    load_exact: str


def set_names(restricted: xr.Dataset) -> list[str]:
    """Return the sets of traffic of a study, in its order."""
    return [str(name) for name in restricted["traffic_set"].values.tolist()]


def restricted_rows(restricted: xr.Dataset) -> Iterator[RestrictedRow]:
    """Yield every worst case that a study has."""
    for network in network_names(restricted):
        for routing in routing_names(restricted):
            if not holds(restricted, network, routing):
                continue
            for name in set_names(restricted):
                place = {"network": network, "routing": routing, "traffic_set": name}
                exact = value(restricted, "worst_case_load_exact", **place)
                if exact:
                    load = value(restricted, "worst_case_load", **place)
                    yield RestrictedRow(network, routing, name, load, exact)


@tables.register("restricted", "Worst cases over sets of traffic.", needs=("restricted",))
def restricted_table(data: StudyData) -> Rows:
    """Return a row a network, routing and set of traffic."""
    header = ["network", "routing", "traffic_set", "worst_case_load", "worst_case_load_exact"]
    rows = (
        dict(
            zip(
                header,
                (row.network, row.routing, row.traffic_set, row.load, row.load_exact),
                strict=True,
            )
        )
        for row in restricted_rows(data["restricted"])
    )
    return Rows(header, rows)
