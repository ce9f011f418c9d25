"""How a routing goes on where parts of its network have failed.

``recomputed``: the routing is made anew on what is left, as ECMP is by its switches and a design
by its solver. ``detoured``: a pair that has a path through what failed takes all shortest paths of
what is left, equally likely; the other pairs keep their paths. ``kept``: a pair keeps those of its
paths that are left, each with its share of them; where none is left, the pair is cut.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from obroute.failures.parts import Parts
from obroute.failures.remains import Remains, remains_of
from obroute.network import DisconnectedError, Network, Path
from obroute.quotients import Quotients, joined_quotients, matrix_of_quotients
from obroute.rational import FloatArray, IntArray, SparseRationalMatrix, concatenate
from obroute.routing import Routing
from obroute.routing.rounded_loads import LoadsOfMatrices, RoundedLoads
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.specs import InputError
from obroute.symmetry import can_find, found_group
from obroute.worst_cases import LARGEST_GRAPH_SEARCHED

Share = tuple[Fraction, Path]
MOST_HELD = 30_000_000
"""Loads of all channels of a whole network up to which they are held, from set to set."""
ROUNDED = 1e-9
"""Relative, more than floats of sums of loads are off."""
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
    if routing.made_anew:
        return "recomputed"
    if routing.depends_on(network).files:
        return "kept"
    try:
        routing.check(_of_no_family(network))
    except DisconnectedError:
        raise
    except InputError:
        return "detoured"
    return "recomputed"


def _of_no_family(network: Network) -> Network:
    """Return the same network as what is left of it when nothing fails: without its family."""
    return remains_of(network, np.zeros(network.channel_count, dtype=bool)).networks[0]


def symmetries_of(parts: Parts, routing: Routing, repair: str) -> list[IntArray]:
    """Return permutations of the parts that carry sets of failures to those that are alike.

    Where the routing is recomputed, it has to be one that respects every automorphism of every
    network, since it is another routing on what is left of it; or a design, which is solved once
    for all that are alike and carried to them.
    """
    network = parts.network
    if routing.made_anew and repair == "recomputed":
        return []
    mine = routing.on(_of_no_family(network) if repair == "recomputed" else network)
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
    carried = (parts.image(image) for image in images)
    return [image for image in carried if image is not None] + exchanges


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
        anew = [routing.after_failures(network, channels) for channels in remains.channels]
        return Repair(remains, anew, cut)
    hit, gone = _hit(network, routing, np.flatnonzero(failed))
    found: list[Routing] = []
    for part, channels in zip(remains.networks, remains.channels, strict=True):
        rows = network.source_index[part.sources]
        columns = network.destination_index[part.destinations]
        mine = hit[np.ix_(rows, columns)]
        if repair == "detoured":
            found.append(Detoured(network, routing, part, channels, mine))
            continue
        here = Kept(network, routing, part, channels, mine, gone[np.ix_(rows, columns)], failed)
        places = np.argwhere(here.without)
        cut[rows[places[:, 0]], columns[places[:, 1]]] = True
        found.append(here)
    cut &= network.sources[:, None] != network.destinations
    return Repair(remains, found, cut)


def _hit(
    network: Network, routing: Routing, failed: IntArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the pairs that have a path through what failed, and those known to have no other."""
    hit = np.zeros((len(network.sources), len(network.destinations)), dtype=bool)
    gone = np.zeros_like(hit)
    once = routing.most_crossings(network) == 1
    for channel in failed.tolist():
        loads = loads_before(network, routing, channel)
        hit[loads.rows, loads.columns] = True
        if once:  # a load is then the chance that a packet crosses the channel
            ones = np.flatnonzero(loads.values.to_float() == 1)  # or nearly
            values = loads.values.take(ones)
            ones = ones[values.numerators == values.denominator]
            gone[loads.rows[ones], loads.columns[ones]] = True
    return hit, gone


