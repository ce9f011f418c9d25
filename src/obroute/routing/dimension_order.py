"""Dimension-order routing, and O1TURN, which draws the order."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from obroute.routing.by_family import ByFamily
from obroute.routing.grid import GridRouting
from obroute.routing.grid_moves import (
    FIXED,
    RANDOM,
    SPLIT,
    DimensionsInOrder,
    Plan,
    Ties,
    minimal_directions,
)
from obroute.routing.registry import routings
from obroute.topologies.grid import GRIDS, POSITIVE, Grid


class _Minimal(GridRouting):
    """One phase of shortest ways: the intermediate node is the destination."""

    takes_shortest_paths = True

    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return the shortest ways to the destination, which is its own intermediate."""
        return [
            Plan(probability, destination, direction, POSITIVE)
            for probability, direction in minimal_directions(
                radix, wrap, source, destination, self.ties
            )
        ]

    def phase_orders(
        self, dimensions: int
    ) -> Iterator[tuple[Fraction, tuple[int, ...], tuple[int, ...]]]:
        """Yield the orders of the one phase."""
        for probability, order in self.order.orders(dimensions):
            yield probability, order, order


@routings.register(
    "dor",
    "dimension-order routing; e-cube on a hypercube",
    aliases=("e-cube", "ecube", "xy"),
    defined_for=lambda: DimensionOrder.families(),  # noqa: PLW0108  # no class yet
    examples=("dor", "dor:order=1-0"),
    small=("dor", "dor:order=1-0", "dor:order=random", "dor:ties=positive"),
)
class DimensionOrder(ByFamily):
    """Dimension-order routing (DOR): shortest ways, dimension 0 first.

    ``order`` gives another order of the dimensions. On grids an offset of exactly half a ring
    goes both ways evenly unless ``ties`` is ``positive`` (SPAA 2003, Table 1).

    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:5x5")
    >>> [torus.path_nodes(0, path) for _, path in make_routing("dor").paths(torus, 0, 7)]
    [(0, 5, 6, 7)]
    """

    takes_shortest_paths = True

    def __init__(self, order: DimensionsInOrder = FIXED, ties: Ties = SPLIT) -> None:
        super().__init__()
        self.order, self.ties = order, ties


@DimensionOrder.way_of(Grid, *GRIDS)
class DimensionOrderOfGrids(_Minimal):
    """Dimension order on tori, meshes, rings and hypercubes."""


@routings.register(
    "o1turn",
    "each order of the dimensions equally likely",
    defined_for=GridRouting.defined_for,
    examples=("o1turn",),
    small=("o1turn", "o1turn:ties=positive"),
)
class O1Turn(_Minimal):
    """O1TURN: shortest ways, every order of the dimensions with equal probability.

    >>> from obroute import make_network, make_routing
    >>> mesh = make_network("mesh:3x3")
    >>> [str(p) for p, _ in make_routing("o1turn").paths(mesh, 0, 4)]
    ['1/2', '1/2']
    """

    def __init__(self, ties: Ties = SPLIT) -> None:
        super().__init__(RANDOM, ties)
