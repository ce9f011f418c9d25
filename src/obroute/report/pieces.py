"""What sections are made of: figures as data, cells read as they are needed, values in words."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from obroute import plots
from obroute.rational import FloatArray
from obroute.results import read_store
from obroute.specs import InputError
from obroute.trends.readings import value


@dataclass(frozen=True)
class Drawing:
    """A figure as a data URI with its alternative text, or only a sentence in its place."""

    caption: str
    image: str = ""
    alt: str = ""


def drawing(draw: Callable[[], Figure], alt: str, caption: str) -> Drawing:
    """Draw a figure, or say in its place why it cannot be drawn."""
    try:
        figure = draw()
    except InputError as error:
        return Drawing(f"Not drawn: {error}.")
    encoded = base64.b64encode(plots.image_bytes(figure, "svg")).decode()
    return Drawing(caption, f"data:image/svg+xml;base64,{encoded}", alt)


class StoredCells(Mapping[str, xr.Dataset]):
    """The cells of a study as stores in a folder, each read when it is first asked for."""

    def __init__(self, study: xr.Dataset, folder: Path) -> None:
        self._folder = folder
        self._names = [str(name) for name in study["cell"].values.ravel().tolist() if name]
        self._read: dict[str, xr.Dataset] = {}

    def __getitem__(self, name: str) -> xr.Dataset:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._read:
            self._read[name] = read_store(self._folder / name, "cell")
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


Cells = Mapping[str, xr.Dataset]


def stored_cell(study: xr.Dataset, cells: Cells, network: str, routing: str) -> xr.Dataset:
    """Return the cell of a network and a routing, by the name that the study has for it."""
    name = str(value(study, "cell", network=network, routing=routing))
    if name not in cells:
        raise InputError(f"no cell '{name}' was given; gather the study again")
    return cells[name]


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 cell``, ``2 cells``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def decimal(number: float) -> str:
    """Return four decimals; a dash for what is not known."""
    return "–" if math.isnan(number) else f"{number:.4f}"


def spread(values: FloatArray) -> str:
    """Return the values of all seeds in short: one number, or the median and the range."""
    low, middle, high = values.min(), float(np.median(values)), values.max()
    return f"{middle:g}" if low == high else f"{middle:g} ({low:g}–{high:g})"


def signed(percent: float) -> str:
    """Return a difference to one decimal, with its sign unless it is nought."""
    return f"{percent:+.1f}".replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")
