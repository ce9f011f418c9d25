"""The tables of OpenSM's engines as routings by name: ``opensm:updn``.

The fabric of a network is simulated and OpenSM sets it up when the routing is first used there.
After failures it does so again, on the same fabric without the cables that failed: ports keep
their numbers, and a torus is still told how it lies.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from obroute.dependencies import Dependencies
from obroute.exporters.ibsim_netlist import (
    fabric_names,
    fabric_ports,
    host_name,
    ibsim_netlist,
)
from obroute.importers.hosted import with_hosts
from obroute.network import Network
from obroute.opensm.simulator import ENGINES, Dumped, check_installed, dumped, programs
from obroute.rational import IntArray
from obroute.routing import Routing, routings
from obroute.routing.core import attached_to
from obroute.routing.delegated import Delegated
from obroute.routing.forwarding import ForwardingTable
from obroute.routing.lft_text import read_switch_tables
from obroute.specs import InputError, Parameter, parse_choice

DEFINED_FOR = "networks of cables, which lead both ways, whose terminals have hosts"
NO_FALLBACK, FALLBACK = "none", "minhop"
MOST_NAMED = 4
"""Cables that failed that an error names."""


@dataclass(frozen=True, eq=False)
class Left:
    """What a network is left of: the whole, and the channels of it that are there."""

    whole: Network
    channels: IntArray

    @property
    def failed(self) -> IntArray:
        """The channels of the whole that are not there."""
        return np.setdiff1d(np.arange(self.whole.channel_count), self.channels)

    def __str__(self) -> str:
        whole, failed = self.whole, self.failed.tolist()
        if not failed:
            return whole.name
        ends = ({int(whole.tail[channel]), int(whole.head[channel])} for channel in failed)
        cables = dict.fromkeys(" – ".join(map(whole.describe, sorted(pair))) for pair in ends)
        more = f" and {len(cables) - MOST_NAMED} more" if len(cables) > MOST_NAMED else ""
        return f"{whole.name} without {', '.join([*cables][:MOST_NAMED])}{more}"


@routings.register(
    "opensm",
    "tables that OpenSM makes by an engine, in a simulator: minhop, updn, ftree, …",
    defined_for=DEFINED_FOR,
    examples=("opensm:minhop",),
    small=("opensm:ftree,fallback=minhop",),
)
class EngineTable(Delegated):
    """The routing in the tables that an engine of OpenSM makes of a network."""

    made_anew = True

    def __init__(
        self,
        engine: Annotated[str, Parameter(", ".join(ENGINES), parse_choice(*ENGINES))],
        fallback: Annotated[
            str,
            Parameter(
                "engine where that cannot route, as OpenSM goes on by itself",
                parse_choice(NO_FALLBACK, FALLBACK),
            ),
        ] = NO_FALLBACK,
    ) -> None:
        super().__init__()
        self.engine, self.fallback = engine, fallback
        self.left: Left | None = None
        self.lanes = False
        # Not in what is remembered: they go where the routing goes, so that all have the same.
        self.tables: dict[str, Dumped] = {}

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return its modules, and the programs: another version may make other tables."""
        return Dependencies.union([super().depends_on(network), Dependencies(programs())])

    def network_for(self, network: Network) -> Network:
        """Return the network with a node for each host: a table leads to each its own way."""
        try:
            return with_hosts(network)
        except InputError:
            return network  # which :meth:`check` refuses

    def check(self, network: Network) -> None:
        """Raise where a program is missing, or the network is no fabric; none is run yet."""
        hosts = self.network_for(network)
        try:
            ibsim_netlist(network)
            fits = all(_has_one_host(hosts, node) for node in _switches(hosts))
        except InputError:
            fits = False
        if not fits:
            raise InputError(
                f"{self.name} is not defined on {network.name}; it is defined for {DEFINED_FOR}"
            )
        if hosts is not network:
            raise InputError(
                f"{self.name} leads to each host of a node its own way; expected the network with "
                f"a node for each, {hosts.name}"
            )
        check_installed()

    def after_failures(self, whole: Network, channels: IntArray) -> Routing:
        """Return what OpenSM makes of the same fabric without what failed."""
        found = EngineTable(self.engine, self.fallback)
        found.left, found.lanes = Left(whole, channels), self.lanes
        return found

    def with_lanes(self) -> EngineTable:
        """Return the same of an OpenSM that maps service levels to lanes, and tells them."""
        found = EngineTable(self.engine, self.fallback)
        found.left, found.lanes = self.left, True
        return found

    def make(self, network: Network) -> Routing:
        """Return the table, checked.

        Raises
        ------
        InputError
            If OpenSM cannot route the fabric by the engine.
        """
        self.check(network)
        nodes, rows = self._next(network)
        found = ForwardingTable(self.name, nodes, rows)
        found.check(network)
        return found

    def dumped(self, network: Network) -> Dumped:
        """Return what OpenSM dumps of the network, in the one run that its table is of.

        Raises
        ------
        InputError
            If OpenSM cannot route the fabric by the engine.
        """
        left = self._left(network)
        netlist = ibsim_netlist(left.whole, left.failed)
        host = _port_names(left.whole)[int(network.sources[0])]
        key = hashlib.sha256(f"{self.lanes}\n{host}\n{netlist}".encode()).hexdigest()
        if key not in self.tables:
            found = dumped(left.whole, self.engine, netlist, host, lanes=self.lanes)
            if found.used not in (self.engine, self.fallback):
                remedy = "" if self.fallback == FALLBACK else f", or fallback={FALLBACK}"
                raise InputError(
                    f"OpenSM cannot route {left} by {self.engine}; expected another engine{remedy}"
                )
            self.tables[key] = found
        return self.tables[key]

    def _left(self, network: Network) -> Left:
        return self.left or Left(network, np.arange(network.channel_count))

    def _next(self, network: Network) -> tuple[IntArray, NDArray[Any]]:
        """Return the nodes with a table, and their next channels to each destination."""
        text = self.dumped(network).texts["lfts"]
        tables, described = read_switch_tables(Path(self.name), [text])
        left = self._left(network)
        whole, ports = left.whole, np.array(fabric_ports(left.whole), dtype=np.int64)
        channel_of = np.full((whole.node_count, int(ports.max()) + 2), -1, dtype=np.int64)
        channel_of[whole.tail[left.channels], ports[left.channels]] = np.arange(len(left.channels))
        node_of = {name: node for node, name in enumerate(fabric_names(whole))}
        hosts = _port_names(whole)
        column_of = {hosts[node]: k for k, node in enumerate(network.destinations.tolist())}
        rows = np.full((len(tables), len(column_of)), -1, dtype=np.int32)
        for row, table in enumerate(tables):
            of_node = channel_of[node_of[table.description]]
            for port, place in zip(table.ports, table.described, strict=True):
                column = column_of.get(described[place], -1)
                if column >= 0 and port < len(of_node):
                    rows[row, column] = of_node[port]
        return np.array([node_of[table.description] for table in tables], dtype=np.int64), rows


def _port_names(network: Network) -> list[str]:
    """Return what the adapter of each node is called in a netlist: itself, or its host."""
    adapters = attached_to(network) != range(network.node_count)
    return [
        name if adapters[node] else host_name(name, 1)
        for node, name in enumerate(fabric_names(network))
    ]


def _switches(network: Network) -> list[int]:
    attached = attached_to(network)
    return [node for node in range(network.node_count) if attached[node] == node]


def _has_one_host(network: Network, node: int) -> bool:
    """Say whether a switch is no terminal, or one that sends and gets by one host."""
    source, destination = int(network.source_index[node]), int(network.destination_index[node])
    if source < 0 and destination < 0:
        return True
    return min(source, destination) >= 0 and network.injection.fraction(source) == Fraction(1)
