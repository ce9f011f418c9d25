"""Rows of dots that a line joins: what one thing has before and after, at best and at worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from obroute.plots.style import FAINT, fitted

NAMES = 2.6
"""Inches that names beside the rows have."""


@dataclass(frozen=True)
class Dot:
    """A value in a row, with the look of what has it: colour and marker."""

    value: float
    look: tuple[str, str]
    filled: bool


def draw_dots(axes: Axes, row: int, dots: Sequence[Dot]) -> list[Line2D]:
    """Draw a row and return its dots, for a legend."""
    axes.plot([dot.value for dot in dots], [row] * len(dots), color=FAINT, lw=2, zorder=1)
    drawn = []
    for dot in dots:
        colour, marker = dot.look
        face = colour if dot.filled else "none"
        drawn += axes.plot(
            dot.value, row, color=colour, marker=marker, ms=7, mfc=face, mew=1.4, ls="none"
        )
    return drawn


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows, the first at the top; values begin at zero."""
    axes.set_yticks(range(len(names)), [fitted(name, NAMES, 8.5) for name in names])
    axes.set(xlim=(0, None), ylim=(len(names) - 0.5, -0.5))
