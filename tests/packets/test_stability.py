"""Load points, and the stable rate from the drift of the critical channels' queue."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, t
from tests.support.cases import network_of

import obroute
from obroute import InputError, make_network, make_pattern, make_routing
from obroute.loads import loads_of
from obroute.packets.expected import expectation, idle_nodes
from obroute.packets.injection import inject, uniform_packets
from obroute.packets.relations import traffic_named
from obroute.packets.simulation import simulate
from obroute.packets.stability import (
    BATCHES,
    DRIFT_ERRORS,
    GROWTH_BATCHES,
    GROWTH_ERRORS,
    LEVEL,
    STABLE,
    UNDECIDED,
    UNSTABLE,
    LoadPoint,
    _interval,
    load_curve,
    load_point,
    saturation,
)
from obroute.traffic import Traffic, random_doubly_stochastic

DOR = make_routing("dor")


def pattern(name: str, network: str = "torus:8x8") -> Traffic:
    """Make the traffic of a pattern."""
    return make_pattern(name).traffic(network_of(network))


@cache
def traffic_of(name: str, routing: str) -> Traffic:
    """Make traffic on the 8-ary 2-cube: a pattern, uniform, or the worst of a routing."""
    if name == "uniform":
        return pattern("uniform")
    if name == "worst":
        found = obroute.evaluate(network_of("torus:8x8"), routing).critical.worst.permutation
        assert found is not None
        return Traffic.of_permutation(network_of("torus:8x8"), found)
    return pattern(name)


# -------------------------------------------------------------------------------- load points


def test_below_saturation_a_network_accepts_what_is_offered() -> None:
    """Tornado at three quarters of the ideal 1/3: stable, short queues, near the offered rate."""
    point = load_point(network_of("torus:8x8"), DOR, pattern("tornado"), 0.25, 3000, seed=1)
    assert point.verdict == STABLE
    assert point.rate == 0.25
    assert point.offered == pytest.approx(0.25, rel=0.02)
    assert point.accepted == pytest.approx(point.offered, rel=0.005)
    assert point.largest_queue < 30
    assert 3 <= point.mean_delay < 10


@pytest.mark.parametrize("discipline", ["fifo", "lifo", "random", "farthest", "nearest"])
def test_above_saturation_a_network_accepts_less_than_is_offered(discipline: str) -> None:
    """Tornado fills every channel that it uses, so at most 1/3 is accepted of 0.45 offered.

    Just that by nearest first, which wastes no hop on packets that then pile up.
    """
    traffic = pattern("tornado")
    point = load_point(network_of("torus:8x8"), DOR, traffic, 0.45, 3000, 1, discipline)
    assert point.verdict == UNSTABLE
    assert point.offered == pytest.approx(0.45, rel=0.02)
    assert point.accepted < 1.001 / 3
    if discipline == "nearest":
        assert point.accepted == pytest.approx(1 / 3, rel=0.01)
    assert point.growth == pytest.approx(point.offered - point.accepted, rel=0.02)
    assert point.growth > 10 * point.growth_error


def test_delay_grows_with_the_rate() -> None:
    """From the mean path length of 4 hops at no load, without bound towards saturation."""
    rates = [0.01, 0.2, 0.4, 0.6, 0.8, 0.95]
    curve = load_curve(network_of("torus:8x8"), DOR, pattern("uniform"), rates, steps=2000, seed=4)
    delays = [point.mean_delay for point in curve]
    assert [point.rate for point in curve] == rates
    assert delays == sorted(delays)
    assert delays[0] == pytest.approx(4, rel=0.05)
    assert delays[-1] > 2 * delays[0]
    assert all(point.verdict == STABLE for point in curve)
    queues = [point.largest_queue for point in curve]
    assert queues == sorted(queues)


def test_load_points_are_reproducible() -> None:
    """Equal in every field, whatever the discipline; other seeds differ."""
    torus, uniform = network_of("torus:4x4"), pattern("uniform", "torus:4x4")
    for discipline in ("fifo", "random"):
        points = [load_point(torus, DOR, uniform, 0.6, 400, s, discipline) for s in (1, 1, 2)]
        assert points[0] == points[1] != points[2]


def test_the_discipline_changes_delay_and_not_what_is_accepted() -> None:
    """Below saturation all five accept what is offered."""
    torus, uniform = network_of("torus:8x8"), pattern("uniform")
    points = [
        load_point(torus, DOR, uniform, 0.7, 1500, 1, discipline)
        for discipline in ("fifo", "lifo", "random", "farthest", "nearest")
    ]
    assert len({point.offered for point in points}) == 1
    for point in points:
        assert point.accepted == pytest.approx(point.offered, rel=0.01)
    assert len({point.mean_delay for point in points}) == 5


def test_matrix_traffic_has_load_points() -> None:
    """A mixture of random permutations behaves much as uniform traffic."""
    network = network_of("torus:4x4")
    (matrix,) = random_doubly_stochastic(1, 16, seed=2, kind="mixture")
    point = load_point(network, DOR, Traffic.of_array(network, matrix), 0.4, 2000, seed=3)
    assert point.verdict == STABLE
    assert point.accepted == pytest.approx(0.4, rel=0.03)


def test_a_rate_at_which_nothing_is_delivered_has_no_delay() -> None:
    """The delay is not a number, and the network is stable."""
    point = load_point(network_of("ring:4"), DOR, pattern("uniform", "ring:4"), 1e-9, 100, seed=0)
    assert (point.offered, point.accepted, point.largest_queue) == (0, 0, 0)
    assert math.isnan(point.mean_delay)
    assert point.verdict == STABLE


# -------------------------------------------------------------------------- ideal throughput


@pytest.mark.parametrize(
    ("network", "routing", "traffic", "ideal"),
    [
        ("torus:8x8", "dor", "tornado", Fraction(1, 3)),
        ("torus:8x8", "romm", "tornado", Fraction(1, 3)),
        ("torus:8x8", "valiant", "tornado", Fraction(1, 2)),
        ("torus:8x8", "valiant", "transpose", Fraction(1, 2)),
        ("torus:9x9", "dor", "tornado", Fraction(1, 4)),
        ("torus:8x8,bandwidth=2", "dor", "tornado", Fraction(2, 3)),
        ("torus:8x8,bandwidth=4", "dor", "tornado", Fraction(1)),
        ("torus:8x8", "dor", "neighbor", Fraction(1)),
        ("hypercube:6", "dor", "transpose", Fraction(1, 4)),
        ("butterfly:4", "bit_fixing", "bit_reverse", Fraction(1, 2)),
        ("butterfly:6", "bit_fixing", "bit_reverse", Fraction(1, 4)),
    ],
)
def test_ideal_throughput_of_a_permutation_is_exact(
    network: str, routing: str, traffic: str, ideal: Fraction
) -> None:
    """One over the largest load over bandwidth, at most one."""
    found = expectation(
        network_of(network), make_routing(routing), pattern(traffic, network)
    ).ideal
    assert found == ideal


@pytest.mark.parametrize(
    ("network", "routing", "ideal"),
    [
        ("torus:8x8", "dor", Fraction(1)),
        ("torus:8x8", "valiant", Fraction(1, 2)),
        ("mesh:8x8", "dor", Fraction(1, 2)),
        ("torus:9x9", "dor", Fraction(9, 10)),
        ("hypercube:4", "dor", Fraction(1)),
    ],
)
def test_ideal_throughput_of_uniform_traffic_is_exact(
    network: str, routing: str, ideal: Fraction
) -> None:
    """8/k on an even torus, 8k/(k²-1) on an odd one, 4/k on a mesh; at most one."""
    found = expectation(
        network_of(network), make_routing(routing), pattern("uniform", network)
    ).ideal
    assert found == ideal


@pytest.mark.parametrize(
    ("routing", "ideal"),
    [("dor", Fraction(2, 7)), ("romm", Fraction(5, 24)), ("valiant", Fraction(1, 2))],
)
def test_ideal_throughput_of_the_worst_permutation_is_the_worst_case(
    routing: str, ideal: Fraction
) -> None:
    """As the matching has it."""
    torus = network_of("torus:8x8")
    found = expectation(torus, make_routing(routing), traffic_of("worst", routing)).ideal
    assert found == ideal == obroute.evaluate(torus, routing).worst_case_throughput


def test_traffic_that_loads_nothing_is_limited_by_injection() -> None:
    """The identity permutation crosses no channel."""
    ring = network_of("ring:4")
    assert expectation(ring, DOR, Traffic.of_permutation(ring, np.arange(4))).ideal == 1


def test_the_ideal_of_a_matrix_is_that_of_its_entries() -> None:
    """A flat one is uniform traffic; a permutation as a matrix is that permutation."""
    network = network_of("torus:4x4")
    flat = Traffic.of_array(network, np.full((16, 16), 1 / 16))
    assert (
        expectation(network, DOR, flat).ideal
        == expectation(network, DOR, uniform_packets(network)).ideal
    )
    transpose = make_pattern("transpose").traffic(network)
    matrix = Traffic.of_array(network, np.eye(16)[transpose.full_permutation()])
    expected = expectation(network, DOR, transpose).ideal
    assert expectation(network, DOR, matrix).ideal == expected < 1


@pytest.mark.parametrize(
    ("network", "routing"),
    [
        ("torus:4x4", "dor"),
        ("torus:5x3", "romm"),
        ("mesh:3x3", "dor"),
        ("butterfly:2", "two_phase"),
    ],
)
def test_loads_expected_of_uniform_traffic_are_those_of_every_pair(
    network: str, routing: str
) -> None:
    """Pair by pair, without symmetry; and the critical channels are where they are largest."""
    where, made = network_of(network), make_routing(routing)
    share = Fraction(1, len(where.destinations))
    slow = [Fraction(0)] * where.channel_count
    for source, destination in product(where.sources.tolist(), where.destinations.tolist()):
        for probability, path in made.paths(where, source, destination):
            for channel in path:
                slow[channel] += share * probability
    uniform = uniform_packets(where)
    assert loads_of(made, uniform).fractions() == slow
    found = expectation(where, made, uniform)
    assert found.critical.tolist() == [load == max(slow) for load in slow]
    assert found.capacity == slow.count(max(slow))
    assert found.ideal == min(1, 1 / max(slow))


@pytest.mark.parametrize(
    ("network", "routing"),
    [("torus:4x3", "dor"), ("torus:4x4", "valiant"), ("torus:4x4", "ival"), ("mesh:3x2", "dor"),
     ("butterfly:2", "bit_fixing"), ("benes:2", "two_phase")],
)  # fmt: skip
def test_idle_nodes_are_those_whose_packets_to_themselves_have_no_hop(
    network: str, routing: str
) -> None:
    """By the definition of the routing; a node that does not send and receive has no such pair."""
    where, made = network_of(network), make_routing(routing)
    both = set(where.sources.tolist()) & set(where.destinations.tolist())
    idle = idle_nodes(where, made)
    for node in range(where.node_count):
        loads = node in both and any(path for _, path in made.paths(where, node, node))
        assert idle[node] == (node in both and not loads)


# ---------------------------------------------------------------- pairs that load nothing stay out


def filled_up(network: str, routing: str) -> Traffic:
    """Make the worst permutation, of which packets to oneself are the larger part."""
    where = network_of(network)
    found = obroute.evaluate(where, routing).critical.worst.permutation
    assert found is not None
    assert np.count_nonzero(found == np.arange(len(found))) > len(found) / 2
    return Traffic.of_permutation(where, found)


def test_packets_to_oneself_are_in_no_delay_and_in_no_accepted_traffic() -> None:
    """DOR's worst permutation of the 8-ary 2-cube sends 8 packets of 64 on their way.

    Counted, they would make the mean delay half a step, and half of all packets arrive always.
    """
    torus = network_of("torus:8x8")
    traffic = filled_up("torus:8x8", "dor")
    assert expectation(torus, DOR, traffic).sending == 8
    low = load_point(torus, DOR, traffic, 0.05, 4000, seed=1)
    lengths = [
        torus.distances[source, destination]
        for source, destination in enumerate(traffic.full_permutation().tolist())
        if source != destination
    ]
    assert low.mean_delay == pytest.approx(np.mean(lengths), rel=0.1)
    assert low.mean_delay >= np.mean(lengths)
    assert low.offered == pytest.approx(0.05, rel=0.1)
    assert low.accepted == pytest.approx(low.offered, rel=0.05)
    high = load_point(torus, DOR, traffic, 1.0, 4000, seed=1)
    assert high.offered == 1
    assert high.accepted < 0.75


def test_packets_to_oneself_that_travel_count() -> None:
    """Valiant sends them on a detour: all 64 sources send, and the delay is that of two phases."""
    torus, valiant = network_of("torus:8x8"), make_routing("valiant")
    oneself = Traffic.of_permutation(torus, np.arange(64))
    found = expectation(torus, valiant, oneself)
    assert found.sending == 64
    point = load_point(torus, valiant, oneself, 0.1, 2000, seed=1)
    assert point.mean_delay > 7


def test_uniform_traffic_leaves_out_the_packets_to_oneself() -> None:
    """A rate is that of all packets; of each source's, 63 in 64 load a channel."""
    torus = network_of("torus:8x8")
    uniform = uniform_packets(torus)
    assert expectation(torus, DOR, uniform).sending == 63
    point = load_point(torus, DOR, uniform, 0.3, 2000, seed=1)
    assert point.offered == pytest.approx(0.3, rel=0.02)
    (row,) = random_doubly_stochastic(1, 64, seed=2, kind="mixture")
    matrix = Traffic.of_array(torus, row)
    assert expectation(torus, DOR, matrix).sending == pytest.approx(64 - np.trace(row))


