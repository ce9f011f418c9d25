"""Compiled loops over destination-based tables: one tree for each destination."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled
from obroute.routing.shortest_path_kernels import write_sorted


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
    for d in range(destinations):
        low[:, d] = 0
        high[:, d] = 0
        _list_children(next_channel[:, d], head, roots[d], starts, children, at)
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
                low[child, d] = found
                if row_of[child] >= 0:
                    below[d, found] = row_of[child]
                    found += 1
                    hops[d] += amounts[row_of[child]] * (top - 1)
                    deepest = max(deepest, top - 1)
            else:
                high[node, d] = found
                top -= 1
        if found < rows:
            seen = np.zeros(rows, dtype=np.bool_)
            for place in range(found):
                seen[below[d, place]] = True
            return int(np.argmin(seen)), d, deepest
    return -1, -1, deepest


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
def _list_takers(taken: Any, first_of: Any, following: Any) -> None:
    """List the destinations that take each channel, in order."""
    for d in range(len(taken)):
        if taken[d] >= 0:
            first_of[taken[d]] = -1
    for d in range(len(taken) - 1, -1, -1):
        if taken[d] >= 0:
            following[d] = first_of[taken[d]]
            first_of[taken[d]] = d
