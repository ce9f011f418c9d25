"""Oblivious ratios by the definition, in floats: a demand a pair, no symmetry, scipy's solver."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from obroute.network import Network
from obroute.routing import Routing


def routing_ratio(network: Network, routing: Routing) -> float:
    """Return the ratio of a routing: a channel's largest load by traffic that a flow carries.

    Columns are the demand of each pair and its own flow over each channel.
    """
    pairs = _pairs(network)
    width = np.array([float(b) for b in network.bandwidth.fractions()])
    count, channels = len(pairs), network.channel_count
    rows, columns, values, rhs = [], [], [], []
    for number, (source, destination) in enumerate(pairs):
        for node in range(network.node_count):
            if node == destination:
                continue
            row = len(rhs)
            for channel in range(channels):
                for end, sign in ((network.tail, 1.0), (network.head, -1.0)):
                    if end[channel] == node:
                        rows.append(row)
                        columns.append(count + number * channels + channel)
                        values.append(sign)
            if node == source:
                rows.append(row)
                columns.append(number)
                values.append(-1.0)
            rhs.append(0.0)
    shape = (len(rhs), count + count * channels)
    kept = coo_array((values, (rows, columns)), shape=shape).tocsr()
    at = np.arange(count * channels)
    full = coo_array((np.ones(len(at)), (at % channels, count + at)), shape=(channels, shape[1]))
    ends = np.array(pairs)
    loads = routing.channel_loads(network, ends[:, 0], ends[:, 1]).to_dense()
    highest = 0.0
    for channel in range(channels):
        cost = np.zeros(shape[1])
        cost[:count] = -loads[:, channel] / width[channel]
        found = linprog(cost, full.tocsr(), width, kept, rhs, method="highs")
        highest = max(highest, -found.fun)
    return highest


def least_ratio(network: Network) -> float:
    """Return the least ratio of all routings, by Applegate and Cohen's program as written."""
    pairs, channels, nodes = _pairs(network), network.channel_count, network.node_count
    width = [float(b) for b in network.bandwidth.fractions()]
    sources = network.sources.tolist()
    flows, prices = len(pairs) * channels, channels * channels
    ratio = flows + prices + channels * len(sources) * nodes
    upper, equal = _Rows(), _Rows()
    for number, (source, destination) in enumerate(pairs):
        for node in range(nodes):
            if node != destination:
                leaving = [(c, 1.0) for c in range(channels) if network.tail[c] == node]
                entering = [(c, -1.0) for c in range(channels) if network.head[c] == node]
                entries = {number * channels + c: sign for c, sign in leaving + entering}
                equal.add(entries, float(node == source))
    free = np.full(ratio + 1, np.inf)
    for h in range(channels):
        first = flows + h * channels
        upper.add({**{first + e: width[e] for e in range(channels)}, ratio: -1.0}, 0.0)
        for place, source in enumerate(sources):
            start = flows + prices + (h * len(sources) + place) * nodes
            free[start + source] = 0.0
            for e in range(channels):
                tail, head = int(network.tail[e]), int(network.head[e])
                upper.add({start + head: 1.0, start + tail: -1.0, first + e: -1.0}, 0.0)
            for number, (one, destination) in enumerate(pairs):
                if one == source:
                    flow = number * channels + h
                    upper.add({flow: 1 / width[h], start + destination: -1.0}, 0.0)
    cost = np.zeros(ratio + 1)
    cost[ratio] = 1.0
    bounds = np.stack([np.zeros(ratio + 1), free], axis=1)
    found = linprog(
        cost, *upper.matrix(ratio + 1), *equal.matrix(ratio + 1), bounds, method="highs"
    )
    return float(found.fun)


class _Rows:
    """Rows of a program, one by one."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.rhs: list[float] = []

    def add(self, entries: dict[int, float], rhs: float) -> None:
        """Append a row."""
        self.entries += [(len(self.rhs), column, value) for column, value in entries.items()]
        self.rhs.append(rhs)

    def matrix(self, columns: int) -> tuple[object, list[float]]:
        """Return the matrix and the right-hand sides."""
        rows, places, values = zip(*self.entries, strict=True)
        made = coo_array((values, (rows, places)), shape=(len(self.rhs), columns))
        return made.tocsr(), self.rhs


def _pairs(network: Network) -> list[tuple[int, int]]:
    return [
        (source, destination)
        for source in network.sources.tolist()
        for destination in network.destinations.tolist()
        if source != destination
    ]
