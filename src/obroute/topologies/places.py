"""Where the nodes of families go on paper: groups in circles, which lie on a circle."""

from __future__ import annotations

import numpy as np

from obroute.rational import FloatArray, IntArray


def circles_of(group: IntArray) -> FloatArray:
    """Return places of nodes in circles, one a group, that lie on a circle themselves.

    Parameters
    ----------
    group
        The group of each node, from 0; groups are laid clockwise from the top, and so are the
        nodes of each, in their order.

    Returns
    -------
    Array nodes × 2 of x and y (downwards), neighbours in a group at least one apart.

    Examples
    --------
    >>> circles_of(np.array([0, 0, 1, 1])).round(1).tolist()
    [[0.0, -1.6], [0.0, -0.6], [0.0, 0.6], [0.0, 1.6]]
    """
    counts = np.bincount(group)
    order = np.argsort(group, kind="stable")
    position = np.empty(len(group), dtype=np.int64)
    position[order] = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
    inner = _radius(counts)[group]
    outer = _radius(np.array([len(counts)]))[0] * 2 * (_radius(counts).max() + 0.6)
    middles = outer * _turned(group / len(counts))
    found: FloatArray = middles + inner[:, np.newaxis] * _turned(position / counts[group])
    return found


def _radius(counts: IntArray) -> FloatArray:
    """Return the radius at which so many points on a circle are one apart."""
    found: FloatArray = np.where(counts < 2, 0.0, 0.5 / np.sin(np.pi / np.maximum(counts, 2)))
    return found


def _turned(turns: FloatArray) -> FloatArray:
    return np.stack([np.sin(2 * np.pi * turns), -np.cos(2 * np.pi * turns)], axis=-1)
