"""Networks that gem5 has simulated: the ``config.ini`` in the folder of a run.

gem5's topologies are programs, but every run leaves what they have built. Of its sections those
are read that the network lists: routers by their ``router_id``, internal links from ``src_node``
to ``dst_node``, and external links, each of which joins a controller to a router. Controllers are
the hosts: a router injects and ejects a packet per cycle for each of its own.

A packet per cycle is what the slowest external link carries: the ``width`` of a link of Garnet
(all alike where it says none), the ``bandwidth_factor`` of one of the simple network. Links that
carry some virtual networks only are read for one of these, ``vnet=0``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.graph_files import TerminalFile
from obroute.importers.numbered_lines import MOST_NODES, Line, lines_of
from obroute.importers.registry import importers
from obroute.importers.terminals import read_terminals
from obroute.network import Network
from obroute.reading import Head, Rate
from obroute.specs import InputError, Parameter, parse_whole, shown

SPEED_OF = {"GarnetNetwork": "width", "SimpleNetwork": "bandwidth_factor"}
"""The types of networks, and what their links call their speed."""
MOST = 2**31


@dataclass(frozen=True, eq=False)
class Gem5Network(Network):
    """A network that gem5 has simulated, with what its routing goes by.

    Parameters
    ----------
    weights, outports
        Of each channel: its weight, and the direction in which it leaves its router.
    algorithm, rows
        The network's ``routing_algorithm`` and ``num_rows``.
    """

    weights: tuple[int, ...] = ()
    outports: tuple[str, ...] = ()
    algorithm: int = 0
    rows: int = 0


@dataclass
class _Section:
    """A section: where it is, and its lines by their keys."""

    head: Line
    lines: dict[str, Line] = field(default_factory=dict)

    def line(self, key: str) -> Line:
        if key not in self.lines:
            raise self.head.wrong(f"expected {key}= in this section")
        return self.lines[key]

    def text(self, key: str, default: str | None = None) -> str:
        if default is not None and key not in self.lines:
            return default
        return self.line(key).text.partition("=")[2].strip()

    def whole(self, key: str, default: str | None = None, below: int = MOST) -> int:
        text = self.text(key, default)
        return self.lines.get(key, self.head).whole(text, below)


class _Sections(dict[str, _Section]):
    """The sections of a file by their names."""

    def listed(self, section: _Section, key: str) -> Iterator[_Section]:
        """Yield the sections that a line of a section lists."""
        for name in section.text(key).split():
            yield self.named(section.line(key), name)

    def named(self, line: Line, name: str) -> _Section:
        if name not in self:
            raise line.wrong(f"expected names of sections; there is no [{name[:80]}]")
        return self[name]


def _is_config(head: Head) -> bool:
    return head.lines[:1] == ("[root]",) and "type=Root" in head.lines[1:9]


@importers.register(
    "gem5",
    "config.ini of a run of gem5: Garnet, the simple network",
    recognise=_is_config,
    endings=("ini",),
    small=(
        "[root]\ntype=Root\n[net]\ntype=GarnetNetwork\nni_flit_size=16\nrouting_algorithm=0\n"
        "num_rows=1\nrouters=net.r0 net.r1\next_links=net.e0 net.e1\nint_links=net.i0 net.i1\n"
        "[net.r0]\nrouter_id=0\n[net.r1]\nrouter_id=1\n"
        "[net.e0]\nint_node=net.r0\n[net.e1]\nint_node=net.r1\n"
        "[net.i0]\nsrc_node=net.r0\ndst_node=net.r1\nweight=1\nwidth=16\n"
        "[net.i1]\nsrc_node=net.r1\ndst_node=net.r0\nweight=1\nwidth=8\n",
    ),
)
def gem5(
    file: Annotated[FilePath, Parameter("the config.ini", FilePath)],
    terminals: TerminalFile = None,
    vnet: Annotated[
        int | None, Parameter("the virtual network, where links carry some only", parse_whole)
    ] = None,
) -> Network:
    """Read the network of a run of gem5; see the module."""
    sections = _read(file)
    networks = [each for each in sections.values() if each.text("type", "") in SPEED_OF]
    if len(networks) != 1:
        raise InputError(
            f"{file} has {len(networks)} sections of type {' or '.join(SPEED_OF)}; expected one: "
            "the config.ini of a run with Ruby"
        )
    (network,) = networks
    speed = SPEED_OF[network.text("type")]
    cabling = Cabling(file, f"a network of gem5, {network.text('type')}")
    router_of: dict[int, str] = {}
    for router in sections.listed(network, "routers"):
        number = router.whole("router_id", below=MOST_NODES)
        if router_of.setdefault(number, router.head.text) != router.head.text:
            raise router.line("router_id").wrong("expected another number for each router")
        cabling.node(str(number))

    def node(link: _Section, key: str) -> int:
        line = link.line(key)
        number = sections.named(line, link.text(key)).whole("router_id", below=MOST_NODES)
        if number not in router_of:
            raise line.wrong("expected a router that the network lists")
        return cabling.node(str(number))

    outer = [link for link in sections.listed(network, "ext_links") if _carries(link, vnet)]
    inner = [link for link in sections.listed(network, "int_links") if _carries(link, vnet)]
    if not outer:
        raise network.line("ext_links").wrong("expected links of controllers to routers")
    _check_clocks(sections, [network, *sections.listed(network, "routers"), *outer, *inner])
    flit = network.text("ni_flit_size", "1")
    speeds = [link.whole(speed, flit) for link in (*outer, *inner)]
    if not all(speeds):
        wrong = (*outer, *inner)[speeds.index(0)]
        raise wrong.line(speed).wrong("expected a speed above 0")
    base = min(speeds[: len(outer)])
    rates = {each: Rate(Fraction(each, base), has_unit=False) for each in set(speeds)}
    for link, each in zip(outer, speeds, strict=False):
        place = node(link, "int_node")
        cabling.units[place] = cabling.units.get(place, 0) + Fraction(each, base)
    for link, each in zip(inner, speeds[len(outer) :], strict=True):
        cabling.channel(node(link, "src_node"), node(link, "dst_node"), rates[each])
    cabling.notes.append(("hosts", f"{len(outer)} controllers at {len(cabling.units)} routers"))
    latencies = {link.text("latency", "1") for link in inner} - {"1"}
    cabling.left_out(
        [f"latencies of links ({', '.join(sorted(latencies)[:3])})"] * bool(latencies)
    )
    listed = None
    if terminals is not None:
        names, _ = cabling.numbered()
        listed = read_terminals(terminals, {name: n for n, name in enumerate(names)}, file)
    return Gem5Network(
        **cabling.fields(listed),
        weights=tuple(link.whole("weight", "1") for link in inner),
        outports=tuple(link.text("src_outport", "") for link in inner),
        algorithm=network.whole("routing_algorithm", "0"),
        rows=network.whole("num_rows", "0", MOST_NODES),
    )


def _read(file: FilePath) -> _Sections:
    """Return the sections of a file.

    Raises
    ------
    InputError
        Names the line that belongs to none, or says a thing twice.
    """
    sections = _Sections()
    section: _Section | None = None
    for line in lines_of(file, "a config.ini of gem5", comments=()):
        text = line.text
        if text.startswith("[") and text.endswith("]"):
            section = _Section(line)
            if sections.setdefault(text[1:-1], section) is not section:
                raise line.wrong("this section stands above, too; expected one")
            continue
        key, mark, _ = text.partition("=")
        if section is None or not mark:
            raise line.wrong("expected [section] or key=value")
        if section.lines.setdefault(key.strip(), line) is not line:
            raise line.wrong(f"{shown(key.strip())} stands above, too; expected one")
    return sections


def _carries(link: _Section, vnet: int | None) -> bool:
    """Say whether a link carries a virtual network."""
    carried = link.text("supported_vnets", "").split()
    if carried and vnet is None:
        line = link.line("supported_vnets")
        raise line.wrong(f"links carry some virtual networks only; say which: {line.file}:vnet=0")
    return not carried or str(vnet) in carried


def _check_clocks(sections: _Sections, parts: list[_Section]) -> None:
    """Refuse a network of several clocks: its links carry more or less than their width says."""
    clocks: dict[tuple[str, str], Line] = {}
    for part in parts:
        inside = [
            sections.named(part.line(key), part.text(key))
            for key in ("network_link",)
            if key in part.lines
        ]
        for one in (part, *inside):
            if "clk_domain" in one.lines:
                line = one.line("clk_domain")
                domain = sections.named(line, one.text("clk_domain"))
                clocks.setdefault((domain.text("clock", ""), domain.text("clk_divider", "")), line)
    if len(clocks) > 1:
        raise list(clocks.values())[1].wrong(
            "this clock is not that of the network; expected one for all routers and links"
        )
