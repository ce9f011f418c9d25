"""The least cost of the paths of a program's pairs, in floats: what weights prove a load to have.

Channels cost what the weights of the loads charge their flow variables, and each canonical pair
takes its cheapest path. Floats serve to see when a bracket is narrow; the bound itself is computed
anew in integers (:mod:`obroute.design.full_problem`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from obroute.compiled import compiled
from obroute.network import Network
from obroute.rational import FloatArray, IntArray
from obroute.symmetry import CanonicalPair


@dataclass(frozen=True, eq=False)
class CheapestPaths:
    """The cheapest paths of the canonical pairs, on any channels that they may use.

    ``variables`` holds the flow variable of each pair on each channel, ``shares`` one over the
    number of channels of its orbit.
    """

    network: Network
    sources: IntArray
    destinations: IntArray
    variables: NDArray[np.int32]
    shares: FloatArray

    @classmethod
    def of(cls, network: Network, pairs: Sequence[CanonicalPair]) -> CheapestPaths:
        """Return the paths of canonical pairs."""
        variables = np.stack([pair.flow for pair in pairs])
        sizes = np.bincount(variables[variables >= 0], minlength=int(variables.max()) + 1)
        return cls(
            network,
            np.array([pair.source for pair in pairs]),
            np.array([pair.destination for pair in pairs]),
            variables,
            1.0 / sizes[np.maximum(variables, 0)],
        )

    def cost(self, costs: FloatArray) -> float:
        """Return the least cost of all pairs together, for the cost of each flow variable."""
        lengths = np.where(self.variables >= 0, costs[self.variables] * self.shares, np.inf)
        return float(
            _distances(
                self.network.tail,
                self.network.head,
                lengths,
                self.sources,
                self.destinations,
                self.network.node_count,
            ).sum()
        )


class CheapestListed:
    """The cheapest of the listed paths of the canonical pairs, read off the rows of a routing.

    Parameters
    ----------
    matrix, rhs
        The rows that make flows and path probabilities a routing.
    flows
        The number of flow variables, the first columns of the matrix.
    """

    def __init__(self, matrix: csr_array, rhs: FloatArray, flows: int) -> None:
        listed = csc_array(matrix[:, flows:])
        sums = np.flatnonzero(rhs)
        counts = listed[sums].tocoo()
        order = np.argsort(counts.col)
        self._pair, self._count = counts.row[order], counts.data[order]
        below = np.ones(matrix.shape[0], dtype=np.bool_)
        below[sums] = False
        # Each of these rows sets one flow variable, in order, to what the paths put on it.
        self._used = csr_array(-listed[np.flatnonzero(below)].T)

    def cost(self, costs: FloatArray) -> float:
        """Return the least cost of all pairs together, for the cost of each flow variable."""
        least = np.full(int(self._pair.max()) + 1, np.inf)
        np.minimum.at(least, self._pair, (self._used @ costs) / self._count)
        return float(least.sum())


@compiled
def _distances(
    tail: IntArray,
    head: IntArray,
    lengths: FloatArray,
    sources: IntArray,
    destinations: IntArray,
    nodes: int,
) -> FloatArray:  # pragma: no cover  # compiled
    """Return the distance of each pair under lengths of its own (Bellman and Ford)."""
    least = np.empty(len(sources))
    for pair in range(len(sources)):
        distance = np.full(nodes, np.inf)
        distance[sources[pair]] = 0.0
        changed = True
        while changed:
            changed = False
            for channel in range(len(tail)):
                reach = distance[tail[channel]] + lengths[pair, channel]
                if reach < distance[head[channel]]:
                    distance[head[channel]] = reach
                    changed = True
        least[pair] = distance[destinations[pair]]
    return least
