"""A solution is a routing: exact flows of canonical pairs, carried to every pair by symmetry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from obroute.design.group import Element
from obroute.design.reduction import CanonicalPair, Reduction
from obroute.design.rounding import set_pair_flows
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.routing.table import decompose_flow
from obroute.specs import InputError

PAIRS_AT_ONCE = 4_000_000
"""Pairs × channels looked up at one time."""
MOST_ROUNDS = 50


class DesignedRouting(Routing):
    """A routing of one network, given by the paths of canonical pairs and a symmetry group.

    Channel loads respect the whole group. Path by path the distribution of a pair is the image
    of its canonical pair's under one element of the group.

    Parameters
    ----------
    name
        What to call it.
    reduction
        The orbits of its network.
    distributions
        Path probabilities of each canonical pair, in the order of ``reduction.pairs``; None to
        take the flows apart when they are asked for.
    flows
        The flow of each variable of the reduction; from the distributions where not given.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design import design
    >>> ring = make_network("ring:5")
    >>> routing = design(ring, "worst_case", then="locality").routing
    >>> sorted(str(probability) for probability, path in routing.paths(ring, 0, 2))
    ['2/5', '3/5']
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
            found = [Fraction(0)] * reduction.flow_count
            for pair, distribution in zip(reduction.pairs, distributions, strict=True):
                set_pair_flows(pair, distribution, found)
            flows = RationalArray.from_fractions(found)
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
        """Path probabilities of each canonical pair."""
        if self._given is not None:
            return self._given
        return [
            decompose_flow(
                self.network, pair.source, pair.destination, self._pair_flow(pair), self.name
            )
            for pair in self.reduction.pairs
        ]

    def _pair_flow(self, pair: CanonicalPair) -> dict[int, Fraction]:
        return {
            channel: self.flows.fraction(int(pair.flow[channel]))
            for channel in np.flatnonzero(pair.flow >= 0).tolist()
            if self.flows.numerators[pair.flow[channel]]
        }

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
        for path, probability in self.distributions[reduction.frame_pair[frame, there]].items():
            channels = back[element.channels[list(path)]].tolist()
            yield probability, tuple(reversed(channels) if element.reverses else channels)

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Read the exact pair loads from the flows."""
        flows = self.reduction.flows_on(channel)
        rows, columns = np.nonzero(flows >= 0)
        return SparseRationalMatrix.from_triplets(
            rows, columns, self.flows.take(flows[rows, columns]), flows.shape
        )

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Read the exact channel loads of pairs from the flows."""
        reduction, own = self.reduction, self.network
        at = own.source_index[np.asarray(sources, dtype=np.int64)]
        there = own.destination_index[
            reduction.node_frame[at, np.asarray(destinations, dtype=np.int64)]
        ]
        frames = reduction.canonical[at]
        step = max(1, PAIRS_AT_ONCE // own.channel_count)
        rows, columns, numbers = [], [], []
        for first in range(0, len(at), step):
            part = slice(first, first + step)
            flows = reduction.flow_of[
                frames[part, None], there[part, None], reduction.channel_frame[at[part]]
            ]
            row, column = np.nonzero(flows >= 0)
            rows.append(row + first)
            columns.append(column)
            numbers.append(flows[row, column])
        empty = np.zeros(0, dtype=np.int64)
        return SparseRationalMatrix.from_triplets(
            np.concatenate([*rows, empty]),
            np.concatenate([*columns, empty]),
            self.flows.take(np.concatenate([*numbers, empty])),
            (len(at), own.channel_count),
        )

    def symmetries(self, network: Network) -> dict[str, IntArray]:
        """Return the generators of the design's group that turn no channel around."""
        return {
            str(number): element.nodes
            for number, element in enumerate(self.reduction.group.preserving_generators)
        }


def without_cycles(reduction: Reduction, flows: RationalArray) -> RationalArray:
    """Return the flows with every cycle taken out, averaged over the group again.

    Nothing grows: loads and path lengths can only fall.
    """
    for _ in range(MOST_ROUNDS):
        cyclic = [pair for pair in reduction.pairs if _has_cycle(reduction.network, pair, flows)]
        if not cyclic:
            return flows
        found = flows.fractions()
        for pair in cyclic:
            flow = {
                channel: flows.fraction(int(pair.flow[channel]))
                for channel in np.flatnonzero(pair.flow >= 0).tolist()
            }
            paths = decompose_flow(
                reduction.network, pair.source, pair.destination, flow, "the flow of a design"
            )
            set_pair_flows(pair, paths, found)
        flows = RationalArray.from_fractions(found)
    return flows


def _has_cycle(network: Network, pair: CanonicalPair, flows: RationalArray) -> bool:
    used = np.flatnonzero(pair.flow >= 0)
    used = used[flows.numerators[pair.flow[used]] > 0]
    graph = csr_array(
        (np.ones(len(used)), (network.tail[used], network.head[used])),
        shape=(network.node_count, network.node_count),
    )
    count, _ = connected_components(graph, directed=True, connection="strong")
    return bool(count < network.node_count)


def carried(element: Element, path: Path) -> Path:
    """Return the image of a path: backwards where the element turns channels around."""
    channels = element.channels[list(path)].tolist()
    return tuple(reversed(channels)) if element.reverses else tuple(channels)
