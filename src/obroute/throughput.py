"""Throughput of a routing on a network: worst case, patterns, random traffic, capacity.

The throughput of traffic is the inverse of its largest channel load divided by the channel's
bandwidth (SPAA 2003, eq. 3 and 4): the fraction of its injection bandwidth that every terminal
can use before the first channel saturates. As a *fraction of capacity* it is divided by the
throughput of uniform traffic under the best routing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from obroute.capacity import known_capacity
from obroute.certificates import WorstCase, check_certificate
from obroute.demands import beyond_terminals
from obroute.estimates import SampledEstimate, estimate
from obroute.loads import (
    PairLoadTensor,
    demand_loads,
    largest_normalized_load,
)
from obroute.matching import worst_case
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.sampling import CANONICAL, SampledRouting
from obroute.specs import InputError
from obroute.symmetry import FocusChannels, focus_channels
from obroute.traffic import MATRIX_KINDS, Pattern, random_doubly_stochastic, random_permutations

TASK_SECONDS = 0.2
SECONDS_PER_PAIR = 3e-7
"""Measured time of one pair of one channel, loads and matching together, to size batches."""
SAMPLES_A_TASK = 500


class TaskRunner(Protocol):
    """Runs one function over many batches; see :mod:`obroute.execution`."""

    def __call__(
        self,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Iterable[Any]:
        """Yield ``function(*shared, batch)`` for every batch, in order.

        ``what`` names the things in a batch and ``sizes`` counts them, for progress.
        """


def run_serially(
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    batches: Sequence[Any],
    what: str,
    sizes: Sequence[int],
) -> Iterator[Any]:
    """Run batch after batch in this thread."""
    return (function(*shared, batch) for batch in batches)


@dataclass(frozen=True)
class ChannelResult:
    """What the pair loads of one focus channel say.

    ``worst`` is the proved worst case; ``normalized_load`` its load over the channel's bandwidth;
    ``uniform_load`` the load under uniform traffic (packets per cycle); ``multiplicity`` the
    number of channels that this one stands for; ``certified`` whether the proof was checked
    against exact pair loads.
    """

    worst: WorstCase
    normalized_load: Fraction
    uniform_load: Fraction
    multiplicity: int
    certified: bool
    pair_loads: SparseRationalMatrix = field(repr=False)


@dataclass(frozen=True)
class PatternResult:
    """The largest normalized channel load of one pattern, and a channel that has it.

    ``channel_loads`` are the loads of all channels (packets per cycle); None for uniform traffic,
    whose loads the focus channels have. ``beyond`` says which terminals the demands ask more of
    than they inject or eject; empty if none.
    """

    pattern: str
    load: Fraction
    channel: int
    channel_loads: RationalArray | None = field(default=None, repr=False, compare=False)
    beyond: str = ""

    @property
    def throughput(self) -> Fraction | None:
        """Factor by which the channels let the pattern grow; None if it loads nothing.

        Of a permutation that is the fraction of injection bandwidth that it can use.
        """
        return 1 / self.load if self.load else None


@dataclass(frozen=True)
class RandomPermutations:
    """Largest normalized loads of seeded random permutations: a sample, not a bound."""

    seed: int
    loads: list[Fraction]

    @property
    def worst(self) -> Fraction:
        """The largest load in the sample."""
        return max(self.loads)


@dataclass(frozen=True)
class AverageCase:
    """Throughput over seeded random doubly stochastic traffic.

    ``loads`` are the largest normalized loads, one a matrix.
    """

    seed: int
    kind: str
    loads: FloatArray

    @property
    def throughput(self) -> float:
        """Mean over the sample of the throughput."""
        return float(np.mean(1 / self.loads))

    @property
    def standard_error(self) -> float:
        """Standard error of that mean; infinite for one matrix."""
        if len(self.loads) < 2:
            return float("inf")
        return float(np.std(1 / self.loads, ddof=1) / np.sqrt(len(self.loads)))

    @property
    def approximate_throughput(self) -> float:
        """Inverse of the mean load, the approximation of SPAA 2003, eq. 9."""
        return float(1 / np.mean(self.loads))


@dataclass(frozen=True)
class Evaluation:
    """Everything that :func:`evaluate` found; loads are exact rationals unless they say so."""

    network: Network
    routing: Routing
    capacity_load: Fraction | None
    mean_path_length: Fraction
    uniform: PatternResult
    channels: list[ChannelResult]
    patterns: list[PatternResult]
    pattern_amounts: dict[str, SparseRationalMatrix]
    channel_focus: IntArray
    random_permutations: RandomPermutations | None = None
    average_case: AverageCase | None = None
    estimate: SampledEstimate | None = None
    capacity_proof: str | None = None
    """What proves the capacity load, in words; None where capacity is not known."""

    @property
    def critical(self) -> ChannelResult:
        """The first focus channel whose worst case is the worst of all."""
        return max(self.channels, key=lambda result: result.normalized_load)

    @property
    def worst_case_load(self) -> Fraction:
        """Largest load over bandwidth that any traffic puts on any channel."""
        return self.critical.normalized_load

    @property
    def worst_case_throughput(self) -> Fraction | None:
        """Throughput guaranteed for every traffic; None if no traffic loads a channel."""
        return 1 / self.worst_case_load if self.worst_case_load else None

    @property
    def certified(self) -> bool:
        """Whether every focus channel's worst case was proved and the proof checked."""
        return all(result.certified for result in self.channels)

    def fraction_of_capacity(self, load: Fraction) -> Fraction | None:
        """Return the throughput at a load as a fraction of capacity, None if that is unknown."""
        if self.capacity_load is None or not load:
            return None
        return self.capacity_load / load

    @property
    def normalized_path_length(self) -> Fraction:
        """Mean path length over the mean of shortest paths."""
        return self.mean_path_length / self.network.mean_shortest_path_length()


