"""Ranges of numbers one after another, as one array."""

from __future__ import annotations

import numpy as np

from obroute.rational import IntArray


def ranges(starts: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return which range each number of ranges is in, and the numbers, one range after another.

    >>> [part.tolist() for part in ranges(np.array([5, 0, 2]), np.array([2, 0, 1]))]
    [[0, 0, 2], [5, 6, 2]]
    """
    which = np.repeat(np.arange(len(starts)), counts)
    before = np.cumsum(counts) - counts
    return which, np.arange(len(which)) - before[which] + starts[which]
