"""Networks from edge lists: one channel or cable a line.

A line is ``tail,head`` or ``tail,head,bandwidth``, or with an arrow ``tail -> head`` and the
bandwidth after a comma. Columns stand between commas, semicolons, tabs or blanks
(:mod:`obroute.delimited`); a header names them in any order (:mod:`obroute.importers.columns`).
What networkx writes, a dictionary at the end of each line, is read too
(:mod:`obroute.importers.line_data`). Node names are free text; if all are whole numbers from 0
without a gap, they are the node numbers, otherwise nodes are numbered in the order of first
appearance. Bandwidths are read exactly: packets per cycle (``1/2``, ``0.25``), 1 where left out,
or speeds with a unit (``100G``, ``4xEDR``: :mod:`obroute.reading.rates`), which are taken over
the slowest of them.

``lines`` says what a line is: a ``channel``, which goes one way, or a ``cable``, which is a
channel each way (``:undirected`` says so, too). If it is not given, lines with columns are
channels and lines ``a -- b`` cables; lines ``a -> b`` are channels where the file has a line each
way for some two nodes, and cables where it has not.

Terminals are all nodes, one packet per cycle each, unless ``terminals=FILE`` lists them
(:mod:`obroute.importers.terminals`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path as FilePath
from typing import Annotated, NamedTuple

import numpy as np

from obroute.cabling import ONE, Cabling
from obroute.delimited import Row, masked, rows_of_lines, separator_of, text_lines, unquoted
from obroute.importers.columns import Columns, said_in
from obroute.importers.line_data import has_data, read_data_lines
from obroute.importers.plain_edges import take_plain_edges
from obroute.importers.registry import importers
from obroute.importers.terminals import read_terminals
from obroute.machine import reading
from obroute.network import DisconnectedError, Network
from obroute.rational import IntArray
from obroute.reading import Rate, parse_rate
from obroute.reading.plain import read_not_plain
from obroute.specs import InputError, Parameter, parse_choice, shown

_ANY_ARROW = "<-{1,2}>|-{1,2}>|--|→|↔"
ARROW = re.compile(_ANY_ARROW)
ARROW_IN_BLANKS = re.compile(rf"(?<=\s)(?:{_ANY_ARROW})(?=\s)")
NUMBER = re.compile(r"[-+]?[\d./]+(?:[eE][-+]?\d+)?(?:\s*[kMGT]\S*|x[A-Z]+\d*)?")
CABLES = ("<->", "<-->", "--", "↔")


class _Edge(NamedTuple):
    """One line: what it joins, by name."""

    tail: str
    head: str
    rate: Rate
    port: str
    arrow: str


@importers.register(
    "csv",
    "edge list: tail,head[,bandwidth] a line, or tail -> head",
    aliases=("txt", "edgelist", "edges", "tsv"),
    words={"undirected": "lines=cables", "directed": "lines=channels"},
    says_memory=True,
    small=(
        "tail,head,bandwidth\na,b,1/2\nb,c,1\nc,a,1\n",
        "0 -- 1\n1 -- 2\n",
        "0 1 {'capacity': 100}\n1 0 {'capacity': 40}\n",
        "from;to;speed\na;b;100G\nb;a;4xFDR\n",
    ),
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
    bandwidth: Annotated[
        str,
        Parameter("the column of bandwidths, none, or auto: the one that is called so", str),
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
    cabling = Cabling(file, "an edge list")
    if not take_plain_edges(cabling, bandwidth, cables=lines == "cables"):
        with reading(file):
            _take_edges(
                cabling, _read_edges(cabling, read_not_plain(file, "CSV"), bandwidth), lines
            )
    given = None
    if terminals is not None:
        names, _ = cabling.numbered()
        given = read_terminals(terminals, {name: n for n, name in enumerate(names)}, file)
    try:
        return Network(**cabling.fields(given))
    except DisconnectedError as error:
        if lines != "auto" or not _goes_one_way(np.array(cabling.tails), np.array(cabling.heads)):
            raise
        raise DisconnectedError(
            f"{error}; every line goes one way: if a line is a cable, write {file}:undirected"
        ) from None


def _goes_one_way(tails: IntArray, heads: IntArray) -> bool:
    count = int(max(tails.max(), heads.max())) + 1
    return not np.isin(tails * count + heads, heads * count + tails).any()


def _take_edges(cabling: Cabling, edges: Sequence[_Edge], lines: str) -> None:
    if not edges:
        raise InputError(f"{cabling.file} lists no channel; expected lines tail,head[,bandwidth]")
    ends = [(cabling.node(edge.tail), cabling.node(edge.head)) for edge in edges]
    one_way = _goes_one_way(*np.array(ends).T)
    for (tail, head), edge in zip(ends, edges, strict=True):
        by_arrow = edge.arrow in CABLES or (edge.arrow != "" and one_way)
        is_cable = lines == "cables" or (lines == "auto" and by_arrow)
        take = cabling.cable if is_cable else cabling.channel
        take(tail, head, edge.rate, edge.port)


def _read_edges(cabling: Cabling, text: str, bandwidth: str) -> Sequence[_Edge]:
    lines = text_lines(text)
    file = FilePath(cabling.file)
    separator = separator_of([line for _, line in lines])
    if lines and has_data(lines[0][1]):
        columns, rows = read_data_lines(file, lines)
        return list(_of_columns(cabling, columns, rows, bandwidth))
    if lines and _split_at_arrow(lines[0][1], separator):
        return _read_arrows(file, lines, separator)
    rows = rows_of_lines(file, lines)
    if not rows:
        return []
    columns = Columns.of_header(
        file, rows[0], lambda: {cell for row in rows[1:] for cell in row.cells}
    )
    rows = rows[1:] if columns.is_header else rows
    return list(_of_columns(cabling, columns, rows, bandwidth))


def _of_columns(
    cabling: Cabling, columns: Columns, rows: Sequence[Row], bandwidth: str
) -> Iterable[_Edge]:
    file = FilePath(cabling.file)
    place = columns.bandwidth(bandwidth, lambda column: said_in(rows, column))
    tail, head, port = (columns.place(name) for name in ("tail", "head", "port"))
    assert tail is not None
    assert head is not None
    most = len(columns.names)
    full = {tail, head} if columns.may_be_empty or place is None else {tail, head, place}
    rates: dict[str, Rate] = {"": ONE}
    for row in rows:
        cells = row.cells
        count = len(cells)
        if (
            count > most
            or max(tail, head) >= count
            or not all(cells[p] for p in full if p < count)
        ):
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected "
                f"{','.join(columns.names)}"
            )
        said = cells[place] if place is not None and place < count else ""
        if said not in rates:
            rates[said] = _rate(file, row.number, said)
        named = cells[port] if port is not None and port < count else ""
        yield _Edge(cells[tail], cells[head], rates[said], named, "")
    cabling.left_out(f"column {shown(name)}" for name in columns.left_out(bandwidth))


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
        found.append(_Edge(tail, head, _rate(file, number, width or "1"), "", arrow))
    return found


def _rate(file: FilePath, line: int, text: str) -> Rate:
    try:
        return parse_rate(text)
    except InputError as error:
        raise InputError(f"{file}: line {line}: {error}") from None
