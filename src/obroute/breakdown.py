"""What an evaluation says of each channel, and what adds up to the load of one.

The worst load of a channel is a sum of pair loads; pairs that add alike are counted together, as
the technical report does with its Figure 8: 4 pairs of 1 and 24 of 1/10 are 32/5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from obroute.certificates import WorstCase
from obroute.delimited import csv_text
from obroute.network import Network
from obroute.rational import RationalArray, SparseRationalMatrix, brief
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.throughput import Evaluation, PatternResult

MOST_GROUPS = 6
"""Groups of pairs that are told apart in a line of text."""


@dataclass(frozen=True)
class LoadGroup:
    """Pairs that add alike to the load of a channel: how many, and what each adds."""

    pairs: int
    load: Fraction

    @property
    def total(self) -> Fraction:
        """What they add together (packets per cycle)."""
        return self.pairs * self.load


def load_groups(loads: RationalArray) -> list[LoadGroup]:
    """Count what pairs add to a load, the heaviest first; pairs that add nothing do not count.

    Examples
    --------
    >>> found = load_groups(RationalArray.from_fractions([Fraction(1, 2), 1, 0, Fraction(1, 2)]))
    >>> [(group.pairs, str(group.load)) for group in found]
    [(1, '1'), (2, '1/2')]
    """
    if loads.is_wide:
        counts = Counter(load for load in loads.fractions() if load)
    else:
        numerators = Counter(loads.numerators.tolist())
        counts = Counter({Fraction(n, loads.denominator): m for n, m in numerators.items() if n})
    return [LoadGroup(counts[load], load) for load in sorted(counts, reverse=True)]


def contributions(worst: WorstCase, pair_loads: SparseRationalMatrix) -> RationalArray:
    """Return what each pair of a worst case adds to the load of its channel (packets per cycle).

    Examples
    --------
    >>> from obroute import evaluate
    >>> critical = evaluate("torus:9x9", "romm").critical
    >>> describe_groups(load_groups(contributions(critical.worst, critical.pair_loads)))
    '4 pairs of 1, 24 of 1/10: 32/5'
    """
    return pair_loads.entries(worst.sources, worst.destinations).times(worst.amounts)


def describe_groups(groups: Sequence[LoadGroup], most: int = MOST_GROUPS) -> str:
    """Say in a line what adds up to a load; groups beyond the heaviest few are taken together.

    Examples
    --------
    >>> halves = RationalArray.from_fractions(Fraction(1, n) for n in range(1, 5))
    >>> describe_groups(load_groups(halves), most=3)
    '1 pair of 1, 1 of 1/2, 2 others of 7/12 together: 25/12'
    """
    if not groups:
        return "no pair loads it"
    shown = list(groups) if len(groups) <= most else list(groups[: most - 1])
    first, *rest = shown
    parts = [f"{first.pairs} pair{'s' * (first.pairs > 1)} of {brief(first.load)}"]
    parts += [f"{group.pairs} of {brief(group.load)}" for group in rest]
    others = groups[len(shown) :]
    if others:
        together = sum((group.total for group in others), Fraction(0))
        count = sum(group.pairs for group in others)
        parts.append(f"{count} others of {brief(together)} together")
    return f"{', '.join(parts)}: {brief(sum((group.total for group in groups), Fraction(0)))}"


def channel_rows(found: Evaluation) -> list[dict[str, Any]]:
    """Return a row for every channel: its ends, its worst case and its load under each traffic.

    Loads are over bandwidth, as fractions and floats. ``class`` is the channel that stands for it,
    ``how`` whether its worst case was *solved* (and certified), follows from its class by
    *symmetry*, or is no more than the *bound* that is given.

    Examples
    --------
    >>> from obroute import evaluate
    >>> row = channel_rows(evaluate("ring:5", "dor", ["tornado"]))[6]
    >>> row["channel"], row["tail"], row["worst_case_load_exact"], row["class"], row["how"]
    (6, '(1)', '2', 0, 'symmetry')
    >>> row["tornado_load_exact"]
    '0'
    """
    rows = []
    for channel, focus in enumerate(found.channel_focus.tolist()):
        bandwidth = found.network.bandwidth.fraction(channel)
        if focus < 0:
            rows.append(_bounded_row(found, channel))
            continue
        result = found.channels[focus]
        rows.append(
            {
                "channel": channel,
                **_ends(found.network, channel),
                "bandwidth": str(bandwidth),
                "class": result.worst.channel,
                "how": "solved" if channel == result.worst.channel else "symmetry",
                **_load("worst_case", result.normalized_load),
                **_load("uniform", result.uniform_load / bandwidth),
                **_pattern_loads(found.patterns, channel, bandwidth),
            }
        )
    return rows


def _bounded_row(found: Evaluation, channel: int) -> dict[str, Any]:
    """Return the row of a channel that is only bounded: its uniform load is nearly known."""
    assert found.bounds is not None
    bandwidth = found.network.bandwidth.fraction(channel)
    place = int(found.orbits[channel])
    return {
        "channel": channel,
        **_ends(found.network, channel),
        "bandwidth": str(bandwidth),
        "class": int(found.bounds.channels[place]),
        "how": "bound",
        **_load("worst_case", found.bounds.bound(place)),
        "uniform_load": float(found.bounds.uniform[place] / float(bandwidth)),
        "uniform_load_exact": "",
        **_pattern_loads(found.patterns, channel, bandwidth),
    }


def _ends(network: Network, channel: int) -> dict[str, str]:
    return {
        "tail": network.describe(int(network.tail[channel])),
        "head": network.describe(int(network.head[channel])),
        "port": network.port(channel) or "",
    }


def _load(name: str, load: Fraction) -> dict[str, Any]:
    return {f"{name}_load": float(load), f"{name}_load_exact": str(load)}


def _pattern_loads(
    patterns: Sequence[PatternResult], channel: int, bandwidth: Fraction
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for result in patterns:
        if result.channel_loads is not None:
            found |= _load(result.pattern, result.channel_loads.fraction(channel) / bandwidth)
    return found


def channel_table(found: Evaluation) -> str:
    """Return :func:`channel_rows` as CSV."""
    rows = channel_rows(found)
    return csv_text([list(rows[0]), *([str(cell) for cell in row.values()] for row in rows)])


@dataclass(frozen=True)
class Flow:
    """What a pair of nodes adds to a channel, when its source sends one packet per cycle."""

    channel: int
    source: int
    destination: int
    load: Fraction


def channel_flows(network: Network, routing: Routing, channel: int) -> list[Flow]:
    """Return what each pair adds to a channel, the heaviest first; those that add nothing not.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> flows = channel_flows(make_network("ring:4"), make_routing("dor"), 0)
    >>> [(one.source, one.destination, str(one.load)) for one in flows]
    [(0, 1, '1'), (0, 2, '1/2'), (3, 1, '1/2')]
    """
    loads = routing.pair_loads(network, channel)
    flows = [
        Flow(channel, source, destination, load)
        for source, destination, load in zip(
            network.sources[loads.rows].tolist(),
            network.destinations[loads.columns].tolist(),
            loads.values.fractions(),
            strict=True,
        )
        if load
    ]
    return sorted(flows, key=lambda flow: (-flow.load, flow.source, flow.destination))


def flows_beside(
    network: Network, routing: Routing, source: int, destination: int
) -> dict[Flow, list[Flow]]:
    """Return what a pair adds to each channel that it crosses, with the other pairs on it.

    Channels come in the order of what the pair adds, the heaviest first.

    Raises
    ------
    InputError
        If a node is no terminal.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> beside = flows_beside(make_network("ring:4"), make_routing("dor"), 0, 1)
    >>> [(one.channel, str(one.load), len(others)) for one, others in beside.items()]
    [(0, '1', 2)]
    """
    for node, terminals, what in (
        (source, network.sources, "source"),
        (destination, network.destinations, "destination"),
    ):
        if node not in terminals:
            raise InputError(f"{network.name}: {network.describe(node)} is no {what}")
    loads = routing.channel_loads(network, np.array([source]), np.array([destination]))
    own = [
        Flow(channel, source, destination, load)
        for channel, load in zip(loads.columns.tolist(), loads.values.fractions(), strict=True)
        if load
    ]
    return {
        flow: [
            other
            for other in channel_flows(network, routing, flow.channel)
            if (other.source, other.destination) != (source, destination)
        ]
        for flow in sorted(own, key=lambda flow: (-flow.load, flow.channel))
    }
