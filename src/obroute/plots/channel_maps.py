"""Maps of a network with every channel in the colour of its load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from obroute.network import Network
from obroute.plots.canvas import canvas, width_of
from obroute.plots.load_matrix import draw_matrix, matrix_of, ring_place
from obroute.plots.node_names import name_places
from obroute.plots.notes import MOST_LINES, CellName, Place, note
from obroute.plots.placement import (
    MOST_CHANNELS_ON_A_CIRCLE,
    MOST_PLANES,
    channel_arrows,
    critical_channel,
    in_planes,
    is_cube,
    plane_corners,
)
from obroute.plots.style import (
    ALERT,
    INK,
    LOAD_MAP,
    UNLOADED,
    fitted,
    network_label,
    routing_label,
    style,
)
from obroute.rational import FloatArray
from obroute.specs import InputError, suggestion
from obroute.trends.critical import CriticalChannel, network_of
from obroute.trends.values import evaluation_of, holds, network_names, routing_names
from obroute.views import StudyData, figures, listed, on_request
from obroute.worst_cases import WORST_CASE

MOST_NAMES = 12
"""Nodes of a network without planes up to which each has its name."""
NAMED_INCHES = 2.2
"""The least that a map with names is wide or high."""
MOST_BITS = 16
"""Nodes of a hypercube up to which each has its bits."""
MOST_MAPS = 4
MOST_COLUMNS = 3
LEAST_PANEL = 2.4
"""Inches of a panel that still has room for its title."""
SCALE = 0.9
"""Inches that the scale of colours takes."""
NARROWEST = 5.4
"""Inches of a figure of one map, for its title."""
PLANES_NOTE = (
    "Planes of dimension 0 side by side; slanted channels go to the next plane (down) or to the "
    "one before (up)."
)
ARROW: dict[str, Any] = {
    "angles": "xy",
    "scale_units": "xy",
    "scale": 1,
    "units": "xy",
    "width": 0.08,
    "headwidth": 3,
    "headlength": 3.2,
    "headaxislength": 3,
}


def channel_load_map(cell: xr.Dataset, traffics: Sequence[str] | None = None) -> Figure:
    """Draw the load of every channel, a small map a traffic; at most four if none are named.

    Loads are packets per cycle over bandwidth. ``worst_case`` is the worst traffic of the
    critical channel, which is marked.
    """
    known = _traffics(cell)
    chosen = list(known[:MOST_MAPS]) if traffics is None else list(traffics)
    return _maps(
        f"{routing_label(cell.attrs['routing'])} on {network_label(cell.attrs['network'])}",
        [(traffic.replace("_", " "), cell, traffic) for traffic in chosen],
    )


def cells_of_network(data: StudyData, network: str) -> list[xr.Dataset]:
    """Return the evaluations of a study on a network, or on its only one; in order of routings.

    Raises
    ------
    InputError
        If the study has another network, or none is named of several.
    """
    study = data["evaluations"]
    known = network_names(study)
    if not network and len(known) > 1:
        raise InputError(f"name one network of {data.origin} with --network: {listed(known)}")
    if network and network not in known:
        raise InputError(f"{data.origin} has no network '{network}'" + suggestion(network, known))
    chosen = network or known[0]
    return [
        evaluation_of(data, chosen, routing)
        for routing in routing_names(study)
        if holds(study, chosen, routing)
    ]


def channel_load_comparison(cells: Sequence[xr.Dataset], traffic: str = WORST_CASE) -> Figure:
    """Draw one traffic's channel loads of several cells side by side, in one scale."""
    if not cells:
        raise InputError("no cells to draw; give at least one")
    what = "each under its own worst case" if traffic == WORST_CASE else traffic.replace("_", " ")
    return _maps(
        f"Channel loads on {network_label(cells[0].attrs['network'])}, {what}",
        [(routing_label(cell.attrs["routing"]), cell, traffic) for cell in cells],
    )


def _traffics(cell: xr.Dataset) -> list[str]:
    if "channel_load" not in cell:
        raise InputError(
            f"the cell of {cell.attrs['network']} and {cell.attrs['routing']} holds no channel "
            "loads: its network is too large for a map"
        )
    return [str(name) for name in cell["traffic"].values.tolist()]


