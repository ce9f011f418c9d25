"""An evaluation in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from obroute.breakdown import (
    LoadGroup,
    contributions,
    describe_groups,
    load_groups,
)
from obroute.experiments.evaluation.estimated import estimate_rows
from obroute.kinds.answers import Shown
from obroute.kinds.shown import exact_json
from obroute.rational import brief, exactly
from obroute.throughput import Evaluation, PatternResult
from obroute.worst_cases import fullest_host_link

MOST_PAIRS = 10
"""Pairs on the critical channel that are named; the others are counted."""


def as_json(found: Evaluation, seconds: float) -> dict[str, Any]:
    """Return an evaluation for programs; keys are the names of the arrays of its store."""
    network, worst = found.network, found.critical.worst
    permutation = worst.permutation
    traffic = [
        {
            "source": source,
            "destination": destination,
            **exact_json("amount", amount),
        }
        for source, destination, amount in _traffic(found)
    ]
    exact = {
        "network": network.name,
        "routing": found.routing.name,
        **exact_json("worst_case_load", found.worst_case_load),
        **exact_json("worst_case_throughput", found.worst_case_throughput),
        **exact_json("capacity_load", found.capacity_load),
        "capacity_proof": found.capacity_proof,
        **exact_json("fraction_of_capacity", found.fraction_of_capacity(found.worst_case_load)),
        "channel": _channel_json(found, worst.channel),
        "permutation": (
            None if permutation is None else network.destinations[permutation].tolist()
        ),
        "traffic": traffic if permutation is None else None,
        "contributions": [
            {"pairs": group.pairs, **exact_json("load", group.load)} for group in _groups(found)
        ],
        "limited_by_host": found.behind_hosts is not None,
        **exact_json(
            "load_behind_hosts",
            None if found.behind_hosts is None else found.behind_hosts.normalized_load,
        ),
        "channel_behind_hosts": (
            None
            if found.behind_hosts is None
            else _channel_json(found, found.behind_hosts.worst.channel)
        ),
        **exact_json("mean_path_length", found.mean_path_length),
        **exact_json("normalized_path_length", found.normalized_path_length),
        "certified": found.certified,
        "focus_channels": len(found.channels),
        "bounded_channels": 0 if found.bounds is None else len(found.bounds.channels) - 1,
        **exact_json("uniform_load", found.uniform.load),
        "patterns": [_pattern_json(found, result) for result in found.patterns],
        "seconds": round(seconds, 3),
    }
    return exact | _drawn_json(found)


def _pattern_json(found: Evaluation, result: PatternResult) -> dict[str, Any]:
    return {
        "pattern": result.pattern,
        **exact_json("pattern_load", result.load),
        **exact_json("pattern_throughput", result.throughput),
        **exact_json("pattern_fraction_of_capacity", found.fraction_of_capacity(result.load)),
        "channel": _channel_json(found, result.channel),
        "beyond_terminals": result.beyond or None,
    }


def _drawn_json(found: Evaluation) -> dict[str, Any]:
    """Return what rests on samples."""
    result: dict[str, Any] = {}
    if found.random_permutations is not None:
        load = found.random_permutations.worst
        result["random_permutations"] = {
            "samples": len(found.random_permutations.loads),
            "seed": found.random_permutations.seed,
            **exact_json("random_permutation_load", load),
            **exact_json(
                "random_permutation_fraction_of_capacity", found.fraction_of_capacity(load)
            ),
        }
    if found.average_case is not None:
        result["average_case"] = {
            "samples": len(found.average_case.loads),
            "seed": found.average_case.seed,
            "kind": found.average_case.kind,
            "throughput": found.average_case.throughput,
            "standard_error": found.average_case.standard_error,
            "approximate_throughput": found.average_case.approximate_throughput,
        }
    if found.estimate is not None:
        result["estimate"] = vars(found.estimate)
    return result


def _traffic(found: Evaluation) -> list[tuple[int, int, Fraction]]:
    """Return the worst traffic: source node, destination node, packets per cycle."""
    network, worst = found.network, found.critical.worst
    return list(
        zip(
            network.sources[worst.sources].tolist(),
            network.destinations[worst.destinations].tolist(),
            worst.amounts.fractions(),
            strict=True,
        )
    )


def _groups(found: Evaluation) -> list[LoadGroup]:
    return load_groups(contributions(found.critical.worst, found.critical.pair_loads))


def _made_up_of(found: Evaluation) -> str:
    bandwidth = found.network.bandwidth.fraction(found.critical.worst.channel)
    over = "" if bandwidth == 1 else f" over a bandwidth of {bandwidth}"
    return describe_groups(_groups(found)) + over


def _channel_json(found: Evaluation, channel: int) -> dict[str, Any]:
    network = found.network
    tail, head = int(network.tail[channel]), int(network.head[channel])
    return {
        "tail": tail,
        "head": head,
        "tail_name": network.describe(tail),
        "head_name": network.describe(head),
        "port": network.port(channel),
        "number": channel,
    }


def shown(found: Evaluation, seconds: float) -> Iterator[Shown]:
    """Yield values, who meets on the critical channel, and the worst traffic."""
    network = found.network
    rows = [
        *(_worst_case_rows(found) if found.estimate is None else estimate_rows(found)),
        ("channel", network.describe_channel(found.critical.worst.channel)),
        *_host_rows(found),
        ("made up of", _made_up_of(found)),
        (
            "mean path length",
            f"{exactly(found.mean_path_length)} hops "
            f"({float(found.normalized_path_length):.4g} times shortest)",
        ),
        ("certified", _certified(found)),
    ]
    for result in found.patterns:
        rows.append((f"load of {result.pattern}", _pattern_row(found, result)))
        if result.beyond:
            rows.append(("beyond terminals", f"{result.beyond}; the load is of all of it"))
    if found.random_permutations is not None:
        sample = found.random_permutations
        rows.append(
            (
                f"worst of {len(sample.loads)} random permutations",
                f"{sample.worst}; {_percent(found, sample.worst)} (a sample, seed {sample.seed})",
            )
        )
    if found.average_case is not None:
        average = found.average_case
        mean = f"{average.throughput:.4f} ± {average.standard_error:.2g} of injection bandwidth"
        if math.isinf(average.throughput):
            mean = "unbounded: one of them loads no channel"
        rows.append((f"average case over {len(average.loads)} matrices", mean))
    rows.append(("seconds", f"{seconds:.2f}"))
    yield Shown(f"{found.routing.name} on {network.name}", rows)
    yield Shown(lines=list(_collisions(found)))
    yield Shown(lines=list(_worst_traffic(found)), long=True)


def _certified(found: Evaluation) -> str:
    if not found.certified:
        return "no: an estimate from sampled paths; all but the intervals is of the sample"
    if len(found.channels) == found.network.channel_count:
        return "yes, every channel solved"
    if found.bounds is not None:
        return (
            f"yes: this channel is solved, and bounds prove that none of the other "
            f"{found.network.channel_count - 1:,} can be loaded more"
        )
    return (
        f"yes, {len(found.channels)} of {found.network.channel_count} channels solved, the others "
        "alike by symmetry"
    )


def _host_rows(found: Evaluation) -> Iterator[tuple[str, str]]:
    """Say that a host's link limits the guarantee, and what would without it."""
    behind = found.behind_hosts
    if behind is None:
        return
    network, channel = found.network, found.critical.worst.channel
    if channel == behind.worst.channel:
        link = fullest_host_link(network)
        assert link is not None
        channel = link[1]
    tail, head = int(network.tail[channel]), int(network.head[channel])
    host = network.describe(tail if network.is_host[tail] else head)
    load = brief(behind.normalized_load)
    if behind.normalized_load == found.worst_case_load:
        load += " too"
    yield "limited by", f"the host link of {host}, whatever the routing"
    yield (
        "behind the hosts",
        f"{load}, on {network.describe_channel(behind.worst.channel)}",
    )


