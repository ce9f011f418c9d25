"""A difference in words, as JSON, and as a table of channels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from obroute.breakdown import contributions, describe_groups, load_groups
from obroute.delimited import csv_text
from obroute.differences import ChannelChange, Difference
from obroute.experiments.difference.store import VERSIONS
from obroute.kinds.answers import Shown
from obroute.kinds.shown import exact_json
from obroute.network import Network
from obroute.rational import brief
from obroute.routing import Routing, path_distribution
from obroute.specs import InputError
from obroute.throughput import Evaluation

MOST_LISTED = 10
"""Channels and pairs that are listed; `--changes` and the store have all."""
MOST_COUNTED = 10_000
"""Paths of a pair that are counted."""


def as_json(found: Difference, seconds: float) -> dict[str, Any]:
    """Return each value before and after, under ``old_`` and ``new_``."""
    worst = found.new.critical
    network = found.new.network
    return {
        "network": found.new.network.name,
        "old_network": found.old.network.name,
        "routing": found.new.routing.name,
        "old": found.old.routing.name,
        **_values("old", found.old),
        **_values("new", found.new),
        **exact_json("old_worst_on_new", found.old_worst_on_new),
        "channels_worse": found.worse,
        "channels_better": found.better,
        "channels_changed": len(found.changed),
        "pairs_moved": len(found.moved),
        "channels": [
            {
                "channel": change.name,
                **_both("worst_case_load", change.worst_case_loads),
                **_both("uniform_load", change.uniform_loads),
            }
            for change in found.changed
        ],
        "pairs": [list(pair) for pair in found.moved],
        "traffic": [
            {
                "source": network.node_name(int(network.sources[source])),
                "destination": network.node_name(int(network.destinations[destination])),
                **exact_json("amount", amount),
            }
            for source, destination, amount in zip(
                worst.worst.sources,
                worst.worst.destinations,
                worst.worst.amounts.fractions(),
                strict=True,
            )
        ],
        "seconds": round(seconds, 3),
    }


def _values(version: str, found: Evaluation) -> dict[str, Any]:
    return {
        **exact_json(f"{version}_worst_case_load", found.worst_case_load),
        **exact_json(f"{version}_worst_case_throughput", found.worst_case_throughput),
        **exact_json(f"{version}_uniform_load", found.uniform.load),
        **exact_json(f"{version}_mean_path_length", found.mean_path_length),
        f"{version}_channel": found.network.describe_channel(found.critical.worst.channel),
    }


def _both(name: str, loads: tuple[Fraction | None, Fraction | None]) -> dict[str, Any]:
    old, new = loads
    return {**exact_json(f"old_{name}", old), **exact_json(f"new_{name}", new)}


def shown(found: Difference) -> Iterator[Shown]:
    """Yield each value before and after, the channels that changed most, and pairs that moved."""
    old, new = found.old, found.new
    same = old.network is new.network
    title = f"{old.routing.name} → {new.routing.name} on {new.network.name}"
    if not same:
        title = f"{old.routing.name} on {old.network.name} → " + title.partition(" → ")[2]
    again = found.old_worst_on_new
    rows = [
        (
            "worst-case load",
            _changed(old.worst_case_load, new.worst_case_load)
            + _verdict(old.worst_case_load, new.worst_case_load),
        ),
        ("throughput", _changed(old.worst_case_throughput, new.worst_case_throughput)),
        ("uniform load", _changed(old.uniform.load, new.uniform.load)),
        ("mean path length", f"{_changed(old.mean_path_length, new.mean_path_length)} hops"),
        ("channel", _critical(new)),
        (
            "made up of",
            describe_groups(
                load_groups(contributions(new.critical.worst, new.critical.pair_loads))
            ),
        ),
        ("channel before", _critical(old)),
        (
            "old worst traffic",
            "has a terminal that is gone, or may not send or get so much any more"
            if again is None
            else f"loads the new with {brief(again)}",
        ),
        (
            "channels",
            f"{len(found.changed)} of {len(found.channels)} changed: {found.worse} worse, "
            f"{found.better} better in the worst case",
        ),
        ("pairs", f"{len(found.moved)} of {found.pairs} load channels otherwise"),
        ("certified", "yes, every channel of both"),
    ]
    yield Shown(title, rows)
    if found.changed:
        lines = [_channel_line(change) for change in found.changed[:MOST_LISTED]]
        yield Shown(
            "channels that changed most: worst-case load; uniform load",
            lines=[*lines, *_others(len(found.changed), "channels; --changes has them")],
        )
    if found.moved:
        lines = [_pair_line(found, pair) for pair in found.moved[:MOST_LISTED]]
        yield Shown(
            "pairs that moved",
            lines=[*lines, *_others(len(found.moved), "pairs; --json has them")],
        )


def _others(count: int, what: str) -> list[str]:
    return [f"  … and {count - MOST_LISTED} other {what}"] * (count > MOST_LISTED)


def _changed(old: Fraction | None, new: Fraction | None) -> str:
    return _short(old) if old == new else f"{_short(old)} → {_short(new)}"


def _short(value: Fraction | None) -> str:
    return "none" if value is None else brief(value)


def _verdict(old: Fraction, new: Fraction) -> str:
    if old == new:
        return ", as before"
    return ", worse" if new > old else ", better"


def _critical(found: Evaluation) -> str:
    return found.network.describe_channel(found.critical.worst.channel)


def _channel_line(change: ChannelChange) -> str:
    return (
        f"  {change.name}: {_changed(*change.worst_case_loads)}; {_changed(*change.uniform_loads)}"
    )


def _pair_line(found: Difference, pair: tuple[str, str]) -> str:
    ways = [_way(one.network, one.routing, pair) for one in (found.old, found.new)]
    network = found.new.network if _knows(found.new.network, pair) else found.old.network
    source, destination = (network.describe(network.node_named(name)) for name in pair)
    return f"  {source} to {destination}: {' → '.join(ways)}"


def _knows(network: Network, pair: tuple[str, str]) -> bool:
    return all(name in map(network.node_name, range(network.node_count)) for name in pair)


def _way(network: Network, routing: Routing, pair: tuple[str, str]) -> str:
    """Return the path of a pair, or how many it has."""
    if not _knows(network, pair):
        return "no terminals"
    source, destination = map(network.node_named, pair)
    try:
        paths = path_distribution(routing, network, source, destination, MOST_COUNTED)
    except InputError:
        return f"more than {MOST_COUNTED} paths"
    if len(paths) > 1:
        return f"{len(paths)} paths"
    (path,) = paths
    return " ".join(network.describe(node) for node in network.path_nodes(source, path))


def changes_table(found: Difference) -> str:
    """Return a row a channel, the largest changes first, then those that did not change."""
    rest = [change for change in found.channels if change.is_same]
    rows = [
        (
            change.name,
            *("" if load is None else str(load) for load in change.worst_case_loads),
            *("" if load is None else str(load) for load in change.uniform_loads),
        )
        for change in [*found.changed, *rest]
    ]
    header = ["channel"]
    for name in ("worst_case_load", "uniform_load"):
        header += [f"{version}_{name}" for version in VERSIONS]
    return csv_text([header, *rows])
