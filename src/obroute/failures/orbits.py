"""Orbits of sets: one set of each, and how many sets it stands for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from obroute.rational import IntArray
from obroute.specs import InputError

MOST_SETS = 20_000_000
"""Sets that are listed, to find which are alike."""
BYTES_A_SET = 60
"""Measured, of labels and of the graph that joins them."""


@dataclass(frozen=True, eq=False)
class SetOrbits:
    """The first set of every orbit (orbits × size), and how many sets each stands for."""

    sets: IntArray
    sizes: IntArray

    def __len__(self) -> int:
        return len(self.sizes)


def orbits_of_sets(count: int, size: int, images: Iterable[IntArray]) -> SetOrbits:
    """Return the orbits of the sets of so many of ``count`` things.

    Parameters
    ----------
    count, size
        How many things there are, and how many are in a set.
    images
        Permutations of the things, which generate the group.

    Raises
    ------
    InputError
        If there are no such sets, or too many.

    Examples
    --------
    >>> ring = np.roll(np.arange(6), 1)
    >>> found = orbits_of_sets(6, 2, [ring])
    >>> found.sets.tolist(), found.sizes.tolist(), math.comb(6, 2)
    ([[0, 1], [0, 2], [0, 3]], [6, 6, 3], 15)
    """
    sets = list_sets(count, size)
    labels: IntArray = np.arange(len(sets))
    for image in images:
        there = ranks_of_sets(np.sort(image[sets], axis=1))
        some = labels.max() + 1
        graph = coo_array(
            (np.ones(len(sets), dtype=np.int8), (labels, labels[there])), shape=(some, some)
        )
        labels = connected_components(graph, directed=False)[1][labels]
    _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.argsort(first)
    if sizes.sum() != math.comb(count, size):  # pragma: no cover  # would be a defect
        raise AssertionError("orbits of sets do not add up to all sets")
    return SetOrbits(sets[first[order]].astype(np.int64), sizes[order])


def list_sets(count: int, size: int) -> NDArray[np.int32]:
    """List all sets of so many of ``count`` things, each in rising order, by the order of ranks.

    >>> list_sets(4, 2).tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    """
    check_sets(count, size)
    columns = np.arange(count, dtype=np.int32)[:, None]
    for width in range(2, size + 1):
        # Those whose largest is m are the sets of m things, one fewer in each, and m.
        starts = [math.comb(largest, width - 1) for largest in range(count)]
        columns = np.concatenate(
            [
                np.column_stack([columns[:some], np.full(some, largest, dtype=np.int32)])
                for largest, some in enumerate(starts)
            ]
        )
    return columns


def check_sets(count: int, size: int, what: str = "things") -> None:
    """Raise :class:`InputError` if so many of ``count`` make no set, or too many sets."""
    if not 0 < size <= count:
        raise InputError(f"{size} of {count} {what} cannot fail; expected 1 to {count}")
    if _sets_up_to(count, size) > MOST_SETS:
        raise InputError(
            f"{size} of {count} {what} make more than {MOST_SETS} sets; let fewer fail, or take a "
            "smaller network"
        )


def _sets_up_to(count: int, size: int) -> int:
    """Return how many sets there are, or some number above :data:`MOST_SETS`."""
    number = 1
    for taken in range(min(size, count - size)):
        number = number * (count - taken) // (taken + 1)
        if number > MOST_SETS:
            break
    return number


def bytes_of_sets(count: int, size: int) -> int:
    """Return the bytes that their list and the search for those that are alike take."""
    return _sets_up_to(count, size) * (3 * 4 * size + BYTES_A_SET)


def ranks_of_sets(sets: NDArray[np.int32]) -> IntArray:
    """Return the place of each set, in rising order, among all of its size.

    >>> ranks_of_sets(list_sets(5, 3)).tolist() == list(range(10))
    True
    """
    largest = int(sets.max(initial=0)) + 1
    ranks = np.zeros(len(sets), dtype=np.int64)
    for place in range(sets.shape[1]):
        choose = np.array([math.comb(thing, place + 1) for thing in range(largest)])
        ranks += choose[sets[:, place]]
    return ranks
