"""The store-and-forward simulator: against its slow twin, and against what must always hold."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import simulation_twin

from obroute import InputError, Network, make_network, make_pattern, make_routing
from obroute.packets.queue_kernel import mixed
from obroute.packets.simulation import (
    DISCIPLINES,
    Packets,
    Run,
    check_memory,
    draw_packets,
    permutation_packets,
    relation_packets,
    simulate,
    simulate_phases,
    valiant_phases,
)
from obroute.rational import RationalArray
from obroute.routing import PathBatch

PARALLEL = "a,b\na,b\nb,a\nb,c\nc,b\nc,d\nc,d\nc,d\nd,a\nd,c\na,c\n"
"""A digraph with two and three channels side by side."""

UNEVEN = "0,1,2\n1,2,1\n2,3,3\n3,0,2\n0,2,1\n2,0,2\n1,0,3\n3,1,1\n"
"""A digraph in which channels send one, two or three packets per step."""

ROUTINGS = {
    "torus:3x3": ["dor", "romm", "valiant", "ival"],
    "torus:4x3": ["dor:order=random", "valiant", "rlb"],
    "torus:2x4": ["dor", "valiant"],
    "torus:3x3,bandwidth=2": ["dor", "valiant"],
    "mesh:2x3": ["o1turn", "ival"],
    "ring:5": ["dor", "valiant", "rlbth"],
    "hypercube:3": ["dor", "valiant", "two_phase"],
    "complete:4": ["ecmp"],
    "butterfly:2": ["bit_fixing", "two_phase"],
    "benes:2,bandwidth=3": ["bit_fixing", "two_phase"],
    "parallel": ["ecmp"],
    "uneven": ["ecmp", "ecmp:split=hops"],
}
CASES = [(network, routing) for network, routings in ROUTINGS.items() for routing in routings]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    """Write the edge lists."""
    folder = tmp_path_factory.mktemp("simulation")
    (folder / "parallel.csv").write_text(PARALLEL, encoding="utf-8")
    (folder / "uneven.csv").write_text(UNEVEN, encoding="utf-8")
    return folder


@cache
def network_of(spec: str, folder: FilePath) -> Network:
    """Make a network, each once."""
    return make_network(f"{folder}/{spec}.csv" if spec in ("parallel", "uneven") else spec)


def packets_of(
    network: Network, routing: str, relation: list[tuple[int, int, int]], seed: int
) -> Packets:
    """Draw packets; a row is the places of source and destination and the steps since the last."""
    rows = np.array(relation, dtype=np.int64).reshape(-1, 3)
    return draw_packets(
        network,
        make_routing(routing),
        network.sources[rows[:, 0] % len(network.sources)],
        network.destinations[rows[:, 1] % len(network.destinations)],
        seed,
        injected=np.cumsum(rows[:, 2]),
    )


relations = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 1), st.integers(0, 15)),
        st.one_of(st.integers(0, 1), st.integers(0, 15)),
        st.sampled_from([0, 0, 0, 0, 0, 1, 3]),
    ),
    max_size=60,
)
"""Relations in which sources, destinations and times of injection come again and again."""

for_every_queue = pytest.mark.parametrize("discipline", DISCIPLINES)


def assert_equals_twin(
    network: Network,
    packets: Packets,
    run: Run,
    discipline: str,
    seed: int,
    limit: int | None,
    cables: list[tuple[int, int]] | None = None,
) -> None:
    """Compare every output with the twin's."""
    delivered, crossings, longest, in_network = simulation_twin.simulate(
        [packets.paths.path(index) for index in range(len(packets))],
        packets.injected.tolist(),
        [int(bandwidth) for bandwidth in network.bandwidth.fractions()],
        discipline,
        seed,
        10**9 if limit is None else limit,
        cables or [],
    )
    assert run.delivered.tolist() == delivered
    assert run.channel_packets.tolist() == crossings
    assert run.channel_longest_queue.tolist() == longest
    assert run.in_network.tolist() == in_network


