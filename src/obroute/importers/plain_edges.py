"""Edge lists that are plain, read by column: millions of channels in seconds.

What is not plain, or wrong, is read line by line (:mod:`obroute.importers.edge_list`), to the same
network or to the error that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path as FilePath

import numpy as np

from obroute.cabling import ONE, Array, Cabling
from obroute.delimited import Row
from obroute.importers.columns import UNNAMED, Columns
from obroute.machine import reading
from obroute.reading import parse_rate
from obroute.reading.plain import PlainColumns, read_plain
from obroute.specs import InputError, shown

OVER_CHANNELS, OVER_CABLES = 25, 35
"""Bytes of memory that a plain edge list takes for each byte of it, at most; by what a line is."""
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
    with reading(file, OVER_CABLES if cables else OVER_CHANNELS):
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

    first = Row(read.first_line, read.first_text, read.first)
    columns = Columns.of_header(file, first, below)
    start = int(columns.is_header)
    if width > len(columns.names) or len(read) == start:
        return False
    place = columns.bandwidth(bandwidth, lambda column: set(read.said(column, start)))
    rates = [ONE]
    which: Array = np.zeros(len(read) - start, dtype=np.int32)
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
    if cables:
        which = np.repeat(which, 2)
        tails, heads = (np.stack(e, axis=1).ravel() for e in ((tails, heads), (heads, tails)))
    cabling.channels(tails, heads, rates, which)
    port = columns.place("port")
    if port is not None:
        each = 1 + cables
        for row, code in enumerate(read.columns[port][start:].tolist()):
            named = range(row * each, row * each + each)
            cabling.ports.update(dict.fromkeys(named, read.texts[code]))
    cabling.left_out(f"column {shown(name)}" for name in columns.left_out(bandwidth))
    return True


def _nodes(cabling: Cabling, read: PlainColumns, ends: Sequence[Array]) -> tuple[Array, ...]:
    """Name the nodes, in the order of first appearance; return the node of each end."""
    seen = np.stack(ends, axis=1).ravel()
    first = np.full(len(read.texts), len(seen), dtype=np.int64)
    first[seen[::-1]] = np.arange(len(seen) - 1, -1, -1)
    node = np.full(len(read.texts), -1, dtype=np.int32)
    for code in np.argsort(first, kind="stable")[: int((first < len(seen)).sum())].tolist():
        node[code] = cabling.node(read.texts[code])
    return tuple(node[codes] for codes in ends)
