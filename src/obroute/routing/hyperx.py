"""Dimension order on HyperX networks, and all shortest paths: a hop a coordinate that differs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators, Symmetry
from obroute.network import Network, Path
from obroute.product_matrix import Factors, ProductMatrix, kronecker_triplets
from obroute.rational import RationalArray, SparseRationalMatrix, concatenate
from obroute.routing.contract import Routing
from obroute.routing.dimension_order import DimensionOrder
from obroute.routing.grid_moves import FIXED, RANDOM, DimensionsInOrder
from obroute.routing.minimal import Minimal, Split
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.topologies.hyperx import HyperX


@DimensionOrder.way_of(HyperX, "hyperx", "flattened_butterfly")
class DimensionOrderOfHyperX(Routing):
    """Each coordinate that differs is corrected by one hop, in the order of the dimensions.

    >>> from obroute import evaluate
    >>> str(evaluate("hyperx:3x3x3,hosts=3", "dor").worst_case_load)
    '9'
    """

    takes_shortest_paths = True
    has_factors = True

    def __init__(self, order: DimensionsInOrder = FIXED) -> None:
        super().__init__()
        self.order = order

    def check(self, network: Network) -> None:
        """Raise where the order is not one of the network's dimensions."""
        assert isinstance(network, HyperX)
        self.order.check(network.dimensions)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the path of every order."""
        assert isinstance(network, HyperX)
        assert network.coordinates is not None
        self.check(network)
        end = network.coordinates[destination]
        for probability, order in self.order.orders(network.dimensions):
            path, place = [], network.coordinates[source].copy()
            for dimension in order:
                if place[dimension] != end[dimension]:
                    node = int(network.node_at(place))
                    path.append(int(network.channel_along(dimension, node, end[dimension])))
                    place[dimension] = end[dimension]
            yield probability, tuple(path)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel as a sum of products, one a set of earlier dimensions.

        The channel from x to y in a dimension is crossed by the pairs whose source is at x in it
        and in the later dimensions, and whose destination is at y in it and at x in the earlier.
        """
        assert isinstance(network, HyperX)
        assert network.coordinates is not None
        self.check(network)
        dimension, tail, end = network.place_of(channel)
        place = network.coordinates[tail].tolist()
        terms: list[Factors] = []
        for before, weight in self.order.taken_before(dimension, network.dimensions).items():
            factors = []
            for d, radix in enumerate(network.radices):
                ones = np.zeros((radix, radix), dtype=np.int64)
                if d == dimension:
                    ones[place[d], end] = 1
                elif d in before:
                    ones[:, place[d]] = 1
                else:
                    ones[place[d], :] = 1
                factors.append(RationalArray(ones, 1))
            factors[dimension] = factors[dimension].scaled(weight)
            terms.append(tuple(factors))
        return ProductMatrix(terms, lambda: _expanded(terms, network.node_count))

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of all channels by given pairs, for all pairs at once."""
        assert isinstance(network, HyperX)
        assert network.coordinates is not None
        self.check(network)
        start, end = network.coordinates[sources], network.coordinates[destinations]
        rows, columns, values = [], [], []
        for dimension in range(network.dimensions):
            moves = np.flatnonzero(start[:, dimension] != end[:, dimension])
            for before, weight in self.order.taken_before(dimension, network.dimensions).items():
                place = start[moves].copy()
                place[:, list(before)] = end[moves][:, list(before)]
                tail = network.node_at(place)
                rows.append(moves)
                columns.append(network.channel_along(dimension, tail, end[moves, dimension]))
                values.append(RationalArray.full(len(moves), 1).scaled(weight))
        return SparseRationalMatrix.from_triplets(
            np.concatenate(rows),
            np.concatenate(columns),
            concatenate(values),
            (len(start), network.channel_count),
        )

    def symmetries(self, network: Network) -> Generators:
        """Return every order of the coordinates; exchanges of dimensions for random orders."""
        return {
            generator: image
            for generator, image in network.automorphisms().items()
            if generator.kind is not Symmetry.EXCHANGE or self.order.is_random
        }


@Minimal.way_of(HyperX, "hyperx", "flattened_butterfly")
def minimal_of_hyperx(split: Split = "paths") -> Routing:
    """Return all shortest paths: every order of the coordinates that differ, equally likely.

    So it is whether paths or hops are equally likely; by bandwidth it is ``ecmp``.
    """
    return EqualCostMultipath(split) if split == "bandwidth" else DimensionOrderOfHyperX(RANDOM)


def _expanded(terms: list[Factors], nodes: int) -> SparseRationalMatrix:
    triplets = [kronecker_triplets(factors) for factors in terms]
    return SparseRationalMatrix.from_triplets(
        np.concatenate([rows for rows, _, _ in triplets]),
        np.concatenate([columns for _, columns, _ in triplets]),
        concatenate([values for _, _, values in triplets]),
        (nodes, nodes),
    )
