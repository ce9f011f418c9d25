"""The notes on routing permutations, held against runs: Lemma 1, Theorem 3, bad permutations.

N = 2ⁿ throughout. Runs are seeded, so every number here is the same in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from tests.support.cases import network_of

import obroute
from obroute import Network, make_pattern, make_routing
from obroute.loads import largest_normalized_load, loads_of
from obroute.network import Path
from obroute.packets.simulation import (
    DISCIPLINES,
    Packets,
    permutation_packets,
    relation_packets,
    simulate,
    simulate_phases,
    valiant_phases,
)
from obroute.rational import IntArray
from obroute.routing import PathBatch
from obroute.traffic import Traffic

DOR = make_routing("dor")
VALIANT = make_routing("valiant")


def cube_of(n: int) -> Network:
    """Make a hypercube, each once."""
    return network_of(f"hypercube:{n}")


def destinations_of(pattern: str, n: int) -> IntArray:
    """Return a permutation of the hypercube by the name of its pattern."""
    return make_pattern(pattern).permutation(cube_of(n))


# ------------------------------------------------------------------------------------- Lemma 1

BIT_FIXING_RUNS = {
    "transpose": [4, 6, 8],
    "bit_reverse": range(2, 9),
    "bit_complement": range(2, 9),
    **{f"random_permutation:seed={seed}": range(3, 9) for seed in (1, 2, 3)},
    "first phase": range(3, 9),
    "second phase": range(3, 9),
    "3-relation": range(3, 8),
}
LARGE_RUNS = ("transpose", "bit_reverse", "random_permutation", "first phase")
for_every_run = pytest.mark.parametrize(
    ("what", "sizes"),
    [
        *BIT_FIXING_RUNS.items(),
        *(pytest.param(what, [10], marks=pytest.mark.slow) for what in LARGE_RUNS),
    ],
    ids=[*BIT_FIXING_RUNS, *(f"large {what}" for what in LARGE_RUNS)],
)


@cache
def bit_fixing_packets(n: int, what: str) -> Packets:
    """Draw the packets of a run of bit fixing: a pattern, a phase of Valiant's, or a relation."""
    cube = cube_of(n)
    if what == "3-relation":
        return relation_packets(cube, DOR, 3, seed=n)
    if what.endswith("phase"):
        phases = valiant_phases(cube, DOR, destinations_of("bit_reverse", n), seed=n)
        return phases[0 if what == "first phase" else 1]
    return permutation_packets(cube, DOR, destinations_of(what, n), seed=0)


def routes_that_meet(paths: list[Path]) -> list[set[int]]:
    """Return, for each path, the others that share a channel with it."""
    users = defaultdict(set)
    for index, path in enumerate(paths):
        for channel in path:
            users[channel].add(index)
    return [
        set().union(*(users[channel] for channel in path)) - {i} for i, path in enumerate(paths)
    ]


@for_every_run
def test_bit_fixing_routes_that_part_never_meet_again(what: str, sizes: Sequence[int]) -> None:
    """Lemma 1's premise: what two routes share is one stretch of both, in the same order."""
    for n in sizes:
        packets = bit_fixing_packets(n, what)
        paths = [packets.paths.path(index) for index in range(len(packets))]
        for path, others in zip(paths, routes_that_meet(paths), strict=True):
            for other in others:
                shared = [place for place, channel in enumerate(path) if channel in paths[other]]
                first = paths[other].index(path[shared[0]])
                stretch = path[shared[0] : shared[-1] + 1]
                assert len(stretch) == len(shared), f"n = {n}"
                assert paths[other][first : first + len(shared)] == stretch, f"n = {n}"


