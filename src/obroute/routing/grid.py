"""Routings on grids that treat the dimensions one at a time, in one or two phases.

Every such routing draws, independently in each dimension, an intermediate coordinate and the
direction of travel before and after it (a *plan*); a packet then moves through the dimensions in
some order to the intermediate node, and in some order on to its destination. The distribution of
plans in one dimension and the distribution of orders define the routing. DOR is the case in which
the intermediate is the destination.

Because the dimensions are independent, the pair loads of a channel are a sum of few Kronecker
products of radix × radix matrices (three for ROMM on a two-dimensional torus, one for DOR):
see :meth:`GridRouting.load_terms`. That is the shortcut; :meth:`GridRouting.paths` is the
definition.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network, Path
from obroute.rational import (
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    concatenate,
    least_common_denominator,
    multiply_integers,
)
from obroute.routing.contract import Routing
from obroute.specs import InputError, Parameter, canonical_name, parse_choice
from obroute.topologies.grid import NEGATIVE, POSITIVE, STEP, Grid

ONE = Fraction(1)
HALF = Fraction(1, 2)
ENTRIES_AT_ONCE = 2**22


class Plan(NamedTuple):
    """How a packet may move in one dimension, and with which probability."""

    probability: Fraction
    intermediate: int
    first_direction: int
    second_direction: int


def hops(radix: int, wrap: bool, start: int, end: int, direction: int) -> int:
    """Return the hops from one coordinate to another in the given direction."""
    distance = (end - start) * STEP[direction]
    return distance % radix if wrap else distance


def minimal_directions(
    radix: int, wrap: bool, start: int, end: int, ties: str
) -> list[tuple[Fraction, int]]:
    """Return the directions of the shortest ways, with probabilities.

    Both, evenly, for an offset of exactly half the ring; only the positive with ``ties ==
    "positive"``.
    """
    if not wrap:
        return [(ONE, POSITIVE if end >= start else NEGATIVE)]
    forward = (end - start) % radix
    if 2 * forward == radix and ties == "split":
        return [(HALF, POSITIVE), (HALF, NEGATIVE)]
    return [(ONE, POSITIVE if 2 * forward <= radix else NEGATIVE)]


@dataclass(frozen=True)
class Order:
    """In which order a phase takes the dimensions: ``fixed``, ``random``, or given (``1-0``)."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Order:
        """Read ``fixed`` (ascending), ``random`` (uniform) or dimensions joined by hyphens."""
        if text not in ("fixed", "random"):
            pieces = text.split("-")
            if sorted(pieces) != sorted(str(d) for d in range(len(pieces))):
                raise InputError(
                    f"'{text}' is not an order; expected fixed, random, or every dimension once, "
                    "such as 1-0"
                )
        return cls(text)

    @property
    def is_random(self) -> bool:
        """Whether every order is equally likely."""
        return self.text == "random"

    def __str__(self) -> str:
        return self.text

    def check(self, dimensions: int) -> None:
        """Raise where a given order is not one of the network's dimensions."""
        if self.text not in ("fixed", "random") and len(self.text.split("-")) != dimensions:
            raise InputError(
                f"order {self.text} names {len(self.text.split('-'))} dimensions, the network has "
                f"{dimensions}; name each once"
            )

    def orders(self, dimensions: int) -> list[tuple[Fraction, tuple[int, ...]]]:
        """Return all orders with their probabilities."""
        if self.text == "fixed":
            return [(ONE, tuple(range(dimensions)))]
        if self.is_random:
            every = list(itertools.permutations(range(dimensions)))
            return [(Fraction(1, len(every)), order) for order in every]
        return [(ONE, tuple(int(d) for d in self.text.split("-")))]

    def taken_before(self, dimension: int, dimensions: int) -> dict[frozenset[int], Fraction]:
        """Return the distribution of the set of dimensions taken before the given one."""
        if not self.is_random:
            order = self.orders(dimensions)[0][1]
            return {frozenset(order[: order.index(dimension)]): ONE}
        others = [d for d in range(dimensions) if d != dimension]
        return {
            frozenset(chosen): Fraction(
                math.factorial(size) * math.factorial(len(others) - size),
                math.factorial(dimensions),
            )
            for size in range(len(others) + 1)
            for chosen in itertools.combinations(others, size)
        }


FIXED = Order("fixed")
RANDOM = Order("random")

