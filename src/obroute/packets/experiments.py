"""Experiments with packets: many seeds of permutations, and stability, as tasks.

Every number depends on the network, the routing, the settings and the seed alone, not on where
or in what batches the tasks run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.demands import permutation_of
from obroute.loads import largest_normalised_load, traffic_loads
from obroute.network import Network
from obroute.packets.benes import check_schedule, offline_schedule
from obroute.packets.expected import idle_nodes, loading
from obroute.packets.injection import Traffic
from obroute.packets.simulation import (
    Run,
    check_memory,
    draw_packets,
    simulate,
    simulate_phases,
    valiant_phases,
)
from obroute.packets.stability import LoadPoint, Saturation, load_point, saturation
from obroute.rational import IntArray, RationalArray
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.throughput import TaskRunner, evaluate, run_serially
from obroute.topologies.grid import Grid
from obroute.traffic import make_pattern

WORST_CASE = "worst_case"
RANDOM_PERMUTATION = "random_permutation"
SECONDS_A_HOP = 3e-7
TASK_SECONDS = 0.2
PAIRS_TO_JUDGE_BY = 4
MOST_LOADS = 20_000_000
"""Non-zero loads of channels by pairs up to which the exact loads of a permutation are found."""


@dataclass(frozen=True)
class RunSummary:
    """One run of a permutation.

    ``steps`` until the last packet arrived, ``mean_delay`` in steps over the packets of pairs that
    load a channel (NaN if there are none), ``largest_queue`` in
    packets, ``heaviest_channel`` the packets that crossed the most used channel, ``longest_path``
    in hops, ``offline_steps`` the steps in which packets move in the off-line schedule on a
    hypercube (-1 elsewhere). For phases run one after the other, steps and delays add, and the
    rest is the larger.
    """

    steps: int
    mean_delay: float
    largest_queue: int
    heaviest_channel: int
    longest_path: int
    offline_steps: int


@dataclass(frozen=True)
class PermutationRuns:
    """Runs of permutations by traffic and seed.

    ``runs[traffic][seed]``; ``exact_loads`` has the exact expected load of the heaviest channel of
    each fixed permutation, a lower bound on steps for deterministic routings. It is None for
    traffic drawn anew with every seed, for phases, and where more than ``MOST_LOADS`` loads of
    channels by pairs would have to be added.
    """

    network: Network
    routing: Routing
    traffic: list[str]
    runs: list[list[RunSummary]]
    exact_loads: list[Fraction | None]


@dataclass(frozen=True, eq=False)
class Relation:
    """Packets that start together: the positions of source and destination of each.

    ``permutation`` has the destination of each source, -1 for none, where each sends at most one
    and gets at most one.
    """

    sources: IntArray
    destinations: IntArray
    permutation: IntArray | None = None

    @classmethod
    def of_permutation(cls, destinations: IntArray) -> Relation:
        """Return one packet for each source that a (partial) permutation sends somewhere."""
        sending = np.flatnonzero(destinations >= 0)
        return cls(sending, destinations[sending], destinations)

    def ends(self, network: Network) -> tuple[IntArray, IntArray]:
        """Return the nodes of sources and destinations."""
        return network.sources[self.sources], network.destinations[self.destinations]


def traffic_named(network: Network, routing: Routing, name: str) -> Traffic:
    """Return traffic by the name of a pattern, ``worst_case`` for that of the routing's matching.

    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> traffic_named(ring, make_routing("dor"), "tornado").destinations.tolist()
    [2, 3, 4, 0, 1]
    """
    if name == WORST_CASE:
        permutation = evaluate(network, routing).critical.worst.permutation
        if permutation is None or not network.has_unit_terminals:
            raise InputError(f"{network.name}: the worst traffic splits; simulate a named pattern")
        return Traffic(name, permutation)
    pattern = make_pattern(name)
    if pattern.is_uniform:
        return Traffic(pattern.name)
    amounts = pattern.amounts(network)
    permutation = permutation_of(amounts)
    if permutation is None or (permutation < 0).any():
        return Traffic(pattern.name, matrix=amounts)
    return Traffic(pattern.name, permutation)


def run_permutations(
    network: Network,
    routing: Routing,
    traffic: Sequence[str],
    *,
    seeds: int = 1,
    seed: int = 0,
    discipline: str = "fifo",
    phases: bool = False,
    run: TaskRunner = run_serially,
) -> PermutationRuns:
    """Route permutations, or other relations of whole packets, with many seeds.

    Parameters
    ----------
    traffic
        Names of patterns, files of (partial) permutations or of whole numbers of packets,
        ``worst_case`` for the routing's worst permutation; the name ``random_permutation`` draws
        another permutation with every seed.
    seeds, seed
        Run i draws from ``seed + i`` alone.
    discipline
        As for :func:`obroute.packets.simulation.simulate`.
    phases
        Valiant's two phases, one after the other, each by ``routing``.

    Raises
    ------
    InputError
        If the routing or a pattern is not defined, traffic is no relation of whole packets, or
        memory would not do.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> cube = make_network("hypercube:6")
    >>> found = run_permutations(cube, make_routing("dor"), ["bit_reverse"], seeds=2)
    >>> [(r.steps, r.offline_steps) for r in found.runs[0]], found.exact_loads
    ([(7, 9), (7, 9)], [Fraction(4, 1)])
    """
    routing.check(network)
    if seeds < 1:
        raise InputError(f"{seeds} seeds; expected at least 1")
    hops = float(network.mean_shortest_path_length()) + 1
    check_memory(network, len(network.sources), 2 * hops)
    fixed = [_fixed_relation(network, routing, name, phases) for name in traffic]
    packets = max(len(network.sources), *(len(r.sources) for r in fixed if r is not None), 0)
    size = max(1, int(TASK_SECONDS / (packets * hops * SECONDS_A_HOP)))
    batches = [
        (place, first, min(size, seeds - first))
        for place in range(len(fixed))
        for first in range(0, seeds, size)
    ]
    done = run(
        _run_batch,
        (network, routing, fixed, seed, discipline, phases),
        batches,
        "runs",
        [count for _, _, count in batches],
    )
    runs: list[list[RunSummary]] = [[] for _ in fixed]
    for (place, _, _), summaries in zip(batches, done, strict=True):
        runs[place] += summaries
    loads = [
        None if relation is None or phases else _exact_load(network, routing, relation)
        for relation in fixed
    ]
    return PermutationRuns(network, routing, list(traffic), runs, loads)


def _exact_load(network: Network, routing: Routing, relation: Relation) -> Fraction | None:
    """Return the exact load of the heaviest channel, None where the loads are too many."""
    ends = relation.ends(network)
    if not len(ends[0]):
        return Fraction(0)
    first = [nodes[:PAIRS_TO_JUDGE_BY] for nodes in ends]
    touched = routing.channel_loads(network, *first).nonzeros / len(first[0])
    if touched * len(ends[0]) > MOST_LOADS:
        return None
    loads = traffic_loads(network, routing, *ends, RationalArray.full(len(ends[0]), 1))
    return largest_normalised_load(network, loads)[0]


def _fixed_relation(
    network: Network, routing: Routing, name: str, phases: bool
) -> Relation | None:
    """Return the packets of traffic, None where they are drawn anew with every seed."""
    if name == RANDOM_PERMUTATION:
        make_pattern(name).permutation(network)  # defined here, or an error
        return None
    traffic = traffic_named(network, routing, name)
    if traffic.destinations is not None:
        return Relation.of_permutation(traffic.destinations)
    if traffic.matrix is None:
        raise InputError(
            f"traffic {name} is no permutation; give a rate to inject it continuously"
        )
    values = traffic.matrix.values.reduced()
    if values.denominator != 1:
        raise InputError(
            f"traffic {name} has demands that are no whole number of packets; give a rate to "
            "inject them continuously"
        )
    permutation = permutation_of(traffic.matrix)
    if permutation is not None:
        return Relation.of_permutation(permutation)
    if phases:
        raise InputError(f"traffic {name} is no permutation; --phases is of permutations")
    check_memory(network, int(values.sum()), 2 * float(network.mean_shortest_path_length()) + 1)
    counts = values.numerators
    return Relation(
        np.repeat(traffic.matrix.rows, counts), np.repeat(traffic.matrix.columns, counts)
    )


def _run_batch(
    network: Network,
    routing: Routing,
    fixed: Sequence[Relation | None],
    seed: int,
    discipline: str,
    phases: bool,
    batch: tuple[int, int, int],
) -> list[RunSummary]:
    place, first, count = batch
    relation = fixed[place]
    idle = np.zeros(network.node_count, bool) if phases else idle_nodes(network, routing)
    offline = None if relation is None else _offline_steps(network, relation)
    found = []
    for own in range(seed + first, seed + first + count):
        drawn = relation
        if drawn is None:
            drawn = Relation.of_permutation(
                np.random.default_rng([own, 1]).permutation(len(network.sources))
            )
        if phases:
            assert drawn.permutation is not None, "phases are of permutations"
            runs = simulate_phases(
                network, valiant_phases(network, routing, drawn.permutation, own), discipline, own
            )
        else:
            packets = draw_packets(network, routing, *drawn.ends(network), own)
            runs = [simulate(network, packets, discipline, own)]
        steps = _offline_steps(network, drawn) if offline is None else offline
        found.append(_summary(runs, idle, steps))
    return found


def _offline_steps(network: Network, relation: Relation) -> int:
    destinations = relation.permutation
    if not isinstance(network, Grid) or set(network.radices) != {2}:
        return -1
    if destinations is None or (destinations < 0).any():
        return -1
    return check_schedule(offline_schedule(destinations), destinations)


def _summary(runs: Sequence[Run], idle: NDArray[np.bool_], offline_steps: int) -> RunSummary:
    return RunSummary(
        steps=sum(run.steps for run in runs),
        mean_delay=sum(_mean_delay(run, idle) for run in runs),
        largest_queue=max(run.largest_queue for run in runs),
        heaviest_channel=max(int(run.channel_packets.max(initial=0)) for run in runs),
        longest_path=max(int(run.packets.paths.lengths.max(initial=0)) for run in runs),
        offline_steps=offline_steps,
    )


def _mean_delay(run: Run, idle: NDArray[np.bool_]) -> float:
    delays = run.delays[loading(run.packets, idle)]
    return float(delays.mean()) if len(delays) else math.nan


@dataclass(frozen=True)
class StabilityRuns:
    """Saturation and load curves: ``saturations[traffic]`` and ``curves[traffic][rate]``.

    ``settings`` are what the runs depend on besides.
    """

    network: Network
    routing: Routing
    traffic: list[str]
    rates: list[float]
    settings: dict[str, Any]
    saturations: list[Saturation]
    curves: list[list[LoadPoint]]


def run_stability(
    network: Network,
    routing: Routing,
    traffic: Sequence[str],
    *,
    steps: int = 40_000,
    tolerance: float = 0.01,
    rates: Sequence[float] = (),
    curve_steps: int = 4_000,
    seed: int = 0,
    discipline: str = "fifo",
    run: TaskRunner = run_serially,
) -> StabilityRuns:
    """Find the largest stable rate of each traffic, and the curves over given rates.

    Parameters
    ----------
    traffic
        Names of patterns (``uniform`` among them), or ``worst_case``.
    steps, tolerance
        As for :func:`obroute.packets.stability.saturation`.
    rates, curve_steps
        Rates of the curves (packets per step and source), and the steps of each run.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = run_stability(
    ...     make_network("ring:5"), make_routing("dor"), ["worst_case"], steps=4000, tolerance=0.03
    ... )
    >>> found.saturations[0].ideal
    Fraction(1, 2)
    """
    routing.check(network)
    made = [traffic_named(network, routing, name) for name in traffic]
    batches: list[tuple[int, float | None]] = [(place, None) for place in range(len(made))]
    batches += [(place, rate) for place in range(len(made)) for rate in rates]
    done = run(
        _stability_task,
        (network, routing, made, (steps, tolerance, curve_steps, seed, discipline)),
        batches,
        "rates",
        [1] * len(batches),
    )
    saturations: list[Saturation] = []
    curves: list[list[LoadPoint]] = [[] for _ in made]
    for (place, rate), found in zip(batches, done, strict=True):
        if rate is None:
            saturations.append(found)
        else:
            curves[place].append(found)
    settings = {"steps": steps, "curve_steps": curve_steps, "seed": seed, "queue": discipline}
    return StabilityRuns(
        network, routing, list(traffic), list(rates), settings, saturations, curves
    )


def _stability_task(
    network: Network,
    routing: Routing,
    traffic: Sequence[Traffic],
    settings: tuple[int, float, int, int, str],
    batch: tuple[int, float | None],
) -> Any:
    steps, tolerance, curve_steps, seed, discipline = settings
    place, rate = batch
    if rate is not None:
        return load_point(network, routing, traffic[place], rate, curve_steps, seed, discipline)
    return saturation(
        network,
        routing,
        traffic[place],
        steps=steps,
        tolerance=tolerance,
        seed=seed,
        discipline=discipline,
    )
