"""Estimates from sampled paths: what is drawn, what two samples say, and how often they are right.

The intervals are tried where the exact worst case is known: of hundreds of samples at most one in
twenty may miss it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path as FilePath

import numpy as np
import pytest
from scipy.stats import binom, poisson
from tests.support.cases import Plain, translates
from tests.support.datasets import cell_dataset

import obroute
from obroute import InputError, Network, Routing, make_network, make_routing
from obroute.estimates import (
    CONFIDENCE,
    SampledEstimate,
    drawn_loads,
    estimate,
    limits,
    lower_bound,
    upper_bound,
)
from obroute.network import Path
from obroute.routing import path_distribution
from obroute.sampling import SampledRouting
from obroute.solved_channels import solve_channels
from obroute.symmetry import focus_channels

FAILURE = (1 - CONFIDENCE) / 2

# --------------------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize("pairs", ["canonical", "all"])
def test_sampled_loads_are_those_of_their_seed(pairs: str) -> None:
    """A pair's paths depend on the seed and on the pair alone."""
    torus, romm = make_network("torus:3x3"), make_routing("romm")
    first, again, other = (SampledRouting(romm, 10, seed, pairs) for seed in (1, 1, 2))
    assert first.pair_loads(torus, 0).equals(again.pair_loads(torus, 0))
    assert not first.pair_loads(torus, 0).equals(other.pair_loads(torus, 0))
    alone = first.channel_loads(torus, np.array([3]), np.array([8]))
    among = first.channel_loads(torus, np.array([0, 3]), np.array([5, 8]))
    assert [alone.entry(0, c) for c in range(36)] == [among.entry(1, c) for c in range(36)]


@pytest.mark.parametrize(("network", "routing"), [("torus:3x3", "romm"), ("mesh:3x4", "o1turn")])
@pytest.mark.parametrize("pairs", ["canonical", "all"])
def test_sampled_loads_are_the_frequencies_in_the_paths(
    network: str, routing: str, pairs: str
) -> None:
    """By pair, by channel and path by path, from whichever source; so is the mean length."""
    where = make_network(network)
    sampled = SampledRouting(make_routing(routing), 7, seed=4, pairs=pairs)
    every = list(itertools.product(range(where.node_count), repeat=2))
    listed = sampled.listed_loads(where, *np.array(every).T)
    assert sampled.channel_loads(where, *np.array(every).T).equals(listed)
    for channel in range(where.channel_count):
        loads = sampled.pair_loads(where, channel)
        assert all(
            loads.entry(*pair) == listed.entry(row, channel) for row, pair in enumerate(every)
        )
    assert sampled.mean_path_length(where) == listed.sum() / len(every)
    for pair in every[:20]:
        exact = path_distribution(sampled.routing, where, *pair)
        drawn = path_distribution(sampled, where, *pair)
        assert set(drawn) <= set(exact)
        assert all(7 % probability.denominator == 0 for probability in drawn.values())


def test_paths_are_drawn_for_one_source_of_every_orbit() -> None:
    """A plain routing that respects translations: one draw a destination, not a draw a pair."""
    torus = make_network("torus:5x5")
    for pairs, listed in (("canonical", 25), ("all", 625)):
        plain = Plain("romm", translates)
        sampled = SampledRouting(plain, 1, seed=0, pairs=pairs)
        assert sampled.drawn_paths(torus) == listed
        sampled.pair_loads(torus, 7)
        assert plain.listed == listed


@pytest.mark.parametrize("pairs", ["canonical", "all"])
@pytest.mark.parametrize("routing", ["romm", "ival", "ecmp"])
def test_sampled_loads_are_unbiased(routing: str, pairs: str) -> None:
    """Every channel on the way of a pair is within five standard errors, most within two."""
    torus, exact, each = make_network("torus:4x4"), make_routing(routing), 100
    sampled = SampledRouting(exact, each, seed=7, pairs=pairs)
    ends = np.array([5]), np.array([15])
    truth, found = exact.channel_loads(torus, *ends), sampled.channel_loads(torus, *ends)
    deviations = []
    for channel, load in zip(truth.columns.tolist(), truth.values.to_float(), strict=True):
        difference = float(found.entry(0, channel)) - load
        error = math.sqrt(load * (1 - load) / each)
        deviations.append(abs(difference) / error if error else abs(difference))
    assert 0 < max(deviations) < 5
    assert np.mean(np.array(deviations) < 2) > 0.7


