"""Routings that are another one on each network.

By what the network's family says, or read from a file that only a network explains.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import PathBatch, Routing
from obroute.routing.rounded_loads import RoundedLoads


class Delegated(Routing):
    """A routing that is, on a network, the one that :meth:`on` returns, made once.

    Everything that is asked of it on a network is asked of that one.
    """

    @abstractmethod
    def make(self, network: Network) -> Routing:
        """Return the routing on a network, checked there.

        Raises
        ------
        InputError
            Where it is not defined.
        """

    def on(self, network: Network) -> Routing:
        """Return the routing on a network."""
        return self.remember(network, "made", lambda: self.make(network))

    def check(self, network: Network) -> None:
        """Raise where it is none on the network."""
        self.on(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of what it is on the network."""
        return self.on(network).paths(network, source, destination)

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw a path of each pair."""
        return self.on(network).sample_paths(network, sources, destinations, generator)

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one path."""
        return self.on(network).sample_path(network, source, destination, generator)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of every channel by the paths of the given pairs."""
        return self.on(network).channel_loads(network, sources, destinations)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel."""
        return self.on(network).pair_loads(network, channel)

    def pair_loads_of_each(
        self, network: Network, channels: Sequence[int]
    ) -> list[SparseRationalMatrix]:
        """Return the loads of each of many channels."""
        return self.on(network).pair_loads_of_each(network, channels)

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the loads of all channels, sorted by channel."""
        return self.on(network).rounded_loads(network)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what it takes."""
        return self.on(network).bytes_to_bound(network, loads)

    def symmetries(self, network: Network) -> Generators:
        """Return the symmetries that it respects there."""
        return self.on(network).symmetries(network)

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops of its paths."""
        return self.on(network).mean_path_length(network)

    def most_crossings(self, network: Network) -> int:
        """Return how often a path crosses one channel at the most."""
        return self.on(network).most_crossings(network)

    def longest_path(self, network: Network) -> int | None:
        """Return the hops of the longest path."""
        return self.on(network).longest_path(network)
