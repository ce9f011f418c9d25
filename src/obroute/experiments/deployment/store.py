"""Deployments found, what their stores hold, and what is gathered of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.capacity import capacity_load
from obroute.deployment import Bound, Deployment, Restriction, deploy
from obroute.kinds.answers import Contents
from obroute.network import Network
from obroute.results.arrays import (
    CAPACITY,
    CASE,
    CHANNEL_ENDS,
    HOPS,
    LOAD,
    SHORTEST,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    texts,
)
from obroute.routing.weighted_hops import WeightedHops

if TYPE_CHECKING:
    from obroute.experiments.deployment import DeploymentSettings

_PRICE = "load over that of the best oblivious routing"
_VALUES: dict[str, ArraySpec] = {
    **exact_and_float("routing_load", (), "worst-case load of the routing", LOAD),
    **exact_and_float("load_lower", (), "load that no routing of the restriction has less", LOAD),
    **exact_and_float(
        "oblivious_lower",
        (),
        "lower bound of the best worst case of any oblivious routing (NaN and empty where it was "
        "not asked for)",
        LOAD,
    ),
    **exact_and_float("oblivious_upper", (), "upper bound of the same", LOAD),
    **exact_and_float("price_lower", (), f"lower bound of the least {_PRICE}", ""),
    **exact_and_float("price_upper", (), f"upper bound of the least {_PRICE}", ""),
    **exact_and_float("mean_path_length", (), "mean path length of the routing", HOPS),
    "proved_best": ArraySpec((), "boolean", "no routing of the restriction has less: proved"),
}

ARRAYS: dict[str, ArraySpec] = {
    **_VALUES,
    **CAPACITY,
    **SHORTEST,
    "bound_name": ArraySpec(("bound",), "text", "what proves each lower bound"),
    "bound_load_exact": ArraySpec(("bound",), "text", "the bound, as a fraction", LOAD),
    "meeting_share": ArraySpec(
        ("share",),
        "integer",
        "share of each node that proves the bound by counting, in parts of 1048576; none where it "
        "takes none",
        witness=True,
    ),
    "entry_destination": ArraySpec(
        ("entry",), "integer", "destination (node) of each entry of tables of next hops"
    ),
    "entry_channel": ArraySpec(("entry",), "integer", "channel of the entry"),
    "entry_weight": ArraySpec(("entry",), "integer", "its weight"),
    "path_source": ArraySpec(("path",), "integer", "source (node) of each path, of single paths"),
    "path_destination": ArraySpec(("path",), "integer", "destination (node) of the path"),
    "path_hops": ArraySpec(("path",), "integer", "hops of the path", HOPS),
    "path_channel": ArraySpec(("hop",), "integer", "channels of all paths, one after the other"),
    **CHANNEL_ENDS,
}
"""Every array of a deployment store: a routing that switches can carry out, and proved bounds."""

ATTRIBUTES = {
    "restriction": AttributeSpec("what the switches can do"),
    "claims": AttributeSpec("what is proved of it, with its scope, a sentence a line"),
    "origin": AttributeSpec("where the routing comes from", on_trust=True),
}
"""Every attribute of a deployment store besides those of all stores."""
_GATHERED = ("restriction", "claims", "origin")
SUMMARY: dict[str, ArraySpec] = {
    **{name: spec.by_case() for name, spec in _VALUES.items()},
    **{name: ArraySpec(CASE, "text", ATTRIBUTES[name].meaning) for name in _GATHERED},
}
"""Every array of the deployments of a study, gathered."""


def run_deployment(network: Network, settings: DeploymentSettings) -> Deployment:
    """Find what the settings ask for."""
    return deploy(
        network,
        restriction_of(settings),
        moves=settings.moves,
        steps=settings.steps,
        seed=settings.seed,
        without_best=settings.without_best,
    )


def restriction_of(settings: DeploymentSettings) -> Restriction:
    """Return the restriction that settings say."""
    return Restriction(
        settings.restriction, settings.weight, settings.segments, settings.virtual_channels
    )


def contents(found: Deployment, settings: DeploymentSettings) -> Contents:
    """Return what is stored of a deployment."""
    from obroute.deployment.named import Deployable

    network, asked = found.network, found.restriction
    best, price = found.oblivious, found.price
    shares = [share for bound in found.bounds for share in bound.shares]
    arrays: dict[str, Any] = {
        **exact_floats("routing_load", found.load),
        **exact_floats("load_lower", found.lower),
        **exact_floats("oblivious_lower", best.lower if best else None),
        **exact_floats("oblivious_upper", best.upper if best else None),
        **exact_floats("price_lower", price.lower if price else None),
        **exact_floats("price_upper", price.upper if price else None),
        **exact_floats("mean_path_length", found.routing.mean_path_length(network)),
        "proved_best": found.is_best,
        **exact_floats("capacity_load", capacity_load(network)),
        **exact_floats("mean_shortest_path_length", network.mean_shortest_path_length()),
        "bound_name": texts([bound.name for bound in found.bounds]),
        "bound_load_exact": texts([bound.load for bound in found.bounds]),
        "meeting_share": np.array(shares, dtype=np.int64),
        **_routing_arrays(found),
        "tail": network.tail.astype(np.int32),
        "head": network.head.astype(np.int32),
    }
    name = Deployable(
        asked.kind,
        asked.weight,
        asked.segments,
        asked.virtual_channels or 0,
        moves=found.moves,
        seed=found.seed,
    ).name
    attributes = {"restriction": str(asked), "claims": found.claims, "origin": found.origin}
    return Contents(network, name, arrays, attributes=attributes)


def _routing_arrays(found: Deployment) -> dict[str, Any]:
    entries: list[tuple[int, int, int]] = []
    paths: list[tuple[int, int, tuple[int, ...]]] = []
    network, routing = found.network, found.routing
    if isinstance(routing, WeightedHops):
        entries = [
            (destination, channel, weight // common_weight(network, weights, channel))
            for destination, weights in sorted(routing.weights.items())
            for channel, weight in sorted(weights.items())
        ]
    else:
        for source in network.sources.tolist():
            for destination in network.destinations.tolist():
                if source != destination:
                    ((_, path),) = routing.paths(network, source, destination)
                    paths.append((source, destination, path))
    table = np.array(entries, dtype=np.int64).reshape(-1, 3)
    ends = np.array([path[:2] for path in paths], dtype=np.int64).reshape(-1, 2)
    return {
        "entry_destination": table[:, 0],
        "entry_channel": table[:, 1],
        "entry_weight": table[:, 2],
        "path_source": ends[:, 0],
        "path_destination": ends[:, 1],
        "path_hops": np.array([len(path) for *_, path in paths], dtype=np.int64),
        "path_channel": np.array([c for *_, path in paths for c in path], dtype=np.int64),
    }


def common_weight(network: Network, weights: Mapping[int, int], channel: int) -> int:
    """Return the common factor of the weights of next hops beside a channel; they say ratios."""
    tail = network.tail[channel]
    return math.gcd(*(weight for one, weight in weights.items() if network.tail[one] == tail))


def stored_bounds(cell: xr.Dataset) -> list[Bound]:
    """Read the bounds of a store; the shares are those of the bound by counting."""
    shares = tuple(cell["meeting_share"].values.tolist())
    return [
        Bound(name, Fraction(load), shares if name == "counting" else ())
        for name, load in zip(
            cell["bound_name"].values.tolist(),
            cell["bound_load_exact"].values.tolist(),
            strict=True,
        )
    ]
