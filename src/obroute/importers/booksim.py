"""Networks from BookSim's anynet files: ``router 0 node 0 node 1 router 1 15 router 2``.

A line says what a router, or a node, is connected to, with the latency after it where that is not
one cycle. A link between routers goes both ways, and is one link if both routers list it. Nodes
are the hosts: a router injects and ejects a packet per cycle for each of its nodes.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.graph_files import TerminalFile, network_of
from obroute.importers.numbered_lines import Line, lines_of
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head
from obroute.specs import InputError, Parameter

_LINE = re.compile(r"(?:router|node)\s+\d+(?:\s+(?:router|node)\s+\d+(?:\s+\d+)?)+")


def _is_anynet(head: Head) -> bool:
    return bool(head.lines) and all(_LINE.fullmatch(line) for line in head.lines)


@importers.register(
    "booksim",
    "BookSim's anynet",
    recognise=_is_anynet,
    aliases=("anynet",),
    small=(
        "router 0 node 0 node 1 router 1 4\nrouter 1 node 2 router 2\nrouter 2 node 3\n",
        "node 0 router 0\nrouter 0 router 1\nrouter 1 node 1\n",
    ),
)
def booksim(
    file: Annotated[FilePath, Parameter("the anynet file", FilePath)],
    terminals: TerminalFile = None,
) -> Network:
    """Read a network from an anynet file of BookSim; see the module."""
    cabling = Cabling(file, "an anynet file of BookSim")
    router_of: dict[int, int] = {}
    joined: dict[tuple[int, int], None] = {}
    latencies = set()
    for line in lines_of(file, "an anynet file"):
        (kind, number, _), *others = _connected(line)
        for other, one, latency in others:
            latencies.add(latency)
            if kind == other == "node":
                raise line.wrong("expected links of a router; nodes are not joined to each other")
            if kind == other:
                if number == one:
                    raise line.wrong("expected another router; this one is joined to itself")
                ends = cabling.node(str(number)), cabling.node(str(one))
                joined[min(ends), max(ends)] = None
                continue
            router, node = (number, one) if kind == "router" else (one, number)
            if router_of.setdefault(node, router) != router:
                raise line.wrong(f"expected one router a node; node {node} has two")
    for router in router_of.values():
        place = cabling.node(str(router))
        cabling.units[place] = cabling.units.get(place, 0) + 1
    if not router_of:
        raise InputError(f"{file} has no node; expected nodes at routers, such as router 0 node 0")
    for tail, head in joined:
        cabling.cable(tail, head)
    cabling.notes.append(("hosts", f"{len(router_of)} nodes at {len(cabling.units)} routers"))
    if latencies - {1}:
        cabling.left_out([f"latencies ({min(latencies)} to {max(latencies)} cycles)"])
    return network_of(cabling, terminals)


def _connected(line: Line) -> list[tuple[str, int, int]]:
    """Return the routers and nodes of a line with the latencies after them."""
    found: list[tuple[str, int, int]] = []
    words = line.words
    place = 0
    while place < len(words):
        kind = words[place].lower()
        if kind not in ("router", "node") or place + 1 == len(words):
            raise line.wrong("expected router or node, and a number, for each")
        number, latency = line.whole(words[place + 1]), 1
        place += 2
        if found and place < len(words) and words[place].isdigit():
            latency = line.whole(words[place])
            place += 1
        found.append((kind, number, latency))
    if len(found) < 2:
        raise line.wrong("expected what it is connected to, such as router 0 router 1")
    return found
