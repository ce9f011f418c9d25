"""Theorem 3 with its constants: rigorous bounds, their exact law, and what runs show."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from obroute import InputError, make_network, make_routing
from obroute.packets.phase_bounds import (
    LARGEST_DIMENSION,
    SCALE_BITS,
    TAILS,
    chernoff_constant,
    chernoff_tail,
    law_tail,
    mean_met,
    negative_binomial_tail,
    phase_bounds,
    rounded_up,
    steps_within,
)
from obroute.packets.phases import others_met, run_phases
from obroute.routing import PathBatch

MIRRORED = pytest.mark.parametrize("second", [False, True], ids=["first phase", "second phase"])


def law_by_paths(n: int, second: bool) -> dict[tuple[int, int], Fraction]:
    """Return the law of hops and packets met of one packet, from the paths of bit fixing alone.

    In the second phase the random node is the source; destinations are those of bit reversal.
    """
    cube, greedy = make_network(f"hypercube:{n}"), make_routing("bit_fixing")
    nodes = range(2**n)
    own = 2**n - 2

    def channels(node: int, drawn: int) -> frozenset[int]:
        ends = (drawn, node) if second else (node, drawn)
        ((_, path),) = greedy.paths(cube, *ends)
        return frozenset(path)

    found: dict[tuple[int, int], Fraction] = {}
    for drawn in nodes:
        mine = channels(own, drawn)
        counts = [Fraction(1)]
        for other in nodes:
            if other == own:
                continue
            chance = Fraction(sum(bool(mine & channels(other, z)) for z in nodes), 2**n)
            counts = [
                (1 - chance) * (counts[d] if d < len(counts) else 0)
                + chance * (counts[d - 1] if d else 0)
                for d in range(len(counts) + 1)
            ]
        for met, chance in enumerate(counts):
            place = len(mine), met
            found[place] = found.get(place, Fraction(0)) + chance / 2**n
    return found


@MIRRORED
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_law_is_that_of_the_paths(n: int, second: bool) -> None:
    """Hops plus packets met, one packet of either phase, up to the rounding of the integers."""
    law = law_by_paths(n, second)
    assert sum(law.values()) == 1
    assert mean_met(n) == sum(met * chance for (_, met), chance in law.items())
    for steps in range(2 * n + 2):
        late = sum(chance for (k, d), chance in law.items() if k + d > steps)
        exact = min(Fraction(1), 2**n * late)
        assert 0 <= law_tail(n, steps) - exact <= Fraction(1, 2 ** (SCALE_BITS - 20))


@pytest.mark.parametrize("n", [2, 5, 8])
def test_bounds_order_as_what_they_use(n: int) -> None:
    """The exact law is never above Chernoff's bound; all are chances, and fall with the steps."""
    for steps in range(n, 6 * n):
        bounds = [tail(n, steps) for tail in TAILS.values()]
        assert all(0 <= bound <= 1 for bound in bounds)
        assert law_tail(n, steps) <= chernoff_tail(n, steps)
        for tail in TAILS.values():
            assert tail(n, steps + 1) <= tail(n, steps)


