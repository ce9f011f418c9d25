"""Networks as netlists of ``ibsim``, so that OpenSM routes them without hardware.

A node that hangs on another by one cable and is a terminal is an adapter, and so is every unit
that a node with more cables injects; all other nodes are switches. Ports are numbered in the order
of a node's channels, those to the adapters of a switch last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from obroute.network import Network
from obroute.routing.core import attached_to
from obroute.specs import InputError

_UNFIT = re.compile(r"[^\w.,:()+/-]")
LONGEST_NAME = 60


def ibsim_netlist(network: Network) -> str:
    """Return the netlist of a network.

    Raises
    ------
    InputError
        If a channel has none in return, or a terminal of several cables injects no whole number
        of packets.

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
    cables: dict[int, list[tuple[str, int]]] = defaultdict(list)
    names = _names(network)
    ports = _ports(network)
    for channel, back in sorted(_pairs(network).items()):
        tail, head = int(network.tail[channel]), int(network.head[channel])
        cables[tail].append((names[head], ports[back]))
    blocks = []
    for node in range(network.node_count):
        lines = [f'[{port}] "{far}"[{there}]' for port, (far, there) in enumerate(cables[node], 1)]
        if adapters[node]:
            blocks.append(_block("Hca", names[node], lines))
            continue
        for unit in range(1, _units(network, node) + 1):
            host = f"{names[node]}-{unit}"
            lines.append(f'[{len(lines) + 1}] "{host}"[1]')
            blocks.append(_block("Hca", host, [f'[1] "{names[node]}"[{len(lines)}]']))
        blocks.append(_block("Switch", names[node], lines))
    return "\n".join(sorted(blocks, key=lambda block: block.startswith("Hca")))


def _block(kind: str, name: str, lines: list[str]) -> str:
    return "\n".join([f'{kind} {max(1, len(lines))} "{name}"', *lines, ""])


def _names(network: Network) -> list[str]:
    names = [_UNFIT.sub("_", network.describe(node)) for node in range(network.node_count)]
    if len(set(names)) < len(names) or max(map(len, names)) > LONGEST_NAME:
        names = [f"node{node}" for node in range(network.node_count)]
    return names


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


def _ports(network: Network) -> list[int]:
    """Return the port of its tail that each channel leaves by."""
    seen: dict[int, int] = defaultdict(int)
    ports = []
    for tail in network.tail.tolist():
        seen[tail] += 1
        ports.append(seen[tail])
    return ports
