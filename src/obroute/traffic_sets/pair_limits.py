"""Limits of pairs: one for all, or those of a file; pairs that never talk."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np

from obroute.delimited import read_rows
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.reading import read_text
from obroute.specs import (
    InputError,
    Parameter,
    parse_fraction,
    parse_positive_fraction,
    shown,
)
from obroute.traffic.reading import read_traffic
from obroute.traffic_sets.contract import TrafficSet, traffic_sets
from obroute.traffic_sets.limits import Limits, ListedLimits, SameLimit

_FILE_FOR = "networks with the terminals that the file names"


@traffic_sets.register(
    "limited",
    "every pair sends at most so much",
    defined_for="every network",
    examples=("limited:1/4",),
    small=("limited:1/3",),
)
class LimitedPairs(TrafficSet):
    """The same limit for every pair of terminals."""

    def __init__(
        self,
        limit: Annotated[
            Fraction, Parameter("packets per cycle of a pair, at most", parse_positive_fraction)
        ],
    ) -> None:
        self.limit = limit

    def limits(self, network: Network) -> Limits:
        """Return the limit of the pairs."""
        return Limits(network.injection, network.ejection, pairs=SameLimit(self.limit))


@traffic_sets.register(
    "silent",
    "listed pairs never talk",
    defined_for=_FILE_FOR,
)
class SilentPairs(TrafficSet):
    """Pairs that send nothing, from a file of source,destination."""

    def __init__(
        self, file: Annotated[Path, Parameter("file of source,destination", Path)]
    ) -> None:
        self.file = file

    def limits(self, network: Network) -> Limits:
        """Return zero for the pairs that are listed."""
        rows, columns = _pairs_of(network, self.file)
        return _listed(network, rows, columns, RationalArray.full(len(rows), 0), None)


@traffic_sets.register(
    "listed",
    "pairs send at most what a file says; 0 for those that never talk",
    defined_for=_FILE_FOR,
)
class ListedPairs(TrafficSet):
    """Limits of pairs from a file of source,destination,amount, or a matrix."""

    def __init__(
        self,
        file: Annotated[Path, Parameter("CSV or JSON file of source,destination,amount", Path)],
        *,
        others: Annotated[
            Fraction | None,
            Parameter("limit of the pairs that are not listed; none if not given", parse_fraction),
        ] = None,
    ) -> None:
        if others is not None and others < 0:
            raise InputError(f"others={others} is negative; expected a limit of at least 0")
        self.others = others
        self.found = read_traffic(file)
        if self.found.is_permutation:
            raise InputError(
                f"{file} says who talks to whom, and not how much at most; expected "
                f"source,destination,amount, or silent:{file} for pairs that never talk"
            )

    def limits(self, network: Network) -> Limits:
        """Return the limits that are listed, and that of the others."""
        return _listed(network, *self.found.entries(network), self.others)


def _pairs_of(network: Network, file: Path) -> tuple[IntArray, IntArray]:
    """Read ``source,destination`` a line into positions of terminals."""
    found = []
    for row in read_rows(file, read_text(file, "a list of source,destination")):
        if [cell.lower() for cell in row.cells] == ["source", "destination"]:
            continue
        if len(row.cells) != 2:
            raise InputError(
                f"{file}: line {row.number} is {shown(row.text)}; expected source,destination"
            )
        try:
            nodes = [network.node_named(cell) for cell in row.cells]
        except InputError as error:
            raise InputError(f"{file}: line {row.number}: {error}") from None
        places = int(network.source_index[nodes[0]]), int(network.destination_index[nodes[1]])
        for place, cell, what in zip(places, row.cells, ("source", "destination"), strict=True):
            if place < 0:
                raise InputError(
                    f"{file}: line {row.number}: {shown(cell)} is no {what} of {network.name}"
                )
        found.append(places)
    listed = np.array(found, dtype=np.int64).reshape(-1, 2)
    return listed[:, 0], listed[:, 1]


def _listed(
    network: Network,
    rows: IntArray,
    columns: IntArray,
    amounts: RationalArray,
    others: Fraction | None,
) -> Limits:
    width = len(network.destinations)
    keys, places = np.unique(rows * width + columns, return_index=True)
    if len(keys) < len(rows):
        twice = int(np.setdiff1d(np.arange(len(rows)), places)[0])
        ends = network.sources[rows[twice]], network.destinations[columns[twice]]
        names = " → ".join(network.node_name(int(node)) for node in ends)
        raise InputError(f"the limit of {names} is listed twice; list each pair once")
    pairs = ListedLimits.of(keys, amounts.take(places), width, others)
    return Limits(network.injection, network.ejection, pairs=pairs)
