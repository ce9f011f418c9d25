"""Nearest points of the sets that the steps of first order stay on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

from obroute.compiled import compiled
from obroute.rational import FloatArray


class LinearRows:
    """The points that satisfy ``matrix · x = rhs``, whatever their signs.

    Examples
    --------
    >>> plane = LinearRows(csr_array(np.array([[1, 1]])), [3.0])
    >>> np.round(plane.excess(np.array([4.0, 1.0])), 6).tolist()
    [1.0, 1.0]
    """

    def __init__(self, matrix: csr_array, rhs: Sequence[float]) -> None:
        self.matrix = csr_array(matrix, dtype=np.float64)
        self.rhs = np.array(rhs)
        self._transpose = csr_array(self.matrix.T)
        square = self.matrix @ self._transpose
        # Rows may say the same thing twice: the little that is added keeps the factors finite.
        self._factors = splu(csc_array(square + 1e-10 * eye_array(square.shape[0])))

    def excess(self, x: FloatArray) -> FloatArray:
        """Return x less the nearest of the points."""
        excess: FloatArray = self._transpose @ self._factors.solve(self.matrix @ x - self.rhs)
        return excess


@compiled
def _threshold(descending: FloatArray, total: float) -> float:  # pragma: no cover  # compiled
    """Return what to take off all so that what is left above zero has the given sum."""
    prefix, threshold = 0.0, -np.inf
    for place in range(len(descending)):
        prefix += descending[place]
        threshold = max(threshold, (prefix - total) / (place + 1))
    return threshold


@compiled
def onto_sums(points: FloatArray, total: float) -> FloatArray:  # pragma: no cover  # compiled
    """Return the nearest points that are not negative and have the given sum, row by row."""
    nearest = np.empty_like(points)
    for row in range(len(points)):
        off = _threshold(np.sort(points[row])[::-1], total)
        for place in range(points.shape[1]):
            nearest[row, place] = max(points[row, place] - off, 0.0)
    return nearest


@compiled
def onto_equal_sums(
    points: FloatArray, price: float
) -> FloatArray:  # pragma: no cover  # compiled
    """Return the points not negative, of one sum θ, with least distance²/2 + price · θ."""
    rows, width = points.shape
    descending = np.empty_like(points)
    most = 0.0
    for row in range(rows):
        descending[row] = np.sort(points[row])[::-1]
        positive = 0.0
        for place in range(width):
            positive += max(descending[row, place], 0.0)
        most = max(most, positive)
    least = 0.0
    for _ in range(60):
        middle = (least + most) / 2
        off = 0.0
        for row in range(rows):
            off += _threshold(descending[row], middle)
        if off > price:
            least = middle
        else:
            most = middle
    return onto_sums(points, (least + most) / 2)
