"""Compiled loops over small matchings, one after the other.

Terminals of one unit trade first: each row takes the column that is worth most to it, and pays
what leaves it as well off as with its second choice; whoever had the column looks again. What
trade does not settle, few rows with two choices alike, ships by searches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.matching_kernel import ship, workspace

IntArray = NDArray[np.int64]
STEPS = 4
"""Trades for each row after which searches take over."""
MIXING = np.int64(-7046029254386353131)
"""An odd number of 64 bits that spreads what it is multiplied with."""


@compiled
def transport_each(
    firsts: IntArray,
    rows: IntArray,
    columns: IntArray,
    weights: IntArray,
    supply: IntArray,
    demand: IntArray,
    like: IntArray,
    may_turn: bool,
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Solve one problem after the other; return values, flow, and potentials of each problem.

    The entries of problem i are ``firsts[i]`` to ``firsts[i + 1]``, sorted by row and column.
    ``like[i]`` is an earlier problem that may be the same, or its transpose if these ``may_turn``:
    its solution is then taken. A problem that is like none before names itself.
    """
    count, row_count, column_count = len(firsts) - 1, len(supply), len(demand)
    values = np.zeros(count, dtype=np.int64)
    flow = np.zeros(len(rows), dtype=np.int64)
    u = np.zeros((count, row_count), dtype=np.int64)
    v = np.zeros((count, column_count), dtype=np.int64)
    places = np.empty(column_count + 1, dtype=np.int64)
    longest = np.int64(0)
    for problem in range(count):
        longest = max(longest, firsts[problem + 1] - firsts[problem])
    room = _room(row_count, column_count, int(longest))
    are_units = bool(np.all(supply == 1) and np.all(demand == 1))
    search = 0
    for problem in range(count):
        known = like[problem]
        part = slice(firsts[problem], firsts[problem + 1])
        if known < problem:
            before = slice(firsts[known], firsts[known + 1])
            if _is_same(rows, columns, weights, before, part):
                flow[part] = flow[before]
                u[problem], v[problem] = u[known], v[known]
                values[problem] = values[known]
                continue
            if may_turn and _turn(rows, columns, weights, flow, before, part, places):
                u[problem], v[problem] = v[known], u[known]
                values[problem] = values[known]
                continue
        entries = rows[part], columns[part], weights[part]
        search = _transport(
            entries,
            supply,
            demand,
            u[problem],
            v[problem],
            flow[part],
            room,
            search,
            are_units,
        )
        for entry in range(firsts[problem], firsts[problem + 1]):
            values[problem] += flow[entry] * weights[entry]
    return values, flow, u, v


@compiled
def _room(row_count: int, column_count: int, entry_count: int) -> Any:
    """Return arrays for problems of no more rows, columns and entries."""
    most = max(row_count, column_count)
    work = workspace(most, most, entry_count)
    lines = np.zeros((4, most + 1), dtype=np.int64)
    return work, lines, np.empty(column_count, dtype=np.int64)


@compiled
def _transport(
    entries: Any,
    supply: Any,
    demand: Any,
    u: Any,
    v: Any,
    flow: Any,
    room: Any,
    search: int,
    are_units: bool,
) -> int:
    """Write flow and potentials, which are zero before; return the number of the last search."""
    rows, columns, weights = entries
    work, lines, owned = room
    row_count, column_count = len(supply), len(demand)
    starts, left, wanted = lines[0, : row_count + 1], lines[1, :row_count], lines[2, :column_count]
    chosen = lines[3]
    count = _list_rows(rows, starts, chosen)
    left[:] = supply
    wanted[:] = demand
    if are_units:
        count = _trade(starts, entries, left, wanted, u, v, flow, owned, chosen, count)
    if count > 0:
        search, _ = ship(
            starts,
            columns,
            weights,
            left,
            wanted,
            chosen[:count],
            u,
            v,
            flow,
            work,
            search,
            True,
            0,
            -1,
        )
    return search


@compiled
def _list_rows(rows: Any, starts: Any, chosen: Any) -> int:
    """Find where rows start, and list those that have entries."""
    count, row = 0, 0
    for entry in range(len(rows)):
        if entry == 0 or rows[entry] != rows[entry - 1]:
            starts[row : rows[entry] + 1] = entry
            row = rows[entry] + 1
            chosen[count] = rows[entry]
            count += 1
    starts[row:] = len(rows)
    return count


@compiled
def _trade(
    starts: Any,
    entries: Any,
    left: Any,
    wanted: Any,
    u: Any,
    v: Any,
    flow: Any,
    owned: Any,
    chosen: Any,
    count: int,
) -> int:
    """Trade columns between the rows chosen; return how many of them are left, first in the list.

    A row that has no column then has a potential of zero, as has a column that no row has.
    """
    rows, columns, weights = entries
    owned[:] = -1
    turns = STEPS * count
    kept = 0
    for place in range(count):
        row = chosen[place]
        while True:
            best, second = np.int64(0), np.int64(0)
            taken = -1
            for entry in range(starts[row], starts[row + 1]):
                gain = weights[entry] - v[columns[entry]]
                if gain > second:
                    if gain > best:
                        second = best
                        best, taken = gain, entry
                    else:
                        second = gain
                        if gain == best and wanted[columns[entry]] > 0:
                            taken = entry
            u[row] = best
            if taken < 0:
                break
            column = columns[taken]
            if wanted[column] > 0:
                wanted[column] = 0
                left[row] = 0
                flow[taken] = 1
                owned[column] = taken
                break
            turns -= 1
            if best == second or turns < 0:
                chosen[kept] = row
                kept += 1
                break
            before = owned[column]
            flow[before] = 0
            flow[taken] = 1
            owned[column] = taken
            v[column] += best - second
            u[row] = second
            left[row] = 0
            row = rows[before]
            left[row] = 1
    return kept


@compiled
def mix_each(firsts: IntArray, weights: IntArray) -> IntArray:
    """Return a number for each problem that is the same where weights are, in any order."""
    sums = np.zeros(len(firsts) - 1, dtype=np.int64)
    for problem in range(len(sums)):
        total = np.int64(0)
        for entry in range(firsts[problem], firsts[problem + 1]):
            mixed = weights[entry] * MIXING
            total += (mixed ^ (mixed >> 32)) * MIXING
        sums[problem] = total
    return sums


@compiled
def _is_same(rows: Any, columns: Any, weights: Any, before: Any, part: Any) -> bool:
    if before.stop - before.start != part.stop - part.start:
        return False
    for place in range(part.stop - part.start):
        one, other = before.start + place, part.start + place
        if rows[one] != rows[other] or columns[one] != columns[other]:
            return False
        if weights[one] != weights[other]:
            return False
    return True


@compiled
def _turn(
    rows: Any, columns: Any, weights: Any, flow: Any, before: Any, part: Any, places: Any
) -> bool:
    """Say whether a problem is the transpose of one before, and take that one's flow if it is."""
    if before.stop - before.start != part.stop - part.start:
        return False
    places[:] = 0
    for entry in range(before.start, before.stop):
        places[columns[entry] + 1] += 1
    for column in range(1, len(places)):
        places[column] += places[column - 1]
    for entry in range(before.start, before.stop):
        column = columns[entry]
        place = part.start + places[column]
        places[column] += 1
        if (
            rows[place] != column
            or columns[place] != rows[entry]
            or weights[place] != weights[entry]
        ):
            flow[part] = 0
            return False
        flow[place] = flow[entry]
    return True
