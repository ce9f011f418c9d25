"""What an evaluation runs, and what its store holds: worst cases with certificates, samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.certificates import WorstCase
from obroute.kinds.answers import Contents
from obroute.loads import loads_of
from obroute.network import Network
from obroute.results.arrays import (
    CAPACITY,
    CHANNEL_ENDS,
    HOPS,
    LOAD,
    ArraySpec,
    exact_and_float,
    exact_floats,
    floats,
    text,
    texts,
)
from obroute.specs import InputError
from obroute.throughput import Evaluation, evaluate
from obroute.traffic import make_pattern
from obroute.worst_cases import WorstCases, worst_traffic

if TYPE_CHECKING:
    import xarray as xr

    from obroute.experiments.evaluation import EvaluationSettings
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

MOST_CHANNEL_LOAD_ENTRIES = 30_000_000
"""Terminals × channels up to which a cell holds the load of every channel (for load maps)."""

ARRAYS: dict[str, ArraySpec] = {
    **exact_and_float(
        "worst_case_load",
        ("focus",),
        "largest load that traffic can put on the focus channel",
        LOAD,
    ),
    **exact_and_float(
        "focus_uniform_load", ("focus",), "load of the focus channel by uniform traffic", LOAD
    ),
    **exact_and_float(
        "load_behind_hosts",
        (),
        "largest load that traffic can put on a channel of no host; where the worst is a host's",
        LOAD,
        optional=True,
    ),
    "channel_behind_hosts": ArraySpec(
        (), "integer", "number of a channel that can have it", optional=True
    ),
    "focus_channel": ArraySpec(("focus",), "integer", "number of the focus channel"),
    "multiplicity": ArraySpec(("focus",), "integer", "channels that the focus channel stands for"),
    "channel_focus": ArraySpec(
        ("channel",),
        "integer",
        "position of the focus channel that stands for each channel; -1 where only channel_bound "
        "is known",
    ),
    "channel_bound": ArraySpec(
        ("channel",),
        "float",
        "no traffic loads the channel more; where only the worst of many channels was solved",
        LOAD,
        True,
    ),
    "certified": ArraySpec(("focus",), "boolean", "the worst case is proved and was checked"),
    "worst_permutation": ArraySpec(
        ("focus", "source"),
        "integer",
        "node that each source sends to in the worst traffic of "
        "the focus channel; -1 where it splits its traffic (see flow_source)",
        witness=True,
    ),
    "source_potential": ArraySpec(
        ("focus", "source"),
        "text",
        "dual potential of each source, times potential_denominator",
        witness=True,
    ),
    "destination_potential": ArraySpec(
        ("focus", "destination"),
        "text",
        "dual potential of each destination, times potential_denominator",
        witness=True,
    ),
    "potential_denominator": ArraySpec(
        ("focus",), "text", "denominator of the potentials", witness=True
    ),
    "flow_focus": ArraySpec(
        ("flow",),
        "integer",
        "position of the focus channel that a flow of split worst traffic belongs to",
        optional=True,
        witness=True,
    ),
    "flow_source": ArraySpec(
        ("flow",), "integer", "position of its source", optional=True, witness=True
    ),
    "flow_destination": ArraySpec(
        ("flow",), "integer", "position of its destination", optional=True, witness=True
    ),
    "flow_amount_exact": ArraySpec(
        ("flow",), "text", "its size", "packets per cycle", True, witness=True
    ),
    "pair_load_focus": ArraySpec(
        ("entry",),
        "integer",
        "position of the focus channel of a non-zero pair load",
        optional=True,
    ),
    "pair_load_source": ArraySpec(("entry",), "integer", "position of its source", optional=True),
    "pair_load_destination": ArraySpec(
        ("entry",), "integer", "position of its destination", optional=True
    ),
    "pair_load_numerator": ArraySpec(
        ("entry",), "integer", "pair load times pair_load_denominator", "packets per cycle", True
    ),
    "pair_load_denominator": ArraySpec(
        ("focus",),
        "text",
        "common denominator of the pair loads of the focus channel, empty if it is very large, or "
        "if they are more than pair_load_limit",
    ),
    **exact_and_float("pattern_load", ("pattern",), "largest channel load of the pattern", LOAD),
    "pattern_channel": ArraySpec(("pattern",), "integer", "a channel that has it"),
    **CAPACITY,
    **exact_and_float(
        "mean_path_length", (), "mean path length under uniform traffic, self pairs included", HOPS
    ),
    **exact_and_float("mean_shortest_path_length", (), "the same of shortest paths", HOPS),
    **CHANNEL_ENDS,
    "bandwidth_exact": ArraySpec(
        ("channel",), "text", "bandwidth of each channel", "packets per cycle"
    ),
    "channel_load": ArraySpec(
        ("traffic", "channel"),
        "float",
        "load of every channel under the "
        "worst traffic of the critical channel (worst_case) and each "
        "permutation pattern",
        LOAD,
        True,
    ),
    "random_permutation_load": ArraySpec(
        ("permutation_sample",),
        "float",
        "largest channel load of each sampled permutation",
        LOAD,
        True,
    ),
    "random_permutation_worst_exact": ArraySpec((), "text", "the largest of them", LOAD, True),
    "average_case_load": ArraySpec(
        ("matrix_sample",),
        "float",
        "largest channel load of each sampled traffic matrix",
        LOAD,
        True,
    ),
}
"""Every array of a store."""


def run_evaluation(
    network: Network, routing: Routing, settings: EvaluationSettings, run: TaskRunner
) -> Evaluation:
    """Evaluate as the settings ask."""
    return evaluate_as_asked(network, routing, settings, run)


def evaluate_as_asked(
    network: Network,
    routing: Routing,
    settings: EvaluationSettings,
    run: TaskRunner,
    known: WorstCases | None = None,
) -> Evaluation:
    """Evaluate as the settings ask, but for worst cases that are known."""
    return evaluate(
        network,
        routing,
        [make_pattern(name) for name in settings.patterns],
        random_permutation_samples=settings.random_permutation_samples,
        average_case_samples=settings.average_case_samples,
        matrix_kind=settings.matrix_kind,
        seed=settings.seed,
        all_channels=settings.all_channels,
        sampled_paths=settings.sampled_paths,
        sampled_pairs=settings.sampled_pairs,
        known=known,
        run=run,
    )


def contents(evaluation: Evaluation, settings: EvaluationSettings) -> Contents:
    """Return what is stored of an evaluation, certificates and (small) pair loads included.

    Pair loads are left out where they have more non-zero entries than the settings say, or a
    numerator does not fit 63 bits; verification derives them anew in any case.

    Raises
    ------
    InputError
        If it is an estimate.
    """
    if evaluation.estimate is not None:
        raise InputError(
            "an estimate from sampled paths is not exact and is not stored; leave out "
            "--sampled-paths or --save"
        )
    network = evaluation.network
    channels = evaluation.channels
    loads = [result.normalized_load for result in channels]
    uniform = [r.uniform_load / network.bandwidth.fraction(r.worst.channel) for r in channels]
    arrays: dict[str, Any] = {
        **exact_floats("worst_case_load", loads),
        **exact_floats("focus_uniform_load", uniform),
        "focus_channel": np.array([r.worst.channel for r in channels], dtype=np.int64),
        "multiplicity": np.array([r.multiplicity for r in channels], dtype=np.int64),
        "channel_focus": evaluation.channel_focus,
        "certified": np.array([r.certified for r in channels], dtype=bool),
        **_certificates(network, [r.worst for r in channels]),
        **_pair_loads(evaluation, settings.pair_load_limit),
        **exact_floats("pattern_load", [p.load for p in evaluation.patterns]),
        "pattern_channel": np.array([p.channel for p in evaluation.patterns], dtype=np.int64),
        **exact_floats("capacity_load", evaluation.capacity_load),
        **exact_floats("mean_path_length", evaluation.mean_path_length),
        **exact_floats("mean_shortest_path_length", network.mean_shortest_path_length()),
        "tail": network.tail.astype(np.int32),
        "head": network.head.astype(np.int32),
        "bandwidth_exact": texts(network.bandwidth.fractions()),
    }
    coordinates: dict[str, Any] = {
        "source": network.sources.astype(np.int32),
        "destination": network.destinations.astype(np.int32),
        "pattern": texts([p.pattern for p in evaluation.patterns]),
    }
    if evaluation.bounds is not None:
        arrays["channel_bound"] = evaluation.bounds.rounded_up()[evaluation.orbits]
    arrays |= _channel_loads(evaluation, coordinates)
    behind = evaluation.behind_hosts
    if behind is not None:
        arrays |= exact_floats("load_behind_hosts", behind.normalized_load)
        arrays["channel_behind_hosts"] = np.array(behind.worst.channel, dtype=np.int64)
    if evaluation.random_permutations is not None:
        arrays["random_permutation_load"] = floats(evaluation.random_permutations.loads)
        arrays["random_permutation_worst_exact"] = text(evaluation.random_permutations.worst)
    if evaluation.average_case is not None:
        arrays["average_case_load"] = evaluation.average_case.loads
    routing = evaluation.routing
    return Contents(network, routing.name, arrays, coordinates, label=routing.label)


def _certificates(network: Network, cases: Sequence[WorstCase]) -> dict[str, Any]:
    permutations = np.full((len(cases), len(network.sources)), -1, dtype=np.int32)
    denominators, sources, destinations, flows = [], [], [], []
    for focus, case in enumerate(cases):
        permutation = case.permutation if network.has_unit_terminals else None
        if permutation is not None:
            permutations[focus] = network.destinations[permutation]
        else:
            amounts = case.amounts.fractions()
            flows += [
                (focus, source, destination, text(amount))
                for source, destination, amount in zip(
                    case.sources.tolist(), case.destinations.tolist(), amounts, strict=True
                )
            ]
        u, v = case.source_potentials, case.destination_potentials
        if u.is_wide or v.is_wide:  # each has its own denominator
            denominators.append("1")
            sources.append(texts(u.fractions()))
            destinations.append(texts(v.fractions()))
            continue
        common = math.lcm(u.denominator, v.denominator)
        denominators.append(str(common))
        sources.append(texts(str(n) for n in u.over(common)))
        destinations.append(texts(str(n) for n in v.over(common)))
    found: dict[str, Any] = {
        "worst_permutation": permutations,
        "source_potential": np.stack(sources),
        "destination_potential": np.stack(destinations),
        "potential_denominator": texts(denominators),
    }
    if flows:
        columns = list(zip(*flows, strict=True))
        for name, column in zip(("focus", "source", "destination"), columns, strict=False):
            found[f"flow_{name}"] = np.array(column, dtype=np.int32)
        found["flow_amount_exact"] = texts(columns[3])
    return found


def _pair_loads(evaluation: Evaluation, limit: int) -> dict[str, Any]:
    matrices = [result.pair_loads for result in evaluation.channels]
    count = sum(matrix.nonzeros for matrix in matrices)
    # Whether a matrix is known without a list depends on where it was made: no store shows it.
    listed = [not (m.is_wide or count > limit) for m in matrices]
    found: dict[str, Any] = {
        "pair_load_denominator": texts(
            str(m.values.denominator) if its else ""
            for m, its in zip(matrices, listed, strict=True)
        )
    }
    if (
        count > limit
        or not all(listed)
        or any(m.values.numerators.dtype == object for m in matrices)
    ):
        return found
    found["pair_load_focus"] = np.repeat(
        np.arange(len(matrices), dtype=np.int32), [m.nonzeros for m in matrices]
    )
    found["pair_load_source"] = np.concatenate([m.rows for m in matrices]).astype(np.int32)
    found["pair_load_destination"] = np.concatenate([m.columns for m in matrices]).astype(np.int32)
    found["pair_load_numerator"] = np.concatenate([m.values.numerators for m in matrices])
    return found


def _channel_loads(evaluation: Evaluation, coordinates: dict[str, Any]) -> dict[str, Any]:
    network = evaluation.network
    if len(network.sources) * network.channel_count > MOST_CHANNEL_LOAD_ENTRIES:
        return {}
    worst = worst_traffic(network, evaluation.critical.worst)
    bandwidth = network.bandwidth.to_float()
    named = {worst.name: loads_of(evaluation.routing, worst)} | {
        result.pattern: result.channel_loads
        for result in evaluation.patterns
        if result.channel_loads is not None
    }
    coordinates["traffic"] = texts(named)
    return {"channel_load": np.stack([found.to_float() / bandwidth for found in named.values()])}


def critical_focus(cell: xr.Dataset) -> int:
    """Return the position of the first focus channel whose worst case is the worst of all."""
    loads = [Fraction(load) for load in cell["worst_case_load_exact"].values.tolist()]
    return loads.index(max(loads))
