"""Networks from LEMON's graph format: ``@nodes``, then ``@arcs`` or ``@edges``.

A section begins with a line of the names of its columns. Edges are cables, arcs channels; the
columns after the ends are those of an edge list (:mod:`obroute.importers.columns`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import ONE, Cabling
from obroute.delimited import Row
from obroute.importers.columns import Columns, said_in
from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head, parse_rate, read_text
from obroute.specs import InputError, Parameter, shown

_CELL = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_ARCS, _EDGES = ("arcs", "uarcs"), ("edges", "uedges")
_NODES = ("nodes", "red_nodes", "blue_nodes")


def _is_lgf(head: Head) -> bool:
    return any(line.startswith("@nodes") for line in head.lines[:1]) or (
        bool(head.lines) and head.lines[0].startswith(("@red_nodes", "@blue_nodes"))
    )


@importers.register(
    "lgf",
    "LEMON's graph format",
    recognise=_is_lgf,
    small=(
        "@nodes\nlabel\n0\n1\n2\n@edges\n    capacity\n0 1 3\n1 2 1/2\n",
        "@nodes\nlabel\na\nb\n@arcs\n-\na b\nb a\n",
    ),
)
def lgf(
    file: Annotated[FilePath, Parameter("the LGF file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from LEMON's graph format; see the module."""
    cabling = Cabling(file, "LEMON's graph format")
    for section, rows in _sections(file):
        kind = section.split()[0][1:] if section[1:].split() else ""
        if kind in _NODES:
            _take_nodes(cabling, rows)
        elif kind in _ARCS + _EDGES:
            _take_links(cabling, rows, bandwidth, each_way=kind in _EDGES)
        elif kind != "attributes":
            cabling.left_out([f"section {section}"])
    return network_of(cabling, terminals)


def _sections(file: FilePath) -> list[tuple[str, list[Row]]]:
    """Return the sections with the cells of their lines, that of the columns first."""
    found: list[tuple[str, list[Row]]] = []
    lines = map(str.strip, read_text(file, "LGF").split("\n"))
    for number, line in enumerate(lines, start=1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("@"):
            found.append((line, []))
        elif not found:
            raise InputError(f"{file}: line {number} is {shown(line)}; expected @nodes")
        else:
            cells = [quoted or plain for quoted, plain in _CELL.findall(line)]
            found[-1][1].append(Row(number, line, tuple(cells)))
    return found


def _take_nodes(cabling: Cabling, rows: Sequence[Row]) -> None:
    columns = rows[0].cells if rows else ()
    if "label" not in columns:
        raise InputError(f"{cabling.file}: @nodes has no column label; expected one of names")
    place = columns.index("label")
    for row in rows[1:]:
        name = row.cells[place] if place < len(row.cells) else ""
        if not name or name in cabling.number_of:
            raise InputError(
                f"{cabling.file}: line {row.number} is {shown(row.text)}; expected a label that "
                "no other node has"
            )
        cabling.node(name)


def _take_links(cabling: Cabling, rows: Sequence[Row], bandwidth: str, *, each_way: bool) -> None:
    if not rows:
        return
    file = FilePath(cabling.file)
    # A file without columns of its own has a dash in their place, or nothing.
    header = tuple(cell for cell in rows[0].cells if cell != "-")
    if header and header[0] in cabling.number_of and len(header) >= 2:
        header, rows = (), [rows[0], *rows]
    columns = Columns(file, ("tail", "head", *map(str.lower, header)), may_be_empty=True)
    place = columns.bandwidth(bandwidth, lambda column: said_in(rows[1:], column))
    take = cabling.cable if each_way else cabling.channel
    for row in rows[1:]:
        tail, head = (cabling.number_of.get(cell, -1) for cell in (*row.cells, "", "")[:2])
        if len(row.cells) != len(columns.names) or min(tail, head) < 0:
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected two nodes of @nodes"
                + "".join(f" {name}" for name in header)
            )
        try:
            rate = ONE if place is None else parse_rate(row.cells[place])
        except InputError as error:
            raise InputError(f"{file}: line {row.number}: {error}") from None
        take(tail, head, rate)
    left = (name for name in columns.left_out(bandwidth) if name != "label")
    cabling.left_out(f"column {shown(name)}" for name in left)
