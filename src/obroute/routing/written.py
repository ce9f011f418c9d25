"""A routing written out: the paths of every pair, its flows, or the next channels at every node.

Tables of paths and flows are read again as routings (:mod:`obroute.routing.table`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from obroute.choices.tables import Table
from obroute.delimited import csv_text
from obroute.network import Network
from obroute.routing.contract import Routing
from obroute.routing.hops import hop_text, path_list, path_steps, path_text
from obroute.routing.path_lists import pairs_of, path_distributions
from obroute.specs import InputError
from obroute.writing import write_whole

SUFFIXES = (".csv", ".json")
"""Of the files that tables are written to."""

Rows = Iterator[dict[str, Any]]


def routing_rows(network: Network, routing: Routing, table: Table) -> Rows:
    """Yield the rows of a table of every pair, by the names of the columns.

    Nodes are named as files name them, probabilities and flows are exact. A path is the list of
    its nodes, and a node that one of several parallel channels leads to is
    ``{"node": …, "port": …}``.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:4"), make_routing("dor")
    >>> next(routing_rows(*ring, "paths"))
    {'source': '0', 'destination': '1', 'probability': Fraction(1, 1), 'path': ['0', '1']}
    >>> next(routing_rows(*ring, "next_channels"))
    {'source': '0', 'destination': '1', 'node': '0', 'next': '1', 'probability': Fraction(1, 1)}
    """
    routing.check(network)
    return _ROWS[table](network, routing)


def write_rows(rows: list[dict[str, Any]], file: Path) -> None:
    """Write rows as CSV or JSON, by the suffix of the file.

    Raises
    ------
    InputError
        If the suffix is another, or the file cannot be written.
    """
    if file.suffix == ".json":
        plain = [{name: _in_json(value) for name, value in row.items()} for row in rows]
        text = json.dumps(plain, indent=1, ensure_ascii=False)
    elif file.suffix == ".csv":
        cells = [[_in_cell(name, value) for name, value in row.items()] for row in rows]
        text = csv_text([list(rows[0]), *cells]) if rows else ""
    else:
        raise InputError(f"{file}: expected a name that ends in {' or '.join(SUFFIXES)}")
    write_whole(file, text.encode())


def _in_json(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value


def _in_cell(name: str, value: Any) -> str:
    if name == "path":
        return path_text(_step(hop) for hop in value)
    if name in ("head", "next"):
        return hop_text(*_step(value))
    return str(value)


def _step(hop: Any) -> tuple[str, str | None]:
    """Return the node and the port of a hop; the inverse of :func:`path_list`."""
    return (hop["node"], hop["port"]) if isinstance(hop, dict) else (hop, None)


def _path_rows(network: Network, routing: Routing) -> Rows:
    for source, destination, paths in path_distributions(routing, network, pairs_of(network)):
        for path, probability in paths.items():
            yield {
                "source": network.node_name(source),
                "destination": network.node_name(destination),
                "probability": probability,
                "path": path_list(path_steps(network, path)),
            }


def _pair_flows(
    network: Network, routing: Routing
) -> Iterator[tuple[int, int, dict[int, Fraction]]]:
    for source, destination, paths in path_distributions(routing, network, pairs_of(network)):
        flow: dict[int, Fraction] = {}
        for path, probability in paths.items():
            for channel in path:
                flow[channel] = flow.get(channel, Fraction(0)) + probability
        yield source, destination, dict(sorted(flow.items()))


def _head(network: Network, channel: int) -> Any:
    return path_list([(network.node_name(int(network.head[channel])), network.port(channel))])[0]


def _flow_rows(network: Network, routing: Routing) -> Rows:
    for source, destination, flow in _pair_flows(network, routing):
        for channel, amount in flow.items():
            yield {
                "source": network.node_name(source),
                "destination": network.node_name(destination),
                "tail": network.node_name(int(network.tail[channel])),
                "head": _head(network, channel),
                "flow": amount,
            }


def _next_channel_rows(network: Network, routing: Routing) -> Rows:
    for source, destination, flow in _pair_flows(network, routing):
        leaving: dict[int, Fraction] = {}
        for channel, amount in flow.items():
            tail = int(network.tail[channel])
            leaving[tail] = leaving.get(tail, Fraction(0)) + amount
        for channel, amount in flow.items():
            tail = int(network.tail[channel])
            yield {
                "source": network.node_name(source),
                "destination": network.node_name(destination),
                "node": network.node_name(tail),
                "next": _head(network, channel),
                "probability": amount / leaving[tail],
            }


_ROWS: dict[str, Callable[[Network, Routing], Rows]] = {
    "paths": _path_rows,
    "flows": _flow_rows,
    "next_channels": _next_channel_rows,
}
