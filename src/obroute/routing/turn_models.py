"""Turn models on two-dimensional meshes: shortest paths without some of the eight turns.

A model forbids turns, in every column or in some, such that no cycle of channels is left that
packets could wait for round and round: a routing of it needs no virtual channels. Where several
shortest paths are left, ``split=hops`` divides what is at a node evenly among the channels that it
may take, as an adaptive router with nothing to go by would; ``split=paths`` makes all of them
equally likely. A channel from which the destination cannot be reached without a forbidden turn is
never taken.

Dimension 0 is x and dimension 1 is y: east and north are where coordinates rise, and a column has
one x.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators, Symmetry
from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.registry import routings
from obroute.routing.turn_kernels import (
    EAST,
    NORTH,
    SOUTH,
    STARTS,
    WEST,
    count_onwards,
    loads_of_channel,
    loads_of_pairs,
)
from obroute.specs import InputError, Parameter, parse_choice
from obroute.topologies.grid import Grid

MOST_HOPS = 62
"""Hops across a mesh up to which counts of paths, and shares, are integers of 64 bits."""

Split = Annotated[
    str,
    Parameter(
        "hops: at each node an equal share to each channel that may be taken; paths: all allowed "
        "shortest paths equally likely",
        parse_choice("hops", "paths"),
    ),
]


class TurnModel(Routing):
    """The shortest paths on a mesh that take no forbidden turn: see the module."""

    takes_shortest_paths = True
    defined_for: ClassVar[str] = "two-dimensional mesh networks"
    even_columns: ClassVar[tuple[tuple[int, int], ...]] = ()
    """The turns that are forbidden in columns 0, 2, …: from one direction of travel to another,"""
    odd_columns: ClassVar[tuple[tuple[int, int], ...]] = ()
    """and those that are in columns 1, 3, …"""

    def __init__(self, split: Split = "hops") -> None:
        super().__init__()
        self.split = split

    def check(self, network: Network) -> None:
        """Raise unless the network is a mesh of two dimensions, not too long."""
        if not isinstance(network, Grid) or len(network.radices) != 2 or any(network.wraps):
            raise InputError(
                f"routing {self.name} is not defined on {network.name}; it is defined for "
                f"{self.defined_for} (ecmp and tables work on every network)"
            )
        if sum(network.radices) - 2 > MOST_HOPS:
            raise InputError(
                f"routing {self.name} is not defined on {network.name}: it is "
                f"{sum(network.radices) - 2} hops across; expected at most {MOST_HOPS}, as "
                "mesh:32x32 has"
            )

    def _mesh(self, network: Network) -> Grid:
        self.check(network)
        assert isinstance(network, Grid)
        return network

    def allowed(self, columns: int) -> NDArray[np.bool_]:
        """Return whether a packet may go on so, columns × direction of travel × next one.

        The direction of travel is :data:`~obroute.routing.turn_kernels.STARTS` at the source.
        """
        found = np.full((columns, 5, 4), True)
        for first, turns in enumerate((self.even_columns, self.odd_columns)):
            for came, out in turns:
                found[first::2, came, out] = False
        return found

    def _tables(self, grid: Grid) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return what is allowed, and the numbers of paths."""

        def count() -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
            allowed = self.allowed(grid.radices[0])
            return allowed, count_onwards(allowed, *grid.radices)

        return self.remember(grid, "ways", count)

    def _choices(
        self, grid: Grid, node: int, came: int, destination: int
    ) -> list[tuple[Fraction, int, int]]:
        """Return the share, the channel and the direction of each way on."""
        allowed, ways = self._tables(grid)
        rows = grid.radices[1]
        (x, y), (goal, goal_row) = divmod(node, rows), divmod(destination, rows)
        found: list[tuple[int, int, int]] = []
        across, along = (EAST if goal > x else WEST), (NORTH if goal_row > y else SOUTH)
        if goal != x and allowed[x, came, across]:
            there = x + (1 if goal > x else -1)
            onwards = int(ways[there, goal, goal_row - y + rows - 1, across])
            found.append((onwards, int(grid.channel_at[0, across, node]), across))
        if goal_row != y and allowed[x, came, along]:
            rise = goal_row - y - (1 if goal_row > y else -1)
            onwards = int(ways[x, goal, rise + rows - 1, along])
            found.append((onwards, int(grid.channel_at[1, along - NORTH, node]), along))
        taken = [
            (onwards if self.split == "paths" else 1, *where)
            for onwards, *where in found
            if onwards
        ]
        total = sum(share for share, _, _ in taken)
        return [(Fraction(share, total), channel, out) for share, channel, out in taken]

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield every shortest path without a forbidden turn."""
        grid = self._mesh(network)
        stack: list[tuple[int, int, Fraction, Path]] = [(source, STARTS, Fraction(1), ())]
        while stack:
            node, came, probability, path = stack.pop()
            if node == destination:
                yield probability, path
            for share, channel, out in self._choices(grid, node, came, destination):
                head = int(grid.head[channel])
                stack.append((head, out, probability * share, (*path, channel)))

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the exact loads, from the channel back to all sources, for each destination."""
        grid = self._mesh(network)
        columns, rows = grid.radices
        dimension, direction, tail = grid.place_of_channel[channel].tolist()
        column, row = divmod(tail, rows)
        lines, across = ((columns, column), (rows, row))[:: 1 if dimension == 0 else -1]
        before = lines[1] + 1 if direction == 0 else lines[0] - lines[1]
        most = before * (lines[0] - before)
        most *= 2 * (across[1] + 1) * (across[0] - across[1])
        written = tuple(np.empty(most, dtype=np.int64) for _ in range(4))
        found = loads_of_channel(
            (column, row, 2 * dimension + direction),
            *self._tables(grid),
            columns,
            rows,
            self.split == "paths",
            written,
        )
        nodes = grid.node_count
        return self._matrix(written, found, (nodes, nodes))

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact loads, from each source on."""
        grid = self._mesh(network)
        ends = np.asarray(sources, dtype=np.int64), np.asarray(destinations, dtype=np.int64)
        assert grid.coordinates is not None
        apart = np.abs(grid.coordinates[ends[0]] - grid.coordinates[ends[1]])
        most = 2 * int((apart + 1).prod(axis=1).sum())
        written = tuple(np.empty(most, dtype=np.int64) for _ in range(4))
        found = loads_of_pairs(
            *ends,
            *self._tables(grid),
            self.split == "paths",
            grid.channel_at,
            written,
        )
        return self._matrix(written, found, (len(ends[0]), grid.channel_count))

    def _matrix(
        self, written: tuple[NDArray[np.int64], ...], found: int, shape: tuple[int, int]
    ) -> SparseRationalMatrix:
        rows, columns, numerators, denominators = (array[:found] for array in written)
        return matrix_of_quotients(rows, columns, Quotients(numerators, denominators), shape)

    def symmetries(self, network: Network) -> Generators:
        """Return the reflections and the exchange that carry forbidden turns to such."""
        grid = self._mesh(network)
        assert grid.coordinates is not None
        allowed = self.allowed(grid.radices[0])[grid.coordinates[:, 0]]
        found: Generators = {}
        for generator, image in grid.automorphisms().items():
            turned = [EAST, WEST, NORTH, SOUTH, STARTS]
            if generator.kind is Symmetry.EXCHANGE:
                turned = [NORTH, SOUTH, EAST, WEST, STARTS]
            else:
                first = 2 * generator.about[0]
                turned[first], turned[first + 1] = first + 1, first
            if np.array_equal(allowed[image][:, turned][:, :, turned[:4]], allowed):
                found[generator] = image
        return found

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one channel after another."""
        grid = self._mesh(network)
        node, came, path = source, STARTS, []
        while node != destination:
            choices = self._choices(grid, node, came, destination)
            weights = [float(share) for share, _, _ in choices]
            _, channel, came = choices[generator.choice(len(weights), p=weights)]
            path.append(channel)
            node = int(grid.head[channel])
        return tuple(path)


