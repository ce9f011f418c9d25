"""Rational arrays never round and never wrap around, whatever the size of the integers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from obroute.rational import (
    INT64_ROOM,
    RationalArray,
    SparseRationalMatrix,
    compact_integers,
    concatenate,
    least_common_denominator,
    multiply_integers,
    sum_integers,
)

NEAR_BOUNDARIES = [
    sign * (2**bits + step)
    for bits in (53, 60, 61, 62, 63, 64)
    for step in (-1, 0, 1)
    for sign in (1, -1)
]
integers = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**40), 2**40),
    st.sampled_from(NEAR_BOUNDARIES),
    st.integers(-(2**200), 2**200),
)
denominators = st.one_of(st.integers(1, 12), st.integers(1, 2**70))
fractions = st.builds(Fraction, integers, denominators)


def objects(values: list[int]) -> np.ndarray:
    """Give Python integers in an array."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@given(st.lists(integers))
def test_integers_are_kept_whole_and_small_where_they_fit(values: list[int]) -> None:
    """int64 while all are below the room for sums, Python integers from there on."""
    found = compact_integers(objects(values))
    assert found.tolist() == values
    small = all(abs(value) < INT64_ROOM for value in values)
    assert (found.dtype == np.int64) == small


@pytest.mark.parametrize("value", [INT64_ROOM - 1, INT64_ROOM, 2**63 - 1, -(2**63), 1 - 2**61])
def test_an_int64_array_grows_when_its_room_is_gone(value: int) -> None:
    """From int64 too: the smallest int64, whose magnitude is no int64, among them."""
    found = compact_integers(np.array([value, 1], dtype=np.int64))
    assert found.tolist() == [value, 1]
    assert (found.dtype == object) == (abs(value) >= INT64_ROOM)


@given(st.lists(st.tuples(integers, integers), min_size=1), integers)
def test_products_do_not_wrap(pairs: list[tuple[int, int]], factor: int) -> None:
    """Entry by entry and by one integer."""
    left, right = (compact_integers(objects(list(side))) for side in zip(*pairs, strict=True))
    assert multiply_integers(left, right).tolist() == [x * y for x, y in pairs]
    assert multiply_integers(left, factor).tolist() == [x * factor for x, _ in pairs]


@given(st.lists(integers))
def test_sums_do_not_wrap(values: list[int]) -> None:
    """Also where every entry fits int64 and the sum does not."""
    assert sum_integers(compact_integers(objects(values))) == sum(values)


def test_a_sum_of_many_small_entries_does_not_wrap() -> None:
    """Sixteen entries just below the room add up beyond 63 bits."""
    assert sum_integers(np.full(16, INT64_ROOM - 1)) == 16 * (INT64_ROOM - 1)


@given(st.lists(fractions))
def test_an_array_holds_its_fractions(values: list[Fraction]) -> None:
    """In, out, one by one, summed and as nearest floats."""
    array = RationalArray.from_fractions(values)
    assert array.fractions() == values
    assert [array.fraction(place) for place in range(len(array))] == values
    assert array.sum() == sum(values, Fraction(0))
    assert array.denominator == least_common_denominator(values)
    assert array.reduced().fractions() == values
    assert len(array) == len(values)


@given(st.lists(fractions, min_size=1), fractions)
def test_scaling_is_exact(values: list[Fraction], factor: Fraction) -> None:
    """Zero and negative factors too."""
    scaled = RationalArray.from_fractions(values).scaled(factor)
    assert scaled.fractions() == [value * factor for value in values]


@given(st.lists(st.tuples(fractions, fractions), min_size=1))
def test_products_of_arrays_are_exact(pairs: list[tuple[Fraction, Fraction]]) -> None:
    """Denominators multiply."""
    left, right = (RationalArray.from_fractions(side) for side in zip(*pairs, strict=True))
    assert left.times(right).fractions() == [x * y for x, y in pairs]


@given(st.lists(st.tuples(fractions, fractions), min_size=1))
def test_sums_of_arrays_are_exact(pairs: list[tuple[Fraction, Fraction]]) -> None:
    """Over the common denominator."""
    left, right = (RationalArray.from_fractions(side) for side in zip(*pairs, strict=True))
    assert left.plus(right).fractions() == [x + y for x, y in pairs]


