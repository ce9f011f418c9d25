"""How a routing goes on where parts of its network have failed.

``recomputed``: the routing is made anew on what is left, as ECMP is by its switches and a design
by its solver. ``detoured``: a pair that has a path through what failed takes all shortest paths of
what is left, equally likely; the other pairs keep their paths. ``kept``: a pair keeps those of its
paths that are left, each with its share of them; where none is left, the pair is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.failures.parts import Parts
from obroute.failures.remains import Remains, remains_of
from obroute.network import DisconnectedError, Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.specs import InputError
from obroute.symmetry import can_find, found_group
from obroute.worst_cases import LARGEST_GRAPH_SEARCHED

REPAIRS = ("recomputed", "detoured", "kept")
"""The repairs, see the module."""
SCOPES = {
    "recomputed": "the routing made anew on what is left",
    "detoured": "pairs with a path through what failed take all shortest paths of what is left, "
    "equally likely; the others keep theirs",
    "kept": "every pair keeps the paths that are left, in their shares; a pair without one is cut",
}
"""What each means, for people."""


def repair_of(network: Network, routing: Routing) -> str:
    """Return the repair that fits a routing: tables are kept, families' routings detoured.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:4x4")
    >>> [repair_of(torus, make_routing(name)) for name in ("ecmp", "dor", "optimal")]
    ['recomputed', 'detoured', 'recomputed']
    """
    if routing.depends_on(network).files:
        return "kept"
    try:
        routing.check(remains_of(network, np.zeros(network.channel_count, dtype=bool)).networks[0])
    except DisconnectedError:
        raise
    except InputError:
        return "detoured"
    return "recomputed"


def symmetries_of(parts: Parts, routing: Routing, repair: str) -> list[IntArray]:
    """Return permutations of the parts that carry sets of failures to those that are alike.

    Where the routing is recomputed, it has to be one that respects every automorphism of every
    network, since it is another routing on what is left of it; or a design, which is solved once
    for all that are alike and carried to them.
    """
    network = parts.network
    mine = routing.on(network)
    canonical = mine.respects_automorphisms or mine.designs
    if repair != "recomputed":
        images = list(mine.symmetries(network).values())
    elif canonical:
        images = list(network.automorphisms().values())
    else:
        return []
    size = network.node_count + 2 * network.channel_count
    if canonical and not images and can_find() and size <= LARGEST_GRAPH_SEARCHED:
        images = [element.nodes for element in found_group(network).preserving_generators]
    exchanges = parts.exchanges() if mine.respects_automorphisms else []
    return [parts.image(image) for image in images] + exchanges


@dataclass(frozen=True, eq=False)
class Repair:
    """A routing after failures: on each network that is left, and the pairs that are cut."""

    remains: Remains
    routings: list[Routing]
    cut: NDArray[np.bool_]


def repaired(parts: Parts, routing: Routing, repair: str, chosen: list[int]) -> Repair:
    """Return the routing after the chosen parts have failed."""
    network = parts.network
    failed = parts.failed(chosen)
    remains = remains_of(network, failed, parts.lost(chosen))
    cut = remains.cut(network)
    if repair == "recomputed":
        return Repair(remains, [routing for _ in remains.networks], cut)
    hit = _hit(network, routing, np.flatnonzero(failed))
    found: list[Routing] = []
    for part, channels in zip(remains.networks, remains.channels, strict=True):
        rows = network.source_index[part.sources]
        columns = network.destination_index[part.destinations]
        mine = hit[np.ix_(rows, columns)]
        if repair == "detoured":
            detour = EqualCostMultipath()
            found.append(Detoured(network, routing, channels, mine, detour))
        else:
            left = _left_of(network, routing, part, failed, mine)
            places = np.array([pair for pair, paths in left.items() if not paths]).reshape(-1, 2)
            cut[rows[places[:, 0].astype(int)], columns[places[:, 1].astype(int)]] = True
            found.append(Kept(network, routing, channels, mine, left))
    cut &= network.sources[:, None] != network.destinations
    return Repair(remains, found, cut)


def _hit(network: Network, routing: Routing, failed: IntArray) -> NDArray[np.bool_]:
    """Return the pairs that have a path through a channel that failed."""
    hit = np.zeros((len(network.sources), len(network.destinations)), dtype=bool)
    for loads in routing.pair_loads_of_each(network, failed.tolist()):
        hit[loads.rows, loads.columns] = True
    return hit


Left = dict[tuple[int, int], list[tuple[Fraction, Path]]]
"""Paths that are left of the pairs that were hit, by channels of the whole, in their shares."""


def _left_of(
    network: Network,
    routing: Routing,
    part: Network,
    failed: NDArray[np.bool_],
    hit: NDArray[np.bool_],
) -> Left:
    left: Left = {}
    for row, column in np.argwhere(hit).tolist():
        ends = int(part.sources[row]), int(part.destinations[column])
        paths = [
            (share, path)
            for share, path in routing.paths(network, *ends)
            if not failed[list(path)].any()
        ]
        total = sum((share for share, _ in paths), Fraction(0))
        left[row, column] = [(share / total, path) for share, path in paths]
    return left


class _Surviving(Routing):
    """A routing on what is left: that of the whole for pairs not hit, and another for the rest."""

    def __init__(
        self, whole: Network, routing: Routing, channels: IntArray, hit: NDArray[np.bool_]
    ) -> None:
        super().__init__()
        self.whole, self.routing, self.channels, self.hit = whole, routing, channels, hit

    def most_crossings(self, network: Network) -> int:
        """Return how often a path of the whole, or a shortest one, crosses a channel."""
        return max(1, self.routing.most_crossings(self.whole))

    def _paths_as_before(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        place = np.full(self.whole.channel_count, -1, dtype=np.int64)
        place[self.channels] = np.arange(len(self.channels))
        for share, path in self.routing.paths(self.whole, source, destination):
            yield share, tuple(place[list(path)].tolist())

    def _is_hit(self, network: Network, source: int, destination: int) -> bool:
        place = network.source_index[source], network.destination_index[destination]
        return bool(self.hit[place])

    def _loads_as_before(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel by the pairs that are not hit."""
        whole = self.routing.pair_loads(self.whole, int(self.channels[channel]))
        row = network.source_index[self.whole.sources][whole.rows]
        column = network.destination_index[self.whole.destinations][whole.columns]
        here = (row >= 0) & (column >= 0)
        here[here] = ~self.hit[row[here], column[here]]
        return SparseRationalMatrix.from_triplets(
            row[here], column[here], whole.values.take(np.flatnonzero(here)), self.hit.shape
        )


