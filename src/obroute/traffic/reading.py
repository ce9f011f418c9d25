"""Traffic from files: permutations, partial ones, and matrices of demands.

Read as tables (see :mod:`obroute.delimited`) or JSON, in one of four forms:

- one destination a line, in the order of the sources: a permutation;
- ``source,destination`` a line: a permutation, or a partial one where sources are left out;
- ``source,destination,amount`` a line under that header (``rate`` for ``amount``): demands in
  packets per cycle; a pair that comes twice adds;
- a dense matrix of amounts, a row a source: under a header of destinations, each row led by its
  source, or the bare numbers in the order of sources and destinations.

The file of a network that has demands, too (SNDlib, TopoHub), is read for these.

Amounts are exact: ``2``, ``1/3`` or ``0.25``. Demands are taken as they are, also where they are
more than a terminal may inject or eject: :attr:`Traffic.beyond_terminals` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from obroute.delimited import json_name, read_rows
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.reading import over_one_denominator, read_json, read_text
from obroute.specs import InputError, cut, parse_fraction

FORMS = (
    "expected one destination a line, source,destination, a header source,destination,amount over "
    "such lines, or a matrix with a row of amounts for every source"
)
AMOUNTS = ("amount", "rate")
Line = tuple[int, tuple[str, ...]]
"""A line's number and its cells."""


@dataclass(frozen=True)
class TrafficFile:
    """What a file of traffic says, before there is a network to name its nodes.

    Parameters
    ----------
    file
        Where it is from.
    form
        ``destinations``, ``pairs``, ``demands``, ``named matrix`` or ``matrix``.
    rows
        The number of each line and its cells.
    header
        The cells of its header, if it has one; of a named matrix, the names of its columns.
    """

    file: Path
    form: str
    rows: tuple[Line, ...]
    header: tuple[str, ...] = ()

    @property
    def is_permutation(self) -> bool:
        """Whether it lists who sends to whom, and not how much."""
        return self.form in ("destinations", "pairs")

    def amounts(self, network: Network) -> SparseRationalMatrix:
        """Return the traffic (packets per cycle), sources × destinations.

        Raises
        ------
        InputError
            If a node is no terminal of the network, or a line is no traffic.
        """
        shape = len(network.sources), len(network.destinations)
        return SparseRationalMatrix.from_triplets(*self.entries(network), shape)

    def entries(self, network: Network) -> tuple[IntArray, IntArray, RationalArray]:
        """Return sources and destinations, by position, and amounts as they are listed.

        Raises
        ------
        InputError
            As :meth:`amounts` does.
        """
        self._check_form(network)
        if self.form == "destinations":
            self._check_count(network)
        elif self.form == "matrix":
            self._check_shape(network)
        sources, destinations, amounts = [], [], []
        for place, (line, cells) in enumerate(self.rows):
            try:
                for source, destination, amount in self._entries(network, place, cells):
                    sources.append(source)
                    destinations.append(destination)
                    amounts.append(amount)
            except InputError as error:
                raise InputError(f"{self.file}: line {line}: {error}") from None
        if self.is_permutation:
            self._check_once(sources, destinations)
        return (
            np.array(sources, dtype=np.int64),
            np.array(destinations, dtype=np.int64),
            RationalArray.from_fractions(over_one_denominator(self.file, amounts)),
        )

    def _entries(
        self, network: Network, place: int, cells: tuple[str, ...]
    ) -> list[tuple[int, int, Fraction]]:
        if self.form == "destinations":
            return [_unit_pair(network, place, _terminal(network, cells[0], "destination"))]
        if self.form == "matrix":
            return [(place, c, _amount(cell or "0")) for c, cell in enumerate(cells)]
        source = _terminal(network, cells[0], "source")
        if self.form == "named matrix":
            columns = [_terminal(network, name, "destination") for name in self.header[1:]]
            pairs = zip(columns, cells[1:], strict=True)
            return [(source, column, _amount(cell or "0")) for column, cell in pairs]
        destination = _terminal(network, cells[1], "destination")
        if self.form == "pairs":
            return [_unit_pair(network, source, destination)]
        return [(source, destination, _amount(cells[2]))]

    def _check_form(self, network: Network) -> None:
        """Refuse two columns that may be pairs or a matrix, and three that may be demands."""
        width = len(self.rows[0][1]) if self.rows else 0
        sizes = {len(self.rows), len(network.sources), len(network.destinations)}
        bare = self.form in ("pairs", "matrix") and not self.header
        if bare and width in (2, 3) and sizes == {width} and self._is_numeric():
            raise InputError(
                f"{self.file} may be a matrix or a list of pairs; put the header "
                f"{','.join(('source', 'destination', 'amount')[:width])} over a list, or the "
                "names of sources and destinations around a matrix"
            )

    def _is_numeric(self) -> bool:
        try:
            return all(_amount(cell) >= 0 for _, cells in self.rows for cell in cells)
        except InputError:
            return False

    def _check_count(self, network: Network) -> None:
        count = len(network.sources)
        if len(self.rows) != count:
            raise InputError(
                f"{self.file} is no permutation of {network.name}: it lists {len(self.rows)} "
                f"destinations, the network has {count} sources; name the sources where some "
                "send nothing (source,destination)"
            )

    def _check_shape(self, network: Network) -> None:
        shape = len(self.rows), len(self.rows[0][1])
        expected = len(network.sources), len(network.destinations)
        if shape != expected:
            raise InputError(
                f"{self.file} is a matrix of {shape[0]} × {shape[1]}; {network.name} has "
                f"{expected[0]} sources and {expected[1]} destinations; {FORMS}"
            )

    def _check_once(self, sources: Sequence[int], destinations: Sequence[int]) -> None:
        taken: tuple[set[int], set[int]] = set(), set()
        for (line, cells), *ends in zip(self.rows, sources, destinations, strict=True):
            for seen, end, name, what in zip(
                taken, ends, (cells[0], cells[-1]), ("source", "destination"), strict=True
            ):
                if end in seen:
                    raise InputError(
                        f"{self.file} is no permutation: {what} {cut(name)} comes twice (line "
                        f"{line}); list each once, or say how much they send "
                        "(source,destination,amount)"
                    )
                seen.add(end)