def test_traffic_that_only_goes_to_oneself_is_nothing() -> None:
    """No delay, nothing offered, and stable at every rate."""
    ring = network_of("ring:4")
    point = load_point(ring, DOR, Traffic.of_permutation(ring, np.arange(4)), 0.5, 200)
    assert (point.offered, point.accepted, point.verdict) == (0, 0, STABLE)
    assert math.isnan(point.mean_delay)


# ---------------------------------------------------------------------------------- saturation

for_every_stability_case = pytest.mark.parametrize(
    ("routing", "traffic", "steps"),
    [("dor", "worst", 4000), ("dor", "tornado", 2000), ("romm", "worst", 4000),
     ("valiant", "worst", 1000)]
    + [
        pytest.param(routing, traffic, 20_000, marks=pytest.mark.slow)
        for routing in ("dor", "romm", "valiant")
        for traffic in ("worst", "tornado", "uniform")
    ],
)  # fmt: skip


@for_every_stability_case
def test_the_interval_holds_the_ideal_and_is_narrow(
    routing: str, traffic: str, steps: int
) -> None:
    """On the 8-ary 2-cube, with permutations of one critical channel and of all: no bias is left.

    Chance moves the drift of a channel of unit bandwidth by at most about one over the root of
    the steps, and the search stops within 1 % of what it can tell.
    """
    torus, made = network_of("torus:8x8"), make_routing(routing)
    found = saturation(
        torus, made, traffic_of(traffic, routing), steps=steps, tolerance=0.01, seed=1
    )
    ideal = float(found.ideal)
    assert found.stable <= ideal <= found.unstable
    width = (found.unstable - found.stable) / ideal
    assert width <= 0.03 + 6 / math.sqrt(steps * min(found.critical_channels, 4))