ORDER_MEANING = (
    "order of the dimensions in a phase: fixed (ascending), random, or given, as in 1-0"
)
TIES = Parameter(
    "ties",
    "an offset of exactly half a ring goes both ways evenly (split) or up (positive)",
    parse_choice("split", "positive"),
    "split",
)


def order_parameter(default: Order) -> Parameter:
    """Return the parameter ``order``."""
    return Parameter("order", ORDER_MEANING, Order.parse, default)


# The factors of a load term: functions of one dimension's source s and destination t, given the
# coordinate x of the channel in that dimension. See _DimensionTables.
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


class _DimensionTables:
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

    def __init__(self, routing: GridRouting, radix: int, wrap: bool) -> None:
        self.radix, self.wrap = radix, wrap
        starts = range(1) if wrap else range(radix)
        pairs = [(s, t) for s in starts for t in range(radix)]
        plans = {pair: routing.plans(radix, wrap, *pair) for pair in pairs}
        self.denominator = least_common_denominator(
            plan.probability for choices in plans.values() for plan in choices
        )
        shape = (radix, len(starts), radix)
        self.tables = {MIDDLE: np.zeros(shape, dtype=object)}
        for name in (FIRST, SECOND, ERASED):
            for direction in (POSITIVE, NEGATIVE):
                self.tables[f"{name} {direction}"] = np.zeros(shape, dtype=object)
        for (s, t), choices in plans.items():
            for plan in choices:
                weight = int(plan.probability * self.denominator)
                middle = plan.intermediate
                self.tables[MIDDLE][middle, s, t] += weight
                first = self._walk(s, middle, plan.first_direction)
                second = self._walk(middle, t, plan.second_direction)
                self._cross(FIRST, plan.first_direction, first[:-1], s, t, weight)
                self._cross(SECOND, plan.second_direction, second[:-1], s, t, weight)
                if routing.removes_loops:
                    walk = remove_loops([*first, *second[1:]])
                    for here, there in itertools.pairwise(walk):
                        up = (there - here) % radix == 1 if wrap else there > here
                        direction = POSITIVE if up else NEGATIVE
                        self.tables[f"{ERASED} {direction}"][here, s, t] += weight

    def _walk(self, start: int, end: int, direction: int) -> list[int]:
        count = hops(self.radix, self.wrap, start, end, direction)
        return [(start + STEP[direction] * step) % self.radix for step in range(count + 1)]

    def _cross(
        self, name: str, direction: int, tails: list[int], s: int, t: int, weight: int
    ) -> None:
        if tails:
            self.tables[f"{name} {direction}"][tails, s, t] += weight

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

    @property
    def _compact(self) -> dict[str, RationalArray]:
        if not hasattr(self, "_reduced"):
            self._reduced = {
                name: RationalArray(table, self.denominator).reduced()
                for name, table in self.tables.items()
            }
        return self._reduced

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


def remove_loops(nodes: list[int]) -> list[int]:
    """Cut everything between two visits of a node, in the order of walking.

    >>> remove_loops([0, 1, 2, 3, 2, 1, 4])
    [0, 1, 4]
    """
    kept: list[int] = []
    place: dict[int, int] = {}
    for node in nodes:
        if node in place:
            for dropped in kept[place[node] + 1 :]:
                del place[dropped]
            del kept[place[node] + 1 :]
        else:
            place[node] = len(kept)
            kept.append(node)
    return kept


