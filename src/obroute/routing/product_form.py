"""Pair loads of grid routings as sums of products over the dimensions.

Where a packet's way in one dimension is independent of the others, the load of a channel is a
sum of few terms, each a product of one factor a dimension. For one channel and all pairs a term is
a Kronecker product of radix × radix matrices; for given pairs and all channels it is, pair by
pair, an outer product of vectors. Only non-zero entries are ever formed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.product_matrix import ProductMatrix, Proposal, Triplets, kronecker_triplets
from obroute.rational import (
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    concatenate,
    least_common_denominator,
)
from obroute.routing.grid_moves import Plan, hops, remove_loops
from obroute.topologies.grid import NEGATIVE, POSITIVE, STEP, Grid

ENTRIES_AT_ONCE = 2**20
"""Products formed before they are added; many of them fall on the same place."""

MOST_TERMS = 100
"""Terms up to which pair loads are held as their factors."""

# The factors of a load term: functions of one dimension's source s and destination t, given the
# coordinate x of the channel in that dimension. See DimensionTables.
SOURCE, MIDDLE, DESTINATION = "source", "middle", "destination"
FIRST, SECOND, ERASED = "first", "second", "erased"
STAYS, LEAVES, ARRIVES = "stays", "leaves", "arrives"

Crossing = tuple[tuple[str, Fraction], ...]
"""A linear combination of the crossing factors ``first``, ``second`` and ``erased``."""


@dataclass(frozen=True)
class LoadTerm:
    """One Kronecker product: a factor in each other dimension times a sum of crossings."""

    others: tuple[str, ...]
    crossing: Crossing


class DimensionTables:
    """The factors of the load terms in one dimension, tabulated by enumerating the plans.

    With i the intermediate coordinate:

    - ``source``, ``destination``: s = x, t = x;
    - ``middle``: the probability that i = x;
    - ``first``, ``second``: the expected number of times that the way from s to i, or from i to
      t, crosses the channel leaving x in the given direction;
    - ``erased``: the same for the whole way s, i, t after its loops are removed;
    - ``stays``: s = t = x; ``leaves``: s = x and t ≠ x; ``arrives``: t = x and s ≠ x.

    In a wrapped dimension a factor depends on x - s and t - s alone, so the table has two axes;
    otherwise its axes are x, s and t.
    """

    def __init__(
        self,
        plans_between: Callable[[int, bool, int, int], list[Plan]],
        radix: int,
        wrap: bool,
        removes_loops: bool,
    ) -> None:
        self.radix, self.wrap = radix, wrap
        starts = range(1) if wrap else range(radix)
        pairs = [(s, t) for s in starts for t in range(radix)]
        plans = {pair: plans_between(radix, wrap, *pair) for pair in pairs}
        self.denominator = least_common_denominator(
            plan.probability for choices in plans.values() for plan in choices
        )
        shape = (radix, len(starts), radix)
        self.tables = {MIDDLE: np.zeros(shape, dtype=object)}
        # changes of each table along its first axis; summed up, they are the table
        steps = {
            f"{name} {direction}": np.zeros((radix + 1, *shape[1:]), dtype=object)
            for name in (FIRST, SECOND)
            for direction in (POSITIVE, NEGATIVE)
        }
        for direction in (POSITIVE, NEGATIVE):
            self.tables[f"{ERASED} {direction}"] = np.zeros(shape, dtype=object)
        for (s, t), choices in plans.items():
            for plan in choices:
                share = plan.probability
                weight = share.numerator * (self.denominator // share.denominator)
                middle = plan.intermediate
                self.tables[MIDDLE][middle, s, t] += weight
                for name, start, end, direction in (
                    (FIRST, s, middle, plan.first_direction),
                    (SECOND, middle, t, plan.second_direction),
                ):
                    crossed = hops(radix, wrap, start, end, direction)
                    lowest = start if direction == POSITIVE else start - crossed + 1
                    if crossed:
                        change = steps[f"{name} {direction}"][:, s, t]
                        _add_range(change, lowest % radix, crossed, weight)
                if removes_loops:
                    first = self._walk(s, middle, plan.first_direction)
                    second = self._walk(middle, t, plan.second_direction)
                    walk = remove_loops([*first, *second[1:]])
                    for here, there in itertools.pairwise(walk):
                        up = (there - here) % radix == 1 if wrap else there > here
                        direction = POSITIVE if up else NEGATIVE
                        self.tables[f"{ERASED} {direction}"][here, s, t] += weight
        self.tables.update({key: np.cumsum(step, axis=0)[:-1] for key, step in steps.items()})

    def _walk(self, start: int, end: int, direction: int) -> list[int]:
        count = hops(self.radix, self.wrap, start, end, direction)
        return [(start + STEP[direction] * step) % self.radix for step in range(count + 1)]

    def at(self, factor: str, x: NDArray[Any], s: NDArray[Any], t: NDArray[Any]) -> RationalArray:
        """Return a factor at broadcast coordinates x, s and t."""
        x, s, t = np.broadcast_arrays(x, s, t)
        simple = {
            SOURCE: lambda: s == x,
            DESTINATION: lambda: t == x,
            STAYS: lambda: (s == x) & (t == x),
            LEAVES: lambda: (s == x) & (t != x),
            ARRIVES: lambda: (t == x) & (s != x),
        }
        if factor in simple:
            return RationalArray(simple[factor]().astype(np.int64), 1)
        table = self._compact[factor]
        if self.wrap:
            found = table.numerators[(x - s) % self.radix, 0, (t - s) % self.radix]
        else:
            found = table.numerators[x, s, t]
        return RationalArray(found, table.denominator)

    @cached_property
    def _compact(self) -> dict[str, RationalArray]:
        return {
            name: RationalArray(table, self.denominator).reduced()
            for name, table in self.tables.items()
        }

    def widest(self, *names: str) -> int:
        """Return the most coordinates x at which one pair has a non-zero factor of those names."""
        counts = [
            np.count_nonzero(table, axis=0).max()
            for key, table in self.tables.items()
            if key.split()[0] in names
        ]
        return max(1, int(max(counts)))

    def factor(
        self,
        term: LoadTerm,
        own: int,
        dimension: int,
        direction: int,
        x: NDArray[Any],
        s: NDArray[Any],
        t: NDArray[Any],
    ) -> RationalArray:
        """Return a term's factor in this dimension, ``own``, for a channel in ``dimension``."""
        if own == dimension:
            return self.crossing(term.crossing, direction, x, s, t)
        return self.at(term.others[own], x, s, t)

    def crossing(
        self,
        combination: Crossing,
        direction: int,
        x: NDArray[Any],
        s: NDArray[Any],
        t: NDArray[Any],
    ) -> RationalArray:
        """Return a combination of crossing factors at broadcast coordinates."""
        parts = [
            self.at(f"{name} {direction}", x, s, t).scaled(weight) for name, weight in combination
        ]
        denominator = math.lcm(*(part.denominator for part in parts))
        total = sum(part.over(denominator) for part in parts)
        return RationalArray(np.asarray(total), denominator).reduced()