@for_every_run
def test_lemma_1_holds_for_every_packet(what: str, sizes: Sequence[int]) -> None:
    """A packet of k hops whose route d others meet arrives within k + d steps, in any queue."""
    for n in sizes:
        packets = bit_fixing_packets(n, what)
        paths = [packets.paths.path(index) for index in range(len(packets))]
        met = np.array([len(others) for others in routes_that_meet(paths)])
        for discipline in DISCIPLINES:
            run = simulate(cube_of(n), packets, discipline, seed=n)
            assert np.all(run.delivered >= 0), f"n = {n}, {discipline}"
            assert np.all(run.delivered <= packets.paths.lengths + met), f"n = {n}, {discipline}"


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_lemma_1_is_met_with_equality(discipline: str) -> None:
    """In a random permutation some delayed packet takes all of its k + d steps."""
    packets = bit_fixing_packets(8, "random_permutation:seed=1")
    paths = [packets.paths.path(index) for index in range(len(packets))]
    met = np.array([len(others) for others in routes_that_meet(paths)])
    run = simulate(cube_of(8), packets, discipline)
    assert np.any((run.delivered == packets.paths.lengths + met) & (met > 0))


def test_lemma_1_needs_its_premise() -> None:
    """Routes that part and meet again can delay a packet once for each meeting.

    Packet 1 waits for packet 0 at channel 0 and again at channel 2, because packet 0 went round
    by two channels in place of one.
    """
    # Nodes 0 → 1 → 2 → 3 (channels 0, 1, 2); two more channels 1 → 4 → 2 (3 and 4).
    network = Network("detour", 5, tail=[0, 1, 2, 1, 4], head=[1, 2, 3, 4, 2], sources=[0, 1],
                      destinations=[3])  # fmt: skip
    paths = [(0, 3, 4, 2), (0, 1, 2)]
    packets = Packets(np.zeros(2, int), np.full(2, 3), np.zeros(2, int), PathBatch.of(paths))
    run = simulate(network, packets, "farthest")
    assert [len(others) for others in routes_that_meet(paths)] == [1, 1]
    # At step 3 both want channel 2: packet 0, with the lower number, is ahead again.
    assert run.delivered.tolist() == [4, 5]
    assert run.delivered[1] > len(paths[1]) + 1


# ---------------------------------------------------------------------------- bad permutations

EVEN = [4, 6, 8, 10, 12, pytest.param(14, marks=pytest.mark.slow), 16]
for_bad_permutations = pytest.mark.parametrize("pattern", ["transpose", "bit_reverse"])


