"""Compiled loops that send what a matching leaves over, so that all terminals are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled, compiled_unless_small

IntArray = NDArray[np.int64]


@compiled_unless_small
def complete(
    sources: IntArray,
    destinations: IntArray,
    amounts: IntArray,
    supply: IntArray,
    demand: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Send what is left of supply to what is left of demand, in order; it adds no load.

    A terminal with both left over sends to itself first, so that traffic that does not matter
    stays at home. What is returned is in order of sources and destinations.
    """
    spare, wanted = supply.copy(), demand.copy()
    for place in range(len(sources)):
        spare[sources[place]] -= amounts[place]
        wanted[destinations[place]] -= amounts[place]
    count = len(sources)
    most = count + 2 * len(supply) + len(demand)
    found = np.empty((3, most), dtype=np.int64)
    found[0, :count], found[1, :count], found[2, :count] = sources, destinations, amounts
    if len(supply) == len(demand):
        for place in range(len(supply)):
            home = min(spare[place], wanted[place])
            if home > 0:
                found[0, count], found[1, count], found[2, count] = place, place, home
                count += 1
                spare[place] -= home
                wanted[place] -= home
    count = _send_in_order(spare, wanted, found, count)
    by_column = _sorted(found[:, :count], found[1, :count], len(demand))
    by_row = _sorted(by_column, by_column[0], len(supply))
    return by_row[0], by_row[1], by_row[2]


@compiled_unless_small
def in_order(spare: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Send one list of amounts to another, first to first, until one of them is used up."""
    found = np.empty((3, len(spare) + len(wanted)), dtype=np.int64)
    count = _send_in_order(spare.copy(), wanted.copy(), found, 0)
    return found[0, :count], found[1, :count], found[2, :count]


@compiled
def _send_in_order(spare: Any, wanted: Any, found: Any, count: int) -> int:
    row, column = 0, 0
    while row < len(spare) and column < len(wanted):
        amount = min(spare[row], wanted[column])
        if amount > 0:
            found[0, count], found[1, count], found[2, count] = row, column, amount
            count += 1
            spare[row] -= amount
            wanted[column] -= amount
        if spare[row] == 0:
            row += 1
        else:
            column += 1
    return count


@compiled
def _sorted(found: Any, keys: Any, key_count: int) -> Any:
    """Return columns of an array in order of their keys, and else as they are."""
    places = np.zeros(key_count + 1, dtype=np.int64)
    for key in keys:
        places[key + 1] += 1
    for key in range(key_count):
        places[key + 1] += places[key]
    moved = np.empty((3, len(keys)), dtype=np.int64)
    for place in range(len(keys)):
        target = places[keys[place]]
        places[keys[place]] += 1
        moved[0, target] = found[0, place]
        moved[1, target] = found[1, place]
        moved[2, target] = found[2, place]
    return moved