def test_what_cannot_be_drawn_is_one_line() -> None:
    """Too many paths, too large a network, and a word that is none."""
    with pytest.raises(InputError, match="torus:150x150 is too large for sampled paths"):
        SampledRouting(make_routing("romm"), 1, 0).check(make_network("torus:150x150"))
    torus, romm = make_network("torus:9x9"), make_routing("romm")
    SampledRouting(romm, 2**20, 0).check(torus)
    with pytest.raises(InputError, match="6879707136 paths; expected at most"):
        SampledRouting(romm, 2**20, 0, "all").check(torus)
    with pytest.raises(InputError, match="unknown pairs 'half'; expected canonical or all"):
        SampledRouting(romm, 1, 0, "half")


class Looping(Routing):
    """Round a one-way ring once more than needed, with a chance of a half."""

    name = "looping"

    def __init__(self, crossings: int, longest: int | None) -> None:
        super().__init__()
        self.declared = crossings, longest

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the short and the long way."""
        count = network.node_count
        hops = (destination - source) % count
        for extra in (0, count):
            yield Fraction(1, 2), tuple((source + h) % count for h in range(hops + extra))

    def most_crossings(self, network: Network) -> int:
        """Return what the test says."""
        return self.declared[0]

    def longest_path(self, network: Network) -> int | None:
        """Return what the test says."""
        return self.declared[1]


def test_a_path_that_breaks_what_its_routing_declares_is_an_error() -> None:
    """An interval that rests on a wrong bound would be wrong; the true bounds are accepted."""
    ring = Network("one-way", 4, [0, 1, 2, 3], [1, 2, 3, 0])
    for crossings, longest, message in (
        (1, None, "crosses a channel 2 times, but most_crossings says 1; override it"),
        (2, 6, "has 7 hops, but longest_path says 6; override it"),
    ):
        with pytest.raises(InputError, match=message):
            obroute.evaluate(ring, Looping(crossings, longest), sampled_paths=20)
    found = obroute.evaluate(ring, Looping(2, 7), sampled_paths=20)
    exact = obroute.evaluate(ring, Looping(2, 7))
    assert found.estimate is not None
    assert found.estimate.lower <= exact.worst_case_load <= found.estimate.upper


# ------------------------------------------------------------------------------------- the bounds


@pytest.mark.parametrize("mean", [0.3, 1, 4, 30, 300])
def test_the_upper_bound_covers_a_poisson_variable(mean: float) -> None:
    """The Poisson variable is the worst self-bounding one; the bound fails at most as stated."""
    values = np.arange(int(mean + 20 * math.sqrt(mean) + 20))
    missed = [value for value in values if upper_bound(float(value), FAILURE) < mean]
    assert poisson.pmf(missed, mean).sum() <= FAILURE
    assert upper_bound(mean, FAILURE) < mean + 3 * math.sqrt(mean) + 4


@pytest.mark.parametrize(
    "chances", [[0.5] * 4, [0.02, 0.02, 0.9], [1.0, 0.5], [0.01], [0.3, 0.7, 0.1, 0.1], [1.0, 0.0]]
)
@pytest.mark.parametrize("draws", [1, 3, 10])
def test_the_lower_bound_covers_sums_of_unequal_coins(chances: list[float], draws: int) -> None:
    """Enumerated over every outcome, it exceeds the true sum at most as often as stated."""
    count = len(chances) * draws
    pmf = np.ones(1)
    for chance in chances:
        pmf = np.convolve(pmf, binom.pmf(np.arange(draws + 1), draws, chance))
    missed = 0.0
    for heads in range(count + 1):
        terms = np.zeros(count)
        terms[:heads] = 1
        if lower_bound(terms.reshape(len(chances), draws), 1.0, FAILURE) > sum(chances):
            missed += float(pmf[heads])
    assert missed <= FAILURE


def test_bounds_close_in_on_what_they_bound() -> None:
    """Four times the draws make the distance half, nearly; nothing found bounds nothing."""
    rng = np.random.default_rng(3)
    gaps = []
    for draws in (1000, 4000):
        terms = (rng.random((5, draws)) < 0.4).astype(float)
        gaps.append(terms.mean(axis=1).sum() - lower_bound(terms, 1.0, FAILURE))
    assert gaps[1] == pytest.approx(gaps[0] / 2, rel=0.1)
    assert lower_bound(np.zeros((3, 10)), 1.0, FAILURE) == 0
    assert lower_bound(np.zeros((3, 10)), 0.0, FAILURE) == 0
    assert upper_bound(0.0, FAILURE) == pytest.approx(-math.log(FAILURE))
    above = [upper_bound(found, FAILURE) / found - 1 for found in (1e3, 4e3)]
    assert above[1] == pytest.approx(above[0] / 2, rel=0.1)


# -------------------------------------------------------------------------------- what they cover

KNOWN = [
    ("torus:3x3", "romm", "canonical", 1),
    ("torus:3x3", "romm", "canonical", 8),
    ("torus:3x3", "romm", "all", 3),
    ("torus:4x3", "valiant", "canonical", 5),
    ("torus:4x3", "valiant", "all", 2),
    ("ring:6", "rlb", "canonical", 4),
    ("mesh:3x3", "o1turn", "canonical", 4),
    ("complete:5", "1/2*ecmp+1/2*ecmp:split=hops", "canonical", 2),
    ("benes:2", "two_phase", "canonical", 3),
    ("butterfly:2", "two_phase", "all", 2),
]


def estimates(
    network: str, routing: str, pairs: str, each: int, seeds: range
) -> list[SampledEstimate]:
    """Estimate with many seeds, by the draws alone: without the bound from capacity."""
    where, how = make_network(network), make_routing(routing)
    focus = focus_channels(where, how.symmetries(where)).channels.tolist()
    found = []
    for seed in seeds:
        sampled = SampledRouting(how, each, seed, pairs)
        solved = solve_channels(where, sampled, focus)
        worst = max(solved, key=lambda result: result.normalized_load).worst
        found.append(estimate(where, sampled, worst, None))
    return found


@pytest.mark.parametrize(("network", "routing", "pairs", "each"), KNOWN)
def test_intervals_hold_the_exact_worst_case(
    network: str, routing: str, pairs: str, each: int
) -> None:
    """Each side misses no more often than half of one in twenty, beyond doubt."""
    exact = float(obroute.evaluate(network, routing).worst_case_load)
    found = estimates(network, routing, pairs, each, range(40))
    allowed = binom.isf(1e-3, len(found), FAILURE)
    assert sum(one.lower > exact for one in found) <= allowed
    assert sum(one.upper < exact for one in found) <= allowed
    assert all(one.lower <= one.upper for one in found)


@pytest.mark.slow
@pytest.mark.parametrize(("network", "routing", "pairs", "each"), KNOWN)
def test_intervals_hold_the_exact_worst_case_in_a_thousand_samples(
    network: str, routing: str, pairs: str, each: int
) -> None:
    """With a thousand seeds the stated confidence itself is tested."""
    exact = float(obroute.evaluate(network, routing).worst_case_load)
    found = estimates(network, routing, pairs, each, range(1000))
    missed = sum(not one.lower <= exact <= one.upper for one in found)
    assert missed <= binom.isf(1e-3, len(found), 1 - CONFIDENCE)


@pytest.mark.parametrize("pairs", ["canonical", "all"])
def test_intervals_narrow_onto_the_exact_worst_case(pairs: str) -> None:
    """With many paths they say more than the trivial bounds, and hold the value."""
    widths = []
    for each in (100, 1600):
        (found,) = estimates("torus:5x5", "romm", pairs, each, range(1))
        assert found.lower < 8 / 3 < found.upper
        widths.append(found.upper - found.lower)
    assert widths[1] == pytest.approx(widths[0] / 4, rel=0.4)
    assert widths[1] < 1


def test_a_sample_is_biased_upwards_and_the_second_is_not_the_first() -> None:
    """On average the first is above the exact worst case, the second at most that."""
    where, how = make_network("torus:4x4"), make_routing("romm")
    exact = float(obroute.evaluate(where, how).worst_case_load)
    found = [obroute.evaluate(where, how, sampled_paths=4, seed=seed) for seed in range(40)]
    first = np.array([float(one.worst_case_load) for one in found])
    second = np.array([one.estimate.load for one in found if one.estimate is not None])
    error = np.std(first - second, ddof=1) / math.sqrt(len(found))
    assert np.mean(first - second) > 4 * error > 0
    assert np.mean(first) > exact
    assert np.mean(second) < exact + 4 * np.std(second, ddof=1) / math.sqrt(len(found))


@pytest.mark.parametrize("pairs", ["canonical", "all"])
def test_standard_errors_are_those_of_draws_not_of_pairs(pairs: str) -> None:
    """Over many seeds the load of one traffic varies as the standard error says.

    Tornado on a ring of six, ties split: all pairs are images of one, and share its draws. As if
    they were independent, the error would be too small by the square root of six.
    """
    ring, rlb = make_network("ring:6"), make_routing("rlb")
    worst = obroute.evaluate(ring, rlb).critical.worst
    tornado = replace(worst, destinations=np.roll(np.arange(6), -2))
    found = [
        estimate(ring, SampledRouting(rlb, 10, seed, pairs), tornado, None) for seed in range(300)
    ]
    spread = np.var([one.load for one in found], ddof=1)
    stated = np.mean([one.standard_error**2 for one in found if one.standard_error is not None])
    assert stated == pytest.approx(spread, rel=0.35)
    _, terms = drawn_loads(ring, SampledRouting(rlb, 10, 0, pairs), tornado)
    assert terms.shape == ((1, 10) if pairs == "canonical" else (6, 10))


def test_a_path_of_a_unit_counts_for_all_its_images() -> None:
    """At most its hops where translations carry it; once for a pair drawn alone."""
    torus, romm = make_network("torus:9x9"), make_routing("romm")
    assert limits(torus, SampledRouting(romm, 1, 0, "all")) == (1, 81)
    assert limits(torus, SampledRouting(romm, 1, 0)) == (8, 81)
    assert limits(torus, SampledRouting(Plain("romm"), 1, 0)) == (81, 81)
    wide = make_network("torus:4x4,bandwidth=2")
    assert limits(wide, SampledRouting(romm, 1, 0)) == (2, 8)


def test_few_paths_a_pair_overstate_the_worst_case() -> None:
    """ROMM on the 9-ary 2-cube, every pair drawn, every channel solved: 32/5 from far above.

    Other draws gave 23 and 10.1 at 1 and 10 paths a pair.
    """
    found = [
        float(
            obroute.evaluate(
                "torus:9x9",
                "romm",
                sampled_paths=each,
                sampled_pairs="all",
                all_channels=True,
                seed=0,
            ).worst_case_load
        )
        for each in (1, 10)
    ]
    assert found[0] == pytest.approx(23, abs=4)
    assert found[1] == pytest.approx(10.1, abs=0.6)


# ---------------------------------------------------------------------------------- the evaluation


def test_one_path_a_pair_has_no_standard_error() -> None:
    """The spread of one draw does not exist; the interval does."""
    found = obroute.evaluate("torus:4x4", "romm", sampled_paths=1, seed=3).estimate
    assert found is not None
    assert found.standard_error is None
    assert found.lower < found.upper


def test_an_evaluation_of_sampled_paths_is_never_certified() -> None:
    """It has an estimate, the same for the same seed."""
    found, again = (
        obroute.evaluate("torus:3x3", "romm", sampled_paths=40, seed=3) for _ in range(2)
    )
    assert not found.certified
    assert isinstance(found.estimate, SampledEstimate)
    assert found.estimate == again.estimate
    assert (found.estimate.paths_per_pair, found.estimate.drawn_paths) == (40, 360)
    assert (found.estimate.pairs, found.estimate.confidence) == ("canonical", 0.95)
    assert found.estimate.standard_error is not None
    assert found.estimate.standard_error > 0
    assert obroute.evaluate("torus:3x3", "romm").estimate is None


def test_no_routing_is_better_than_capacity() -> None:
    """Uniform traffic bounds the worst case from below where the draws say less."""
    found = obroute.evaluate("torus:9x9", "valiant", sampled_paths=1, seed=1)
    assert found.estimate is not None
    assert found.estimate.lower == pytest.approx(10 / 9)


def test_estimates_of_split_traffic_weigh_its_amounts(tmp_path: FilePath) -> None:
    """Twice the traffic on the same paths has twice the load, the error and the interval."""
    (tmp_path / "e.csv").write_text(
        "".join(f"{t},{h}\n" for t, h in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 3), (3, 0)])
        + "2,3\n3,2\n",
        encoding="utf-8",
    )
    found = []
    for amount in (1, 2):
        (tmp_path / "t.csv").write_text(f"0,{amount}\n2,{amount}\n", encoding="utf-8")
        evaluation = obroute.evaluate(
            f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv", "ecmp", sampled_paths=50, seed=3
        )
        assert evaluation.estimate is not None
        found.append(evaluation.estimate)
    for name in ("load", "standard_error", "upper"):
        assert getattr(found[1], name) == pytest.approx(2 * getattr(found[0], name))
    assert found[0].lower == pytest.approx(found[1].lower / 2)


def test_a_store_never_labels_an_estimate_exact() -> None:
    """A store holds exact results, so an estimate is refused."""
    found = obroute.evaluate("ring:4", "romm", sampled_paths=5, seed=3)
    with pytest.raises(InputError, match="an estimate from sampled paths is not exact"):
        cell_dataset(found)
