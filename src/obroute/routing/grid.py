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
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators, Symmetry
from obroute.network import Network, Path
from obroute.product_matrix import Proposal
from obroute.rational import SparseRationalMatrix
from obroute.routing.batches import BatchRouting
from obroute.routing.contract import PathBatch
from obroute.routing.grid_moves import (
    FIXED,
    ONE,
    POSITIVE_WAY,
    SPLIT,
    DimensionsInOrder,
    Plan,
    Ties,
    hops,
    remove_loops,
)
from obroute.routing.product_form import (
    DESTINATION,
    FIRST,
    MIDDLE,
    SECOND,
    SOURCE,
    DimensionTables,
    LoadTerm,
    kronecker_sum,
    outer_sum,
)
from obroute.routing.walks import PlanSampler, walk_batch
from obroute.specs import InputError
from obroute.topologies.grid import STEP, Grid


class GridRouting(BatchRouting):
    """A routing on tori, meshes, rings and hypercubes that plans each dimension separately."""

    defined_for: ClassVar[str] = "torus, mesh, ring and hypercube networks"
    removes_loops: ClassVar[bool] = False
    has_factors = True

    def __init__(self, order: DimensionsInOrder = FIXED, ties: Ties = SPLIT) -> None:
        super().__init__()
        self.order = order
        self.ties = ties

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

    def longest_path(self, network: Network) -> int:
        """Return the sum over the dimensions of the hops of the longest plan."""
        grid = self._grid(network)
        return sum(
            max(
                hops(radix, wrap, source, plan.intermediate, plan.first_direction)
                + hops(radix, wrap, plan.intermediate, destination, plan.second_direction)
                for source in range(1 if wrap else radix)
                for destination in range(radix)
                for plan in self.plans(radix, wrap, source, destination)
            )
            for radix, wrap in zip(grid.radices, grid.wraps, strict=True)
        )

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw plans and orders for all pairs at once."""
        grid = self._grid(network)
        kinds = list(zip(grid.radices, grid.wraps, strict=True))
        made = self.remember(
            grid,
            "samplers",
            lambda: {kind: PlanSampler.build(self.plans, *kind) for kind in set(kinds)},
        )
        samplers = [made[kind] for kind in kinds]
        orders = self.sample_orders(len(sources), len(grid.radices), generator)
        return walk_batch(
            grid,
            np.asarray(sources),
            np.asarray(destinations),
            samplers,
            orders,
            generator,
            removes_loops=self.removes_loops,
        )

    def sample_orders(
        self, count: int, dimensions: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw the orders of both phases; independent by default, as in :meth:`phase_orders`."""
        first = self.order.sample(count, dimensions, generator)
        return first, self.order.sample(count, dimensions, generator)

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
        dimension = int(grid.place_of_channel[channel, 0])
        terms = self.load_terms(len(grid.radices), dimension)
        return kronecker_sum(
            grid,
            channel,
            terms,
            self._grid_tables(grid),
            lambda: self.propose_worst_case(grid, channel),
        )

    def propose_worst_case(self, grid: Grid, channel: int) -> Proposal | None:
        """Return what may be the worst traffic of a channel with its potentials, None if unknown.

        A closed form, where there is one; it is checked, and left where it does not hold.
        """
        return None

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact channel loads of given pairs as sums of outer products."""
        grid = self._grid(network)
        dimensions = len(grid.radices)
        terms = [self.load_terms(dimensions, dimension) for dimension in range(dimensions)]
        return outer_sum(grid, sources, destinations, terms, self._grid_tables(grid))

    def _grid_tables(self, grid: Grid) -> list[DimensionTables]:
        kinds = list(zip(grid.radices, grid.wraps, strict=True))
        made = self.remember(
            grid,
            "tables",
            lambda: {
                kind: DimensionTables(self.plans, *kind, self.removes_loops) for kind in set(kinds)
            },
        )
        return [made[kind] for kind in kinds]

    def symmetries(self, network: Network) -> Generators:
        """Return translations; reflections but for one-sided ties; exchanges for random orders."""
        grid = self._grid(network)
        one_sided = self.ties == POSITIVE_WAY and any(
            wrap and radix % 2 == 0 for radix, wrap in zip(grid.radices, grid.wraps, strict=True)
        )
        respected = {
            Symmetry.TRANSLATION: True,
            Symmetry.REFLECTION: not one_sided,
            Symmetry.EXCHANGE: self.order.is_random,
        }
        return {
            generator: image
            for generator, image in grid.automorphisms().items()
            if respected[generator.kind]
        }
