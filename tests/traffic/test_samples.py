"""Samples of random traffic: seeded, doubly stochastic, the same in any parts."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from obroute import InputError, make_network
from obroute.experiments import design, evaluation
from obroute.traffic import MATRIX_KINDS, Sample, random_doubly_stochastic, random_permutations


def test_random_permutations_do_not_depend_on_the_split_into_batches() -> None:
    """Sample i is that of the seed and of i."""
    whole = Sample(10, seed=3).permutations(16)
    parts = [part.permutations(16) for part in Sample(10, seed=3).parts(4)]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert (np.sort(whole, axis=1) == np.arange(16)).all()
    assert len(np.unique(whole, axis=0)) == 10
    assert Sample(10, seed=4).permutations(16).tolist() != whole.tolist()


def test_random_permutations_are_uniform() -> None:
    """Each of the six permutations of three, within five standard errors."""
    drawn = Sample(3000, seed=1).permutations(3)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 500).max() < 5 * np.sqrt(3000 * 5 / 36)


@pytest.mark.parametrize("kind", MATRIX_KINDS)
def test_random_matrices_are_doubly_stochastic(kind: str) -> None:
    """No entry is negative, and each row and each column sums to one."""
    found = Sample(5, 7, kind).matrices(12)
    assert found.shape == (5, 12, 12)
    assert found.min() >= 0
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-11
    assert np.abs(found.sum(axis=2) - 1).max() < 1e-11


@pytest.mark.parametrize("kind", MATRIX_KINDS)
def test_random_matrices_do_not_depend_on_the_split_into_batches(kind: str) -> None:
    """Sample i is that of the seed and of i, to the last bit."""
    whole = Sample(5, 7, kind).matrices(6)
    parts = [part.matrices(6) for part in Sample(5, 7, kind).parts(2)]
    assert (np.concatenate(parts) == whole).all()
    assert not (Sample(5, 8, kind).matrices(6) == whole).all()


def test_kinds_of_random_matrices_differ() -> None:
    """Single permutations, means of as many as there are terminals, and full matrices."""
    permutation, mixture, sinkhorn = (Sample(1, 1, kind).matrices(10)[0] for kind in MATRIX_KINDS)
    assert np.isin(permutation, [0, 1]).all()
    assert np.allclose(mixture * 10, np.round(mixture * 10))
    assert 10 < (mixture > 0).sum() < 100
    assert (sinkhorn > 0).all()


@pytest.mark.parametrize("kind", MATRIX_KINDS)
def test_what_follows_a_sample_is_what_a_larger_one_goes_on_with(kind: str) -> None:
    """So a design is judged on matrices that it was not designed for."""
    sample = Sample(3, 7, kind)
    whole = Sample(8, 7, kind).matrices(6)
    both = sample.matrices(6), sample.following(5).matrices(6)
    assert (np.concatenate(both) == whole).all()


@pytest.mark.parametrize("kind", MATRIX_KINDS)
def test_exact_traffic_of_a_sample_is_its_matrices(kind: str) -> None:
    """Permutations exactly, others to the binary places that they are rounded to."""
    network = make_network("torus:3x3")
    sample = Sample(4, 2, kind)
    for traffic, matrix in zip(sample.traffic(network), sample.matrices(9), strict=True):
        assert np.abs(traffic.amounts.to_dense() - matrix).max() <= 2.0**-31
        if kind == "permutation":
            assert traffic.fills_terminals
            assert (matrix[np.arange(9), traffic.full_permutation()] == 1).all()


def test_permutations_of_a_sample_are_its_matrices() -> None:
    """The worst of a sample and its average are over the same traffic."""
    sample = Sample(6, 5)
    drawn, matrices = sample.permutations(7), sample.matrices(7)
    assert matrices.argmax(axis=2).tolist() == drawn.tolist()
    assert random_permutations(3, 7, 5, first=3).tolist() == drawn[3:].tolist()
    assert (random_doubly_stochastic(3, 7, 5, "permutation", first=3) == matrices[3:]).all()


def test_settings_take_every_kind() -> None:
    """The types of the settings repeat the names, so that the command line starts quickly."""
    assert get_args(design.MatrixKind) == get_args(evaluation.MatrixKind) == MATRIX_KINDS


def test_an_unknown_kind_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(InputError, match="'dense'; expected permutation, mixture, sinkhorn"):
        Sample(1, kind="dense")