@for_bad_permutations
@pytest.mark.parametrize("n", EVEN)
def test_greedy_routing_takes_as_many_steps_as_the_heaviest_channel(n: int, pattern: str) -> None:
    """The exact load from the pair loads is √N/2, at least √N/n; no run can be shorter.

    First in, first out takes √N/2 + n/2 steps, and farthest to go first √N/2 + 2 (for n of 8 and
    more); the longest queue has √N/4 packets.
    """
    cube, destinations = cube_of(n), destinations_of(pattern, n)
    root = 2 ** (n // 2)
    load, _ = largest_normalized_load(
        cube, loads_of(make_routing("bit_fixing"), Traffic.of_permutation(cube, destinations))
    )
    assert load == root // 2
    packets = permutation_packets(cube, DOR, destinations, seed=0)
    for discipline in DISCIPLINES if n < 16 else ("fifo", "farthest"):
        run = simulate(cube, packets, discipline, seed=1)
        assert run.channel_packets.max() == load
        assert run.steps >= load >= root / n
        assert run.steps <= load + n // 2
        assert run.largest_queue == root // 4
        if discipline == "fifo":
            assert run.steps == root // 2 + n // 2
        if discipline == "farthest":
            assert run.steps == max(root // 2 + 2, n)


@pytest.mark.parametrize("pattern", ["bit_reverse", "random_permutation:seed=3"])
def test_exact_loads_are_the_packets_that_cross(pattern: str) -> None:
    """For a deterministic routing, permutation loads and the run count the same."""
    for n in range(3, 9):
        cube, destinations = cube_of(n), destinations_of(pattern, n)
        run = simulate(cube, permutation_packets(cube, DOR, destinations, seed=0))
        loads = loads_of(DOR, Traffic.of_permutation(cube, destinations))
        assert loads.fractions() == run.channel_packets.tolist(), f"n = {n}"


@pytest.mark.parametrize(("n", "load"), [(3, 2), (4, 2), (5, 4), (6, 4), (7, 8)])
def test_e_cube_s_worst_case_load_is_exact(n: int, load: int) -> None:
    """It is 2^⌊(n-1)/2⌋, certified, and its permutation takes at least as many steps."""
    found = obroute.evaluate(cube_of(n), DOR)
    assert found.worst_case_load == load == 2 ** ((n - 1) // 2)
    assert found.certified
    worst = found.critical.worst.permutation
    assert worst is not None
    for discipline in DISCIPLINES:
        run = simulate(cube_of(n), permutation_packets(cube_of(n), DOR, worst, 0), discipline)
        assert run.channel_packets.max() == load
        assert run.steps >= load


# --------------------------------------------------------------------------------- Valiant's way

SEEDS = [60, pytest.param(1000, marks=pytest.mark.slow)]


def fractions_above(steps: IntArray, n: int) -> list[float]:
    """Return the fraction of runs that took more than 2n, 3n and 4n steps."""
    return [float(np.mean(steps > multiple * n)) for multiple in (2, 3, 4)]


@for_bad_permutations
@pytest.mark.parametrize("seeds", SEEDS)
def test_overlapped_valiant_takes_a_small_multiple_of_n(seeds: int, pattern: str) -> None:
    """At n = 10, few seeds take more than 2n steps (0.5 % of 1,000), and none 2.2n."""
    cube, destinations = cube_of(10), destinations_of(pattern, 10)
    steps = np.array(
        [
            simulate(cube, permutation_packets(cube, VALIANT, destinations, seed)).steps
            for seed in range(seeds)
        ]
    )
    above = fractions_above(steps, 10)
    assert above[0] <= 0.02
    assert above[1:] == [0, 0]
    assert 14 <= steps.min() <= steps.max() <= 22
    assert steps.mean() == pytest.approx(18, abs=0.5)


@for_bad_permutations
@pytest.mark.parametrize("seeds", SEEDS)
def test_valiant_in_phases_takes_a_small_multiple_of_n(seeds: int, pattern: str) -> None:
    """At n = 10, six in ten seeds take more than 2n steps in both phases, none more than 2.5n."""
    cube, destinations = cube_of(10), destinations_of(pattern, 10)
    steps = np.array(
        [
            [
                run.steps
                for run in simulate_phases(cube, valiant_phases(cube, DOR, destinations, seed))
            ]
            for seed in range(seeds)
        ]
    )
    above = fractions_above(steps.sum(axis=1), 10)
    assert 0.4 <= above[0] <= 0.8
    assert above[1:] == [0, 0]
    assert steps.max() <= 15
    assert 18 <= steps.sum(axis=1).min() <= steps.sum(axis=1).max() <= 25
    assert steps.sum(axis=1).mean() == pytest.approx(20.7, abs=0.4)


@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=[pytest.mark.slow] if n > 10 else []) for n in range(4, 17)]
)
def test_theorem_3_a_phase_takes_steps_of_the_order_of_n(n: int) -> None:
    """Over seeds, a phase takes at most 1.5n steps, 1.3n from n = 9; on average 1.06n or less."""
    cube, destinations = cube_of(n), destinations_of("bit_reverse", n)
    seeds = 100 if n <= 10 else 40 if n <= 12 else 8
    steps = np.array(
        [
            [
                run.steps
                for run in simulate_phases(cube, valiant_phases(cube, DOR, destinations, seed))
            ]
            for seed in range(seeds)
        ]
    )
    assert steps.max() <= (1.3 if n >= 9 else 1.5) * n
    assert 0.9 * n <= steps.mean() <= 1.06 * n


def test_valiant_beats_greedy_where_greedy_is_bad_and_not_where_it_is_good() -> None:
    """Transpose at n = 14 takes 71 greedy steps, 2n at most by Valiant's; a random one n or so."""
    cube = cube_of(14)
    steps = {
        (name, pattern): simulate(
            cube, permutation_packets(cube, routing, destinations_of(pattern, 14), seed=1)
        ).steps
        for name, routing in (("greedy", DOR), ("valiant", VALIANT))
        for pattern in ("transpose", "random_permutation")
    }
    assert steps["greedy", "transpose"] == 71
    assert steps["valiant", "transpose"] <= 2 * 14
    assert steps["greedy", "random_permutation"] <= 14 + 3
    assert steps["valiant", "random_permutation"] > steps["greedy", "random_permutation"]