# ------------------------------------------------------------------------------------ the twin


def cables_of(network: Network) -> list[tuple[int, int]]:
    """Pair each channel with the one that goes back, in the plain way: the i-th with the i-th."""
    ends: dict[tuple[int, int], list[int]] = {}
    for channel in range(network.channel_count):
        ends.setdefault((int(network.tail[channel]), int(network.head[channel])), []).append(
            channel
        )
    return [
        (min(there, back), max(there, back))
        for (tail, head), forth in ends.items()
        if tail < head
        for there, back in zip(forth, ends.get((head, tail), []), strict=False)
    ]


@for_every_queue
@settings(max_examples=40)
@given(
    case=st.sampled_from([case for case in CASES if case[0] != "uneven"]),
    relation=relations,
    seed=st.integers(0, 2**62),
)
def test_half_duplex_is_the_twin_s(
    folder: FilePath,
    case: tuple[str, str],
    relation: list[tuple[int, int, int]],
    seed: int,
    discipline: str,
) -> None:
    """The two channels of a cable send together what one may send, in turn."""
    network = network_of(case[0], folder)
    packets = packets_of(network, case[1], relation, seed)
    run = simulate(network, packets, discipline, seed, half_duplex=True)
    assert_equals_twin(network, packets, run, discipline, seed, None, cables_of(network))


def test_half_duplex_needs_cables_of_one_bandwidth(folder: FilePath) -> None:
    """Where the channels of a cable differ the message names its ends."""
    network = Network(
        "odd", 2, tail=[0, 1], head=[1, 0], bandwidth=RationalArray(np.array([1, 2]), 1)
    )
    packets = permutation_packets(network, make_routing("ecmp"), np.array([1, 0]), seed=0)
    with pytest.raises(InputError, match="the channels between 0 and 1 differ in bandwidth"):
        simulate(network, packets, half_duplex=True)


def test_half_duplex_takes_twice_as_long_where_both_ways_are_full() -> None:
    """Neighbours exchange packets over one cable, h of them each."""
    network = make_network("complete:2")
    swap = [np.array([1, 0])] * 5
    packets = permutation_packets(network, make_routing("ecmp"), swap, seed=0)
    assert simulate(network, packets).steps == 5
    assert simulate(network, packets, half_duplex=True).steps == 10


@for_every_queue
@settings(max_examples=200)
@given(
    case=st.sampled_from(CASES),
    relation=relations,
    seed=st.integers(0, 2**62),
    limit=st.one_of(st.none(), st.integers(0, 12)),
)
def test_every_output_is_the_twin_s(
    folder: FilePath,
    discipline: str,
    case: tuple[str, str],
    relation: list[tuple[int, int, int]],
    seed: int,
    limit: int | None,
) -> None:
    """Whatever the network, routing, packets, times of injection, seed and limit of steps."""
    network = network_of(case[0], folder)
    packets = packets_of(network, case[1], relation, seed % 1000)
    run = simulate(network, packets, discipline, seed, limit)
    assert_equals_twin(network, packets, run, discipline, seed, limit)


@pytest.mark.parametrize("spec", ROUTINGS)
def test_crowded_networks_are_the_twin_s(
    folder: FilePath, spec: str, subtests: pytest.Subtests
) -> None:
    """Hundreds of packets for two hot destinations make queues of ten and more."""
    network = network_of(spec, folder)
    generator = np.random.default_rng(4)
    hot = generator.integers(2, size=300)
    relation = np.stack([generator.integers(16, size=300), hot, generator.random(300) < 0.05])
    for routing in ROUTINGS[spec]:
        packets = packets_of(network, routing, relation.T.tolist(), seed=9)
        for discipline in DISCIPLINES:
            with subtests.test(routing=routing, discipline=discipline):
                run = simulate(network, packets, discipline, seed=6)
                assert run.largest_queue >= 10
                assert_equals_twin(network, packets, run, discipline, 6, None)