def evaluate_channels(
    network: Network, routing: Routing, exact: bool, channels: Sequence[int]
) -> list[ChannelResult]:
    """Solve and certify the worst case of each given channel (one task)."""
    rows, columns = network.uniform_weight()
    results = []
    for channel in channels:
        pair_loads = routing.pair_loads(network, channel)
        worst = worst_case(pair_loads, network.injection, network.ejection, channel)
        check_certificate(worst, pair_loads, network.injection, network.ejection)
        results.append(
            ChannelResult(
                worst=worst,
                normalized_load=worst.load / network.bandwidth.fraction(channel),
                uniform_load=pair_loads.weighted_sum(rows, columns),
                multiplicity=1,
                certified=exact,
                pair_loads=pair_loads,
            )
        )
    return results


def evaluate(
    network: Network,
    routing: Routing,
    patterns: Sequence[Pattern] = (),
    *,
    all_channels: bool = False,
    random_permutation_samples: int = 0,
    average_case_samples: int = 0,
    matrix_kind: str = "permutation",
    seed: int = 0,
    sampled_paths: int = 0,
    sampled_pairs: str = CANONICAL,
    run: TaskRunner = run_serially,
) -> Evaluation:
    """Evaluate a routing on a network.

    Parameters
    ----------
    network, routing
        What to evaluate.
    patterns
        Traffic patterns whose throughput to find besides the worst case; uniform always is.
    all_channels
        Solve every channel in place of the focus channels that symmetry leaves.
    random_permutation_samples
        Number of seeded random permutations to take the worst of.
    average_case_samples, matrix_kind
        Number and kind of random doubly stochastic matrices for the average case.
    seed
        Seed of every draw.
    sampled_paths
        If positive, estimate the pair loads from this many paths a pair; nothing is then exact.
    sampled_pairs
        ``canonical`` to draw for one source of every orbit, ``all`` for every source.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing or a pattern is not defined on the network.
    """
    routing.check(network)
    if matrix_kind not in MATRIX_KINDS:
        raise InputError(f"unknown kind '{matrix_kind}'; expected {', '.join(MATRIX_KINDS)}")
    chosen = {p.name: None if p.is_uniform else p.amounts(network) for p in patterns}
    exact_routing = routing
    focus = focus_channels(network, {} if all_channels else routing.symmetries(network))
    sampled = None
    if sampled_paths:
        # A channel of every orbit of the routing, which the sample need not respect.
        routing = sampled = SampledRouting(routing, sampled_paths, seed, sampled_pairs)
        sampled.check(network)
    channels = _channel_results(network, routing, focus, sampled is None, run)
    uniform_loads = [
        (r.uniform_load / network.bandwidth.fraction(r.worst.channel), r.worst.channel)
        for r in channels
    ]
    load, channel = max(uniform_loads, key=lambda item: item[0])
    uniform = PatternResult("uniform", load, channel)
    if sampled is None:
        hops = sum((r.uniform_load * r.multiplicity for r in channels), Fraction(0))
        mean_path_length = hops / network.total_injection
    else:
        mean_path_length = sampled.mean_path_length(network)
    found = [
        uniform if amounts is None else _pattern_result(network, routing, name, amounts)
        for name, amounts in chosen.items()
    ]
    tensor = None
    if random_permutation_samples or average_case_samples:
        tensor = PairLoadTensor.build(network, routing)
    capacity = known_capacity(network)
    evaluation = Evaluation(
        network=network,
        routing=exact_routing,
        capacity_load=None if capacity is None else capacity.load,
        capacity_proof=None if capacity is None else capacity.proof,
        mean_path_length=mean_path_length,
        uniform=uniform,
        channels=channels,
        patterns=found,
        pattern_amounts={n: a for n, a in chosen.items() if a is not None},
        channel_focus=focus.labels,
        random_permutations=(
            sample_permutations(tensor, random_permutation_samples, seed, run)
            if tensor and random_permutation_samples
            else None
        ),
        average_case=(
            sample_matrices(tensor, average_case_samples, matrix_kind, seed, run)
            if tensor and average_case_samples
            else None
        ),
    )
    if sampled is None:
        return evaluation
    found_worst = evaluation.critical.worst
    second = estimate(network, sampled, found_worst, evaluation.capacity_load)
    return Evaluation(**{**vars(evaluation), "estimate": second})


