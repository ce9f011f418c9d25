"""Rational arrays whose entries have denominators of their own, and matchings of such loads."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute.certificates import CertificateError, WorstCase, check_certificate
from obroute.matching import worst_case
from obroute.quotient_certificates import check_quotients
from obroute.quotient_matching import worst_case_of_quotients
from obroute.quotients import Quotients, matrix_of_quotients, sum_of_fractions
from obroute.rational import RationalArray, SparseRationalMatrix

MANY = settings(max_examples=80, deadline=None, derandomize=True)
FRACTIONS = st.fractions(min_value=0, max_value=1, max_denominator=9) | st.fractions(
    min_value=0, max_value=1, max_denominator=2**60
)
UNITS = st.sampled_from([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3)])


@MANY
@given(values=st.lists(FRACTIONS | st.fractions(max_denominator=2**80), max_size=8))
def test_an_array_of_quotients_is_one_of_rationals(values: list[Fraction]) -> None:
    """In all that it does."""
    own, common = Quotients.from_fractions(values), RationalArray.from_fractions(values)
    assert own.fractions() == common.fractions() == values
    assert own.denominator == common.denominator
    assert own.numerators.tolist() == common.numerators.tolist()
    assert own.sum() == common.sum() == sum_of_fractions(values)
    assert own.times(common).fractions() == [value**2 for value in values]
    assert own.times(own).fractions() == common.times(common).fractions()
    assert own.scaled(Fraction(2, 7)).fractions() == common.scaled(Fraction(2, 7)).fractions()
    assert own.to_float().tolist() == [float(value) for value in values]
    assert own.rounded_down(70).tolist() == [int(value * 2**70 // 1) for value in values]
    assert [own.take(slice(1, 3)).fraction(i) for i in range(len(values[1:3]))] == values[1:3]


@st.composite
def problems(
    draw: st.DrawFn,
) -> tuple[SparseRationalMatrix, SparseRationalMatrix, RationalArray, RationalArray]:
    """Draw the same loads as quotients and over a common denominator, and terminals."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    few = draw(st.lists(FRACTIONS, min_size=1, max_size=4))
    loads = [draw(st.sampled_from([Fraction(0), *few])) for _ in range(rows * columns)]
    places = [place for place, load in enumerate(loads) if load]
    given = [loads[place] for place in places]
    row, column = np.divmod(np.array(places, dtype=np.int64), columns)
    shape = (rows, columns)
    return (
        SparseRationalMatrix(row, column, Quotients.from_fractions(given), shape),
        SparseRationalMatrix(row, column, RationalArray.from_fractions(given), shape),
        RationalArray.from_fractions([draw(UNITS) for _ in range(rows)]),
        RationalArray.from_fractions([draw(UNITS) for _ in range(columns)]),
    )


@MANY
@given(problem=problems())
def test_a_worst_case_of_quotients_is_that_of_a_common_denominator(
    problem: tuple[SparseRationalMatrix, SparseRationalMatrix, RationalArray, RationalArray],
) -> None:
    """With a certificate that both checks accept."""
    quotients, common, injection, ejection = problem
    found = worst_case_of_quotients(quotients, injection, ejection, 3)
    assert found.load == worst_case(common, injection, ejection, 3).load
    check_quotients(found, quotients, injection, ejection)
    check_certificate(found, common, injection, ejection)
    assert quotients.equals(common)


def _certified() -> tuple[WorstCase, SparseRationalMatrix, RationalArray]:
    loads = matrix_of_quotients(
        np.array([0, 0, 1, 1]),
        np.array([0, 1, 0, 1]),
        Quotients(np.array([1, 2, 1, 1]), np.array([3, 5, 2, 7])),
        (2, 2),
    )
    own = replace(loads, values=Quotients.from_fractions(loads.values.fractions()))
    unit = RationalArray.full(2, 1)
    return worst_case_of_quotients(own, unit, unit), own, unit


SLIGHTLY = Fraction(1, 10**40)


@pytest.mark.parametrize(
    ("field", "forged"),
    [
        ("load", Fraction(9, 10) + SLIGHTLY),
        ("amounts", RationalArray.full(2, 2)),
        ("amounts", RationalArray.full(2, -1)),
        ("destinations", np.array([0, 0])),
        ("destinations", np.array([0, 5])),
        ("source_potentials", Quotients.from_fractions([Fraction(2, 5), Fraction(-1)])),
        ("source_potentials", Quotients.from_fractions([Fraction(9, 10)])),
    ],
)
def test_a_forged_certificate_is_refused(field: str, forged: object) -> None:
    """However little it is off."""
    worst, loads, unit = _certified()
    check_quotients(worst, loads, unit, unit)
    with pytest.raises(CertificateError, match="channel 0"):
        check_quotients(replace(worst, **{field: forged}), loads, unit, unit)


@pytest.mark.parametrize("place", range(2))
def test_potentials_that_miss_a_load_by_little_are_refused(place: int) -> None:
    """Their value stays the same: less here, and as much more there."""
    worst, loads, unit = _certified()
    u = worst.source_potentials.fractions()
    v = worst.destination_potentials.fractions()
    u[place] -= SLIGHTLY
    v[place] += SLIGHTLY
    forged = replace(
        worst,
        source_potentials=Quotients.from_fractions(u),
        destination_potentials=Quotients.from_fractions(v),
    )
    with pytest.raises(CertificateError, match=r"less than their pair load|negative"):
        check_quotients(forged, loads, unit, unit)


def test_a_common_denominator_is_taken_where_it_is_small() -> None:
    """And not where it is not."""
    places = np.arange(3)
    small = matrix_of_quotients(
        places, places, Quotients(np.array([1, 1, 1]), np.array([2, 3, 4])), (3, 3)
    )
    assert not isinstance(small.values, Quotients)
    assert small.values.denominator == 12
    primes = [2**127 - 1, 2**89 - 1, 2**107 - 1]
    large = matrix_of_quotients(
        places, places, Quotients.from_fractions([Fraction(1, p) for p in primes]), (3, 3)
    )
    assert isinstance(large.values, Quotients)
