"""Single values of a study, by the names of a network, a routing and a pattern."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import xarray as xr

from obroute.network import Network
from obroute.topologies import networks
from obroute.views import StudyData


def network_names(study: xr.Dataset) -> list[str]:
    """Return the networks of a study, in its order."""
    return [str(name) for name in study["network"].values.tolist()]


def routing_names(study: xr.Dataset) -> list[str]:
    """Return the routings of a study, in its order."""
    return [str(name) for name in study["routing"].values.tolist()]


def pattern_names(study: xr.Dataset) -> list[str]:
    """Return the traffic patterns of a study, in its order."""
    return [str(name) for name in study["pattern"].values.tolist()]


@cache
def network_of(family: str, name: str) -> Network | None:
    """Return a network of a registered family by its name; None for one of a file."""
    return networks.create(name) if family in networks else None


def holds(study: xr.Dataset, network: str, routing: str) -> bool:
    """Say whether a study has a cell for this network and routing."""
    return (
        network in network_names(study)
        and routing in routing_names(study)
        and bool(value(study, "present", network=network, routing=routing))
    )


def value(study: xr.Dataset, name: str, **place: str) -> Any:
    """Return one entry of an array, by the names along its dims."""
    array = study.variables[name]
    at = tuple(study.get_index(dim).get_loc(place[str(dim)]) for dim in array.dims)
    return array.values.item(at)


def evaluation_of(data: StudyData, network: str, routing: str) -> xr.Dataset:
    """Return the cell of a network and a routing, by the name that the study has for it."""
    name = str(value(data["evaluations"], "cell", network=network, routing=routing))
    return data.cell("evaluations", name)


def exact(study: xr.Dataset, name: str, **place: str) -> Fraction | None:
    """Return the exact value of ``name``, None where the study has none."""
    for dim, label in place.items():
        if label not in study[dim].values.tolist():
            return None
    text = value(study, f"{name}_exact", **place)
    return Fraction(text) if text else None


def fraction_of_capacity(
    study: xr.Dataset, name: str, network: str, **place: str
) -> Fraction | None:
    """Return the throughput at the load ``name`` as an exact fraction of capacity."""
    load = exact(study, name, network=network, **place)
    capacity = exact(study, "capacity_load", network=network)
    return capacity / load if load and capacity else None


def normalized_path_length(
    study: xr.Dataset, network: str, routing: str, shortest: Fraction
) -> Fraction | None:
    """Return the mean path length over ``shortest``, that of shortest paths."""
    length = exact(study, "mean_path_length", network=network, routing=routing)
    return length / shortest if length is not None and shortest else None