def _terminal(network: Network, name: str, what: str) -> int:
    index = network.source_index if what == "source" else network.destination_index
    place = int(index[network.node_named(name)])
    if place < 0:
        raise InputError(f"a node that is no terminal: {cut(name)} is no {what} of {network.name}")
    return place


def _amount(text: str) -> Fraction:
    amount = parse_fraction(text)
    if amount < 0:
        raise InputError(f"a demand of {cut(text)}; expected no negative number")
    return amount


def _unit_pair(network: Network, source: int, destination: int) -> tuple[int, int, Fraction]:
    """Return a pair that sends one packet per cycle, as terminals of one unit do."""
    for node, amount, what in (
        (network.sources[source], network.injection.fraction(source), "injects"),
        (network.destinations[destination], network.ejection.fraction(destination), "ejects"),
    ):
        if amount != 1:
            raise InputError(
                f"node {network.describe(int(node))} {what} up to {amount} packets per cycle, so "
                "say how much is sent (source,destination,amount)"
            )
    return source, destination, Fraction(1)


def read_traffic(file: Path) -> TrafficFile:
    """Read a file of traffic; see the module for its forms.

    Raises
    ------
    InputError
        If it cannot be read, or has none of the forms; names the line.
    """
    demands = importers.demands_of(file)
    if demands is not None:
        if not demands:
            raise InputError(f"{file} is the file of a network, and has no demands")
        listed = ((n, (s, d, str(amount))) for n, (s, d, amount) in enumerate(demands, start=1))
        return TrafficFile(file, "demands", tuple(listed))
    rows = _rows(file)
    head = rows[0][1] if rows else ()
    words = [cell.lower() for cell in head]
    if words in (["destination"], ["source", "destination"]):
        return _of_width(file, ("destinations", "pairs")[len(words) - 1], rows[1:], head)
    if words[:2] == ["source", "destination"]:
        if len(words) != 3 or words[2] not in AMOUNTS:
            raise InputError(
                f"{file}: a header {cut(','.join(words))}; expected source,destination,amount"
            )
        return _of_width(file, "demands", rows[1:], head)
    if len(words) > 1 and words[0] in ("", "source"):
        _check_names(file, [(rows[0][0], name) for name in head[1:]])
        _check_names(file, [(line, cells[0]) for line, cells in rows[1:] if cells])
        return _of_width(file, "named matrix", rows[1:], head)
    if len(rows) == 1 and len(words) > 2:
        return TrafficFile(file, "destinations", tuple((rows[0][0], (cell,)) for cell in head))
    forms = {0: "destinations", 1: "destinations", 2: "pairs"}
    return _of_width(file, forms.get(len(words), "matrix"), rows)


def _of_width(
    file: Path, form: str, rows: Sequence[Line], header: tuple[str, ...] = ()
) -> TrafficFile:
    width = len(header or (rows[0][1] if rows else ()))
    for line, cells in rows:
        if len(cells) != width:
            raise InputError(f"{file}: line {line} has {len(cells)} values; {FORMS}")
    return TrafficFile(file, form, tuple(rows), header)


def _check_names(file: Path, names: Sequence[tuple[int, str]]) -> None:
    seen = set()
    for line, name in names:
        if name in seen:
            raise InputError(f"{file}: line {line}: {cut(name)} comes twice; list it once")
        seen.add(name)


def _rows(file: Path) -> list[Line]:
    """Return the number of each line that says something, and its cells."""
    text = read_text(file, "CSV or JSON")
    if file.suffix == ".json":
        return _json_rows(file, read_json(file, text))
    return [(row.number, row.cells) for row in read_rows(file, text, whole=lambda line: True)]


def _json_rows(file: Path, found: object) -> list[Line]:
    """Return the same of a list of destinations, of lists, or of objects with those names."""
    if not isinstance(found, list):
        raise InputError(f"{file}: expected a list of destinations, of rows or of objects")
    if found and all(isinstance(entry, dict) for entry in found):
        keys = list(found[0])
        if any(list(entry) != keys for entry in found):
            raise InputError(
                f"{file}: objects with different keys; give each {cut(', '.join(keys))}"
            )
        found = [keys, *([entry[key] for key in keys] for entry in found)]
    rows = [entry if isinstance(entry, list) else [entry] for entry in found]
    try:
        return [(n, tuple(map(_json_cell, row))) for n, row in enumerate(rows, start=1)]
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _json_cell(value: object) -> str:
    """Return a name or an amount as text."""
    return str(value) if isinstance(value, Decimal) else json_name(value)
