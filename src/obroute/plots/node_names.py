"""Names beside nodes, away from the middle, none over another or over a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from obroute.rational import FloatArray

REACH = 0.35
"""From a node to its name, in steps from node to node."""
_EM, _LINE = 0.62 * 7 / 72, 1.3 * 7 / 72
"""Inches of a character and of a line of 7 points."""
_TURNS = (0, 45, -45, 90, -90, 135, -135, 180)

Place = tuple[float, float, str, str]
"""Position, and how the text stands to it across and up."""


def name_places(nodes: FloatArray, names: Sequence[str], per_inch: float) -> list[Place | None]:
    """Return where the name of each node goes; None where it would lie over another, or a node.

    Parameters
    ----------
    nodes
        Positions, x and y downwards (array nodes × 2).
    names
        Their names.
    per_inch
        Steps of the positions that are an inch on paper.

    Examples
    --------
    >>> places = name_places(np.array([[0.0, 0.0], [3.0, 0.0]]), ["a", "b"], 1.0)
    >>> [(round(x, 2), side) for x, _, side, _ in places]
    [(-0.35, 'right'), (3.35, 'left')]
    """
    taken: list[tuple[float, float, float, float]] = []
    found: list[Place | None] = []
    for name, node in zip(names, nodes, strict=True):
        size = np.array([_EM * len(name), _LINE]) * per_inch
        for place in _choices(node, nodes.mean(axis=0)):
            box = _box(place, size)
            others = any(_meet(box, other) for other in taken)
            inside = (nodes >= box[:2]).all(axis=1) & (nodes <= box[2:]).all(axis=1)
            if not others and not inside.any():
                taken.append(box)
                found.append(place)
                break
        else:
            found.append(None)
    return found


def _choices(node: FloatArray, middle: FloatArray) -> Iterator[Place]:
    away = node - middle
    angle = np.arctan2(away[1], away[0]) if np.hypot(*away) > 1e-9 else -np.pi / 2
    for turn in _TURNS:
        right, down = (REACH * float(of(angle + np.radians(turn))) for of in (np.cos, np.sin))
        across = "left" if right > 0.1 else "right" if right < -0.1 else "center"
        up = "top" if down > 0.1 else "bottom" if down < -0.1 else "center"
        yield float(node[0] + right), float(node[1] + down), across, up


def _box(place: Place, size: FloatArray) -> tuple[float, float, float, float]:
    x, y, across, up = place
    left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[across] * size[0]
    top = y - {"top": 0.0, "center": 0.5, "bottom": 1.0}[up] * size[1]
    return float(left), float(top), float(left + size[0]), float(top + size[1])


def _meet(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
