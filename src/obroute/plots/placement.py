"""Where the nodes of a network go on paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.experiments.evaluation.store import critical_focus
from obroute.importers import make_network
from obroute.network import Network
from obroute.rational import FloatArray, IntArray
from obroute.results.stores import finding_files
from obroute.specs import InputError
from obroute.topologies.grid import Grid
from obroute.trends.critical import network_of
from obroute.trends.structure import hosts_of_their_own

MOST_NODES_ON_A_CIRCLE = 16
MOST_CHANNELS_ON_A_CIRCLE = 64
"""More than these, and a circle is a disc of arrows."""
MOST_NODES_IN_PLACES, MOST_CHANNELS_IN_PLACES = 100, 420
"""More than these, and arrows between places that show the structure are a tangle."""
LEVEL_GAP = 2.0
"""Between levels of switches, in steps from host to host where there are few."""
MOST_PLANES = 3
"""Dimensions of a grid that is drawn as one plane or several side by side."""
PLANE_GAP = 1.6
"""Between planes side by side, in steps from node to node."""

CUBE_TURNS, CUBE_GROWTH = (0, 20, 12), 2.8
"""Degrees by which the squares of each level are turned, and how many times as large they are."""
CUBE = np.array([[0.9, -0.75], [0.0, 2.0], [2.0, 0.0]])
"""How far each dimension of a cube of eight nodes leads, right and down."""
SLANT = np.array([0.42, 0.42])
"""The reach of a channel between two planes, which is drawn at its tail."""


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
    with finding_files(cell):
        network = make_network(cell.attrs["network"])
    if not isinstance(network, Grid) or network.dimensions > 2:
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
    wrap-around channel is a stub that leaves the plane. Of a grid of three dimensions the planes
    of dimension 0 lie side by side, and channels between them are slanted stubs: down to the next
    plane, up to the one before. A hypercube is drawn as squares of squares. A network without a
    plane goes on a circle.

    Raises
    ------
    InputError
        If it has neither a plane nor few enough nodes and channels for a circle.
    """
    tail, head = cell["tail"].values, cell["head"].values
    network = network_of(cell)
    grid = in_planes(network)
    if grid is None:
        found = structured_places(cell)
        nodes = _circle(cell) if found is None else found
        return nodes, *_beside_each_other(nodes[tail], nodes[head] - nodes[tail])
    if grid.dimensions == MOST_PLANES:
        return _stacked(grid, tail, head)
    plane = plane_of(cell)
    nodes = plane.places[:, ::-1].astype(np.float64)
    step = _stubs(nodes[head] - nodes[tail], plane.shape[::-1], plane.wraps[::-1])
    return nodes, *_beside_each_other(nodes[tail], step)


def structured_places(cell: xr.Dataset) -> FloatArray | None:
    """Return places that show how a network is made: its family's own, or levels above hosts.

    Array nodes × 2 of x and y (downwards); None where it has neither, or is too large.
    """
    network = network_of(cell)
    small = cell.attrs["nodes"] <= MOST_NODES_IN_PLACES
    if network is None or not small or cell.sizes["channel"] > MOST_CHANNELS_IN_PLACES:
        return None
    if network.node_count != cell.attrs["nodes"]:
        return None
    if isinstance(network, Grid):
        return nested_squares(network) if is_cube(network) else None
    own = network.places()
    return _levels(network) if own is None else own


def _levels(network: Network) -> FloatArray | None:
    """Return hosts in the lowest row, and every switch as many rows up as it is hops from one."""
    hosts = np.flatnonzero(hosts_of_their_own(network))
    if not hosts.size:
        return None
    level = dijkstra(
        network.adjacency, directed=False, indices=hosts, unweighted=True, min_only=True
    ).astype(np.int64)
    widest = int(np.bincount(level).max())
    places = np.empty((network.node_count, 2))
    for height in np.unique(level):
        nodes = np.flatnonzero(level == height)
        places[nodes, 0] = (np.arange(len(nodes)) + 0.5) * widest / len(nodes)
        places[nodes, 1] = -height * LEVEL_GAP * max(1.0, widest / 8)
    return places


def in_planes(network: Network | None) -> Grid | None:
    """Return the network if it is a grid of few enough dimensions to draw as planes."""
    if isinstance(network, Grid) and network.dimensions <= MOST_PLANES and not is_cube(network):
        return network
    return None