@pytest.mark.parametrize(
    ("network", "routing", "name", "seeds"),
    [
        ("ring:5", "dor", "worst_case", 60),
        ("hypercube:3", "dor", "bit_reverse", 60),
        pytest.param("torus:4x4", "valiant", "uniform", 200, marks=pytest.mark.slow),
        pytest.param("torus:4x4", "romm", "worst_case", 400, marks=pytest.mark.slow),
    ],
)
def test_intervals_hold_the_ideal_as_often_as_they_say(
    network: str, routing: str, name: str, seeds: int
) -> None:
    """Over seeds, not fewer than 95 % do, but for a chance of one in ten thousand."""
    where, made = network_of(network), make_routing(routing)
    traffic = traffic_named(where, made, name)
    held = 0
    for seed in range(seeds):
        found = saturation(where, made, traffic, steps=1000, tolerance=0.02, seed=seed)
        held += found.stable <= found.ideal <= found.unstable
    assert binom.cdf(held, seeds, LEVEL) > 1e-4


def test_the_errors_of_an_interval_are_students() -> None:
    """Of the batches that the means are of: two-sided for the drift, one-sided for the growth."""
    assert pytest.approx(t.ppf((1 + LEVEL) / 2, BATCHES - 1), abs=5e-4) == DRIFT_ERRORS
    assert pytest.approx(t.isf(0.001, GROWTH_BATCHES - 1), abs=5e-4) == GROWTH_ERRORS


