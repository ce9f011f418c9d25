"""Continuous injection: which packets enter, where they go, and when."""

from __future__ import annotations

import math
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2
from tests.support.cases import network_of

from obroute import InputError, make_network, make_pattern, make_routing
from obroute.packets.injection import draw_destinations, inject, uniform_packets
from obroute.packets.simulation import Packets, simulate
from obroute.traffic import Traffic, random_doubly_stochastic

DOR = make_routing("dor")


def pattern(name: str, network: str = "torus:8x8") -> Traffic:
    """Make the traffic of a pattern."""
    return make_pattern(name).traffic(network_of(network))


def injected_by(packets: Packets) -> list[Any]:
    """Return everything that an injection draws, to compare."""
    return [
        array.tolist()
        for array in (
            packets.sources,
            packets.destinations,
            packets.injected,
            packets.paths.starts,
            packets.paths.channels,
        )
    ]


# --------------------------------------------------------------------------------- the traffic


def test_a_permutation_sends_each_source_to_its_destination() -> None:
    """Whatever the generator; positions are turned into nodes."""
    butterfly = make_network("butterfly:3")
    destinations = np.array([3, 1, 4, 0, 5, 7, 2, 6])
    places = np.array([0, 0, 7, 2, 5, 2])
    traffic = Traffic.of_permutation(butterfly, destinations)
    drawn = draw_destinations(traffic, places, np.random.default_rng(0))
    assert drawn.tolist() == butterfly.destinations[[3, 3, 6, 4, 7, 4]].tolist()


@pytest.mark.parametrize("spec", ["torus:4x3", "butterfly:3"])
def test_uniform_traffic_reaches_every_destination_alike(spec: str) -> None:
    """From one source too; itself included where it is a destination."""
    network = network_of(spec)
    count = 500 * len(network.destinations)
    uniform = uniform_packets(network)
    drawn = draw_destinations(uniform, np.full(count, 2), np.random.default_rng(3))
    found = np.bincount(drawn, minlength=network.node_count)[network.destinations]
    assert found.sum() == count
    assert ((found - 500) ** 2 / 500).sum() <= chi2.isf(1e-7, len(found) - 1)


@pytest.mark.parametrize("kind", ["sinkhorn", "mixture", "permutation"])
def test_matrix_traffic_follows_each_row(kind: str) -> None:
    """Destinations come as often as the row of the source says; those of weight zero never."""
    network = network_of("torus:3x3")
    (matrix,) = random_doubly_stochastic(1, 9, seed=4, kind=kind)
    traffic = Traffic.of_array(network, matrix, kind)
    places = np.repeat(np.arange(9), 4000)
    np.random.default_rng(1).shuffle(places)
    drawn = draw_destinations(traffic, places, np.random.default_rng(2))
    found = np.zeros((9, 9))
    np.add.at(found, (places, drawn), 1)
    possible = matrix > 0
    assert not found[~possible].any()
    mean = 4000 * matrix[possible]
    statistic = ((found[possible] - mean) ** 2 / mean).sum()
    assert statistic <= chi2.isf(1e-7, max(possible.sum() - 9, 1))


def test_matrix_traffic_that_is_uniform_is_uniform() -> None:
    """Over all pairs."""
    network = network_of("torus:3x3")
    traffic = Traffic.of_array(network, np.full((9, 9), 1 / 9))
    places = np.tile(np.arange(9), 9000)
    drawn = draw_destinations(traffic, places, np.random.default_rng(5))
    found = np.bincount(places * 9 + drawn, minlength=81)
    assert ((found - 1000) ** 2 / 1000).sum() <= chi2.isf(1e-7, 72)


def test_a_source_that_would_send_more_than_one_packet_a_step_is_refused() -> None:
    """It injects at most one; what a destination gets is left to its channels."""
    network = network_of("ring:2")
    skewed = Traffic.of_array(network, np.array([[1, 0], [0.25, 1]]), "skewed")
    with pytest.raises(InputError, match=r"skewed sends 1.25 packets per step from node \(1\)"):
        inject(network, DOR, skewed, 0.5, 10, 0)
    inject(network, DOR, Traffic.of_array(network, np.array([[1, 0], [1, 0]])), 0.5, 10, 0)


