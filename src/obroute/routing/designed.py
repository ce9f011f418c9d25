"""A solution is a routing: exact flows of canonical pairs, carried to every pair by symmetry."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from obroute.compiled import compiled
from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.flows import decompose_flow
from obroute.specs import InputError
from obroute.symmetry import CanonicalPair, Reduction


class RoutingByNetwork(Routing):
    """A routing that is another one on each network, made when it is first used there."""

    @abstractmethod
    def made_for(self, network: Network) -> Routing:
        """Return the routing that it is on a network."""

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of the routing made for the network."""
        return self.made_for(network).paths(network, source, destination)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return its pair loads."""
        return self.made_for(network).pair_loads(network, channel)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return its channel loads."""
        return self.made_for(network).channel_loads(network, sources, destinations)

    def symmetries(self, network: Network) -> Generators:
        """Return its symmetries."""
        return self.made_for(network).symmetries(network)

    def most_crossings(self, network: Network) -> int:
        """Return its bound."""
        return self.made_for(network).most_crossings(network)

    def longest_path(self, network: Network) -> int | None:
        """Return its bound."""
        return self.made_for(network).longest_path(network)


class DesignedRouting(Routing):
    """A routing of one network, given by the paths of canonical pairs and a symmetry group.

    A pair takes the images of its canonical pair's paths under the group, every image of a path
    by the pair's stabiliser with equal probability, so that the routing respects the group.

    Parameters
    ----------
    name
        What to call it.
    reduction
        The orbits of its network.
    distributions
        Path probabilities of each canonical pair, in the order of ``reduction.pairs``, before
        they are averaged over its stabiliser; None to take the flows apart when asked for.
    flows
        The flow of each variable of the reduction; from the distributions where not given.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.symmetry import declared_group
    >>> ring = make_network("ring:5")
    >>> reduction = Reduction.build(declared_group(ring))
    >>> one, two = ({(0,): Fraction(1)}, {(0, 1): Fraction(3, 5), (5, 9, 8): Fraction(2, 5)})
    >>> routing = DesignedRouting("mine", reduction, [one, two])
    >>> [(str(probability), path) for probability, path in routing.paths(ring, 1, 3)]
    [('3/5', (1, 2)), ('2/5', (6, 5, 9))]
    """

    defined_for = "the network that it was designed for"

    def __init__(
        self,
        name: str,
        reduction: Reduction,
        distributions: Sequence[Mapping[Path, Fraction]] | None = None,
        flows: RationalArray | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.reduction = reduction
        self._given = distributions
        if flows is None:
            assert distributions is not None
            fractions = [Fraction(0)] * reduction.flow_count
            for pair, distribution in zip(reduction.pairs, distributions, strict=True):
                set_pair_flows(pair, distribution, fractions)
            flows = RationalArray.from_fractions(fractions)
        self.flows = flows

    @property
    def network(self) -> Network:
        """The network that it was designed for."""
        return self.reduction.network

    def check(self, network: Network) -> None:
        """Raise unless the network has the channels that it was designed for."""
        own = self.network
        if network is own:
            return
        same = network.node_count == own.node_count and all(
            np.array_equal(getattr(network, ends), getattr(own, ends))
            for ends in ("tail", "head", "sources", "destinations")
        )
        if not same:
            raise InputError(
                f"{self.name} was designed for {own.name}, not for {network.name}; design one "
                f"for it with `obroute design {network.name}`"
            )

    @cached_property
    def distributions(self) -> Sequence[Mapping[Path, Fraction]]:
        """Path probabilities of each canonical pair, not averaged over its stabiliser."""
        if self._given is not None:
            return self._given
        return [
            _paths_of(self.network, pair, self.flows, self.name) for pair in self.reduction.pairs
        ]

    def _averaged(self, number: int) -> dict[Path, Fraction]:
        """Return the path probabilities of a canonical pair, equal over orbits of paths."""
        stabiliser = self.reduction.pairs[number].stabiliser
        averaged: dict[Path, Fraction] = {}
        for path, probability in self.distributions[number].items():
            orbit = {path: None}
            reached = [path]
            for one in reached:
                for element in stabiliser:
                    image = element.carry(one)
                    if image not in orbit:
                        orbit[image] = None
                        reached.append(image)
            for image in orbit:
                averaged[image] = averaged.get(image, Fraction(0)) + probability / len(orbit)
        return averaged

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the canonical pair's paths, carried to this pair."""
        if source == destination:
            yield Fraction(1), ()
            return
        own, reduction = self.network, self.reduction
        at = int(own.source_index[source])
        frame = int(reduction.canonical[at])
        there = int(own.destination_index[reduction.node_frame[at][destination]])
        element = reduction.frame_element[frame * len(own.destinations) + there]
        back = np.empty(own.channel_count, dtype=np.int64)
        back[reduction.channel_frame[at]] = np.arange(own.channel_count)
        number = int(reduction.frame_pair[frame, there])
        averaged = self.remember(own, number, lambda: self._averaged(number))
        for path, probability in averaged.items():
            yield probability, tuple(back[list(element.carry(path))].tolist())

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Read the exact pair loads from the flows."""
        reduction, own = self.reduction, self.network
        entries = _pairs_on_channel(
            reduction.flow_of,
            reduction.canonical,
            reduction.destination_frame,
            reduction.channel_frame[:, channel],
            self._used,
        )
        return self._matrix(*entries, (len(own.sources), len(own.destinations)))

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Read the exact channel loads of pairs from the flows."""
        reduction, own = self.reduction, self.network
        at = own.source_index[np.asarray(sources, dtype=np.int64)]
        to = own.destination_index[np.asarray(destinations, dtype=np.int64)]
        entries = _channels_of_pairs(
            reduction.flow_of,
            reduction.canonical[at],
            reduction.destination_frame[at, to],
            reduction.channel_frame,
            at,
            self._used,
        )
        return self._matrix(*entries, (len(at), own.channel_count))

    @cached_property
    def _used(self) -> NDArray[np.bool_]:
        """Which variables are not zero; the last, for -1, is."""
        return np.append(self.flows.numerators != 0, False)

    def _matrix(
        self, rows: IntArray, columns: IntArray, flows: IntArray, shape: tuple[int, int]
    ) -> SparseRationalMatrix:
        return SparseRationalMatrix(rows, columns, self.flows.take(flows), shape)

    def symmetries(self, network: Network) -> Generators:
        """Return the generators of the design's group that turn no channel around."""
        return {
            Generator(Symmetry.OF_DESIGN, (number,)): element.nodes
            for number, element in enumerate(self.reduction.group.preserving_generators)
        }


def set_pair_flows(
    pair: CanonicalPair, distribution: Mapping[Path, Fraction], flows: list[Fraction]
) -> None:
    """Set the flows of one canonical pair to the mean of its path flows over its stabiliser."""
    used, counts = np.unique(pair.flow[pair.flow >= 0], return_counts=True)
    for flow in used.tolist():
        flows[flow] = Fraction(0)
    for path, probability in distribution.items():
        for channel in path:
            flows[pair.flow[channel]] += probability
    for flow, count in zip(used.tolist(), counts.tolist(), strict=True):
        flows[flow] /= count


def _paths_of(
    network: Network, pair: CanonicalPair, flows: RationalArray, origin: str
) -> dict[Path, Fraction]:
    """Take the flow of a canonical pair apart into paths."""
    flow = {
        channel: flows.fraction(int(pair.flow[channel]))
        for channel in np.flatnonzero(pair.flow >= 0).tolist()
        if flows.numerators[pair.flow[channel]]
    }
    return decompose_flow(network, pair.source, pair.destination, flow, origin)


def without_cycles(reduction: Reduction, flows: RationalArray) -> RationalArray:
    """Return the flows with every cycle taken out.

    A cycle goes together with its images under the pair's stabiliser, as much as there is of all
    of them, so that what is left is as symmetric as it was, and one variable more is zero.
    Nothing grows: loads and path lengths can only fall.
    """
    fractions: list[Fraction] | None = None
    for pair in reduction.pairs:
        known = np.flatnonzero(pair.flow >= 0)
        used = known[flows.numerators[pair.flow[known]] > 0]
        sizes = Counter(pair.flow[known].tolist())
        while cycle := _cycle(reduction.network, used):
            fractions = flows.fractions() if fractions is None else fractions
            counts = Counter(pair.flow[cycle].tolist())
            whole = min(fractions[flow] * sizes[flow] / count for flow, count in counts.items())
            for flow, count in counts.items():
                fractions[flow] -= whole * count / sizes[flow]
            used = used[[fractions[flow] > 0 for flow in pair.flow[used].tolist()]]
    return flows if fractions is None else RationalArray.from_fractions(fractions)


def _cycle(network: Network, used: IntArray) -> list[int]:
    """Return the channels of a cycle among those used, none if there is none."""
    graph = csr_array(
        (np.ones(len(used)), (network.tail[used], network.head[used])),
        shape=(network.node_count, network.node_count),
    )
    count, component = connected_components(graph, directed=True, connection="strong")
    if count == network.node_count:
        return []
    inside = used[component[network.tail[used]] == component[network.head[used]]]
    onwards = dict(zip(network.tail[inside].tolist(), inside.tolist(), strict=True))
    node = int(network.tail[inside[0]])
    place: dict[int, int] = {}
    walk: list[int] = []
    while node not in place:
        place[node] = len(walk)
        walk.append(onwards[node])
        node = int(network.head[walk[-1]])
    return walk[place[node] :]


@compiled
def _pairs_on_channel(
    flow_of: NDArray[np.int32],
    canonical: IntArray,
    destination_frame: NDArray[np.int32],
    channel_frame: NDArray[np.int32],
    used: NDArray[np.bool_],
) -> tuple[IntArray, IntArray, IntArray]:  # pragma: no cover  # compiled
    """Return source, destination and flow variable of the pairs that load a channel.

    ``channel_frame`` says where the channel lies seen from the canonical source of each source.
    """
    sources, destinations = destination_frame.shape
    variables = np.empty((sources, destinations), dtype=np.int32)
    count = 0
    for source in range(sources):
        frame, channel = canonical[source], channel_frame[source]
        for destination in range(destinations):
            flow = flow_of[frame, destination_frame[source, destination], channel]
            variables[source, destination] = flow
            count += used[flow]
    rows, columns = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    flows = np.empty(count, dtype=np.int64)
    place = 0
    for source in range(sources):
        for destination in range(destinations):
            flow = variables[source, destination]
            if used[flow]:
                rows[place], columns[place], flows[place] = source, destination, flow
                place += 1
    return rows, columns, flows


@compiled
def _channels_of_pairs(
    flow_of: NDArray[np.int32],
    frames: IntArray,
    destinations: NDArray[np.int32],
    channel_frame: NDArray[np.int32],
    sources: IntArray,
    used: NDArray[np.bool_],
) -> tuple[IntArray, IntArray, IntArray]:  # pragma: no cover  # compiled
    """Return pair, channel and flow variable of the channels that pairs load.

    A pair has a canonical source, its destination as seen from there, and its source.
    """
    count = 0
    for pair in range(len(frames)):
        for flow in flow_of[frames[pair], destinations[pair]]:
            count += used[flow]
    rows, columns = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    flows = np.empty(count, dtype=np.int64)
    place = 0
    for pair in range(len(frames)):
        seen, mine = flow_of[frames[pair], destinations[pair]], channel_frame[sources[pair]]
        for channel in range(len(mine)):
            flow = seen[mine[channel]]
            if used[flow]:
                rows[place], columns[place], flows[place] = pair, channel, flow
                place += 1
    return rows, columns, flows
