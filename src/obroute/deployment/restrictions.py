"""What switches can do: the routings that a deployment may choose from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from scipy.sparse.csgraph import dijkstra

from obroute.choices.deployments import SEGMENTS, WEIGHT, RestrictionKind
from obroute.network import Network
from obroute.rational import FloatArray, IntArray
from obroute.routing.up_down import UpDown
from obroute.specs import InputError

KINDS: tuple[RestrictionKind, ...] = get_args(RestrictionKind)

_WORDS: dict[RestrictionKind, str] = {
    "single_path": "one path for each pair",
    "destination": "one next hop for each node and destination",
    "ecmp": "shortest paths, split equally at every hop",
    "wcmp": "next hops by destination, split in ratios of whole numbers up to {weight}",
    "segments": "one path for each pair, of at most {segments} shortest paths one after another",
}


@dataclass(frozen=True)
class Restriction:
    """What a routing has to be for switches to carry it out.

    Parameters
    ----------
    kind
        ``single_path``: one path for each source and destination. ``destination``: one next
        channel for each node and destination (a forwarding table). ``ecmp``: all shortest paths,
        split equally at every hop. ``wcmp``: for each node and destination weights of the
        channels out, whole numbers from 0 to ``weight``, in whose ratio packets are split;
        channels of positive weight lead to the destination without a cycle. ``segments``: one
        path for each pair, made of at most ``segments`` shortest paths.
    weight, segments
        See there; they mean nothing to other kinds.
    virtual_channels
        Virtual channels that suffice against deadlock, None where that is not asked for. Channels
        are numbered by the order of up*/down* routing (:meth:`order`), and the number falls at
        most so often, less one, along a path: every time it falls the packet goes on to the next
        virtual channel.

    Examples
    --------
    >>> print(Restriction("wcmp", weight=3))
    next hops by destination, split in ratios of whole numbers up to 3
    """

    kind: RestrictionKind
    weight: int = WEIGHT
    segments: int = SEGMENTS
    virtual_channels: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"restriction '{self.kind}' is unknown; expected {', '.join(KINDS)}")
        numbers = {"weight": self.weight, "segments": self.segments}
        numbers["virtual_channels"] = self.virtual_channels or 1
        for name, number in numbers.items():
            if number < 1:
                raise InputError(f"{name} is {number}; expected 1 or more")
        if self.kind == "ecmp" and self.virtual_channels is not None:
            raise InputError(
                "ecmp takes every shortest path, whatever the virtual channels; leave them out "
                "and ask obroute deadlock, or take wcmp"
            )

    def __str__(self) -> str:
        words = _WORDS[self.kind].format(weight=self.weight, segments=self.segments)
        if self.virtual_channels is not None:
            words += (
                f", free of deadlock with {self.virtual_channels} virtual channel"
                f"{'s' * (self.virtual_channels > 1)} in up*/down* order"
            )
        return words

    @property
    def by_destination(self) -> bool:
        """Whether the way on depends on the node and the destination alone."""
        return self.kind in ("destination", "ecmp", "wcmp")

    @property
    def is_single(self) -> bool:
        """Whether each pair has one path."""
        return self.kind not in ("ecmp", "wcmp")

    @cached_property
    def most_falls(self) -> int | None:
        """How often numbers of channels may fall along a path; None for any number."""
        return None if self.virtual_channels is None else self.virtual_channels - 1

    def order(self, network: Network) -> IntArray | None:
        """Return the number of each channel, None where virtual channels are not asked for.

        Channels up come before channels down, those up from the bottom to the top and those down
        from the top to the bottom: an up*/down* path has rising numbers (Schroeder and others
        1991), so that one virtual channel is enough for such paths.

        Raises
        ------
        InputError
            If up*/down* is not defined on the network.
        """
        if self.virtual_channels is None:
            return None
        routing = UpDown()
        routing.check(network)
        up = routing.goes_up(network)
        above = _order_of_nodes(network, routing)
        count = network.node_count
        return np.where(up, count - above[network.tail], count + above[network.head])


def _order_of_nodes(network: Network, routing: UpDown) -> IntArray:
    """Return the place of each node from the roots down, ties by number."""
    hops = all_hops(network)[:, routing.roots(network)].min(axis=1)
    place = np.empty(network.node_count, dtype=np.int64)
    place[np.lexsort((np.arange(network.node_count), hops))] = np.arange(network.node_count)
    return place


def all_hops(network: Network) -> FloatArray:
    """Return the hops from each node to each, infinite where no path leads."""
    hops: FloatArray = dijkstra(network.adjacency, unweighted=True)
    return hops


def falls(order: IntArray, path: tuple[int, ...]) -> int:
    """Return how often the numbers of channels fall along a path.

    >>> falls(np.array([4, 7, 5]), (0, 1, 2))
    1
    """
    numbers = order[list(path)]
    return int((np.diff(numbers) < 0).sum())
