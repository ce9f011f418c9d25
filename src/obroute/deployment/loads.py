"""Pair loads of a routing under search, and the worst case of each channel, in floats.

A search needs many worst cases and trusts none: what it finds is evaluated exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from obroute.deployment.images import Images
from obroute.matching import worst_case
from obroute.network import Network
from obroute.rational import FloatArray, RationalArray, SparseRationalMatrix

GRAIN = 10**9
"""Loads are told apart to one part of so many."""

Score = tuple[float, int, float]
"""The worst load, how many channels have it, and the sum of the squares of all: less is better."""


@dataclass(eq=False)
class SearchLoads:
    """The pair loads of every channel, with the worst case of one of each orbit.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:4")
    >>> loads = SearchLoads(ring, Images.free(ring))
    >>> loads.add(0, 1, np.array([0]), 1.0)
    >>> loads.refresh([0]), loads.score()
    (None, (1.0, 1, 1.0))
    """

    network: Network
    images: Images

    def __post_init__(self) -> None:
        shape = len(self.network.sources), len(self.network.destinations)
        self.pair_loads = np.zeros((self.network.channel_count, *shape))
        self.first = self.images.first_channels
        self.place = {channel: place for place, channel in enumerate(self.first)}
        self.orbit = np.searchsorted(self.first, self.images.channels.min(axis=0))
        self.values = np.zeros(len(self.first))
        self.bandwidth = self.network.bandwidth.to_float()
        self.is_unit = self.network.has_unit_terminals

    def add(
        self, source: int, destination: int, channels: NDArray[np.int64], share: float
    ) -> None:
        """Add a load of a pair, by positions, to channels; and all its images."""
        images = self.images
        self.pair_loads[
            images.channels[:, channels],
            images.sources[:, [source]],
            images.destinations[:, [destination]],
        ] += share

    def set_column(self, destination: int, loads: FloatArray) -> list[int]:
        """Set the loads by all sources (channels × sources) to a destination; and all images.

        Returns
        -------
        list of int
            The orbits of the channels whose loads are others now.
        """
        before = self.pair_loads[:, :, destination]
        changed = np.flatnonzero(np.abs(before - loads).max(axis=1) > 1 / GRAIN)
        images = self.images
        for element in range(len(images.nodes)):
            there = int(images.destinations[element, destination])
            rows = images.channels[element][:, np.newaxis]
            self.pair_loads[rows, images.sources[element], there] = loads
        found: list[int] = np.unique(self.orbit[changed]).tolist()
        return found

    def orbits(self, channels: NDArray[np.int64]) -> list[int]:
        """Return the orbits of channels."""
        found: list[int] = np.unique(self.orbit[channels]).tolist()
        return found

    def refresh(self, orbits: list[int]) -> None:
        """Solve the worst cases of orbits anew."""
        for orbit in orbits:
            self.values[orbit] = self._worst(self.first[orbit])

    def _worst(self, channel: int) -> float:
        loads = self.pair_loads[channel]
        if self.is_unit:
            value = float(loads[linear_sum_assignment(loads, maximize=True)].sum())
        else:
            rows, columns = np.nonzero(loads)
            numbers = np.rint(loads[rows, columns] * GRAIN).astype(np.int64)
            listed = SparseRationalMatrix.from_triplets(
                rows, columns, RationalArray(numbers, GRAIN), loads.shape
            )
            network = self.network
            value = float(worst_case(listed, network.injection, network.ejection).load)
        return round(value / float(self.bandwidth[channel]) * GRAIN) / GRAIN

    def score(self) -> Score:
        """Return how good all is."""
        worst = float(self.values.max(initial=0.0))
        return worst, int((self.values >= worst).sum()), float((self.values**2).sum())

    def busy_pairs(self, orbit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of a permutation that loads a channel of an orbit most, where it does."""
        loads = self.pair_loads[self.first[orbit]]
        if self.is_unit:
            rows, columns = linear_sum_assignment(loads, maximize=True)
            taken = loads[rows, columns] > 1 / GRAIN
            return rows[taken], columns[taken]
        rows, columns = np.nonzero(loads)
        return rows, columns