@routings.register(
    "west_first",
    "turn model: all hops west before any other",
    defined_for=TurnModel.defined_for,
    examples=("west_first", "west_first:split=paths"),
    small=("west_first", "west_first:split=paths"),
)
class WestFirst(TurnModel):
    """West-first: no turn from north or south to west (Glass and Ni 1992).

    >>> from obroute import evaluate
    >>> evaluate("mesh:4x4", "west_first").worst_case_load
    Fraction(7, 2)
    """

    even_columns = odd_columns = ((NORTH, WEST), (SOUTH, WEST))


@routings.register(
    "north_last",
    "turn model: all hops north after any other",
    defined_for=TurnModel.defined_for,
    examples=("north_last",),
    small=("north_last", "north_last:split=paths"),
)
class NorthLast(TurnModel):
    """North-last: no turn from north to east or west (Glass and Ni 1992).

    >>> from obroute import evaluate
    >>> evaluate("mesh:4x4", "north_last").worst_case_load
    Fraction(31, 8)
    """

    even_columns = odd_columns = ((NORTH, EAST), (NORTH, WEST))


@routings.register(
    "negative_first",
    "turn model: all hops west and south before any other",
    defined_for=TurnModel.defined_for,
    examples=("negative_first",),
    small=("negative_first", "negative_first:split=paths"),
)
class NegativeFirst(TurnModel):
    """Negative-first: no turn from east to south or from north to west (Glass and Ni 1992).

    >>> from obroute import evaluate
    >>> evaluate("mesh:4x4", "negative_first").worst_case_load
    Fraction(31, 8)
    """

    even_columns = odd_columns = ((EAST, SOUTH), (NORTH, WEST))


@routings.register(
    "odd_even",
    "turn model: no turn from east in even columns, or to west in odd ones",
    defined_for=TurnModel.defined_for,
    examples=("odd_even",),
    small=("odd_even", "odd_even:split=paths"),
)
class OddEven(TurnModel):
    """Odd-even: no turn from east in an even column, no turn to west in an odd one (Chiu 2000).

    >>> from obroute import evaluate
    >>> evaluate("mesh:4x4", "odd_even").worst_case_load
    Fraction(4, 1)
    """

    even_columns = ((EAST, NORTH), (EAST, SOUTH))
    odd_columns = ((NORTH, WEST), (SOUTH, WEST))
