"""Symmetries that a search keeps: what is chosen for one destination holds for all alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray


@dataclass(frozen=True, eq=False)
class Images:
    """A group of automorphisms of which only the identity leaves a destination where it is.

    Parameters
    ----------
    network
        The network.
    nodes
        Array elements × nodes: the image of each node. The first element is the identity.
    """

    network: Network
    nodes: IntArray

    @classmethod
    def identity(cls, network: Network) -> Images:
        """Return the group of one element."""
        return cls(network, np.arange(network.node_count)[np.newaxis])

    @classmethod
    def free(cls, network: Network) -> Images:
        """Return a group from the generators that the family declares, translations first.

        A generator is left out if with it something would leave a destination where it is.
        """
        found = cls.identity(network)
        alike = len(set(network.bandwidth.fractions())) == 1 and network.has_unit_terminals
        parallel = network.adjacency.data.max(initial=0) > 1
        if parallel or not alike:
            return found
        declared = network.automorphisms().items()
        used: list[IntArray] = []
        for _, image in sorted(declared, key=lambda each: not each[0].is_translation):
            larger = cls._generated(network, [*used, np.asarray(image)])
            if larger is not None and larger._keeps_terminals():
                found = larger
                used.append(np.asarray(image))
        return found

    @classmethod
    def _generated(cls, network: Network, generators: list[IntArray]) -> Images | None:
        """Return the group of generators; None where it is large, or not free."""
        itself = np.arange(network.node_count)
        known = {tuple(itself.tolist()): None}
        front = list(known)
        while front:
            made = []
            for element in front:
                for image in generators:
                    further = image[list(element)]
                    key = tuple(further.tolist())
                    if key in known:
                        continue
                    fixed = (further == itself)[network.destinations]
                    if fixed.any() or len(known) > len(network.destinations):
                        return None
                    known[key] = None
                    made.append(key)
            front = made
        return cls(network, np.array(list(known), dtype=np.int64))

    def _keeps_terminals(self) -> bool:
        return all(
            bool(np.all(index[self.nodes[:, nodes]] >= 0))
            for index, nodes in (
                (self.network.source_index, self.network.sources),
                (self.network.destination_index, self.network.destinations),
            )
        )

    @property
    def is_trivial(self) -> bool:
        """Whether the identity is all."""
        return len(self.nodes) == 1

    @cached_property
    def channels(self) -> IntArray:
        """Array elements × channels: the image of each channel."""
        if self.is_trivial:
            return np.arange(self.network.channel_count)[np.newaxis]
        tail, head = self.nodes[:, self.network.tail], self.nodes[:, self.network.head]
        return self.network.channels_between(tail.ravel(), head.ravel()).reshape(tail.shape)

    @cached_property
    def sources(self) -> IntArray:
        """Array elements × sources: the position of the image of each source."""
        return np.asarray(self.network.source_index[self.nodes[:, self.network.sources]])

    @cached_property
    def destinations(self) -> IntArray:
        """Array elements × destinations: the position of the image of each destination."""
        return np.asarray(self.network.destination_index[self.nodes[:, self.network.destinations]])

    @cached_property
    def first_destinations(self) -> list[int]:
        """A destination of each orbit, the first."""
        found: list[int] = np.unique(self.destinations.min(axis=0)).tolist()
        return found

    @cached_property
    def first_channels(self) -> list[int]:
        """A channel of each orbit, the first."""
        found: list[int] = np.unique(self.channels.min(axis=0)).tolist()
        return found
