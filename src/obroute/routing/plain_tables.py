"""Tables that are plain, read column by column: a million lines in seconds.

Plain is a file with commas, without quotes, comments, ports or arrows, in which all is right. What
is not is read line by line (:mod:`obroute.routing.table`), to the same result or to the error that
names the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from obroute.network import Network
from obroute.quotients import Quotients
from obroute.rational import IntArray
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
GivenTable = PathTable | FlowTable | ForwardingTable
NOT_PLAIN = ('"', "#", ">", "→", "\r", "\t", ", ", " ,", "\n ", " \n")


@dataclass(frozen=True)
class PlainTable:
    """The columns of a plain table by their names."""

    columns: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, text: str) -> PlainTable | None:
        """Split a text into columns, None where it is not plain."""
        if any(mark in text for mark in NOT_PLAIN):
            return None
        lines = [line.split(",") for line in text.split("\n") if line]
        if len(lines) <= 1 or set(lines[0]) not in map(set, HEADERS):
            return None
        width = len(lines[0])
        if any(len(line) != width for line in lines) or len(set(lines[0])) < width:
            return None
        return cls(dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True)))

    def routing(self, name: str, network: Network) -> GivenTable | None:
        """Return the routing of a network, None where something is not right."""
        read = {PATH_COLUMNS: self._paths, FLOW_COLUMNS: self._flows}
        header = next(each for each in HEADERS if set(each) == set(self.columns))
        try:
            return read.get(header, self._forwarding)(name, network)
        except InputError:
            return None

    def _nodes(self, network: Network, names: Sequence[str]) -> IntArray:
        node = {each: network.node_named(each) for each in set(names)}
        return np.fromiter(map(node.__getitem__, names), np.int64, len(names))

    def _amounts(self, texts: Sequence[str]) -> Quotients:
        """Read numbers, each different text once; none is negative."""
        place = {each: number for number, each in enumerate(sorted(set(texts)))}
        amounts = [parse_fraction(each) for each in place]
        if any(amount < 0 for amount in amounts):
            raise InputError("negative")
        which = np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))
        return Quotients.from_fractions(amounts).take(which)

    def _paths(self, name: str, network: Network) -> PathTable | None:
        steps = [path.split() for path in self.columns["path"]]
        nodes = self._nodes(network, list(chain.from_iterable(steps)))
        sources = self._nodes(network, self.columns["source"])
        destinations = self._nodes(network, self.columns["destination"])
        ends = np.cumsum(np.fromiter(map(len, steps), np.int64, len(steps)))
        begins = np.concatenate([[0], ends[:-1]])
        if (ends == begins).any():
            return None
        if (nodes[begins] != sources).any() or (nodes[ends - 1] != destinations).any():
            return None
        goes_on = np.ones(len(nodes), dtype=np.bool_)
        goes_on[ends - 1] = False
        on = np.flatnonzero(goes_on)
        channels = only_channels(network, nodes[on], nodes[on + 1])
        if channels is None:
            return None
        starts = np.concatenate([[0], ends - np.arange(1, len(ends) + 1)])
        probabilities = self._amounts(self.columns["probability"])
        if (probabilities.upper == 0).any():
            return None
        batch = PathBatch(starts, channels.astype(np.int32))
        return PathTable(name, ListedPaths(sources, destinations, probabilities, batch))

    def _flows(self, name: str, network: Network) -> FlowTable | None:
        sources, destinations, tails, heads = (
            self._nodes(network, self.columns[column]) for column in FLOW_COLUMNS[:4]
        )
        channels = only_channels(network, tails, heads)
        pairs = pairs_of(network, sources, destinations)
        if channels is None or (pairs < 0).any():
            return None
        flows = unit_flows(network, pairs, channels, self._amounts(self.columns["flow"]))
        return None if flows is None else FlowTable(name, flows)

    def _forwarding(self, name: str, network: Network) -> ForwardingTable | None:
        nodes, destinations, heads = (
            self._nodes(network, self.columns[column]) for column in FORWARDING_COLUMNS
        )
        channels = only_channels(network, nodes, heads)
        if channels is None:
            return None
        return forwarding_table(name, network, nodes, destinations, channels)


def forwarding_table(
    name: str, network: Network, nodes: IntArray, destinations: IntArray, channels: IntArray
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


def only_channels(network: Network, tails: IntArray, heads: IntArray) -> IntArray | None:
    """Return the channel between each two nodes, None where there is none or several."""
    channels = network.channels_between(tails, heads)
    ends = network.tail * network.node_count + network.head
    _, which, counts = np.unique(ends, return_inverse=True, return_counts=True)
    if (channels < 0).any() or (counts[which[channels]] > 1).any():
        return None
    return channels