def loads_before(network: Network, routing: Routing, channel: int) -> SparseRationalMatrix:
    """Return the pair loads of a channel of the whole network; few networks need them again."""
    known: dict[int, SparseRationalMatrix] = routing.remember(network, "loads before", dict)
    found = known.get(channel)
    if found is None:
        found = routing.pair_loads(network, channel)
        held = found.nonzeros * network.channel_count
        if held <= MOST_HELD:
            known[channel] = found
    return found


class Surviving(Routing):
    """A routing on what is left: that of the whole for pairs not hit, and another for the rest.

    Parameters
    ----------
    whole, routing
        The whole network, and the routing there.
    network, channels
        What is left of it, with the channels of the whole that it has.
    hit
        Which pairs of its terminals are hit.
    """

    def __init__(
        self,
        whole: Network,
        routing: Routing,
        network: Network,
        channels: IntArray,
        hit: NDArray[np.bool_],
    ) -> None:
        super().__init__()
        self.whole, self.routing, self.channels, self.hit = whole, routing, channels, hit
        self.row = network.source_index[whole.sources]
        self.column = network.destination_index[whole.destinations]
        self.pairs = np.argwhere(hit)
        self.after = self.loads_of_hit(network)
        order = np.argsort(self.after.columns, kind="stable")
        self._order = order
        self._starts = np.searchsorted(
            self.after.columns[order], np.arange(network.channel_count + 1)
        )

    @abstractmethod
    def loads_of_hit(self, network: Network) -> SparseRationalMatrix:
        """Return the loads of all channels by the pairs that are hit, pairs × channels."""

    def most_crossings(self, network: Network) -> int:
        """Return how often a path of the whole, or a shortest one, crosses a channel."""
        return max(1, self.routing.most_crossings(self.whole))

    def before(self, network: Network, source: int, destination: int) -> Iterator[Share]:
        """Yield the paths of a pair in the whole network, by the channels that are left."""
        place = np.full(self.whole.channel_count, -1, dtype=np.int64)
        place[self.channels] = np.arange(len(self.channels))
        for share, path in self.routing.paths(self.whole, source, destination):
            yield share, tuple(place[list(path)].tolist())

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel: as they were by pairs not hit, and by the others."""
        whole = loads_before(self.whole, self.routing, int(self.channels[channel]))
        row, column = self.row[whole.rows], self.column[whole.columns]
        here = (row >= 0) & (column >= 0)
        here[here] = ~self.hit[row[here], column[here]]
        now = self._order[self._starts[channel] : self._starts[channel + 1]]
        pairs = self.pairs[self.after.rows[now]]
        rows = np.concatenate([row[here], pairs[:, 0]])
        columns = np.concatenate([column[here], pairs[:, 1]])
        values = [whole.values.take(np.flatnonzero(here)), self.after.values.take(now)]
        if not any(value.is_wide for value in values):
            joined = concatenate(values)
            return SparseRationalMatrix.from_triplets(rows, columns, joined, self.hit.shape)
        return matrix_of_quotients(rows, columns, joined_quotients(values), self.hit.shape)

    def has_what_it_had(self, channel: int) -> bool:
        """Say whether no pair that is hit or lost loaded a channel, and none does now."""
        whole = loads_before(self.whole, self.routing, int(self.channels[channel]))
        row, column = self.row[whole.rows], self.column[whole.columns]
        if self._starts[channel] < self._starts[channel + 1] or (row < 0).any():
            return False
        return not ((column < 0).any() or self.hit[row, column].any())

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the loads rounded, which are made channel by channel as they are asked for."""
        largest = self.most_crossings(network)
        return self.remember(
            network,
            "rounded",
            lambda: LoadsAfter(network, partial(self.pair_loads, network), largest),
        )

    def most_by_hit(self, network: Network) -> FloatArray:
        """Return a bound on the load of each channel by the pairs that are hit, rounded up.

        What a source sends at the most by its largest load, or what a destination gets, summed.
        """
        after = self.after
        loads = after.values.to_float()
        pairs = self.pairs[after.rows]
        bounds = []
        for end, amounts in ((0, network.injection), (1, network.ejection)):
            count = len(amounts)
            key = after.columns * count + pairs[:, end]
            order = np.argsort(key, kind="stable")
            begin = np.flatnonzero(np.diff(key[order], prepend=-1))
            most = np.maximum.reduceat(loads[order], begin) if len(begin) else loads[:0]
            channel, terminal = np.divmod(key[order][begin], count)
            sent = most * amounts.to_float()[terminal]
            bounds.append(np.bincount(channel, sent, minlength=network.channel_count))
        return np.asarray(np.minimum(*bounds) * (1 + ROUNDED), dtype=np.float64)