class Detoured(_Surviving):
    """Pairs that are hit take all shortest paths of what is left, equally likely."""

    def __init__(
        self,
        whole: Network,
        routing: Routing,
        channels: IntArray,
        hit: NDArray[np.bool_],
        detour: EqualCostMultipath,
    ) -> None:
        super().__init__(whole, routing, channels, hit)
        self.detour = detour

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of a pair."""
        if self._is_hit(network, source, destination):
            return self.detour.paths(network, source, destination)
        return self._paths_as_before(network, source, destination)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel as they were, and those by detours."""
        before = self._loads_as_before(network, channel)
        loads = self.detour.pair_loads(network, channel)
        hit = np.flatnonzero(self.hit[loads.rows, loads.columns])
        after = SparseRationalMatrix(
            loads.rows[hit], loads.columns[hit], loads.values.take(hit), loads.shape
        )
        return SparseRationalMatrix.sum_of([before, after]) if len(hit) else before


class Kept(_Surviving):
    """Pairs keep the paths that are left; those that have none send nothing."""

    def __init__(
        self,
        whole: Network,
        routing: Routing,
        channels: IntArray,
        hit: NDArray[np.bool_],
        left: Left,
    ) -> None:
        super().__init__(whole, routing, channels, hit)
        self.left = left

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of a pair, none of one that is cut."""
        place = int(network.source_index[source]), int(network.destination_index[destination])
        position = {channel: at for at, channel in enumerate(self.channels.tolist())}
        if place not in self.left:
            yield from self._paths_as_before(network, source, destination)
        for share, path in self.left.get(place, ()):
            yield share, tuple(position[channel] for channel in path)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel as they were, and those of pairs with fewer paths."""
        before = self._loads_as_before(network, channel)
        after = self.remember(network, "left", self._loads_left).get(int(self.channels[channel]))
        return before if after is None else SparseRationalMatrix.sum_of([before, after])

    def _loads_left(self) -> dict[int, SparseRationalMatrix]:
        """Return the loads of each channel of the whole by the pairs that are hit."""
        listed: dict[int, list[tuple[int, int, Fraction]]] = {}
        for (row, column), paths in self.left.items():
            for share, path in paths:
                for channel in path:
                    listed.setdefault(channel, []).append((row, column, share))
        found = {}
        for channel, triplets in listed.items():
            rows, columns, shares = zip(*triplets, strict=True)
            found[channel] = SparseRationalMatrix.from_triplets(
                np.array(rows),
                np.array(columns),
                RationalArray.from_fractions(shares),
                self.hit.shape,
            )
        return found
