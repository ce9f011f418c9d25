"""Explicit routing tables: paths with probabilities, or channel flows, for every pair.

A table file is CSV with one of two headers, or JSON with a list of objects of the same keys:

- ``source,destination,probability,path``: the path is the nodes visited, joined by blanks or
  arrows (:mod:`obroute.routing.hops`);
- ``source,destination,tail,head,flow``: the probability that a packet of the pair crosses the
  channel from tail to head, as a designed routing or a forwarding table gives it.

Which of several parallel channels is meant is said by its port after the node that it leads to,
``t#2``. Nodes are the network's labels (or numbers); numbers are read exactly (``1/3`` or
``0.25``). Pairs of a node with itself may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated, Any

from obroute.delimited import json_name, read_rows
from obroute.network import Network, Path
from obroute.reading import over_one_denominator, read_json, read_text
from obroute.routing.contract import Routing
from obroute.routing.hops import read_hop, read_path
from obroute.routing.registry import routings
from obroute.specs import InputError, Parameter, cut, parse_fraction, shown

PATH_COLUMNS = ("source", "destination", "probability", "path")
FLOW_COLUMNS = ("source", "destination", "tail", "head", "flow")

Distribution = Mapping[Path, Fraction]
_Record = tuple[str, dict[str, Any]]
"""Where a record stands in its file, and what it says."""


class PathTable(Routing):
    """A routing given by the path distribution of every pair.

    Parameters
    ----------
    name
        What to call it.
    distributions
        Path probabilities of each (source node, destination node); each sums to one.
    """

    def __init__(self, name: str, distributions: Mapping[tuple[int, int], Distribution]) -> None:
        super().__init__()
        self.name = name
        self.distributions = distributions

    def check(self, network: Network) -> None:
        """Raise unless every pair has a distribution over its own paths."""
        for source in network.sources.tolist():
            for destination in network.destinations.tolist():
                if source != destination or (source, destination) in self.distributions:
                    self._check_pair(network, source, destination)

    def _check_pair(self, network: Network, source: int, destination: int) -> None:
        pair = f"from node {network.describe(source)} to node {network.describe(destination)}"
        distribution = self.distributions.get((source, destination))
        if distribution is None:
            raise InputError(f"{self.name} has no path {pair}; list at least one for every pair")
        total = sum(distribution.values(), Fraction(0))
        if total != 1:
            raise InputError(
                f"{self.name}: the probabilities {pair} sum to {total}; expected 1 exactly (write "
                "thirds as 1/3)"
            )
        for path, probability in distribution.items():
            if probability < 0:
                raise InputError(f"{self.name}: probability {probability} {pair} is negative")
            if network.path_nodes(source, path)[-1] != destination:
                raise InputError(f"{self.name}: a path {pair} ends at another node")

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the listed paths; the empty path from a node to itself where none is listed."""
        if source == destination and (source, destination) not in self.distributions:
            yield Fraction(1), ()
            return
        if (source, destination) not in self.distributions:
            self._check_pair(network, source, destination)
        for path, probability in self.distributions[source, destination].items():
            if probability:
                yield probability, path

    def most_crossings(self, network: Network) -> int:
        """Return how often a listed path crosses one of its channels at the most."""
        return max((path.count(c) for path in self._listed() for c in path), default=1)

    def longest_path(self, network: Network) -> int | None:
        """Return the hops of the longest listed path."""
        return max(map(len, self._listed()), default=0)

    def _listed(self) -> Iterator[Path]:
        for distribution in self.distributions.values():
            yield from distribution


