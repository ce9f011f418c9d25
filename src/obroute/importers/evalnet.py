"""Networks from EvalNet's ``.adj.txt``: nodes and edges, then the neighbours of each node.

The first line has the number of nodes and of edges. The line of a node lists its neighbours,
numbered from 0, so that an edge stands on two lines; one that stands on one goes one way.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.graph_files import TerminalFile, network_of
from obroute.importers.numbered_lines import HostsAt, Line, lines_of
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head
from obroute.specs import InputError, Parameter


def _is_evalnet(head: Head) -> bool:
    """Say whether the counts of the first line are those of the lines below it.

    Of a file that is longer than its head, as far as can be seen: with lines of other lengths
    than those of an edge list.
    """
    lines = [line.split() for line in head.text.splitlines()]
    if not head.complete:
        lines.pop()
    if not lines or len(lines[0]) != 2 or not all(w.isdigit() for line in lines for w in line):
        return False
    nodes, edges = (int(word[:18]) for word in lines[0])
    rows = lines[1:]
    if any(int(word[:18]) >= nodes for row in rows for word in row):
        return False
    if head.complete:
        return len(rows) == nodes and sum(map(len, rows)) in (2 * edges, 2 * edges + 1)
    return len(rows) <= nodes and max(map(len, rows), default=0) > 3


@importers.register(
    "evalnet",
    "EvalNet's adjacency lists",
    recognise=_is_evalnet,
    endings=("adj.txt",),
    small=("3 3\n1 2 \n0 2 \n0 1 \n",),
)
def evalnet(
    file: Annotated[FilePath, Parameter("the .adj.txt file", FilePath)],
    terminals: TerminalFile = None,
    hosts: HostsAt = 1,
) -> Network:
    """Read a network from adjacency lists of EvalNet; see the module."""
    lines = lines_of(file, "EvalNet's adjacency lists", comments=(), blank=True)
    if not lines or len(lines[0].words) != 2:
        raise InputError(f"{file}: line 1 is no number of nodes and of edges; expected both")
    first, *rows = lines
    nodes, edges = (first.whole(word) for word in first.words)
    while len(rows) > nodes and not rows[-1].text:
        rows.pop()
    listed = sum(len(row.words) for row in rows)
    if len(rows) != nodes or listed // 2 != edges:
        raise InputError(
            f"{file}: line 1 says {nodes} nodes and {edges} edges, and below it are {len(rows)} "
            f"lines and {listed} neighbours; expected as many lines as nodes, and each edge on two"
        )
    cabling = Cabling(file, "adjacency lists of EvalNet")
    adjacent(cabling, list(enumerate(rows)), nodes, hosts)
    return network_of(cabling, terminals)


def adjacent(cabling: Cabling, rows: list[tuple[int, Line]], nodes: int, hosts: int) -> None:
    """Take nodes, each with its hosts, and a channel to every neighbour that its line lists."""
    for node in range(nodes):
        cabling.node(str(node))
        if hosts > 1:
            cabling.units[node] = hosts
    for node, row in rows:
        for word in row.words:
            cabling.channel(node, row.whole(word, nodes))
