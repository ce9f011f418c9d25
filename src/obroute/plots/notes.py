"""What the points and lines of a figure stand for, in words: a page shows them where they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from obroute.plots.style import network_label, routing_label
from obroute.rational import exactly
from obroute.views import Spot

Place = tuple[float, float]

MOST_LINES = 1000
"""Channels that have a note in a figure: all those of three maps of 300, else the most loaded."""


@dataclass(frozen=True)
class CellName:
    """A network with a routing; as text, in words.

    >>> str(CellName("ours/torus.csv", "valiant")), CellName("ours/torus.csv", "valiant").key
    ('VAL on torus.csv', 'valiant on ours/torus.csv')
    """

    network: str
    routing: str

    def __str__(self) -> str:
        return f"{routing_label(self.routing)} on {network_label(self.network)}"

    @property
    def key(self) -> str:
        """By which a page finds what it holds of it."""
        return f"{self.routing} on {self.network}"


@dataclass(frozen=True)
class _Note:
    axes: Axes
    places: tuple[Place, ...]
    text: str
    cell: str


class Noted(Figure):
    """A figure that keeps what its points and lines stand for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.notes: list[_Note] = []


def note(axes: Axes, text: str, *places: Place, cell: CellName | None = None) -> None:
    """Say what a point of a panel stands for, or a line.

    Parameters
    ----------
    axes
        The panel.
    text
        The words, with the exact value.
    places
        The point, or the two ends of a line, in the data of the panel.
    cell
        What it is of, if of one evaluation.
    """
    figure = axes.get_figure(root=True)
    if isinstance(figure, Noted):
        figure.notes.append(_Note(axes, places, text, cell.key if cell else ""))


def share(load: Fraction | None) -> str:
    """Return what a load guarantees of the injection bandwidth, exactly; at most all of it.

    >>> share(Fraction(3, 2)), share(Fraction(1, 2))
    ('2/3 = 0.6667 of injection bandwidth', '2 of injection bandwidth')
    """
    return "all" if not load else f"{exactly(1 / load, '.4f')} of injection bandwidth"


def between(lower: Fraction, upper: Fraction) -> str:
    """Return an interval in words; one without width as its value.

    >>> between(Fraction(1), Fraction(3, 2)), between(Fraction(1, 2), Fraction(1, 2))
    ('from 1 to 3/2 = 1.5', '1/2 = 0.5')
    """
    return exactly(lower) if lower == upper else f"from {exactly(lower)} to {exactly(upper)}"


def spots(figure: Figure) -> list[Spot]:
    """Return the notes of a figure that has been drawn, each with where it is in the picture.

    Notes of the same words are one, at several places.

    >>> from obroute.plots.canvas import canvas
    >>> figure = canvas(4, 2, least=1)
    >>> axes = figure.add_axes((0, 0, 1, 1))
    >>> _ = axes.set(xlim=(0, 10), ylim=(0, 10))
    >>> note(axes, "a point", (5, 10))
    >>> spots(figure)
    [Spot(text='a point', at=((50.0, 0.0),), cell='')]
    """
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    width, height = np.asarray(figure.bbox.size).tolist()
    for one in figure.notes if isinstance(figure, Noted) else []:
        at: list[float] = []
        for x, y in np.asarray(one.axes.transData.transform(one.places)).tolist():
            at += [round(100 * x / width, 1), round(100 - 100 * y / height, 1)]
        if len(one.places) > 1:  # a line goes to the edge of the picture at most
            at = [min(100.0, max(0.0, share)) for share in at]
        found.setdefault((one.text, one.cell), []).append(tuple(at))
    return [Spot(text, tuple(dict.fromkeys(at)), cell) for (text, cell), at in found.items()]