@routings.register(
    "table",
    "explicit paths or channel flows from a CSV or JSON file",
    defined_for="the network whose nodes the file names",
)
class TableFile(Routing):
    """The routing in a file of paths or of channel flows; see the module for the format.

    The file's name alone (``routes.csv``) makes the same.
    """

    def __init__(
        self, file: Annotated[FilePath, Parameter("the CSV or JSON file", FilePath)]
    ) -> None:
        super().__init__()
        self.file = file
        self.records = _read_records(file)

    def _table(self, network: Network) -> PathTable:
        def read() -> PathTable:
            table = PathTable(str(self.file), _distributions(self.file, self.records, network))
            table.check(network)
            return table

        return self.remember(network, "table", read)

    def check(self, network: Network) -> None:
        """Raise where the file does not describe a routing of the network."""
        self._table(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of the file, or those that its flows decompose into."""
        return self._table(network).paths(network, source, destination)

    def most_crossings(self, network: Network) -> int:
        """Return how often a path of the file crosses one channel at the most."""
        return self._table(network).most_crossings(network)

    def longest_path(self, network: Network) -> int | None:
        """Return the hops of the longest path of the file."""
        return self._table(network).longest_path(network)


def _read_records(file: FilePath) -> list[_Record]:
    """Return the records of a file, each with where it stands."""
    expected = f"{','.join(PATH_COLUMNS)} or {','.join(FLOW_COLUMNS)}"
    text = read_text(file, "CSV or JSON")
    if file.suffix == ".json":
        found = read_json(file, text)
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
        if set(record) not in (set(PATH_COLUMNS), set(FLOW_COLUMNS)):
            raise InputError(
                f"{file}: {where} has {cut(', '.join(record)) or 'nothing'}; expected {expected}"
            )
    if not records:
        raise InputError(f"{file} lists nothing; expected a header and rows: {expected}")
    return records


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
    listed = [share for each in paths.values() for share in each.values()]
    listed += [share for each in flows.values() for share in each.values()]
    over_one_denominator(file, listed)
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


def decompose_flow(
    network: Network, source: int, destination: int, flow: Mapping[int, Fraction], origin: str
) -> dict[Path, Fraction]:
    """Split a unit flow on channels into paths with probabilities; cycles in it are dropped.

    Raises
    ------
    InputError
        If the flow is not conserved, or does not carry one unit from source to destination.
    """
    pair = f"from node {network.describe(source)} to node {network.describe(destination)}"
    balance: dict[int, Fraction] = {source: Fraction(-1)}
    balance[destination] = balance.get(destination, Fraction(0)) + 1
    left: dict[int, dict[int, Fraction]] = {}
    for channel, amount in flow.items():
        if amount < 0:
            raise InputError(f"{origin}: flow {amount} {pair} is negative")
        tail, head = int(network.tail[channel]), int(network.head[channel])
        balance[tail] = balance.get(tail, Fraction(0)) + amount
        balance[head] = balance.get(head, Fraction(0)) - amount
        if amount:
            left.setdefault(tail, {})[channel] = amount
    for node, excess in balance.items():
        if excess:
            raise InputError(
                f"{origin}: the flow {pair} is not conserved at node {network.describe(node)} "
                f"(off by {excess}); expected one unit out of the source and into the destination"
            )
    found: dict[Path, Fraction] = {}
    remaining = Fraction(1)
    while remaining and source != destination:
        path, visited, node = [], {source: 0}, source
        while node != destination:
            channel = min(left[node])
            path.append(channel)
            node = int(network.head[channel])
            if node in visited:
                cycle = path[visited[node] :]
                _subtract(network, left, cycle, min(_amount(network, left, c) for c in cycle))
                path, visited, node = [], {source: 0}, source
                continue
            visited[node] = len(path)
        amount = min(remaining, *(_amount(network, left, channel) for channel in path))
        _subtract(network, left, path, amount)
        found[tuple(path)] = found.get(tuple(path), Fraction(0)) + amount
        remaining -= amount
    return found or {(): Fraction(1)}


def _amount(network: Network, left: dict[int, dict[int, Fraction]], channel: int) -> Fraction:
    return left[int(network.tail[channel])][channel]


def _subtract(
    network: Network, left: dict[int, dict[int, Fraction]], path: list[int], amount: Fraction
) -> None:
    for channel in path:
        onwards = left[int(network.tail[channel])]
        onwards[channel] -= amount
        if not onwards[channel]:
            del onwards[channel]
