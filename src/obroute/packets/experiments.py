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

from obroute.loads import largest_normalised_load, permutation_loads
from obroute.network import Network
from obroute.packets.benes import check_schedule, offline_schedule
from obroute.packets.expected import idle_nodes, loading
from obroute.packets.injection import Traffic
from obroute.packets.simulation import (
    Run,
    check_memory,
    permutation_packets,
    simulate,
    simulate_phases,
    valiant_phases,
)
from obroute.packets.stability import LoadPoint, Saturation, load_point, saturation
from obroute.rational import IntArray
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
    return Traffic(pattern.name, pattern.permutation(network))


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
    """Route permutations with many seeds.

    Parameters
    ----------
    traffic
        Names of patterns, ``worst_case`` for the routing's worst permutation; the name
        ``random_permutation`` draws another permutation with every seed.
    seeds, seed
        Run i draws from ``seed + i`` alone.
    discipline
        As for :func:`obroute.packets.simulation.simulate`.
    phases
        Valiant's two phases, one after the other, each by ``routing``.

    Raises
    ------
    InputError
        If the routing or a pattern is not defined, traffic is no permutation, or memory would
        not do.

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
    fixed = [_fixed_destinations(network, routing, name) for name in traffic]
    size = max(1, int(TASK_SECONDS / (len(network.sources) * hops * SECONDS_A_HOP)))
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
        None if destinations is None or phases else _exact_load(network, routing, destinations)
        for destinations in fixed
    ]
    return PermutationRuns(network, routing, list(traffic), runs, loads)


def _exact_load(network: Network, routing: Routing, destinations: IntArray) -> Fraction | None:
    """Return the exact load of the heaviest channel, None where the loads are too many."""
    first = slice(0, PAIRS_TO_JUDGE_BY)
    ends = network.sources[first], network.destinations[destinations[first]]
    touched = routing.channel_loads(network, *ends).nonzeros / len(ends[0])
    if touched * len(destinations) > MOST_LOADS:
        return None
    loads = permutation_loads(network, routing, destinations)
    return largest_normalised_load(network, loads)[0]


def _fixed_destinations(network: Network, routing: Routing, name: str) -> IntArray | None:
    if name == RANDOM_PERMUTATION:
        make_pattern(name).permutation(network)  # defined here, or an error
        return None
    destinations = traffic_named(network, routing, name).destinations
    if destinations is None:
        raise InputError(
            f"traffic {name} is no permutation; give a rate to inject it continuously"
        )
    return destinations


def _run_batch(
    network: Network,
    routing: Routing,
    fixed: Sequence[IntArray | None],
    seed: int,
    discipline: str,
    phases: bool,
    batch: tuple[int, int, int],
) -> list[RunSummary]:
    place, first, count = batch
    destinations = fixed[place]
    idle = np.zeros(network.node_count, bool) if phases else idle_nodes(network, routing)
    offline = None if destinations is None else _offline_steps(network, destinations)
    found = []
    for own in range(seed + first, seed + first + count):
        drawn = destinations
        if drawn is None:
            drawn = np.random.default_rng([own, 1]).permutation(len(network.sources))
        if phases:
            runs = simulate_phases(
                network, valiant_phases(network, routing, drawn, own), discipline, own
            )
        else:
            packets = permutation_packets(network, routing, drawn, own)
            runs = [simulate(network, packets, discipline, own)]
        steps = _offline_steps(network, drawn) if offline is None else offline
        found.append(_summary(runs, idle, steps))
    return found


def _offline_steps(network: Network, destinations: IntArray) -> int:
    if not isinstance(network, Grid) or set(network.radices) != {2}:
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
