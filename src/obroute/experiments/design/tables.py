"""Tables of designed routings: paths, flows, next channels, and the traffic that bounds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.delimited import csv_text
from obroute.kinds.answers import Output
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.design import Design
    from obroute.experiments.design import DesignSettings
    from obroute.experiments.design.store import Designed
    from obroute.network import Network
    from obroute.routing import Routing


class Table(StrEnum):
    """What a table of the routing lists."""

    PATHS = "paths"
    FLOWS = "flows"
    NEXT_CHANNELS = "next_channels"


_SUFFIXES = (".csv", ".json")


class RoutingTable(Output):
    """The routing of every pair: its paths, its flows, or the next channels at every node."""

    def __init__(self) -> None:
        super().__init__(
            "--export", "Write the routing of every pair here (.csv or .json).", _SUFFIXES
        )

    def write(self, answer: Designed, settings: DesignSettings, file: Path) -> None:
        """Write the table that ``--export-as`` names."""
        found = answer.design
        export_table(found.problem.network, found.routing, file, Table(settings.export_as))


class HardTraffic(Output):
    """The traffic that bounds all routings."""

    def __init__(self) -> None:
        super().__init__(
            "--hard",
            "Write the weighted permutations that no routing serves better (.csv or .json).",
            _SUFFIXES,
        )

    def write(self, answer: Designed, settings: DesignSettings, file: Path) -> None:
        """Write every permutation with its weight and its channel."""
        _write(list(_hard_rows(answer.design)), file)


def export_table(network: Network, routing: Routing, file: Path, table: Table) -> None:
    """Write a table of every pair of a routing."""
    _write(list(_ROWS[table](network, routing, file.suffix == ".json")), file)


def _hard_rows(found: Design) -> Iterator[dict[str, Any]]:
    from obroute.design import hard_permutations

    network = found.problem.network
    for number, one in enumerate(hard_permutations(found), start=1):
        for place, end in enumerate(one.destinations.tolist()):
            if end >= 0:
                yield {
                    "permutation": str(number),
                    "weight": str(one.weight),
                    "channel": network.describe_channel(one.channel),
                    "source": network.node_name(int(network.sources[place])),
                    "destination": network.node_name(int(network.destinations[end])),
                }


def _write(rows: list[dict[str, Any]], file: Path) -> None:
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            if file.suffix == ".json":
                json.dump(rows, stream, indent=1, ensure_ascii=False)
            else:
                stream.write(csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror}") from None


def _pairs(network: Network) -> Iterator[tuple[int, int]]:
    for source in network.sources.tolist():
        for destination in network.destinations.tolist():
            if source != destination:
                yield source, destination


def _path_rows(network: Network, routing: Routing, as_json: bool) -> Iterator[dict[str, Any]]:
    from obroute.routing.contract import path_distribution
    from obroute.routing.hops import path_list, path_steps, path_text

    for source, destination in _pairs(network):
        for path, probability in path_distribution(routing, network, source, destination).items():
            steps = path_steps(network, path)
            yield {
                "source": network.node_name(source),
                "destination": network.node_name(destination),
                "probability": str(probability),
                "path": path_list(steps) if as_json else path_text(steps),
            }


def _pair_flows(
    network: Network, routing: Routing
) -> Iterator[tuple[int, int, dict[int, Fraction]]]:
    from obroute.routing.contract import path_distribution

    for source, destination in _pairs(network):
        flow: dict[int, Fraction] = {}
        for path, probability in path_distribution(routing, network, source, destination).items():
            for channel in path:
                flow[channel] = flow.get(channel, Fraction(0)) + probability
        yield source, destination, dict(sorted(flow.items()))


def _head(network: Network, channel: int, as_json: bool) -> Any:
    from obroute.routing.hops import hop_text, path_list

    hop = network.node_name(int(network.head[channel])), network.port(channel)
    return path_list([hop])[0] if as_json else hop_text(*hop)


def _flow_rows(network: Network, routing: Routing, as_json: bool) -> Iterator[dict[str, Any]]:
    for source, destination, flow in _pair_flows(network, routing):
        for channel, amount in flow.items():
            yield {
                "source": network.node_name(source),
                "destination": network.node_name(destination),
                "tail": network.node_name(int(network.tail[channel])),
                "head": _head(network, channel, as_json),
                "flow": str(amount),
            }


def _next_channel_rows(
    network: Network, routing: Routing, as_json: bool
) -> Iterator[dict[str, Any]]:
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
                "next": _head(network, channel, as_json),
                "probability": str(amount / leaving[tail]),
            }


_ROWS = {
    Table.PATHS: _path_rows,
    Table.FLOWS: _flow_rows,
    Table.NEXT_CHANNELS: _next_channel_rows,
}
