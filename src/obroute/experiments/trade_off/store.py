"""Trade-off curves found, what their stores hold, and what is gathered of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.decimals import no_less_than
from obroute.design import Scope, TradeOff, trade_off
from obroute.kinds.answers import Contents
from obroute.results.arrays import (
    CAPACITY,
    CASE,
    FRACTION,
    HOPS,
    LOAD,
    SHORTEST,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    floats,
)
from obroute.results.gathering import as_stored

if TYPE_CHECKING:
    from obroute.experiments.trade_off import TradeOffSettings
    from obroute.network import Network

ARRAYS: dict[str, ArraySpec] = {
    **exact_and_float("routing_load", ("vertex",), "load at each breakpoint of the curve", LOAD),
    **exact_and_float(
        "mean_path_length",
        ("vertex",),
        "least mean path length of all routings with at most that load",
        HOPS,
    ),
    **exact_and_float(
        "slope",
        ("vertex",),
        "slope of a line that bounds the whole curve",
        "hops for a unit of load",
        witness=True,
    ),
    **exact_and_float(
        "line",
        ("vertex",),
        "that line at the load of the breakpoint: through it where the breakpoint is exact",
        HOPS,
        witness=True,
    ),
    "proved": ArraySpec(("vertex",), "boolean", "the breakpoint is exact and proved"),
    "fraction_of_capacity": ArraySpec(
        ("vertex",), "float", "throughput at the breakpoint", FRACTION
    ),
    "normalized_path_length": ArraySpec(
        ("vertex",), "float", "mean path length over that of shortest paths"
    ),
    "complete": ArraySpec((), "boolean", "the curve has no other breakpoint: proved"),
    "gap": ArraySpec(
        (), "float", "largest distance of the curve below its segments, over path length"
    ),
    "solves": ArraySpec((), "integer", "linear programs solved", on_trust=True),
    **CAPACITY,
    **SHORTEST,
}
"""Every array of a trade-off store: the curve of throughput against path length."""

ATTRIBUTES = {
    "objective": AttributeSpec("whose load it is"),
    "paths": AttributeSpec("the paths allowed"),
    "scope": AttributeSpec("the routings and the traffic that it is of, as JSON"),
    "claims": AttributeSpec("what is proved of it, with its scope (paths, length, traffic)"),
    "solver": AttributeSpec("what solved it", on_trust=True),
}
"""Every attribute of a trade-off store besides those of all stores."""
_GATHERED = ("objective", "paths", "solver", "claims")
SUMMARY: dict[str, ArraySpec] = {
    **{name: spec.by_case() for name, spec in ARRAYS.items()},
    "vertices": ArraySpec(CASE, "integer", "breakpoints of the curve; beyond them all is blank"),
    **{name: ArraySpec(CASE, "text", ATTRIBUTES[name].meaning) for name in _GATHERED},
}
"""Every array of the curves of a study, gathered."""


def run_trade_off(network: Network, settings: TradeOffSettings) -> TradeOff:
    """Find the curve that the settings ask for."""
    given = settings.model_dump(exclude={"time_limit"})
    return trade_off(network, seconds=settings.time_limit, **given)


def contents(found: TradeOff, settings: TradeOffSettings) -> Contents:
    """Return what is stored of a trade-off curve, with dim vertex."""
    network, vertices = found.network, found.vertices
    loads = [vertex.load for vertex in vertices]
    capacity = found.capacity_load
    arrays: dict[str, Any] = {
        **exact_floats("routing_load", loads),
        **exact_floats("mean_path_length", [vertex.path_length for vertex in vertices]),
        **exact_floats("slope", [vertex.slope for vertex in vertices]),
        **exact_floats("line", [vertex.bound(vertex.load) for vertex in vertices]),
        "proved": np.array([vertex.proved for vertex in vertices], dtype=bool),
        "fraction_of_capacity": floats([capacity and capacity / load for load in loads]),
        "normalized_path_length": floats(found.normalized_lengths()),
        "complete": found.complete,
        "gap": found.gap,
        "solves": found.solves,
        **exact_floats("capacity_load", capacity),
        **exact_floats("mean_shortest_path_length", network.mean_shortest_path_length()),
    }
    attributes = {
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "scope": found.scope.to_json(),
        "claims": curve_claims(found.scope, found.complete, found.gap),
        "solver": found.solver,
    }
    return Contents(network, found.name, arrays, attributes=attributes)


def curve_claims(scope: Scope, complete: bool, gap: float) -> str:
    """Return what a curve proves, in words."""
    if complete:
        return f"proved: {scope.of_curve}"
    most = no_less_than(100 * gap, 3)
    return f"proved: {scope.of_curve} by more than {most} % of its path length"


def summarize(cell: xr.Dataset) -> dict[str, Any]:
    """Return what is gathered of a curve: all of it."""
    return {
        **as_stored(cell, (*ARRAYS, *_GATHERED)),
        "vertices": cell.sizes["vertex"],
    }
