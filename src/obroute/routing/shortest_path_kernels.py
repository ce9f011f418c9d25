"""Compiled loops over shortest paths: distances and counts, and the loads of one channel."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled

UNREACHED = 65_535
LEAST_SHARE = 1e-300
"""What is less is taken for this much: a bound may be too high, but a share not vanish."""


@compiled
def search_all(starts: Any, heads: Any, hops: Any, order: Any, level_starts: Any) -> int:
    """Fill hops[s, d] from every node, the order of the search, and where its levels begin.

    Channels are in compressed-row form by tail. Returns the largest number of hops.
    """
    deepest = 0
    for source in range(len(starts) - 1):
        away, queue, levels = hops[source], order[source], level_starts[source]
        away[:] = UNREACHED
        away[source] = 0
        queue[0] = source
        levels[0] = 0
        read, written, level = 0, 1, 0
        while read < written:
            node = queue[read]
            if away[node] > level:
                level = away[node]
                levels[level] = read
            read += 1
            for place in range(starts[node], starts[node + 1]):
                head = heads[place]
                if away[head] == UNREACHED:
                    away[head] = level + 1
                    queue[written] = head
                    written += 1
        levels[level + 1 :] = written
        deepest = max(deepest, level)
    return deepest


@compiled
def count_all(
    starts: Any, heads: Any, hops: Any, order: Any, level_starts: Any, counts: Any
) -> float:
    """Fill counts[s, d] with the number of shortest paths; return the largest, as a float."""
    most = 0.0
    last = level_starts.shape[1] - 1
    for source in range(len(starts) - 1):
        away, queue, found = hops[source], order[source], counts[source]
        found[:] = 0
        found[source] = 1
        for place in range(level_starts[source, last]):
            node = queue[place]
            here = found[node]
            most = max(most, float(here))
            for channel in range(starts[node], starts[node + 1]):
                head = heads[channel]
                if away[head] == away[node] + 1:
                    found[head] += here
    return most


@compiled
def denominators_present(counts: Any, rows: Any, columns: Any, present: Any) -> None:
    """Mark the numbers of paths that pairs of a row's and a column's node have."""
    for row in rows:
        of_row = counts[row]
        for column in columns:
            present[int(of_row[column])] = True


@compiled
def path_loads(
    channels: Any,
    tail: Any,
    head: Any,
    hops: Any,
    hops_to: Any,
    counts: Any,
    counts_to: Any,
    order: Any,
    level_starts: Any,
    row_nodes: Any,
    column_of: Any,
    farthest: Any,
    units: float,
    margin: float,
    starts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
) -> int:
    """Write the loads of channels where all shortest paths are equally likely.

    The load of u → v by (s, d) is ``count(s, u) · count(v, d) / count(s, d)`` where the channel is
    on a shortest path. It is written in units, rounded up after adding ``margin`` of it, or to
    the nearest if the margin is zero. Returns how many channels had room.

    Parameters
    ----------
    hops_to, counts_to
        Of what leads to a node: the transposes of ``hops`` and ``counts``.
    row_nodes
        The node of each row; ``column_of`` gives the column of each node, -1 where it has none.
    farthest
        Of each row, the hops to the farthest column.
    """
    levels = level_starts.shape[1]
    targets = np.empty(hops.shape[0], dtype=np.int32)
    ends = np.zeros(levels + 1, dtype=np.int64)
    written = 0
    starts[0] = 0
    for number in range(len(channels)):
        u, v = tail[channels[number]], head[channels[number]]
        from_u, from_v, queue = hops[u], hops[v], order[v]
        found = 0
        for level in range(levels - 1):
            for place in range(level_starts[v, level], level_starts[v, level + 1]):
                node = queue[place]
                if from_u[node] == level + 1 and column_of[node] >= 0:
                    targets[found] = node
                    found += 1
            ends[level + 1] = found
        ends[levels] = found
        to_u, to_v, paths_to_u, paths_from_v = hops_to[u], hops_to[v], counts_to[u], counts[v]
        for row in range(len(row_nodes)):
            s = row_nodes[row]
            here = to_u[s]
            if to_v[s] != here + 1 or farthest[row] < here + 1:
                continue
            last = ends[farthest[row] - here]
            if written + last > len(rows):
                return number
            away, paths = hops[s], counts[s]
            before = float(paths_to_u[s])
            for place in range(last):
                d = targets[place]
                if away[d] == here + 1 + from_v[d]:
                    load = before * float(paths_from_v[d]) / float(paths[d]) * units
                    rows[written] = row
                    columns[written] = column_of[d]
                    weights[written] = _in_units(load, margin)
                    written += 1
        starts[number + 1] = written
    return len(channels)


@compiled
def shares_towards(
    starts: Any, channels: Any, head: Any, widths: Any, hops_to: Any, whole: Any
) -> None:
    """Fill whole[d, x] with the width of the channels that lead from x towards d."""
    for d in range(hops_to.shape[0]):
        away, sums = hops_to[d], whole[d]
        for node in range(hops_to.shape[1]):
            total = 0.0
            for place in range(starts[node], starts[node + 1]):
                if away[head[channels[place]]] + 1 == away[node]:
                    total += widths[channels[place]]
            sums[node] = total


@compiled
def split_loads(
    channels: Any,
    tail: Any,
    head: Any,
    in_starts: Any,
    in_channels: Any,
    widths: Any,
    hops_to: Any,
    whole: Any,
    column_nodes: Any,
    row_of: Any,
    row_count: int,
    units: float,
    margin: float,
    starts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
) -> int:
    """Write the loads of channels where each node splits flow by width towards the destination.

    From the channel backwards: what reaches it from a node is what reaches it from the next ones,
    by their shares. As :func:`path_loads` otherwise.
    """
    nodes = hops_to.shape[1]
    reach = np.zeros(nodes)
    queue = np.empty(nodes, dtype=np.int64)
    room = len(rows)
    by_row = np.empty(room, dtype=np.int32)
    by_column = np.empty(room, dtype=np.int32)
    loads = np.empty(room)
    place_of = np.zeros(row_count + 1, dtype=np.int64)
    written = 0
    starts[0] = 0
    for number in range(len(channels)):
        channel = channels[number]
        u, v = tail[channel], head[channel]
        first = written
        for column in range(len(column_nodes)):
            d = column_nodes[column]
            away, sums = hops_to[d], whole[d]
            if away[u] == UNREACHED or away[u] != away[v] + 1:
                continue
            queue[0] = u
            reach[u] = widths[channel] / sums[u]
            read, reached = 0, 1
            while read < reached:
                node = queue[read]
                read += 1
                if row_of[node] >= 0:
                    if written == room:
                        return number
                    by_row[written] = row_of[node]
                    by_column[written] = column
                    loads[written] = reach[node]
                    written += 1
                for place in range(in_starts[node], in_starts[node + 1]):
                    before = tail[in_channels[place]]
                    if away[before] == away[node] + 1:
                        if reach[before] == 0.0:
                            queue[reached] = before
                            reached += 1
                        more = reach[node] * widths[in_channels[place]] / sums[before]
                        reach[before] += max(more, LEAST_SHARE)
            for place in range(reached):
                reach[queue[place]] = 0.0
        write_sorted(
            first,
            written,
            by_row,
            by_column,
            loads,
            place_of,
            units,
            margin,
            rows,
            columns,
            weights,
        )
        starts[number + 1] = written
    return len(channels)


@compiled
def write_sorted(
    first: int,
    last: int,
    by_row: Any,
    by_column: Any,
    loads: Any,
    place_of: Any,
    units: float,
    margin: float,
    rows: Any,
    columns: Any,
    weights: Any,
) -> None:
    """Write entries in order of their rows, by counting, with their loads in units."""
    place_of[:] = 0
    for entry in range(first, last):
        place_of[by_row[entry] + 1] += 1
    for row in range(len(place_of) - 1):
        place_of[row + 1] += place_of[row]
    for entry in range(first, last):
        place = first + place_of[by_row[entry]]
        place_of[by_row[entry]] += 1
        rows[place] = by_row[entry]
        columns[place] = by_column[entry]
        weights[place] = _in_units(loads[entry] * units, margin)


@compiled
def _in_units(load: float, margin: float) -> int:
    if margin == 0.0:
        return int(np.rint(load))
    return int(np.ceil(load + load * margin))


@compiled
def uniform_loads(
    starts: Any,
    channels: Any,
    head: Any,
    widths: Any,
    hops_to: Any,
    order: Any,
    destinations: Any,
    shares: Any,
    sent: Any,
    by_paths: bool,
    loads: Any,
) -> None:
    """Add the load of every channel by uniform traffic, by width or by counts of paths.

    From the farthest node inwards, towards one destination after the other; ``order`` is that of
    the search backwards from each node.
    """
    nodes = hops_to.shape[1]
    amounts = np.empty(nodes)
    counts = np.empty(nodes)
    for number in range(len(destinations)):
        d = destinations[number]
        away, queue = hops_to[d], order[d]
        reached = int(np.sum(away != UNREACHED))
        if by_paths:
            counts[:] = 0.0
            counts[d] = 1.0
            for place in range(1, reached):
                node = queue[place]
                for at in range(starts[node], starts[node + 1]):
                    if away[head[channels[at]]] + 1 == away[node]:
                        counts[node] += counts[head[channels[at]]]
        amounts[:] = sent
        for place in range(reached - 1, 0, -1):
            node = queue[place]
            whole = 0.0
            for at in range(starts[node], starts[node + 1]):
                there = head[channels[at]]
                if away[there] + 1 == away[node]:
                    whole += counts[there] if by_paths else widths[channels[at]]
            for at in range(starts[node], starts[node + 1]):
                there = head[channels[at]]
                if away[there] + 1 == away[node]:
                    share = counts[there] if by_paths else widths[channels[at]]
                    flow = amounts[node] * share / whole
                    loads[channels[at]] += flow * shares[number]
                    amounts[there] += flow
