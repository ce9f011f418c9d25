"""The compiled loop of the matching: successive shortest augmenting paths in integers.

Kept apart from :mod:`obroute.matching` so that nothing else is compiled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled, compiled_unless_small

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


@compiled_unless_small
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
    zero where supply or demand is left over. Of all optimal v they are the least.
    """
    u = np.zeros(len(supply), dtype=np.int64)
    v = np.zeros(len(demand), dtype=np.int64)
    value = 0
    for row in row_order:
        if limit < 0:
            break
        for entry in range(starts[row], starts[row + 1]):
            u[row] = max(u[row], weights[entry])
        value += supply[row] * u[row]
    flow = np.zeros(len(columns), dtype=np.int64)
    work = workspace(len(supply), len(demand), len(columns))
    left, room = supply.copy(), demand.copy()
    _, value = ship(
        starts, columns, weights, left, room, row_order, u, v, flow, work, 0, False, value, limit
    )
    return flow, u, v, limit < 0 or value > limit


@compiled
def workspace(row_count: int, column_count: int, entry_count: int) -> Any:
    """Return what :func:`ship` works with, on problems of no more rows, columns and entries."""
    of_rows = np.full((4, row_count), -1, dtype=np.int64)
    of_columns = np.full((7, column_count), -1, dtype=np.int64)
    of_entries = np.empty((5, entry_count + 1), dtype=np.int64)
    return of_rows, of_columns, of_entries


@compiled
def ship(
    starts: IntArray,
    columns: IntArray,
    weights: IntArray,
    supply: IntArray,
    room: IntArray,
    row_order: IntArray,
    u: IntArray,
    v: IntArray,
    flow: IntArray,
    work: Any,
    search: int,
    is_begun: bool,
    value: int,
    limit: int,
) -> tuple[int, int]:
    """Ship all that rows have left, in arrays that are given and written again.

    One row after another ships its supply along a path of least reduced cost to a column with
    room left, or to a row that had better stop shipping (Dijkstra on reduced costs). All sums
    stay below twice the largest weight in magnitude.

    Parameters
    ----------
    supply, room
        What is left of supply and demand.
    row_order
        The rows that ship.
    u, v
        Potentials: v of the columns, u of rows that have shipped or of all if there is a limit.
        They cover every entry, and meet those with flow.
    flow
        What is shipped; all zero unless it ``is_begun``.
    work, search
        Of :func:`workspace`, and the number of the last search with it; the last is returned.
    value, limit
        Where a limit is not negative, the value of the potentials, all supply and demand counted:
        it stops where they say that no more can be shipped. The value then is returned.
    """
    of_rows, of_columns, of_entries = work
    row_seen, row_distance = of_rows[0], of_rows[1]
    row_entry = of_rows[2]  # the flow entry it was reached by
    rows_reached = of_rows[3]
    column_seen, column_done, column_distance = of_columns[0], of_columns[1], of_columns[2]
    column_entry, column_row = of_columns[3], of_columns[4]  # what it was reached by
    columns_done = of_columns[5]
    # entries with flow, as a doubly linked list for each column
    first, following, preceding = of_columns[6], of_entries[0], of_entries[1]
    entry_row = of_entries[2]  # of the entries with flow
    heap_keys, heap_items = of_entries[3], of_entries[4]
    first[:] = -1
    if is_begun:
        for row in range(len(starts) - 1):
            for entry in range(starts[row], starts[row + 1]):
                if flow[entry] > 0:
                    entry_row[entry] = row
                    _link(first, following, preceding, columns[entry], entry)
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
        value -= left * (u[root] - best)
        u[root] = best
        if free >= 0:  # the path that a search would find
            column = columns[free]
            amount = min(left, room[column])
            room[column] -= amount
            entry_row[free] = root
            _link(first, following, preceding, column, free)
            flow[free] = amount
            left -= amount
        while left > 0 and u[root] > 0 and (limit < 0 or value > limit):
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
            value -= left * bound
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
                supply[row] += amount
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
        supply[root] = left
        if value <= limit and limit >= 0:
            break
    return search, value


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