def _add_range(changes: NDArray[Any], low: int, count: int, weight: int) -> None:
    """Add a weight to ``count`` coordinates of a ring from ``low`` on, given its changes."""
    radix = len(changes) - 1
    high = low + count
    changes[low] += weight
    if high > radix:
        changes[radix] -= weight
        changes[0] += weight
        high -= radix
    changes[high] -= weight


@dataclass(frozen=True)
class _Sparse:
    """The non-zero entries of a factor for each of many pairs: coordinates x and values."""

    starts: IntArray
    counts: IntArray
    coordinates: IntArray
    values: RationalArray

    @classmethod
    def of(cls, factor: RationalArray) -> _Sparse:
        """Compress a pairs × radix array by its rows."""
        rows, coordinates = np.nonzero(factor.numerators)
        counts = np.bincount(rows, minlength=factor.shape[0])
        values = factor.take((rows, coordinates)).reduced()
        return cls(np.cumsum(counts) - counts, counts, coordinates, values)


def kronecker_sum(
    grid: Grid,
    channel: int,
    terms: Sequence[LoadTerm],
    tables: Sequence[DimensionTables],
    propose: Callable[[], Proposal | None] | None = None,
) -> SparseRationalMatrix:
    """Return the pair loads of a channel, sources × destinations, as their factors.

    Where there are more than ``MOST_TERMS`` they are listed: on a hypercube, the entries are fewer
    than what is looked at in the factors.
    """
    assert grid.coordinates is not None
    dimension, direction, tail = grid.place_of_channel[channel].tolist()
    place = grid.coordinates[tail]
    known: dict[tuple[int, Any], RationalArray] = {}
    factors = []
    for term in terms:
        made = []
        for d, radix in enumerate(grid.radices):
            key = d, term.crossing if d == dimension else term.others[d]
            if key not in known:
                s, t = np.divmod(np.arange(radix * radix), radix)
                factor = tables[d].factor(term, d, dimension, direction, place[d], s, t).reduced()
                known[key] = RationalArray(
                    factor.numerators.reshape(radix, radix), factor.denominator
                )
            made.append(known[key])
        factors.append(made)
    shape = grid.node_count, grid.node_count
    matrix = ProductMatrix(
        factors, lambda: _added(map(kronecker_triplets, factors), shape), propose
    )
    return matrix if len(factors) <= MOST_TERMS else matrix.expanded


