"""Networks from files of the CAMINOS simulator: the neighbours of each router.

``NODOS 16`` and ``GRADO 4`` say how many routers there are, and how many neighbours one has; then,
for each router, ``N 0`` and on the next line its neighbours.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.evalnet import adjacent
from obroute.importers.graph_files import TerminalFile, network_of
from obroute.importers.numbered_lines import HostsAt, Line, lines_of
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head
from obroute.specs import InputError, Parameter


def _is_caminos(head: Head) -> bool:
    return bool(head.lines) and head.lines[0].startswith("NODOS ")


@importers.register(
    "caminos",
    "CAMINOS: neighbours of routers",
    recognise=_is_caminos,
    small=("NODOS 3\nGRADO 2\nN 0\n1 2\nN 1\n0 2\nN 2\n0 1\n",),
)
def caminos(
    file: Annotated[FilePath, Parameter("the file", FilePath)],
    terminals: TerminalFile = None,
    hosts: HostsAt = 1,
) -> Network:
    """Read a network from a file of CAMINOS; see the module."""
    nodes, rows = 0, []
    lines = iter(lines_of(file, "a file of CAMINOS", comments=(), blank=True))
    seen = set()
    for line in lines:
        words = line.words
        if not words:
            continue
        if len(words) != 2 or words[0] not in ("NODOS", "GRADO", "N"):
            raise line.wrong("expected NODOS, GRADO or N, and a number")
        if words[0] == "NODOS":
            nodes = line.whole(words[1])
        elif words[0] == "N":
            node = line.whole(words[1], nodes)
            if node in seen:
                raise line.wrong("expected each node once; this one has come before")
            seen.add(node)
            rows.append((node, next(lines, Line(file, line.number, ""))))
    if len(seen) != nodes or not nodes:
        raise InputError(f"{file}: NODOS is {nodes}, and {len(seen)} nodes are listed; list all")
    cabling = Cabling(file, "a file of CAMINOS")
    adjacent(cabling, rows, nodes, hosts)
    return network_of(cabling, terminals)
