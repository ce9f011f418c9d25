"""What can fail of a network: its cables, channels, bundles of parallel cables, or switches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from obroute.choices.failures import LINK_KIND, LinkKind
from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing.core import attached_to
from obroute.specs import InputError

KINDS = (*get_args(LinkKind), "switches")
"""What fails as one: a cable both ways, a channel, all cables between two nodes, or a node."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a network that can fail, each with its channels.

    Parameters
    ----------
    network
        The network.
    kind
        What they are, of :data:`KINDS`.
    of_channel
        Array 2 × channels: the parts that take a channel with them; -1 for none. A channel has
        one, but for switches the one at its tail and the one at its head.
    first
        The first channel of each part; of a switch, its node.
    with_hosts
        Whether those of hosts are among them.

    Examples
    --------
    >>> from obroute import make_network
    >>> fabric = make_network("leafspine:leaves=2,hosts=2,spines=2")
    >>> cables = parts_of(fabric, "cables")
    >>> len(cables), cables.describe(0), cables.failed([0, 1]).sum()
    (4, 'leaf0 – spine0', np.int64(4))
    """

    network: Network
    kind: str
    of_channel: IntArray = field(repr=False)
    first: IntArray = field(repr=False)
    with_hosts: bool = False

    def __len__(self) -> int:
        return len(self.first)

    def failed(self, chosen: Iterable[int]) -> NDArray[np.bool_]:
        """Return which channels go when the chosen parts fail."""
        gone = np.zeros(len(self) + 1, dtype=bool)
        gone[list(chosen)] = True
        at_tail, at_head = gone[self.of_channel]
        return np.asarray(at_tail | at_head)

    def lost(self, chosen: Iterable[int]) -> list[int]:
        """Return the nodes that go when the chosen parts fail."""
        return self.first[list(chosen)].tolist() if self.kind == "switches" else []

    def describe(self, part: int) -> str:
        """Return what people call a part."""
        network, first = self.network, int(self.first[part])
        if self.kind == "switches":
            return network.describe(first)
        if self.kind == "channels":
            return network.describe_channel(first)
        ends = [network.describe(int(end[first])) for end in (network.tail, network.head)]
        port = network.port(first) if self.kind == "cables" else None
        return " – ".join(ends) + (f"#{port}" if port is not None else "")

    def image(self, nodes: IntArray) -> IntArray | None:
        """Return where an automorphism, given on nodes, sends each part.

        None where it does not carry parts to parts: the i-th cables of two pairs of nodes need
        not be alike, where parallel channels have several bandwidths.
        """
        if self.kind == "switches":
            place = np.full(self.network.node_count, -1, dtype=np.int64)
            place[self.first] = np.arange(len(self))
            return np.asarray(place[nodes[self.first]])
        there = self.of_channel[0, self.network.channel_image(nodes)]
        image = there[self.first]
        mine = np.flatnonzero(self.of_channel[0] >= 0)
        return image if np.array_equal(there[mine], image[self.of_channel[0, mine]]) else None

    def exchanges(self) -> list[IntArray]:
        """Return maps of the parts that exchange two parallel ones of equal bandwidths."""
        if self.kind not in ("cables", "channels"):
            return []
        network = self.network
        order = np.argsort(self.of_channel[0], kind="stable")
        order = order[np.searchsorted(self.of_channel[0][order], 0) :]
        starts = np.searchsorted(self.of_channel[0][order], np.arange(len(self)))
        like: dict[tuple[tuple[int, int, int], ...], int] = {}
        found = []
        for part, channels in enumerate(np.split(order, starts[1:])):
            ends = zip(
                network.tail[channels].tolist(),
                network.head[channels].tolist(),
                network.bandwidth.numerators[channels].tolist(),
                strict=True,
            )
            other = like.setdefault(tuple(sorted(ends)), part)
            if other != part:
                image = np.arange(len(self))
                image[[other, part]] = part, other
                found.append(image)
        return found


def parts_of(network: Network, kind: str = LINK_KIND, *, with_hosts: bool = False) -> Parts:
    """Return the parts of a network that can fail.

    A host that hangs on its switch by one cable is cut off when that fails, whatever the routing;
    such hosts and their cables are left out.

    Parameters
    ----------
    network
        The network.
    kind
        ``cables``: the i-th channel from a node to another with the i-th back; ``channels``:
        each alone; ``bundles``: all between two nodes, both ways; ``switches``: nodes, with all
        their channels and the terminal that a node is.
    with_hosts
        Hosts and their cables can fail, too.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> from obroute import make_network
    >>> [len(parts_of(make_network("torus:4x4"), kind)) for kind in KINDS]
    [32, 64, 32, 16]
    """
    hangs = np.zeros(network.node_count, dtype=bool)
    if not with_hosts:
        hangs = attached_to(network) != np.arange(network.node_count)
    mine = np.flatnonzero(~(hangs[network.tail] | hangs[network.head]))
    of_channel = np.full((2, network.channel_count), -1, dtype=np.int64)
    if kind == "switches":
        first = np.flatnonzero(~hangs)
        place = np.full(network.node_count, -1, dtype=np.int64)
        place[first] = np.arange(len(first))
        of_channel[:] = place[network.tail], place[network.head]
    else:
        ends = np.sort([network.tail[mine], network.head[mine]], axis=0)
        keys = [ends[0], ends[1]]
        if kind == "channels":
            keys = [mine]
        elif kind == "cables":
            keys.append(_rank(network.tail[mine] * network.node_count + network.head[mine]))
        _, begin, part = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
        order = np.argsort(begin)
        of_channel[0, mine] = np.argsort(order)[part.ravel()]
        first = mine[begin[order]]
    if not len(first):
        what = "switches" if kind == "switches" else f"{kind} between switches"
        raise InputError(
            f"{network.name} has no {what} that could fail; with --with-hosts those of hosts can"
        )
    return Parts(network, kind, of_channel, first, with_hosts)


def _rank(keys: IntArray) -> IntArray:
    """Return how many equal keys come before each."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order] = np.arange(len(keys)) - np.searchsorted(ordered, ordered)
    return ranks
