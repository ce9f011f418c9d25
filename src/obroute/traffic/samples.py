"""Samples: seeded random traffic, doubly stochastic matrices of one of three kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from obroute.choices.traffic import MATRIX_KIND
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix
from obroute.specs import InputError
from obroute.traffic.demands import Traffic

MATRIX_BITS = 30
"""Entries of matrices taken exactly are multiples of 2 to the minus this."""
STOCHASTIC = 1e-12
"""By how much the sums of rows may differ from one after scaling."""


def _permutation(generator: np.random.Generator, terminals: int) -> FloatArray:
    return _mean_of_permutations(generator, terminals, 1)


def _mixture(generator: np.random.Generator, terminals: int) -> FloatArray:
    return _mean_of_permutations(generator, terminals, terminals)


def _mean_of_permutations(
    generator: np.random.Generator, terminals: int, count: int
) -> FloatArray:
    matrix = np.zeros((terminals, terminals))
    rows = np.arange(terminals)
    for _ in range(count):
        matrix[rows, generator.permutation(terminals)] += 1 / count
    return matrix


def _sinkhorn(generator: np.random.Generator, terminals: int) -> FloatArray:
    matrix = generator.random((terminals, terminals))
    while np.abs(matrix.sum(axis=1) - 1).max() > STOCHASTIC:
        matrix /= matrix.sum(axis=1, keepdims=True)
        matrix /= matrix.sum(axis=0, keepdims=True)
    return matrix


_KINDS: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "permutation": _permutation,
    "mixture": _mixture,
    "sinkhorn": _sinkhorn,
}
MATRIX_KINDS = tuple(_KINDS)
"""Kinds of random matrices, see :data:`~obroute.choices.traffic.MatrixKind`."""


@dataclass(frozen=True)
class Sample:
    """Seeded random traffic matrices, each row and column of sum one.

    Matrix i depends on the seed, the kind and ``first + i`` alone, so any split into parts draws
    the same.

    Parameters
    ----------
    count
        How many matrices.
    seed
        Seed of the draws.
    kind
        One of ``MATRIX_KINDS``.
    first
        Number of the first.

    Raises
    ------
    InputError
        If the kind is unknown.

    Examples
    --------
    >>> sample = Sample(3, seed=1)
    >>> [part.permutations(4).tolist() for part in sample.parts(2)]
    [[[0, 1, 2, 3], [2, 0, 1, 3]], [[3, 1, 0, 2]]]
    """

    count: int
    seed: int = 0
    kind: str = MATRIX_KIND
    first: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InputError(f"unknown kind '{self.kind}'; expected {', '.join(_KINDS)}")

    def parts(self, size: int) -> list[Sample]:
        """Return it in parts of at most so many matrices."""
        return [
            replace(self, first=self.first + at, count=min(size, self.count - at))
            for at in range(0, self.count, size)
        ]

    def following(self, count: int) -> Sample:
        """Return so many further matrices of the same seed, the next ones."""
        return replace(self, first=self.first + self.count, count=count)

    def _generators(self) -> list[np.random.Generator]:
        numbers = range(self.first, self.first + self.count)
        return [np.random.default_rng([self.seed, number]) for number in numbers]

    def permutations(self, terminals: int) -> IntArray:
        """Return a random permutation a row, those of the matrices of kind ``permutation``."""
        return np.stack([generator.permutation(terminals) for generator in self._generators()])

    def matrices(self, terminals: int) -> FloatArray:
        """Return the matrices, count × terminals × terminals."""
        draw = _KINDS[self.kind]
        found = np.empty((self.count, terminals, terminals))
        for place, generator in enumerate(self._generators()):
            found[place] = draw(generator, terminals)
        return found

    def traffic(self, network: Network) -> list[Traffic]:
        """Return the matrices as exact traffic of a network with as many sources as destinations.

        Permutations are exact; entries of others are rounded to ``MATRIX_BITS`` binary places.
        """
        scale = 1 if self.kind == "permutation" else 2**MATRIX_BITS
        found = []
        for part in self.parts(1):
            (matrix,) = part.matrices(len(network.sources))
            amounts = np.rint(matrix * scale).astype(np.int64)
            sources, destinations = np.nonzero(amounts)
            values = RationalArray(amounts[sources, destinations], scale)
            triplets = sources, destinations, values
            exact = SparseRationalMatrix.from_triplets(*triplets, amounts.shape)
            name = f"{self.kind} {part.first} of seed {self.seed}"
            found.append(Traffic.of_amounts(network, exact, name))
        return found


def random_permutations(count: int, terminals: int, seed: int, first: int = 0) -> IntArray:
    """Return the permutations of a :class:`Sample`, one a row.

    >>> random_permutations(2, 4, seed=1).tolist()
    [[0, 1, 2, 3], [2, 0, 1, 3]]
    """
    return Sample(count, seed, first=first).permutations(terminals)


def random_doubly_stochastic(
    count: int, terminals: int, seed: int, kind: str, first: int = 0
) -> FloatArray:
    """Return the matrices of a :class:`Sample`, count × terminals × terminals."""
    return Sample(count, seed, kind, first).matrices(terminals)
