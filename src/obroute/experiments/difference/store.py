"""What the store of a difference holds, and what is gathered of it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.kinds.answers import Contents
from obroute.results.arrays import (
    HOPS,
    INJECTION,
    LOAD,
    ArraySpec,
    exact_and_float,
    exact_floats,
    texts,
)

if TYPE_CHECKING:
    from obroute.differences import Difference
    from obroute.experiments.difference import DifferenceSettings

VERSIONS = ("old", "new")

_VALUES: dict[str, ArraySpec] = {
    **exact_and_float(
        "worst_case_load", ("version",), "largest load that traffic can put on a channel", LOAD
    ),
    **exact_and_float(
        "worst_case_throughput",
        ("version",),
        "throughput guaranteed for every traffic (NaN and empty where nothing is loaded)",
        INJECTION,
    ),
    **exact_and_float(
        "uniform_load", ("version",), "largest channel load of uniform traffic", LOAD
    ),
    **exact_and_float(
        "mean_path_length", ("version",), "mean path length over all pairs of terminals", HOPS
    ),
    **exact_and_float(
        "old_worst_on_new",
        (),
        "largest load of the new routing under the worst traffic of the old one (NaN and empty "
        "where a terminal is gone, or may not send or get so much any more)",
        LOAD,
    ),
    "critical_channel": ArraySpec(
        ("version",), "text", "a channel that can have the worst-case load"
    ),
    "compared_routing": ArraySpec(("version",), "text", "the routing"),
    "compared_network": ArraySpec(("version",), "text", "the network that it is on"),
}
_COUNTS: dict[str, ArraySpec] = {
    "channels_worse": ArraySpec((), "integer", "channels that can be loaded more than before"),
    "channels_better": ArraySpec((), "integer", "channels that can be loaded less than before"),
    "channels_changed": ArraySpec((), "integer", "channels with another load, new ones and gone"),
    "pairs_moved": ArraySpec((), "integer", "pairs that load channels otherwise than before"),
}
ARRAYS: dict[str, ArraySpec] = {
    **_VALUES,
    **_COUNTS,
    **exact_and_float(
        "channel_worst_case_load",
        ("version", "channel"),
        "largest load that traffic can put on each channel (NaN and empty where it is not)",
        LOAD,
    ),
    **exact_and_float(
        "channel_uniform_load",
        ("version", "channel"),
        "load of each channel by uniform traffic (NaN and empty where it is not)",
        LOAD,
    ),
    "moved_source": ArraySpec(("pair",), "text", "source of each pair that moved"),
    "moved_destination": ArraySpec(("pair",), "text", "destination of each pair that moved"),
    "worst_source": ArraySpec(("worst",), "text", "sources of the new worst traffic"),
    "worst_destination": ArraySpec(("worst",), "text", "their destinations"),
    "worst_amount": ArraySpec(("worst",), "text", "what each sends", "packets per cycle"),
}
"""Every array of a store, with dims version (old, new), channel, pair and worst."""

SUMMARY = {name: spec.by_case() for name, spec in (_VALUES | _COUNTS).items()}


def contents(answer: Difference, settings: DifferenceSettings) -> Contents:
    """Return the values before and after, of the network and of every channel."""
    both = answer.old, answer.new
    worst = answer.new.critical.worst
    network = answer.new.network
    arrays: dict[str, Any] = {
        **exact_floats("worst_case_load", [found.worst_case_load for found in both]),
        **exact_floats("worst_case_throughput", [found.worst_case_throughput for found in both]),
        **exact_floats("uniform_load", [found.uniform.load for found in both]),
        **exact_floats("mean_path_length", [found.mean_path_length for found in both]),
        **exact_floats("old_worst_on_new", answer.old_worst_on_new),
        "critical_channel": texts(
            found.network.describe_channel(found.critical.worst.channel) for found in both
        ),
        "compared_routing": texts(found.routing.name for found in both),
        "compared_network": texts(found.network.name for found in both),
        "channels_worse": answer.worse,
        "channels_better": answer.better,
        "channels_changed": len(answer.changed),
        "pairs_moved": len(answer.moved),
        **_by_channel(
            "channel_worst_case_load", [change.worst_case_loads for change in answer.channels]
        ),
        **_by_channel("channel_uniform_load", [c.uniform_loads for c in answer.channels]),
        "moved_source": texts(source for source, _ in answer.moved),
        "moved_destination": texts(destination for _, destination in answer.moved),
        "worst_source": texts(
            network.node_name(int(network.sources[place])) for place in worst.sources
        ),
        "worst_destination": texts(
            network.node_name(int(network.destinations[place])) for place in worst.destinations
        ),
        "worst_amount": texts(worst.amounts.fractions()),
    }
    coordinates = {
        "version": texts(VERSIONS),
        "channel": texts(change.name for change in answer.channels),
    }
    return Contents(network, answer.new.routing.name, arrays, coordinates)


def _by_channel(
    name: str, loads: Iterable[tuple[Fraction | None, Fraction | None]]
) -> dict[str, Any]:
    versions = [exact_floats(name, list(own)) for own in zip(*loads, strict=True)]
    return {key: np.stack([own[key] for own in versions]) for key in versions[0]}