@pytest.mark.parametrize("rate", [0.2, 0.5])
def test_drift_is_what_the_queue_grows_by_less_what_is_unused(rate: float) -> None:
    """Counted packet by packet on a ring where one way has every channel critical."""
    ring, steps = network_of("ring:8"), 320
    traffic = pattern("tornado", "ring:8")
    point = load_point(ring, DOR, traffic, rate, steps, seed=4)
    packets = inject(ring, DOR, traffic, rate, steps, seed=4)
    run = simulate(ring, packets, step_limit=steps)
    critical = np.flatnonzero(run.channel_packets)
    assert len(critical) == 8
    brought = int(packets.paths.lengths.sum())
    made = int(run.channel_packets[critical].sum())
    growth, unused = (brought - made) / (8 * steps), 1 - made / (8 * steps)
    assert point.drift == pytest.approx(growth - unused)
    assert point.unused == pytest.approx(unused)
    assert (growth > 0.1) == (rate > 1 / 3)


def test_a_network_that_fills_is_not_called_stable() -> None:
    """Room at the critical channel is not enough where the backlog grows."""
    quiet = LoadPoint(
        rate=0.5, offered=0.5, accepted=0.4, mean_delay=9.0, largest_queue=5, drift=-0.2,
        drift_error=0.01, unused=0.2, growth=0.0, growth_error=0.001,
    )  # fmt: skip
    assert quiet.verdict == STABLE
    assert replace(quiet, growth=0.1).verdict == UNDECIDED
    assert replace(quiet, drift=0.01).verdict == UNDECIDED


