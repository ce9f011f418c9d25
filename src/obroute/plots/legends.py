"""Legends below a figure: joint labels wrapped, as many columns as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend

from obroute.plots.style import fitted, routing_label

WIDEST_LINE = 40
"""Characters of a line of a label; a joint label goes on in the next line."""
MOST_COLUMNS = 6
TITLE_SIZE = 8.5
_MARGIN = 0.02


def joint_label(routings: Sequence[str]) -> str:
    """Return the label of routings that share a curve or a point.

    >>> joint_label(["dor", "o1turn"])
    'DOR = O1TURN'
    """
    return " = ".join(routing_label(name) for name in routings)


def wrapped(label: str, width: int = WIDEST_LINE) -> str:
    """Break a joint label into lines where one routing ends; a lone long one at its blanks.

    >>> print(wrapped("VAL = IVAL = 2TURN = IVAL (order=random)", 20))
    VAL = IVAL = 2TURN
    = IVAL (order=random)
    """
    lines: list[str] = []
    for place, name in enumerate(label.split(" = ")):
        piece = f"= {name}" if place else name
        joined = f"{lines[-1]} {piece}" if lines else piece
        if lines and len(joined) <= width:
            lines[-1] = joined
        else:
            lines += _words_in_lines(piece, width)
    return "\n".join(lines)


def _words_in_lines(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) <= width or lines[-1] in ("", "="):
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def legend_below(
    figure: Figure | SubFigure, entries: Mapping[str, Artist], title: str | None = None
) -> Legend | None:
    """Write a legend below all panels of a figure, and make the figure higher by as much.

    Parameters
    ----------
    figure
        A figure with constrained layout, or a part of one.
    entries
        What is drawn, by its label; long labels are wrapped. No legend if there are none.
    title
        A line above.
    """
    if not entries:
        return None
    room = (1 - 2 * _MARGIN) * figure.bbox.width
    columns = min(MOST_COLUMNS, len(entries))
    while True:
        legend = figure.legend(
            list(entries.values()),
            [wrapped(label) for label in entries],
            loc="outside lower center",
            ncols=columns,
            title=None if title is None else fitted(title, room / figure.dpi, TITLE_SIZE),
            title_fontsize=TITLE_SIZE,
            alignment="left",
            handletextpad=0.5,
            columnspacing=1.6,
        )
        box = legend.get_window_extent()
        if columns == 1 or box.width <= room:
            break
        legend.remove()
        columns = max(1, min(columns - 1, int(columns * room / box.width) + 1))
    if isinstance(figure, Figure):
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + box.height / figure.dpi)
    return legend


def height_of(legend: Legend | None) -> float:
    """Return the height of a legend in inches; 0 for none."""
    if legend is None:
        return 0.0
    figure = legend.get_figure(root=True)
    assert figure is not None
    return float(legend.get_window_extent().height / figure.dpi)
