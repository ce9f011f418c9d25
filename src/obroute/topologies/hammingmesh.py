"""HammingMesh: boards that are meshes of accelerators, joined by a switch a row and a column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, networks
from obroute.topologies.sizes import Size, product
from obroute.topologies.tree import Shape, numbers_text, parse_numbers


@dataclass(frozen=True, eq=False)
class HammingMesh(Network):
    """Accelerators in columns and rows, then the switches of rows, then those of columns.

    Parameters
    ----------
    boards
        The boards beside and below each other, x and y.
    board
        The accelerators beside and below each other on a board, a and b.
    """

    size_is: ClassVar[str] = "accelerators N"

    boards: Shape = ()
    board: Shape = ()

    @property
    def size(self) -> int:
        """The number of accelerators."""
        return len(self.sources)

    @property
    def sides(self) -> tuple[int, int]:
        """The number of columns, and of rows, of accelerators."""
        (x, y), (a, b) = self.boards, self.board
        return x * a, y * b

    def capacity_load(self) -> Fraction:
        """Return the least largest load of uniform traffic over all routings.

        In packets per cycle over channel bandwidth; the larger of both directions. The traffic
        that leaves a column of k boards' worth, ``a (1 - 1/k)`` from a row of a board, goes over
        its two ports, so ``(a/2) (1 - 1/k)``; a single board is a mesh, ``⌊a²/4⌋ / a``.
        """
        loads = [
            Fraction(a, 2) * (1 - Fraction(1, k)) if k > 1 else Fraction(a * a // 4, a)
            for k, a in zip(self.boards, self.board, strict=True)
        ]
        return max(loads) / self.bandwidth.fraction(0)

    def automorphisms(self) -> Generators:
        """Return orders of the boards and a mirrored board, in both directions, as generators.

        Where both directions are alike, their exchange as well.
        """
        found: Generators = {}
        for way, (k, a) in enumerate(zip(self.boards, self.board, strict=True)):
            lines = np.arange(k * a)
            if k > 1:
                moved = (lines + a) % (k * a)
                found[Generator(Symmetry.CYCLE, (way,))] = self._moved(way, moved)
                swapped = np.where(lines < 2 * a, (lines + a) % (2 * a), lines)
                found[Generator(Symmetry.EXCHANGE, (way, 0, 1))] = self._moved(way, swapped)
            if a > 1:
                mirrored = np.where(lines < a, a - 1 - lines, lines)
                found[Generator(Symmetry.REFLECTION, (way,))] = self._moved(way, mirrored)
        if self.boards[0] == self.boards[1] and self.board[0] == self.board[1]:
            across = self.sides[0]
            places = np.arange(across * across).reshape(across, across)
            switches = np.arange(self.node_count - across * across) + across * across
            half = len(switches) // 2
            image = np.concatenate([places.T.ravel(), switches[half:], switches[:half]])
            found[Generator(Symmetry.EXCHANGE, (0, 1))] = image
        return found

    def _moved(self, way: int, lines: IntArray) -> IntArray:
        """Return where each node goes when columns (way 0) or rows (way 1) go to others."""
        columns, rows = self.sides
        row, column = np.divmod(np.arange(columns * rows), columns)
        moved = row * columns + lines[column] if way == 0 else lines[row] * columns + column
        first = columns * rows
        row_switches = np.arange(rows if self.boards[0] > 1 else 0)
        column_switches = np.arange(columns if self.boards[1] > 1 else 0)
        if way == 0:
            column_switches = lines[column_switches]
        else:
            row_switches = lines[row_switches]
        second = first + len(row_switches)
        return np.concatenate([moved, first + row_switches, second + column_switches])


def _two(text: str) -> Shape:
    boards = parse_numbers(text)
    if len(boards) != 2:
        raise InputError(f"{len(boards)} numbers; expected two joined by x, such as 4x4")
    return boards


def _size(boards: Shape, a: int, b: int) -> Size:
    (x, y), accelerators = boards, product((*boards, a, b))
    rows, columns = y * b * (x > 1), x * a * (y > 1)
    cables = y * b * x * (a - 1 + 2 * (x > 1)) + x * a * y * (b - 1 + 2 * (y > 1))
    return Size(accelerators + rows + columns, 2 * cables)


@networks.register(
    "hammingmesh",
    "boards of accelerators in meshes, rows and columns of boards joined by switches",
    size=_size,
    examples=("hammingmesh:boards=4x4,a=2,b=2",),
    small=("hammingmesh:boards=2x1,a=2,b=1",),
)
def hammingmesh(
    *,
    boards: Annotated[
        Shape, Parameter("boards beside and below each other, such as 4x4", _two, numbers_text)
    ],
    a: Annotated[int, Parameter("accelerators beside each other on a board", parse_integer(1))],
    b: Annotated[int, Parameter("accelerators below each other on a board", parse_integer(1))],
    bandwidth: Bandwidth = Fraction(1),
) -> HammingMesh:
    """Return Hx(a × b)Mesh(x × y), a HammingMesh (Hoefler and others 2022).

    Every accelerator has four ports, joined within a board as in a mesh. The ports at the left and
    right edge of all boards in a row of accelerators go to the switch of that row, those above
    and below to that of the column; a row or column of one board has none. Accelerators are
    ``accelerator`` column ``.`` row; ``row0`` and ``column0`` are switches.

    >>> network = hammingmesh(boards=(4, 4), a=2, b=2)
    >>> network.node_count, network.channel_count, str(network.capacity_load())
    (80, 384, '3/4')
    """
    x, y = boards
    columns, rows = x * a, y * b
    accelerators = np.arange(columns * rows).reshape(rows, columns)
    first, second = columns * rows, columns * rows + rows * (x > 1)
    ends: list[tuple[IntArray, IntArray]] = []
    for lines, width, count, switch in (
        (accelerators, a, x, first),
        (accelerators.T, b, y, second),
    ):
        places = np.arange(lines.shape[1])
        inner = np.flatnonzero(places[1:] % width)
        ends.append((lines[:, inner].ravel(), lines[:, inner + 1].ravel()))
        if count > 1:
            for edge in (0, width - 1):
                at = lines[:, edge::width]
                hub = np.broadcast_to(switch + np.arange(len(lines))[:, None], at.shape)
                ends.append((at.ravel(), hub.ravel()))
    one, other = (np.concatenate(side) for side in zip(*ends, strict=True))
    terminals = accelerators.ravel()
    names = [f"accelerator{column}.{row}" for row in range(rows) for column in range(columns)]
    names += [f"row{row}" for row in range(rows) if x > 1]
    names += [f"column{column}" for column in range(columns) if y > 1]
    return HammingMesh(
        "hammingmesh",
        len(names),
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        bandwidth=RationalArray.full(2 * len(one), bandwidth),
        sources=terminals,
        destinations=terminals,
        labels=tuple(names),
        connected=True,
        boards=boards,
        board=(a, b),
    )
