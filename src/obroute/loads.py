"""Channel loads from pair loads: of a pattern, and of many sampled patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.network import Network
from obroute.quotients import Quotients, column_sums
from obroute.rational import (
    INT64_ROOM,
    FloatArray,
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    multiply_integers,
)
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.symmetry import canonical_sources, focus_channels
from obroute.traffic import Traffic

LOW_BITS = 40
"""Loads are summed in two parts of 63 bits, of which the low one takes this many bits."""

LARGEST_TENSOR = 2**28
"""Entries (non-zero, or in the maps of a relative routing) that a tensor may have in memory."""

LOADS_AT_ONCE = 2**20
"""Loads of channels by pairs that are held at a time where only their sums are wanted."""
CLOSE = 1e-9
"""Loads in floats that are equal differ by less, relatively."""
FASTEST_GROWTH = 16
"""A block of pairs is at most so many times the last; the first ones may load few channels."""


def loads_of(routing: Routing, traffic: Traffic) -> RationalArray:
    """Return the exact load of every channel under traffic (packets per cycle).

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> ring, dor = make_network("ring:5"), make_routing("dor")
    >>> loads = loads_of(dor, make_pattern("tornado").traffic(ring))
    >>> loads.fractions()[0], loads.fractions()[5]
    (Fraction(2, 1), Fraction(0, 1))
    >>> loads_of(dor, make_pattern("uniform").traffic(ring)).fractions()[0]
    Fraction(3, 5)
    """
    network = traffic.network
    if traffic.is_uniform:  # channels of an orbit are loaded alike
        focus = focus_channels(network, routing.symmetries(network))
        of_focus = uniform_loads(network, routing, focus.channels.tolist())
        return RationalArray.from_fractions(of_focus.values()).take(focus.labels)
    # In blocks: together the pairs of a permutation load every channel many times over under
    # Valiant's routing, and only the sums are wanted.
    amounts = traffic.amounts
    sources, destinations = network.sources[amounts.rows], network.destinations[amounts.columns]
    total = RationalArray.full(network.channel_count, 0)
    wide: list[list[Fraction]] = []
    first, count = 0, max(1, LOADS_AT_ONCE // network.channel_count)
    while first < len(sources):
        part = slice(first, first + count)
        loads = routing.channel_loads(network, sources[part], destinations[part])
        weights = amounts.values.take(part)
        if isinstance(loads.values, Quotients):
            wide.append(column_sums(loads, weights))
        else:
            total = total.plus(loads.column_sums(weights))
        first += count
        fitting = LOADS_AT_ONCE * count // max(1, loads.nonzeros)
        count = max(1, min(fitting, FASTEST_GROWTH * count))
    if not wide:
        return total
    return Quotients.from_fractions(map(sum, zip(total.fractions(), *wide, strict=True)))


def uniform_loads(
    network: Network, routing: Routing, channels: Sequence[int]
) -> dict[int, Fraction]:
    """Return the exact load of each given channel by uniform traffic (packets per cycle)."""
    weights = network.uniform_weight()
    return {c: routing.pair_loads(network, c).weighted_sum(*weights) for c in channels}


def largest_load(routing: Routing, traffic: Traffic) -> tuple[Fraction, int]:
    """Return the largest load over bandwidth under traffic, and the first channel that has it.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> tornado = make_pattern("tornado").traffic(make_network("ring:5"))
    >>> largest_load(make_routing("dor"), tornado)
    (Fraction(2, 1), 0)
    """
    return largest_normalized_load(traffic.network, loads_of(routing, traffic))


def largest_normalized_load(network: Network, loads: RationalArray) -> tuple[Fraction, int]:
    """Return the largest load over bandwidth, and the first channel that has it."""
    nearly = loads.to_float() / network.bandwidth.to_float()
    close = np.flatnonzero(nearly >= nearly.max() * (1 - CLOSE))
    return max(
        ((loads.fraction(c) / network.bandwidth.fraction(c), c) for c in close.tolist()),
        key=lambda found: (found[0], -found[1]),
    )


@dataclass(frozen=True, eq=False)
class PairLoadTensor:
    """Exact loads of every channel by every pair, for one canonical source of each orbit.

    For a relative routing that is one source, so the tensor has O(N · channels) entries in place
    of O(N² · channels); loads from other sources are read through automorphisms.

    Parameters
    ----------
    loads
        (canonical source, destination) pairs × channels; the pair of canonical source i and
        destination node d is row ``i · nodes + d``.
    row
        Array sources × destinations: the row that holds each pair.
    channel_image
        Array sources × channels: where the automorphism sends the channels of that row.
    """

    network: Network
    loads: SparseRationalMatrix
    row: NDArray[np.int32]
    channel_image: NDArray[np.int32]

    @classmethod
    def build(cls, network: Network, routing: Routing) -> PairLoadTensor:
        """Tabulate the loads of the canonical sources."""
        count = len(network.sources)
        if count * (network.node_count + network.channel_count) > LARGEST_TENSOR:
            raise InputError(
                f"{network.name} is too large for sampled traffic: {count} sources × "
                f"{network.channel_count} channels would take more than "
                f"{LARGEST_TENSOR * 4 / 1e9:.0f} GB; sample fewer radices"
            )
        sources = canonical_sources(network, routing.symmetries(network))
        nodes = network.node_count
        ejecting = np.concatenate([network.destinations] * len(sources.nodes))
        listed = routing.channel_loads(
            network, np.repeat(sources.nodes, len(network.destinations)), ejecting
        )
        offset = np.repeat(np.arange(len(sources.nodes)) * nodes, len(network.destinations))
        loads = SparseRationalMatrix.from_triplets(
            (offset + ejecting)[listed.rows],
            listed.columns,
            listed.values,
            (len(sources.nodes) * nodes, network.channel_count),
        )
        canonical_of = np.empty((count, nodes), dtype=np.int32)
        np.put_along_axis(
            canonical_of, sources.node_image, np.arange(nodes, dtype=np.int32)[None, :], axis=1
        )
        row = canonical_of[:, network.destinations] + sources.canonical[:, None] * nodes
        return cls(network, loads, row.astype(np.int32), sources.channel_image)

    def permutation_maxima(self, destinations: IntArray) -> list[Fraction]:
        """Return the exact largest normalized load of each permutation (a row of destinations).

        Raises
        ------
        InputError
            If the terminals are no unit terminals, or sums of loads exceed 100 bits.
        """
        network = self.network
        if not network.has_unit_terminals:
            raise InputError(
                f"{network.name}: random permutations need terminals that each inject and eject "
                "one packet per cycle"
            )
        # Over a common bandwidth, so that loads of different channels compare as integers.
        bandwidths = network.bandwidth.numerators.astype(object)
        common = int(np.lcm.reduce(bandwidths))
        values = multiply_integers(
            self.loads.values.numerators, (common // bandwidths)[self.loads.columns]
        )
        unit = Fraction(network.bandwidth.denominator, self.loads.values.denominator * common)
        values = values.astype(object)
        high = values >> LOW_BITS
        if high.size and int(high.max()) * len(network.sources) >= INT64_ROOM:
            raise InputError(
                f"{network.name}: the pair loads have too many digits for exact sums over random "
                "permutations; take a smaller radix"
            )
        highs, lows = _permutation_maxima(
            destinations,
            self.row,
            self.loads.row_pointers(),
            self.loads.columns,
            high.astype(np.int64),
            (values & (2**LOW_BITS - 1)).astype(np.int64),
            self.channel_image,
            network.channel_count,
        )
        return [
            ((top << LOW_BITS) + bottom) * unit
            for top, bottom in zip(highs.tolist(), lows.tolist(), strict=True)
        ]

    def matrix_maxima(self, matrices: FloatArray) -> FloatArray:
        """Return the largest normalized load of each traffic matrix, as floats."""
        values = (
            self.loads.values.to_float() / self.network.bandwidth.to_float()[self.loads.columns]
        )
        maxima: FloatArray = _matrix_maxima(
            matrices,
            self.row,
            self.loads.row_pointers(),
            self.loads.columns,
            values,
            self.channel_image,
            self.network.channel_count,
        )
        return maxima


@compiled
def _permutation_maxima(
    destinations: Any,
    rows: Any,
    starts: Any,
    columns: Any,
    high: Any,
    low: Any,
    channel_image: Any,
    channel_count: int,
) -> Any:
    """Return the largest channel load of each permutation, in a high and a low part."""
    highs = np.zeros(len(destinations), dtype=np.int64)
    lows = np.zeros(len(destinations), dtype=np.int64)
    loads = np.zeros((2, channel_count), dtype=np.int64)
    for sample in range(len(destinations)):
        loads[:] = 0
        for source in range(destinations.shape[1]):
            row = rows[source, destinations[sample, source]]
            for entry in range(starts[row], starts[row + 1]):
                channel = channel_image[source, columns[entry]]
                loads[0, channel] += high[entry]
                loads[1, channel] += low[entry]
        for channel in range(channel_count):
            top = loads[0, channel] + (loads[1, channel] >> LOW_BITS)
            bottom = loads[1, channel] & ((1 << LOW_BITS) - 1)
            if top > highs[sample] or (top == highs[sample] and bottom > lows[sample]):
                highs[sample] = top
                lows[sample] = bottom
    return highs, lows


@compiled
def _matrix_maxima(
    matrices: Any,
    rows: Any,
    starts: Any,
    columns: Any,
    values: Any,
    channel_image: Any,
    channel_count: int,
) -> Any:
    maxima = np.zeros(len(matrices))
    loads = np.zeros(channel_count)
    for sample in range(len(matrices)):
        loads[:] = 0.0
        for source in range(matrices.shape[1]):
            for destination in range(matrices.shape[2]):
                amount = matrices[sample, source, destination]
                if amount != 0.0:
                    row = rows[source, destination]
                    for entry in range(starts[row], starts[row + 1]):
                        loads[channel_image[source, columns[entry]]] += amount * values[entry]
        maxima[sample] = loads.max()
    return maxima