def outer_sum(
    grid: Grid,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    terms: Sequence[Sequence[LoadTerm]],
    tables: Sequence[DimensionTables],
) -> SparseRationalMatrix:
    """Return the loads of every channel by given pairs, pairs × channels.

    ``terms`` are those of a channel in each dimension.
    """
    step = max(1, ENTRIES_AT_ONCE // _entries_of_a_pair(tables))
    products = (
        (pairs + first, channels, values)
        for first in range(0, len(sources), step)
        for pairs, channels, values in _outer_products(
            grid,
            sources[first : first + step],
            destinations[first : first + step],
            terms,
            tables,
        )
    )
    return _added(products, (len(sources), grid.channel_count))


def _entries_of_a_pair(tables: Sequence[DimensionTables]) -> int:
    """Return the most channels of one direction that a pair can load."""
    middles = [table.widest(MIDDLE) for table in tables]
    crossings = [table.widest(FIRST, SECOND, ERASED) for table in tables]
    return max(
        crossing * math.prod(middles[:d] + middles[d + 1 :])
        for d, crossing in enumerate(crossings)
    )


def _outer_products(
    grid: Grid,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    terms: Sequence[Sequence[LoadTerm]],
    tables: Sequence[DimensionTables],
) -> Iterator[Triplets]:
    assert grid.coordinates is not None
    start, end = grid.coordinates[sources], grid.coordinates[destinations]
    known: dict[tuple[Any, ...], _Sparse] = {}
    for dimension, direction in itertools.product(range(len(grid.radices)), (POSITIVE, NEGATIVE)):
        for term in terms[dimension]:
            pairs = np.arange(len(sources))
            tails = np.zeros(len(sources), dtype=np.int64)
            values = RationalArray.full(len(sources), 1)
            for d, radix in enumerate(grid.radices):
                crossing = (term.crossing, direction) if d == dimension else term.others[d]
                if (d, crossing) not in known:
                    x, s, t = np.arange(radix)[None, :], start[:, d, None], end[:, d, None]
                    factor = tables[d].factor(term, d, dimension, direction, x, s, t)
                    known[d, crossing] = _Sparse.of(factor)
                factor_of = known[d, crossing]
                repeats = factor_of.counts[pairs]
                entry = np.repeat(np.arange(len(pairs)), repeats)
                within = np.arange(len(entry)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
                place = factor_of.starts[pairs[entry]] + within
                tails = tails[entry] * radix + factor_of.coordinates[place]
                pairs = pairs[entry]
                values = values.take(entry).times(factor_of.values.take(place))
            yield pairs, grid.channel_at[dimension, direction, tails], values


def _added(products: Iterable[Triplets], shape: tuple[int, int]) -> SparseRationalMatrix:
    """Add products as they come, so that few are held at a time that fall on the same places."""
    held: list[Triplets] = []
    waiting = added = 0
    for product in products:
        held.append(product)
        waiting += len(product[0])
        if waiting > max(ENTRIES_AT_ONCE, added):
            total = _sum(held, shape)
            held = [(total.rows, total.columns, total.values)]
            waiting, added = 0, total.nonzeros
    total = _sum(held, shape)
    return SparseRationalMatrix(total.rows, total.columns, total.values.reduced(), shape)


def _sum(products: Sequence[Triplets], shape: tuple[int, int]) -> SparseRationalMatrix:
    if not products:
        return SparseRationalMatrix.zero(shape)
    rows, columns, values = zip(*products, strict=True)
    return SparseRationalMatrix.from_triplets(
        np.concatenate(rows), np.concatenate(columns), concatenate(values), shape
    )
