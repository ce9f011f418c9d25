"""A routing given by what each pair sends over each channel, held in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.contract import BYTES_A_LISTED_LOAD, Routing
from obroute.routing.flows import decompose_flow
from obroute.routing.listed_loads import ListedLoads
from obroute.routing.path_table import pairs_of
from obroute.routing.ranges import ranges


class FlowTable(Routing):
    """A routing by unit flows: none has a cycle, so that what a channel carries is its pair load.

    Parameters
    ----------
    name
        What to call it.
    flows
        What each pair sends over each channel, pairs × channels. A pair is the position of its
        source times the number of destinations, plus the position of its destination.
    """

    def __init__(self, name: str, flows: SparseRationalMatrix) -> None:
        super().__init__()
        self.name = name
        self.flows, self.starts = flows, flows.row_pointers()

    def _flow(self, network: Network, source: int, destination: int) -> dict[int, Fraction]:
        (pair,) = pairs_of(network, np.array([source]), np.array([destination])).tolist()
        part = slice(int(self.starts[pair]), int(self.starts[pair + 1])) if pair >= 0 else slice(0)
        channels = self.flows.columns[part].tolist()
        return dict(zip(channels, self.flows.values.take(part).fractions(), strict=True))

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths that a flow decomposes into."""
        flow = self._flow(network, source, destination)
        if not flow and source == destination:
            yield Fraction(1), ()
            return
        for path, probability in decompose_flow(
            network, source, destination, flow, self.name
        ).items():
            yield probability, path

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the flows of the given pairs."""
        pairs = pairs_of(network, np.asarray(sources), np.asarray(destinations))
        counts = np.diff(self.starts)[pairs] * (pairs >= 0)
        which, taken = ranges(self.starts[pairs], counts)
        return SparseRationalMatrix.from_triplets(
            which,
            self.flows.columns[taken],
            self.flows.values.take(taken),
            (len(pairs), network.channel_count),
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the flows over a channel."""
        return self.rounded_loads(network).exact(channel)

    def rounded_loads(self, network: Network) -> ListedLoads:
        """Return all flows, sorted by channel."""

        def turn() -> ListedLoads:
            order = np.lexsort((self.flows.rows, self.flows.columns))
            turned = SparseRationalMatrix(
                self.flows.columns[order],
                self.flows.rows[order],
                self.flows.values.take(order),
                self.flows.shape[::-1],
            )
            return ListedLoads(network, turned, 1)

        return self.remember(network, "rounded", turn)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what the list takes."""
        return loads * BYTES_A_LISTED_LOAD

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean of what all pairs send over all channels."""
        rows, columns = np.divmod(self.flows.rows, len(network.destinations))
        sent, shares = network.uniform_weight()
        weighted = self.flows.values.times(sent.take(rows)).times(shares.take(columns))
        return weighted.sum() / network.total_injection


def unit_flows(
    network: Network, pairs: IntArray, channels: IntArray, amounts: Quotients
) -> SparseRationalMatrix | None:
    """Return flows by pair and channel, None unless each is a unit flow without a cycle.

    Amounts of a pair over a channel are added; pairs of a node with itself may have none.
    """
    count = len(network.sources) * len(network.destinations)
    flows = matrix_of_quotients(pairs, channels, amounts, (count, network.channel_count))
    if isinstance(flows.values, Quotients) or flows.values.numerators.min(initial=0) < 0:
        return None
    rows, columns = np.divmod(np.arange(count), len(network.destinations))
    sources, destinations = network.sources[rows], network.destinations[columns]
    apart = np.flatnonzero(sources != destinations)
    one = np.full(len(apart), flows.values.denominator, dtype=flows.values.numerators.dtype)
    nodes = network.node_count
    keys = np.concatenate(
        [
            flows.rows * nodes + network.tail[flows.columns],
            flows.rows * nodes + network.head[flows.columns],
            apart * nodes + sources[apart],
            apart * nodes + destinations[apart],
        ]
    )
    given = flows.values.numerators
    balance = SparseRationalMatrix.from_triplets(
        keys,
        0 * keys,
        RationalArray(np.concatenate([given, -given, -one, one]), 1),
        (count * nodes, 1),
    )
    if balance.nonzeros:
        return None
    starts = flows.row_pointers()
    if _has_cycle(starts, network.tail[flows.columns], network.head[flows.columns], nodes):
        return None
    return flows


@compiled
def _has_cycle(starts: Any, tails: Any, heads: Any, nodes: int) -> bool:
    """Say whether the channels between two starts have a cycle: take away what nothing enters."""
    entering = np.zeros(nodes, dtype=np.int64)
    for pair in range(len(starts) - 1):
        first, last = starts[pair], starts[pair + 1]
        left = last - first
        gone = np.zeros(left, dtype=np.bool_)
        for place in range(first, last):
            entering[heads[place]] += 1
        while left > 0:
            before = left
            for place in range(first, last):
                if not gone[place - first] and entering[tails[place]] == 0:
                    gone[place - first] = True
                    entering[heads[place]] -= 1
                    left -= 1
            if left == before:
                return True
    return False
