"""Valiant's phases on a hypercube, measured beside what Theorem 3 proves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from obroute.choices.packets import QUEUE
from obroute.network import Network
from obroute.packets.relations import RANDOM_PERMUTATION
from obroute.packets.simulation import simulate, valiant_phases
from obroute.rational import IntArray
from obroute.routing import PathBatch
from obroute.routing.bit_fixing import BitFixing, is_hypercube
from obroute.specs import InputError
from obroute.tasks import TaskRunner, run_serially
from obroute.traffic import make_pattern

SEEDS_A_TASK = 25


def others_met(paths: PathBatch) -> IntArray:
    """Return for each path how many others share a channel with it.

    Takes as much memory as pairs of paths share channels.

    >>> others_met(PathBatch.of([(0, 1), (1, 2), (0, 1), (3,), ()])).tolist()
    [2, 2, 2, 0, 0]
    """
    owner = np.repeat(np.arange(len(paths)), paths.lengths)
    order = np.argsort(paths.channels, kind="stable")
    channel, owner = paths.channels[order], owner[order]
    starts = np.flatnonzero(np.r_[True, channel[1:] != channel[:-1]])[: len(channel)]
    sizes = np.diff(np.r_[starts, len(channel)])
    each = np.repeat(sizes, sizes)
    first = np.repeat(owner, each)
    within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    second = owner[np.repeat(np.repeat(starts, sizes), each) + within]
    apart = first != second
    pairs = np.unique(first[apart] * len(paths) + second[apart])
    return np.bincount(pairs // max(1, len(paths)), minlength=len(paths))


def meets_theorem_3(network: Network) -> bool:
    """Say whether it is a hypercube whose channels send one packet a step."""
    return is_hypercube(network) and all(w == 1 for w in network.bandwidth.fractions())


@dataclass(frozen=True, eq=False)
class PhaseRuns:
    """Phases of many seeds, both of each.

    ``steps[seed, phase]``; ``most_met`` and ``mean_met`` are of the packets of each phase, and
    ``latest`` is the most that a packet's delay exceeds its hops and the others that it meets:
    Lemma 1 says that this is at most 0.
    """

    dimensions: int
    traffic: str
    steps: IntArray
    most_met: IntArray
    mean_met: np.ndarray
    latest: int


def run_phases(
    cube: Network,
    traffic: str,
    *,
    seeds: int,
    seed: int = 0,
    discipline: str = QUEUE,
    run: TaskRunner = run_serially,
) -> PhaseRuns:
    """Route both of Valiant's phases by bit fixing, one after the other, with many seeds.

    Parameters
    ----------
    cube
        A hypercube.
    traffic
        The name of a permutation; ``random_permutation`` draws another with every seed.
    seeds, seed
        Run i draws from ``seed + i`` alone.

    Raises
    ------
    InputError
        If the network is no hypercube, or a channel sends more than a packet a step.

    Examples
    --------
    >>> from obroute import make_network
    >>> runs = run_phases(make_network("hypercube:5"), "bit_reverse", seeds=10)
    >>> runs.steps.shape, runs.latest <= 0
    ((10, 2), True)
    """
    if not meets_theorem_3(cube):
        raise InputError(
            f"{cube.name}: what is proved of phases is of hypercubes whose channels send one "
            "packet a step; expected one, such as hypercube:8"
        )
    if seeds < 1:
        raise InputError(f"{seeds} seeds; expected at least 1")
    pattern = make_pattern(traffic).permutation(cube)
    destinations = None if traffic == RANDOM_PERMUTATION else pattern
    batches = [
        (first, min(SEEDS_A_TASK, seeds - first)) for first in range(0, seeds, SEEDS_A_TASK)
    ]
    done = run(
        _run_batch,
        (cube, destinations, seed, discipline),
        batches,
        "phases",
        [count for _, count in batches],
    )
    steps, most, mean, latest = zip(*(row for rows in done for row in rows), strict=True)
    return PhaseRuns(
        cube.node_count.bit_length() - 1,
        traffic,
        np.array(steps),
        np.array(most),
        np.array(mean),
        max(max(pair) for pair in latest),
    )


def _run_batch(
    cube: Network,
    destinations: IntArray | None,
    seed: int,
    discipline: str,
    batch: tuple[int, int],
) -> list[Sequence[tuple[float, float]]]:
    first, count = batch
    return [
        _run_seed(cube, destinations, own, discipline)
        for own in range(seed + first, seed + first + count)
    ]


def _run_seed(
    cube: Network, destinations: IntArray | None, seed: int, discipline: str
) -> Sequence[tuple[float, float]]:
    drawn = destinations
    if drawn is None:
        drawn = np.random.default_rng([seed, 1]).permutation(cube.node_count)
    measured = []
    for packets in valiant_phases(cube, BitFixing(), drawn, seed):
        run = simulate(cube, packets, discipline, seed)
        met = others_met(packets.paths)
        late = run.delivered - packets.paths.lengths - met
        measured.append((run.steps, int(met.max()), float(met.mean()), int(late.max())))
    return list(zip(*measured, strict=True))
