"""IVAL: Valiant's algorithm with the second phase reversed and loops removed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.routing.grid import GridRouting
from obroute.routing.grid_moves import Plan
from obroute.routing.product_form import (
    ARRIVES,
    DESTINATION,
    ERASED,
    FIRST,
    LEAVES,
    MIDDLE,
    SECOND,
    SOURCE,
    STAYS,
    LoadTerm,
)
from obroute.routing.registry import routings
from obroute.routing.two_phase import uniform_intermediate_plans
from obroute.specs import InputError
from obroute.topologies.grid import Grid

MOST_DIMENSIONS_IN_RANDOM_ORDER = 6


@routings.register(
    "ival",
    "VAL with the second phase in reverse order and loops removed",
    defined_for=GridRouting.defined_for,
    examples=("ival",),
    small=("ival", "ival:order=random", "ival:order=1-0,ties=positive"),
)
class Ival(GridRouting):
    """IVAL: DOR to a uniform node, then DOR in reverse order, every loop cut out.

    A node visited twice loses everything between the visits (SPAA 2003, section 5.2). With
    ``order=random`` the first phase draws its order and the second reverses it.

    >>> from obroute import evaluate
    >>> evaluate("torus:4x4", "ival").mean_path_length
    Fraction(49, 16)
    """

    removes_loops = True

    def check(self, network: Network) -> None:
        """Raise also where a random order has too many dimensions to enumerate."""
        super().check(network)
        assert isinstance(network, Grid)
        if self.order.is_random and len(network.radices) > MOST_DIMENSIONS_IN_RANDOM_ORDER:
            raise InputError(
                f"routing {self.name} on {network.name}: a random order is supported for at most "
                f"{MOST_DIMENSIONS_IN_RANDOM_ORDER} dimensions; give one order, or use fixed"
            )

    def plans(self, radix: int, wrap: bool, source: int, destination: int) -> list[Plan]:
        """Return every intermediate coordinate, equally likely."""
        return uniform_intermediate_plans(radix, wrap, source, destination, self.ties)

    def phase_orders(
        self, dimensions: int
    ) -> Iterator[tuple[Fraction, tuple[int, ...], tuple[int, ...]]]:
        """Yield each order of the first phase with its reverse for the second."""
        for probability, order in self.order.orders(dimensions):
            yield probability, order, order[::-1]

    def sample_orders(
        self, count: int, dimensions: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw the order of the first phase; the second reverses it."""
        first = self.order.sample(count, dimensions, generator)
        return first, np.ascontiguousarray(first[:, ::-1])

    def load_terms(self, dimensions: int, dimension: int) -> list[LoadTerm]:
        """Return the Kronecker terms after loops are removed.

        Let m be the last dimension of the order in which source and destination differ. All
        movement in later dimensions closes a loop and goes; the movement in m is one walk s, i,
        t in a single line, whose own loops go; earlier dimensions are crossed once before m, in
        the line of the source, and once after it, in the line of the destination.
        """
        merged: dict[tuple[str, ...], dict[str, Fraction]] = {}

        def add(factors: dict[int, str], crossing: str, weight: Fraction) -> None:
            key = tuple(factors.get(d, "") for d in range(dimensions))
            parts = merged.setdefault(key, {})
            parts[crossing] = parts.get(crossing, Fraction(0)) + weight

        for probability, order in self.order.orders(dimensions):
            at = order.index(dimension)
            before = dict.fromkeys(order[:at], MIDDLE)
            after = order[at + 1 :]
            add({**before, **dict.fromkeys(after, STAYS)}, ERASED, probability)
            for place, last in enumerate(after):
                beyond = dict.fromkeys(after[place + 1 :], STAYS)
                between = after[:place]
                add(
                    {**before, **dict.fromkeys(between, SOURCE), last: LEAVES, **beyond},
                    FIRST,
                    probability,
                )
                add(
                    {**before, **dict.fromkeys(between, DESTINATION), last: ARRIVES, **beyond},
                    SECOND,
                    probability,
                )
        return [LoadTerm(others, tuple(parts.items())) for others, parts in merged.items()]
