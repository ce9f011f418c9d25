"""How the figures look, and how they are saved: one palette, sizes for a report, stable bytes."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from obroute.specs import InputError
from obroute.trends import write_whole

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "figure.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "obroute",
    "svg.fonttype": "path",
}

INK = "#222222"
FAINT = "#8a8a8a"
ALERT = "#d55e00"
"""The channel or row to look at."""

# Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = {
    "dor": "#0072b2",
    "romm": "#d55e00",
    "valiant": "#009e73",
    "o1turn": "#e69f00",
    "ival": "#cc79a7",
    "rlb": "#56b4e9",
    "rlbth": "#000000",
    "ecmp": "#7f7f7f",
    "2turn": "#5e4fa2",
    "2turna": "#8c564b",
    "optimal": "#9c2755",
    "optimal:objective=average_case": "#637939",
}
_SPARE_COLOURS = ("#17607a", "#b8860b", "#4d4d4d", "#a6761d", "#7b4173", "#2f4b26")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_LABELS = {
    "dor": "DOR",
    "romm": "ROMM",
    "valiant": "VAL",
    "o1turn": "O1TURN",
    "ival": "IVAL",
    "rlb": "RLB",
    "rlbth": "RLBth",
    "ecmp": "ECMP",
    "2turn": "2TURN",
    "2turna": "2TURNA",
}
_DESIGN_WORDS = {
    "objective=average_case": "average case",
    "objective=capacity": "capacity",
    "paths=minimal": "minimal paths",
    "paths=two_turn": "two turns",
}
"""Parameters of ``optimal`` in words."""

UNLOADED = "#dcdcdc"
"""What carries nothing."""
LOAD_MAP = ListedColormap(mpl.colormaps["YlGnBu"](np.linspace(0.28, 1, 256)), "loads")
"""Sequential in lightness, so that colour-blind readers see it too; darker is more."""

RASTER_DPI = 160
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "obroute"},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": "obroute", "Producer": None},
}


def routing_label(routing: str) -> str:
    """Return the field's abbreviation of a routing, its parameters behind it.

    >>> routing_label("valiant"), routing_label("romm:order=fixed")
    ('VAL', 'ROMM (order=fixed)')
    >>> routing_label("optimal:objective=average_case,paths=minimal")
    'optimal, average case, minimal paths'
    """
    name, _, parameters = routing.partition(":")
    label = _LABELS.get(name, name)
    if name == "optimal" and parameters:
        return ", ".join([label, *(_DESIGN_WORDS.get(w, w) for w in parameters.split(","))])
    return f"{label} ({parameters})" if parameters else label


def look_of(routings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each routing; a variant gets a colour of its own."""
    spare = itertools.cycle(_SPARE_COLOURS)
    markers = itertools.cycle(MARKERS)
    return {name: (COLOURS.get(name) or next(spare), next(markers)) for name in routings}


@contextmanager
def style() -> Iterator[None]:
    """Use the figures' settings, whatever the user's own are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


def image_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as SVG, PNG or PDF; the same bytes for the same figure."""
    if kind not in _METADATA:
        raise InputError(f"'{kind}' is no kind of figure; expected {', '.join(sorted(_METADATA))}")
    buffer = io.BytesIO()
    with style():
        figure.savefig(
            buffer, format=kind, dpi=RASTER_DPI, metadata=_METADATA[kind], facecolor="white"
        )
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure to a file, of the kind that its name says: .svg, .png or .pdf."""
    write_whole(path, image_bytes(figure, path.suffix.lstrip(".").lower()))