@pytest.mark.parametrize(("n", "steps"), [(6, 20), (10, 31), (11, 40)])
def test_chernoff_s_bound_is_rounded_up_and_no_more(n: int, steps: int) -> None:
    """Beside the same in floats, and not below a lower bound by the series of e."""
    met = steps - n + 1
    nearest = 2**n * math.exp(met - n / 2) * (n / 2 / met) ** met
    assert float(chernoff_tail(n, steps)) == pytest.approx(nearest, rel=1e-12)
    if n % 2 == 0:
        below = sum(Fraction(1, math.factorial(i)) for i in range(40))
        assert (
            chernoff_tail(n, steps) > 2**n * below ** (met - n // 2) * Fraction(n, 2 * met) ** met
        )


def test_the_negative_binomial_is_that_of_coins() -> None:
    """M packets share more than w channels: fewer than m heads in w tosses, tossed one by one."""
    n, steps = 3, 20
    tosses = steps - n
    best = Fraction(1)
    for m in range(tosses + 1):
        fewer = sum(sum(coins) < m for coins in product((0, 1), repeat=tosses))
        met = chernoff_tail(n, n + m) / 2**n
        best = min(best, met + Fraction(fewer, 2**tosses))
    assert negative_binomial_tail(n, steps) == min(1, 2**n * best)


@pytest.mark.parametrize("exponent", [1, 2])
@pytest.mark.parametrize("tail", TAILS.values(), ids=list(TAILS))
def test_steps_within_a_chance_are_the_least(tail, exponent: int) -> None:
    """One step fewer is not proved."""
    for n in (3, 6, 10):
        steps = steps_within(tail, n, exponent)
        assert tail(n, steps) <= Fraction(1, 2 ** (n * exponent)) < tail(n, steps - 1)


@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_a_constant_multiple_of_n_is_enough_for_every_n(exponent: int) -> None:
    """(1 + κ)·n steps, for each n that is looked at; and a hundredth less is not by this bound."""
    kappa = chernoff_constant(exponent)
    for n in range(1, LARGEST_DIMENSION + 1):
        steps = n + math.ceil(kappa * n) - 1
        assert chernoff_tail(n, steps) <= Fraction(1, 2 ** (n * exponent))
    less = float(kappa) - 0.01
    power = 1 + exponent + (less - 0.5) / math.log(2) - less * math.log2(2 * less)
    assert power > 0


def test_others_met_are_counted_one_by_one() -> None:
    """Against sets of channels, with paths that share several, and empty ones."""
    generator = np.random.default_rng(5)
    paths = [tuple(generator.choice(12, size=size, replace=False)) for size in [0, 1, 2, 3, 4] * 8]
    slow = [
        sum(bool(set(path) & set(other)) for j, other in enumerate(paths) if j != i)
        for i, path in enumerate(paths)
    ]
    assert others_met(PathBatch.of(paths)).tolist() == slow
    assert others_met(PathBatch.of([()])).tolist() == [0]


@pytest.mark.parametrize("discipline", ["fifo", "lifo", "random", "farthest", "nearest"])
def test_runs_keep_to_lemma_1_and_to_the_bounds(discipline: str) -> None:
    """No packet waits longer than it meets others; late phases are no more often than proved."""
    found = run_phases(
        make_network("hypercube:6"), "bit_reverse", seeds=150, discipline=discipline
    )
    assert found.latest <= 0
    assert found.steps.shape == (150, 2)
    assert found.mean_met.mean() == pytest.approx(float(mean_met(6)), rel=0.05)
    assert found.steps.max() <= steps_within(law_tail, 6, 2)
    for bound in phase_bounds(6, list(range(6, 14))):
        late = (found.steps > bound.steps).mean()
        for tail in bound.tails.values():
            assert late <= float(tail) + 4 * math.sqrt(float(tail) * (1 - float(tail)) / 300)


@pytest.mark.slow
def test_a_thousand_seeds_at_ten_dimensions() -> None:
    """What the docs state of 2,000 phases."""
    found = run_phases(make_network("hypercube:10"), "bit_reverse", seeds=1000)
    assert (found.steps.max(), found.most_met.max(), found.latest) == (14, 10, 0)
    assert found.mean_met.mean() == pytest.approx(1.4447, abs=1e-4)


def test_what_is_out_of_range_is_refused() -> None:
    """Dimensions, steps, seeds and networks, each with its message."""
    with pytest.raises(InputError, match="dimension 25 is out of range; expected 1 to 24"):
        law_tail(25, 3)
    with pytest.raises(InputError, match="-1 steps"):
        chernoff_tail(3, -1)
    with pytest.raises(InputError, match="0 seeds"):
        run_phases(make_network("hypercube:3"), "bit_reverse", seeds=0)
    for network in ("torus:3x3", "hypercube:3,bandwidth=2"):
        with pytest.raises(InputError, match="hypercubes whose channels send one packet a step"):
            run_phases(make_network(network), "bit_reverse", seeds=1)


def test_bounds_are_printed_rounded_up() -> None:
    """Never below what they are."""
    for bound in (
        Fraction(1, 3),
        Fraction(10001, 10**7),
        Fraction(1, 10**40) + Fraction(1, 10**60),
    ):
        assert Fraction(rounded_up(bound)) >= bound
