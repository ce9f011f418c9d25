"""The size of a figure: the one it is drawn at, or the one that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from matplotlib.figure import Figure

from obroute.plots.notes import Noted
from obroute.plots.style import Sentence
from obroute.specs import InputError

SMALLEST_SHARE = 0.6
"""Of the height that a figure takes by itself: with less its panels are a smear."""
WIDEST, HIGHEST = 40.0, 80.0


@dataclass
class _Asked:
    """Width, and height without legends (inches), and what the figure would have been."""

    width: float | None
    height: float | None
    own_height: float = 0.0


_asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)


def canvas(width: float, height: float, least: float) -> Figure:
    """Return an empty figure of the size that it takes by itself, or of the size asked for.

    Parameters
    ----------
    width, height
        Inches that it takes by itself; legends below make it higher.
    least
        Inches of width with which its texts still have room.

    Raises
    ------
    InputError
        If a smaller width is asked for.
    """
    asked = _asked.get()
    if asked is not None:
        asked.own_height = height
        if asked.width is not None:
            if asked.width < least:
                raise InputError(
                    f"the width of {asked.width:g} inches is too small for this figure; give at "
                    f"least {least:g}"
                )
            width = asked.width
        height = asked.height or height
    return Noted(figsize=(width, height), layout="constrained")


def width_of(natural: float) -> float:
    """Return the width that a figure is going to have: the natural one, or that asked for."""
    asked = _asked.get()
    return natural if asked is None or asked.width is None else asked.width


def drawn_at(
    draw: Callable[[], Figure], width: float | None = None, height: float | None = None
) -> Figure:
    """Draw a figure at another size than it takes by itself: laid out anew, its texts as large.

    Parameters
    ----------
    draw
        Draws it; it may be called twice.
    width, height
        Inches; what is not given follows from the figure.

    Raises
    ------
    InputError
        If there is no room for it.

    Examples
    --------
    >>> import obroute
    >>> from obroute import plots
    >>> study = obroute.compare(["torus:4x4"], ["dor", "valiant"])
    >>> figure = drawn_at(lambda: plots.pareto_figure(study, "torus:4x4"), width=6, height=5)
    >>> figure.get_size_inches().tolist()
    [6.0, 5.0]
    """
    for name, given, most in (("width", width, WIDEST), ("height", height, HIGHEST)):
        if given is not None and not 0 < given <= most:
            raise InputError(
                f"the {name} of {given:g} inches: expected more than 0, up to {most:g}"
            )
    with _asking(_Asked(width, None)) as asked:
        figure = draw()
    whole = float(figure.get_size_inches()[1])
    if (width or height) and not asked.own_height and not isinstance(figure, Sentence):
        raise InputError("this figure has one size; leave out its width and height")
    if height is None:
        return figure
    if height < SMALLEST_SHARE * whole:
        raise InputError(
            f"the height of {height:g} inches is too small for this figure; give at least "
            f"{SMALLEST_SHARE * whole + 0.05:.1f}"
        )
    with _asking(_Asked(width, height - (whole - asked.own_height))):
        figure = draw()
    figure.set_size_inches(figure.get_size_inches()[0], height)
    return figure


@contextmanager
def _asking(asked: _Asked) -> Iterator[_Asked]:
    token = _asked.set(asked)
    try:
        yield asked
    finally:
        _asked.reset(token)
