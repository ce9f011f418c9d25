"""The leagues of a study: a row for each routing of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import xarray as xr

from obroute.trends.values import exact, holds, network_names, routing_names, value
from obroute.views import Rows, StudyData, tables


@dataclass(frozen=True)
class Ranked:
    """A routing in a league; loads are packets per cycle over channel bandwidth."""

    network: str
    league: str
    place: int
    routing: str
    load: Fraction
    uniform_load: Fraction | None
    average: float | None
    length: Fraction
    virtual_channels: int | None
    of_best: Fraction | None
    of_best_table: tuple[Fraction, Fraction] | None
    channel: str

    @property
    def throughput(self) -> float | None:
        """What is guaranteed for all traffic (fraction of injection bandwidth)."""
        return float(1 / self.load) if self.load else None


def ranked_rows(found: xr.Dataset) -> list[Ranked]:
    """Return every routing of every league, the best of each first."""
    return [
        row
        for network in network_names(found)
        for league in routing_names(found)
        if holds(found, network, league)
        for row in _rows(found, network, league)
    ]


def _rows(found: xr.Dataset, network: str, league: str) -> Iterator[Ranked]:
    for rank in range(found.sizes["rank"]):
        cell = found.isel(rank=rank)
        place = {"network": network, "routing": league}
        routing = str(value(cell, "ranked_routing", **place))
        load = exact(cell, "worst_case_load", **place)
        length = exact(cell, "mean_path_length", **place)
        if not routing or load is None or length is None:
            continue  # a league of fewer routings than another
        average = float(value(cell, "average_case_throughput", **place))
        count = int(value(cell, "virtual_channels", **place))
        lower = exact(cell, "of_best_table_lower", **place)
        upper = exact(cell, "of_best_table_upper", **place)
        yield Ranked(
            network,
            league,
            int(value(cell, "place", **place)),
            routing,
            load,
            exact(cell, "uniform_load", **place),
            None if math.isnan(average) else average,
            length,
            None if count < 0 else count,
            exact(cell, "of_best", **place),
            None if lower is None or upper is None else (lower, upper),
            str(value(cell, "critical_channel", **place)),
        )


@tables.register("leagues", "Routings ranked by what they guarantee.", needs=("leagues",))
def leagues_table(data: StudyData) -> Rows:
    """Return a row a routing of a league; what is not known is left empty."""
    columns = [
        "network",
        "league",
        "place",
        "routing",
        "worst_case_load_exact",
        "worst_case_throughput",
        "uniform_load_exact",
        "random_permutations_throughput",
        "mean_path_length",
        "virtual_channels",
        "of_best_possible",
        "of_best_table_lower",
        "of_best_table_upper",
        "channel",
    ]
    rows = []
    for one in ranked_rows(data["leagues"]):
        shares = one.of_best_table or (None, None)
        values = (
            one.network,
            one.league,
            one.place,
            one.routing,
            str(one.load),
            one.throughput,
            None if one.uniform_load is None else str(one.uniform_load),
            one.average,
            float(one.length),
            one.virtual_channels,
            *(None if share is None else float(share) for share in (one.of_best, *shares)),
            one.channel,
        )
        rows.append(dict(zip(columns, ("" if v is None else v for v in values), strict=True)))
    return Rows(columns, rows)
