"""What is left of a network after failures: networks of the terminals that still reach others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from obroute.network import Network
from obroute.rational import IntArray


@dataclass(frozen=True, eq=False)
class Remains:
    """What is left of a network.

    Parameters
    ----------
    networks
        One for each group of terminals that reach one another both ways: the nodes of the whole,
        the channels among those that reach them, and these terminals. One, as a rule.
    channels
        Of each of them, the channels of the whole that it has, in its order.
    group
        The group of each node of the whole; nodes of two groups do not reach each other both ways.
        -1 for a node that failed.
    """

    networks: list[Network]
    channels: list[IntArray]
    group: IntArray

    def cut(self, network: Network) -> NDArray[np.bool_]:
        """Return the pairs of terminals that are cut, sources × destinations of the whole."""
        ends = self.group[network.sources], self.group[network.destinations]
        apart = (ends[0][:, None] != ends[1]) | (ends[0] < 0)[:, None]
        return np.asarray(apart & (network.sources[:, None] != network.destinations))


def remains_of(network: Network, failed: NDArray[np.bool_], lost: Iterable[int] = ()) -> Remains:
    """Return what is left of a network without channels that failed, and nodes that are lost.

    Two terminals are cut off from one another when no path leads from one to the other, or none
    back.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:4")
    >>> parts = remains_of(ring, (ring.tail < 2) != (ring.head < 2))
    >>> [len(part.sources) for part in parts.networks], int(parts.cut(ring).sum())
    ([2, 2], 8)
    """
    kept = np.flatnonzero(~failed)
    tail, head = network.tail[kept], network.head[kept]
    ones = np.ones(len(kept), dtype=np.int8)
    nodes = network.node_count
    graph = csr_array((ones, (tail, head)), shape=(nodes, nodes))
    group = connected_components(graph, directed=True, connection="strong")[1].astype(np.int64)
    group[list(lost)] = -1
    terminals = np.concatenate([network.sources, network.destinations])
    found = np.unique(group[terminals])
    whole = len(found) == 1
    networks, channels = [], []
    for one in found[found >= 0].tolist():
        some = kept if whole else kept[(group[tail] == one) & (group[head] == one)]
        part = _part(network, some, group == one)
        if part is not None:
            networks.append(part)
            channels.append(some)
    return Remains(networks, channels, group)


def _part(network: Network, kept: IntArray, mine: NDArray[np.bool_]) -> Network | None:
    """Return the network of some channels and terminals, None where none of these has another."""
    sends = np.flatnonzero(mine[network.sources])
    gets = np.flatnonzero(mine[network.destinations])
    if len(np.union1d(network.sources[sends], network.destinations[gets])) < 2:
        return None
    if not len(sends) or not len(gets) or not len(kept):
        return None
    return Network(
        f"{network.name} without what failed",
        network.node_count,
        network.tail[kept],
        network.head[kept],
        network.bandwidth.take(kept),
        network.sources[sends],
        network.injection.take(sends),
        network.destinations[gets],
        network.ejection.take(gets),
        labels=network.labels,
        coordinates=network.coordinates,
        connected=True,
    )
