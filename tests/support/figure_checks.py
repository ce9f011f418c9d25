"""What must hold of every figure: nothing leaves the canvas, no texts overlap, all can be read."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from obroute.plots.notes import Noted, spots
from obroute.plots.style import routing_label, style

TOUCH = 1.0
"""Pixels (at 100 to the inch) that two boxes may share: a line's height is more than its ink."""
EDGE = 1.0
LEAST_PANEL = (110.0, 90.0)
"""Pixels, width and height, below which a panel is a smear."""
REPORT_WIDTH = 12.1
"""Inches of the report's column at 96 pixels to the inch; wider figures are shrunk to it."""
SMALLEST_TEXT = 6.5
"""Points, as shown in the report."""


def faults(figure: Figure) -> list[str]:
    """Return what is wrong with the layout of a figure, in words; nothing if it is right."""
    with style():
        canvas_of = FigureCanvasAgg(figure)
        figure.set_dpi(100)
        drawn = _drawn_texts(figure)
        renderer = canvas_of.get_renderer()
        canvas = figure.bbox
        found: list[str] = []
        around = figure.get_tightbbox(renderer)
        whole = Bbox(np.asarray(around.get_points()) * figure.dpi)
        if not _inside(whole, canvas):
            found.append(f"something is drawn outside the canvas: {whole} of {canvas}")
        boxes = [(text, _corners(text)) for text in drawn]
        found += _texts_outside(boxes, canvas)
        found += _texts_over_texts(boxes)
        found += _over_panels(figure, boxes)
        found += _over_legends(figure, boxes)
        found += _small(figure, drawn)
        found += _notes(figure)
        return found


def _notes(figure: Figure) -> list[str]:
    """Return what is wrong with what a page says of the points and lines of a figure."""
    if not isinstance(figure, Noted):
        return []
    noted = spots(figure)
    outside = [
        f"the note '{one.text}' lies outside the canvas"
        for one in noted
        if not all(0 <= share <= 100 for at in one.at for share in at)
    ]
    return outside if noted else ["nothing in it has a note"]


def looks(figure: Figure) -> dict[str, tuple[str, str]]:
    """Return the colour and marker by the label that a figure's legends give them."""
    found = {}
    for legend in _legends(figure):
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if hasattr(handle, "get_marker") and handle.get_marker() not in ("None", None, ""):
                look = (str(handle.get_markeredgecolor()), str(handle.get_marker()))
                found[_words(text)] = look
    return found


def contradictions(figures: dict[str, Figure], names: list[str]) -> list[str]:
    """Return where legends show a routing otherwise than others do; joint ones as their first."""
    labels = {routing_label(name) for name in names}
    known: dict[str, tuple[tuple[str, str], str]] = {}
    found = []
    for title, figure in figures.items():
        for label, look in looks(figure).items():
            first = label.split(" = ")[0]
            if first not in labels:
                continue
            before, where = known.setdefault(first, (look, title))
            if before != look:
                found.append(f"{first} is {look} in {title} but {before} in {where}")
    return found


def _drawn_texts(figure: Figure) -> list[Text]:
    """Draw a figure, and return the texts that were in fact drawn."""
    figure.draw_without_rendering()  # the layout,
    figure.set_layout_engine("none")  # which is not to be worked out again at every draw
    drawn: dict[int, Text] = {}
    draw = Text.draw

    def record(text: Text, *arguments: object, **options: object) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn[id(text)] = text
        draw(text, *arguments, **options)

    with patch.object(Text, "draw", record):
        figure.canvas.draw()
    return list(drawn.values())


def _corners(text: Text) -> NDArray[np.float64]:
    """Return the corners of the box of a text, turned as the text is (without its arrow)."""
    box = Text.get_window_extent(text)
    turn = text.get_rotation()
    if turn % 90:
        text.set_rotation(0)
        flat = Text.get_window_extent(text)
        text.set_rotation(turn)
        half = np.array([flat.width, flat.height]) / 2
    else:
        half, turn = np.array([box.width, box.height]) / 2, 0.0
    half = np.maximum(half - TOUCH / 2, 0.5)
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return middle + (signs * half) @ np.array([[cosine, sine], [-sine, cosine]])


