"""Worst cases of pair loads in product form: smaller problems of equal value, and proposals.

Reflections that fix the channel make orbits of sources and destinations. The matching between the
orbits, each with as many units as it has members, and each pair of orbits weighing as much as its
heaviest pair, has the same optimum as the whole (``docs/methods/worst-case.md``). Its potentials
serve every member of an orbit; its flow, spread evenly over the images of the heaviest pair, is
halved until it is a permutation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.orbit_kernel import cross, halve
from obroute.product_certificates import first_short_pair
from obroute.product_matrix import ProductMatrix, Proposal
from obroute.rational import (
    INT64_ROOM,
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    compact_integers,
    multiply_integers,
)

Solver = Callable[
    [SparseRationalMatrix, NDArray[Any], IntArray, IntArray],
    tuple[IntArray, NDArray[Any], NDArray[Any]],
]
"""Makes an optimal flow and potentials from a matrix, its weights, supply and demand."""


@dataclass(frozen=True)
class Solution:
    """Places that load the channel, and potentials of all terminals."""

    sources: IntArray
    destinations: IntArray
    source_potentials: RationalArray
    destination_potentials: RationalArray


def holds(proposal: Proposal, matrix: ProductMatrix) -> bool:
    """Say whether a proposal proves its worst case, of unit terminals."""
    count = matrix.shape[0]
    u, v = proposal.source_potentials, proposal.destination_potentials
    permutation = np.asarray(proposal.permutation)
    if len(u) != count or len(v) != count:
        return False
    if not np.array_equal(np.sort(permutation), np.arange(count)):
        return False
    if min(int(u.numerators.min()), int(v.numerators.min())) < 0:
        return False
    reached = matrix.load_at(np.arange(count), permutation, RationalArray.full(count, 1))
    return reached == u.sum() + v.sum() and first_short_pair(matrix, u, v) is None


def additive_proposal(matrix: ProductMatrix) -> Proposal | None:
    """Return what proves the worst case if all entries are A(s) + B(d) with A and B not zero.

    Potentials that cover all entries and add up to as much as they do are equal to each.
    """
    count = matrix.shape[0]
    every, first = np.arange(count), np.zeros(count, dtype=np.int64)
    b = matrix.entries(first, every)
    column = int(np.argmin(b.numerators))
    b = RationalArray(b.numerators - b.numerators[column], b.denominator)
    a = matrix.entries(every, np.full(count, column))
    if not (a.numerators.any() and b.numerators.any()):
        return None
    if count * (a.sum() + b.sum()) != matrix.sum():
        return None
    return Proposal(np.roll(every, -(count // 2)), a, b)


def reflection(factors: list[RationalArray]) -> IntArray | None:
    """Return a reflection i → c - i that keeps all the given matrices, None if there is none.

    >>> ring = RationalArray(np.array([[0, 1, 0], [2, 0, 3], [0, 1, 0]]), 1)
    >>> reflection([ring]), reflection([RationalArray(np.array([[0, 1, 2]] * 3), 1)])
    (None, None)
    >>> reflection([RationalArray(np.array([[0, 1, 0], [2, 0, 2], [0, 1, 0]]), 1)]).tolist()
    [2, 1, 0]
    """
    size = len(factors[0])
    places = np.arange(size)
    for constant in range(size):
        image = (constant - places) % size
        if np.array_equal(image, places):
            continue
        if all(_keeps(image, factor.numerators) for factor in factors):
            return image
    return None


def _keeps(image: IntArray, matrix: NDArray[Any]) -> bool:
    row = int(np.argmax(np.count_nonzero(matrix, axis=1)))  # the first look turns away most
    if not np.array_equal(matrix[image[row]][image], matrix[row]):
        return False
    return np.array_equal(matrix[np.ix_(image, image)], matrix)


class Collapsed:
    """The matching between orbits of pair loads in product form.

    >>> from obroute import make_network, make_routing
    >>> loads = make_routing("romm").pair_loads(make_network("torus:9x9"), 0)
    >>> Collapsed(loads).matrix.shape
    (45, 45)
    """

    def __init__(self, matrix: ProductMatrix) -> None:
        count, sizes = len(matrix.terms), matrix.sizes
        self.images: list[list[IntArray]] = []
        members, self.representatives, orbits = [], [], []
        for d, size in enumerate(sizes):
            found = reflection([factors[d] for factors in matrix.terms])
            same = np.arange(size)
            self.images.append([same] if found is None else [same, found])
            least = np.min(self.images[-1], axis=0)
            chosen, place, sizes_of = np.unique(least, return_inverse=True, return_counts=True)
            self.representatives.append(chosen)
            orbits.append(place)
            members.append(sizes_of)
        self.sizes = sizes
        self.shape = tuple(len(chosen) for chosen in self.representatives)
        self.units = reduce(np.multiply.outer, members).ravel().astype(np.int64)
        self.orbit = np.ravel_multi_index(np.meshgrid(*orbits, indexing="ij"), self.shape).ravel()
        cut = _cut(self.shape)
        halves = [range(cut), range(cut, len(sizes))]
        sides = [[self._side(matrix.terms[i], dims) for i in range(count)] for dims in halves]
        kinds = [_kinds(side) for side in sides]
        self.table, denominator = _table(kinds[0].values, kinds[1].values)
        heaviest = self.table.max(axis=0)
        patterns = [
            _pattern(side.place, heaviest.any(axis=1 - axis)) for axis, side in enumerate(kinds)
        ]
        starts, columns, self.kinds = cross(
            *patterns[0], *patterns[1], len(kinds[1].place), heaviest > 0
        )
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        weights = compact_integers(heaviest.ravel()[self.kinds])
        values = RationalArray(weights, denominator)
        shape = len(self.units), len(self.units)
        self.matrix = SparseRationalMatrix(rows, columns, values, shape)

    def _side(self, factors: tuple[RationalArray, ...], dims: range) -> list[RationalArray]:
        """Return one half of a term, a matrix of representatives for every image of columns."""
        sides = []
        for images in product(*(self.images[d] for d in dims)):
            made = RationalArray(np.ones((1, 1), dtype=np.int64), 1)
            for d, image in zip(dims, images, strict=True):
                chosen = self.representatives[d]
                part = factors[d].numerators[np.ix_(chosen, image[chosen])]
                size = len(made) * len(chosen)
                numerators = multiply_integers(
                    made.numerators[:, None, :, None], part[None, :, None, :]
                )
                made = RationalArray(
                    numerators.reshape(size, size), made.denominator * factors[d].denominator
                )
            sides.append(made)
        return sides

    def solve(self, solver: Solver) -> Solution:
        """Solve the smaller problem, and return what it says of the whole."""
        values = self.matrix.values
        flow, u, v = solver(self.matrix, values.numerators, self.units, self.units)
        sources, destinations = self._permuted(flow)
        return Solution(
            sources,
            destinations,
            RationalArray(u[self.orbit], values.denominator),
            RationalArray(v[self.orbit], values.denominator),
        )

    def _permuted(self, flow: IntArray) -> tuple[IntArray, IntArray]:
        """Spread a flow between orbits over all images, and halve it to single packets."""
        used = np.flatnonzero(flow)
        chosen = np.argmax(self.table.reshape(len(self.table), -1)[:, self.kinds[used]], axis=0)
        ends = [
            [
                chosen_of[place]
                for chosen_of, place in zip(self.representatives, places, strict=True)
            ]
            for places in (
                np.unravel_index(self.matrix.rows[used], self.shape),
                np.unravel_index(self.matrix.columns[used], self.shape),
            )
        ]
        relative = list(product(*self.images))
        towards = [
            np.select(
                [chosen == place for place in range(len(relative))],
                [images[d][ends[1][d]] for images in relative],
            )
            for d in range(len(self.sizes))
        ]
        sources, destinations = [], []
        for images in relative:
            sources.append(self._nodes(images, ends[0]))
            destinations.append(self._nodes(images, towards))
        amounts = np.tile(flow[used], len(relative))
        rows = np.repeat(np.concatenate(sources), amounts)
        columns = np.repeat(np.concatenate(destinations), amounts)
        for _ in range(int(math.log2(len(relative)))):
            keep = halve(_partners(rows), _partners(columns))
            rows, columns = rows[keep], columns[keep]
        return rows, columns

    def _nodes(self, images: tuple[IntArray, ...], places: list[IntArray]) -> IntArray:
        moved = tuple(image[place] for image, place in zip(images, places, strict=True))
        return np.asarray(np.ravel_multi_index(moved, self.sizes), dtype=np.int64)


def _cut(sizes: tuple[int, ...]) -> int:
    return min(
        range(1, len(sizes) + 1), key=lambda cut: math.prod(sizes[:cut]) + math.prod(sizes[cut:])
    )


def _partners(ends: IntArray) -> IntArray:
    """Pair the edges of each terminal, the last of an odd number with none."""
    order = np.argsort(ends, kind="stable")
    sorted_ends = ends[order]
    first = np.searchsorted(sorted_ends, sorted_ends)
    place = np.arange(len(ends)) - first
    other = np.arange(len(ends)) + np.where(place % 2, -1, 1)
    inside = np.minimum(other, len(ends) - 1)
    paired = (other < len(ends)) & (sorted_ends[inside] == sorted_ends)
    partner = np.full(len(ends), -1, dtype=np.int64)
    partner[order[paired]] = order[other[paired]]
    return partner


@dataclass(frozen=True)
class _Kinds:
    """Which entries of all terms are alike: ``values[term][image]`` of each kind, kind 0 is zero.

    ``place`` has the kind of each entry.
    """

    place: IntArray
    values: list[list[RationalArray]]


def _kinds(side: list[list[RationalArray]]) -> _Kinds:
    shape = side[0][0].shape
    total = np.zeros(math.prod(shape), dtype=np.int64)
    for images in side:
        for part in images:
            _, inverse = np.unique(part.numerators.ravel(), return_inverse=True)
            total = total * (int(inverse.max()) + 1) + inverse
            _, total = np.unique(total, return_inverse=True)
    _, first = np.unique(total, return_index=True)
    values = [[part_of(part, first) for part in images] for images in side]
    return _Kinds(total.reshape(shape), values)


def part_of(part: RationalArray, places: IntArray) -> RationalArray:
    """Return the entries at flat places."""
    return RationalArray(part.numerators.ravel()[places], part.denominator)


def _table(
    left: list[list[RationalArray]], right: list[list[RationalArray]]
) -> tuple[NDArray[Any], int]:
    """Return the entry of every two kinds, images × left × right, and the denominator."""
    denominator = math.lcm(
        *(a[0].denominator * b[0].denominator for a, b in zip(left, right, strict=True))
    )
    images = []
    for g, h in product(range(len(left[0])), range(len(right[0]))):
        parts = []
        for a, b in zip(left, right, strict=True):
            factor = denominator // (a[g].denominator * b[h].denominator)
            numerators = multiply_integers(a[g].numerators, factor)
            parts.append(multiply_integers(numerators[:, None], b[h].numerators[None, :]))
        if max(int(part.max()) for part in parts) * len(parts) >= INT64_ROOM:
            parts = [part.astype(object) for part in parts]
        images.append(sum(parts[1:], parts[0]))
    table = np.stack([np.asarray(image) for image in images])
    common = math.gcd(denominator, int(np.gcd.reduce(table, axis=None)))
    return compact_integers(table // common), denominator // common


def _pattern(kinds: IntArray, wanted: NDArray[np.bool_]) -> tuple[IntArray, IntArray, IntArray]:
    """Return row starts, columns and kinds of the entries of wanted kinds."""
    rows, columns = np.nonzero(wanted[kinds])
    starts = np.searchsorted(rows, np.arange(kinds.shape[0] + 1)).astype(np.int64)
    return starts, columns.astype(np.int64), kinds[rows, columns].astype(np.int64)
