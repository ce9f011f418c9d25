"""The league of routings on each network of a study, as a table."""

from __future__ import annotations

from fractions import Fraction

import xarray as xr

from obroute.deadlock import virtual_channels_needed
from obroute.importers import make_network
from obroute.importers.registry import file_of
from obroute.league import Standing, ranked, share_of
from obroute.network import Network
from obroute.routing import routings
from obroute.trends.topologies import best_load
from obroute.trends.values import exact, holds, network_names, pattern_names, routing_names, value
from obroute.views import Coverage, Rows, StudyData, tables


def league(data: StudyData, network: str) -> list[Standing]:
    """Return the routings of a study on a network, the best guarantee first."""
    study = data["evaluations"]
    made = make_network(network)
    best = best_load(data.get("designs"), network, "worst_case")
    return ranked(
        _standing(study, made, routing, best)
        for routing in routing_names(study)
        if holds(study, network, routing)
    )


def _standing(
    study: xr.Dataset, network: Network, routing: str, best: Fraction | None
) -> Standing:
    place = {"network": network.name, "routing": routing}
    load = exact(study, "worst_case_load", **place)
    length = exact(study, "mean_path_length", **place)
    assert load is not None
    assert length is not None
    uniform = None
    if "uniform" in pattern_names(study):
        uniform = exact(study, "pattern_load", **place, pattern="uniform")
    drawn = value(study, "average_case_samples", **place) > 0
    drawn &= value(study, "average_case_kind", **place) == "permutation"
    return Standing(
        0,
        routing,
        load,
        uniform,
        value(study, "average_case_throughput", **place) if drawn else None,
        value(study, "average_case_standard_error", **place) if drawn else None,
        length,
        virtual_channels_needed(network, routings.create(routing)),
        share_of(best, load),
    )


def is_a_league(study: Coverage, **options: object) -> bool:
    """Say whether several routings stand beside each other on a network that is a file."""
    return any(file_of(network) is not None for network in study.networks)


@tables.register(
    "league",
    "Routings ranked by what they guarantee, with all that speaks for each.",
    uses=("designs",),
    applies=is_a_league,
)
def league_table(data: StudyData) -> Rows:
    """Return a row a network and routing; what is not known is left empty."""
    columns = [
        "network",
        "place",
        "routing",
        "worst_case_load_exact",
        "worst_case_throughput",
        "uniform_load_exact",
        "random_permutations_throughput",
        "random_permutations_standard_error",
        "mean_path_length",
        "virtual_channels",
        "of_best_possible",
    ]
    rows = []
    for network in network_names(data["evaluations"]):
        for one in league(data, network):
            values = (
                network,
                one.place,
                one.routing,
                one.load,
                None if one.throughput is None else float(one.throughput),
                one.uniform_load,
                one.average,
                one.average_error,
                float(one.length),
                one.virtual_channels,
                None if one.of_best is None else float(one.of_best),
            )
            rows.append(dict(zip(columns, ("" if v is None else v for v in values), strict=True)))
    return Rows(columns, rows)