def _loads(cell: xr.Dataset, traffic: str) -> FloatArray:
    known = _traffics(cell)
    if traffic not in known:
        raise InputError(f"the cell has no traffic '{traffic}'" + suggestion(traffic, known))
    return np.asarray(cell["channel_load"].values[known.index(traffic)], dtype=np.float64)


def _maps(title: str, panels: list[tuple[str, xr.Dataset, str]]) -> Figure:
    with style():
        loads = [_loads(cell, traffic) for _, cell, traffic in panels]
        norm = Normalize(0, max(float(np.max(load)) for load in loads))
        columns = columns_of(len(panels), 3.5)
        rows = math.ceil(len(panels) / columns)
        own = max(NARROWEST, 3.5 * columns + SCALE)
        row = row_height(3.7, width_of(own), columns)
        figure = canvas(own, row * rows + 0.5, least=NARROWEST)
        width = figure.get_figwidth()
        ringed = any(traffic == WORST_CASE for _, _, traffic in panels)
        ring = " (ringed: the channel loaded most)" if ringed else ""
        figure.suptitle(fitted(title + ring, width - 0.2, 11))
        places = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
        for axes, (name, cell, traffic), load in zip(places, panels, loads, strict=False):
            drawn = draw_loads(axes, cell, load, norm)
            note_channels(axes, cell, name, MOST_LINES // len(panels), load)
            axes.set_title(
                fitted(f"{name}: largest {np.max(load):.4g}", (width - SCALE) / columns)
            )
            if traffic == WORST_CASE:
                _ring_critical(axes, cell)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        figure.colorbar(
            drawn, ax=places, label="packets per cycle over bandwidth", shrink=0.85, aspect=30
        )
        return figure


def columns_of(panels: int, inches: float) -> int:
    """Return how many panels stand side by side: of so many inches, or at the width asked for."""
    most = 2 if panels == 4 else min(panels, MOST_COLUMNS)
    own = most * inches + SCALE
    width = width_of(own)
    return most if width >= own else max(1, min(most, int((width - SCALE) / LEAST_PANEL)))


def row_height(most: float, width: float, columns: int) -> float:
    """Return how high a row of maps is: about as high as they are wide."""
    return min(most, (width - SCALE) / columns + 0.4)


def draw_loads(axes: Axes, cell: xr.Dataset, load: FloatArray, norm: Normalize) -> ScalarMappable:
    """Draw a network with every channel in the colour of a load of it.

    What has a place on paper is drawn with arrows, anything else as a matrix of its channels.
    """
    matrix = matrix_of(cell)
    if matrix is not None:
        return draw_matrix(axes, matrix, load, norm)
    nodes, start, step = channel_arrows(cell)
    axes.plot(nodes[:, 0], nodes[:, 1], "o", ms=3, color="#9a9a9a", mec="none", zorder=1)
    idle = load == 0
    crowded = in_planes(network_of(cell)) is None and len(load) > MOST_CHANNELS_ON_A_CIRCLE
    thin, narrow = ({"width": 0.025}, {"width": 0.05}) if crowded else ({}, {})
    axes.quiver(*start[idle].T, *step[idle].T, color=UNLOADED, zorder=1, **(ARROW | thin))
    busy = np.flatnonzero(~idle)[np.argsort(load[~idle], kind="stable")]
    drawn = axes.quiver(
        *start[busy].T,
        *step[busy].T,
        load[busy],
        cmap=LOAD_MAP,
        norm=norm,
        zorder=2,
        **(ARROW | narrow),
    )
    room = 0.6 if is_cube(network_of(cell)) else 1.1
    low, high = nodes.min(axis=0) - room, nodes.max(axis=0) + room
    axes.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]), aspect="equal")
    axes.set_axis_off()
    _number_planes(axes, network_of(cell))
    _name_nodes(axes, cell, nodes)
    return drawn


