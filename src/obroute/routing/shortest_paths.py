"""Shortest-path routing with equal or weighted splitting (ECMP, WCMP), on any network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.core import attached_to, has_hosts
from obroute.routing.hop_by_hop import paths_by_next_hops
from obroute.routing.minimal import Minimal, Split
from obroute.routing.registry import routings
from obroute.routing.rounded_loads import RoundedLoads
from obroute.routing.shortest_path_loads import ShortestPathLoads

BYTES_A_PAIR_OF_NODES = 30
"""Hops, counts of paths and orders of the search, and what counting takes besides."""
MOST_NODES_COUNTED = 30_000
"""Nodes without hosts between all of which hops and counts are held."""
FEW_PAIRS = 64
"""Pairs whose loads are found one by one, without what is between all nodes."""


@Minimal.way_of(Network)
@routings.register(
    "ecmp",
    "all shortest paths, equally likely or split hop by hop, evenly or by bandwidth",
    defined_for="every network",
    examples=("ecmp", "ecmp:split=hops"),
    small=("ecmp", "ecmp:split=hops", "ecmp:split=bandwidth"),
)
class EqualCostMultipath(Routing):
    """Equal-cost multipath: shortest paths in hops, on any network.

    ``split=paths`` makes all shortest paths equally likely (parallel channels make different
    paths); ``split=hops`` divides the flow equally, at every node, among the channels that lie on
    a shortest path, as switches with hashed next hops do; ``split=bandwidth`` divides it among
    them in proportion to their bandwidths, as switches with weighted next hops do (WCMP). Two
    parallel channels count as one of their bandwidths together.

    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:3x3")
    >>> [str(p) for p, _ in make_routing("ecmp").paths(torus, 0, 4)]
    ['1/2', '1/2']
    """

    takes_shortest_paths = True
    respects_automorphisms = True

    def __init__(self, split: Split = "paths") -> None:
        super().__init__()
        self.split = split

    def _shortest(self, network: Network, destination: int) -> _ShortestTowards:
        return self.remember(
            network, destination, lambda: _ShortestTowards(network, destination, self.split)
        )

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield every shortest path; each hop multiplies by that channel's share."""
        shortest = self._shortest(network, destination)
        yield from paths_by_next_hops(
            network, source, destination, lambda node, path: shortest.choices(node)
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return exact loads: of this channel alone where there are hosts, or no symmetry."""
        if self.symmetries(network) and not has_hosts(network):
            return super().pair_loads(network, channel)
        counted = self._counted(network)
        found = None if counted is None else counted.exact(channel)
        return self._listed(network, channel) if found is None else found

    def pair_loads_of_each(
        self, network: Network, channels: Sequence[int]
    ) -> list[SparseRationalMatrix]:
        """Return exact loads, of all channels in one compiled call where counts are exact."""
        counted = None if self.symmetries(network) else self._counted(network)
        known = {} if counted is None else counted.exact_each(np.array(channels, dtype=np.int64))
        return [
            known[channel] if channel in known else self.pair_loads(network, channel)
            for channel in channels
        ]

    def _listed(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return exact loads by following shares from the channel back, for each destination."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[Fraction] = []
        index = network.source_index
        for column, destination in enumerate(network.destinations.tolist()):
            reaching = self._shortest(network, destination).reaching(channel)
            for node, share in reaching.items():
                if index[node] >= 0:
                    rows.append(int(index[node]))
                    columns.append(column)
                    values.append(share)
        shares = Quotients.from_fractions(values)
        return matrix_of_quotients(
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            shares,
            (len(network.sources), len(network.destinations)),
        )

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return loads that are made from hops and counts of paths, channel by channel."""
        counted = self._counted(network)
        return super().rounded_loads(network) if counted is None else counted

    def _counted(self, network: Network) -> ShortestPathLoads | None:
        """Return hops and counts between all nodes, None where there are too many nodes."""

        def count() -> ShortestPathLoads | None:
            nodes = len(np.unique(attached_to(network)))
            return None if nodes > MOST_NODES_COUNTED else ShortestPathLoads(network, self.split)

        return self.remember(network, "counted", count)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what hops and counts take: no load is held."""
        return BYTES_A_PAIR_OF_NODES * float(len(np.unique(attached_to(network)))) ** 2

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return exact loads, from counts or by pushing each source's unit of flow along."""
        if len(sources) > FEW_PAIRS and not self.symmetries(network):
            given = np.asarray(sources), np.asarray(destinations)
            counted = self._counted(network)
            if counted is not None:
                known = counted.loads_by_pairs(*given, network.channel_count)
                if known is not None:
                    return known
        rows: list[int] = []
        columns: list[int] = []
        values: list[Fraction] = []
        by_destination: dict[int, list[int]] = {}
        for row, destination in enumerate(np.asarray(destinations).tolist()):
            by_destination.setdefault(destination, []).append(row)
        for destination, its_rows in by_destination.items():
            shortest = self._shortest(network, destination)
            flows: dict[int, tuple[list[int], list[Fraction]]] = {}
            for row in its_rows:
                source = int(sources[row])
                if source not in flows:
                    flow = shortest.flow({source: Fraction(1)})
                    flows[source] = (list(flow), list(flow.values()))
                channels, loads = flows[source]
                rows.extend([row] * len(channels))
                columns.extend(channels)
                values.extend(loads)
        return matrix_of_quotients(
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            Quotients.from_fractions(values),
            (len(sources), network.channel_count),
        )

    def uniform_loads(self, network: Network) -> list[Fraction]:
        """Return the exact load of every channel by uniform traffic, all sources in one pass."""
        loads = [Fraction(0)] * network.channel_count
        amounts, shares = network.uniform_weight()
        sources = dict(zip(network.sources.tolist(), amounts.fractions(), strict=True))
        for destination, share in zip(
            network.destinations.tolist(), shares.fractions(), strict=True
        ):
            flow = self._shortest(network, destination).flow(sources)
            for channel, amount in flow.items():
                loads[channel] += amount * share
        return loads

    def symmetries(self, network: Network) -> Generators:
        """Return all: an automorphism keeps hops, path counts and bandwidths."""
        return network.automorphisms()

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one channel after another by its share."""
        shortest = self._shortest(network, destination)
        path: list[int] = []
        node = source
        while node != destination:
            choices = shortest.choices(node)
            weights = np.array([float(share) for _, share in choices])
            channel = choices[generator.choice(len(choices), p=weights / weights.sum())][0]
            path.append(channel)
            node = int(network.head[channel])
        return tuple(path)


class _ShortestTowards:
    """The channels on shortest paths towards one destination, with the share of each."""

    def __init__(self, network: Network, destination: int, split: str) -> None:
        # The arrays, not the network: it is a weak key to this object.
        self.tail, self.head = network.tail, network.head
        self.in_channels = network.in_channels
        self.out_channels = network.out_channels
        self.widths = network.bandwidth.numerators
        self.split = split
        self.hops = dijkstra(network.adjacency.T, indices=destination, unweighted=True)
        self.path_count: dict[int, int] = {destination: 1}
        self._choices: dict[int, list[tuple[int, Fraction]]] = {}

    def _onwards(self, node: int) -> list[int]:
        channels, starts = self.out_channels
        leaving = channels[starts[node] : starts[node + 1]]
        nearer = self.hops[self.head[leaving]] == self.hops[node] - 1
        return [int(channel) for channel in leaving[nearer]]

    def _count_paths(self, node: int) -> int:
        pending = [node]
        while pending:
            here = pending[-1]
            heads = [int(self.head[c]) for c in self._onwards(here)]
            unknown = [head for head in heads if head not in self.path_count]
            if here in self.path_count or not unknown:
                self.path_count.setdefault(here, sum(self.path_count[head] for head in heads))
                pending.pop()
            else:
                pending.extend(unknown)
        return self.path_count[node]

    def choices(self, node: int) -> list[tuple[int, Fraction]]:
        """Return the channels that leave a node on shortest paths, and the share of each."""
        if node not in self._choices:
            channels = self._onwards(node)
            if self.split == "hops":
                shares = [Fraction(1, len(channels))] * len(channels)
            elif self.split == "bandwidth":
                widths = [int(self.widths[channel]) for channel in channels]
                shares = [Fraction(width, sum(widths)) for width in widths]
            else:
                total = self._count_paths(node)
                shares = [Fraction(self._count_paths(int(self.head[c])), total) for c in channels]
            self._choices[node] = list(zip(channels, shares, strict=True))
        return self._choices[node]

    def reaching(self, channel: int) -> dict[int, Fraction]:
        """Return the part of what each node sends to the destination that crosses a channel."""
        tail, head = int(self.tail[channel]), int(self.head[channel])
        if not self.hops[tail] == self.hops[head] + 1 < np.inf:
            return {}
        found = {tail: dict(self.choices(tail))[channel]}
        level = [tail]
        while level:
            before: dict[int, Fraction] = {}
            for node in level:
                for entering in self._coming(node):
                    other = int(self.tail[entering])
                    share = found[node] * dict(self.choices(other))[entering]
                    before[other] = before.get(other, Fraction(0)) + share
            found |= before
            level = list(before)
        return found

    def _coming(self, node: int) -> list[int]:
        channels, starts = self.in_channels
        entering = channels[starts[node] : starts[node + 1]]
        farther = self.hops[self.tail[entering]] == self.hops[node] + 1
        return [int(channel) for channel in entering[farther]]

    def flow(self, amounts: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """Return the load of each channel by what each node sends (packets per cycle)."""
        flow: dict[int, Fraction] = {}
        by_hops: dict[int, dict[int, Fraction]] = {}
        for node, amount in amounts.items():
            by_hops.setdefault(int(self.hops[node]), {})[node] = amount
        for hops in range(max(by_hops, default=0), 0, -1):
            nearer = by_hops.setdefault(hops - 1, {})
            for node, amount in by_hops.pop(hops, {}).items():
                for channel, share in self.choices(node):
                    head = int(self.head[channel])
                    flow[channel] = amount * share
                    nearer[head] = nearer.get(head, Fraction(0)) + flow[channel]
        return flow
