"""Seeded random permutations and doubly stochastic matrices."""

from __future__ import annotations

import numpy as np

from obroute.rational import FloatArray, IntArray

MATRIX_KINDS = ("permutation", "mixture", "sinkhorn")


def random_permutations(count: int, terminals: int, seed: int, first: int = 0) -> IntArray:
    """Return seeded random permutations, one a row.

    Row i depends on the seed and ``first + i`` alone, so any split into batches draws the same.

    >>> random_permutations(2, 4, seed=1).tolist() == random_permutations(
    ...     1, 4, 1
    ... ).tolist() + random_permutations(1, 4, 1, first=1).tolist()
    True
    """
    return np.stack(
        [
            np.random.default_rng([seed, first + index]).permutation(terminals)
            for index in range(count)
        ]
    )


def random_doubly_stochastic(
    count: int, terminals: int, seed: int, kind: str, first: int = 0
) -> FloatArray:
    """Return seeded random doubly stochastic matrices, count × terminals × terminals.

    ``permutation`` draws single permutations, ``mixture`` the mean of as many permutations as
    there are terminals, ``sinkhorn`` scales a matrix of uniform entries until rows and columns
    sum to one (to 1e-12).
    """
    found = np.zeros((count, terminals, terminals))
    rows = np.arange(terminals)
    for index in range(count):
        generator = np.random.default_rng([seed, first + index])
        matrix = found[index]
        if kind == "sinkhorn":
            matrix[:] = generator.random((terminals, terminals))
            while np.abs(matrix.sum(axis=1) - 1).max() > 1e-12:
                matrix /= matrix.sum(axis=1, keepdims=True)
                matrix /= matrix.sum(axis=0, keepdims=True)
        else:
            draws = terminals if kind == "mixture" else 1
            for _ in range(draws):
                matrix[rows, generator.permutation(terminals)] += 1 / draws
    return found
