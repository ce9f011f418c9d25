"""Figures as data in the page."""

from __future__ import annotations

import base64
from collections.abc import Callable

from matplotlib.figure import Figure

from obroute.plots import image_bytes
from obroute.plots.notes import spots
from obroute.specs import InputError
from obroute.views import Drawing


def drawing(draw: Callable[[], Figure], alt: str, caption: str) -> Drawing:
    """Draw a figure, or say in its place why it cannot be drawn."""
    try:
        figure = draw()
    except InputError as error:
        return Drawing(f"Not drawn: {error}.")
    image = image_bytes(figure, "svg")  # which also puts everything in its place
    encoded = base64.b64encode(image).decode()
    return Drawing(caption, f"data:image/svg+xml;base64,{encoded}", alt, spots(figure))
