"""Points of routings: those at one place together, and none hidden by another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

DIGITS = 12
"""Digits to which two values are one: what sums in another order leave apart."""
NEAR = 6.0
"""Points of distance below which one marker covers the other."""
SMALLER = 0.6
_FRAME = np.array([1.3, 1.6])
"""Inches around a panel, roughly."""

Place = tuple[float, float]


def joint_points(points: Mapping[str, Place]) -> dict[Place, list[str]]:
    """Put routings at one and the same point together, in their order.

    >>> joint_points({"dor": (0.1 + 0.2, 1.0), "valiant": (0.5, 2.0), "o1turn": (0.3, 1.0)})
    {(0.3, 1.0): ['dor', 'o1turn'], (0.5, 2.0): ['valiant']}
    """
    joint: dict[Place, list[str]] = {}
    for routing, (x, y) in points.items():
        joint.setdefault((_rounded(x), _rounded(y)), []).append(routing)
    return joint


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def marker_sizes(points: Sequence[Place], figure: ArrayLike, largest: float) -> list[float]:
    """Return how large the marker of each point is, smaller where an earlier one would cover it.

    Parameters
    ----------
    points
        In the order in which they are drawn.
    figure
        Width and height (inches) of the figure whose only panel they are in.
    largest
        Size of a marker that stands alone.

    Examples
    --------
    >>> marker_sizes([(0, 0), (1, 1), (0.001, 0)], (8, 5), 10)
    [10.0, 10.0, 6.0]
    """
    if not points:
        return []
    places = np.array(points, dtype=np.float64)
    reach = np.maximum(np.ptp(places, axis=0), 1e-9)
    places = places / reach * (np.asarray(figure) - _FRAME) * 72
    sizes: list[float] = []
    for count, place in enumerate(places):
        near = np.hypot(*(places[:count] - place).T) < NEAR
        covered = [size for size, close in zip(sizes, near, strict=True) if close]
        sizes.append(SMALLER * min(covered) if covered else float(largest))
    return sizes
