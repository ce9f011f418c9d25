"""A map of what each channel can be made to carry: its own worst case, not that of one traffic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import xarray as xr
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from obroute.plots.canvas import canvas, width_of
from obroute.plots.channel_maps import (
    NARROWEST,
    SCALE,
    cells_of_network,
    columns_of,
    draw_loads,
    note_channels,
    row_height,
)
from obroute.plots.notes import MOST_LINES
from obroute.plots.style import fitted, network_label, routing_label, style
from obroute.rational import FloatArray
from obroute.specs import InputError
from obroute.views import StudyData, figures, on_request


def channel_worst_cases(cell: xr.Dataset) -> FloatArray:
    """Return the worst-case load of every channel (packets per cycle over bandwidth).

    A channel that was not solved itself has that of the focus channel that stands for it.

    Raises
    ------
    InputError
        If some channels have bounds alone.

    Examples
    --------
    >>> import obroute
    >>> from obroute.kinds.stores import dataset_of
    >>> cell = dataset_of("evaluation", obroute.evaluate("mesh:5", "dor"))
    >>> sorted(channel_worst_cases(cell).tolist())
    [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    """
    if (cell["channel_focus"].values < 0).any():
        raise InputError(
            f"{cell.attrs['routing']} on {cell.attrs['network']}: only the channel that is the "
            "worst was solved; evaluate with --all-channels (all_channels: true in a study)"
        )
    loads = np.asarray(cell["worst_case_load"].values, dtype=np.float64)
    found: FloatArray = loads[cell["channel_focus"].values]
    return found


def worst_case_map(cells: Sequence[xr.Dataset]) -> Figure:
    """Draw the worst-case load of every channel of a network, a panel a routing, in one scale.

    No single traffic loads all channels so: each has its own worst permutation. A torus is flat in
    each dimension; a mesh shows where it is weak.

    Raises
    ------
    InputError
        If there is nothing to draw, or a network has no place on paper.
    """
    if not cells:
        raise InputError("no cells to draw; give at least one")
    names = dict.fromkeys(cell.attrs["network"] for cell in cells)
    if len(names) > 1:
        raise InputError(f"cells of {', '.join(names)}; give those of one network")
    with style():
        loads = [channel_worst_cases(cell) for cell in cells]
        norm = Normalize(0, max(float(load.max()) for load in loads) or 1)
        columns = columns_of(len(cells), 3.7)
        rows = math.ceil(len(cells) / columns)
        own = max(NARROWEST, 3.7 * columns + SCALE)
        row = row_height(3.9, width_of(own), columns)
        figure = canvas(own, row * rows + 0.6, least=NARROWEST)
        name = network_label(cells[0].attrs["network"])
        title = f"Worst-case load of each channel of {name}"
        figure.suptitle(fitted(title, figure.get_figwidth() - 0.2, 11))
        places = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
        for axes, cell, load in zip(places, cells, loads, strict=False):
            drawn = draw_loads(axes, cell, load, norm)
            label = routing_label(cell.attrs["routing"])
            note_channels(axes, cell, label, MOST_LINES // len(cells))
            inches = (figure.get_figwidth() - SCALE) / columns
            axes.set_title(fitted(f"{label}\n{_range(load)}", inches))
        for axes in places[len(cells) :]:
            axes.set_axis_off()
        figure.colorbar(
            drawn, ax=places, label="packets per cycle over bandwidth", shrink=0.85, aspect=30
        )
        return figure


def _range(loads: FloatArray) -> str:
    least, largest = f"{loads.min():.4g}", f"{loads.max():.4g}"
    return f"{least} to {largest}" if least != largest else f"{largest} everywhere"


@figures.register(
    "worst_cases",
    "Worst-case load of each channel of a network, a map a routing.",
    applies=on_request,
)
def _worst_cases(
    data: StudyData,
    network: Annotated[str, "Which network; needed where there are several."] = "",
) -> Figure:
    return worst_case_map(cells_of_network(data, network))