@given(st.lists(fractions), st.integers(1, 2**70))
def test_another_denominator_keeps_the_values(values: list[Fraction], factor: int) -> None:
    """Any multiple serves."""
    array = RationalArray.from_fractions(values)
    denominator = array.denominator * factor
    found = [Fraction(int(n), denominator) for n in array.over(denominator)]
    assert found == values


def test_a_denominator_that_is_no_multiple_is_refused() -> None:
    """Both are named."""
    with pytest.raises(ValueError, match="7 is not a multiple of the denominator 6"):
        RationalArray(np.array([1]), 6).over(7)


@pytest.mark.parametrize("denominator", [0, -3])
def test_a_denominator_is_positive(denominator: int) -> None:
    """Zero and less are refused."""
    with pytest.raises(ValueError, match="expected a positive integer"):
        RationalArray(np.array([1]), denominator)


@given(st.lists(st.lists(fractions)))
def test_joined_arrays_keep_their_values(parts: list[list[Fraction]]) -> None:
    """Over one denominator, none for no parts."""
    joined = concatenate([RationalArray.from_fractions(part) for part in parts])
    assert joined.fractions() == [value for part in parts for value in part]


def test_an_array_is_read_only() -> None:
    """A change in place is an error."""
    array = RationalArray.full(3, Fraction(2, 7))
    assert array.fractions() == [Fraction(2, 7)] * 3
    with pytest.raises(ValueError, match="read-only"):
        array.numerators[0] = 5


@given(st.lists(st.builds(Fraction, st.integers(-(2**50), 2**50), st.integers(1, 10**4))))
def test_floats_are_near(values: list[Fraction]) -> None:
    """To a few units in the last place."""
    found = RationalArray.from_fractions(values).to_float()
    assert found.dtype == np.float64
    assert found.tolist() == pytest.approx([float(value) for value in values], rel=1e-15)


@pytest.mark.parametrize("denominator", [10**15, 10**18, 10**19, 10**30, 10**300])
@pytest.mark.parametrize("numerator", [1, -3, 2**62])
def test_floats_of_large_integers_are_near(numerator: int, denominator: int) -> None:
    """Also where the denominator is beyond 63 bits."""
    found = RationalArray(objects([numerator]), denominator).to_float()
    assert found.tolist() == pytest.approx([numerator / denominator], rel=1e-15)


def test_unsigned_integers_do_not_wrap() -> None:
    """NumPy reads a list with 2**63 as unsigned."""
    assert RationalArray(np.array([2**63]), 1).fractions() == [2**63]


# -------------------------------------------------------------------------------- the matrices


@st.composite
def triplets(draw: st.DrawFn) -> tuple[tuple[int, int], list[tuple[int, int, Fraction]]]:
    """Draw a shape and entries, places repeated and zeros among them."""
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 5)))
    place = st.tuples(
        st.integers(0, shape[0] - 1), st.integers(0, shape[1] - 1), st.just(0) | fractions
    )
    return shape, draw(st.lists(place, max_size=25))


def matrix_of(
    shape: tuple[int, int], entries: list[tuple[int, int, Fraction]]
) -> SparseRationalMatrix:
    """Make a matrix."""
    return SparseRationalMatrix.from_triplets(
        np.array([row for row, _, _ in entries], dtype=np.int64),
        np.array([column for _, column, _ in entries], dtype=np.int64),
        RationalArray.from_fractions([value for _, _, value in entries]),
        shape,
    )


def dense(
    shape: tuple[int, int], entries: list[tuple[int, int, Fraction]]
) -> list[list[Fraction]]:
    """Add the entries up."""
    rows = [[Fraction(0)] * shape[1] for _ in range(shape[0])]
    for row, column, value in entries:
        rows[row][column] += value
    return rows


def rows_of(matrix: SparseRationalMatrix) -> list[list[Fraction]]:
    """Read every entry."""
    return [
        [matrix.entry(row, column) for column in range(matrix.shape[1])]
        for row in range(matrix.shape[0])
    ]