def _overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Say whether two rectangles meet: no side of either separates them."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[2] - corners[1]):
            a, b = one @ side, other @ side
            if a.max() <= b.min() or b.max() <= a.min():
                return False
    return True


def _inside(box: Bbox, canvas: Bbox) -> bool:
    return bool(
        box.x0 >= canvas.x0 - EDGE
        and box.y0 >= canvas.y0 - EDGE
        and box.x1 <= canvas.x1 + EDGE
        and box.y1 <= canvas.y1 + EDGE
    )


def _box(corners: NDArray[np.float64]) -> Bbox:
    return Bbox([corners.min(axis=0), corners.max(axis=0)])


def _texts_outside(boxes: list[tuple[Text, NDArray[np.float64]]], canvas: Bbox) -> Iterator[str]:
    for text, corners in boxes:
        if not _inside(_box(corners), canvas):
            yield f"'{_words(text)}' leaves the canvas"


def _texts_over_texts(boxes: list[tuple[Text, NDArray[np.float64]]]) -> Iterator[str]:
    corners = np.array([found for _, found in boxes]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = (low[:, np.newaxis] < high) & (high[:, np.newaxis] > low)
    for one, other in np.argwhere(np.triu(near.all(axis=2), 1)).tolist():
        if _overlap(corners[one], corners[other]):
            yield f"'{_words(boxes[one][0])}' overlaps '{_words(boxes[other][0])}'"


def _over_panels(figure: Figure, boxes: list[tuple[Text, NDArray[np.float64]]]) -> Iterator[str]:
    """Tell of texts and legends that lie over a panel that is not theirs."""
    for axes in _panels(figure):
        area = axes.get_window_extent().padded(-TOUCH)
        own = set(map(id, axes.findobj(Text)))
        for text, corners in boxes:
            if id(text) not in own and _box(corners).overlaps(area):
                yield f"'{_words(text)}' lies over the panel '{axes.get_title()}'"
        for legend in _legends(figure):
            if legend.get_window_extent().padded(-TOUCH).overlaps(area):
                yield f"a legend lies over the panel '{axes.get_title()}'"


def _over_legends(figure: Figure, boxes: list[tuple[Text, NDArray[np.float64]]]) -> Iterator[str]:
    for legend in _legends(figure):
        area = legend.get_window_extent().padded(-TOUCH)
        own = set(map(id, legend.findobj(Text)))
        for text, corners in boxes:
            if id(text) not in own and _box(corners).overlaps(area):
                yield f"'{_words(text)}' lies over a legend"


def _small(figure: Figure, texts: list[Text]) -> Iterator[str]:
    for axes in _panels(figure):
        box = axes.get_window_extent()
        if box.width < LEAST_PANEL[0] or box.height < LEAST_PANEL[1]:
            size = f"{box.width:.0f} by {box.height:.0f} pixels"
            yield f"the panel '{axes.get_title()}' is only {size}"
    shrunk = min(1.0, REPORT_WIDTH / figure.get_size_inches()[0])
    for text in texts:
        if text.get_fontsize() * shrunk < SMALLEST_TEXT:
            yield f"'{_words(text)}' is written in {text.get_fontsize() * shrunk:.1f} points"


def _panels(figure: Figure) -> list[Axes]:
    """Return the panels that are seen, without the scales of colours."""
    return [
        axes for axes in figure.axes if axes.get_visible() and axes.get_label() != "<colorbar>"
    ]


def _legends(figure: Figure) -> list[Legend]:
    return [found for found in figure.findobj(Legend) if found.get_visible()]


def _words(text: Text) -> str:
    return " ".join(text.get_text().split())
