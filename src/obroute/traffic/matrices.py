"""Demands of several moments in one file, as YATES has them: a whole matrix a line.

A line has the amounts of the first source to every destination, then those of the second, and so
on, between blanks or separators.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np

from obroute.delimited import read_rows
from obroute.network import Network
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.reading import over_one_denominator, read_text
from obroute.specs import (
    InputError,
    Parameter,
    parse_fraction,
    parse_integer,
    parse_positive_fraction,
)
from obroute.traffic.registry import Pattern, patterns


@patterns.register(
    "matrices",
    "one of several matrices of demands, each on a line (YATES)",
    defined_for="networks with as many pairs of terminals as a line has amounts",
)
def matrices(
    file: Annotated[Path, Parameter("the file, a matrix a line", Path)],
    *,
    line: Annotated[int, Parameter("which matrix, from 1", parse_integer(1))] = 1,
    scale: Annotated[
        Fraction,
        Parameter(
            "what amounts are multiplied by, 1e-9 for bits in gigabits", parse_positive_fraction
        ),
    ] = Fraction(1),
) -> Pattern:
    """Read one matrix of demands; see the module."""
    rows = read_rows(file, read_text(file, "lines of amounts"))
    if line > len(rows):
        raise InputError(f"{file} has {len(rows)} matrices; there is no line={line}")
    row = rows[line - 1]
    found = []
    for cell in row.cells:
        try:
            amount = parse_fraction(cell)
        except InputError as error:
            raise InputError(f"{file}: line {row.number}: {error}") from None
        if amount < 0:
            raise InputError(f"{file}: line {row.number}: a demand of {cell}; expected 0 or more")
        found.append(amount * scale)
    over_one_denominator(file, found)

    def demands(network: Network) -> SparseRationalMatrix:
        shape = len(network.sources), len(network.destinations)
        if len(found) != shape[0] * shape[1]:
            raise InputError(
                f"{file}: line {row.number} has {len(found)} amounts; {network.name} has "
                f"{shape[0]} sources and {shape[1]} destinations: expected {shape[0] * shape[1]}"
            )
        places = np.arange(len(found))
        return SparseRationalMatrix.from_triplets(
            places // shape[1], places % shape[1], RationalArray.from_fractions(found), shape
        )

    return Pattern(demands=demands)