def test_sources_inject_what_a_matrix_says() -> None:
    """Each pair by demand times rate, within five standard errors; a zero row is silent."""
    demands = np.array([[0, 0.5, 0.25, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0.125, 0, 0]])
    steps, rate = 20_000, 0.8
    ring = network_of("ring:4")
    packets = inject(ring, DOR, Traffic.of_array(ring, demands), rate, steps, 3)
    found = np.bincount(packets.sources * 4 + packets.destinations, minlength=16).reshape(4, 4)
    expected = demands * rate * steps
    assert np.all(np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - demands * rate)))


def test_a_matrix_of_another_shape_is_refused() -> None:
    """The message has both shapes."""
    with pytest.raises(InputError, match=r"small is 3×3; ring:4 has 4 sources and 4 destinations"):
        Traffic.of_array(network_of("ring:4"), np.eye(3), "small")


def test_traffic_of_another_network_is_refused() -> None:
    """Both are named."""
    with pytest.raises(InputError, match="tornado is of ring:8; expected traffic of ring:4"):
        inject(network_of("ring:4"), DOR, pattern("tornado", "ring:8"), 0.5, 10, 0)


# ------------------------------------------------------------------------------- the injection


@pytest.mark.parametrize("rate", [0.05, 0.37, 0.9])
def test_sources_inject_at_the_rate(rate: float) -> None:
    """Bernoulli: the mean and each source's count within 5 standard errors, never two a step."""
    network, steps = network_of("torus:4x4"), 4000
    packets = inject(network, DOR, uniform_packets(network), rate, steps, seed=3)
    trials = 16 * steps
    error = math.sqrt(trials * rate * (1 - rate))
    assert abs(len(packets) - trials * rate) <= 5 * error
    by_source = np.bincount(packets.sources, minlength=16)
    assert np.all(np.abs(by_source - steps * rate) <= 5 * error / 4)
    pairs = packets.injected * 16 + packets.sources
    assert len(np.unique(pairs)) == len(packets)
    by_step = np.bincount(packets.injected, minlength=steps)
    assert by_step.var() == pytest.approx(16 * rate * (1 - rate), rel=0.15)


def test_packets_come_in_the_order_of_their_steps() -> None:
    """Sorted by step, then by source, within the steps asked for."""
    packets = inject(
        network_of("torus:4x4"), DOR, pattern("uniform", "torus:4x4"), 0.3, 500, seed=8
    )
    keys = packets.injected * 16 + packets.sources
    assert np.all(np.diff(keys) > 0)
    assert packets.injected.min() >= 0
    assert 490 < packets.injected.max() < 500


def test_the_rate_of_one_injects_in_every_step() -> None:
    """One packet for each source and step."""
    packets = inject(network_of("ring:4"), DOR, pattern("uniform", "ring:4"), 1.0, 50, seed=0)
    assert packets.injected.tolist() == np.repeat(np.arange(50), 4).tolist()
    assert packets.sources.tolist() == [0, 1, 2, 3] * 50


def test_many_steps_are_injected_in_pieces_without_a_seam() -> None:
    """More steps than one piece holds: every step is drawn, none twice."""
    ring = network_of("ring:2")
    steps = 2**21 + 1000
    packets = inject(ring, DOR, pattern("neighbor", "ring:2"), 0.01, steps, seed=1)
    assert np.all(np.diff(packets.injected * 2 + packets.sources) > 0)
    late = packets.injected >= 2**21
    assert abs(late.sum() - 20) <= 5 * math.sqrt(20)
    assert abs(len(packets) - 0.02 * steps) <= 5 * math.sqrt(0.02 * steps)


