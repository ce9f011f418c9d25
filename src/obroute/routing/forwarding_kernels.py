"""Compiled loops over destination-based tables: one tree for each destination."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled
from obroute.routing.shortest_path_kernels import write_sorted

AT_ONCE = 32


@compiled
def find_trees(
    next_channel: Any,
    head: Any,
    roots: Any,
    row_of: Any,
    below: Any,
    low: Any,
    high: Any,
    amounts: Any,
    hops: Any,
) -> tuple[int, int, int]:
    """Order the rows under every node in the tree of each destination.

    The rows whose packets to destination d pass node x are ``below[d, low[x, d]:high[x, d]]``;
    ``hops`` gets those of all packets to each destination, of which each row sends an amount.
    Returns the first row and destination that are not on a tree, or -1 twice, and the hops of the
    longest way.
    """
    nodes, destinations = next_channel.shape
    rows, deepest = below.shape[1], 0
    starts = np.empty(nodes + 1, dtype=np.int64)
    children = np.empty(nodes, dtype=np.int64)
    at = np.empty(nodes, dtype=np.int64)
    stack = np.empty(nodes + 1, dtype=np.int64)
    # the table by destination, some at a time: its columns are far apart
    near = np.empty((AT_ONCE, nodes), dtype=next_channel.dtype)
    lows = np.zeros((AT_ONCE, nodes), dtype=low.dtype)
    highs = np.zeros((AT_ONCE, nodes), dtype=high.dtype)
    for begin in range(0, destinations, AT_ONCE):
        count = min(AT_ONCE, destinations - begin)
        for node in range(nodes):
            for place in range(count):
                near[place, node] = next_channel[node, begin + place]
        for place in range(count):
            d = begin + place
            its_low, its_high = lows[place], highs[place]
            its_low[:] = 0
            its_high[:] = 0
            _list_children(near[place], head, roots[d], starts, children, at)
            found, top = 0, 1
            node = roots[d]
            stack[0] = node
            at[node] = starts[node]
            if row_of[node] >= 0:
                below[d, 0] = row_of[node]
                found = 1
            while top > 0:
                node = stack[top - 1]
                if at[node] < starts[node + 1]:
                    child = children[at[node]]
                    at[node] += 1
                    stack[top] = child
                    top += 1
                    at[child] = starts[child]
                    its_low[child] = found
                    if row_of[child] >= 0:
                        below[d, found] = row_of[child]
                        found += 1
                        hops[d] += amounts[row_of[child]] * (top - 1)
                        deepest = max(deepest, top - 1)
                else:
                    its_high[node] = found
                    top -= 1
            if found < rows:
                return _first_missing(below[d, :found], rows), d, deepest
        for node in range(nodes):
            for place in range(count):
                low[node, begin + place] = lows[place, node]
                high[node, begin + place] = highs[place, node]
    return -1, -1, deepest


@compiled
def _first_missing(below: Any, rows: int) -> int:
    seen = np.zeros(rows, dtype=np.bool_)
    for row in below:
        seen[row] = True
    return int(np.argmin(seen))


@compiled
def _list_children(
    next_channel: Any, head: Any, root: int, starts: Any, children: Any, at: Any
) -> None:
    """Put the nodes that lead straight to each node in a row, at its ``starts``."""
    nodes = len(next_channel)
    starts[:] = 0
    for node in range(nodes):
        if next_channel[node] >= 0 and node != root:
            starts[head[next_channel[node]] + 1] += 1
    for node in range(nodes):
        starts[node + 1] += starts[node]
        at[node] = starts[node]
    for node in range(nodes):
        if next_channel[node] >= 0 and node != root:
            parent = head[next_channel[node]]
            children[at[parent]] = node
            at[parent] += 1


@compiled
def tree_loads(
    channels: Any,
    tail: Any,
    next_channel: Any,
    below: Any,
    low: Any,
    high: Any,
    row_count: int,
    starts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
) -> int:
    """Write the loads of channels: 1 for each row under their tail, by destinations that take it.

    Channels of one tail are best given one after another. Returns how many had room.
    """
    room = len(rows)
    by_row = np.empty(room, dtype=np.int32)
    by_column = np.empty(room, dtype=np.int32)
    ones = np.ones(room)
    place_of = np.zeros(row_count + 1, dtype=np.int64)
    # the destinations that take each channel of one tail, as lists
    first_of = np.full(len(tail), -1, dtype=np.int32)
    following = np.empty(next_channel.shape[1], dtype=np.int32)
    listed = -1
    written = 0
    starts[0] = 0
    for number in range(len(channels)):
        channel = channels[number]
        node = tail[channel]
        if node != listed:
            _list_takers(next_channel[node], first_of, following)
            listed = node
        first = written
        d = first_of[channel]
        while d >= 0:
            if next_channel[node, d] != channel:
                break  # nobody takes it, and the list is another's
            if written + high[node, d] - low[node, d] > room:
                return number
            for place in range(low[node, d], high[node, d]):
                by_row[written] = below[d, place]
                by_column[written] = d
                written += 1
            d = following[d]
        write_sorted(
            first, written, by_row, by_column, ones, place_of, 1.0, 0.0, rows, columns, weights
        )
        starts[number + 1] = written
    return len(channels)


@compiled
def tree_bounds(
    channels: Any,
    tail: Any,
    next_channel: Any,
    below: Any,
    low: Any,
    high: Any,
    supply: Any,
    demand: Any,
    row_share: Any,
    column_share: Any,
    bounds: Any,
    uniform: Any,
) -> None:
    """Write the less of what its rows send and its destinations receive, and its uniform load.

    Channels of one tail come one after another.
    """
    first_of = np.full(len(tail), -1, dtype=np.int32)
    following = np.empty(next_channel.shape[1], dtype=np.int32)
    seen = np.full(len(supply), -1, dtype=np.int64)
    listed = -1
    for number in range(len(channels)):
        channel = channels[number]
        node = tail[channel]
        if node != listed:
            _list_takers(next_channel[node], first_of, following)
            listed = node
        sent, received, load = 0, 0, 0.0
        d = first_of[channel]
        while d >= 0:
            if next_channel[node, d] != channel:
                break  # nobody takes it, and the list is another's
            share = 0.0
            for place in range(low[node, d], high[node, d]):
                row = below[d, place]
                share += row_share[row]
                if seen[row] != number:
                    seen[row] = number
                    sent += supply[row]
            if high[node, d] > low[node, d]:
                received += demand[d]
            load += share * column_share[d]
            d = following[d]
        bounds[number] = min(sent, received)
        uniform[number] = load


@compiled
def inner_table(
    given: Any, rows: Any, only: Any, nodes: Any, tail: Any, position: Any, inner: Any
) -> int:
    """Write the next channel of each node by position in the core, -1 for none.

    ``rows`` is the row of each node in what is given, -1 for one that has none; ``only`` its only
    channel, which is taken where none is given, or -1. Returns the place of the first node of
    which a channel does not leave it, or -1.
    """
    for place in range(len(nodes)):
        row, node = rows[place], nodes[place]
        for d in range(inner.shape[1]):
            channel = only[place]
            if row >= 0 and given[row, d] >= 0:
                channel = given[row, d]
                if channel >= len(tail) or tail[channel] != node:
                    return place
            inner[place, d] = position[channel] if channel >= 0 else -1
    return -1


@compiled
def _list_takers(taken: Any, first_of: Any, following: Any) -> None:
    """List the destinations that take each channel, in order."""
    for d in range(len(taken)):
        if taken[d] >= 0:
            first_of[taken[d]] = -1
    for d in range(len(taken) - 1, -1, -1):
        if taken[d] >= 0:
            following[d] = first_of[taken[d]]
            first_of[taken[d]] = d
