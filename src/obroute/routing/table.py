"""Explicit routing tables: paths or channel flows of every pair, or next hops of every node.

A table file is CSV with one of three headers, or JSON with a list of objects of the same keys:

- ``source,destination,probability,path``: the path is the nodes visited, joined by blanks or
  arrows (:mod:`obroute.routing.hops`);
- ``source,destination,tail,head,flow``: the probability that a packet of the pair crosses the
  channel from tail to head, as a designed routing gives it;
- ``node,destination,next``: the node that a packet at a node goes to next, wherever it comes from,
  as the forwarding tables of switches have it. A node with one channel out needs no line.

Which of several parallel channels is meant is said by its port after the node that it leads to,
``t#2``. Nodes are the network's labels (or numbers); numbers are read exactly (``1/3`` or
``0.25``). Pairs of a node with itself may be left out.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated, Any, NoReturn

import numpy as np

from obroute.delimited import json_name, read_rows
from obroute.machine import reading
from obroute.network import Network, Path
from obroute.reading import read_json, read_text
from obroute.reading.plain import read_not_plain
from obroute.routing.delegated import Delegated
from obroute.routing.flows import decompose_flow
from obroute.routing.forwarding import ForwardingTable
from obroute.routing.hops import read_hop, read_path
from obroute.routing.path_table import PathTable
from obroute.routing.plain_tables import (
    FORWARDING_COLUMNS,
    HEADERS,
    GivenTable,
    PlainTable,
    forwarding_table,
)
from obroute.routing.registry import routings
from obroute.routing.written_sst import by_names, is_sst, sst_records
from obroute.specs import InputError, Parameter, cut, parse_fraction, shown

_Record = tuple[str, dict[str, Any]]
"""Where a record stands in its file, and what it says."""


@routings.register(
    "table",
    "explicit paths, channel flows or next hops from a CSV or JSON file",
    defined_for="the network whose nodes the file names",
)
class TableFile(Delegated):
    """The routing in a file of paths, channel flows or next hops; see the module for the format.

    The file's name alone (``routes.csv``) makes the same.
    """

    def __init__(
        self, file: Annotated[FilePath, Parameter("the CSV or JSON file", FilePath)]
    ) -> None:
        super().__init__()
        self.file = file
        self.plain = None if file.suffix == ".json" else PlainTable.of(file)
        self.records: list[_Record] = []
        self.has_numbers = False
        if self.plain is None:
            self.records = self._read()

    def _read(self) -> list[_Record]:
        with reading(self.file):
            read = read_text if self.file.suffix == ".json" else read_not_plain
            text = read(self.file, "CSV or JSON")
            self.has_numbers = text.lstrip().startswith("{")
            return _read_records(self.file, text)

    def make(self, network: Network) -> GivenTable:
        """Return the table that the file is on a network."""
        table: GivenTable | None = None
        if self.plain is not None:
            table = self.plain.routing(str(self.file), network)
        if table is None:
            # Read line by line what is not plain, or wrong: the error then names the line.
            records = self.records or self._read()
            if self.has_numbers:
                records = by_names(records, network)
            if set(records[0][1]) == set(FORWARDING_COLUMNS):
                table = _forwarding(self.file, records, network)
            else:
                table = PathTable(str(self.file), _distributions(self.file, records, network))
        table.check(network)
        return table


def _read_records(file: FilePath, text: str) -> list[_Record]:
    """Return the records of a file, each with where it stands."""
    expected = " or ".join(map(",".join, HEADERS))
    if file.suffix == ".json":
        found = read_json(file, text)
        if is_sst(found):
            return list(sst_records(file, found)) or _nothing(file, expected)
        if not isinstance(found, list) or not all(isinstance(r, dict) for r in found):
            raise InputError(f"{file}: expected a list of objects with the keys {expected}")
        records = [(f"record {number}", record) for number, record in enumerate(found, start=1)]
    else:
        rows = read_rows(file, text)
        for row in rows[1:]:
            if len(row.cells) != len(rows[0].cells):
                raise InputError(
                    f"{file}: line {row.number} has {len(row.cells)} values; expected "
                    f"{cut(','.join(rows[0].cells))} (a value with a separator in it in double "
                    "quotes)"
                )
        records = [
            (f"line {row.number}", dict(zip(rows[0].cells, row.cells, strict=True)))
            for row in rows[1:]
        ]
    for where, record in records:
        if set(record) not in map(set, HEADERS):
            raise InputError(
                f"{file}: {where} has {cut(', '.join(record)) or 'nothing'}; expected {expected}"
            )
    if not records:
        _nothing(file, expected)
    forwards = [set(record) == set(FORWARDING_COLUMNS) for _, record in records]
    if any(forwards) and not all(forwards):
        raise InputError(f"{file} has next hops and paths or flows; expected one of them")
    return records


def _nothing(file: FilePath, expected: str) -> NoReturn:
    raise InputError(f"{file} lists nothing; expected a header and rows: {expected}")


def _forwarding(file: FilePath, records: list[_Record], network: Network) -> ForwardingTable:
    found: dict[tuple[int, int], int] = {}
    for where, record in records:
        try:
            node, destination = (
                network.node_named(json_name(record[name])) for name in ("node", "destination")
            )
            hop = read_hop(network, record["next"], is_text=file.suffix != ".json")
            channel = network.channel(node, *hop)
            if found.setdefault((node, destination), channel) != channel:
                raise InputError(
                    f"node {network.describe(node)} has another next hop for "
                    f"{network.describe(destination)} above; expected one"
                )
        except InputError as error:
            raise InputError(f"{file}: {where}: {error}") from None
    nodes, destinations = np.array(list(found), dtype=np.int64).T
    channels = np.array(list(found.values()), dtype=np.int64)
    table = forwarding_table(str(file), network, nodes, destinations, channels)
    assert table is not None
    return table


def _distributions(
    file: FilePath, records: list[_Record], network: Network
) -> dict[tuple[int, int], dict[Path, Fraction]]:
    paths: dict[tuple[int, int], dict[Path, Fraction]] = {}
    flows: dict[tuple[int, int], dict[int, Fraction]] = {}
    is_text = file.suffix != ".json"
    for where, record in records:
        try:
            source, destination = (
                network.node_named(json_name(record[end])) for end in ("source", "destination")
            )
            if "path" in record:
                path = _path(network, record["path"], source, destination)
                known = paths.setdefault((source, destination), {})
                known[path] = known.get(path, Fraction(0)) + _share(record, "probability")
            else:
                tail = network.node_named(json_name(record["tail"]))
                channel = network.channel(
                    tail, *read_hop(network, record["head"], is_text=is_text)
                )
                flow = flows.setdefault((source, destination), {})
                flow[channel] = flow.get(channel, Fraction(0)) + _share(record, "flow")
        except InputError as error:
            raise InputError(f"{file}: {where}: {error}") from None
    for pair, flow in flows.items():
        paths[pair] = decompose_flow(network, pair[0], pair[1], flow, str(file))
    return paths


def _path(network: Network, given: Any, source: int, destination: int) -> Path:
    first, path = read_path(network, given if isinstance(given, list) else json_name(given))
    if first != source or (int(network.head[path[-1]]) if path else first) != destination:
        raise InputError(
            f"the path {shown(given)} does not lead from {network.node_name(source)} to "
            f"{network.node_name(destination)}"
        )
    return path


def _share(record: dict[str, Any], what: str) -> Fraction:
    """Read a probability or a flow; none is below zero, even where others make up for it."""
    value = record[what]
    share = parse_fraction(str(value) if isinstance(value, Decimal) else json_name(value))
    if share < 0:
        raise InputError(f"{what} {cut(str(value))} is negative; expected 0 or more")
    return share
