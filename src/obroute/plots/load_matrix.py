"""Channel loads of networks that have no place on paper, as a matrix of channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize

from obroute.plots.placement import (
    fits_circle,
    in_planes,
    structured_places,
)
from obroute.plots.style import ALERT, LOAD_MAP, UNLOADED
from obroute.rational import FloatArray, IntArray
from obroute.specs import InputError
from obroute.topologies.grid import Grid
from obroute.trends.critical import network_of

MOST_ROWS = 256
MOST_TICKS = 16


@dataclass(frozen=True)
class ChannelMatrix:
    """Where each channel is: a row a node that it leaves, a column a way to leave it.

    ``places`` are the row and column of each channel (array channels × 2); parallel channels have
    one place.
    """

    places: IntArray
    rows: Sequence[str]
    columns: Sequence[str]
    column_meaning: str


def matrix_of(cell: xr.Dataset) -> ChannelMatrix | None:
    """Return the matrix that a cell's channels are drawn in; None where a drawing shows them.

    A grid of more dimensions than are drawn has a column a dimension (and
    direction); another network that does not fit on a circle has a column a node.

    Raises
    ------
    InputError
        If it has more nodes than rows that could be told apart.
    """
    network = network_of(cell)
    if in_planes(network) is not None or structured_places(cell) is not None:
        return None
    if not isinstance(network, Grid) and fits_circle(cell):
        return None
    count = int(cell.attrs["nodes"])
    if count > MOST_ROWS:
        raise InputError(
            f"{cell.attrs['network']} has no plane and {count} nodes; a matrix of its channels is "
            f"drawn up to {MOST_ROWS} nodes"
        )
    names = [str(node) if network is None else network.describe(node) for node in range(count)]
    tail, head = cell["tail"].values.astype(np.int64), cell["head"].values.astype(np.int64)
    if not isinstance(network, Grid):
        return ChannelMatrix(np.stack([tail, head], axis=1), names, names, "to node")
    return _by_dimension(network, tail, names)


def _by_dimension(network: Grid, tail: IntArray, names: Sequence[str]) -> ChannelMatrix:
    ways = [
        (dimension, direction)
        for dimension, radix in enumerate(network.radices)
        for direction in range(2 if radix > 2 else 1)
    ]
    column = np.zeros(len(tail), dtype=np.int64)
    for place, (dimension, direction) in enumerate(ways):
        both = network.channel_at[dimension]
        # A dimension of two nodes has one channel from each: whichever way it is counted.
        mine = both[direction] if network.radices[dimension] > 2 else both
        column[mine[mine >= 0]] = place
    signs = "+−"
    columns = [
        f"{dimension}{signs[direction] if network.radices[dimension] > 2 else ''}"
        for dimension, direction in ways
    ]
    return ChannelMatrix(np.stack([tail, column], axis=1), names, columns, "along dimension")


def draw_matrix(
    axes: Axes, matrix: ChannelMatrix, load: FloatArray, norm: Normalize
) -> ScalarMappable:
    """Draw every channel as a square in the colour of its load; where there is none, nothing.

    Of parallel channels the largest load is drawn.
    """
    shape = (len(matrix.rows), len(matrix.columns))
    shade = np.full(shape, np.nan)
    np.fmax.at(shade, tuple(matrix.places.T), load)
    idle = np.ma.masked_not_equal(np.nan_to_num(shade, nan=-1.0), 0)
    axes.imshow(
        idle, cmap=ListedColormap([UNLOADED]), aspect="auto", interpolation="nearest", zorder=0
    )
    drawn = axes.imshow(
        np.ma.masked_where(~(shade > 0), shade),
        cmap=LOAD_MAP,
        norm=norm,
        aspect="auto",
        interpolation="nearest",
        zorder=1,
    )
    axes.set(xlabel=matrix.column_meaning, ylabel="from node")
    _ticks(axes, matrix)
    return drawn


def ring_place(axes: Axes, matrix: ChannelMatrix, channel: int) -> None:
    """Mark a channel in the matrix."""
    row, column = matrix.places[channel].tolist()
    axes.plot(column, row, "o", ms=17, mfc="none", mec=ALERT, mew=1.8, zorder=3, clip_on=False)


def _ticks(axes: Axes, matrix: ChannelMatrix) -> None:
    every = max(1, -(-len(matrix.rows) // MOST_TICKS))
    axes.set_yticks(range(0, len(matrix.rows), every), list(matrix.rows[::every]))
    if len(matrix.columns) <= MOST_TICKS and max(map(len, matrix.columns)) <= 2:
        axes.set_xticks(range(len(matrix.columns)), list(matrix.columns))
    else:
        every = max(1, -(-len(matrix.columns) // MOST_TICKS))
        names = list(matrix.columns[::every])
        axes.set_xticks(range(0, len(matrix.columns), every), names, rotation=90)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