def is_cube(network: Network | None) -> bool:
    """Say whether a network is a hypercube of three or more dimensions."""
    return isinstance(network, Grid) and network.dimensions > 2 and set(network.radices) == {2}


def nested_squares(network: Grid) -> FloatArray:
    """Return places of a hypercube's nodes: squares of squares, two dimensions a level.

    Each level is a little askew, so that no channel passes through a node on its way.
    """
    assert network.coordinates is not None
    if network.dimensions == 3:
        return np.asarray(network.coordinates @ CUBE, dtype=np.float64)
    places = np.zeros((network.node_count, 2))
    for place, dimension in enumerate(range(network.dimensions - 1, -1, -1)):
        level = place // 2
        turn = math.radians(CUBE_TURNS[level] + 90 * (place % 2))
        step = CUBE_GROWTH**level * np.array([math.cos(turn), math.sin(turn)])
        places += np.outer(network.coordinates[:, dimension], step)
    return places


def _stubs(step: FloatArray, sizes: Sequence[int], wraps: Sequence[bool]) -> FloatArray:
    """Return steps in which a channel that wraps around leaves the plane."""
    wrapped = np.array(wraps) & (np.array(sizes) > 2) & (np.abs(step) == np.array(sizes) - 1)
    return np.where(wrapped, -np.sign(step), step)


def _beside_each_other(tails: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return start and step of arrows between nodes, each on the right of its line."""
    length = np.hypot(step[:, 0], step[:, 1])
    unit = step / length[:, np.newaxis]
    right = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    start = tails + 0.16 * unit + 0.10 * right
    return start, unit * (length - 0.32)[:, np.newaxis]


def plane_corners(network: Grid) -> FloatArray:
    """Return where the first node of each plane of dimension 0 lies, x and y (planes × 2)."""
    count, rows, columns = network.radices
    in_a_row = math.ceil(math.sqrt(count * rows / columns))
    along, down = columns - 1 + PLANE_GAP + 1, rows - 1 + PLANE_GAP + 1
    return np.array([(n % in_a_row * along, n // in_a_row * down) for n in range(count)])


def _stacked(
    network: Grid, tail: IntArray, head: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    assert network.coordinates is not None
    coordinates = network.coordinates
    inside = coordinates[:, :0:-1].astype(np.float64)
    nodes = plane_corners(network)[coordinates[:, 0]] + inside
    step = _stubs(inside[head] - inside[tail], network.radices[:0:-1], network.wraps[:0:-1])
    between = coordinates[tail, 0] != coordinates[head, 0]
    start, arrow = np.empty_like(step), np.empty_like(step)
    start[~between], arrow[~between] = _beside_each_other(nodes[tail[~between]], step[~between])
    rise = coordinates[head[between], 0] - coordinates[tail[between], 0]
    slant = np.where(_is_next(rise, network.radices[0]), 1.0, -1.0)[:, np.newaxis] * SLANT
    start[between], arrow[between] = nodes[tail[between]] + 0.25 * slant, 0.75 * slant
    return nodes, start, arrow


def _is_next(rise: IntArray, count: int) -> NDArray[np.bool_]:
    """Say which channels go to the next plane, the first after the last where it wraps around."""
    return np.asarray((rise == 1) | ((count > 2) & (rise == 1 - count)))


def fits_circle(cell: xr.Dataset) -> bool:
    """Say whether a network is small enough for a circle on which arrows can be told apart."""
    few = int(cell.attrs["nodes"]) <= MOST_NODES_ON_A_CIRCLE
    return few and cell.sizes["channel"] <= MOST_CHANNELS_ON_A_CIRCLE


def _circle(cell: xr.Dataset) -> FloatArray:
    count = int(cell.attrs["nodes"])
    if not fits_circle(cell):
        raise InputError(
            f"{cell.attrs['network']} has no plane, {count} nodes and {cell.sizes['channel']} "
            f"channels; a circle is drawn up to {MOST_NODES_ON_A_CIRCLE} and "
            f"{MOST_CHANNELS_ON_A_CIRCLE}"
        )
    angles = 2 * np.pi * np.arange(count) / count
    radius = max(1.5, count / 4)
    return radius * np.stack([np.sin(angles), -np.cos(angles)], axis=1)
