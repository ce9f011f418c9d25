"""Destination-based routings of InfiniBand fabrics as OpenSM's routing engine ``file`` loads them.

The form is that of ``opensm-lfts.dump``: ``opensm -R file -U tables.lfts``. A row is there for
every LID of every port and switch. Where the routing leads no packets of a destination through a
switch, and for the LIDs of switches, which the routing says nothing of, the row is that of a
shortest path, so that the subnet manager reaches all.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from obroute.importers.fabric import Fabric
from obroute.network import Network
from obroute.routing.contract import Routing
from obroute.specs import InputError
from obroute.writing import write_whole


def lft_text(network: Network, routing: Routing) -> str:
    """Return the tables of all switches.

    Raises
    ------
    InputError
        If the network is no fabric with GUIDs and LIDs, or the routing is not destination-based:
        at some switch the packets for a port leave by two of its ports.
    """
    if not isinstance(network, Fabric):
        raise InputError(
            f"{network.name} has no ports by number; tables are written for networks that are "
            "read from the output of ibnetdiscover or opensm-subnet.lst"
        )
    if not all(network.guids) or not all(network.lids):
        raise InputError(
            f"{network.name} does not say every GUID and LID; read the fabric from the output of "
            "ibnetdiscover or opensm-subnet.lst"
        )
    routing.check(network)
    ports = _ports(network, routing)
    blocks = []
    rows = [
        (lid, node)
        for node in range(network.node_count)
        for lid in range(network.lids[node], network.lids[node] + max(1, network.lid_counts[node]))
    ]
    last = max(lid for lid, _ in rows)
    for switch in range(network.node_count):
        if not network.is_switch[switch]:
            continue
        lines = [
            f"Unicast lids [0-{last}] of switch Lid {network.lids[switch]} guid "
            f"{network.guids[switch]:#018x} ('{network.descriptions[switch]}'):"
        ]
        for lid, node in sorted(rows):
            port = 0 if node == switch else int(ports[switch, node])
            if port >= 0:
                kind = "Switch" if network.is_switch[node] else "Channel Adapter"
                lines.append(
                    f"{lid:#06x} {port:03d} # {kind} portguid {network.guids[node]:#018x}: "
                    f"'{network.descriptions[node]}'"
                )
        blocks += [*lines, f"{last} lids dumped"]
    return "\n".join(blocks) + "\n"


def write_lft(network: Network, routing: Routing, file: Path) -> None:
    """Write the tables to a file."""
    write_whole(file, lft_text(network, routing).encode())


def _ports(network: Fabric, routing: Routing) -> NDArray[np.int64]:
    """Return the port of each node towards each node, -1 where none leads there."""
    taken = np.full((network.node_count, network.node_count), -1, dtype=np.int64)
    for node in range(network.node_count):
        if network.destination_index[node] >= 0:
            taken[:, node] = _towards(network, routing, node)
        _complete(network, node, taken[:, node])
    return np.where(taken >= 0, network.out_port[taken], -1)


def _towards(network: Fabric, routing: Routing, destination: int) -> NDArray[np.int64]:
    """Return the channel by which the packets for a port leave each node."""
    everyone = np.full(len(network.sources), destination)
    channels = np.unique(routing.channel_loads(network, network.sources, everyone).columns)
    taken = np.full(network.node_count, -1, dtype=np.int64)
    taken[network.tail[channels]] = channels
    lost = np.flatnonzero(taken[network.tail[channels]] != channels)
    if lost.size:
        one = int(channels[lost[0]])
        other, tail = int(taken[network.tail[one]]), int(network.tail[one])
        raise InputError(
            f"{routing.name} is not destination-based: what is for "
            f"{network.describe(destination)} leaves {network.describe(tail)} by "
            f"port {network.out_port[one]} and port {network.out_port[other]}; expected one port"
        )
    return taken


def _complete(network: Fabric, destination: int, taken: NDArray[np.int64]) -> None:
    """Let nodes that have no channel towards a node take one of a shortest path."""
    channels, starts = network.in_channels
    seen = {destination}
    waiting = deque([destination])
    while waiting:
        node = waiting.popleft()
        for channel in channels[starts[node] : starts[node + 1]].tolist():
            tail = int(network.tail[channel])
            if tail not in seen and network.is_switch[tail]:
                seen.add(tail)
                waiting.append(tail)
                if taken[tail] < 0:
                    taken[tail] = channel