@pytest.mark.parametrize("routing", ["dor", "romm"])
def test_equal_seeds_inject_equal_packets(routing: str) -> None:
    """Packets and paths alike; other seeds others."""
    network = network_of("torus:4x4")
    drawn = [
        injected_by(
            inject(network, make_routing(routing), uniform_packets(network), 0.2, 200, seed)
        )
        for seed in (5, 5, 6)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_terminals_that_are_no_nodes_of_level_zero_receive() -> None:
    """On a butterfly packets go from inputs to outputs."""
    butterfly = network_of("butterfly:3")
    packets = inject(
        butterfly, make_routing("two_phase"), uniform_packets(butterfly), 0.5, 100, seed=2
    )
    assert set(packets.sources.tolist()) <= set(butterfly.sources.tolist())
    assert set(packets.destinations.tolist()) == set(butterfly.destinations.tolist())
    run = simulate(butterfly, packets)
    assert np.all(run.delivered - packets.injected >= 9)


@pytest.mark.parametrize("rate", [0, -0.5, 1.01, math.inf, math.nan])
def test_a_rate_out_of_range_is_refused(rate: float) -> None:
    """A source injects at most one packet a step; the message names the network."""
    with pytest.raises(InputError, match=r"is out of range; a terminal of ring:4 .*at most 1 pac"):
        inject(network_of("ring:4"), DOR, pattern("uniform", "ring:4"), rate, 10, 0)


def test_a_rate_above_what_a_terminal_may_inject_is_refused(tmp_path: FilePath) -> None:
    """The smallest terminal decides; at its bandwidth packets are injected."""
    edges, hosts = tmp_path / "edges.csv", tmp_path / "hosts.csv"
    edges.write_text("a,b\nb,c\nc,a\n", encoding="utf-8")
    hosts.write_text("node,injection,ejection\na,1/2,1\nb,1/4,1\nc,1,1\n", encoding="utf-8")
    network = make_network(f"{edges}:terminals={hosts}")
    ecmp = make_routing("ecmp")
    with pytest.raises(InputError, match=r"rate 0\.3 is out of range; .*at most 0\.25 packets"):
        inject(network, ecmp, uniform_packets(network), 0.3, 10, 0)
    assert len(inject(network, ecmp, uniform_packets(network), 0.25, 100, 0)) > 0


@pytest.mark.parametrize("steps", [0, -3])
def test_no_steps_are_refused(steps: int) -> None:
    """The message names them."""
    with pytest.raises(InputError, match=f"{steps} steps; expected at least 1"):
        inject(network_of("ring:4"), DOR, pattern("uniform", "ring:4"), 0.5, steps, 0)


def test_too_many_packets_for_memory_are_refused_with_their_size() -> None:
    """Before any is drawn."""
    with pytest.raises(InputError, match=r"packets on ring:4 would take about \d+ GB; take a sma"):
        inject(network_of("ring:4"), DOR, pattern("uniform", "ring:4"), 0.5, 10**10, 0)


def test_a_routing_that_is_not_defined_on_the_network_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(InputError, match="dor is not defined on complete:4"):
        inject(network_of("complete:4"), DOR, pattern("uniform", "complete:4"), 0.5, 10, 0)


def test_a_source_that_a_permutation_leaves_out_is_silent() -> None:
    """The others inject at the rate."""
    network = make_network("complete:2")
    packets = inject(
        network, make_routing("ecmp"), Traffic.of_permutation(network, [1, -1]), 1.0, 50, 0
    )
    assert packets.sources.tolist() == [0] * 50
    assert packets.destinations.tolist() == [1] * 50


def test_traffic_that_is_none_is_refused() -> None:
    """What is no permutation."""
    with pytest.raises(InputError, match="comes twice"):
        Traffic.of_permutation(make_network("complete:2"), [1, 1])


@pytest.mark.parametrize("entry", [-0.5, np.nan, np.inf])
def test_an_array_that_is_no_traffic_is_refused(entry: float) -> None:
    """Negative or missing entries."""
    with pytest.raises(InputError, match="bad has an entry that is negative or no number"):
        Traffic.of_array(network_of("ring:2"), np.array([[entry, 0.5], [0.5, 0.5]]), "bad")


def test_uniform_traffic_follows_what_terminals_eject(tmp_path) -> None:
    """A terminal that ejects twice as much receives twice as often."""
    edges = "".join(f"{t},{h}\n" for t in range(3) for h in range(3) if t != h)
    (tmp_path / "e.csv").write_text(edges, encoding="utf-8")
    (tmp_path / "t.csv").write_text("0,1,2\n1\n2\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    uniform = uniform_packets(network)
    drawn = draw_destinations(uniform, np.zeros(40_000, int), np.random.default_rng(1))
    assert np.bincount(drawn) / 40_000 == pytest.approx([0.5, 0.25, 0.25], abs=0.02)
