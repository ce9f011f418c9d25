"""Forwarding tables of InfiniBand switches as a routing of the fabric's hosts.

Every LID of an end port is a destination of the tables. A port that has several, by an LMC above
0, is reached by each of them equally often (a path each), unless ``lids=first`` takes the first
alone. Rows and the fabric are matched by GUID where both have GUIDs, then by LID, then by the
description of the node (:mod:`obroute.routing.lft_match`).

With the virtual lanes of the switches, and the service levels of path records, it tells on which
lane each packet is (:mod:`obroute.routing.lanes`).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from obroute.importers.fabric import Fabric
from obroute.machine import reading
from obroute.network import Network, Path
from obroute.reading import read_blocks
from obroute.routing.combination import Combination
from obroute.routing.contract import LanedPaths, PathBatch, Routing
from obroute.routing.delegated import Delegated
from obroute.routing.forwarding import ForwardingTable
from obroute.routing.lanes import LaneTables, ServiceLevels
from obroute.routing.lft_match import lids_of_ends, switch_nodes
from obroute.routing.lft_text import NO_PORT, SwitchTable, read_switch_tables
from obroute.routing.registry import routings
from obroute.specs import InputError, Parameter, parse_choice

LIDS = 2**16
OVER_TABLES = 3
"""Bytes of memory that the reading of tables takes for each byte of them, at most."""
DEFINED_FOR = "networks that are read from a file of an InfiniBand fabric"


@routings.register(
    "lft",
    "forwarding tables of InfiniBand switches: OpenSM's dumps, dump_lfts, ibroute",
    defined_for=DEFINED_FOR,
)
class ForwardingDump(Delegated):
    """The routing in a dump of forwarding tables; see the modules for forms and matching."""

    def __init__(
        self,
        file: Annotated[FilePath, Parameter("the dump", FilePath)],
        lids: Annotated[
            str,
            Parameter(
                "of a port with several: all equally often, or the first",
                parse_choice("all", "first"),
            ),
        ] = "all",
        sl2vl: Annotated[
            FilePath | None, Parameter("the lanes of the switches: opensm-sl2vl.dump", FilePath)
        ] = None,
        records: Annotated[
            FilePath | None,
            Parameter(
                "the service level of each pair: opensm-path-records.dump; 0 for all if not given",
                FilePath,
            ),
        ] = None,
    ) -> None:
        super().__init__()
        self.file = file
        self.lids = lids
        self.sl2vl = sl2vl
        self.records = records
        if records is not None and sl2vl is None:
            raise InputError(
                f"records={records}: service levels say nothing without the lanes that switches "
                "map them to; give sl2vl=FILE too"
            )
        with reading(file, OVER_TABLES):
            self.tables, self.described = read_switch_tables(
                file, read_blocks(file, "forwarding tables")
            )
        if not self.tables:
            raise InputError(
                f"{file} has no table of a switch; expected Unicast lids … of switch … guid 0x…"
            )

    def make(self, network: Network) -> Routing:
        """Return the table, or the combination of those of each LID of a port."""
        if not isinstance(network, Fabric):
            raise InputError(
                f"{self.name} is not defined on {network.name}; it is defined for {DEFINED_FOR}"
            )
        parts = [part for _, part in self._parts(network)]
        if len(parts) == 1:
            return parts[0]
        return Combination([(Fraction(1, len(parts)), part) for part in parts])

    def told_lanes(self, network: Network) -> LanedPaths | None:
        """Return the paths with the lanes of their hops, where the lanes of switches are given."""
        self.check(network)
        if self.sl2vl is None or not isinstance(network, Fabric):
            return None
        lanes = LaneTables(self.sl2vl, network)
        service = ServiceLevels(self.records, network)
        paths: list[Path] = []
        levels: list[int] = []
        for lids, part in self._parts(network):
            for source in network.sources.tolist():
                for lid, destination in zip(lids, network.destinations.tolist(), strict=True):
                    if destination != source:
                        paths.append(next(part.paths(network, source, destination))[1])
                        levels.append(service.of(source, destination, lid))
        batch = PathBatch.of(paths)
        return LanedPaths(batch, lanes.of_paths(batch, np.array(levels)))

    def _parts(self, network: Fabric) -> list[tuple[list[int], ForwardingTable]]:
        """Return the table of every first LID, second LID, …, with those LIDs."""

        def make() -> list[tuple[list[int], ForwardingTable]]:
            nodes = switch_nodes(self.file, self.tables, network)
            all_lids = lids_of_ends(self.file, self.tables, self.described, network)
            most = 1 if self.lids == "first" else max(map(len, all_lids))
            parts = []
            for k in range(most):
                lids = [own[k % len(own)] for own in all_lids]
                part = ForwardingTable(self.name, *self._next(network, nodes, lids))
                part.check(network)
                parts.append((lids, part))
            return parts

        return self.remember(network, "parts", make)

    def _next(
        self, network: Fabric, nodes: list[int], lids: list[int]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the switches with a table, and their next channels by one LID of each end."""
        channel_of = np.full((network.node_count, NO_PORT + 1), -1, dtype=np.int32)
        channel_of[network.tail, network.out_port] = np.arange(network.channel_count)
        wanted = np.array(lids, dtype=np.int64)
        found = [
            (node, table) for node, table in zip(nodes, self.tables, strict=True) if node >= 0
        ]
        rows = np.full((len(found), len(lids)), -1, dtype=np.int32)
        for row, (node, table) in enumerate(found):
            port_of = np.full(LIDS, NO_PORT, dtype=np.int64)
            port_of[np.array(table.lids)] = np.array(table.ports)
            ports = port_of[wanted]
            rows[row] = channel_of[node, ports]
            lost = np.flatnonzero((rows[row] < 0) & (ports != NO_PORT))
            if lost.size:
                raise self._lost(network, node, table, lids[int(lost[0])], int(ports[lost[0]]))
        return np.array([node for node, _ in found], dtype=np.int64), rows

    def _lost(
        self, network: Fabric, node: int, table: SwitchTable, lid: int, port: int
    ) -> InputError:
        line = table.lines[len(table.lids) - 1 - table.lids[::-1].index(lid)]
        return InputError(
            f"{self.file}: line {line} leads LID {lid:#06x} out of port {port} of "
            f"{network.describe(node)}, and {network.name} has no cable there; take the tables "
            "and the fabric at one time"
        )
