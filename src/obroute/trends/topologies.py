"""Which topology guarantees what: every network of a study by its structure and its routings."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import xarray as xr

from obroute.deadlock import virtual_channels_needed
from obroute.network import Network
from obroute.routing import routings
from obroute.topologies import networks
from obroute.trends.structure import Structure, structure_of
from obroute.trends.values import (
    exact,
    holds,
    network_names,
    network_of,
    routing_names,
    value,
)
from obroute.views import Coverage, Rows, StudyData, tables

FEWEST_FAMILIES = 3
"""Of how many families a study has networks, from which on it is one of topologies."""


@dataclass(frozen=True)
class Guarantee:
    """What one routing guarantees on a network.

    Parameters
    ----------
    routing
        Its name.
    load
        The worst case's load (packets per cycle over channel bandwidth).
    length
        Mean path length (hops).
    network
        The network; None where only the numbers are known.
    """

    routing: str
    load: Fraction
    length: Fraction | None
    network: Network | None = field(repr=False)

    @property
    def virtual_channels(self) -> int | None:
        """With how many it is proved to be free of deadlock; None where that is not known."""
        return None if self.network is None else _virtual_channels(self.network, self.routing)

    @property
    def throughput(self) -> Fraction:
        """What is guaranteed for all traffic (fraction of injection bandwidth)."""
        return 1 / self.load


@dataclass(frozen=True)
class Topology:
    """A network with what its routings guarantee, and what any could.

    Parameters
    ----------
    network, family
        Its name, and the family.
    structure
        What it is made of.
    capacity_load
        The least largest load of uniform traffic; None where it is not known.
    best_load
        The least worst-case load of any oblivious routing, as a design proved it: None without.
    guarantees
        Each routing of the study, the best guarantee first.
    """

    network: str
    family: str
    structure: Structure
    capacity_load: Fraction | None
    best_load: Fraction | None
    guarantees: tuple[Guarantee, ...]


def is_of_topologies(study: Coverage) -> bool:
    """Say whether a study compares topologies: it has networks of several families."""
    families = {name.partition(":")[0] for name in study.networks}
    return sum(family in networks for family in families) >= FEWEST_FAMILIES


def topologies(data: StudyData) -> list[Topology]:
    """Return the networks of a study that families make, with what their routings guarantee."""
    study, designs = data["evaluations"], data.get("designs")
    found = []
    for name in network_names(study):
        family = str(value(study, "family", network=name))
        made = network_of(family, name)
        if made is None:
            continue
        held = [
            guarantee
            for routing in routing_names(study)
            if holds(study, name, routing)
            and (guarantee := _guarantee(study, made, name, routing)) is not None
        ]
        held.sort(key=lambda one: (one.load, one.length or 0))
        best = best_load(designs, name, "worst_case")
        capacity = exact(study, "capacity_load", network=name)
        found.append(
            Topology(
                name,
                family,
                structure_of(made),
                capacity or best_load(designs, name, "capacity"),
                best,
                tuple(held),
            )
        )
    return found


def _guarantee(study: xr.Dataset, made: Network, network: str, routing: str) -> Guarantee | None:
    place = {"network": network, "routing": routing}
    load = exact(study, "worst_case_load", **place)
    if not load or _is_for_other_traffic(routing):
        return None
    length = exact(study, "mean_path_length", **place)
    return Guarantee(routing, load, length, made)


def best_load(designs: xr.Dataset | None, network: str, objective: str) -> Fraction | None:
    """Return the least load that a design proved of all routings: exactly, over all paths."""
    if designs is None or network not in network_names(designs):
        return None
    loads = []
    for design in routing_names(designs):
        place = {"network": network, "routing": design}
        lower, upper = (value(designs, f"load_{end}_exact", **place) for end in ("lower", "upper"))
        if (
            value(designs, "objective", **place) == objective
            and value(designs, "paths", **place) == "all"
            and lower
            and lower == upper
            and _is_free(str(value(designs, "claims", **place)))
        ):
            loads.append(Fraction(lower))
    return min(loads, default=None)


def _is_free(claims: str) -> bool:
    """Say whether what a design claims is about all routings, whatever their path length."""
    return claims.startswith("proved: no routing has")


def _is_for_other_traffic(routing: str) -> bool:
    """Say whether a routing was designed for another objective than the worst case."""
    made = routings.create(routing)
    return made.designs and made.parameters.get("objective", "worst_case") != "worst_case"


@cache
def _virtual_channels(network: Network, routing: str) -> int | None:
    return virtual_channels_needed(network, routings.create(routing))


COLUMNS = (
    "network",
    "family",
    "hosts",
    "switches",
    "ports_per_host",
    "degree",
    "diameter",
    "capacity_load_exact",
    "best_load_exact",
    "routing",
    "worst_case_load_exact",
    "worst_case_throughput",
    "of_best_possible",
    "mean_path_length",
    "virtual_channels",
)


@tables.register(
    "topologies",
    "Every network by its structure, with what its routings guarantee and what any could.",
    uses=("designs",),
    applies=is_of_topologies,
)
def table(data: StudyData) -> Rows:
    """Return a line a network and routing; what is not known is left empty."""
    return Rows(
        COLUMNS,
        [_row(found, one) for found in topologies(data) for one in found.guarantees],
    )


def _row(found: Topology, one: Guarantee) -> dict[str, Any]:
    structure = found.structure
    return {
        "network": found.network,
        "family": found.family,
        "hosts": structure.hosts,
        "switches": structure.switches,
        "ports_per_host": float(structure.ports_per_host),
        "degree": structure.degree,
        "diameter": structure.diameter,
        "capacity_load_exact": _text(found.capacity_load),
        "best_load_exact": _text(found.best_load),
        "routing": one.routing,
        "worst_case_load_exact": one.load,
        "worst_case_throughput": float(one.throughput),
        "of_best_possible": "" if found.best_load is None else float(found.best_load / one.load),
        "mean_path_length": "" if one.length is None else float(one.length),
        "virtual_channels": "" if one.virtual_channels is None else one.virtual_channels,
    }


def _text(number: Fraction | None) -> str:
    return "" if number is None else str(number)
