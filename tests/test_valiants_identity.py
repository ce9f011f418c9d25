"""Valiant's identity: pair loads A(s) + B(d), so that all full traffic loads a channel alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.effort import few

import obroute
from obroute import matching
from obroute.certificates import check_certificate
from obroute.matching import additive_parts, worst_case
from obroute.rational import RationalArray, SparseRationalMatrix

GRIDS = [
    "torus:4x4",
    "torus:5x3",
    "torus:3x3x3",
    "ring:5",
    "ring:6",
    "mesh:3x4",
    "hypercube:3",
    "torus:4x3,bandwidth=2",
]
BASES = {
    "valiant": "dor",
    "valiant:ties=positive": "dor:ties=positive",
    "valiant:order=random": "o1turn",
}
MULTISTAGE = few(["benes:3", "hypercube:3", "butterfly:3"], 2)


@pytest.mark.parametrize("routing", BASES)
@pytest.mark.parametrize("network", GRIDS)
def test_valiant_loads_every_channel_with_twice_the_uniform_load_of_its_base(
    network: str, routing: str
) -> None:
    """Under its worst permutation and under any other; all nodes are terminals of one unit."""
    made, chosen = obroute.make_network(network), obroute.make_routing(routing)
    base = obroute.make_routing(BASES[routing])
    weights = made.uniform_weight()
    drawn = np.random.default_rng(5).permutation(made.node_count)
    for channel in range(made.channel_count):
        loads = chosen.pair_loads(made, channel)
        expected = 2 * base.pair_loads(made, channel).weighted_sum(*weights)
        found = worst_case(loads, made.injection, made.ejection, channel)
        check_certificate(found, loads, made.injection, made.ejection)
        assert found.load == expected
        assert loads.sum_at(np.arange(made.node_count), drawn) == expected


@pytest.mark.parametrize("network", MULTISTAGE)
def test_two_phases_load_every_channel_alike_under_all_permutations(network: str) -> None:
    """Also where intermediates are no terminals: that of uniform traffic, as of any."""
    made, chosen = obroute.make_network(network), obroute.make_routing("two_phase")
    drawn = np.random.default_rng(5).permutation(len(made.sources))
    for channel in range(made.channel_count):
        loads = chosen.pair_loads(made, channel)
        found = worst_case(loads, made.injection, made.ejection, channel)
        assert found.load == loads.weighted_sum(*made.uniform_weight())
        assert found.load == loads.sum_at(np.arange(len(drawn)), drawn)


@pytest.mark.parametrize("network", ["torus:5x4", "mesh:3x3", "hypercube:3"])
def test_valiant_is_evaluated_without_a_matching(
    network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solver is not called, and the certificate is checked as always."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("a matching was solved")

    monkeypatch.setattr(matching, "transport", refuse)
    found = obroute.evaluate(network, "valiant", all_channels=True)
    assert found.certified
    with pytest.raises(AssertionError, match="was solved"):
        obroute.evaluate(network, "dor")


def test_the_recorded_permutation_sends_half_way_round_the_terminals() -> None:
    """Deterministic, and without a packet to oneself."""
    found = obroute.evaluate("torus:4x3", "valiant").critical.worst
    assert found.permutation is not None
    assert found.permutation.tolist() == [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("routing", ["ival", "dor", "romm", "o1turn", "rlb"])
def test_other_routings_have_no_such_parts(routing: str) -> None:
    """IVAL cuts loops out, which takes source and destination to know."""
    torus = obroute.make_network("torus:4x4")
    assert additive_parts(obroute.make_routing(routing).pair_loads(torus, 0)) is None


@st.composite
def sums(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int], int]:
    """Draw parts, and bandwidths of terminals with equal sums."""
    a = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    b = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    scale = draw(st.sampled_from([1, 2**70]))
    supply = draw(st.lists(st.integers(1, 4), min_size=len(a), max_size=len(a)))
    demand = draw(st.lists(st.integers(1, 4), min_size=len(b), max_size=len(b)))
    missing = sum(supply) - sum(demand)
    supply[0] += max(0, -missing)
    demand[0] += max(0, missing)
    return a, b, supply, demand, scale


def dense(entries: np.ndarray) -> SparseRationalMatrix:
    """Make a matrix of all entries, zeros left out."""
    rows, columns = np.indices(entries.shape)
    values = RationalArray(entries.ravel(), 7)
    return SparseRationalMatrix.from_triplets(rows.ravel(), columns.ravel(), values, entries.shape)


@given(sums())
def test_parts_are_found_and_prove_the_worst_case(
    drawn: tuple[list[int], list[int], list[int], list[int], int],
) -> None:
    """Terminals of any units, numbers beyond 63 bits: the certificate holds and has the value."""
    a, b, supply, demand, scale = drawn
    entries = np.add.outer(np.array(a, dtype=object), np.array(b, dtype=object)) * scale
    loads = dense(entries)
    injection, ejection = (RationalArray(np.array(units), 3) for units in (supply, demand))
    parts = additive_parts(loads)
    both = any(x + min(b) for x in a) and any(y > min(b) for y in b)
    assert (parts is not None) == both
    found = worst_case(loads, injection, ejection)
    check_certificate(found, loads, injection, ejection)
    units = [x * n for x, n in zip(a, supply, strict=True)]
    units += [x * n for x, n in zip(b, demand, strict=True)]
    assert found.load == Fraction(sum(units) * scale, 21)


@given(sums(), st.data())
def test_one_entry_that_differs_is_noticed(
    drawn: tuple[list[int], list[int], list[int], list[int], int], data: st.DataObject
) -> None:
    """Of two rows and columns at least, any single change breaks the sum, and is solved."""
    a, b, supply, demand, scale = drawn
    if len(a) < 2 or len(b) < 2:
        return
    entries = np.add.outer(np.array(a, dtype=object), np.array(b, dtype=object)) * scale
    place = data.draw(st.integers(0, len(a) - 1)), data.draw(st.integers(0, len(b) - 1))
    entries[place] += 1
    loads = dense(entries)
    assert additive_parts(loads) is None
    injection, ejection = (RationalArray(np.array(units), 3) for units in (supply, demand))
    check_certificate(worst_case(loads, injection, ejection), loads, injection, ejection)


def test_more_supply_than_demand_is_a_matching() -> None:
    """Then the sources with the largest A send, not all of them."""
    loads = dense(np.array([[1], [3]], dtype=object))
    two, one = RationalArray.full(2, 1), RationalArray.full(1, 1)
    assert worst_case(loads, two, one).load == Fraction(3, 7)