class LoadsAfter(LoadsOfMatrices):
    """Rounded loads of what is left, whose channels are bounded before they are made."""

    def bounds_at_once(self, channels: IntArray) -> tuple[NDArray[np.int64], FloatArray]:
        """Return what no load is above: all that is sent, as often as a path may cross."""
        most = int(self.ends.supply.sum()) * self.ends.largest
        return np.full(len(channels), most, dtype=np.int64), np.zeros(len(channels))


class Detoured(Surviving):
    """Pairs that are hit take all shortest paths of what is left, equally likely."""

    def loads_of_hit(self, network: Network) -> SparseRationalMatrix:
        """Return the loads by shortest paths."""
        self.detour = EqualCostMultipath()
        ends = network.sources[self.pairs[:, 0]], network.destinations[self.pairs[:, 1]]
        return self.detour.channel_loads(network, *ends)

    def paths(self, network: Network, source: int, destination: int) -> Iterator[Share]:
        """Yield the paths of a pair."""
        if self.hit[network.source_index[source], network.destination_index[destination]]:
            return self.detour.paths(network, source, destination)
        return self.before(network, source, destination)


class Kept(Surviving):
    """Pairs keep the paths that are left; those that have none send nothing.

    Parameters
    ----------
    whole, routing, network, channels, hit
        As of others.
    gone
        Pairs that are known to have no path left.
    failed
        Which channels of the whole have failed.

    Attributes
    ----------
    without
        Pairs that have no path left.
    """

    def __init__(
        self,
        whole: Network,
        routing: Routing,
        network: Network,
        channels: IntArray,
        hit: NDArray[np.bool_],
        gone: NDArray[np.bool_],
        failed: NDArray[np.bool_],
    ) -> None:
        self.without, self.failed = gone & hit, failed
        super().__init__(whole, routing, network, channels, hit)

    def loads_of_hit(self, network: Network) -> SparseRationalMatrix:
        """Return the loads by the paths that are left, and note which pairs have none."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[Fraction] = []
        for pair, (row, column) in enumerate(self.pairs.tolist()):
            if self.without[row, column]:
                continue
            ends = int(network.sources[row]), int(network.destinations[column])
            left = list(self._left(network, *ends))
            self.without[row, column] = not left
            for share, path in left:
                rows += [pair] * len(path)
                columns += path
                values += [share] * len(path)
        shape = len(self.pairs), network.channel_count
        places = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
        return matrix_of_quotients(*places, Quotients.from_fractions(values), shape)

    def _left(self, network: Network, source: int, destination: int) -> Iterator[Share]:
        """Yield the paths of a pair that are left, each with its share of them."""
        paths = [
            (share, path)
            for share, path in self.before(network, source, destination)
            if -1 not in path
        ]
        total = sum((share for share, _ in paths), Fraction(0))
        for share, path in paths:
            yield share / total, path

    def paths(self, network: Network, source: int, destination: int) -> Iterator[Share]:
        """Yield the paths of a pair, none of one that is cut."""
        return self._left(network, source, destination)
