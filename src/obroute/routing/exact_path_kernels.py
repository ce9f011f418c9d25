"""Compiled loops that give the loads of channels by shortest paths one denominator a channel."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled

LARGEST_COMMON = 2**61
"""Common denominators that are no less are left to integers of any size."""


@compiled
def exact_path_loads(
    channels: Any,
    tail: Any,
    head: Any,
    counts: Any,
    counts_to: Any,
    row_nodes: Any,
    column_nodes: Any,
    starts: Any,
    rows: Any,
    columns: Any,
    found: Any,
    denominators: Any,
) -> None:
    """Write the loads of channels as rows, columns and numerators, sorted, into ``found``.

    ``rows`` and ``columns`` are where each channel has loads, from ``starts`` on and in order of
    rows. The load of u → v by (s, d) is ``count(s, u) · count(v, d) / count(s, d)``. A channel's
    denominator is the least; it is 0, and the numerators are nothing, where it is not less than
    :data:`LARGEST_COMMON`.
    """
    longest = np.int64(0)
    for number in range(len(channels)):
        longest = max(longest, starts[number + 1] - starts[number])
    by_column = np.empty(longest, dtype=np.int64)
    lower = np.empty(longest, dtype=np.int64)
    column_places = np.empty(len(column_nodes) + 1, dtype=np.int64)
    row_places = np.empty(len(row_nodes) + 1, dtype=np.int64)
    for number in range(len(channels)):
        u, v = tail[channels[number]], head[channels[number]]
        first, last = starts[number], starts[number + 1]
        _count(columns[first:last], column_places)
        _count(rows[first:last], row_places)
        for entry in range(first, last):
            place = column_places[columns[entry]]
            column_places[columns[entry]] += 1
            by_column[place] = entry
        common = np.int64(1)
        for turn in range(last - first):
            row, column = rows[by_column[turn]], columns[by_column[turn]]
            place = row_places[row]
            row_places[row] += 1
            s, d = row_nodes[row], column_nodes[column]
            upper = np.int64(counts_to[u, s]) * np.int64(counts[v, d])
            under = np.int64(counts[s, d])
            if under > 1:
                shared = _divisor(upper, under)
                upper //= shared
                under //= shared
            found[0, first + place], found[1, first + place] = row, column
            found[2, first + place], lower[place] = upper, under
            if common > 0 and common % under != 0:
                factor = under // _divisor(common, under)
                common = common * factor if common < LARGEST_COMMON // factor else np.int64(0)
        denominators[number] = common
        if common > 0:
            for place in range(last - first):
                found[2, first + place] *= common // lower[place]


@compiled
def _count(keys: Any, places: Any) -> None:
    places[:] = 0
    for key in keys:
        places[key + 1] += 1
    for key in range(1, len(places)):
        places[key] += places[key - 1]


@compiled
def _divisor(one: Any, other: Any) -> Any:
    while other != 0:
        one, other = other, one % other
    return one
