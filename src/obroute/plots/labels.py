"""Labels beside points, each where it covers neither another label, nor a point, nor a curve."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from obroute.plots.legends import wrapped
from obroute.plots.style import FAINT
from obroute.rational import FloatArray

_RADII = (9.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0, 80.0)
_ANGLES = (0, 30, -30, 180, 150, -150, 60, -60, 120, -120, 90, -90)
_PLACES = [(radius, angle) for radius in _RADII for angle in _ANGLES]
_DISTANCE_COSTS = np.array([radius / 10 for radius, _ in _PLACES])
_ENDS = np.array(
    [
        (r * math.cos(math.radians(angle)), r * math.sin(math.radians(angle)))
        for r, angle in _PLACES
    ]
)
_LEADER_COST = 40.0
"""For each label or point that the line from a label to its point would cross."""
_LEADER_FROM = 16.0
_POINT = 5.5
_CROWDED = 100.0
"""The least cost of a place that covers a label or a point, or leaves the axes."""


@dataclass(frozen=True)
class Label:
    """A text for a point in data coordinates, in the colour of its marker."""

    x: float
    y: float
    text: str
    colour: str
    shape: str

    @property
    def marker(self) -> tuple[str, str]:
        """Colour and shape of the marker."""
        return self.colour, self.shape


def place_labels(
    figure: Figure, axes: Axes, labels: Sequence[Label], curves: Sequence[FloatArray] = ()
) -> list[Label]:
    """Write each label beside its point, with a thin line to it where it is not next to it.

    A long label is written in lines. One that would cover another, or a point, is not written;
    those labels are returned.

    Parameters
    ----------
    figure, axes
        Where to write; limits and layout must be final.
    labels
        The labels; the longest have the first choice.
    curves
        Lines to keep clear of (arrays points × 2 in data coordinates).
    """
    figure.draw_without_rendering()
    labels = sorted(labels, key=lambda label: -len(label.text))
    per_point = figure.dpi / 72
    points = axes.transData.transform([(label.x, label.y) for label in labels])
    reach = _POINT * per_point
    taken = [np.array([*(point - reach), *(point + reach)]) for point in points]
    lines = [_dense(axes.transData.transform(curve), 3 * per_point) for curve in curves]
    inside = axes.get_window_extent()
    crowded = []
    for label, point in zip(labels, points, strict=True):
        text = axes.text(label.x, label.y, wrapped(label.text), fontsize=8.5, fontweight="bold")
        size = text.get_window_extent()
        text.remove()
        boxes = np.array([_box(point, size, per_point * r, angle) for r, angle in _PLACES])
        others = np.array(taken)
        leaders = [_dense(np.array([point, point + per_point * end]), 5.0) for end in _ENDS]
        costs = _costs(boxes, others, lines, inside) + _DISTANCE_COSTS
        costs += _LEADER_COST * np.array([_crossed(leader, others) for leader in leaders])
        best = int(np.argmin(costs))
        if costs[best] >= _CROWDED:
            crowded.append(label)
            continue
        taken.append(boxes[best] + per_point * np.array([-1, -1, 1, 1]))
        lines.append(leaders[best])
        _annotate(axes, label, *_PLACES[best])
    return crowded


def _annotate(axes: Axes, label: Label, radius: float, angle: float) -> None:
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    axes.annotate(
        wrapped(label.text),
        (label.x, label.y),
        xytext=(radius * cosine, radius * sine),
        textcoords="offset points",
        ha=_side(cosine, "left", "right"),
        va=_side(sine, "bottom", "top"),
        color=label.colour,
        fontsize=8.5,
        fontweight="bold",
        zorder=6,
        arrowprops=(
            {"arrowstyle": "-", "color": FAINT, "lw": 0.6, "shrinkA": 1, "shrinkB": 4}
            if radius > _LEADER_FROM
            else None
        ),
    )


def _side(part: float, positive: str, negative: str) -> str:
    return "center" if abs(part) < 0.1 else positive if part > 0 else negative


def _box(point: FloatArray, size: Bbox, radius: float, angle: float) -> list[float]:
    """Return where a text of a size lies at a distance and an angle from its point."""
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    left = {"left": 0.0, "right": 1.0, "center": 0.5}[_side(cosine, "left", "right")]
    down = {"bottom": 0.0, "top": 1.0, "center": 0.5}[_side(sine, "bottom", "top")]
    x = point[0] + radius * cosine - left * size.width
    y = point[1] + radius * sine - down * size.height
    return [x, y, x + size.width, y + size.height]


def _costs(
    boxes: FloatArray, taken: FloatArray, lines: Sequence[FloatArray], inside: Bbox
) -> FloatArray:
    """Return how much each box covers of what it should not: labels and points, then curves."""
    low = np.maximum(boxes[:, np.newaxis, :2], taken[np.newaxis, :, :2])
    high = np.minimum(boxes[:, np.newaxis, 2:], taken[np.newaxis, :, 2:])
    common = high - low
    meets = (common >= 0).all(axis=2)
    covered = np.where(meets, _CROWDED + common.prod(axis=2), 0.0).sum(axis=1)
    crossed = np.zeros(len(boxes))
    for line in lines:
        above, below = line >= boxes[:, np.newaxis, :2], line <= boxes[:, np.newaxis, 2:]
        crossed += np.any(np.all(above & below, axis=2), axis=1)
    corners = np.array([inside.x0, inside.y0, inside.x1, inside.y1])
    beyond = np.hstack([boxes[:, :2] < corners[:2], boxes[:, 2:] > corners[2:]])
    out = beyond.any(axis=1)
    return np.asarray(covered + 30 * crossed + 2 * _CROWDED * out)


def _crossed(leader: FloatArray, taken: FloatArray) -> int:
    """Return how many boxes a line crosses, its own point left out, which it starts in."""
    path = leader[1:]
    inside = (path >= taken[:, np.newaxis, :2]) & (path <= taken[:, np.newaxis, 2:])
    own = ((leader[0] >= taken[:, :2]) & (leader[0] <= taken[:, 2:])).all(axis=1)
    return int(np.sum(np.any(np.all(inside, axis=2), axis=1) & ~own))


def _dense(curve: FloatArray, step: float) -> FloatArray:
    """Return a polygon with points so close that no text slips between two of them."""
    pieces = [curve[:1]]
    for start, end in itertools.pairwise(curve):
        count = max(1, math.ceil(float(np.hypot(*(end - start))) / step))
        pieces.append(start + (end - start) * (np.arange(1, count + 1) / count)[:, np.newaxis])
    return np.concatenate(pieces)
