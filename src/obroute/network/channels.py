"""The channels of a network, the ports of parallel ones, and paths over them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.network.names import NamedNodes
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, shown

Path = tuple[int, ...]
"""A path: the channels taken, in order; empty from a node to itself."""


def read_only(values: Any) -> IntArray:
    """Return integers as an array that cannot be written to."""
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


class Channels(NamedNodes):
    """Channels between nodes; the fields are those of :class:`~obroute.network.Network`."""

    tail: IntArray
    head: IntArray
    bandwidth: RationalArray
    ports: tuple[str, ...] | None

    @property
    def channel_count(self) -> int:
        """Number of channels."""
        return len(self.tail)

    @cached_property
    def adjacency(self) -> csr_array:
        """Sparse nodes × nodes matrix with the number of channels from one to the other."""
        ones = np.ones(self.channel_count, dtype=np.int64)
        return csr_array((ones, (self.tail, self.head)), shape=(self.node_count, self.node_count))

    @cached_property
    def out_channels(self) -> tuple[IntArray, IntArray]:
        """Channels sorted by tail, and where each node's begin (compressed-row form)."""
        order = np.argsort(self.tail, kind="stable")
        starts = np.searchsorted(self.tail[order], np.arange(self.node_count + 1))
        return read_only(order), read_only(starts)

    @cached_property
    def in_channels(self) -> tuple[IntArray, IntArray]:
        """Channels sorted by head, and where each node's begin (compressed-row form)."""
        order = np.argsort(self.head, kind="stable")
        starts = np.searchsorted(self.head[order], np.arange(self.node_count + 1))
        return read_only(order), read_only(starts)

    @cached_property
    def _channels_by_ends(self) -> tuple[IntArray, IntArray]:
        keys = self.tail * self.node_count + self.head
        order = np.argsort(keys, kind="stable")
        return order.astype(np.int64), keys[order]

    def channels_between(self, tails: NDArray[Any], heads: NDArray[Any]) -> IntArray:
        """Return the first channel from each tail to each head, -1 where there is none."""
        order, keys = self._channels_by_ends
        wanted = np.asarray(tails) * self.node_count + np.asarray(heads)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, order[places], -1).astype(np.int64)

    def parallel_channels(self, tail: int, head: int) -> list[int]:
        """Return every channel from one node to another, in order."""
        order, keys = self._channels_by_ends
        key = tail * self.node_count + head
        first, last = np.searchsorted(keys, [key, key + 1])
        found: list[int] = order[first:last].tolist()
        return found

    def channel(self, tail: int, head: int, port: str | None = None) -> int:
        """Return the channel from one node to another.

        Parameters
        ----------
        tail, head
            The nodes.
        port
            Which one, where there are parallel channels: the name that the network gives it, or
            its number among them from 1.

        Raises
        ------
        InputError
            If there is none, none of that port, or several and no port.
        """
        found = self.parallel_channels(tail, head)
        if port is None and len(found) == 1:
            return found[0]
        ends = f"from node {self.describe(tail)} to node {self.describe(head)}"
        if not found:
            raise InputError(f"{self.name} has no channel {ends}")
        ports = [self.port_name(channel) for channel in found]
        if port is None:
            raise InputError(
                f"{self.name} has {len(found)} parallel channels {ends}; say which by its port: "
                + ", ".join(f"{self.node_name(head)}#{one}" for one in ports)
            )
        if port not in ports:
            raise InputError(
                f"{self.name} has no channel {ends} of port {shown(port)}; expected "
                + ", ".join(ports)
            )
        return found[ports.index(port)]

    def port(self, channel: int) -> str | None:
        """Return the port of a channel, None where no other is parallel to it."""
        others = self.parallel_channels(int(self.tail[channel]), int(self.head[channel]))
        return self.port_name(channel) if len(others) > 1 else None

    def port_name(self, channel: int) -> str:
        """Return the user's name of a channel's port, or its number among parallel ones from 1."""
        if self.ports is not None and self.ports[channel]:
            return self.ports[channel]
        others = self.parallel_channels(int(self.tail[channel]), int(self.head[channel]))
        return str(others.index(channel) + 1)

    def describe_channel(self, channel: int) -> str:
        """Return the labels of a channel's ends, and its port where it has parallel ones.

        >>> from obroute.network import Network
        >>> Network("two cables", 2, [0, 0, 1, 1], [1, 1, 0, 0]).describe_channel(1)
        '0 → 1#2'
        """
        ends = (
            f"{self.describe(int(self.tail[channel]))} → {self.describe(int(self.head[channel]))}"
        )
        port = self.port(channel)
        return ends if port is None else f"{ends}#{port}"

    def path_from_nodes(self, nodes: Sequence[int]) -> Path:
        """Return the path that visits the given nodes; no two channels on it may be parallel."""
        return tuple(self.channel(tail, head) for tail, head in itertools.pairwise(nodes))

    def path_nodes(self, source: int, path: Path) -> tuple[int, ...]:
        """Return the nodes that a path from ``source`` visits, both ends included.

        Raises
        ------
        InputError
            If a channel does not leave the node that the path has come to.
        """
        nodes = [source]
        for channel in path:
            if self.tail[channel] != nodes[-1]:
                raise InputError(
                    f"{self.name}: channel {channel} leaves node "
                    f"{self.describe(int(self.tail[channel]))}, but the path is at node "
                    f"{self.describe(nodes[-1])}"
                )
            nodes.append(int(self.head[channel]))
        return tuple(nodes)

    def channel_image(self, node_image: NDArray[Any]) -> IntArray:
        """Return where an automorphism sends each channel, parallel ones of a bandwidth in order.

        Raises
        ------
        InputError
            If the map is no automorphism: a channel has no image of equal bandwidth.
        """
        order, keys = self._channels_by_ends
        images = node_image[self.tail] * self.node_count + node_image[self.head]
        image_order = np.argsort(images, kind="stable")
        if not np.array_equal(images[image_order], keys):
            raise InputError(f"{self.name}: a map of nodes does not map channels to channels")
        bandwidth = self.bandwidth.numerators
        if not np.array_equal(bandwidth[order], bandwidth[image_order]):
            # parallel channels are not listed in the same order of bandwidths everywhere
            order = np.lexsort((bandwidth, self.tail * self.node_count + self.head))
            image_order = np.lexsort((bandwidth, images))
        if not np.array_equal(bandwidth[order], bandwidth[image_order]):
            raise InputError(f"{self.name}: a map of nodes does not keep channel bandwidths")
        result = np.empty(self.channel_count, dtype=np.int64)
        result[image_order] = order
        return result
