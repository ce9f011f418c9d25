"""Sums of Kronecker products say the same as the triplets that they expand into."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import obroute
from obroute.product_certificates import first_short_pair
from obroute.product_matrix import ProductMatrix, kronecker_triplets
from obroute.rational import RationalArray, SparseRationalMatrix

entries = st.just(Fraction(0)) | st.builds(Fraction, st.integers(1, 6), st.sampled_from([1, 2, 3]))
HUGE = Fraction(1, (2**89 - 1) * (2**61 - 1))


@st.composite
def products(draw: st.DrawFn) -> ProductMatrix:
    """One to three terms of one or two small factors, sometimes with denominators of 150 bits."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
    terms = []
    for _ in range(draw(st.integers(1, 3))):
        unit = draw(st.sampled_from([Fraction(1), HUGE, 1 + HUGE]))
        terms.append(
            [
                RationalArray.from_fractions(
                    [unit * draw(entries) for _ in range(size * size)], (size, size)
                )
                for size in sizes
            ]
        )
    count = int(np.prod(sizes))
    return ProductMatrix(
        terms,
        lambda: SparseRationalMatrix.sum_of(
            [
                SparseRationalMatrix.from_triplets(*kronecker_triplets(term), (count, count))
                for term in terms
            ]
        ),
    )


@given(products(), st.integers(0, 2**20))
@settings(max_examples=60)
def test_entries_and_their_number_are_those_of_the_triplets(
    matrix: ProductMatrix, seed: int
) -> None:
    """None of them is listed to say so."""
    expanded = matrix.expanded
    assert matrix.nonzeros == len(expanded.rows)
    rows, columns = np.indices(matrix.shape).reshape(2, -1)
    assert matrix.entries(rows, columns).fractions() == expanded.entries(rows, columns).fractions()
    drawn = matrix.some_places(5, np.random.default_rng(seed))
    assert len(drawn[0]) == 5 * (matrix.nonzeros > 0)
    assert all(matrix.entry(int(row), int(column)) for row, column in zip(*drawn, strict=True))


@given(products(), st.data())
@settings(max_examples=100)
@pytest.mark.slow
def test_the_first_short_pair_is_that_of_fractions(
    matrix: ProductMatrix, data: st.DataObject
) -> None:
    """Also where potentials are tight, and short by less than a float can tell."""
    count = matrix.shape[0]
    dense = [[matrix.expanded.entry(s, d) for d in range(count)] for s in range(count)]
    u = [max(row) for row in dense]
    v = [Fraction(0)] * count
    for potentials in (u, v):
        place = data.draw(st.integers(0, count - 1))
        step = data.draw(st.sampled_from([Fraction(0), HUGE, -HUGE, -HUGE / 7, Fraction(-1)]))
        potentials[place] = max(Fraction(0), potentials[place] + step)
    short = [(s, d) for s in range(count) for d in range(count) if u[s] + v[d] < dense[s][d]]
    found = first_short_pair(
        matrix, RationalArray.from_fractions(u), RationalArray.from_fractions(v)
    )
    assert found == (short[0] if short else None)


@given(products(), st.data())
@settings(max_examples=50)
def test_sums_and_entries_are_those_of_the_triplets(
    matrix: ProductMatrix, data: st.DataObject
) -> None:
    """Entries, sums, weighted sums, and what is left after a pickle."""
    count, plain = matrix.shape[0], matrix.expanded
    places = st.lists(st.integers(0, count - 1), min_size=1, max_size=5)
    rows = data.draw(places)
    columns = data.draw(st.lists(st.sampled_from(range(count)), min_size=len(rows), max_size=9))
    amounts = RationalArray(np.arange(1, len(rows) + 1), 3)
    load = matrix.load_at(np.array(rows), np.array(columns[: len(rows)]), amounts)
    pairs = zip(rows, columns, strict=False)
    assert load == sum(
        (amounts.fraction(i) * plain.entry(*pair) for i, pair in enumerate(pairs)), Fraction(0)
    )
    assert matrix.entry(rows[0], columns[0]) == plain.entry(rows[0], columns[0])
    assert matrix.sum() == plain.sum()
    for weights in (RationalArray.full(count, Fraction(1, 7)), RationalArray(np.arange(count), 5)):
        assert matrix.weighted_sum(weights, weights) == plain.weighted_sum(weights, weights)
    assert pickle.loads(pickle.dumps(matrix)).equals(plain)


@pytest.mark.parametrize("routing", ["romm", "valiant", "ival", "dor"])
def test_halves_multiply_to_the_pair_loads(routing: str) -> None:
    """On three dimensions, whose factors are multiplied before they are swept."""
    network = obroute.make_network("torus:3x4x3")
    loads = obroute.make_routing(routing).pair_loads(network, 20)
    assert isinstance(loads, ProductMatrix)
    whole = sum(np.kron(left.to_float(), right.to_float()) for left, right in loads.halves())
    assert np.allclose(whole, loads.to_dense())
