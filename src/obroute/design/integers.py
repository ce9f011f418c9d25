"""Sums of large integers in compiled code: fixed numbers of limbs of 40 bits.

Exact duals have denominators of hundreds of bits, and sums of their numerators along paths are
compared millions of times; Python's integers would take minutes for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.rational import IntArray

LIMB_BITS = 40
"""Of an ``int64``: two million limbs can be added up before one is carried over."""
MASK = (1 << LIMB_BITS) - 1


def limb_count(largest: int) -> int:
    """Return how many limbs hold integers up to ``largest``, with one for the sign."""
    return max(largest.bit_length(), 1) // LIMB_BITS + 2


def to_limbs(values: Sequence[int] | NDArray[Any], limbs: int) -> IntArray:
    """Return integers of any size as an array values × limbs, the lowest first.

    Examples
    --------
    >>> to_limbs([3, 2**40 + 1], 2).tolist()
    [[3, 0], [1, 1]]
    """
    parts = np.empty((len(values), limbs), dtype=np.int64)
    rest = np.asarray(values)
    if rest.dtype != np.int64:
        rest = np.asarray(values, dtype=object)
    for limb in range(limbs):
        parts[:, limb] = rest & MASK if limb < limbs - 1 else rest
        rest = rest >> LIMB_BITS
    return parts


def carried_over(sums: IntArray) -> IntArray:
    """Return sums of limbs (the last axis) with every limb but the last between 0 and 2^40."""
    carried = sums.copy()
    for limb in range(carried.shape[-1] - 1):
        carried[..., limb + 1] += carried[..., limb] >> LIMB_BITS
        carried[..., limb] &= MASK
    return carried


def negative(sums: IntArray) -> NDArray[np.bool_]:
    """Say which sums of limbs are below zero."""
    return np.asarray(carried_over(sums)[..., -1] < 0)


def least(sums: IntArray) -> IntArray:
    """Return the least of several sums of limbs, carried over.

    Examples
    --------
    >>> least(to_limbs([2**50 + 1, 2**50, 2**90], 3)).tolist() == to_limbs([2**50], 3)[0].tolist()
    True
    """
    rows = carried_over(sums)
    for limb in range(rows.shape[1] - 1, -1, -1):
        rows = rows[rows[:, limb] == rows[:, limb].min()]
    return np.asarray(rows[0])


def from_limbs(limbs: IntArray) -> list[int]:
    """Return the integers of an array values × limbs.

    Examples
    --------
    >>> from_limbs(to_limbs([5, -(2**90)], 4))
    [5, -1237940039285380274899124224]
    """
    total = np.zeros(len(limbs), dtype=object)
    for limb in range(limbs.shape[1]):
        total += limbs[:, limb].astype(object) << (LIMB_BITS * limb)
    integers: list[int] = total.tolist()
    return integers


def times(matrix: csr_array, vector: NDArray[Any]) -> NDArray[Any]:
    """Multiply a sparse matrix by a vector of integers of any size.

    Examples
    --------
    >>> times(csr_array([[1, -2], [0, 0], [0, 3]]), np.array([2**70, 2**69])).tolist()[:2]
    [0, 0]
    """
    products = matrix.data.astype(object) * vector.astype(object)[matrix.indices]
    sums = np.zeros(matrix.shape[0], dtype=object)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(products, matrix.indptr[filled])
    return sums
