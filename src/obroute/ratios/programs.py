"""Oblivious ratios as linear programs in exact integers (Applegate and Cohen 2003).

For a channel h, prices π_e of all channels and the distances p(s, v) that they make bound its
utilization by all traffic at once, the dual of the multicommodity flow that carries the traffic::

    Σ bandwidth_e · π_e ≤ bandwidth_h · ratio,      f(s, d, h) ≤ p(s, d),
    p(s, head e) ≤ p(s, tail e) + π_e.

Where the routing is given, f is known, and each channel has a program of its own. For the best
routing f is free, and all channels share the ratio. Prices and distances are one for each orbit
under the symmetries that keep the channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from obroute.design.exact import ExactOptimum
from obroute.design.formulation import DesignProgram
from obroute.design.linear_program import Blocks, LinearProgram, Rows
from obroute.design.solver import Solution
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.ratios.checks import PairsOn
from obroute.ratios.focus import FocusChannel
from obroute.ratios.repairs import repaired_flows, rounded
from obroute.symmetry import Reduction

Found = tuple[Solution, ExactOptimum | None]
"""Where a solver ended, and the optimum in rationals where one is proved."""


@dataclass(frozen=True, eq=False)
class ChannelBlocks:
    """Where the prices and distances of a focus channel are in a program.

    ``price`` and ``distance`` hold the column of each channel, and of each source and node (-1
    where the distance is zero or of no use); ``step`` the row of each source and channel, or -1.
    """

    focus: FocusChannel
    price: IntArray
    distance: IntArray
    step: IntArray

    @classmethod
    def add(
        cls,
        network: Network,
        focus: FocusChannel,
        rows: Rows[Any],
        columns: Blocks[Any],
        used: IntArray,
    ) -> ChannelBlocks:
        """Add them for the sources at some positions, which the stabiliser keeps together."""
        price = focus.prices(network)
        price += columns.add(int(price.max()) + 1).start
        sources = network.sources[used]
        distance = _numbered(focus.pairs(network)[used], _at(network.node_count, sources))
        there = distance >= 0
        distance[there] += columns.add(int(distance.max()) + 1).start
        enters = network.head[None, :] == sources[:, None]
        step = _numbered(focus.steps(network)[used], enters)
        _, first = np.unique(step, return_index=True)
        first = first[step.ravel()[first] >= 0]
        source, channel = np.divmod(first, network.channel_count)
        count = np.arange(len(first))
        before = distance[source, network.tail[channel]]
        block = rows.add(
            np.concatenate([count, count, count[before >= 0]]),
            np.concatenate(
                [distance[source, network.head[channel]], price[channel], before[before >= 0]]
            ),
            np.repeat([1, -1, -1], [len(first), len(first), int((before >= 0).sum())]),
            [0] * len(first),
        )
        step[step >= 0] += block.start
        return cls(focus, price, _spread(network, used, distance), _spread(network, used, step))

    def prices_in(self, found: Found) -> RationalArray:
        """Return the price of every channel: exact, or rounded from floats."""
        solution, exact = found
        if exact is not None:
            return exact.values.take(self.price).reduced()
        return rounded(solution.values[self.price])

    def flows_in(self, network: Network, found: Found) -> RationalArray:
        """Return the flows of the channel's traffic, sources × channels, from the duals.

        The dual of a row is spread over its orbit, and over the channels that the focus channel
        stands for.
        """
        solution, exact = found
        used = self.step >= 0
        sizes = np.bincount(self.step[used], minlength=1)
        copies = len(self.focus.copies)
        shape = self.step.shape
        if exact is None:
            flows = np.zeros(shape)
            rows = self.step[used]
            flows[used] = np.maximum(-solution.duals[rows], 0) / sizes[rows] / copies
            return repaired_flows(network, flows)
        common = int(np.lcm.reduce(np.unique(sizes[self.step[used]]).astype(object)))
        numerators = np.zeros(shape, dtype=object)
        rows = self.step[used]
        parts = np.array([common // size for size in sizes[rows].tolist()], dtype=object)
        numerators[used] = -exact.duals.numerators[rows].astype(object) * parts
        return RationalArray(numerators, exact.duals.denominator * common * copies).reduced()


def _at(count: int, nodes: IntArray) -> IntArray:
    """Return a mask places × nodes of each node at its place."""
    mask = np.zeros((len(nodes), count), dtype=bool)
    mask[np.arange(len(nodes)), nodes] = True
    return mask


def _numbered(labels: IntArray, left_out: IntArray) -> IntArray:
    """Return labels numbered from 0, with -1 where they are left out."""
    numbers = np.full(labels.shape, -1, dtype=np.int64)
    _, numbers[~left_out] = np.unique(labels[~left_out], return_inverse=True)
    return numbers


def _spread(network: Network, used: IntArray, values: IntArray) -> IntArray:
    whole = np.full((len(network.sources), values.shape[1]), -1, dtype=np.int64)
    whole[used] = values
    return whole


def widths(network: Network) -> IntArray:
    """Return the bandwidths as integers without a common divisor."""
    numerators = network.bandwidth.numerators
    return np.asarray(numerators // np.gcd.reduce(numerators))


@dataclass(frozen=True, eq=False)
class GivenProgram:
    """The ratio of one channel of a given routing: its loads are right-hand sides."""

    blocks: ChannelBlocks
    program: LinearProgram

    @classmethod
    def of(
        cls, network: Network, focus: FocusChannel, loads: SparseRationalMatrix
    ) -> GivenProgram | None:
        """Write it; None where no pair of two nodes loads the channel."""
        rows: Rows[str] = Rows()
        columns: Blocks[str] = Blocks()
        pairs = PairsOn.of(network, loads)
        if not pairs.rows.size:
            return None
        blocks = ChannelBlocks.add(network, focus, rows, columns, np.unique(pairs.rows))
        ends = network.destinations[pairs.columns]
        distance, first = np.unique(blocks.distance[pairs.rows, ends], return_index=True)
        amounts = pairs.loads.take(first)
        rows.add(
            np.arange(len(distance)),
            distance,
            np.full(len(distance), -1),
            [-amount for amount in amounts.fractions()],
        )
        cost = np.zeros(columns.count, dtype=np.int64)
        np.add.at(cost, blocks.price, widths(network))
        matrix = rows.matrix(columns.count)
        return cls(blocks, LinearProgram(matrix, np.array(rows.equality), rows.rhs, cost))


class LeastRatioProgram:
    """The least oblivious ratio: the routing is free, all channels share the ratio."""

    def __init__(self, reduction: Reduction, focus: list[FocusChannel]) -> None:
        self.design = design = DesignProgram(reduction)
        network = reduction.network
        everyone = np.arange(len(network.sources))
        amounts = widths(network)
        self.blocks: list[ChannelBlocks] = []
        for channel in focus:
            blocks = ChannelBlocks.add(network, channel, design.rows, design.columns, everyone)
            flows = reduction.flows_on(channel.channel)
            pairs = np.stack([flows, blocks.distance[:, network.destinations]], axis=-1)
            pairs = np.unique(pairs[flows >= 0], axis=0)
            count = np.arange(len(pairs))
            design.rows.add(
                np.concatenate([count, count]),
                pairs.T.ravel(),
                np.repeat([1, -1], len(pairs)),
                [0] * len(pairs),
            )
            prices, first = np.unique(blocks.price, return_inverse=True)
            sums = np.bincount(first, weights=amounts).astype(np.int64)
            design.rows.add(
                np.zeros(len(prices) + 1, dtype=np.int64),
                np.append(prices, design.load_column),
                np.append(sums, -amounts[channel.channel]),
                [0],
            )
            self.blocks.append(blocks)

    @property
    def program(self) -> LinearProgram:
        """The linear program."""
        return self.design.program("load")
