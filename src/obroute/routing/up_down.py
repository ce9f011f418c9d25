"""``up*/down*``: shortest among the paths that never go up again after they went down."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.registry import routings
from obroute.routing.rounded_loads import RoundedLoads
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.specs import InputError, Parameter
from obroute.topologies.tree import Tree

_DEFINED_FOR = "networks whose channels lead both ways and whose terminals meet below a root"

Root = Annotated[
    str,
    Parameter(
        "the node that all others are below; the top switches of a tree, or else the node whose "
        "farthest terminal is nearest, where none is given",
        str,
    ),
]


@routings.register(
    "up_down",
    "up*/down*: shortest paths that go up towards a root first, and then only down",
    defined_for=_DEFINED_FOR,
    examples=("up_down", "up_down:root=0"),
    small=("up_down", "up_down:root=0"),
)
class UpDown(Routing):
    """The ``up*/down*`` routing (Schroeder and others 1991), which cannot deadlock.

    A node is as many levels below the root as it has hops to it; with several roots, to the
    nearest. A channel leads up if its head is on a higher level than its tail, or on the same and
    has the lower number; else down. A legal path takes channels up, or none, and then channels
    down, or none. All legal paths of a pair that are shortest among these are equally likely.

    Without ``root`` the top switches of a tree are the roots; on any other network it is the first
    of the nodes whose farthest terminal is nearest.

    >>> from obroute import evaluate
    >>> [str(evaluate("torus:4x4", name).worst_case_load) for name in ("up_down", "dor")]
    ['15/4', '3/2']
    """

    defined_for = _DEFINED_FOR

    def __init__(self, root: Root = "") -> None:
        super().__init__()
        self.root = root
        self.ecmp = EqualCostMultipath()

    def roots(self, network: Network) -> IntArray:
        """Return the nodes that all others are below."""
        if self.root:
            return np.array([network.node_named(self.root)])
        if isinstance(network, Tree):
            return np.flatnonzero(network.levels == network.height)
        return np.array([np.argmin(network.distances.max(axis=0))])

    def goes_up(self, network: Network) -> NDArray[np.bool_]:
        """Say of each channel whether it leads up."""
        hops = dijkstra(network.adjacency.T, indices=self.roots(network), unweighted=True)
        level = hops.min(axis=0)
        above, below = level[network.head], level[network.tail]
        return np.asarray((above < below) | ((above == below) & (network.head < network.tail)))

    def check(self, network: Network) -> None:
        """Raise where a channel leads one way alone, or terminals have no root in common."""
        self._layers(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield every legal path of the fewest hops."""
        layers = self._layers(network)
        ends = source, destination + layers.node_count - network.node_count
        for probability, path in self.ecmp.paths(layers, *ends):
            yield probability, _taken(network, path)

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one channel after another by its share."""
        layers = self._layers(network)
        ends = source, destination + layers.node_count - network.node_count
        return _taken(network, self.ecmp.sample_path(layers, *ends, generator))

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of the channel's layer."""
        return self.ecmp.pair_loads(self._layers(network), channel)

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the loads of the channels' layers."""
        return self.ecmp.rounded_loads(self._layers(network))

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what hops and counts between the nodes of both layers take."""
        return self.ecmp.bytes_to_bound(self._layers(network), loads)

    def symmetries(self, network: Network) -> Generators:
        """Return those of a whole tree; elsewhere the numbers of nodes matter."""
        return network.automorphisms() if self._layers(network) is network else {}

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops, without those from layer to layer."""
        layers = self._layers(network)
        return layers.mean_shortest_path_length() - (layers is not network)

    def _layers(self, network: Network) -> Network:
        """Return a network whose shortest paths are the legal ones: of a whole tree, itself."""
        if isinstance(network, Tree) and network.intact and not self.root:
            return network
        return self.remember(network, "layers", lambda: self._in_layers(network))

    def _in_layers(self, network: Network) -> Network:
        """Return channels up in one layer of nodes, down in a second, and a way over at each node.

        The shortest paths from a source above to a destination below are the legal ones, with a
        hop more; channels keep their numbers.
        """
        if (network.adjacency.astype(bool) != network.adjacency.T.astype(bool)).nnz:
            raise self._undefined(network, "a channel leads one way alone")
        if self.root and not network.has_node(self.root):
            raise self._undefined(network, f"it has no node {self.root}")
        down = ~self.goes_up(network) * network.node_count
        nodes = np.arange(network.node_count)
        try:
            return Network(
                f"{network.name} in layers",
                2 * network.node_count,
                np.concatenate([network.tail + down, nodes]),
                np.concatenate([network.head + down, nodes + network.node_count]),
                sources=network.sources,
                injection=network.injection,
                destinations=network.destinations + network.node_count,
                ejection=network.ejection,
                connected=not isinstance(network, Tree) or bool(self.root) or network.intact,
            )
        except InputError:
            raise self._undefined(network, "terminals have no root in common") from None

    def _undefined(self, network: Network, why: str) -> InputError:
        return InputError(
            f"{self.name} is not defined on {network.name}: {why}; it is defined for "
            f"{self.defined_for}"
        )


def _taken(network: Network, path: Path) -> Path:
    return tuple(channel for channel in path if channel < network.channel_count)
