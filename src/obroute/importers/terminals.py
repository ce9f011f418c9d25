"""Terminals from a file: ``node``, ``node,bandwidth`` or ``node,injection,ejection`` a line.

A header line is optional, and a zero means that the node does not do that. A line that is a node's
name as it stands is that node, blanks and all.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from obroute.delimited import Row, read_rows, unquoted
from obroute.rational import RationalArray
from obroute.reading import over_one_denominator, read_text
from obroute.specs import InputError, cut, parse_fraction, shown

HEADERS = (["node", "injection", "ejection"], ["node", "bandwidth"])


def read_terminals(
    file: FilePath, number_of: Mapping[str, int], edges: FilePath
) -> dict[str, Any]:
    """Return the sources and destinations of a network with their bandwidths, by its fields.

    Parameters
    ----------
    file
        The list of terminals.
    number_of, edges
        The number of each node by its name, and the file that says so.

    Raises
    ------
    InputError
        If a line is none, or names no node or one that has been listed.
    """
    injection: dict[int, Fraction] = {}
    ejection: dict[int, Fraction] = {}
    for row in _rows(file, number_of):
        name, *amounts = row.cells
        if name not in number_of:
            raise InputError(f"{file}: line {row.number}: {edges} has no node {shown(name)}")
        node = number_of[name]
        if node in injection:
            raise InputError(
                f"{file}: line {row.number}: node {shown(name)} comes twice; list it once"
            )
        given = [read_number(file, row.number, amount) for amount in amounts]
        below = next((text for text, one in zip(amounts, given, strict=True) if one < 0), None)
        if below is not None:
            raise InputError(
                f"{file}: line {row.number}: bandwidth {cut(below)} is negative; "
                "expected 0 or more"
            )
        injection[node] = given[0] if given else Fraction(1)
        ejection[node] = given[-1] if given else Fraction(1)
    over_one_denominator(file, (*injection.values(), *ejection.values()))
    sources = [node for node, amount in injection.items() if amount]
    destinations = [node for node, amount in ejection.items() if amount]
    return {
        "sources": np.array(sources, dtype=np.int64),
        "injection": RationalArray.from_fractions(injection[node] for node in sources),
        "destinations": np.array(destinations, dtype=np.int64),
        "ejection": RationalArray.from_fractions(ejection[node] for node in destinations),
    }


def _rows(file: FilePath, number_of: Mapping[str, int]) -> list[Row]:
    def is_node(line: str) -> bool:
        return unquoted(line) in number_of

    rows = read_rows(file, read_text(file, "CSV"), whole=is_node)
    if rows:
        first = [cell.lower() for cell in rows[0].cells]
        if any(first == header[: len(first)] for header in HEADERS):
            rows = rows[1:]
    for row in rows:
        if len(row.cells) > len(HEADERS[0]) or not all(row.cells):
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected {','.join(HEADERS[0])}"
            )
    return rows


def read_number(file: FilePath, line: int, text: str) -> Fraction:
    """Read an exact number of a line of a file."""
    try:
        return parse_fraction(text)
    except InputError as error:
        raise InputError(f"{file}: line {line}: {error}") from None
