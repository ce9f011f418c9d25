"""Networks from topology files of ns-3 with RDMA, HPCC and ASTRA-sim: hosts, switches, links.

The first line has the numbers of nodes, of switches and of links (or, as SimAI writes it, nodes,
GPUs a server, NVSwitches, switches, links, and the GPU); the next lists the switches; each further
line is a cable: two nodes, a rate, a delay, an error rate. A node that is no switch is a host, and
injects and ejects what its links carry.
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
from obroute.reading import Head, parse_rate
from obroute.specs import InputError, Parameter

_LINK = re.compile(r"\d+\s+\d+\s+[\d.]+\s?[kKMGT]?bps\s+[\d.]+[a-z]*\s+[\d.eE-]+")


def _is_ns3(head: Head) -> bool:
    lines = head.lines
    begins = len(lines) > 1 and all(word.isdigit() for word in lines[0].split()[:3])
    links = lines[2:4] if len(lines) > 2 else lines[1:2]
    return begins and bool(links) and all(_LINK.fullmatch(line) for line in links)


@importers.register(
    "ns3",
    "topology files of ns-3, HPCC, ASTRA-sim and SimAI",
    recognise=_is_ns3,
    small=("3 1 2\n2\n0 2 100Gbps 0.0005ms 0\n1 2 200Gbps 0.0005ms 0\n",),
)
def ns3(
    file: Annotated[FilePath, Parameter("the topology file", FilePath)],
    terminals: TerminalFile = None,
) -> Network:
    """Read a network from a topology file of ns-3; see the module."""
    lines = lines_of(file, "a topology file of ns-3")
    if not lines:
        raise InputError(f"{file} is empty; expected numbers of nodes, switches and links")
    first, *rest = lines
    nodes, switches, links = _counts(first)
    listed = rest.pop(0) if switches and rest else Line(file, first.number, "")
    ids = [listed.whole(word, nodes) for word in listed.words]
    if len(set(ids)) != switches or len(rest) != links:
        raise InputError(
            f"{file}: line {first.number} says {switches} switches and {links} links, and "
            f"{len(set(ids))} switches and {len(rest)} links are listed"
        )
    cabling = Cabling(file, "a topology file of ns-3")
    for node in range(nodes):
        cabling.node(str(node))
    cabling.hosts = sorted(set(range(nodes)) - set(ids))
    for line in rest:
        words = line.words
        if len(words) < 3:
            raise line.wrong("expected two nodes, a rate, a delay and an error rate")
        try:
            rate = parse_rate(words[2])
        except InputError as error:
            raise InputError(f"{file}: line {line.number}: {error}") from None
        cabling.cable(line.whole(words[0], nodes), line.whole(words[1], nodes), rate)
    cabling.left_out(["delays and error rates of links"])
    return network_of(cabling, terminals)


def _counts(first: Line) -> tuple[int, int, int]:
    words = first.words
    if len(words) == 3:
        nodes, switches, links = (first.whole(word) for word in words)
    elif len(words) == 6:
        nodes, _, fast, slow, links = (first.whole(word) for word in words[:5])
        switches = fast + slow
    else:
        raise first.wrong("expected the numbers of nodes, switches and links")
    if nodes < 2 or nodes > 10 * links:
        raise first.wrong("expected at least two nodes, and links for them")
    return nodes, switches, links