@given(*[st.integers(0, 2**62)] + [st.integers(0, 2**31 - 1)] * 3)
def test_pseudo_random_numbers_are_the_twin_s(
    seed: int, channel: int, step: int, slot: int
) -> None:
    """They depend on seed, channel, step and slot alone, and are not negative."""
    found = mixed(seed, np.int32(channel), step, slot)
    assert found == simulation_twin.mixed(seed, channel, step, slot)
    assert found >= 0


# ---------------------------------------------------------------------------------- invariants


@for_every_queue
@settings(max_examples=40)
@given(
    case=st.sampled_from(CASES), relation=relations, limit=st.one_of(st.none(), st.integers(0, 9))
)
def test_packets_are_conserved_and_never_early(
    folder: FilePath,
    discipline: str,
    case: tuple[str, str],
    relation: list[tuple[int, int, int]],
    limit: int | None,
) -> None:
    """After each step the injected are delivered or in the network; delays are hops or more."""
    network = network_of(case[0], folder)
    packets = packets_of(network, case[1], relation, seed=3)
    run = simulate(network, packets, discipline, 1, limit)
    arrived = run.delivered >= 0
    for step, inside in enumerate(run.in_network.tolist()):
        injected = packets.injected <= step
        gone = injected & arrived & (run.delivered <= step + 1)
        assert inside == np.count_nonzero(injected) - np.count_nonzero(gone)
    assert np.all(run.delays >= packets.paths.lengths[arrived])
    if limit is None:
        assert arrived.all()
        assert run.steps == run.delivered.max(initial=0)
        if run.in_network.size:
            assert run.in_network[-1] == 0
        # Little's law, exactly: a packet is counted after every step but that of its arrival.
        assert run.in_network.sum() == np.maximum(run.delays - 1, 0).sum()
    else:
        assert len(run.in_network) <= limit
        assert run.steps == (-1 if not arrived.all() else run.delivered.max(initial=0))


