"""Jobs, racks and rails: traffic inside of blocks of terminals only, or between them only.

Blocks are of so many terminals in order (``8``), boxes of a grid (``2x4``), the hosts of a switch
(``rack``), the hosts of one place in their racks (``rail``), or what a file of node,block says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np

from obroute.delimited import read_rows
from obroute.network import Network
from obroute.rational import IntArray
from obroute.reading import read_text
from obroute.specs import InputError, Parameter, is_file, parse_whole, shown
from obroute.topologies.grid import Grid
from obroute.topologies.rail import Rail
from obroute.traffic_sets.contract import TrafficSet, traffic_sets
from obroute.traffic_sets.limits import BlockLimits, Limits

RACK, RAIL = "rack", "rail"
_EXPECTED = "a number of terminals, a box such as 2x4, rack, rail, or a file of node,block"
Chosen = int | str | tuple[int, ...] | Path


def _parse_blocks(text: str) -> Chosen:
    if text in (RACK, RAIL):
        return text
    sides = text.split("x")
    if all(side.isascii() and side.isdigit() for side in sides):
        sizes = tuple(parse_whole(side) for side in sides)
        if min(sizes) < 1:
            raise InputError(f"{shown(text)} has a block of nothing; expected {_EXPECTED}")
        return sizes if len(sizes) > 1 else sizes[0]
    if is_file(text):
        return Path(text)
    raise InputError(f"{shown(text)} is no blocks and no file; expected {_EXPECTED}")


def _blocks_text(blocks: Chosen) -> str:
    return "x".join(map(str, blocks)) if isinstance(blocks, tuple) else str(blocks)


Blocks = Annotated[
    Chosen,
    Parameter(f"the blocks: {_EXPECTED}", _parse_blocks, _blocks_text),
]
_WHERE = "every network for numbers and files; boxes on grids, rack and rail where hosts hang"


class OfBlocks(TrafficSet):
    """Traffic inside of blocks only, or between them only."""

    inside: bool

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks

    def limits(self, network: Network) -> Limits:
        """Return which pairs talk."""
        block = block_of_nodes(network, self.blocks, self.name)
        pairs = BlockLimits(block[network.sources], block[network.destinations], self.inside)
        return Limits(network.injection, network.ejection, pairs=pairs)


@traffic_sets.register(
    "within",
    "traffic inside of blocks only: jobs, racks, rails",
    defined_for=_WHERE,
    examples=("within:8", "within:4x4", "within:rack"),
    small=("within:2",),
)
class WithinBlocks(OfBlocks):
    """Traffic inside of blocks only."""

    inside = True

    def __init__(self, blocks: Blocks) -> None:
        super().__init__(blocks)


@traffic_sets.register(
    "between",
    "traffic between blocks only",
    defined_for=_WHERE,
    examples=("between:8", "between:rack"),
    small=("between:3",),
)
class BetweenBlocks(OfBlocks):
    """Traffic between blocks only."""

    inside = False

    def __init__(self, blocks: Blocks) -> None:
        super().__init__(blocks)


def block_of_nodes(network: Network, blocks: Chosen, name: str = "blocks") -> IntArray:
    """Return the number of the block of each node; what it says of switches does not matter.

    Raises
    ------
    InputError
        If the network has no such blocks.

    Examples
    --------
    >>> from obroute import make_network
    >>> block_of_nodes(make_network("mesh:2x4"), (2, 2)).tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    """
    terminals = np.union1d(network.sources, network.destinations)
    if isinstance(blocks, Path):
        found = _of_file(network, blocks)
    elif isinstance(blocks, tuple):
        found = _of_boxes(network, blocks, name)
    else:
        found = np.zeros(network.node_count, dtype=np.int64)
        if isinstance(blocks, int):
            found[terminals] = np.arange(len(terminals)) // blocks
        else:
            racks = _racks(network, terminals, name)
            found[terminals] = racks if blocks == RACK else _places_in(racks)
            if isinstance(network, Rail):  # an accelerator hangs on its host's switch and its leaf
                found[terminals] = (terminals // network.rails, terminals % network.rails)[
                    blocks == RAIL
                ]
    return found


def _of_boxes(network: Network, sides: tuple[int, ...], name: str) -> IntArray:
    if not isinstance(network, Grid) or len(network.radices) != len(sides):
        raise InputError(
            f"{name} is not defined on {network.name}; boxes of {len(sides)} sides are for grids "
            f"of {len(sides)} dimensions"
        )
    assert network.coordinates is not None
    corners = network.coordinates // np.array(sides)
    return np.unique(corners, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _racks(network: Network, terminals: IntArray, name: str) -> IntArray:
    """Return the number of the rack of each terminal: those that hang on the same switches."""
    if not isinstance(network, Rail) and not network.is_host[terminals].all():
        raise InputError(
            f"{name} is not defined on {network.name}, whose terminals do not all hang on "
            "switches; give a number of terminals, or a file of node,block"
        )
    heads = network.adjacency.indices
    starts = network.adjacency.indptr
    known: dict[tuple[int, ...], int] = {}
    found = []
    for node in terminals.tolist():
        switches = tuple(sorted(heads[starts[node] : starts[node + 1]].tolist()))
        found.append(known.setdefault(switches, len(known)))
    return np.array(found, dtype=np.int64)


def _places_in(racks: IntArray) -> IntArray:
    """Return the place of each terminal in its rack."""
    found = np.zeros(len(racks), dtype=np.int64)
    for rack in np.unique(racks).tolist():
        mine = np.flatnonzero(racks == rack)
        found[mine] = np.arange(len(mine))
    return found


def _of_file(network: Network, file: Path) -> IntArray:
    """Read ``node,block`` a line; a terminal that is not listed is a block of its own."""
    found = np.arange(network.node_count) + network.node_count
    known: dict[str, int] = {}
    seen: set[int] = set()
    for row in read_rows(file, read_text(file, "a list of node,block")):
        if [cell.lower() for cell in row.cells] == ["node", "block"]:
            continue
        if len(row.cells) != 2 or not all(row.cells):
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected node,block"
            )
        try:
            node = network.node_named(row.cells[0])
        except InputError as error:
            raise InputError(f"{file}: line {row.number}: {error}") from None
        if node in seen:
            raise InputError(
                f"{file}: line {row.number}: node {shown(row.cells[0])} comes twice; list it once"
            )
        seen.add(node)
        found[node] = known.setdefault(row.cells[1], len(known))
    return found
