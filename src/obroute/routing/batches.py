"""Routings that draw the paths of many pairs at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network, Path
from obroute.routing.contract import PathBatch, Routing


class BatchRouting(Routing):
    """A routing that draws paths for many pairs at once; one path is a batch of one."""

    @abstractmethod
    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw one path for each pair of nodes."""

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one path from the distribution."""
        ends = np.array([source]), np.array([destination])
        return self.sample_paths(network, *ends, generator).path(0)