def note_channels(
    axes: Axes, cell: xr.Dataset, panel: str, most: int, loads: FloatArray | None = None
) -> None:
    """Say of so many channels, the most loaded, what the load is, if given, and can be at most."""
    critical = CriticalChannel(cell)
    of = CellName(cell.attrs["network"], cell.attrs["routing"])
    known = {one: load for one, load, _ in critical.most_loaded(cell.sizes["channel"])}
    loaded = list(known) if loads is None else np.argsort(-loads, kind="stable").tolist()
    places = _places(cell)
    for channel in sorted(loaded[:most]):
        carried = "" if loads is None else f"load {loads[channel]:.5g}, "
        said = f"{panel}, {critical.name(channel)}: {carried}at most {known[channel]}"
        note(axes, said, *places[channel], cell=of)


def _places(cell: xr.Dataset) -> list[tuple[Place, ...]]:
    """Return the ends of the arrow of each channel, or its square in the matrix."""
    matrix = matrix_of(cell)
    if matrix is not None:
        return [((column, row),) for row, column in matrix.places.tolist()]
    _, start, step = channel_arrows(cell)
    ends = zip(start.tolist(), (start + step).tolist(), strict=True)
    return [((x, y), (right, down)) for (x, y), (right, down) in ends]


def _name_nodes(axes: Axes, cell: xr.Dataset, nodes: FloatArray) -> None:
    """Write the name of each node where there are few and the network is no grid."""
    network = network_of(cell)
    if is_cube(network) and len(nodes) <= MOST_BITS:
        digits = len(nodes).bit_length() - 1
        for node, (x, y) in enumerate(nodes):
            axes.text(x + 0.18, y + 0.2, f"{node:0{digits}b}", va="top", fontsize=7, color=INK)
    if in_planes(network) is not None or is_cube(network) or len(nodes) > MOST_NAMES:
        return
    names = [str(n) if network is None else network.describe(n) for n in range(len(nodes))]
    spans = abs(np.diff(axes.get_xlim())[0]), abs(np.diff(axes.get_ylim())[0])
    for name, place in zip(
        names, name_places(nodes, names, max(spans) / NAMED_INCHES), strict=True
    ):
        if place is not None:
            x, y, across, up = place
            axes.text(x, y, name, ha=across, va=up, fontsize=7, color=INK)


def _number_planes(axes: Axes, network: Network | None) -> None:
    """Write its number above each plane of a grid of three dimensions, and what slants below."""
    grid = in_planes(network)
    if grid is None or grid.dimensions != MOST_PLANES:
        return
    middle = (grid.radices[2] - 1) / 2
    for number, (x, y) in enumerate(plane_corners(grid)):
        axes.text(
            x + middle, y - 0.9, f"plane {number}", ha="center", va="bottom", fontsize=8, color=INK
        )
    top, bottom = axes.get_ylim()[::-1]
    axes.set_ylim(bottom, top - 0.5)
    figure = axes.get_figure(root=True)
    assert figure is not None
    width = figure.get_size_inches()[0]
    figure.supxlabel(fitted(PLANES_NOTE, width - 0.3, 9.5), fontsize=9.5)


def _ring_critical(axes: Axes, cell: xr.Dataset) -> None:
    channel, matrix = critical_channel(cell), matrix_of(cell)
    if matrix is not None:
        ring_place(axes, matrix, channel)
        return
    _, start, step = channel_arrows(cell)
    x, y = start[channel] + step[channel] / 2
    axes.plot(x, y, "o", ms=17, mfc="none", mec=ALERT, mew=1.8, zorder=3)


@figures.register(
    "channel_loads",
    "Load of every channel of a cell, a map a traffic.",
    each_cell=True,
    applies=on_request,
)
def _channel_loads(
    data: StudyData,
    cell: str = "",
    traffic: Annotated[str, "Traffic, such as worst_case,tornado; else the first four."] = "",
) -> Figure:
    chosen = [name.strip() for name in traffic.split(",") if name.strip()]
    return channel_load_map(data.cell("evaluations", cell), chosen or None)


@figures.register(
    "load_comparison",
    "Load of every channel of a network, a map a routing, in one scale.",
    applies=on_request,
)
def _load_comparison(
    data: StudyData,
    network: Annotated[str, "Which network; needed where there are several."] = "",
    traffic: Annotated[str, "Traffic; worst_case is each routing's own."] = WORST_CASE,
) -> Figure:
    return channel_load_comparison(cells_of_network(data, network), traffic)
