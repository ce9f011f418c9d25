"""Matrices that are sums of Kronecker products, held as their factors.

The pair loads of a channel of a grid are of this form (:mod:`obroute.routing.product_form`): few
terms, each a product of one small matrix a dimension. What needs only sums, single entries or a
sweep over the rows takes them from the factors; the list of all non-zero entries, which grows with
the fourth power of the radix of a two-dimensional torus, is made when it is asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational import (
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    UnexpandedMatrix,
    multiply_integers,
    sum_integers,
)

Factors = Sequence[RationalArray]
"""One square matrix a dimension; their Kronecker product is a term."""

Triplets = tuple[IntArray, IntArray, RationalArray]
"""Rows, columns and values; a place may come more than once."""


@dataclass(frozen=True)
class Proposal:
    """Traffic and potentials that may prove a worst case; nothing rests on their being right.

    ``permutation`` has the destination of each source, the potentials are one a terminal.
    """

    permutation: IntArray
    source_potentials: RationalArray
    destination_potentials: RationalArray


class ProductMatrix(UnexpandedMatrix):
    """A square sum of Kronecker products, which expands into triplets where they are asked for.

    Parameters
    ----------
    terms
        The factors of each term, one a dimension; entries that are not negative.
    expand
        Makes the same matrix as triplets.
    propose
        Makes a proposal for the worst case, or None.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> loads = make_routing("romm").pair_loads(make_network("torus:9x9"), 0)
    >>> type(loads).__name__, len(loads.terms), loads.nonzeros, str(loads.sum())
    ('ProductMatrix', 3, 290, '90')
    """

    def __init__(
        self,
        terms: Sequence[Factors],
        expand: Callable[[], SparseRationalMatrix],
        propose: Callable[[], Proposal | None] | None = None,
    ) -> None:
        sizes = [len(factor) for factor in terms[0]]
        count = math.prod(sizes)
        self.__dict__.update(
            terms=tuple(tuple(factors) for factors in terms),
            sizes=tuple(sizes),
            shape=(count, count),
            _expand=expand,
            propose=propose,
        )

    terms: tuple[tuple[RationalArray, ...], ...]
    sizes: tuple[int, ...]
    propose: Callable[[], Proposal | None] | None
    _expand: Callable[[], SparseRationalMatrix]

    def __repr__(self) -> str:
        return f"ProductMatrix({len(self.terms)} terms, sizes {self.sizes})"

    def __reduce__(self) -> tuple[Any, ...]:
        expanded = self.expanded
        fields = expanded.rows, expanded.columns, expanded.values, expanded.shape
        return SparseRationalMatrix, fields

    @cached_property
    def expanded(self) -> SparseRationalMatrix:
        """The matrix as triplets."""
        return self._expand()

    @property
    def is_wide(self) -> bool:
        """Say that it is not, without expanding it."""
        return False

    @cached_property
    def nonzeros(self) -> int:
        """Number of non-zero entries, counted in the factors by the terms that have them."""
        counts = {(1 << len(self.terms)) - 1: 1}
        for d in range(len(self.sizes)):
            present = np.stack([factors[d].numerators.ravel() != 0 for factors in self.terms])
            kinds, repeats = np.unique(np.packbits(present, axis=0), axis=1, return_counts=True)
            spare = -len(present) % 8
            masks = [int.from_bytes(kind.tobytes(), "big") >> spare for kind in kinds.T]
            combined: Counter[int] = Counter()
            for mask, repeated in zip(masks, repeats.tolist(), strict=True):
                for before, count in counts.items():
                    combined[before & mask] += count * repeated
            del combined[0]
            counts = dict(combined)
        return sum(counts.values())

    def entries(self, rows: NDArray[Any], columns: NDArray[Any]) -> RationalArray:
        """Return the entries at given places, from the factors."""
        places = np.unravel_index(rows, self.sizes), np.unravel_index(columns, self.sizes)
        return reduce(
            RationalArray.plus,
            (
                reduce(
                    RationalArray.times,
                    (f.take((s, t)) for f, s, t in zip(factors, *places, strict=True)),
                )
                for factors in self.terms
            ),
        )

    def some_places(self, count: int, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw rows and columns of non-zero entries, from any term in equal shares."""
        present = [[np.nonzero(f.numerators) for f in factors] for factors in self.terms]
        present = [term for term in present if all(len(rows) for rows, _ in term)]
        if not present:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        drawn = np.array(
            [
                [
                    [ends[place] for ends in dimension]
                    for dimension in present[generator.integers(len(present))]
                    for place in [generator.integers(len(dimension[0]))]
                ]
                for _ in range(count)
            ]
        )
        rows, columns = (np.ravel_multi_index(drawn[:, :, end].T, self.sizes) for end in (0, 1))
        return rows, columns

    def load_at(
        self, rows: NDArray[Any], columns: NDArray[Any], amounts: RationalArray
    ) -> Fraction:
        """Return ``Σ amount · entry`` over given places, exactly and from the factors."""
        row_places = np.unravel_index(rows, self.sizes)
        column_places = np.unravel_index(columns, self.sizes)
        load = Fraction(0)
        for factors in self.terms:
            numerators, denominator = amounts.numerators, amounts.denominator
            keep = np.arange(len(numerators))
            for factor, row, column in zip(factors, row_places, column_places, strict=True):
                found = factor.numerators[row[keep], column[keep]]
                present = np.flatnonzero(found)
                keep, numerators = keep[present], numerators[present]
                numerators = multiply_integers(numerators, found[present])
                denominator *= factor.denominator
            load += Fraction(sum_integers(numerators), denominator)
        return load

    def entry(self, row: int, column: int) -> Fraction:
        """Return one entry."""
        return self.load_at(np.array([row]), np.array([column]), RationalArray.full(1, 1))

    def weighted_sum(self, row_weights: RationalArray, column_weights: RationalArray) -> Fraction:
        """Return ``Σ row_weight · entry · column_weight`` exactly."""
        weights = row_weights, column_weights
        if any(len(set(weight.numerators.tolist())) != 1 for weight in weights):
            return self.expanded.weighted_sum(row_weights, column_weights)
        return self.sum() * row_weights.fraction(0) * column_weights.fraction(0)

    def sum(self) -> Fraction:
        """Return the exact sum of all entries, a sum of products of sums."""
        products = (
            math.prod((factor.sum() for factor in factors), start=Fraction(1))
            for factors in self.terms
        )
        return sum(products, Fraction(0))

    def halves(self) -> list[tuple[RationalArray, RationalArray]]:
        """Return two factors a term: those of the first dimensions multiplied, and of the rest.

        The dimensions are parted where the two sizes are most alike.
        """
        cuts = range(1, len(self.sizes)) if len(self.sizes) > 1 else [0]
        cut = min(cuts, key=lambda cut: math.prod(self.sizes[:cut]) + math.prod(self.sizes[cut:]))
        return [(_product(factors[:cut]), _product(factors[cut:])) for factors in self.terms]


def _product(factors: Factors) -> RationalArray:
    made = RationalArray(np.ones((1, 1), dtype=np.int64), 1)
    for factor in factors:
        size = len(made) * len(factor)
        numerators = multiply_integers(
            made.numerators[:, None, :, None], factor.numerators[None, :, None, :]
        )
        made = RationalArray(numerators.reshape(size, size), made.denominator * factor.denominator)
    return made


def kronecker_triplets(factors: Factors) -> Triplets:
    """Return the non-zero entries of the Kronecker product of matrices."""
    rows = columns = np.zeros(1, dtype=np.int64)
    values = RationalArray.full(1, 1)
    for factor in factors:
        height, width = factor.shape
        s, t = np.nonzero(factor.numerators)
        present = factor.take((s, t)).reduced()
        rows = (rows[:, None] * height + s).ravel()
        columns = (columns[:, None] * width + t).ravel()
        numerators = multiply_integers(values.numerators[:, None], present.numerators[None, :])
        values = RationalArray(numerators.ravel(), values.denominator * present.denominator)
    return rows, columns, values
