"""Shifts of the coordinates of grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray
from obroute.specs import Parameter, parse_choice
from obroute.topologies.grid import Grid
from obroute.traffic.registry import GRIDS, Pattern, patterns


def _shift(dimensions: str, offset: Callable[[int], int]) -> Pattern:
    def destinations(network: Network) -> IntArray | None:
        if not isinstance(network, Grid):
            return None
        assert network.coordinates is not None
        moved = network.coordinates.copy()
        for dimension in range(len(network.radices) if dimensions == "all" else 1):
            moved[:, dimension] += offset(network.radices[dimension])
        return network.node_at(moved % np.array(network.radices))

    return Pattern(destinations)


Dimensions = Annotated[
    str, Parameter("shift the first coordinate only, or all", parse_choice("first", "all"))
]


@patterns.register(
    "tornado",
    "just under half way round: ⌈k/2⌉-1 up in dimension 0",
    defined_for=GRIDS,
    examples=("tornado",),
    small=("tornado", "tornado:dimensions=all"),
)
def tornado(dimensions: Dimensions = "first") -> Pattern:
    """Return the shift by ⌈k/2⌉-1, which is (k-1)/2 for odd k (technical report, Figure 7)."""
    return _shift(dimensions, lambda radix: (radix - 1) // 2)


@patterns.register(
    "neighbor",
    "one up in every dimension",
    defined_for=GRIDS,
    examples=("neighbor",),
    small=("neighbor", "neighbor:dimensions=first"),
)
def neighbor(dimensions: Dimensions = "all") -> Pattern:
    """Return the shift by one."""
    return _shift(dimensions, lambda radix: 1)
