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

from obroute.choices.packets import QUEUE
from obroute.network import Network
from obroute.packets.expected import idle_nodes, loading
from obroute.packets.phases import meets_theorem_3, others_met
from obroute.packets.relations import (
    exact_load,
    fixed_relation,
    offline_steps,
    packet_ends,
    traffic_named,
)
from obroute.packets.simulation import (
    Packets,
    Run,
    check_memory,
    draw_packets,
    simulate_phases,
    valiant_phases,
)
from obroute.packets.stability import LoadPoint, Saturation, load_point, saturation
from obroute.presented import Answer
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.tasks import TaskRunner, run_serially, things_a_task
from obroute.traffic import Traffic

SECONDS_A_HOP = 3e-7


@dataclass(frozen=True)
class RunSummary:
    """One run of a permutation.

    ``steps`` until the last packet arrived, ``mean_delay`` in steps over the packets of pairs that
    load a channel (NaN if there are none), ``largest_queue`` in
    packets, ``heaviest_channel`` the packets that crossed the most used channel, ``longest_path``
    in hops, ``offline_steps`` the steps in which packets move in the off-line schedule on a
    hypercube, or along the vertex-disjoint paths of a Beneš network (-1 elsewhere). For phases
    run one after the other, steps and delays add, ``longest_phase`` is the steps of the longer
    and ``most_met`` the most other packets whose paths share a channel with a packet's in one
    phase (both -1 without phases), and the rest is the larger.
    """

    steps: int
    mean_delay: float
    largest_queue: int
    heaviest_channel: int
    longest_path: int
    offline_steps: int
    longest_phase: int
    most_met: int


@dataclass(frozen=True)
class PermutationRuns(Answer):
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


