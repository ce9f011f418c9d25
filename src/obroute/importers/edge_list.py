"""Networks from edge lists: one channel or cable a line.

A line is ``tail,head`` or ``tail,head,bandwidth``, or with an arrow ``tail -> head`` and the
bandwidth after a comma. Columns stand between commas, semicolons, tabs or blanks
(:mod:`obroute.delimited`); a header names them in any order: ``tail`` (or ``source``, ``from``),
``head`` (``target``, ``to``), ``bandwidth`` (``capacity``), and ``port``, the name of each of
several parallel channels. Node names are free text; if all are whole numbers from 0 without a
gap, they are the node numbers, otherwise nodes are numbered in the order of first appearance.
Bandwidths are read exactly (``1/2``, ``0.25``); 1 where left out.

``lines`` says what a line is: a ``channel``, which goes one way, or a ``cable``, which is a
channel each way. If it is not given, lines with columns are channels and lines ``a -- b`` cables;
lines ``a -> b`` are channels where the file has a line each way for some two nodes, and cables
where it has not.

Terminals are all nodes, one packet per cycle each, unless ``terminals=FILE`` lists them
(:mod:`obroute.importers.terminals`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated

import numpy as np

from obroute.delimited import Row, masked, read_rows, separator_of, text_lines, unquoted
from obroute.importers.registry import importers
from obroute.importers.terminals import read_number, read_terminals
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.reading import over_one_denominator, read_text
from obroute.specs import InputError, Parameter, cut, parse_choice, shown

COLUMNS = ["tail", "head", "bandwidth"]
MEANINGS = {
    **dict.fromkeys(("tail", "source", "from", "src"), "tail"),
    **dict.fromkeys(("head", "target", "to", "destination", "dst"), "head"),
    **dict.fromkeys(("bandwidth", "capacity"), "bandwidth"),
    "port": "port",
}
"""What a word in a header means."""
_ANY_ARROW = "<-{1,2}>|-{1,2}>|--|→|↔"
ARROW = re.compile(_ANY_ARROW)
ARROW_IN_BLANKS = re.compile(rf"(?<=\s)(?:{_ANY_ARROW})(?=\s)")
NUMBER = re.compile(r"[-+]?[\d./]+(?:[eE][-+]?\d+)?")
CABLES = ("<->", "<-->", "--", "↔")


@dataclass(frozen=True)
class _Edge:
    """One line: what it joins, by name."""

    tail: str
    head: str
    bandwidth: Fraction
    port: str
    arrow: str


@importers.register(
    "csv",
    "edge list: tail,head[,bandwidth] a line, or tail -> head",
    aliases=("txt", "edgelist", "edges", "tsv"),
    small=("tail,head,bandwidth\na,b,1/2\nb,c,1\nc,a,1\n", "0 -- 1\n1 -- 2\n"),
)
def edge_list(
    file: Annotated[FilePath, Parameter("the edge list", FilePath)],
    terminals: Annotated[
        FilePath | None, Parameter("file of node[,injection[,ejection]]", FilePath)
    ] = None,
    lines: Annotated[
        str,
        Parameter(
            "what a line is: channels, cables (a channel each way), or auto: by its arrow",
            parse_choice("auto", "channels", "cables"),
        ),
    ] = "auto",
) -> Network:
    r"""Read a network from an edge list; see the module for the format.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as edges:
    ...     _ = edges.write("tail,head\na,b\nb,c\nc,a\n")
    ...     edges.flush()
    ...     edge_list(FilePath(edges.name)).labels
    ('a', 'b', 'c')
    """
    edges = _read_edges(file, read_text(file, "CSV"))
    if not edges:
        raise InputError(f"{file} lists no channel; expected lines tail,head[,bandwidth]")
    names = list(dict.fromkeys(name for edge in edges for name in (edge.tail, edge.head)))
    if {str(number) for number in range(len(names))} == set(names):
        names = [str(number) for number in range(len(names))]
    number_of = {name: number for number, name in enumerate(names)}
    channels = list(_channels(edges, lines))
    ports = tuple(port for _, _, _, port in channels)
    return Network(
        str(file),
        len(names),
        np.array([number_of[tail] for tail, _, _, _ in channels]),
        np.array([number_of[head] for _, head, _, _ in channels]),
        bandwidth=RationalArray.from_fractions(
            over_one_denominator(file, (bandwidth for _, _, bandwidth, _ in channels))
        ),
        labels=tuple(names),
        ports=ports if any(ports) else None,
        **({} if terminals is None else read_terminals(terminals, number_of, file)),
    )


def _channels(edges: Sequence[_Edge], lines: str) -> Iterator[tuple[str, str, Fraction, str]]:
    """Yield tail, head, bandwidth and port of each channel."""
    joined = {(edge.tail, edge.head) for edge in edges}
    one_way = any((head, tail) in joined for tail, head in joined)
    for edge in edges:
        yield edge.tail, edge.head, edge.bandwidth, edge.port
        by_arrow = edge.arrow in CABLES or (edge.arrow != "" and not one_way)
        if lines == "cables" or (lines == "auto" and by_arrow):
            yield edge.head, edge.tail, edge.bandwidth, edge.port


def _read_edges(file: FilePath, text: str) -> list[_Edge]:
    lines = text_lines(text)
    separator = separator_of([line for _, line in lines])
    if lines and _split_at_arrow(lines[0][1], separator):
        return _read_arrows(file, lines, separator)
    return _read_columns(file, read_rows(file, text))


# ------------------------------------------------------------------------------------- columns


def _read_columns(file: FilePath, rows: list[Row]) -> list[_Edge]:
    columns, rows = _header(file, rows)
    found = []
    for row in rows:
        cells = dict(zip(columns, row.cells, strict=False))
        may_be_empty = {"bandwidth", "port"} if "port" in columns else set()
        if (
            not {"tail", "head"} <= set(cells)
            or len(row.cells) > len(columns)
            or any(not cell and column not in may_be_empty for column, cell in cells.items())
        ):
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected {','.join(columns)}"
            )
        width = _bandwidth(file, row.number, cells.get("bandwidth") or "1")
        found.append(_Edge(cells["tail"], cells["head"], width, cells.get("port", ""), ""))
    return found


def _header(file: FilePath, rows: list[Row]) -> tuple[list[str], list[Row]]:
    """Return what the columns mean, and the rows below the header if there is one."""
    words = [cell.lower() for cell in rows[0].cells] if rows else []
    columns = [MEANINGS.get(word, "") for word in words]
    if not {"tail", "head"} <= set(columns):
        return COLUMNS, rows
    where = f"{file}: line {rows[0].number}"
    for word, column in zip(words, columns, strict=True):
        if not column:
            raise InputError(
                f"{where}: column {shown(word)} is unknown; expected tail, head, bandwidth and "
                "port (rename it if it is one of them, such as a weight, or leave it out)"
            )
        if columns.count(column) > 1:
            raise InputError(f"{where} names the {column} twice; name each column once")
    ends = {cell for cell, column in zip(rows[0].cells, columns, strict=True) if column in COLUMNS}
    ends -= {"tail", "head", "bandwidth"}
    nodes = {cell for row in rows[1:] for cell in row.cells}
    if len(ends) > 1 and ends <= nodes:
        raise InputError(
            f"{where} is {shown(rows[0].text)}, a header or a channel, for nodes are called so; "
            "write the header tail,head above it"
        )
    return columns, rows[1:]


# -------------------------------------------------------------------------------------- arrows


def _split_at_arrow(line: str, separator: str | None) -> tuple[str, str, str, str] | None:
    """Split a line into tail, arrow, head and what follows a separator; None if it has no arrow.

    One arrow before the first separator, with blanks around it if there are more. ``--`` is no
    arrow, but part of a name, where what follows is no number.
    """
    hidden = masked(line)
    end = len(line) if separator is None else (hidden + separator).index(separator)
    found = list(ARROW.finditer(hidden, 0, end))
    if len(found) > 1:
        found = list(ARROW_IN_BLANKS.finditer(hidden, 0, end))
    if len(found) != 1:
        return None
    first, last = found[0].span()
    rest = line[end + 1 :].strip()
    if found[0][0] == "--" and rest and not NUMBER.fullmatch(rest.strip('"')):
        return None
    return line[:first].strip(), found[0][0], line[last:end].strip(), rest


def _read_arrows(
    file: FilePath, lines: list[tuple[int, str]], separator: str | None
) -> list[_Edge]:
    split = [_split_at_arrow(line, separator) for _, line in lines]
    names_have_blanks = any(" " in masked(parts[0]) for parts in split if parts)
    found = []
    for (number, line), parts in zip(lines, split, strict=True):
        where = f"{file}: line {number}"
        if parts is None or not parts[0] or not parts[2]:
            raise InputError(
                f"{where} is {shown(line)}; expected tail -> head or tail -- head, and a "
                "bandwidth after a comma"
            )
        tail, arrow, head, width = parts
        name, _, last = masked(head).rpartition(" ")
        if name and not names_have_blanks and last[0].isdigit():
            raise InputError(
                f"{where} is {shown(line)}, with a bandwidth or a node {shown(head)}; write a "
                "bandwidth after a comma, and a name with blanks in double quotes"
            )
        try:
            tail, head, width = unquoted(tail), unquoted(head), unquoted(width)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        found.append(_Edge(tail, head, _bandwidth(file, number, width or "1"), "", arrow))
    return found


def _bandwidth(file: FilePath, line: int, text: str) -> Fraction:
    width = read_number(file, line, text)
    if width <= 0:
        raise InputError(
            f"{file}: line {line}: bandwidth {cut(text)} is not positive; give every channel a "
            "bandwidth above zero, or leave it out"
        )
    return width
