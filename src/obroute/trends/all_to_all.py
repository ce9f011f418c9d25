"""All-to-all and collectives of a study, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import xarray as xr

from obroute.trends.values import holds, network_names, routing_names, value
from obroute.views import Rows, StudyData, tables

OF_ALL_TO_ALL = ("time", "time_exact", "least_time", "least_time_exact")
OF_COLLECTIVES = ("time", "time_exact")


def all_to_all_rows(study: xr.Dataset) -> Iterator[dict[str, Any]]:
    """Yield the times of every network and routing."""
    for network in network_names(study):
        for routing in routing_names(study):
            if holds(study, network, routing):
                place = {"network": network, "routing": routing}
                yield place | {name: value(study, name, **place) for name in OF_ALL_TO_ALL}


def collective_rows(study: xr.Dataset) -> Iterator[dict[str, Any]]:
    """Yield the time of every collective, network and routing."""
    for network in network_names(study):
        for routing in routing_names(study):
            if not holds(study, network, routing):
                continue
            for name in map(str, study["collective"].values.tolist()):
                place = {"network": network, "routing": routing, "collective": name}
                if value(study, "time_exact", **place):
                    yield place | {key: value(study, key, **place) for key in OF_COLLECTIVES}


@tables.register("all-to-all", "Times of an all-to-all, and the least.", needs=("all_to_all",))
def all_to_all_table(data: StudyData) -> Rows:
    """Return a row a network and routing."""
    return Rows(["network", "routing", *OF_ALL_TO_ALL], all_to_all_rows(data["all_to_all"]))


@tables.register("collectives", "Times of collectives.", needs=("collectives",))
def collectives_table(data: StudyData) -> Rows:
    """Return a row a network, routing and collective."""
    header = ["network", "routing", "collective", *OF_COLLECTIVES]
    return Rows(header, collective_rows(data["collectives"]))