def run_permutations(
    network: Network,
    routing: Routing,
    traffic: Sequence[str],
    *,
    seeds: int = 1,
    seed: int = 0,
    discipline: str = QUEUE,
    phases: bool = False,
    h: int = 1,
    half_duplex: bool = False,
    run: TaskRunner = run_serially,
) -> PermutationRuns:
    """Route permutations, or other relations of whole packets, with many seeds.

    Parameters
    ----------
    traffic
        Names of patterns, files of (partial) permutations or of whole numbers of packets,
        or what :func:`obroute.packets.relations.traffic_named` makes for the routing; the name
        ``random_permutation`` draws another permutation with every seed.
    seeds, seed
        Run i draws from ``seed + i`` alone.
    discipline
        As for :func:`obroute.packets.simulation.simulate`.
    phases
        Valiant's two phases, one after the other, each by ``routing``.
    h
        Every packet h times: the h-relation of a permutation, or of h permutations where they are
        drawn.
    half_duplex
        The two channels of a cable share one bandwidth.

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
    if h < 1:
        raise InputError(f"an h-relation needs h of at least 1, not {h}")
    if phases and h > 1:
        raise InputError("phases are of permutations; take h = 1")
    hops = float(network.mean_shortest_path_length()) + 1
    check_memory(network, h * len(network.sources), 2 * hops)
    fixed = [fixed_relation(network, routing, name, phases) for name in traffic]
    packets = max(len(network.sources), *(int(r.sent.sum()) for r in fixed if r is not None), 0)
    size = things_a_task(h * packets * hops * SECONDS_A_HOP)
    batches = [
        (place, first, min(size, seeds - first))
        for place in range(len(fixed))
        for first in range(0, seeds, size)
    ]
    done = run(
        _run_batch,
        (network, routing, fixed, seed, _Settings(discipline, phases, h, half_duplex)),
        batches,
        "runs",
        [count for _, _, count in batches],
    )
    runs: list[list[RunSummary]] = [[] for _ in fixed]
    for (place, _, _), summaries in zip(batches, done, strict=True):
        runs[place] += summaries
    loads = [
        None if relation is None or phases else exact_load(routing, relation, h, half_duplex)
        for relation in fixed
    ]
    return PermutationRuns(network, routing, list(traffic), runs, loads)


@dataclass(frozen=True)
class _Settings:
    """What every run of a permutation has in common."""

    discipline: str
    phases: bool
    h: int
    half_duplex: bool


def _run_batch(
    network: Network,
    routing: Routing,
    fixed: Sequence[Traffic | None],
    seed: int,
    settings: _Settings,
    batch: tuple[int, int, int],
) -> list[RunSummary]:
    place, first, count = batch
    relation, h, half_duplex = fixed[place], settings.h, settings.half_duplex
    idle = np.zeros(network.node_count, bool) if settings.phases else idle_nodes(network, routing)
    offline = None if relation is None else offline_steps(network, [relation] * h, half_duplex)
    found = []
    for own in range(seed + first, seed + first + count):
        generator = np.random.default_rng([own, 1])
        drawn = [
            Traffic.of_permutation(network, generator.permutation(len(network.sources)))
            if relation is None
            else relation
            for _ in range(h)
        ]
        runs = _runs(network, routing, drawn, own, settings)
        steps = offline_steps(network, drawn, half_duplex) if offline is None else offline
        met = -1
        if settings.phases and meets_theorem_3(network) and not half_duplex:
            met = max(int(others_met(run.packets.paths).max()) for run in runs)
        found.append(_summary(runs, idle, steps, met))
    return found


def _runs(
    network: Network,
    routing: Routing,
    drawn: Sequence[Traffic],
    seed: int,
    settings: _Settings,
) -> list[Run]:
    phases: Sequence[Packets]
    if settings.phases:
        assert drawn[0].permutation is not None, "phases are of permutations"
        phases = valiant_phases(network, routing, drawn[0].permutation, seed)
    else:
        ends = np.concatenate([packet_ends(relation) for relation in drawn], axis=1)
        phases = [draw_packets(network, routing, ends[0], ends[1], seed)]
    return simulate_phases(
        network, phases, settings.discipline, seed, half_duplex=settings.half_duplex
    )


def _summary(
    runs: Sequence[Run], idle: NDArray[np.bool_], offline_steps: int, most_met: int
) -> RunSummary:
    return RunSummary(
        steps=sum(run.steps for run in runs),
        mean_delay=sum(_mean_delay(run, idle) for run in runs),
        largest_queue=max(run.largest_queue for run in runs),
        heaviest_channel=max(int(run.channel_packets.max(initial=0)) for run in runs),
        longest_path=max(int(run.packets.paths.lengths.max(initial=0)) for run in runs),
        offline_steps=max(-1, offline_steps),
        longest_phase=max(run.steps for run in runs) if len(runs) > 1 else -1,
        most_met=most_met,
    )


def _mean_delay(run: Run, idle: NDArray[np.bool_]) -> float:
    delays = run.delays[loading(run.packets, idle)]
    return float(delays.mean()) if len(delays) else math.nan


@dataclass(frozen=True)
class StabilityRuns(Answer):
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
    steps: int,
    tolerance: float,
    rates: Sequence[float] = (),
    curve_steps: int | None = None,
    seed: int = 0,
    discipline: str = QUEUE,
    half_duplex: bool = False,
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
        Rates of the curves (packets per step and source), and the steps of each run, as many as in
        the search if not given.

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
    curve_steps = steps if curve_steps is None else curve_steps
    made = [traffic_named(network, routing, name) for name in traffic]
    batches: list[tuple[int, float | None]] = [(place, None) for place in range(len(made))]
    batches += [(place, rate) for place in range(len(made)) for rate in rates]
    done = run(
        _stability_task,
        (network, routing, made, (steps, tolerance, curve_steps, seed, discipline, half_duplex)),
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
    settings: dict[str, Any] = {
        "steps": steps,
        "curve_steps": curve_steps,
        "tolerance": tolerance,
        "seed": seed,
        "queue": discipline,
        "half_duplex": half_duplex,
    }
    return StabilityRuns(
        network, routing, list(traffic), list(rates), settings, saturations, curves
    )


def _stability_task(
    network: Network,
    routing: Routing,
    traffic: Sequence[Traffic],
    settings: tuple[int, float, int, int, str, bool],
    batch: tuple[int, float | None],
) -> Any:
    steps, tolerance, curve_steps, seed, discipline, half_duplex = settings
    place, rate = batch
    if rate is not None:
        where = network, routing, traffic[place], rate, curve_steps
        return load_point(*where, seed, discipline, half_duplex=half_duplex)
    return saturation(
        network,
        routing,
        traffic[place],
        steps=steps,
        tolerance=tolerance,
        seed=seed,
        discipline=discipline,
        half_duplex=half_duplex,
    )
