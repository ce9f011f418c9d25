"""Collectives: every rank gets what it should; a step loads as its permutation does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import obroute
from obroute.collectives import checks, collective_loads, collectives, make_collective
from obroute.collectives.checks import check_steps
from obroute.kinds.registry import kinds
from obroute.specs import CertificateError, InputError

SMALL = [name for entry in collectives for name in entry.small]
COUNTS = (2, 4, 8, 16, 3, 6)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", SMALL)
def test_steps_are_permutations_after_which_all_have_heard_from_all(name, count):
    """And what is sent is what the operation needs at the least, or more."""
    one = make_collective(name)
    if count & (count - 1) and not (name.startswith(("ring", "bruck")) or name == "pairwise"):
        with pytest.raises(InputError, match="power of two"):
            one.steps(count)
        return
    steps = one.steps(count)
    knows = np.eye(count, dtype=bool)  # of each rank, whose data it has
    for step in steps:
        assert sorted(step.to.tolist()) == list(range(count))
        assert 0 < step.amount <= 1
        heard = knows.copy()
        heard[step.to] |= knows
        knows = heard
    assert knows.all()
    sent = sum((step.amount for step in steps), Fraction(0))
    assert sent >= Fraction(count - 1, count)
    if name in ("ring", "halving_doubling", "bine"):
        assert sent == 2 * Fraction(count - 1, count)


def test_bine_exchanges_in_pairs_at_short_distances():
    """At most about a third of the ranks, where binomial butterflies reach half."""
    count = 64
    every = np.arange(count)
    for step in make_collective("bine:operation=reduce_scatter").steps(count):
        assert np.array_equal(step.to[step.to], every)
        distance = np.minimum((step.to - every) % count, (every - step.to) % count)
        assert distance.max() <= count / 3 + 1


def test_loads_are_those_of_the_permutations():
    """As patterns from files have them; and the time is the sum."""
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("romm")
    (found,) = obroute.collective(network, routing, "bruck").each
    steps = make_collective("bruck").steps(16)
    for step, load in zip(steps, found.loads, strict=True):
        pairs = [
            routing.channel_loads(network, np.array([s]), np.array([d]))
            for s, d in enumerate(step.to.tolist())
        ]
        total = sum(matrix.to_dense()[0] for matrix in pairs)
        assert float(load) == pytest.approx(total.max())
    assert found.time == sum(map(Fraction.__mul__, found.loads, found.amounts))
    assert found.time == sum(found.times)


def test_a_ring_on_a_ring_is_as_good_as_it_gets():
    """Each step loads a channel with one packet."""
    (found,) = obroute.collective("ring:8", "dor", "ring:operation=allgather").each
    assert set(found.loads) == {1}
    assert found.time == Fraction(7, 8)


@pytest.mark.parametrize(
    ("network", "name", "said"),
    [
        ("ring:6", "bine", "expected a power of two"),
        ("cmesh:2x2,hosts=2", "ring", "each inject and eject one packet"),
        ("ring:4", "rings", "did you mean 'ring'"),
    ],
)
def test_what_is_not_defined_is_said_in_a_line(network, name, said):
    """With what was expected."""
    with pytest.raises(InputError, match=said):
        obroute.collective(network, "dor", name)


@pytest.mark.parametrize(
    ("network", "routing"), [("ring:4", "dor"), ("mesh:2x2", "valiant"), ("complete:3", "ecmp")]
)
def test_steps_add_up_path_by_path(network, routing):
    """Whatever carries loads to others; and a load or a channel that is wrong is found."""
    for name in ("ring", "bruck", "pairwise"):
        found = collective_loads(
            obroute.make_network(network), obroute.make_routing(routing), make_collective(name)
        )
        assert check_steps(found) == len(found.loads)
        for wrong in (
            {"loads": [load + 1 for load in found.loads]},
            {"channels": [channel + 99 for channel in found.channels]},
            {"loads": [*found.loads, Fraction(1)]},
        ):
            with pytest.raises(CertificateError, match=name):
                check_steps(replace(found, **wrong))


def test_steps_with_too_many_paths_are_left_out(monkeypatch):
    """The fullest is the first to be walked; a store is verified by as many as were."""
    monkeypatch.setattr(checks, "MOST_CHANNELS", 10)
    found = obroute.collective("ring:4", "dor", ["pairwise"])
    assert 0 < check_steps(found.each[0]) < len(found.each[0].loads)
    monkeypatch.undo()
    assert kinds()["collective"].verify(found.to_dataset()) == len(found.each[0].loads)
