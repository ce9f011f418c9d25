"""Cables: which channels share a bandwidth, their loads, and the ideal rate of half duplex."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from obroute import InputError, Network, make_network, make_pattern, make_routing
from obroute.loads import loads_of
from obroute.packets.expected import expectation
from obroute.packets.experiments import run_permutations
from obroute.packets.injection import uniform_packets
from obroute.packets.links import shares
from obroute.packets.stability import saturation
from obroute.traffic import Traffic


@pytest.mark.parametrize(
    "spec", ["ring:5", "torus:4x3", "hypercube:3", "butterfly:2", "complete:4"]
)
def test_every_channel_shares_a_cable_with_the_one_that_goes_back(spec: str) -> None:
    """Both have the same number, and loads of a cable are the sums of both."""
    network = make_network(spec)
    share = shares(network, half_duplex=True)
    for channel, mate in enumerate(share.mate.tolist()):
        assert share.mate[mate] == channel
        assert (network.tail[mate], network.head[mate]) == (
            network.head[channel],
            network.tail[channel],
        )
        assert share.of_channel[mate] == share.of_channel[channel]
    assert len(share.bandwidth) == network.channel_count // 2
    routing = make_routing("bit_fixing" if spec == "butterfly:2" else "ecmp")
    shift = np.roll(np.arange(len(network.sources)), 1)
    loads = loads_of(routing, Traffic.of_permutation(network, shift))
    sums = [Fraction(0)] * (network.channel_count // 2)
    for channel, load in enumerate(loads.fractions()):
        sums[share.of_channel[channel]] += load
    assert share.loads(loads).fractions() == sums


def test_a_channel_without_a_way_back_is_alone() -> None:
    """It keeps its bandwidth; the second of two parallel ones too."""
    network = Network("odd", 3, tail=[0, 0, 1, 1, 2], head=[1, 1, 0, 2, 0])
    assert shares(network, half_duplex=True).mate.tolist() == [2, -1, 0, -1, -1]
    assert shares(network).mate.tolist() == [-1] * 5


@pytest.mark.parametrize("routing", ["dor", "valiant", "romm"])
@pytest.mark.parametrize("pattern", ["tornado", "transpose", "bit_complement"])
def test_half_duplex_is_between_half_and_whole_of_the_ideal(routing: str, pattern: str) -> None:
    """A cable carries at least what its channels do, and at most twice as much."""
    torus, made = make_network("torus:4x4"), make_routing(routing)
    traffic = make_pattern(pattern).traffic(torus)
    whole = 1 / max(loads_of(made, traffic).fractions())
    half = expectation(torus, made, traffic, half_duplex=True).ideal
    assert whole / 2 <= half <= whole
    uniform = expectation(torus, made, uniform_packets(torus), half_duplex=True).ideal
    loads = expectation(torus, made, uniform_packets(torus), half_duplex=True)
    assert uniform == min(1, 1 / (2 * Fraction(4, 8) * (2 if routing == "valiant" else 1)))
    assert loads.capacity * 2 == loads.critical.sum()


def test_the_stable_rate_of_half_duplex_holds_its_own_ideal() -> None:
    """Bit complement on a mesh of two rows goes both ways on every cable: half as much."""
    network, dor = make_network("mesh:4"), make_routing("dor")
    traffic = make_pattern("bit_complement").traffic(network)
    whole = expectation(network, dor, traffic).ideal
    found = saturation(network, dor, traffic, steps=3000, tolerance=0.01, seed=1, half_duplex=True)
    assert found.ideal == whole / 2 == Fraction(1, 4)
    assert found.stable <= found.ideal <= found.unstable < whole


@pytest.mark.parametrize("half_duplex", [False, True])
@pytest.mark.parametrize("h", [1, 3])
def test_relations_take_at_least_their_load(h: int, half_duplex: bool) -> None:
    """H packets from each source and to each destination; the schedule is h times as long."""
    cube, dor = make_network("hypercube:4"), make_routing("dor")
    found = run_permutations(
        cube, dor, ["transpose", "random_permutation"], seeds=3, h=h, half_duplex=half_duplex
    )
    once = run_permutations(cube, dor, ["transpose"])
    (run, *_), load = found.runs[0], found.exact_loads[0]
    assert load is not None
    assert run.steps >= load >= h * once.exact_loads[0]
    assert run.heaviest_channel == h * once.runs[0][0].heaviest_channel
    assert run.offline_steps == h * (2 if half_duplex else 1) * once.runs[0][0].offline_steps
    assert all(r.offline_steps <= h * (2 if half_duplex else 1) * 7 for r in found.runs[1])


def test_a_relation_of_one_is_the_permutation() -> None:
    """The same packets, bit for bit; more than one permutation are drawn one after the other."""
    cube, valiant = make_network("hypercube:4"), make_routing("valiant")
    names = ["bit_reverse", "random_permutation"]
    assert (
        run_permutations(cube, valiant, names, seeds=2).runs
        == run_permutations(cube, valiant, names, seeds=2, h=1).runs
    )
    with pytest.raises(InputError, match="phases are of permutations"):
        run_permutations(cube, valiant, names, phases=True, h=2)
    with pytest.raises(InputError, match="h of at least 1, not 0"):
        run_permutations(cube, valiant, names, h=0)


def test_traffic_can_be_borodin_and_hopcroft_s() -> None:
    """The permutation that Theorem 2 makes for the routing; a Beneš network has disjoint paths."""
    found = run_permutations(
        make_network("hypercube:6"), make_routing("bit_fixing"), ["borodin_hopcroft"]
    )
    assert found.exact_loads == [4]
    assert found.runs[0][0].steps >= 4
    benes = run_permutations(make_network("benes:4"), make_routing("two_phase"), ["bit_reverse"])
    assert benes.runs[0][0].offline_steps == 8


def test_phases_say_how_long_the_longer_took_and_how_many_met() -> None:
    """Only where phases are run, and others met only where Theorem 3 is about the network."""
    dor = make_routing("dor")
    cube, torus = make_network("hypercube:5"), make_network("torus:4x4")
    plain = run_permutations(cube, dor, ["bit_reverse"]).runs[0][0]
    assert (plain.longest_phase, plain.most_met) == (-1, -1)
    phased = run_permutations(cube, dor, ["bit_reverse"], phases=True).runs[0][0]
    assert phased.steps / 2 <= phased.longest_phase < phased.steps
    assert 0 < phased.most_met < 32
    elsewhere = run_permutations(torus, dor, ["tornado"], phases=True).runs[0][0]
    assert elsewhere.longest_phase > 0
    assert elsewhere.most_met == -1