@for_every_queue
@settings(max_examples=40)
@given(case=st.sampled_from(CASES), relation=relations)
def test_channels_carry_what_the_paths_say(
    folder: FilePath,
    discipline: str,
    case: tuple[str, str],
    relation: list[tuple[int, int, int]],
) -> None:
    """Crossings are counted from paths, and bound the steps; so does the longest path."""
    network = network_of(case[0], folder)
    at_once = [(source, destination, 0) for source, destination, _ in relation]
    packets = packets_of(network, case[1], at_once, seed=7)
    run = simulate(network, packets, discipline, seed=2)
    counted = np.bincount(packets.paths.channels, minlength=network.channel_count)
    assert run.channel_packets.tolist() == counted.tolist()
    bandwidth = np.array([int(b) for b in network.bandwidth.fractions()])
    assert run.steps >= (-(-counted // bandwidth)).max()
    assert run.steps >= packets.paths.lengths.max(initial=0)
    assert np.all(run.channel_longest_queue <= counted)
    assert np.all((run.channel_longest_queue > 0) == (counted > 0))
    # Every step moves something, so the work bounds the steps from above.
    assert run.steps <= packets.paths.lengths.sum()


@settings(max_examples=40)
@given(case=st.sampled_from(CASES), relation=relations)
def test_first_in_first_out_keeps_the_order_of_packets_on_one_path(
    folder: FilePath, case: tuple[str, str], relation: list[tuple[int, int, int]]
) -> None:
    """Of two packets on the same path, the one with the lower number arrives no later."""
    network = network_of(case[0], folder)
    packets = packets_of(network, case[1], relation, seed=5)
    run = simulate(network, packets, "fifo")
    latest: dict[tuple[int, ...], int] = {}
    for index, delivered in enumerate(run.delivered.tolist()):
        path = packets.paths.path(index)
        assert delivered >= latest.get(path, 0)
        latest[path] = delivered


@pytest.mark.parametrize("bandwidth", [1, 2, 3])
@for_every_queue
def test_a_channel_sends_as_many_packets_as_its_bandwidth(discipline: str, bandwidth: int) -> None:
    """Seven packets over one channel: one, two or three a step, in the order of the queue."""
    network = make_network(f"ring:3,bandwidth={bandwidth}")
    packets = Packets(*np.zeros((3, 7), dtype=np.int64), PathBatch.of([(0,)] * 7))
    run = simulate(network, packets, discipline, seed=1)
    turns = [1 + place // bandwidth for place in range(7)]
    assert sorted(run.delivered.tolist()) == turns
    if discipline != "random":
        assert run.delivered.tolist() == (turns[::-1] if discipline == "lifo" else turns)
    assert run.largest_queue == run.channel_packets[0] == 7


LINE = Network("line", 4, tail=[0, 1, 2], head=[1, 2, 3], sources=[0], destinations=[1, 2, 3])


def run_line(hops: list[int], discipline: str, injected: list[int] | None = None) -> list[int]:
    """Send packets from the start of the line over some hops; return when they arrive."""
    packets = Packets(
        np.zeros(len(hops), dtype=np.int64),
        np.array(hops),
        np.array(injected or [0] * len(hops)),
        PathBatch.of([tuple(range(count)) for count in hops]),
    )
    return simulate(LINE, packets, discipline).delivered.tolist()


@pytest.mark.parametrize(
    ("discipline", "hops", "delivered"),
    [
        ("fifo", [1, 2, 3], [1, 3, 5]),
        ("nearest", [1, 2, 3], [1, 3, 5]),
        ("lifo", [1, 2, 3], [3, 3, 3]),
        ("farthest", [1, 2, 3], [3, 3, 3]),
        ("fifo", [3, 2, 1], [3, 3, 3]),
        ("farthest", [3, 2, 1], [3, 3, 3]),
        ("lifo", [3, 2, 1], [5, 3, 1]),
        ("nearest", [3, 2, 1], [5, 3, 1]),
        # Ties go to the oldest.
        ("farthest", [1, 2, 2, 1], [3, 2, 3, 4]),
        ("nearest", [2, 1, 1, 2], [4, 1, 2, 5]),
    ],
)
def test_disciplines_by_hand(discipline: str, hops: list[int], delivered: list[int]) -> None:
    """Packets for different places on a line, worked out on paper."""
    assert run_line(hops, discipline) == delivered


@pytest.mark.parametrize(
    ("discipline", "delivered"),
    [("fifo", [1, 2, 3, 4]), ("lifo", [4, 3, 1, 2]), ("nearest", [1, 2, 3, 4])],
)
def test_last_in_first_out_prefers_the_latest_arrival(
    discipline: str, delivered: list[int]
) -> None:
    """Three packets wait when a fourth enters: it goes before those that were there."""
    assert run_line([1, 1, 1, 1], discipline, injected=[0, 0, 0, 1]) == delivered


def test_the_random_queue_sends_any_packet() -> None:
    """Over 600 seeds, each of three waiting packets goes first about 200 times."""
    packets = Packets(*np.zeros((3, 3), dtype=np.int64), PathBatch.of([(0,)] * 3))
    first = [
        int(np.argmin(simulate(LINE, packets, "random", seed).delivered)) for seed in range(600)
    ]
    assert np.all(np.abs(np.bincount(first, minlength=3) - 200) < 5 * np.sqrt(600 * 2 / 9))


# -------------------------------------------------------------------------------- small inputs


@for_every_queue
def test_packets_at_their_destination_arrive_when_injected(discipline: str) -> None:
    """They cross nothing, wait nowhere, and are never in the network."""
    ring = make_network("ring:4")
    packets = draw_packets(ring, make_routing("dor"), [2, 0, 2], [2, 0, 2], 0, injected=[0, 3, 3])
    run = simulate(ring, packets, discipline)
    assert run.delivered.tolist() == [0, 3, 3]
    assert run.delays.tolist() == [0, 0, 0]
    assert run.in_network.tolist() == [0, 0, 0, 0]
    assert not run.channel_packets.any()
    assert (run.largest_queue, run.steps) == (0, 3)


@for_every_queue
def test_no_packets_take_no_steps(discipline: str) -> None:
    """An empty input gives empty outputs."""
    ring = make_network("ring:4")
    packets = draw_packets(ring, make_routing("dor"), [], [], 0)
    run = simulate(ring, packets, discipline)
    assert (len(packets), run.steps, run.largest_queue) == (0, 0, 0)
    assert run.delivered.size == run.in_network.size == run.delays.size == 0
    assert run.channel_packets.tolist() == [0] * 8


def test_a_limit_of_no_steps_leaves_everything_undelivered() -> None:
    """Nothing is injected either."""
    ring = make_network("ring:4")
    packets = draw_packets(ring, make_routing("dor"), [0, 1], [1, 1], 0)
    run = simulate(ring, packets, step_limit=0)
    assert run.delivered.tolist() == [-1, -1]
    assert (run.steps, run.delays.size, run.in_network.size) == (-1, 0, 0)


def test_a_packet_enters_at_its_time_after_an_idle_gap() -> None:
    """The network is empty in between, and the clock goes on."""
    ring = make_network("ring:5")
    packets = draw_packets(ring, make_routing("dor"), [0, 0], [2, 2], 0, injected=[1, 6])
    run = simulate(ring, packets)
    assert run.delivered.tolist() == [3, 8]
    assert run.in_network.tolist() == [0, 1, 0, 0, 0, 0, 1, 0]
    assert run.delays.tolist() == [2, 2]


def test_runs_longer_than_the_first_record_are_recorded_whole() -> None:
    """1,500 packets over one channel take 1,500 steps, one fewer in the network after each."""
    packets = Packets(*np.zeros((3, 1500), dtype=np.int64), PathBatch.of([(0,)] * 1500))
    run = simulate(LINE, packets)
    assert run.in_network.tolist() == list(range(1499, -1, -1))


def test_partial_permutations_leave_sources_out() -> None:
    """A destination of -1 sends no packet; the others go where they should."""
    cube = make_network("hypercube:3")
    destinations = np.array([-1, 5, -1, -1, 0, 7, -1, 6])
    packets = permutation_packets(cube, make_routing("dor"), destinations, seed=0)
    assert packets.sources.tolist() == [1, 4, 5, 7]
    assert packets.destinations.tolist() == [5, 0, 7, 6]
    assert packets.injected.tolist() == [0, 0, 0, 0]
    assert simulate(cube, packets).delays.tolist() == [1, 1, 1, 1]


def test_permutations_of_a_butterfly_go_from_inputs_to_outputs() -> None:
    """Positions are those of sources and destinations, which are other nodes there."""
    network = make_network("butterfly:3")
    destinations = make_pattern("bit_reverse").permutation(network)
    packets = permutation_packets(network, make_routing("bit_fixing"), destinations, seed=0)
    assert packets.sources.tolist() == network.sources.tolist()
    assert packets.destinations.tolist() == network.destinations[destinations].tolist()
    assert set(packets.paths.lengths.tolist()) == {3}


@pytest.mark.parametrize("h", [1, 2, 5])
def test_an_h_relation_has_h_packets_at_each_end(h: int) -> None:
    """Of every source and every destination; seeds draw different ones."""
    torus, dor = make_network("torus:3x3"), make_routing("dor")
    packets = relation_packets(torus, dor, h, seed=1)
    assert np.bincount(packets.sources).tolist() == [h] * 9
    assert np.bincount(packets.destinations).tolist() == [h] * 9
    run = simulate(torus, packets)
    assert run.steps >= run.channel_packets.max()
    assert np.all(run.delivered >= packets.paths.lengths)
    drawn = [relation_packets(torus, dor, h, seed).destinations.tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_two_phases_meet_at_the_intermediate_nodes() -> None:
    """The second phase starts where the first ends, and ends where the permutation says."""
    cube, dor = make_network("hypercube:6"), make_routing("dor")
    destinations = make_pattern("transpose").permutation(cube)
    first, second = valiant_phases(cube, dor, destinations, seed=3)
    assert first.sources.tolist() == list(range(64))
    assert first.destinations.tolist() == second.sources.tolist()
    assert second.destinations.tolist() == destinations.tolist()
    assert len(set(first.destinations.tolist())) < 64
    runs = simulate_phases(cube, (first, second), "lifo")
    for run, packets in zip(runs, (first, second), strict=True):
        assert run.packets is packets
        assert run.delivered.tolist() == simulate(cube, packets, "lifo").delivered.tolist()


# --------------------------------------------------------------------------------- the errors


def test_an_unknown_queue_is_refused_with_a_suggestion() -> None:
    """The message names the nearest discipline, and all of them."""
    ring = make_network("ring:4")
    packets = draw_packets(ring, make_routing("dor"), [0], [1], 0)
    with pytest.raises(InputError, match=r"unknown queue 'fif'; did you mean 'fifo'\?.*farthest"):
        simulate(ring, packets, "fif")


def test_a_fractional_bandwidth_is_refused() -> None:
    """A channel sends whole packets; the message names the network and the remedy."""
    torus = make_network("torus:3x3,bandwidth=2/3")
    packets = draw_packets(torus, make_routing("dor"), [0], [1], 0)
    with pytest.raises(InputError, match=r"torus:3x3,bandwidth=2/3 has .*no whole number.*scale"):
        simulate(torus, packets)


@pytest.mark.parametrize("injected", [[3, 1], [-1, 0]])
def test_unsorted_or_negative_injection_is_refused(injected: list[int]) -> None:
    """The message says to sort."""
    ring = make_network("ring:4")
    with pytest.raises(InputError, match="not in the order of injection, from step 0; sort"):
        draw_packets(ring, make_routing("dor"), [0, 1], [1, 2], 0, injected=injected)


def test_packets_of_unequal_counts_are_refused() -> None:
    """The message counts them; the compiled loop never sees them."""
    ring, dor = make_network("ring:4"), make_routing("dor")
    with pytest.raises(InputError, match="2 sources, 2 destinations, 1 injected, 2 paths"):
        draw_packets(ring, dor, [0, 1], [1, 2], 0, injected=[0])
    with pytest.raises(InputError, match="2 sources and 1 destinations"):
        draw_packets(ring, dor, [0, 1], [1], 0)


@pytest.mark.parametrize(
    ("destinations", "message"),
    [
        ([1, 2, 3], "3 destinations; ring:4 has 4 sources"),
        ([1, 2, 3, 4], "does not exist; positions are 0 to 3, or -1"),
        ([1, 2, 3, -2], "does not exist"),
        ([1, 1, 2, -1], "destination 1 comes twice"),
    ],
)
def test_what_is_no_partial_permutation_is_refused(destinations: list[int], message: str) -> None:
    """Too short, out of range, or repeated."""
    ring, dor = make_network("ring:4"), make_routing("dor")
    with pytest.raises(InputError, match=message):
        permutation_packets(ring, dor, destinations, 0)
    with pytest.raises(InputError, match=message):
        valiant_phases(ring, dor, destinations, 0)


def test_phases_of_a_partial_permutation_send_only_its_packets() -> None:
    """Both phases have one packet for each source that sends."""
    ring = make_network("ring:4")
    first, second = valiant_phases(ring, make_routing("dor"), [2, -1, 0, -1], 1)
    assert first.sources.tolist() == [0, 2]
    assert second.destinations.tolist() == [2, 0]
    assert first.destinations.tolist() == second.sources.tolist()


def test_phases_on_a_butterfly_are_refused() -> None:
    """Its packets do not end where they begin; the message names the routing to use."""
    butterfly = make_network("butterfly:2")
    with pytest.raises(InputError, match="two_phase"):
        valiant_phases(butterfly, make_routing("bit_fixing"), [0, 1, 2, 3], 0)


@pytest.mark.parametrize("seed", [-1, 2**64 - 1])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    """For paths as for queues."""
    ring, dor = make_network("ring:4"), make_routing("dor")
    with pytest.raises(InputError, match="is out of range; expected 0 to"):
        draw_packets(ring, dor, [0], [1], seed)
    with pytest.raises(InputError, match="is out of range; expected 0 to"):
        simulate(ring, draw_packets(ring, dor, [0], [1], 0), "random", seed)


def test_a_negative_limit_is_refused() -> None:
    """No run takes fewer than no steps."""
    ring = make_network("ring:4")
    packets = draw_packets(ring, make_routing("dor"), [0], [1], 0)
    with pytest.raises(InputError, match="limit of -1 steps; expected at least 0"):
        simulate(ring, packets, step_limit=-1)


@pytest.mark.parametrize("h", [0, -2])
def test_a_relation_of_no_packets_is_refused(h: int) -> None:
    """The message names h."""
    with pytest.raises(InputError, match=f"h of at least 1, not {h}"):
        relation_packets(make_network("ring:4"), make_routing("dor"), h, seed=0)


def test_a_routing_that_is_not_defined_on_the_network_is_refused() -> None:
    """Before anything is drawn."""
    with pytest.raises(InputError, match="dor is not defined on complete:4"):
        draw_packets(make_network("complete:4"), make_routing("dor"), [0], [1], 0)


def test_what_memory_cannot_hold_is_refused_with_its_size() -> None:
    """Packets are counted with their hops; what fits passes."""
    cube = make_network("hypercube:4")
    with pytest.raises(
        InputError, match=r"10000000000 packets on hypercube:4 would take about 9\d\d GB; take a"
    ):
        check_memory(cube, 10**10, 8.0)
    with pytest.raises(InputError, match="GB"):
        check_memory(cube, 10**6, 1e5)
    check_memory(cube, 2**20, 20.0)


# ---------------------------------------------------------------------------- reproducibility

FINGERPRINT = """
import hashlib
import numpy as np
from obroute import make_network, make_routing
from obroute.packets.simulation import DISCIPLINES, relation_packets, simulate

digest = hashlib.sha256()
for spec, routing in [("torus:4x4", "romm"), ("hypercube:5", "valiant"), ("complete:5", "ecmp")]:
    network = make_network(spec)
    packets = relation_packets(network, make_routing(routing), 4, seed=11)
    for discipline in DISCIPLINES:
        run = simulate(network, packets, discipline, seed=12)
        for array in (packets.paths.starts, packets.paths.channels, run.delivered,
                      run.channel_packets, run.channel_longest_queue, run.in_network):
            digest.update(array.astype(np.int64).tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_runs_are_reproducible_bit_for_bit_across_processes() -> None:
    """Two processes with other hash seeds and threads give the same packets and outputs."""
    found = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "NUMBA_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed, threads in (("1", "1"), ("2", "2"))
    ]
    assert found[0] == found[1]
    assert len(found[0].strip()) == hashlib.sha256().digest_size * 2


@for_every_queue
def test_runs_depend_on_their_arguments_alone(discipline: str) -> None:
    """Repeated runs are equal; the seed matters to the random discipline only."""
    torus = make_network("torus:4x4")
    packets = relation_packets(torus, make_routing("valiant"), 6, seed=2)
    runs = [simulate(torus, packets, discipline, seed) for seed in (1, 1, 2)]
    outputs = [
        (run.delivered.tolist(), run.channel_longest_queue.tolist(), run.in_network.tolist())
        for run in runs
    ]
    assert outputs[0] == outputs[1]
    assert (outputs[0] == outputs[2]) == (discipline != "random")
