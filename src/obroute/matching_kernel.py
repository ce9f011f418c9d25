"""The compiled loop of the matching: successive shortest augmenting paths in integers.

Kept apart from :mod:`obroute.matching` so that nothing else is compiled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled

IntArray = NDArray[np.int64]


@compiled
def _push(keys: Any, items: Any, size: int, key: int, item: int) -> int:
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place] = keys[parent]
        items[place] = items[parent]
        place = parent
    keys[place] = key
    items[place] = item
    return size + 1


@compiled
def _pop(keys: Any, items: Any, size: int) -> int:
    """Remove the top of the heap; the caller has read it."""
    size -= 1
    key = keys[size]
    item = items[size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place] = keys[child]
        items[place] = items[child]
        place = child
    keys[place] = key
    items[place] = item
    return size


@compiled
def transport(
    starts: IntArray,
    columns: IntArray,
    weights: IntArray,
    supply: IntArray,
    demand: IntArray,
    row_order: IntArray,
    limit: int = -1,
) -> tuple[IntArray, IntArray, IntArray, bool]:
    """Maximise the weight shipped from rows to columns; return flow, row and column potentials.

    Where no more than ``limit`` can be shipped, it stops as soon as potentials say so; the last
    of what it returns is whether it went on to the end.

    Entries are in compressed-row form with positive weights. The potentials u, v ≥ 0 are an
    optimal solution of the dual: u_r + v_c ≥ w_rc everywhere, equal where flow is positive, and
    zero where supply or demand is left over.

    One row after another ships its supply along a path of least reduced cost to a column with
    demand left, or to a row that had better stop shipping (Dijkstra on reduced costs). All sums
    stay below twice the largest weight in magnitude.
    """
    row_count, column_count, entry_count = len(supply), len(demand), len(columns)
    u = np.zeros(row_count, dtype=np.int64)
    v = np.zeros(column_count, dtype=np.int64)
    flow = np.zeros(entry_count, dtype=np.int64)
    room = demand.copy()
    entry_row = np.empty(entry_count, dtype=np.int64)  # of the entries with flow
    # entries with flow, as a doubly linked list for each column
    first = np.full(column_count, -1, dtype=np.int64)
    following = np.empty(entry_count, dtype=np.int64)
    preceding = np.empty(entry_count, dtype=np.int64)

    row_seen = np.full(row_count, -1, dtype=np.int64)
    row_distance = np.zeros(row_count, dtype=np.int64)
    row_entry = np.full(row_count, -1, dtype=np.int64)  # the flow entry it was reached by
    column_seen = np.full(column_count, -1, dtype=np.int64)
    column_done = np.full(column_count, -1, dtype=np.int64)
    column_distance = np.zeros(column_count, dtype=np.int64)
    column_entry = np.full(column_count, -1, dtype=np.int64)  # the entry it was reached by
    column_row = np.full(column_count, -1, dtype=np.int64)  # the row of that entry
    rows_reached = np.empty(row_count, dtype=np.int64)
    columns_done = np.empty(column_count, dtype=np.int64)
    heap_keys = np.empty(entry_count + 1, dtype=np.int64)
    heap_items = np.empty(entry_count + 1, dtype=np.int64)

    bound_left = np.zeros(len(row_order) + 1, dtype=np.int64)  # by the rows that are to come
    largest = np.zeros(row_count, dtype=np.int64)
    for turn in range(len(row_order) - 1, -1, -1):
        if limit < 0:
            break
        row = row_order[turn]
        for entry in range(starts[row], starts[row + 1]):
            largest[row] = max(largest[row], weights[entry])
        bound_left[turn] = bound_left[turn + 1] + supply[row] * largest[row]
    shipped = 0  # the weight
    search = 0
    for turn in range(len(row_order)):
        root = row_order[turn]
        left = supply[root]
        best = 0
        free = -1  # the first of the best entries whose column has demand left
        for entry in range(starts[root], starts[root + 1]):
            column = columns[entry]
            gain = weights[entry] - v[column]
            if gain > best:
                best = gain
                free = entry if room[column] > 0 else -1
            elif gain == best and free < 0 and gain > 0 and room[column] > 0:
                free = entry
        u[root] = best
        if free >= 0:  # the path that a search would find
            column = columns[free]
            amount = min(left, room[column])
            room[column] -= amount
            entry_row[free] = root
            _link(first, following, preceding, column, free)
            flow[free] = amount
            left -= amount
            shipped += amount * best
        if limit >= 0 and shipped + left * best + bound_left[turn + 1] <= limit:
            for later in range(turn + 1, len(row_order)):
                u[row_order[later]] = largest[row_order[later]]
            return flow, u, v, False
        while left > 0:
            search += 1
            heap = 0
            row_total = 1
            done_total = 0
            scanned = 0
            rows_reached[0] = root
            row_seen[root] = search
            row_distance[root] = 0
            row_entry[root] = -1
            bound = u[root]
            end_row, end_column = root, -1
            while True:
                while scanned < row_total:
                    row = rows_reached[scanned]
                    scanned += 1
                    distance = row_distance[row]
                    if distance + u[row] < bound:
                        bound = distance + u[row]
                        end_row, end_column = row, -1
                    base = distance + u[row]
                    for entry in range(starts[row], starts[row + 1]):
                        column = columns[entry]
                        reach = base + v[column] - weights[entry]
                        if reach >= bound or column_done[column] == search:
                            continue
                        if column_seen[column] == search and column_distance[column] <= reach:
                            continue
                        column_seen[column] = search
                        column_distance[column] = reach
                        column_entry[column] = entry
                        column_row[column] = row
                        if room[column] > 0:
                            bound = reach
                            end_row, end_column = -1, column
                        else:
                            if heap == len(heap_keys):
                                bigger_keys = np.empty(2 * heap, dtype=np.int64)
                                bigger_items = np.empty(2 * heap, dtype=np.int64)
                                bigger_keys[:heap] = heap_keys
                                bigger_items[:heap] = heap_items
                                heap_keys, heap_items = bigger_keys, bigger_items
                            heap = _push(heap_keys, heap_items, heap, reach, column)
                nearest = -1
                while heap > 0:
                    key, column = heap_keys[0], heap_items[0]
                    if key >= bound:
                        heap = 0
                        break
                    heap = _pop(heap_keys, heap_items, heap)
                    if column_done[column] != search and column_distance[column] == key:
                        nearest = column
                        break
                if nearest < 0:
                    break
                column_done[nearest] = search
                columns_done[done_total] = nearest
                done_total += 1
                entry = first[nearest]
                while entry >= 0:
                    row = entry_row[entry]
                    if row_seen[row] != search:
                        row_seen[row] = search
                        row_distance[row] = column_distance[nearest]
                        row_entry[row] = entry
                        rows_reached[row_total] = row
                        row_total += 1
                    entry = following[entry]
            for place in range(row_total):
                row = rows_reached[place]
                u[row] -= bound - row_distance[row]
            for place in range(done_total):
                column = columns_done[place]
                v[column] += bound - column_distance[column]
            # without a limit the sums need not fit
            if limit >= 0 and shipped + left * u[root] + bound_left[turn + 1] <= limit:
                for later in range(turn + 1, len(row_order)):
                    u[row_order[later]] = largest[row_order[later]]
                return flow, u, v, False
            if end_column < 0 and end_row == root:
                break  # the rest of this supply stays unused
            # how much fits along the path back to the root
            amount = left
            if end_column >= 0:
                amount = min(amount, room[end_column])
                row = column_row[end_column]
            else:
                row = end_row
            while row != root:
                back = row_entry[row]
                amount = min(amount, flow[back])
                row = column_row[columns[back]]
            # ship it
            if end_column >= 0:
                room[end_column] -= amount
                entry = column_entry[end_column]
                row = column_row[end_column]
                if flow[entry] == 0:
                    entry_row[entry] = row
                    _link(first, following, preceding, end_column, entry)
                flow[entry] += amount
            else:
                row = end_row
            while row != root:
                back = row_entry[row]
                column = columns[back]
                flow[back] -= amount
                if flow[back] == 0:
                    _unlink(first, following, preceding, column, back)
                entry = column_entry[column]
                row = column_row[column]
                if flow[entry] == 0:
                    entry_row[entry] = row
                    _link(first, following, preceding, column, entry)
                flow[entry] += amount
            left -= amount
            shipped += amount * u[root]
    return flow, u, v, True


@compiled
def _link(first: Any, following: Any, preceding: Any, column: int, entry: int) -> None:
    head = first[column]
    following[entry] = head
    preceding[entry] = -1
    if head >= 0:
        preceding[head] = entry
    first[column] = entry


@compiled
def _unlink(first: Any, following: Any, preceding: Any, column: int, entry: int) -> None:
    before, after = preceding[entry], following[entry]
    if before >= 0:
        following[before] = after
    else:
        first[column] = after
    if after >= 0:
        preceding[after] = before


@compiled
def transport_each(
    firsts: IntArray,
    rows: IntArray,
    columns: IntArray,
    weights: IntArray,
    supply: IntArray,
    demand: IntArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Solve one problem after the other; return values, flow, and potentials of each problem.

    The entries of problem i are ``firsts[i]`` to ``firsts[i + 1]``, sorted by row. Rows and
    columns without an entry are left out of it.
    """
    count, row_count, column_count = len(firsts) - 1, len(supply), len(demand)
    values = np.zeros(count, dtype=np.int64)
    flow = np.empty(len(rows), dtype=np.int64)
    u = np.zeros((count, row_count), dtype=np.int64)
    v = np.zeros((count, column_count), dtype=np.int64)
    column_place = np.full(column_count, -1, dtype=np.int64)
    for problem in range(count):
        low, high = firsts[problem], firsts[problem + 1]
        used_columns = np.empty(min(column_count, high - low), dtype=np.int64)
        used_rows = np.empty(min(row_count, high - low), dtype=np.int64)
        starts = np.empty(min(row_count, high - low) + 1, dtype=np.int64)
        largest = np.empty(min(row_count, high - low), dtype=np.int64)
        places = np.empty(high - low, dtype=np.int64)
        width = height = 0
        row, most = np.int64(-1), np.int64(0)
        for entry in range(low, high):
            if rows[entry] != row:
                if height > 0:
                    largest[height - 1] = most
                row, most = rows[entry], np.int64(0)
                starts[height] = entry - low
                used_rows[height] = row
                height += 1
            most = max(most, weights[entry])
            column = columns[entry]
            if column_place[column] < 0:
                column_place[column] = width
                used_columns[width] = column
                width += 1
            places[entry - low] = column_place[column]
        if height > 0:
            largest[height - 1] = most
        starts[height] = high - low
        for place in range(width):
            column_place[used_columns[place]] = -1
        solved = transport(
            starts[: height + 1],
            places,
            weights[low:high],
            supply[used_rows[:height]],
            demand[used_columns[:width]],
            np.argsort(-largest[:height], kind="mergesort"),
        )
        for place in range(high - low):
            flow[low + place] = solved[0][place]
            values[problem] += solved[0][place] * weights[low + place]
        for place in range(height):
            u[problem, used_rows[place]] = solved[1][place]
        for place in range(width):
            v[problem, used_columns[place]] = solved[2][place]
    return values, flow, u, v
