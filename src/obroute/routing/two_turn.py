"""The paths of at most two turns on a grid: the path set of 2TURN.

A *run* is a walk of one hop or more in one dimension and one direction, shorter than the ring
that it is in. A *turn* joins two runs in different dimensions. A path of at most two turns
therefore has at most three runs and never reverses on the spot (SPAA 2003, section 5.2, which
calls that a u-turn); it may come back in the dimension of its first run, in either direction,
after the run between.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from obroute.network import Network, Path
from obroute.specs import InputError
from obroute.topologies.grid import NEGATIVE, POSITIVE, Grid

MOST_RUNS = 3
"""Runs of a path with two turns."""

Run = tuple[int, int, int]
"""Dimension, direction (an index of :attr:`Grid.channel_at`) and hops of a run."""


def two_turn_paths(network: Network, source: int, destination: int) -> Iterator[Path]:
    """Yield every path of at most two turns from one node of a grid to another.

    Such a path visits no node twice: the run between keeps the first and the third apart. Both
    ways round a ring count, so from node (0,0) to (a,b) of a torus of radix k, a and b not zero,
    there are 8 + 16 (k - 2) paths, and to (a,0) there are 2 + 8 (k - 1).

    Parameters
    ----------
    network
        A torus, mesh, ring or hypercube of any number of dimensions.
    source, destination
        The nodes to lead from and to.

    Yields
    ------
    Path
        The channels taken. Paths of fewer runs come first, then those whose runs take lower
        dimensions, turn back at a lower coordinate, go in positive direction. None where more
        than three coordinates differ; the empty path alone from a node to itself.

    Raises
    ------
    InputError
        If the network is no grid.

    Examples
    --------
    >>> from obroute import make_network
    >>> mesh = make_network("mesh:2x3")
    >>> [mesh.path_nodes(0, path) for path in two_turn_paths(mesh, 0, 4)]
    [(0, 3, 4), (0, 1, 4), (0, 1, 2, 5, 4)]
    >>> sum(1 for _ in two_turn_paths(make_network("torus:8x8"), 0, 9))
    104
    """
    grid = check_two_turn(network)
    if source == destination:
        yield ()
        return
    for runs in _runs(grid, source, destination):
        yield _walk(grid, source, runs)


def check_two_turn(network: Network) -> Grid:
    """Return the network if its dimensions say what a turn is.

    Raises
    ------
    InputError
        If the network is no grid.
    """
    if not isinstance(network, Grid):
        raise InputError(
            f"two-turn paths are not defined on {network.name}, which has no dimensions to turn "
            "between; take a torus, mesh, ring or hypercube"
        )
    return network


def _runs(grid: Grid, source: int, destination: int) -> Iterator[tuple[Run, ...]]:
    assert grid.coordinates is not None
    start, end = grid.coordinates[source].tolist(), grid.coordinates[destination].tolist()
    for dimensions in _sequences(start, end):
        turns_back = len(dimensions) == MOST_RUNS and dimensions[0] == dimensions[-1]
        first = dimensions[0]
        middles = (
            [m for m in range(grid.radices[first]) if m not in (start[first], end[first])]
            if turns_back
            else [end[first]]
        )
        for middle in middles:
            place = list(start)
            choices = []
            for position, dimension in enumerate(dimensions):
                goal = middle if position == 0 else end[dimension]
                radix, wrap = grid.radices[dimension], grid.wraps[dimension]
                choices.append(
                    [
                        (dimension, direction, length)
                        for direction, length in _ways(radix, wrap, place[dimension], goal)
                    ]
                )
                place[dimension] = goal
            yield from itertools.product(*choices)


def _sequences(start: list[int], end: list[int]) -> Iterator[tuple[int, ...]]:
    """Give the dimensions that runs may take in turn: no two alike side by side.

    Each coordinate that differs has a run, and a coordinate that does not has none or two.
    """
    every = range(len(start))
    differing = {d for d in every if start[d] != end[d]}
    if len(differing) > MOST_RUNS:
        return
    for count in range(1, MOST_RUNS + 1):
        for dimensions in itertools.product(every, repeat=count):
            twice = (
                {dimensions[0]} if count == MOST_RUNS and dimensions[0] == dimensions[2] else set()
            )
            alike = any(a == b for a, b in itertools.pairwise(dimensions))
            if not alike and differing <= set(dimensions) <= differing | twice:
                yield dimensions


def _ways(radix: int, wrap: bool, start: int, end: int) -> list[tuple[int, int]]:
    """Return direction and hops of each way from one coordinate to another."""
    if wrap:
        return [(POSITIVE, (end - start) % radix), (NEGATIVE, (start - end) % radix)]
    return [(POSITIVE, end - start) if end > start else (NEGATIVE, start - end)]


def _walk(grid: Grid, source: int, runs: tuple[Run, ...]) -> Path:
    path = []
    node = source
    for dimension, direction, length in runs:
        for _ in range(length):
            channel = int(grid.channel_at[dimension, direction, node])
            path.append(channel)
            node = int(grid.head[channel])
    return tuple(path)
