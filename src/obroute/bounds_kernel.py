"""Compiled bounds on the worst case of channels: duals made in one pass, and their check."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled

NO_COVER = -1


@compiled
def bound_block(
    starts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
    supply: Any,
    demand: Any,
    row_share: Any,
    column_share: Any,
    enough: int,
    bounds: Any,
    uniform: Any,
) -> None:
    """Bound the load of each channel of a block by any traffic, and sum that of uniform traffic.

    The bound is the value of the best of three covers: by rows alone, by columns alone, and each
    entry by the longer of its two lines (of more entries for each unit of its terminal), after
    which potentials are lowered to what the others leave. The last is not tried where one of the
    others is no more than ``enough``. It is :data:`NO_COVER` where the cover
    that was found does not hold.
    """
    u, v = np.zeros(len(supply), np.int64), np.zeros(len(demand), np.int64)
    row_largest, column_largest = np.zeros_like(u), np.zeros_like(v)
    column_entries = np.zeros_like(v)
    its_rows, its_columns = np.empty_like(u), np.empty_like(v)
    row_mark, column_mark = np.full_like(u, -1), np.full_like(v, -1)
    for channel in range(len(starts) - 1):
        part = slice(starts[channel], starts[channel + 1])
        entries = rows[part], columns[part], weights[part]
        row_count, column_count, uniform[channel] = _look(
            entries,
            row_share,
            column_share,
            row_largest,
            column_largest,
            column_entries,
            its_rows,
            its_columns,
        )
        of_rows, of_columns = its_rows[:row_count], its_columns[:column_count]
        by_rows = np.sum(supply[of_rows] * row_largest[of_rows])
        by_columns = np.sum(demand[of_columns] * column_largest[of_columns])
        mixed = by_rows + by_columns
        if min(by_rows, by_columns) > enough:
            cover_by_longer_lines(entries, supply, demand, column_entries, u, v)
            mixed = np.sum(supply[of_rows] * u[of_rows])
            mixed += np.sum(demand[of_columns] * v[of_columns])
        if by_rows <= mixed and by_rows <= by_columns:
            u[of_rows] = row_largest[of_rows]
            v[of_columns] = 0
        elif by_columns <= mixed:
            u[of_rows] = 0
            v[of_columns] = column_largest[of_columns]
        bounds[channel] = _value_of_cover(
            entries, supply, demand, u, v, row_mark, column_mark, channel
        )
        u[of_rows] = 0
        v[of_columns] = 0
        row_largest[of_rows] = 0
        column_largest[of_columns] = 0
        column_entries[of_columns] = 0


@compiled
def _look(
    entries: Any,
    row_share: Any,
    column_share: Any,
    row_largest: Any,
    column_largest: Any,
    column_entries: Any,
    its_rows: Any,
    its_columns: Any,
) -> tuple[int, int, float]:
    """List the lines, with the largest weight of each; return how many, and the uniform load."""
    rows, columns, weights = entries
    row_count, column_count, total = 0, 0, 0.0
    begin = 0
    while begin < len(rows):
        row, end, largest, sent = rows[begin], begin, 0, 0.0
        while end < len(rows) and rows[end] == row:
            column, weight = columns[end], weights[end]
            if column_entries[column] == 0:
                its_columns[column_count] = column
                column_count += 1
            column_entries[column] += 1
            largest = max(largest, weight)
            column_largest[column] = max(column_largest[column], weight)
            sent += weight * column_share[column]
            end += 1
        its_rows[row_count] = row
        row_count += 1
        row_largest[row] = largest
        total += sent * row_share[row]
        begin = end
    return row_count, column_count, total


@compiled
def cover_by_longer_lines(
    entries: Any, supply: Any, demand: Any, column_entries: Any, u: Any, v: Any
) -> None:
    """Write potentials; ``v`` is zero before at the columns that there are."""
    rows, columns, weights = entries
    begin = 0
    while begin < len(rows):
        row, end = rows[begin], begin
        while end < len(rows) and rows[end] == row:
            end += 1
        largest = 0
        for entry in range(begin, end):
            column = columns[entry]
            if (end - begin) * demand[column] >= column_entries[column] * supply[row]:
                largest = max(largest, weights[entry])
        for entry in range(begin, end):
            column = columns[entry]
            v[column] = max(v[column], weights[entry] - largest)
        begin = end
    begin = 0
    while begin < len(rows):
        row, end, largest = rows[begin], begin, 0
        while end < len(rows) and rows[end] == row:
            largest = max(largest, weights[end] - v[columns[end]])
            end += 1
        u[row] = largest
        begin = end
    v[:] = 0
    for entry in range(len(rows)):
        column = columns[entry]
        v[column] = max(v[column], weights[entry] - u[rows[entry]])


@compiled
def value_of_cover(
    rows: Any, columns: Any, weights: Any, supply: Any, demand: Any, u: Any, v: Any
) -> int:
    """Return the value of potentials, :data:`NO_COVER` if they do not cover every entry.

    What covers bounds the load of any traffic, however the potentials were found. Those of lines
    without entries do not count.
    """
    row_mark, column_mark = np.full(len(supply), -1), np.full(len(demand), -1)
    entries = rows, columns, weights
    return _value_of_cover(entries, supply, demand, u, v, row_mark, column_mark, 0)


@compiled
def _value_of_cover(
    entries: Any,
    supply: Any,
    demand: Any,
    u: Any,
    v: Any,
    row_mark: Any,
    column_mark: Any,
    mark: int,
) -> int:
    rows, columns, weights = entries
    value = 0
    for entry in range(len(rows)):
        row, column = rows[entry], columns[entry]
        if row_mark[row] != mark:
            row_mark[row] = mark
            value += supply[row] * u[row]
        if column_mark[column] != mark:
            column_mark[column] = mark
            value += demand[column] * v[column]
        if u[row] < 0 or v[column] < 0 or u[row] + v[column] < weights[entry]:
            return NO_COVER
    return value