@given(triplets())
def test_triplets_at_one_place_add_and_zeros_go(drawn) -> None:
    """Triplets are sorted by row, then column; what cancels is not stored."""
    matrix, expected = matrix_of(*drawn), dense(*drawn)
    assert rows_of(matrix) == expected
    assert matrix.nonzeros == sum(value != 0 for row in expected for value in row)
    places = list(zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True))
    assert places == sorted(set(places))
    pointers = matrix.row_pointers().tolist()
    assert [places[a:b] for a, b in pairwise(pointers)] == [
        [place for place in places if place[0] == row] for row in range(drawn[0][0])
    ]


def test_many_large_triplets_at_one_place_do_not_wrap() -> None:
    """Each fits int64 with room, their sum does not."""
    zeros = np.zeros(64, dtype=np.int64)
    values = RationalArray(np.full(64, INT64_ROOM - 1), 3)
    matrix = SparseRationalMatrix.from_triplets(zeros, zeros, values, (1, 1))
    assert matrix.entry(0, 0) == Fraction(64 * (INT64_ROOM - 1), 3)


@given(triplets(), st.data())
def test_sums_over_a_matrix_are_exact(drawn, data: st.DataObject) -> None:
    """All of it, given places, columns, and weighted by rows and columns."""
    shape, _ = drawn
    matrix, expected = matrix_of(*drawn), dense(*drawn)
    weights = [data.draw(st.lists(fractions, min_size=count, max_size=count)) for count in shape]
    rows, columns = (RationalArray.from_fractions(side) for side in weights)
    everywhere = [(r, c) for r in range(shape[0]) for c in range(shape[1])]
    assert matrix.sum() == sum(map(sum, expected))
    assert matrix.weighted_sum(rows, columns) == sum(
        weights[0][r] * expected[r][c] * weights[1][c] for r, c in everywhere
    )
    assert matrix.column_sums().fractions() == [
        sum(row[c] for row in expected) for c in range(shape[1])
    ]
    assert matrix.column_sums(rows).fractions() == [
        sum(weights[0][r] * expected[r][c] for r in range(shape[0])) for c in range(shape[1])
    ]
    diagonal = np.arange(min(shape))
    assert matrix.sum_at(diagonal, diagonal) == sum(expected[i][i] for i in diagonal)


@given(triplets(), fractions)
def test_matrices_scale_and_add(drawn, factor: Fraction) -> None:
    """A matrix and its multiple make the multiple by one more."""
    shape, _ = drawn
    matrix, expected = matrix_of(*drawn), dense(*drawn)
    total = SparseRationalMatrix.sum_of([matrix, matrix.scaled(factor)])
    assert rows_of(total) == [[value * (1 + factor) for value in row] for row in expected]
    assert matrix.scaled(Fraction(0)).equals(SparseRationalMatrix.zero(shape))


@given(triplets())
def test_equality_is_of_values_not_of_denominators(drawn) -> None:
    """The same over another denominator is equal; one entry changed is not."""
    matrix = matrix_of(*drawn)
    other = SparseRationalMatrix(
        matrix.rows,
        matrix.columns,
        RationalArray(
            matrix.values.over(matrix.values.denominator * 6), matrix.values.denominator * 6
        ),
        matrix.shape,
    )
    assert matrix.equals(other)
    assert not matrix.equals(SparseRationalMatrix.zero((matrix.shape[0], matrix.shape[1] + 1)))
    if matrix.nonzeros:
        assert not matrix.equals(matrix.scaled(Fraction(1, 2)))
        assert not matrix.equals(SparseRationalMatrix.zero(matrix.shape))


def test_equality_looks_at_every_place() -> None:
    """One entry in another row, or in another column, or of another value is another matrix."""
    one = Fraction(1)
    corner = matrix_of((2, 2), [(0, 0, one)])
    for other in ([(1, 0, one)], [(0, 1, one)], [(0, 0, one / 2)], [(0, 0, one), (1, 1, one)]):
        assert not corner.equals(matrix_of((2, 2), other))


def test_dense_floats_are_the_entries() -> None:
    """Zeros where nothing is stored."""
    matrix = matrix_of((2, 3), [(0, 1, Fraction(1, 4)), (1, 2, Fraction(3, 2))])
    assert matrix.to_dense().tolist() == [[0, 0.25, 0], [0, 0, 1.5]]
    assert math.isclose(matrix.to_dense().sum(), 1.75)
