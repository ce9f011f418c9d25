"""Networks as netlists of ``ibsim``, so that OpenSM routes them without hardware.

A node that hangs on another by one cable and is a terminal is an adapter, and so is every unit
that a node with more cables injects; all other nodes are switches. Ports are numbered in the order
of a node's channels, those to the adapters of a switch last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing.core import attached_to
from obroute.specs import InputError

_UNFIT = re.compile(r"[^\w.,:()+/-]")
LONGEST_NAME = 60


def ibsim_netlist(network: Network, failed: IntArray | Sequence[int] = ()) -> str:
    """Return the netlist of a network.

    Parameters
    ----------
    network
        The network.
    failed
        Channels that are not there, both of a cable; every port keeps its number.

    Raises
    ------
    InputError
        If a channel has none in return, one of a cable has failed and the other has not, or a
        terminal of several cables injects no whole number of packets.

    Examples
    --------
    >>> from obroute import make_network
    >>> print(ibsim_netlist(make_network("ring:3")).split("Hca")[0].split("Switch")[1].strip())
    3 "(0)"
    [1] "(1)"[2]
    [2] "(2)"[1]
    [3] "(0)-1"[1]
    """
    attached = attached_to(network)
    adapters = attached != range(network.node_count)
    cables: dict[int, list[tuple[int, str]]] = defaultdict(list)
    names = fabric_names(network)
    ports = fabric_ports(network)
    gone = {*map(int, failed)}
    for channel, back in sorted(_pairs(network).items()):
        tail, head = int(network.tail[channel]), int(network.head[channel])
        if (channel in gone) != (back in gone):
            raise InputError(
                f"{network.name}: the channel from {network.describe(tail)} to "
                f"{network.describe(head)} fails alone; expected cables, which fail both ways"
            )
        line = "" if channel in gone else f'[{ports[channel]}] "{names[head]}"[{ports[back]}]'
        cables[tail].append((ports[channel], line))
    blocks = []
    for node in range(network.node_count):
        count = len(cables[node])
        lines = [line for _, line in sorted(cables[node]) if line]
        if adapters[node]:
            blocks.append(_block("Hca", names[node], count, lines))
            continue
        for unit in range(1, _units(network, node) + 1):
            host, count = host_name(names[node], unit), count + 1
            lines.append(f'[{count}] "{host}"[1]')
            blocks.append(_block("Hca", host, 1, [f'[1] "{names[node]}"[{count}]']))
        blocks.append(_block("Switch", names[node], count, lines))
    return "\n".join(sorted(blocks, key=lambda block: block.startswith("Hca")))


def _block(kind: str, name: str, ports: int, lines: list[str]) -> str:
    return "\n".join([f'{kind} {max(1, ports)} "{name}"', *lines, ""])


def fabric_names(network: Network) -> list[str]:
    """Return what each node is called in a netlist."""
    names = [_UNFIT.sub("_", network.describe(node)) for node in range(network.node_count)]
    switches = np.flatnonzero(attached_to(network) == np.arange(network.node_count))
    own = {host_name(names[node], 1) for node in switches if network.source_index[node] >= 0}
    if (
        len(set(names)) < len(names)
        or not own.isdisjoint(names)
        or max(map(len, names)) > LONGEST_NAME
    ):
        names = [f"node{node}" for node in range(network.node_count)]
    return names


def host_name(node: str, unit: int) -> str:
    """Return what the adapter of a unit of a node is called, by the node's name."""
    return f"{node}-{unit}"


def _units(network: Network, node: int) -> int:
    place = int(network.source_index[node])
    if place < 0:
        return 0
    units = network.injection.fraction(place)
    if units.denominator != 1:
        raise InputError(
            f"{network.name}: node {network.describe(node)} injects {units} packets per cycle; "
            "expected whole hosts"
        )
    return int(units)


def _pairs(network: Network) -> dict[int, int]:
    """Return the channel that leads back over the cable of each, parallel ones in order."""
    between: dict[tuple[int, int], list[int]] = defaultdict(list)
    for channel, ends in enumerate(_ends(network)):
        between[ends].append(channel)
    found: dict[int, int] = {}
    for (tail, head), channels in between.items():
        back = between.get((head, tail), [])
        if len(back) != len(channels):
            raise InputError(
                f"{network.name}: {len(channels)} channels lead from "
                f"{network.describe(tail)} to {network.describe(head)} and {len(back)} back; "
                "expected cables, which lead both ways"
            )
        found.update(zip(channels, back, strict=True))
    return found


def _ends(network: Network) -> Iterator[tuple[int, int]]:
    return zip(network.tail.tolist(), network.head.tolist(), strict=True)


def fabric_ports(network: Network) -> list[int]:
    """Return the port of its tail that each channel leaves by."""
    seen: dict[int, int] = defaultdict(int)
    ports = []
    for tail in network.tail.tolist():
        seen[tail] += 1
        ports.append(seen[tail])
    return ports
