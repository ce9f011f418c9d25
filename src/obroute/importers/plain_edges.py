"""Edge lists that are plain, read by column: millions of channels in seconds.

What is not plain, or wrong, is read line by line (:mod:`obroute.importers.edge_list`), to the same
network or to the error that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path as FilePath

import numpy as np

from obroute.cabling import ONE, Cabling
from obroute.delimited import Row
from obroute.importers.columns import UNNAMED, Columns
from obroute.machine import reading
from obroute.rational import IntArray
from obroute.reading import PlainColumns, Rate, parse_rate, read_plain
from obroute.specs import InputError, shown

OVER_PLAIN = 25
"""Bytes of memory that the reading of a plain edge list takes for each byte of it, at most."""
_NO_CELL = re.compile(r"[<>{}→↔]|--")


def take_plain_edges(cabling: Cabling, bandwidth: str, *, cables: bool) -> bool:
    """Take the channels of a plain edge list; say whether it is one, else nothing is taken.

    Parameters
    ----------
    cabling
        Where to put them; it names the file.
    bandwidth
        The column of bandwidths, as for the edge list.
    cables
        Whether a line is a cable.

    Raises
    ------
    InputError
        As the edge list, where what is wrong is known without its line.
    """
    file = FilePath(cabling.file)
    with reading(file, OVER_PLAIN):
        read = read_plain(file, "CSV", _are_cells)
        return read is not None and _take(cabling, file, read, bandwidth, cables)


def _are_cells(cells: Sequence[str]) -> bool:
    return len(cells) > 1 and not any(map(_NO_CELL.search, cells))


def _take(
    cabling: Cabling, file: FilePath, read: PlainColumns, bandwidth: str, cables: bool
) -> bool:
    width = len(read.columns)

    def below() -> set[str]:
        return {text for column in range(width) for text in read.said(column, 1)}

    first = Row(read.first_line, ",".join(read.first), read.first)
    columns = Columns.of_header(file, first, below)
    start = int(columns.is_header)
    if width > len(columns.names) or len(read) == start:
        return False
    place = columns.bandwidth(bandwidth, lambda column: set(read.said(column, start)))
    rates, which = [ONE], np.zeros(len(read) - start, dtype=np.int64)
    if place is not None and place < width:
        column = read.columns[place][start:]
        rates = []

        def rate_of(text: str) -> int:
            rates.append(parse_rate(text))
            return len(rates) - 1

        try:
            which = read.looked_up(column, rate_of)
        except InputError as error:
            code = read.used(column)[len(rates)]
            line = read.line(start + int(np.argmax(column == code)))
            if line is None:
                return False
            raise InputError(f"{file}: line {line}: {error}") from None
    ends = [columns.place(end) for end in UNNAMED[:2]]
    tails, heads = _nodes(cabling, read, [read.columns[end or 0][start:] for end in ends])
    port = columns.place("port")
    named = [] if port is None else [read.texts[code] for code in read.columns[port][start:]]
    cabling.channels(
        tails,
        heads,
        (rates[k] for k in which.tolist()),
        named or [""] * len(tails),
        cables=cables,
    )
    cabling.left_out(f"column {shown(name)}" for name in columns.left_out(bandwidth))
    return True


def _nodes(cabling: Cabling, read: PlainColumns, ends: Sequence[IntArray]) -> tuple[IntArray, ...]:
    """Name the nodes, in the order of first appearance; return the node of each end."""
    seen = np.stack(ends, axis=1).ravel()
    first = np.full(len(read.texts), len(seen), dtype=np.int64)
    first[seen[::-1]] = np.arange(len(seen) - 1, -1, -1)
    node = np.full(len(read.texts), -1, dtype=np.int64)
    for code in np.argsort(first, kind="stable")[: int((first < len(seen)).sum())].tolist():
        node[code] = cabling.node(read.texts[code])
    return tuple(node[codes] for codes in ends)
