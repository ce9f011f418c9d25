"""Restricted traffic in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from obroute.kinds.answers import Shown
from obroute.kinds.shown import exact_json, in_short
from obroute.network import Network
from obroute.restrictions import Restricted, RestrictedCase

MOST_PAIRS_SHOWN = 4


def shown(found: Restricted, seconds: float) -> Iterator[Shown]:
    """Yield the worst case over each set."""
    network = found.network
    for case in found.cases:
        rows = [("worst-case load", f"{in_short(case.normalized_load)} over bandwidth")]
        if case.throughput is not None:
            rows.append(("throughput", in_short(case.throughput)))
        rows += [
            ("channel", network.describe_channel(case.worst.channel)),
            ("worst traffic", _traffic(network, case)),
            (
                "certified",
                f"yes, {case.focus_channels} of {network.channel_count} channels looked at"
                + ", the others alike by symmetry" * (case.focus_channels < network.channel_count),
            ),
        ]
        yield Shown(f"{found.routing.name} on {network.name}, {case.traffic_set.name}", rows)


def _traffic(network: Network, case: RestrictedCase) -> str:
    worst = case.worst
    pairs = [
        f"{network.describe(int(network.sources[source]))} → "
        f"{network.describe(int(network.destinations[destination]))}"
        + (f" ({amount})" if amount != 1 else "")
        for source, destination, amount in zip(
            worst.sources[:MOST_PAIRS_SHOWN].tolist(),
            worst.destinations[:MOST_PAIRS_SHOWN].tolist(),
            worst.amounts.fractions(),
            strict=False,
        )
    ]
    more = len(worst.sources) - len(pairs)
    if not pairs:
        return "none loads a channel"
    words = ", ".join(pairs) + (f" and {more} more" if more > 0 else "")
    unit = "packet" if case.sent <= 1 else "packets"
    return f"{case.sent} {unit} per cycle in all: {words}"


def as_json(found: Restricted, seconds: float) -> dict[str, Any]:
    """Return the worst case over each set, under the names of the arrays of a store."""
    network = found.network
    return {
        "network": network.name,
        "routing": found.routing.name,
        "traffic_sets": [
            {
                "traffic_set": case.traffic_set.name,
                **exact_json("worst_case_load", case.normalized_load),
                **exact_json("worst_case_throughput", case.throughput),
                "worst_channel": case.worst.channel,
                "multiplicity": case.multiplicity,
                "focus_channels": case.focus_channels,
                "traffic": [
                    {
                        "source": int(network.sources[source]),
                        "destination": int(network.destinations[destination]),
                        **exact_json("amount", amount),
                    }
                    for source, destination, amount in zip(
                        case.worst.sources.tolist(),
                        case.worst.destinations.tolist(),
                        case.worst.amounts.fractions(),
                        strict=True,
                    )
                ],
            }
            for case in found.cases
        ],
        "seconds": round(seconds, 3),
    }
