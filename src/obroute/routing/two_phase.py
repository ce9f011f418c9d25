"""Two-phase routings: through a random intermediate node, anywhere or in a quadrant."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from obroute.network import Network
from obroute.product_matrix import Proposal
from obroute.routing.grid import GridRouting
from obroute.routing.grid_moves import (
    ONE,
    RANDOM,
    SPLIT,
    DimensionsInOrder,
    Plan,
    Ties,
    hops,
    minimal_directions,
)
from obroute.routing.quadrant_worst_case import worst_case_of_quadrants
from obroute.routing.registry import routings
from obroute.routing.valiant import Valiant
from obroute.specs import InputError
from obroute.topologies.grid import GRIDS, NEGATIVE, POSITIVE, STEP, Grid


def uniform_intermediate_plans(
    radix: int, wrap: bool, source: int, destination: int, ties: str
) -> list[Plan]:
    """Return the plans through a coordinate drawn from the whole dimension, shortest ways."""
    return [
        Plan(first * second / radix, middle, there, onwards)
        for middle in range(radix)
        for first, there in minimal_directions(radix, wrap, source, middle, ties)
        for second, onwards in minimal_directions(radix, wrap, middle, destination, ties)
    ]


def quadrant_plans(
    radix: int,
    wrap: bool,
    source: int,
    destination: int,
    directions: list[tuple[Fraction, int]],
) -> list[Plan]:
    """Return the plans through a coordinate drawn from the way to the destination."""
    plans = []
    for probability, direction in directions:
        distance = hops(radix, wrap, source, destination, direction)
        for step in range(distance + 1):
            middle = (source + STEP[direction] * step) % radix
            plans.append(Plan(probability / (distance + 1), middle, direction, direction))
    return plans


@Valiant.way_of(Grid, *GRIDS)
class ValiantOfGrids(GridRouting):
    """Valiant's algorithm (VAL): DOR to a node drawn from all N, then DOR to the destination."""

    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return every intermediate coordinate, equally likely."""
        return uniform_intermediate_plans(radix, wrap, source, destination, self.ties)


@routings.register(
    "romm",
    "through a random node of the minimal quadrant",
    defined_for=GridRouting.defined_for,
    examples=("romm", "romm:order=fixed"),
    small=("romm", "romm:order=fixed", "romm:order=1-0", "romm:ties=positive"),
)
class Romm(GridRouting):
    """ROMM, two phases: the intermediate node is uniform in the minimal quadrant.

    With ``order=random`` each phase draws an order of the dimensions, independently (technical
    report, section 5); with ``order=fixed`` both phases take dimension order (SPAA 2003,
    Table 1). An offset of half a ring first draws the direction, evenly, then the quadrant.

    >>> from obroute import evaluate
    >>> evaluate("torus:5x5", "romm").worst_case_load
    Fraction(8, 3)
    """

    takes_shortest_paths = True

    def __init__(self, order: DimensionsInOrder = RANDOM, ties: Ties = SPLIT) -> None:
        super().__init__(order, ties)

    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return every coordinate on the shortest way, equally likely."""
        directions = minimal_directions(radix, wrap, source, destination, self.ties)
        return quadrant_plans(radix, wrap, source, destination, directions)

    def propose_worst_case(self, grid: Grid, channel: int) -> Proposal | None:
        """Return the closed form of random order on cubes of two dimensions and odd radix."""
        return worst_case_of_quadrants(grid, channel) if self.order.is_random else None


class _LocalBalance(GridRouting):
    """What RLB and RLBth share; they differ in when the long way is allowed."""

    defined_for: ClassVar[str] = "torus, ring and hypercube networks (every dimension wraps)"

    def __init__(self, order: DimensionsInOrder = RANDOM) -> None:
        super().__init__(order)

    def check(self, network: Network) -> None:
        """Raise unless every dimension of the grid wraps around."""
        super().check(network)
        assert isinstance(network, Grid)
        for dimension, (radix, wrap) in enumerate(
            zip(network.radices, network.wraps, strict=True)
        ):
            if radix > 2 and not wrap:
                raise InputError(
                    f"routing {self.name} is not defined on {network.name}: dimension {dimension} "
                    f"has no long way round; it is defined for {self.defined_for}"
                )

    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return the coordinates on the short way or the long way, drawn as the class says."""
        forward = (destination - source) % radix
        distance = min(forward, radix - forward)
        if not wrap or distance == 0:
            direction = POSITIVE if destination >= source else NEGATIVE
            return quadrant_plans(radix, wrap, source, destination, [(ONE, direction)])
        short = POSITIVE if 2 * forward <= radix else NEGATIVE
        long = NEGATIVE if short == POSITIVE else POSITIVE
        chance = self.chance_of_long_way(radix, distance)
        directions = [(1 - chance, short), (chance, long)]
        return quadrant_plans(
            radix, wrap, source, destination, [(p, way) for p, way in directions if p]
        )

    def chance_of_long_way(self, radix: int, distance: int) -> Fraction:
        """Return Δ/k, which balances the two ways round the ring locally."""
        return Fraction(distance, radix)


@routings.register(
    "rlb",
    "randomised local balance: the long way round with probability Δ/k",
    defined_for=_LocalBalance.defined_for,
    examples=("rlb",),
    small=("rlb", "rlb:order=fixed"),
)
class RandomizedLocalBalance(_LocalBalance):
    """RLB: per dimension at minimal distance Δ > 0, the short way with probability (k - Δ)/k.

    The intermediate node is uniform in the quadrant so chosen and both phases keep the chosen
    directions; ``order`` as in ROMM (SPAA 2003, Table 1, for ``fixed``).

    >>> from obroute import evaluate
    >>> evaluate("ring:5", "rlb").worst_case_load
    Fraction(6, 5)
    """


@routings.register(
    "rlbth",
    "RLB that always takes the short way where Δ < k/4",
    defined_for=_LocalBalance.defined_for,
    examples=("rlbth",),
    small=("rlbth", "rlbth:order=fixed"),
)
class ThresholdLocalBalance(_LocalBalance):
    """RLB with a threshold: always the short way in a dimension where Δ < k/4.

    >>> from obroute import evaluate
    >>> evaluate("ring:5", "rlbth").worst_case_load
    Fraction(7, 5)
    """

    def chance_of_long_way(self, radix: int, distance: int) -> Fraction:
        """Return zero below the threshold, else as in RLB."""
        return Fraction(0) if 4 * distance < radix else super().chance_of_long_way(radix, distance)
