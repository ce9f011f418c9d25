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

    What a node passes on too much, or a switch keeps, is taken out, channel by channel: amounts
    only fall, so that this ends.
    """
    scale = float(np.max(flows, initial=0.0)) or 1.0
    units = _units(flows)
    is_end = np.zeros(network.node_count, dtype=bool)
    is_end[network.destinations] = True
    out, into = network.out_channels, network.in_channels
    for place, source in enumerate(network.sources.tolist()):
        row = units[place]
        row[network.head == source] = 0
        kept = np.bincount(network.head, weights=row, minlength=network.node_count).astype(np.int64)
        kept -= np.bincount(network.tail, weights=row, minlength=network.node_count).astype(
            np.int64
        )
        waiting = list(range(network.node_count))
        while waiting:
            node = waiting.pop()
            if node == source or kept[node] == 0 or (kept[node] > 0 and is_end[node]):
                continue
            (channels, starts), ends = (
                (out, network.head) if kept[node] < 0 else (into, network.tail)
            )
            sign = 1 if kept[node] < 0 else -1
            for channel in channels[starts[node] : starts[node + 1]].tolist():
                taken = min(int(row[channel]), abs(int(kept[node])))
                if taken:
                    row[channel] -= taken
                    kept[node] += sign * taken
                    kept[ends[channel]] -= sign * taken
                    waiting.append(int(ends[channel]))
    numerator, denominator = scale.as_integer_ratio()
    return RationalArray(units.astype(object) * numerator, denominator << BITS).reduced()
