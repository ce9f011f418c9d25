"""Networks from edge lists: one channel a line, ``tail,head`` or ``tail,head,bandwidth``.

A header line ``tail,head[,bandwidth]`` is optional. Node names are free text; if all are whole
numbers from 0 without a gap, they are the node numbers, otherwise nodes are numbered in the order
of first appearance. Bandwidths are read exactly (``1/2``, ``0.25``); 1 where left out. A channel
goes one way: a cable needs two lines.

Terminals are all nodes, one packet per cycle each, unless ``terminals=FILE`` lists them: lines
``node``, ``node,bandwidth`` or ``node,injection,ejection`` (a zero: the node does not do that).
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from obroute.importers.registry import importers
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import InputError, Parameter, parse_fraction, read_text

EDGE_HEADER = ["tail", "head", "bandwidth"]
TERMINAL_HEADERS = (["node", "injection", "ejection"], ["node", "bandwidth"])


@importers.register(
    "csv",
    "edge list: tail,head[,bandwidth] a line",
    (
        Parameter("file", "the edge list", FilePath),
        Parameter("terminals", "file of node[,injection[,ejection]]", FilePath, None),
    ),
    aliases=("txt",),
)
def edge_list(file: FilePath, terminals: FilePath | None = None) -> Network:
    r"""Read a network from an edge list; see the module for the format.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as edges:
    ...     _ = edges.write("tail,head\na,b\nb,c\nc,a\n")
    ...     edges.flush()
    ...     edge_list(FilePath(edges.name)).labels
    ('a', 'b', 'c')
    """
    rows = read_table(file, EDGE_HEADER, least=2)
    if not rows:
        raise InputError(f"{file} lists no channel; expected lines tail,head[,bandwidth]")
    names = list(dict.fromkeys(name for _, row in rows for name in row[:2]))
    if {str(number) for number in range(len(names))} == set(names):
        names = [str(number) for number in range(len(names))]
    number_of = {name: number for number, name in enumerate(names)}
    bandwidths = [_bandwidth(file, line, row) for line, row in rows]
    return Network(
        str(file) if terminals is None else f"{file}:terminals={terminals}",
        len(names),
        np.array([number_of[row[0]] for _, row in rows]),
        np.array([number_of[row[1]] for _, row in rows]),
        bandwidth=RationalArray.from_fractions(bandwidths),
        labels=tuple(names),
        **({} if terminals is None else _terminal_settings(terminals, number_of, file)),
    )


def _bandwidth(file: FilePath, line: int, row: list[str]) -> Fraction:
    if len(row) < len(EDGE_HEADER):
        return Fraction(1)
    return _number(file, line, row[2])


def _number(file: FilePath, line: int, text: str) -> Fraction:
    try:
        return parse_fraction(text)
    except InputError as error:
        raise InputError(f"{file}: line {line}: {error}") from None


def _terminal_settings(
    file: FilePath, number_of: dict[str, int], edges: FilePath
) -> dict[str, Any]:
    injection: dict[int, Fraction] = {}
    ejection: dict[int, Fraction] = {}
    for line, row in read_table(file, *TERMINAL_HEADERS, least=1):
        if row[0] not in number_of:
            raise InputError(f"{file}: line {line}: {edges} has no node '{row[0]}'")
        node = number_of[row[0]]
        if node in injection:
            raise InputError(f"{file}: line {line}: node '{row[0]}' comes twice; list it once")
        injection[node] = _number(file, line, row[1]) if len(row) > 1 else Fraction(1)
        ejection[node] = _number(file, line, row[2]) if len(row) > 2 else injection[node]
    sources = [node for node, amount in injection.items() if amount]
    destinations = [node for node, amount in ejection.items() if amount]
    return {
        "sources": np.array(sources, dtype=np.int64),
        "injection": RationalArray.from_fractions(injection[node] for node in sources),
        "destinations": np.array(destinations, dtype=np.int64),
        "ejection": RationalArray.from_fractions(ejection[node] for node in destinations),
    }


def read_table(file: FilePath, *headers: list[str], least: int) -> list[tuple[int, list[str]]]:
    """Read lines of comma-separated (or blank-separated) cells, with their line numbers.

    Blank lines, lines that start with ``#`` and a header (any of ``headers``, or the beginning of
    one) are left out.
    """
    text = read_text(file, "CSV")
    split: Callable[[str], list[str]] = (
        (lambda line: [cell.strip() for cell in next(csv.reader([line]))])
        if any("," in line for line in text.splitlines() if not line.lstrip().startswith("#"))
        else str.split
    )
    rows: list[tuple[int, list[str]]] = []
    longest = max(len(header) for header in headers)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = split(line)
        if not rows and any(
            [cell.lower() for cell in row] == header[: len(row)] for header in headers
        ):
            continue
        if not least <= len(row) <= longest or not all(row):
            raise InputError(
                f"{file}: line {number} is '{line.strip()}'; expected {','.join(headers[0])}"
            )
        rows.append((number, row))
    return rows