class GridRouting(Routing):
    """A routing on tori, meshes, rings and hypercubes that plans each dimension separately."""

    family: ClassVar[str]
    defined_for: ClassVar[str] = "torus, mesh, ring and hypercube networks"
    removes_loops: ClassVar[bool] = False

    def __init__(self, order: Order, parameters: dict[str, Any], defaults: dict[str, Any]) -> None:
        super().__init__()
        self.order = order
        self.parameters = parameters
        self.name = canonical_name(self.family, parameters, defaults)
        self._tables = cache(self._make_tables)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {key: value for key, value in state.items() if key != "_tables"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._tables = cache(self._make_tables)

    def _make_tables(self, radix: int, wrap: bool) -> _DimensionTables:
        return _DimensionTables(self, radix, wrap)

    @abstractmethod
    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return the plans from one coordinate to another in a dimension; they sum to one."""

    def phase_orders(
        self, dimensions: int
    ) -> Iterator[tuple[Fraction, tuple[int, ...], tuple[int, ...]]]:
        """Yield the orders of both phases with their probability; independent by default."""
        for first_probability, first in self.order.orders(dimensions):
            for second_probability, second in self.order.orders(dimensions):
                yield first_probability * second_probability, first, second

    def check(self, network: Network) -> None:
        """Raise unless the network is a grid that the routing is defined on."""
        if not isinstance(network, Grid):
            raise InputError(
                f"routing {self.name} is not defined on {network.name}; it is defined for "
                f"{self.defined_for} (ecmp and tables work on every network)"
            )
        self.order.check(len(network.radices))

    def _grid(self, network: Network) -> Grid:
        self.check(network)
        assert isinstance(network, Grid)
        return network

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for every plan in each dimension and every order of each phase."""
        grid = self._grid(network)
        assert grid.coordinates is not None
        start, end = grid.coordinates[source].tolist(), grid.coordinates[destination].tolist()
        choices = [
            self.plans(radix, wrap, s, t)
            for radix, wrap, s, t in zip(grid.radices, grid.wraps, start, end, strict=True)
        ]
        for plans in itertools.product(*choices):
            planned = math.prod((plan.probability for plan in plans), start=ONE)
            for ordered, first_order, second_order in self.phase_orders(len(grid.radices)):
                yield (
                    planned * ordered,
                    self._walk(grid, start, end, plans, first_order, second_order),
                )

    def _walk(
        self,
        grid: Grid,
        start: list[int],
        end: list[int],
        plans: tuple[Plan, ...],
        first_order: tuple[int, ...],
        second_order: tuple[int, ...],
    ) -> Path:
        place = list(start)
        middle = [plan.intermediate for plan in plans]
        nodes = [tuple(place)]
        for goal, order, first in ((middle, first_order, True), (end, second_order, False)):
            for dimension in order:
                plan = plans[dimension]
                direction = plan.first_direction if first else plan.second_direction
                radix, wrap = grid.radices[dimension], grid.wraps[dimension]
                for _ in range(hops(radix, wrap, place[dimension], goal[dimension], direction)):
                    place[dimension] = (place[dimension] + STEP[direction]) % radix
                    nodes.append(tuple(place))
        numbers = grid.node_at(np.array(nodes, dtype=np.int64)).tolist()
        if self.removes_loops:
            numbers = remove_loops(numbers)
        return grid.path_from_nodes(numbers)

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw a plan in each dimension and an order for each phase."""
        grid = self._grid(network)
        assert grid.coordinates is not None
        start, end = grid.coordinates[source].tolist(), grid.coordinates[destination].tolist()
        drawn = []
        for radix, wrap, s, t in zip(grid.radices, grid.wraps, start, end, strict=True):
            plans = self.plans(radix, wrap, s, t)
            weights = np.array([float(plan.probability) for plan in plans])
            drawn.append(plans[generator.choice(len(plans), p=weights / weights.sum())])
        orders = list(self.phase_orders(len(grid.radices)))
        weights = np.array([float(probability) for probability, _, _ in orders])
        _, first, second = orders[generator.choice(len(orders), p=weights / weights.sum())]
        return self._walk(grid, start, end, tuple(drawn), first, second)

    def load_terms(self, dimensions: int, dimension: int) -> list[LoadTerm]:
        """Return the Kronecker terms of the pair loads of a channel in the given dimension.

        In the first phase the dimensions taken before the channel's are at the intermediate
        coordinate, the others still at the source; in the second, at the destination and the
        intermediate. Terms that agree in every other dimension are merged, so that their
        crossings add, which also keeps the common denominator small.
        """
        merged: dict[tuple[str, ...], dict[str, Fraction]] = {}
        phases = ((FIRST, MIDDLE, SOURCE), (SECOND, DESTINATION, MIDDLE))
        for crossing, done, waiting in phases:
            for before, weight in self.order.taken_before(dimension, dimensions).items():
                others = tuple(
                    crossing if d == dimension else done if d in before else waiting
                    for d in range(dimensions)
                )
                key = (*others[:dimension], "", *others[dimension + 1 :])
                parts = merged.setdefault(key, {})
                parts[crossing] = parts.get(crossing, Fraction(0)) + weight
        return [LoadTerm(others, tuple(parts.items())) for others, parts in merged.items()]

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the exact pair loads of a channel as a sum of Kronecker products."""
        grid = self._grid(network)
        assert grid.coordinates is not None
        dimension, direction, tail = grid.place_of_channel[channel].tolist()
        place = grid.coordinates[tail]
        terms = [
            self._kronecker_product(grid, term, dimension, direction, place)
            for term in self.load_terms(len(grid.radices), dimension)
        ]
        return _add_reduced(terms)

    def _kronecker_product(
        self, grid: Grid, term: LoadTerm, dimension: int, direction: int, place: IntArray
    ) -> SparseRationalMatrix:
        rows = columns = np.zeros(1, dtype=np.int64)
        values = RationalArray.full(1, 1)
        for d, (radix, wrap) in enumerate(zip(grid.radices, grid.wraps, strict=True)):
            tables = self._tables(radix, wrap)
            s, t = np.divmod(np.arange(radix * radix), radix)
            if d == dimension:
                factor = tables.crossing(term.crossing, direction, place[d], s, t)
            else:
                factor = tables.at(term.others[d], place[d], s, t)
            present = np.flatnonzero(factor.numerators)
            factor = factor.take(present).reduced()
            rows = (rows[:, None] * radix + s[present]).ravel()
            columns = (columns[:, None] * radix + t[present]).ravel()
            products = multiply_integers(values.numerators[:, None], factor.numerators[None, :])
            values = RationalArray(products.ravel(), values.denominator * factor.denominator)
        return SparseRationalMatrix.from_triplets(
            rows, columns, values, (grid.node_count, grid.node_count)
        )

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact channel loads of given pairs as sums of outer products."""
        grid = self._grid(network)
        step = max(1, ENTRIES_AT_ONCE // grid.node_count)
        parts = [
            self._outer_products(grid, sources[at : at + step], destinations[at : at + step], at)
            for at in range(0, len(sources), step)
        ]
        shape = (len(sources), grid.channel_count)
        if not parts:
            return SparseRationalMatrix.zero(shape)
        rows, columns, values = zip(*itertools.chain.from_iterable(parts), strict=True)
        return SparseRationalMatrix.from_triplets(
            np.concatenate(rows), np.concatenate(columns), concatenate(values).reduced(), shape
        )

    def _outer_products(
        self, grid: Grid, sources: NDArray[Any], destinations: NDArray[Any], first_row: int
    ) -> list[tuple[IntArray, IntArray, RationalArray]]:
        assert grid.coordinates is not None
        count = len(sources)
        start, end = grid.coordinates[sources], grid.coordinates[destinations]
        found = []
        for dimension in range(len(grid.radices)):
            terms = self.load_terms(len(grid.radices), dimension)
            for direction in (POSITIVE, NEGATIVE):
                for term in terms:
                    product = RationalArray.full(count, 1).take(np.s_[:, None])
                    for d, (radix, wrap) in enumerate(zip(grid.radices, grid.wraps, strict=True)):
                        tables = self._tables(radix, wrap)
                        x, s, t = np.arange(radix)[None, :], start[:, d, None], end[:, d, None]
                        if d == dimension:
                            factor = tables.crossing(term.crossing, direction, x, s, t)
                        else:
                            factor = tables.at(term.others[d], x, s, t)
                        product = product.take(np.s_[:, :, None]).times(
                            factor.take(np.s_[:, None, :])
                        )
                        product = RationalArray(
                            product.numerators.reshape(count, -1), product.denominator
                        )
                    rows, tails = np.nonzero(product.numerators)
                    channels = grid.channel_at[dimension, direction, tails]
                    found.append((rows + first_row, channels, product.take((rows, tails))))
        return found

    def symmetries(self, network: Network) -> dict[str, IntArray]:
        """Return translations; reflections but for one-sided ties; exchanges for random orders."""
        grid = self._grid(network)
        one_sided = self.parameters.get("ties") == "positive" and any(
            wrap and radix % 2 == 0 for radix, wrap in zip(grid.radices, grid.wraps, strict=True)
        )
        return {
            name: image
            for name, image in grid.automorphisms().items()
            if name.startswith("translate")
            or (name.startswith("reflect") and not one_sided)
            or (name.startswith("exchange") and self.order.is_random)
        }


def _add_reduced(terms: list[SparseRationalMatrix]) -> SparseRationalMatrix:
    total = SparseRationalMatrix.sum_of(terms)
    return SparseRationalMatrix(total.rows, total.columns, total.values.reduced(), total.shape)
