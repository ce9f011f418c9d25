"""A traffic matrix is the sum of its weighted permutations, and there are not too many of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute.birkhoff import NONE, Term, birkhoff, check_decomposition, most_terms
from obroute.specs import InputError

Rows = list[list[Fraction]]


def triplets(rows: Rows) -> tuple[list[int], list[int], list[Fraction], tuple[int, int]]:
    """Return every entry of a matrix, zeros included."""
    shape = len(rows), len(rows[0])
    places = list(product(*map(range, shape)))
    return (
        [row for row, _ in places],
        [column for _, column in places],
        [rows[row][column] for row, column in places],
        shape,
    )


def sum_of(terms: Sequence[Term], shape: tuple[int, int]) -> Rows:
    """Add weighted permutations up, slowly."""
    total = [[Fraction(0)] * shape[1] for _ in range(shape[0])]
    for weight, permutation in terms:
        for row, column in enumerate(permutation.tolist()):
            if column != NONE:
                total[row][column] += weight
    return total


@st.composite
def doubly_stochastic(draw: st.DrawFn, largest: int = 6) -> Rows:
    """Draw a mean of permutations: by Birkhoff's theorem every doubly stochastic matrix is one."""
    size = draw(st.integers(1, largest))
    weights = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    rows = [[Fraction(0)] * size for _ in range(size)]
    for weight in weights:
        for row, column in enumerate(draw(st.permutations(range(size)))):
            rows[row][column] += Fraction(weight, sum(weights))
    return rows


@st.composite
def any_matrix(draw: st.DrawFn, largest: int = 5) -> Rows:
    """Draw a matrix of any shape, with zeros, small entries and ones beyond 63 bits."""
    shape = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    entry = st.just(Fraction(0)) | st.builds(
        Fraction, st.integers(0, 7) | st.just(2**64), st.integers(1, 6) | st.just(2**61 - 1)
    )
    row = st.lists(entry, min_size=shape[1], max_size=shape[1])
    return draw(st.lists(row, min_size=shape[0], max_size=shape[0]))


@given(doubly_stochastic())
@settings(max_examples=100)
def test_a_doubly_stochastic_matrix_is_a_convex_combination_of_permutations(rows: Rows) -> None:
    """Full permutations, weights that sum to one, at most n² - 2n + 2 of them."""
    terms = birkhoff(*triplets(rows))
    size = len(rows)
    assert sum(weight for weight, _ in terms) == 1
    assert all(sorted(p.tolist()) == list(range(size)) for _, p in terms)
    assert sum_of(terms, (size, size)) == rows
    assert len(terms) <= most_terms(*triplets(rows)) <= size**2 - 2 * size + 2
    assert [w for w, _ in terms] == sorted((w for w, _ in terms), reverse=True)


@given(any_matrix())
@settings(max_examples=150)
def test_any_matrix_is_a_sum_of_partial_permutations(rows: Rows) -> None:
    """Their weights sum to the largest row or column sum, which no list can do with less."""
    terms = birkhoff(*triplets(rows))
    lines = [sum(row) for row in rows] + [sum(column) for column in zip(*rows, strict=True)]
    assert sum(weight for weight, _ in terms) == max(lines)
    assert sum_of(terms, (len(rows), len(rows[0]))) == rows
    for weight, permutation in terms:
        used = permutation[permutation != NONE].tolist()
        assert weight > 0
        assert used
        assert len(set(used)) == len(used)
    assert len(terms) <= sum(1 for row in rows for entry in row if entry)


def test_the_heaviest_permutation_comes_first() -> None:
    """Not the first that is found: uniform traffic and three quarters of a shift."""
    size = 8
    rows = [[Fraction(1, 4 * size)] * size for _ in range(size)]
    for row in range(size):
        rows[row][(row + 3) % size] += Fraction(3, 4)
    terms = birkhoff(*triplets(rows))
    assert terms[0][0] == Fraction(3, 4) + Fraction(1, 4 * size)
    assert terms[0][1].tolist() == [(row + 3) % size for row in range(size)]
    assert len(terms) == size


def test_a_permutation_is_its_own_decomposition() -> None:
    """Whatever it weighs."""
    terms = birkhoff([0, 1, 2], [2, 0, 1], [Fraction(5, 3)] * 3)
    assert [(w, p.tolist()) for w, p in terms] == [(Fraction(5, 3), [2, 0, 1])]


def test_nothing_is_a_sum_of_nothing() -> None:
    """A matrix of zeros needs no term."""
    assert birkhoff([0], [0], [0], (3, 2)) == []
    assert birkhoff([], [], []) == []


@pytest.mark.parametrize(
    ("row", "amount"), [(0, Fraction(-1, 2)), (2, Fraction(1)), (-1, Fraction(1))]
)
def test_a_matrix_that_cannot_be_decomposed_is_refused(row: int, amount: Fraction) -> None:
    """Negative entries, and entries outside."""
    with pytest.raises(InputError, match="expected no negative entry and none outside"):
        birkhoff([row], [0], [amount], (2, 2))


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([(Fraction(1), [1, 0])], "do not sum"),
        ([(Fraction(1, 2), [0, 1])], "do not sum"),
        ([(Fraction(1), [0, 0])], "takes a column twice"),
        ([(Fraction(0), [0, 1])], "of weight 0"),
        ([(Fraction(1), [NONE, NONE])], "is empty"),
        ([(Fraction(1), [0, NONE]), (Fraction(1), [NONE, 1])], "the weights sum to 2"),
        ([(Fraction(1, 4), [0, 1])] * 4, "4 terms, more than the bound"),
    ],
)
def test_a_wrong_decomposition_is_not_accepted(
    terms: list[tuple[Fraction, list[int]]], message: str
) -> None:
    """The check does not believe the solver."""
    made = [(weight, np.array(permutation)) for weight, permutation in terms]
    with pytest.raises(ArithmeticError, match=message):
        check_decomposition([0, 1], [0, 1], [1, 1], made, (2, 2))
