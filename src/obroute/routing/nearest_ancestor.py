"""A random nearest common ancestor."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from obroute.network import Network, Path
from obroute.routing.registry import routings
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.routing.tree import TREES, tree_of


@routings.register(
    "random_nca",
    "fat trees: through a nearest common ancestor drawn uniformly",
    defined_for=TREES,
    small=("random_nca",),
)
class RandomNearestAncestor(EqualCostMultipath):
    """Up to a uniformly random nearest common ancestor, and down (Leiserson and others 1992).

    A packet takes each of the ports up with equal probability at every level below. All shortest
    paths lead through nearest common ancestors, as many through each, so that it is ECMP.
    """

    defined_for = TREES

    def __init__(self) -> None:
        super().__init__()

    def check(self, network: Network) -> None:
        """Raise unless the network is a tree of switches."""
        tree_of(network, self.name, self.defined_for)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for each choice of ports up."""
        self.check(network)
        yield from super().paths(network, source, destination)
