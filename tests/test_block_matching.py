"""Many channels in one call: the same loads, flows and potentials as one after the other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute.block_certificates import WorstCaseBlocks, check_each
from obroute.block_matching import worst_case_of_each
from obroute.certificates import CertificateError, check_certificate
from obroute.matching import worst_case
from obroute.pair_load_blocks import PairLoadBlocks
from obroute.rational import RationalArray, SparseRationalMatrix


@st.composite
def problems(draw: st.DrawFn) -> tuple[PairLoadBlocks, RationalArray, RationalArray]:
    """One to four channels between few terminals, of one packet per cycle or of several."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    numbers = st.lists(st.integers(0, 6), min_size=rows * columns, max_size=rows * columns)
    matrices = []
    for _ in range(draw(st.integers(1, 4))):
        numerators = np.array(draw(numbers)).reshape(rows, columns)
        where = np.nonzero(numerators)
        values = RationalArray(numerators[where], draw(st.integers(1, 5)))
        matrices.append(SparseRationalMatrix.from_triplets(*where, values, numerators.shape))
    bandwidths = [
        RationalArray.from_fractions(
            draw(st.lists(st.sampled_from([Fraction(1), Fraction(3, 2)]), min_size=n, max_size=n))
        )
        for n in (rows, columns)
    ]
    if rows == columns:
        matrices += [turned(matrix) for matrix in matrices]
    return PairLoadBlocks.of([*matrices, *matrices[:2]]), bandwidths[0], bandwidths[1]


def turned(matrix: SparseRationalMatrix) -> SparseRationalMatrix:
    """Exchange sources and destinations."""
    return SparseRationalMatrix.from_triplets(
        matrix.columns, matrix.rows, matrix.values, matrix.shape[::-1]
    )


@given(problems())
@settings(max_examples=100)
def test_each_is_as_it_is_alone(
    problem: tuple[PairLoadBlocks, RationalArray, RationalArray],
) -> None:
    """The loads are the same, and the proofs hold, of channels that are alike as well."""
    blocks, *bandwidths = problem
    found = worst_case_of_each(blocks, *bandwidths)
    check_each(found, *bandwidths)
    for place in range(len(blocks)):
        matrix = blocks.matrix(place)
        alone = worst_case(matrix, *bandwidths, place)
        mine = found.worst_case(place)
        check_certificate(mine, matrix, *bandwidths)
        assert mine.load == alone.load
        again = worst_case_of_each(PairLoadBlocks.of([matrix]), *bandwidths)
        assert again.load(0) == alone.load


def square() -> tuple[WorstCaseBlocks, RationalArray]:
    """Two channels between two terminals."""
    values = RationalArray(np.array([2, 3, 2]), 3)
    places = np.array([0, 0, 1]), np.array([0, 1, 1])
    matrix = SparseRationalMatrix.from_triplets(*places, values, (2, 2))
    unit = RationalArray.full(2, 1)
    return worst_case_of_each(PairLoadBlocks.of([matrix, matrix], [4, 9]), unit, unit), unit


@pytest.mark.parametrize(
    ("what", "change", "message"),
    [
        ("values", 1, "recorded"),
        ("u", 1, "the potentials bound the load by"),
        ("v", -9, "potential is negative|the potentials bound"),
        ("flow", 1, "more than its bandwidth"),
        ("flow", -2, "is negative|loads it with"),
    ],
)
def test_a_changed_proof_is_refused_and_its_channel_named(
    what: str, change: int, message: str
) -> None:
    """The second channel's, whatever of it is changed."""
    right, unit = square()
    check_each(right, unit, unit)
    changed = getattr(right, what).copy()
    changed[-1] += change
    wrong = replace(right, **{what: changed})
    with pytest.raises(CertificateError, match=f"channel 9: .*({message})"):
        check_each(wrong, unit, unit)


def test_sums_beyond_63_bits_are_checked_one_by_one() -> None:
    """Where a sum might wrap around, the exact check of one channel decides."""
    right, unit = square()
    huge = replace(right, u=right.u + 2**60)
    with pytest.raises(CertificateError, match="channel 4: the potentials bound"):
        check_each(huge, unit, unit)


def test_loads_that_need_more_than_63_bits_are_refused() -> None:
    """They are solved one at a time, where all sizes are."""
    matrix = SparseRationalMatrix.from_triplets(
        np.array([0, 1]), np.array([0, 1]), RationalArray(np.array([2**60, 2**60]), 1), (2, 2)
    )
    unit = RationalArray.full(2, 1)
    with pytest.raises(ValueError, match="beyond 63 bits"):
        worst_case_of_each(PairLoadBlocks.of([matrix]), unit, unit)
    wide = matrix.scaled(Fraction(2**9))
    with pytest.raises(ValueError, match="beyond 63 bits"):
        PairLoadBlocks.of([wide])