def _pattern_result(
    network: Network, routing: Routing, name: str, amounts: SparseRationalMatrix
) -> PatternResult:
    loads = demand_loads(network, routing, amounts)
    load, channel = largest_normalized_load(network, loads)
    return PatternResult(name, load, channel, loads, beyond_terminals(network, amounts))


def _channel_results(
    network: Network, routing: Routing, focus: FocusChannels, exact: bool, run: TaskRunner
) -> list[ChannelResult]:
    channels = focus.channels.tolist()
    pairs = len(network.sources) * len(network.destinations)
    size = max(1, int(TASK_SECONDS / (pairs * SECONDS_PER_PAIR)))
    batches = [channels[at : at + size] for at in range(0, len(channels), size)]
    solved = run(
        evaluate_channels,
        (network, routing, exact),
        batches,
        "channels",
        [len(batch) for batch in batches],
    )
    flat = [result for batch in solved for result in batch]
    return [
        ChannelResult(**{**vars(result), "multiplicity": int(multiplicity)})
        for result, multiplicity in zip(flat, focus.multiplicity, strict=True)
    ]


def _sample_batches(samples: int) -> list[tuple[int, int]]:
    return [
        (first, min(SAMPLES_A_TASK, samples - first))
        for first in range(0, samples, SAMPLES_A_TASK)
    ]


def _permutation_batch(
    tensor: PairLoadTensor, seed: int, batch: tuple[int, int]
) -> list[Fraction]:
    first, count = batch
    drawn = random_permutations(count, len(tensor.network.sources), seed, first)
    return tensor.permutation_maxima(drawn)


def sample_permutations(
    tensor: PairLoadTensor, samples: int, seed: int, run: TaskRunner = run_serially
) -> RandomPermutations:
    """Return the largest normalized load of each of many seeded random permutations."""
    batches = _sample_batches(samples)
    parts = run(
        _permutation_batch,
        (tensor, seed),
        batches,
        "permutations",
        [count for _, count in batches],
    )
    return RandomPermutations(seed, [load for part in parts for load in part])


def _matrix_batch(
    tensor: PairLoadTensor, seed: int, kind: str, batch: tuple[int, int]
) -> FloatArray:
    first, count = batch
    terminals = len(tensor.network.sources)
    return np.concatenate(
        [
            tensor.matrix_maxima(random_doubly_stochastic(1, terminals, seed, kind, first + index))
            for index in range(count)
        ]
    )


def sample_matrices(
    tensor: PairLoadTensor, samples: int, kind: str, seed: int, run: TaskRunner = run_serially
) -> AverageCase:
    """Return the largest normalized load of each of many seeded random matrices."""
    if not tensor.network.has_unit_terminals:
        raise InputError(
            f"{tensor.network.name}: the average case needs terminals that each inject and eject "
            "one packet per cycle"
        )
    batches = _sample_batches(samples)
    parts = list(
        run(_matrix_batch, (tensor, seed, kind), batches, "matrices", [n for _, n in batches])
    )
    return AverageCase(seed, kind, np.concatenate(parts))


def traffic_nodes(network: Network, worst: WorstCase) -> tuple[IntArray, IntArray]:
    """Return the source and destination nodes of a worst case's traffic."""
    return network.sources[worst.sources], network.destinations[worst.destinations]
