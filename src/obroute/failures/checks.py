"""Sets of failures looked at by a slow twin, which shares nothing with what finds them.

What is left is a graph of NetworkX without what failed; a pair is cut where it is in two strongly
connected parts; every other pair has the paths that the definition of the routing, or of its
repair, gives it, one after another; and the worst traffic of a channel is an assignment of SciPy,
in whole numbers that floats hold exactly. Where there are too many paths for that, the worst
traffic that was found is walked alone: the load is then reached, and that none is larger is not
looked at.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment

from obroute.failures.parts import Parts
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.routing import Routing
from obroute.routing.by_definition import PathsByDefinition, Share, TooManyPathsError
from obroute.specs import CertificateError

MOST_CHANNELS = 100_000
"""Channels of paths that are walked for one set."""
MOST_UNITS = 64
"""Units that terminals send up to which the worst traffic of all channels is found again."""
EXACT_IN_FLOATS = 2**50

Pair = tuple[int, int]
Flow = tuple[int, int, Fraction]
OfPair = tuple[int, int, list[Share] | None]
"""Source, destination and paths on the channels of the whole network; None where it is cut."""


@dataclass(frozen=True)
class Twin:
    """A network after a set of failures.

    Parameters
    ----------
    parts, routing, repair
        What can fail, and how the routing goes on.
    chosen
        The parts that failed.
    """

    parts: Parts
    routing: Routing
    repair: str
    chosen: list[int]

    @property
    def network(self) -> Network:
        """The whole network."""
        return self.parts.network

    def gone(self) -> set[int]:
        """Return the channels that failed, found by their ends."""
        network, kind = self.network, self.parts.kind
        ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
        found: set[int] = set()
        for first in self.parts.first[self.chosen].tolist():
            if kind == "switches":
                found |= {c for c, pair in enumerate(ends) if first in pair}
                continue
            one, other = ends[first]
            ways = [
                [c for c, pair in enumerate(ends) if pair == (a, b)]
                for a, b in ((one, other), (other, one))
            ]
            if kind == "channels":
                found.add(first)
            elif kind == "bundles":
                found |= {*ways[0], *ways[1]}
            else:
                place = ways[0].index(first)
                found |= {way[place] for way in ways if place < len(way)}
        return found

    def groups(self) -> tuple[nx.MultiDiGraph[int], list[set[int]]]:
        """Return what is left, and the terminals that reach one another."""
        network = self.network
        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
        graph.add_nodes_from(range(network.node_count))
        gone = self.gone()
        for channel, (tail, head) in enumerate(
            zip(network.tail.tolist(), network.head.tolist(), strict=True)
        ):
            if channel not in gone:
                graph.add_edge(tail, head, key=channel)
        if self.parts.kind == "switches":
            graph.remove_nodes_from(self.parts.first[self.chosen].tolist())
        terminals = {*network.sources.tolist(), *network.destinations.tolist()}
        return graph, [
            group for group in nx.strongly_connected_components(graph) if group & terminals
        ]

    def pairs(self) -> list[Pair]:
        """Return all pairs of terminals, those of one with itself among them."""
        network = self.network
        return [(s, d) for s in network.sources.tolist() for d in network.destinations.tolist()]

    def paths_of(self, pairs: Iterable[Pair], paths: PathsByDefinition) -> Iterator[OfPair]:
        """Yield pairs with their paths."""
        graph, groups = self.groups()
        terminals = {end for pair in self.pairs() for end in pair}
        whole = len(groups) == 1 and terminals <= groups[0]
        of_group: dict[int, list[Pair]] = defaultdict(list)
        for pair in pairs:
            group = next((k for k, one in enumerate(groups) if {*pair} <= one), -1)
            if group >= 0:
                of_group[group].append(pair)
            elif pair[0] != pair[1]:
                yield *pair, None
        for group, some in of_group.items():
            mine = groups[group]
            channels = sorted(c for a, b, c in graph.edges(keys=True) if whole or {a, b} <= mine)
            if self.repair == "recomputed":
                yield from self._made_anew(mine, channels, some, paths)
            else:
                yield from self._as_before(graph, {*channels}, some, paths)

    def _made_anew(
        self, group: set[int], channels: list[int], pairs: list[Pair], paths: PathsByDefinition
    ) -> Iterator[OfPair]:
        if len(group.intersection(end for pair in self.pairs() for end in pair)) < 2:
            return  # a terminal alone sends nothing
        left, anew = self._anew(group, channels)
        for pair in pairs:
            found = paths.of(anew, left, *pair)
            yield *pair, [(share, tuple(channels[c] for c in path)) for share, path in found]

    def _as_before(
        self,
        graph: nx.MultiDiGraph[int],
        channels: set[int],
        pairs: list[Pair],
        paths: PathsByDefinition,
    ) -> Iterator[OfPair]:
        for pair in pairs:
            before = paths.of(self.routing, self.network, *pair)
            after = [(share, path) for share, path in before if channels.issuperset(path)]
            if len(after) < len(before) and self.repair == "detoured":
                after = shortest(graph, *pair)
            total = sum((share for share, _ in after), Fraction(0))
            if after or pair[0] != pair[1]:
                yield *pair, [(share / total, path) for share, path in after] or None

    def _anew(self, group: set[int], channels: list[int]) -> tuple[Network, Routing]:
        """Return the network of a group, and the routing that is made there."""
        network = self.network
        sends = [k for k, node in enumerate(network.sources.tolist()) if node in group]
        gets = [k for k, node in enumerate(network.destinations.tolist()) if node in group]
        left = Network(
            f"{network.name} without what failed",
            network.node_count,
            network.tail[channels],
            network.head[channels],
            RationalArray.from_fractions([network.bandwidth.fraction(c) for c in channels]),
            network.sources[sends],
            RationalArray.from_fractions([network.injection.fraction(k) for k in sends]),
            network.destinations[gets],
            RationalArray.from_fractions([network.ejection.fraction(k) for k in gets]),
            labels=network.labels,
            coordinates=network.coordinates,
            connected=True,
        )
        return left, self.routing.after_failures(network, np.array(channels, dtype=np.int64))


def shortest(graph: nx.MultiDiGraph[int], source: int, destination: int) -> list[Share]:
    """Return all shortest paths of a graph, by the keys of its edges, equally likely.

    >>> graph = nx.MultiDiGraph([(0, 1, {}), (0, 1, {}), (1, 2, {})])
    >>> [(str(share), path) for share, path in shortest(graph, 0, 2)]
    [('1/2', (0, 0)), ('1/2', (1, 0))]
    """
    found: list[tuple[int, ...]] = []
    for nodes in nx.all_shortest_paths(graph, source, destination):
        some: list[tuple[int, ...]] = [()]
        for pair in itertools.pairwise(nodes):
            some = [(*path, key) for path in some for key in graph[pair[0]][pair[1]]]
        found += some
    return [(Fraction(1, len(found)), path) for path in found]


def check_whole(twin: Twin, load: Fraction | None, cut: int) -> None:
    """Hold a set's load, and the pairs that it cuts, against all paths and all channels.

    Raises
    ------
    CertificateError
        If they are others.
    TooManyPathsError
        If there are more paths, or terminals, than are looked at.
    """
    network = twin.network
    sent, got = network.injection.fractions(), network.ejection.fractions()
    if any(a.denominator > 1 for a in sent + got) or max(sum(sent), sum(got)) > MOST_UNITS:
        raise TooManyPathsError
    on: dict[int, dict[Pair, Fraction]] = defaultdict(dict)
    without = 0
    for source, destination, shares in twin.paths_of(
        twin.pairs(), PathsByDefinition(MOST_CHANNELS)
    ):
        without += shares is None
        for share, path in shares or ():
            for channel in path:
                over = share / network.bandwidth.fraction(channel)
                added = on[channel].get((source, destination), Fraction(0)) + over
                on[channel][source, destination] = added
    _agree(twin, "pairs are cut", without, cut)
    if load is not None:
        most = max((heaviest(network, pairs) for pairs in on.values()), default=Fraction(0))
        _agree(twin, "is the load", most, load)


def check_reached(twin: Twin, channel: int, load: Fraction, flows: list[Flow]) -> None:
    """Hold the load of a channel against the paths of the worst traffic that was found.

    Raises
    ------
    CertificateError
        If it is another, or no traffic.
    TooManyPathsError
        If there are more paths than are looked at.
    """
    network = twin.network
    for ends, limit, place in (
        (network.sources, network.injection, 0),
        (network.destinations, network.ejection, 1),
    ):
        for position, node in enumerate(ends.tolist()):
            sent = sum((flow[2] for flow in flows if flow[place] == node), Fraction(0))
            if sent > limit.fraction(position):
                raise CertificateError(f"more traffic than node {network.describe(node)} takes")
    amount = {(source, destination): share for source, destination, share in flows}
    found = Fraction(0)
    for source, destination, shares in twin.paths_of(amount, PathsByDefinition(MOST_CHANNELS)):
        for share, path in shares or ():
            crossings = path.count(channel) * share / network.bandwidth.fraction(channel)
            found += amount[source, destination] * crossings
    _agree(twin, "is the load", found, load)


def _agree(twin: Twin, what: str, mine: Fraction | int, stored: Fraction | int) -> None:
    if mine != stored:
        names = ", ".join(twin.parts.describe(part) for part in twin.chosen)
        raise CertificateError(f"without {names} {mine} {what} by the paths, not {stored}")


def heaviest(network: Network, loads: dict[Pair, Fraction]) -> Fraction:
    """Return the largest load of a channel by pairs, each terminal sending and getting its units.

    >>> from obroute import make_network
    >>> half = Fraction(1, 2)
    >>> str(heaviest(make_network("ring:3"), {(0, 1): half, (0, 2): half * 3, (1, 2): half * 4}))
    '5/2'
    """
    units = [
        [
            node
            for node, amount in zip(ends.tolist(), amounts.fractions(), strict=True)
            for _ in range(int(amount))
        ]
        for ends, amounts in (
            (network.sources, network.injection),
            (network.destinations, network.ejection),
        )
    ]
    scale = math.lcm(*(load.denominator for load in loads.values()))
    weights = [[int(loads.get((s, d), 0) * scale) for d in units[1]] for s in units[0]]
    if max(map(max, weights)) * len(weights) > EXACT_IN_FLOATS:
        raise TooManyPathsError
    rows, columns = linear_sum_assignment(np.array(weights, dtype=np.float64), maximize=True)
    return Fraction(sum(weights[r][c] for r, c in zip(rows, columns, strict=True)), scale)