def test_twice_the_bandwidth_doubles_the_stable_rate() -> None:
    """Tornado on channels that send two packets a step: 2/3."""
    torus = network_of("torus:8x8,bandwidth=2")
    traffic = pattern("tornado", "torus:8x8,bandwidth=2")
    found = saturation(torus, DOR, traffic, steps=2000, tolerance=0.02, seed=1)
    assert found.ideal == Fraction(2, 3)
    assert found.rate == pytest.approx(2 / 3, rel=0.05)


@pytest.mark.parametrize("tolerance", [0.2, 0.05, 0.01])
def test_the_search_encloses_the_rate(tolerance: float) -> None:
    """Every rate is on its side, and each end close to one that is undecided or beyond."""
    ring = network_of("ring:8")
    traffic = pattern("tornado", "ring:8")
    found = saturation(ring, DOR, traffic, steps=2000, tolerance=tolerance, seed=2)
    assert found.stable < found.rate < found.unstable
    rates = [point.rate for point in found.points]
    assert rates == sorted(set(rates))
    verdicts = {point.rate: point.verdict for point in found.points}
    assert verdicts[found.stable] == STABLE
    assert verdicts[found.unstable] == verdicts[1.0] == UNSTABLE
    assert all((verdict == STABLE) == (r <= found.stable) for r, verdict in verdicts.items())
    assert all((verdict == UNSTABLE) == (r >= found.unstable) for r, verdict in verdicts.items())
    place = rates.index(found.stable), rates.index(found.unstable)
    assert rates[place[0] + 1] - found.stable <= tolerance * found.unstable
    assert found.unstable - rates[place[1] - 1] <= tolerance * found.unstable


@pytest.mark.parametrize("threshold", [0.03, 1 / 3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("margin", [0.0, 0.004, 0.2])
@pytest.mark.parametrize("bend", [1.0, 3.0])
def test_the_search_ends_whatever_the_drift(threshold: float, margin: float, bend: float) -> None:
    """Also where the drift is no line, and where nothing is decided near the threshold."""

    def measure(rate: float) -> LoadPoint:
        drift = (rate / threshold) ** bend - 1
        return LoadPoint(rate, rate, rate, 1.0, 1, drift, margin / DRIFT_ERRORS, 0.0, 0.0, 0.0)

    stable, unstable = _interval(measure, 0.01)
    assert 0 <= stable <= threshold <= unstable <= 1
    if margin < 0.1:
        assert unstable - stable <= threshold * (0.021 + 2.1 * margin)


def test_a_network_that_is_stable_at_the_full_rate_needs_one_simulation() -> None:
    """Both ends are one then."""
    ring = network_of("ring:4")
    found = saturation(ring, DOR, pattern("neighbor", "ring:4"), steps=200, tolerance=0.01)
    assert (found.stable, found.unstable, found.rate, found.ideal) == (1, 1, 1, 1)
    assert len(found.points) == 1


@pytest.mark.parametrize("tolerance", [0, 1, -0.1, math.nan])
def test_a_tolerance_out_of_range_is_refused(tolerance: float) -> None:
    """Before anything is simulated."""
    with pytest.raises(InputError, match=r"tolerance .* is out of range; expected between 0 and"):
        saturation(
            network_of("ring:4"), DOR, pattern("uniform", "ring:4"), steps=200, tolerance=tolerance
        )


def test_too_few_steps_are_refused() -> None:
    """They would call everything stable."""
    ring = make_network("ring:4")
    with pytest.raises(InputError, match="30 steps are too few"):
        saturation(ring, make_routing("dor"), uniform_packets(ring), steps=30, tolerance=0.01)


def test_terminals_of_other_rates_have_no_saturation(tmp_path) -> None:
    """The rate is a share of one packet per step; the message says which terminals it needs."""
    (tmp_path / "e.csv").write_text("0,1\n1,0\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("0,2\n1,2\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    with pytest.raises(InputError, match="each inject and eject one packet per cycle"):
        saturation(
            network, make_routing("ecmp"), uniform_packets(network), steps=200, tolerance=0.01
        )
