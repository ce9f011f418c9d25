"""Throughput of a routing on a network: worst case, patterns, random traffic, capacity.

The throughput of traffic is the inverse of its largest channel load divided by the channel's
bandwidth (SPAA 2003, eq. 3 and 4): the fraction of its injection bandwidth that every terminal
can use before the first channel saturates. As a *fraction of capacity* it is divided by the
throughput of uniform traffic under the best routing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from obroute.averages import (
    AverageCase,
    RandomPermutations,
    average_case,
    random_permutation_loads,
)
from obroute.capacity import known_capacity
from obroute.channel_bounds import ChannelBounds
from obroute.choices.sampling import SAMPLED_PAIRS
from obroute.choices.traffic import MATRIX_KIND
from obroute.estimates import SampledEstimate, estimate
from obroute.loads import PairLoadTensor, largest_normalized_load, loads_of, uniform_loads
from obroute.network import Network
from obroute.presented import WorstCaseAnswer
from obroute.rational import IntArray, RationalArray
from obroute.routing import Routing
from obroute.sampling import SampledRouting
from obroute.solved_channels import ChannelResult
from obroute.tasks import TaskRunner, run_serially
from obroute.traffic import Pattern, Sample, Traffic
from obroute.worst_cases import (
    WorstCases,
    unlike_channels,
    worst_behind_hosts,
    worst_cases,
)


@dataclass(frozen=True)
class PatternResult:
    """The largest normalized channel load of one pattern, and a channel that has it.

    ``traffic`` is what the pattern sends; ``channel_loads`` are the loads of all channels (packets
    per cycle), None for uniform traffic, whose loads the focus channels have.
    """

    pattern: str
    load: Fraction
    channel: int
    traffic: Traffic = field(repr=False, compare=False)
    channel_loads: RationalArray | None = field(default=None, repr=False, compare=False)

    @property
    def beyond(self) -> str:
        """Which terminals the demands ask more of than they inject or eject; empty if none."""
        return "" if self.traffic.is_uniform else self.traffic.beyond_terminals

    @property
    def throughput(self) -> Fraction | None:
        """Factor by which the channels let the pattern grow; None if it loads nothing.

        Of a permutation that is the fraction of injection bandwidth that it can use.
        """
        return 1 / self.load if self.load else None


@dataclass(frozen=True)
class Evaluation(WorstCaseAnswer):
    """Everything that :func:`evaluate` found; loads are exact rationals unless they say so."""

    network: Network
    routing: Routing
    capacity_load: Fraction | None
    mean_path_length: Fraction
    uniform: PatternResult
    channels: list[ChannelResult]
    patterns: list[PatternResult]
    channel_focus: IntArray
    """Position in ``channels`` of the one that stands for each channel; -1 where none does."""
    orbits: IntArray
    """Number of the orbit of each channel under symmetry, as ``bounds`` counts them."""
    random_permutations: RandomPermutations | None = None
    average_case: AverageCase | None = None
    estimate: SampledEstimate | None = None
    bounds: ChannelBounds | None = None
    """Of every focus channel, where only those that may be the worst were solved."""
    behind_hosts: ChannelResult | None = None
    """The worst of the channels of no host, where that of all is the link of a host."""
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
        """Whether the worst case was proved and the proof checked."""
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


def evaluate(
    network: Network,
    routing: Routing,
    patterns: Sequence[Pattern] = (),
    *,
    all_channels: bool = False,
    random_permutation_samples: int = 0,
    average_case_samples: int = 0,
    matrix_kind: str = MATRIX_KIND,
    seed: int = 0,
    sampled_paths: int = 0,
    sampled_pairs: str = SAMPLED_PAIRS,
    known: WorstCases | None = None,
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
    known
        The worst cases, where they are known and certified: only the rest is found.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing or a pattern is not defined on the network.
    """
    routing.check(network)
    sample = Sample(average_case_samples, seed, matrix_kind)
    chosen = [pattern.traffic(network) for pattern in {p.name: p for p in patterns}.values()]
    sampled = None
    if sampled_paths:
        sampled = SampledRouting(routing, sampled_paths, seed, sampled_pairs)
        sampled.check(network)
    taken = routing if sampled is None else sampled
    worst = known or worst_cases(
        network, routing, all_channels=all_channels, estimated_by=sampled, run=run
    )
    uniform = _uniform_result(network, taken, worst)
    tensor = None
    if random_permutation_samples or average_case_samples:
        tensor = PairLoadTensor.build(network, taken)
    capacity = known_capacity(network)
    return Evaluation(
        network=network,
        routing=routing,
        capacity_load=None if capacity is None else capacity.load,
        capacity_proof=None if capacity is None else capacity.proof,
        mean_path_length=_mean_path_length(network, taken, worst),
        behind_hosts=None if sampled else worst_behind_hosts(network, routing, worst, run),
        uniform=uniform,
        channels=worst.channels,
        patterns=[
            uniform if traffic.is_uniform else _pattern_result(taken, traffic)
            for traffic in chosen
        ],
        channel_focus=worst.labels,
        orbits=worst.focus.labels,
        bounds=worst.bounds,
        random_permutations=(
            random_permutation_loads(tensor, Sample(random_permutation_samples, seed), run)
            if tensor and random_permutation_samples
            else None
        ),
        average_case=average_case(tensor, sample, run) if tensor and sample.count else None,
        estimate=(
            None
            if sampled is None
            else estimate(
                network, sampled, worst.critical.worst, None if capacity is None else capacity.load
            )
        ),
    )


def _mean_path_length(network: Network, routing: Routing, worst: WorstCases) -> Fraction:
    if isinstance(routing, SampledRouting) or worst.bounds is not None:
        return routing.mean_path_length(network)
    hops = sum((r.uniform_load * r.multiplicity for r in worst.channels), Fraction(0))
    return hops / network.total_injection


def _uniform_result(network: Network, routing: Routing, worst: WorstCases) -> PatternResult:
    known = {r.worst.channel: r.uniform_load for r in worst.channels}
    if worst.bounds is not None:
        channels = unlike_channels(network, routing, worst.bounds.fullest_uniformly())
        known = uniform_loads(network, routing, channels)
    load, channel = max(
        ((load / network.bandwidth.fraction(channel), channel) for channel, load in known.items()),
        key=lambda item: item[0],
    )
    return PatternResult("uniform", load, channel, Traffic.uniform(network))


def _pattern_result(routing: Routing, traffic: Traffic) -> PatternResult:
    loads = loads_of(routing, traffic)
    load, channel = largest_normalized_load(traffic.network, loads)
    return PatternResult(traffic.name, load, channel, traffic, loads)
