"""Tables that are plain, read column by column: a million lines in seconds.

Plain is a file with commas, without quotes, comments, ports or arrows, in which all is right. What
is not is read line by line (:mod:`obroute.routing.table`), to the same result or to the error that
names the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.machine import reading
from obroute.network import Network
from obroute.quotients import Quotients
from obroute.reading.plain import PlainColumns, read_plain
from obroute.routing.contract import PathBatch
from obroute.routing.flow_table import FlowTable, unit_flows
from obroute.routing.forwarding import ForwardingTable
from obroute.routing.path_table import ListedPaths, PathTable, pairs_of
from obroute.specs import InputError, parse_fraction

PATH_COLUMNS = ("source", "destination", "probability", "path")
FLOW_COLUMNS = ("source", "destination", "tail", "head", "flow")
FORWARDING_COLUMNS = ("node", "destination", "next")
HEADERS = (PATH_COLUMNS, FLOW_COLUMNS, FORWARDING_COLUMNS)
"""The columns that a table may have, in any order."""
Array = NDArray[Any]
GivenTable = PathTable | FlowTable | ForwardingTable
ARROWS = ">→"
AT_ONCE = 2**20
"""Hops whose channels are looked up at once."""
OVER_PLAIN = 10
"""Bytes of memory that the reading of a plain table takes for each byte of it, at most."""


@dataclass(frozen=True)
class PlainTable:
    """A plain table: its columns by their names."""

    header: tuple[str, ...]
    read: PlainColumns

    @classmethod
    def of(cls, file: FilePath) -> PlainTable | None:
        """Read a file into columns, None where it is not plain."""
        with reading(file, OVER_PLAIN):
            read = read_plain(file, "CSV", _is_header, "path", ARROWS)
        if read is None or len(read.columns[0]) <= 1 or any("#" in text for text in read.texts):
            return None
        return cls(read.first, read)

    def routing(self, name: str, network: Network) -> GivenTable | None:
        """Return the routing of a network, None where something is not right."""
        read = {PATH_COLUMNS: self._paths, FLOW_COLUMNS: self._flows}
        header = next(each for each in HEADERS if set(each) == set(self.header))
        try:
            return read.get(header, self._forwarding)(name, network)
        except InputError:
            return None

    def _nodes(self, network: Network, name: str) -> Array:
        column = self.read.columns[self.header.index(name)][1:]
        return self.read.looked_up(column, network.node_named)

    def _amounts(self, name: str) -> Quotients:
        """Read numbers, each different text once; none is negative."""
        column = self.read.columns[self.header.index(name)][1:]
        amounts: list[Fraction] = []

        def number_of(text: str) -> int:
            amounts.append(parse_fraction(text))
            return len(amounts) - 1

        which = self.read.looked_up(column, number_of)
        if any(amount < 0 for amount in amounts):
            raise InputError("negative")
        return Quotients.from_fractions(amounts).take(which)

    def _paths(self, name: str, network: Network) -> PathTable | None:
        assert self.read.parts is not None
        nodes = self._nodes(network, "path")
        sources, destinations = (self._nodes(network, end) for end in PATH_COLUMNS[:2])
        ends = np.cumsum(self.read.parts[1:])
        begins = np.concatenate([[0], ends[:-1]])
        if (nodes[begins] != sources).any() or (nodes[ends - 1] != destinations).any():
            return None
        goes_on = np.ones(len(nodes) - 1, dtype=np.bool_)
        goes_on[ends[:-1] - 1] = False
        channels = only_channels(network, nodes[:-1][goes_on], nodes[1:][goes_on])
        if channels is None:
            return None
        starts = np.concatenate([[0], ends - np.arange(1, len(ends) + 1)])
        probabilities = self._amounts("probability")
        if (probabilities.upper == 0).any():
            return None
        return PathTable(
            name, ListedPaths(sources, destinations, probabilities, PathBatch(starts, channels))
        )

    def _flows(self, name: str, network: Network) -> FlowTable | None:
        sources, destinations, tails, heads = (
            self._nodes(network, column) for column in FLOW_COLUMNS[:4]
        )
        channels = only_channels(network, tails, heads)
        pairs = pairs_of(network, sources, destinations)
        if channels is None or (pairs < 0).any():
            return None
        flows = unit_flows(network, pairs, channels, self._amounts("flow"))
        return None if flows is None else FlowTable(name, flows)

    def _forwarding(self, name: str, network: Network) -> ForwardingTable | None:
        nodes, destinations, heads = (
            self._nodes(network, column) for column in FORWARDING_COLUMNS
        )
        channels = only_channels(network, nodes, heads)
        if channels is None:
            return None
        return forwarding_table(name, network, nodes, destinations, channels)


def _is_header(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells) and set(cells) in map(set, HEADERS)


def forwarding_table(
    name: str, network: Network, nodes: Array, destinations: Array, channels: Array
) -> ForwardingTable | None:
    """Return the table of next channels, None where a node has two for a destination.

    What is said of destinations that eject nothing is left out.
    """
    column = network.destination_index[destinations]
    nodes, column, channels = (each[column >= 0] for each in (nodes, column, channels))
    rows, row = np.unique(nodes, return_inverse=True)
    found = np.full((len(rows), len(network.destinations)), -1, dtype=np.int32)
    found[row, column] = channels
    if (found[row, column] != channels).any():
        return None
    return ForwardingTable(name, rows, found)


def only_channels(network: Network, tails: Array, heads: Array) -> Array | None:
    """Return the channel between each two nodes, None where there is none or several."""
    ends = network.tail * network.node_count + network.head
    _, which, counts = np.unique(ends, return_inverse=True, return_counts=True)
    is_alone = counts[which] == 1
    found = np.empty(len(tails), dtype=np.int32)
    for begin in range(0, len(tails), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        channels = network.channels_between(tails[part].astype(np.int64), heads[part])
        if (channels < 0).any() or not is_alone[channels].all():
            return None
        found[part] = channels
    return found