def _collisions(found: Evaluation) -> Iterator[str]:
    """Say who loads the critical channel, those first who load it most."""
    network, critical = found.network, found.critical
    worst = critical.worst
    added = contributions(worst, critical.pair_loads).fractions()
    amounts = worst.amounts.fractions()
    order = sorted((place for place, load in enumerate(added) if load), key=lambda p: -added[p])
    if not order:
        return
    one_each = worst.permutation is not None
    sent = "" if one_each else "packets per cycle, "
    yield f"who meets on this channel: source → destination, {sent}what each adds"
    for place in order[:MOST_PAIRS]:
        source = network.describe(int(network.sources[worst.sources[place]]))
        destination = network.describe(int(network.destinations[worst.destinations[place]]))
        sent = "" if one_each else f"{brief(amounts[place])}, "
        yield f"  {source} → {destination}, {sent}{brief(added[place])}"
    left = order[MOST_PAIRS:]
    if left:
        total = sum((added[place] for place in left), Fraction(0))
        yield f"  and {len(left)} more, {brief(total)} together"


def _worst_traffic(found: Evaluation) -> Iterator[str]:
    network, permutation = found.network, found.critical.worst.permutation
    if permutation is not None:
        nodes = network.destinations[permutation].tolist()
        if network.labels is not None:
            nodes = [network.describe(node) for node in nodes]
        yield "worst permutation: destinations of sources in order"
        yield f"[{', '.join(map(str, nodes))}]"
        return
    yield "worst traffic: source → destination, packets per cycle"
    for source, destination, amount in _traffic(found):
        yield f"  {network.describe(source)} → {network.describe(destination)}, {amount}"


def _pattern_row(found: Evaluation, result: PatternResult) -> str:
    if not result.load or result.traffic.is_uniform or result.traffic.fills_terminals:
        return f"{brief(result.load)}; {_percent(found, result.load)}"
    scale = 1 / result.load
    return f"{brief(result.load)}; the demands can be scaled by {exactly(scale, '.4g')}"


def _worst_case_rows(found: Evaluation) -> list[tuple[str, str]]:
    """Say the worst case and what it guarantees."""
    load = found.worst_case_load
    return [
        (
            "worst-case load",
            f"{exactly(load)} packets per cycle over channel bandwidth",
        ),
        (
            "throughput",
            "unbounded: no traffic loads a channel"
            if found.worst_case_throughput is None
            else f"{exactly(found.worst_case_throughput)} of injection bandwidth",
        ),
        ("fraction of capacity", _percent(found, load)),
        *_capacity_row(found),
    ]


def _capacity_row(found: Evaluation) -> list[tuple[str, str]]:
    """Return what proves the capacity, where that is no closed form of the family."""
    if found.capacity_load is None or found.network.capacity_load() is not None:
        return []
    return [("capacity load", f"{brief(found.capacity_load)}; proved: {found.capacity_proof}")]


def _percent(found: Evaluation, load: Fraction) -> str:
    if not load:
        return "no channel is loaded"
    fraction = found.fraction_of_capacity(load)
    if fraction is None:
        return "share of capacity unknown (obroute design … --objective capacity finds it)"
    return f"{exactly(fraction, '.4f')} of capacity"
