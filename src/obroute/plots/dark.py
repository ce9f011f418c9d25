"""Figures on a dark ground: every colour of a drawn figure in its counterpart."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import Collection
from matplotlib.colors import ListedColormap, to_hex, to_rgba
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.quiver import Quiver
from matplotlib.text import Text

from obroute.plots.style import LOAD_MAP

GROUND = "#16181b"
"""That of the report in the dark."""
BRIGHTEST = 0.92
LEAST_LIGHTNESS = 0.56
GREY = 0.06
"""The largest difference between the parts of a colour that counts as grey."""
_LOADS = LOAD_MAP(np.arange(LOAD_MAP.N))
_DARK_LOADS = [
    colorsys.hls_to_rgb(hue, 0.25 + 0.6 * place / (LOAD_MAP.N - 1), strength)
    for place, (hue, _, strength) in enumerate(
        colorsys.rgb_to_hls(*map(float, row[:3])) for row in _LOADS
    )
]
DARK_LOAD_MAP = ListedColormap(_DARK_LOADS, "loads, dark")
"""On a dark ground brighter is more."""
_OF_LOADS = {to_hex(one): other for one, other in zip(_LOADS, _DARK_LOADS, strict=True)}


def darken(figure: Figure) -> None:
    """Turn a figure to a dark ground.

    Greys change places, white becomes the ground; colours keep their hue and become light enough
    to be read; the scale of loads goes from dark to bright. What a routing looks like stays its
    own.
    """
    for artist in figure.findobj():
        if isinstance(artist, ScalarMappable) and artist.get_cmap() is LOAD_MAP:
            artist.set_cmap(DARK_LOAD_MAP)
        if isinstance(artist, Line2D):
            _line(artist)
        elif isinstance(artist, Text):
            artist.set_color(_counterpart(artist.get_color()))
        elif isinstance(artist, (Patch, SubFigure)) and hasattr(artist, "set_facecolor"):
            artist.set_facecolor(_counterpart(artist.get_facecolor()))
            artist.set_edgecolor(_counterpart(artist.get_edgecolor()))
        elif isinstance(artist, Collection):
            _collection(artist)
    for axes in figure.axes:
        axes.tick_params(which="both", color=_counterpart("#000000"))
        for image in axes.images:
            if image.get_cmap().N == 1:
                (only,) = image.get_cmap()([0])
                image.set_cmap(ListedColormap([_counterpart(only)]))


def _line(line: Line2D) -> None:
    face, edge = line.get_markerfacecolor(), line.get_markeredgecolor()
    line.set_color(_counterpart(line.get_color()))
    line.set_markerfacecolor(_counterpart(face))
    line.set_markeredgecolor(_counterpart(edge))


def _collection(collection: Collection) -> None:
    mapped = collection.get_array() is not None
    edges, faces = (
        np.atleast_2d(c) for c in (collection.get_edgecolor(), collection.get_facecolor())
    )
    if edges.size and not (mapped and isinstance(collection, Quiver)):
        collection.set_edgecolor([_counterpart(colour) for colour in edges])
    if faces.size and not mapped:
        collection.set_facecolor([_counterpart(colour) for colour in faces])


def _counterpart(colour: Any) -> Any:
    """Return what a colour is on a dark ground; none stays none."""
    if isinstance(colour, str) and colour.lower() in ("none", "auto", "inherit", "face"):
        return colour
    red, green, blue, opacity = to_rgba(colour)
    known = _OF_LOADS.get(to_hex((red, green, blue)))
    if known is not None:
        return (*known, opacity)
    dark = to_rgba(GROUND)[:3]
    if max(red, green, blue) - min(red, green, blue) <= GREY:
        share = (red + green + blue) / 3
        return (*(share * low + (1 - share) * BRIGHTEST for low in dark), opacity)
    hue, lightness, strength = colorsys.rgb_to_hls(red, green, blue)
    if lightness > 0.9:  # a tint of white is one of the ground
        return (*colorsys.hls_to_rgb(hue, 0.2, 0.5 * strength), opacity)
    lighter = LEAST_LIGHTNESS + (1 - LEAST_LIGHTNESS) * lightness / 2
    return (*colorsys.hls_to_rgb(hue, lighter, strength), opacity)
