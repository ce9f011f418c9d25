"""Rationals near a solver's floats that are what they must be: prices, and flows that are kept."""

from __future__ import annotations

import numpy as np

from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray

BITS = 40
"""Numbers are rounded to this many bits of the largest."""


def rounded(prices: FloatArray) -> RationalArray:
    """Return prices above zero near floats, at any scale."""
    return RationalArray(_units(prices) + 1, 1)


def _units(values: FloatArray) -> IntArray:
    clean = np.where(np.isfinite(values), np.maximum(values, 0.0), 0.0)
    largest = float(clean.max(initial=0.0)) or 1.0
    return np.floor(clean / largest * 2.0**BITS).astype(np.int64)


def repaired_flows(network: Network, flows: FloatArray) -> RationalArray:
    """Return flows from each source near floats, of which no node passes on more than it gets.

    What a node passes on too much is taken out, channel by channel: amounts only fall, so that
    this ends.
    """
    scale = float(np.max(flows, initial=0.0)) or 1.0
    units = _units(flows)
    channels, starts = network.out_channels
    for place, source in enumerate(network.sources.tolist()):
        row = units[place]
        row[network.head == source] = 0
        kept = np.zeros(network.node_count, dtype=np.int64)
        np.add.at(kept, network.head, row)
        np.subtract.at(kept, network.tail, row)
        kept[source] = 0
        waiting = np.flatnonzero(kept < 0).tolist()
        while waiting:
            node = waiting.pop()
            for channel in channels[starts[node] : starts[node + 1]].tolist():
                taken = min(int(row[channel]), -int(kept[node]))
                if taken > 0:
                    there = int(network.head[channel])
                    row[channel] -= taken
                    kept[node] += taken
                    kept[there] -= taken
                    waiting.append(there)
    numerator, denominator = scale.as_integer_ratio()
    return RationalArray(units.astype(object) * numerator, denominator << BITS).reduced()
