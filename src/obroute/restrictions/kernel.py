"""The compiled loop of transportation with limits of pairs: successive shortest paths.

Kept apart so that nothing else is compiled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled

IntArray = NDArray[np.int64]
FAR = 2**62


@compiled
def ship_within_limits(
    starts: IntArray,
    columns: IntArray,
    weights: IntArray,
    limits: IntArray,
    supply: IntArray,
    demand: IntArray,
    column_starts: IntArray,
    column_entries: IntArray,
    row_of: IntArray,
) -> Any:
    """Maximise the weight shipped from rows to columns; return flow, row and column potentials.

    One row after another ships its supply along a path of least reduced cost (Dijkstra): to a
    column with room left, or to a row that had better stop shipping. Of the potentials u, v ≥ 0,
    ``u_r + v_c ≥ w_rc`` where flow is below its limit, ``≤`` where there is flow, and they are
    zero where supply or demand is left over: by complementary slackness nothing is worth more.

    Parameters
    ----------
    starts, columns, weights, limits
        Entries in compressed-row form, with positive weights and limits; -1 for no limit.
    supply, demand
        Of rows and columns.
    column_starts, column_entries
        The entries of each column, in compressed-column form.
    row_of
        The row of each entry.
    """
    row_count, column_count = len(supply), len(demand)
    count = row_count + column_count
    u = np.zeros(row_count, dtype=np.int64)
    v = np.zeros(column_count, dtype=np.int64)
    flow = np.zeros(len(columns), dtype=np.int64)
    room = demand.copy()
    distance = np.empty(count, dtype=np.int64)  # of rows, then of columns
    reached_by = np.empty(count, dtype=np.int64)
    is_done = np.empty(count, dtype=np.bool_)
    for root in range(row_count):
        left = supply[root]
        for entry in range(starts[root], starts[root + 1]):
            u[root] = max(u[root], weights[entry] - v[columns[entry]])
        while left > 0 and u[root] > 0:
            distance[:] = FAR
            is_done[:] = False
            distance[root] = 0
            bound, end = u[root], root
            while True:
                node, nearest = -1, bound
                for other in range(count):
                    if not is_done[other] and distance[other] < nearest:
                        node, nearest = other, distance[other]
                if node < 0:
                    break
                is_done[node] = True
                if node < row_count:
                    for entry in range(starts[node], starts[node + 1]):
                        if limits[entry] >= 0 and flow[entry] >= limits[entry]:
                            continue
                        column = columns[entry]
                        there = nearest + u[node] + v[column] - weights[entry]
                        if there < distance[row_count + column]:
                            distance[row_count + column] = there
                            reached_by[row_count + column] = entry
                            if room[column] > 0 and there < bound:
                                bound, end = there, row_count + column
                else:
                    column = node - row_count
                    for place in range(column_starts[column], column_starts[column + 1]):
                        entry = column_entries[place]
                        if flow[entry] == 0:
                            continue
                        row = row_of[entry]
                        there = nearest - u[row] - v[column] + weights[entry]
                        if there < distance[row]:
                            distance[row] = there
                            reached_by[row] = entry
                            if there + u[row] < bound:
                                bound, end = there + u[row], row
            for node in range(count):
                if not is_done[node]:
                    continue
                if node < row_count:
                    u[node] -= bound - distance[node]
                else:
                    v[node - row_count] += bound - distance[node]
            amount = left
            if end >= row_count:
                amount = min(amount, room[end - row_count])
            node = end
            while node != root:
                entry = reached_by[node]
                if node < row_count:
                    amount = min(amount, flow[entry])
                    node = row_count + columns[entry]
                else:
                    if limits[entry] >= 0:
                        amount = min(amount, limits[entry] - flow[entry])
                    node = row_of[entry]
            node = end
            while node != root:
                entry = reached_by[node]
                if node < row_count:
                    flow[entry] -= amount
                    node = row_count + columns[entry]
                else:
                    flow[entry] += amount
                    node = row_of[entry]
            if end >= row_count:
                room[end - row_count] -= amount
            left -= amount
    return flow, u, v
