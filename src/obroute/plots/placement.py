"""Where the nodes of a network go on paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.importers import make_network
from obroute.rational import FloatArray, IntArray
from obroute.results import critical_focus
from obroute.specs import InputError
from obroute.topologies.grid import Grid

MOST_NODES_ON_A_CIRCLE = 64


def critical_channel(cell: xr.Dataset) -> int:
    """Return the number of the channel that a cell's worst case loads most."""
    return int(cell["focus_channel"].values[critical_focus(cell)])


@dataclass(frozen=True)
class Plane:
    """A two-dimensional grid as a matrix: coordinate 0 counts rows down, coordinate 1 columns.

    A wrapped dimension is turned so that a chosen channel lies in the middle: ``origin`` is the
    node drawn in the upper left corner.
    """

    network: Grid
    shape: tuple[int, int]
    wraps: tuple[bool, bool]
    origin: tuple[int, int]
    coordinates: IntArray

    @property
    def places(self) -> IntArray:
        """Row and column at which each node is drawn (array nodes × 2)."""
        return np.asarray((self.coordinates - self.origin) % self.shape, dtype=np.int64)

    def labels(self, dimension: int) -> list[int]:
        """Return the true coordinates along a dimension, in the order in which they are drawn."""
        size = self.shape[dimension]
        return [(self.origin[dimension] + place) % size for place in range(size)]

    def channel_line(self, tail: int, head: int) -> tuple[int, NDArray[np.bool_]]:
        """Return the dimension of a channel, and which nodes lie in its own ring or line."""
        along = int(np.flatnonzero(self.coordinates[tail] != self.coordinates[head])[0])
        across = 1 - along
        return along, self.coordinates[:, across] == self.coordinates[tail, across]


def plane_of(cell: xr.Dataset) -> Plane:
    """Return the plane of a cell's network, its critical channel in the middle.

    A line or ring is a plane of one row.

    Raises
    ------
    InputError
        If the network is no grid of one or two dimensions.
    """
    network = make_network(cell.attrs["network"])
    if not isinstance(network, Grid) or len(network.radices) > 2:
        raise InputError(
            f"{network.name} has no plane to draw it in; this figure needs a torus, mesh or ring "
            "of one or two dimensions"
        )
    assert network.coordinates is not None
    shape, wraps, coordinates = network.radices, network.wraps, network.coordinates
    if len(shape) == 1:
        shape, wraps = (1, *shape), (False, *wraps)
        coordinates = np.concatenate([np.zeros_like(coordinates), coordinates], axis=1)
    tail = coordinates[cell["tail"].values[critical_channel(cell)]]
    origin = [
        int(place - (size - 1) // 2) % size if wrap else 0
        for place, size, wrap in zip(tail, shape, wraps, strict=True)
    ]
    return Plane(
        network,
        (shape[0], shape[1]),
        (wraps[0], wraps[1]),
        (origin[0], origin[1]),
        coordinates,
    )


def channel_arrows(cell: xr.Dataset) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the nodes' positions, and the start and step of the arrow of each channel.

    Positions are x, y with y downwards. The two directions of a link lie side by side; a
    wrap-around channel is a stub that leaves the plane. A network without a plane goes on a
    circle.

    Raises
    ------
    InputError
        If it has neither a plane nor few enough nodes for a circle.
    """
    tail, head = cell["tail"].values, cell["head"].values
    try:
        plane = plane_of(cell)
    except InputError:
        nodes = _circle(cell)
        step = nodes[head] - nodes[tail]
    else:
        nodes = plane.places[:, ::-1].astype(np.float64)
        step = nodes[head] - nodes[tail]
        sizes = np.array(plane.shape[::-1])
        wrapped = np.array(plane.wraps[::-1]) & (sizes > 2) & (np.abs(step) == sizes - 1)
        step = np.where(wrapped, -np.sign(step), step)
    length = np.hypot(step[:, 0], step[:, 1])
    unit = step / length[:, np.newaxis]
    right = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    start = nodes[tail] + 0.16 * unit + 0.10 * right
    return nodes, start, unit * (length - 0.32)[:, np.newaxis]


def _circle(cell: xr.Dataset) -> FloatArray:
    count = int(cell.attrs["nodes"])
    if count > MOST_NODES_ON_A_CIRCLE:
        raise InputError(
            f"{cell.attrs['network']} has no plane and {count} nodes; a circle is drawn up to "
            f"{MOST_NODES_ON_A_CIRCLE} nodes"
        )
    angles = 2 * np.pi * np.arange(count) / count
    radius = max(1.5, count / 4)
    return radius * np.stack([np.sin(angles), -np.cos(angles)], axis=1)
