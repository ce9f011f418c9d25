"""Compiled loops over the paths of turn models: counts of them, and loads of channels by pairs.

A packet at a node came in one of four directions, or from the node itself (:data:`STARTS`). How
many shortest paths a model allows from there depends on the column, the column of the destination,
the rows that are left and the direction; only moves towards the destination are looked at. Nodes
are numbered row by row of each column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled

EAST, WEST, NORTH, SOUTH, STARTS = range(5)
"""Direction of travel: along dimension 0 up and down, along dimension 1 up and down; none yet."""
STEPS = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])


@compiled
def count_onwards(allowed: Any, columns: int, rows: int) -> Any:
    """Count the shortest paths that a model allows.

    ``allowed`` has for each column, direction of travel and next direction whether a packet may go
    on so. The result has the number of paths by column, column of the destination, rows up to the
    destination (plus ``rows - 1``) and direction of travel.
    """
    ways = np.zeros((columns, columns, 2 * rows - 1, 5), dtype=np.int64)
    for goal in range(columns):
        ways[goal, goal, rows - 1] = 1
        for x in _outwards(goal, 0, columns):
            for rise in _outwards(0, 1 - rows, rows):
                for came in range(5):
                    for axis in range(2):
                        out = _towards(goal - x, rise, axis)
                        if out >= 0 and allowed[x, came, out]:
                            beyond = ways[x + STEPS[out, 0], goal, rise - STEPS[out, 1] + rows - 1]
                            ways[x, goal, rise + rows - 1, came] += beyond[out]
    return ways


@compiled
def _outwards(first: int, least: int, end: int) -> Any:
    """Return all places of a range, each after those between it and the first."""
    found = np.empty(end - least, dtype=np.int64)
    for below in range(first, least - 1, -1):
        found[first - below] = below
    for above in range(first + 1, end):
        found[above - least] = above
    return found


@compiled
def _towards(right: int, up: int, axis: int) -> int:
    """Return the direction along an axis to a place so far to the right and up, -1 for none."""
    offset = right if axis == 0 else up
    if offset == 0:
        return -1
    return 2 * axis if offset > 0 else 2 * axis + 1


@compiled
def _way_on(allowed: Any, ways: Any, state: Any, right: int, up: int, axis: int) -> int:
    """Return the direction that a packet may take along an axis, -1 where none leads there.

    ``state`` has its column and its direction of travel.
    """
    x, came = state
    out = _towards(right, up, axis)
    if out < 0 or not allowed[x, came, out]:
        return -1
    rows = (ways.shape[2] + 1) // 2
    there = ways[x + STEPS[out, 0], x + right, up - STEPS[out, 1] + rows - 1, out]
    return out if there > 0 else -1


@compiled
def _behind(place: int, goal: int, count: int) -> Any:
    """Return the range of places from which one is on the way to a goal."""
    return 0 if goal >= place else place, count if goal <= place else place + 1


@compiled
def _reach(
    part: Any, allowed: Any, ways: Any, channel: Any, state: Any, left: Any, by_paths: bool
) -> None:
    """Work out what of a state's packets crosses a channel, from those one hop on.

    ``left`` has the hops to the right and up that are left to the destination.
    """
    x, y, came = state
    choices = 0
    for axis in range(2):
        way = _way_on(allowed, ways, (x, came), left[0], left[1], axis)
        if way < 0:
            continue
        choices += 1
        if x == channel[0] and y == channel[1]:
            part[x, y, came] += way == channel[2]
        else:
            part[x, y, came] += part[x + STEPS[way, 0], y + STEPS[way, 1], way]
    if choices == 1 and not by_paths:
        part[x, y, came] *= 2


@compiled
def loads_of_channel(
    place: Any, allowed: Any, ways: Any, columns: int, rows: int, by_paths: bool, written: Any
) -> int:
    """Write the loads of a channel by all pairs, and return of how many pairs.

    ``place`` has the column and the row that it leaves and its direction. A state of packets gets
    what of them crosses the channel: the number of ways to it, or the share over a power of two.
    ``written`` has room for sources, destinations, numerators and denominators.
    """
    column, row, out = place
    after_column, after_row = column + STEPS[out, 0], row + STEPS[out, 1]
    part = np.zeros((columns, rows, 5), dtype=np.int64)
    found = 0
    for destination in range(columns * rows):
        goal, goal_row = destination // rows, destination % rows
        ahead = (goal - after_column) * STEPS[out, 0] + (goal_row - after_row) * STEPS[out, 1]
        beyond = ways[after_column, goal, goal_row - after_row + rows - 1, out]
        if ahead < 0 or beyond == 0:
            continue
        part[:] = 0
        for x in _outwards(column, *_behind(column, goal, columns)):
            for y in _outwards(row, *_behind(row, goal_row, rows)):
                for came in range(5):
                    left = goal - x, goal_row - y
                    _reach(part, allowed, ways, place, (x, y, came), left, by_paths)
                if part[x, y, STARTS] == 0:
                    continue
                sources, destinations, numerators, denominators = written
                sources[found], destinations[found] = x * rows + y, destination
                if by_paths:
                    numerators[found] = part[x, y, STARTS] * beyond
                    denominators[found] = ways[x, goal, goal_row - y + rows - 1, STARTS]
                else:
                    numerators[found] = part[x, y, STARTS]
                    denominators[found] = 2 ** (abs(column - x) + abs(row - y) + 1)
                found += 1
    return found


@compiled
def loads_of_pairs(
    starts: Any, ends: Any, allowed: Any, ways: Any, by_paths: bool, channel_at: Any, written: Any
) -> int:
    """Write the loads of all channels by the given pairs, and return how many there are.

    ``written`` has room for pairs, channels, numerators and denominators.
    """
    rows = (ways.shape[2] + 1) // 2
    pairs, channels, numerators, denominators = written
    found = 0
    for pair in range(len(starts)):
        goal, goal_row = ends[pair] // rows, ends[pair] % rows
        right, up = goal - starts[pair] // rows, goal_row - starts[pair] % rows
        here = np.zeros((abs(right) + 1, abs(up) + 1, 5), dtype=np.int64)
        here[0, 0, STARTS] = 1
        for wide in range(abs(right) + 1):
            for high in range(abs(up) + 1):
                x = goal - right + (wide if right > 0 else -wide)
                y = goal_row - up + (high if up > 0 else -high)
                for axis in range(2):
                    crossed, out = 0, _towards(goal - x, goal_row - y, axis)
                    for came in range(5):
                        state, amount = (x, came), here[wide, high, came]
                        if amount == 0:
                            continue
                        way = _way_on(allowed, ways, state, goal - x, goal_row - y, axis)
                        other = _way_on(allowed, ways, state, goal - x, goal_row - y, 1 - axis)
                        if way >= 0:
                            crossed += amount * (2 if other < 0 and not by_paths else 1)
                    if crossed == 0:
                        continue
                    here[wide + (axis == 0), high + (axis == 1), out] = crossed
                    pairs[found], channels[found] = pair, channel_at[axis, out % 2, x * rows + y]
                    if by_paths:
                        left = ways[
                            x + STEPS[out, 0], goal, goal_row - y - STEPS[out, 1] + rows - 1
                        ]
                        numerators[found] = crossed * left[out]
                        denominators[found] = ways[goal - right, goal, up + rows - 1, STARTS]
                    else:
                        numerators[found], denominators[found] = crossed, 2 ** (wide + high + 1)
                    found += 1
    return found
