"""The compiled loops of matchings between orbits: their entries, and the way back to terminals."""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled


@compiled
def cross(
    left_starts: Any,
    left_columns: Any,
    left_kinds: Any,
    right_starts: Any,
    right_columns: Any,
    right_kinds: Any,
    width: int,
    positive: Any,
) -> tuple[Any, Any, Any]:
    """Return row starts, columns and kinds of the entries of a product of two patterns.

    Both patterns are in compressed rows; the kind of an entry is that of its left part times the
    number of right kinds, plus that of its right part. Kinds that are not positive are left out.
    """
    height, b = len(left_starts) - 1, len(right_starts) - 1
    room = len(left_columns) * len(right_columns)
    starts = np.zeros(height * b + 1, dtype=np.int64)
    columns = np.empty(room, dtype=np.int64)
    kinds = np.empty(room, dtype=np.int64)
    count = 0
    for s in range(height):
        for y in range(b):
            for left in range(left_starts[s], left_starts[s + 1]):
                kind = left_kinds[left]
                for right in range(right_starts[y], right_starts[y + 1]):
                    if positive[kind, right_kinds[right]]:
                        columns[count] = left_columns[left] * width + right_columns[right]
                        kinds[count] = kind * positive.shape[1] + right_kinds[right]
                        count += 1
            starts[s * b + y + 1] = count
    return starts, columns[:count], kinds[:count]


@compiled
def halve(row_partner: Any, column_partner: Any) -> Any:
    """Choose edges of a bipartite graph so that of each pair of partners just one is chosen.

    ``row_partner`` and ``column_partner`` hold for each edge the one that it is paired with at
    either end, or -1. Pairs make paths and even cycles, whose edges are chosen alternately.
    """
    count = len(row_partner)
    chosen = np.zeros(count, dtype=np.int8)
    for turn in range(3):
        for start in range(count):
            if chosen[start] != 0:
                continue
            if turn == 0 and row_partner[start] >= 0:
                continue
            if turn == 1 and column_partner[start] >= 0:
                continue
            edge, by_row, mark = start, turn == 1, np.int8(1)
            while edge >= 0 and chosen[edge] == 0:
                chosen[edge] = mark
                mark = np.int8(-mark)
                edge = row_partner[edge] if by_row else column_partner[edge]
                by_row = not by_row
    return chosen > 0
