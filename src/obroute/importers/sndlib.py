"""Networks of SNDlib, in its XML and its native format, with their demands.

A link has the capacity that is installed; where no link has one, the smallest module that may be
installed, if each has modules; and otherwise 1. ``capacity`` says which. A link is a cable, but
for files that list some link each way. Demands are read as traffic from the same file: amounts
are demand values times routing units, in the unit of the capacities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.graph_files import TerminalFile, network_of
from obroute.importers.registry import Demand, importers
from obroute.network import Network
from obroute.reading import Element, Head, Rate, read_text, read_xml
from obroute.specs import InputError, Parameter, parse_choice, parse_fraction, shown

INSTALLED, MODULE, EQUAL = "installed", "module", "equal"
Capacity = Annotated[
    str,
    Parameter(
        "bandwidth of a link: installed, the smallest module, equal for all, or auto: the first "
        "of these that every link has",
        parse_choice("auto", INSTALLED, MODULE, EQUAL),
    ),
]
Lines = Annotated[
    str,
    Parameter(
        "what a link is: channels, cables (a channel each way), or auto: channels where some "
        "link is listed each way",
        parse_choice("auto", "channels", "cables"),
    ),
]
_SECTION = re.compile(r"(?P<name>[A-Z_]+)\s*\($")
_NODE = re.compile(r"(?P<id>[^\s()]+)\s*\(\s*[-+\d.eE]+\s+[-+\d.eE]+\s*\)")
_LINK = re.compile(
    r"(?P<id>[^\s()]+)\s*\(\s*(?P<source>[^\s()]+)\s+(?P<target>[^\s()]+)\s*\)"
    r"(?P<values>[^()]*)(?:\((?P<modules>[^()]*)\)\s*)?"
)


@dataclass(frozen=True)
class _Entry:
    """A link or a demand: its line, its ends, its capacities or its amount."""

    line: int
    source: str
    target: str
    installed: Fraction = Fraction(0)
    modules: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class _Contents:
    nodes: tuple[str, ...]
    links: tuple[_Entry, ...]
    demands: tuple[_Entry, ...]


def _network(
    file: FilePath,
    form: str,
    found: _Contents,
    capacity: str,
    lines: str,
    terminals: FilePath | None,
) -> Network:
    cabling = Cabling(file, form)
    for name in found.nodes:
        if name in cabling.number_of:
            raise InputError(f"{file}: node {shown(name)} comes twice; list it once")
        cabling.node(name)
    known = set(found.nodes)
    for entry in (*found.links, *found.demands):
        for end in (entry.source, entry.target):
            if end not in known:
                raise InputError(f"{file}: line {entry.line}: there is no node {shown(end)}")
    joined = {(link.source, link.target) for link in found.links}
    both = any((target, source) in joined for source, target in joined)
    take = cabling.channel if lines == "channels" or (both and lines == "auto") else cabling.cable
    bandwidth = _capacity(cabling, found.links, capacity)
    for link in found.links:
        amount = bandwidth(link)
        if amount <= 0:
            raise InputError(
                f"{file}: line {link.line}: the {capacity} capacity of the link is {amount}; "
                f"expected more, or another capacity={EQUAL}"
            )
        ends = cabling.node(link.source), cabling.node(link.target)
        take(*ends, Rate(amount, has_unit=False))
    if found.demands:
        cabling.notes.append(("demands", f"{len(found.demands)}, as --pattern matrix:{file}"))
    return network_of(cabling, terminals)


def _capacity(
    cabling: Cabling, links: Sequence[_Entry], chosen: str
) -> Callable[[_Entry], Fraction]:
    has = {
        INSTALLED: all(link.installed > 0 for link in links),
        MODULE: all(link.modules for link in links),
        EQUAL: True,
    }
    kind = next(kind for kind, every in has.items() if every) if chosen == "auto" else chosen
    said = {
        INSTALLED: "what is installed",
        MODULE: "the smallest module of each link",
        EQUAL: "1 for every link",
    }
    cabling.notes.append(("capacity", said[kind]))
    return {
        INSTALLED: lambda link: link.installed,
        MODULE: lambda link: min(link.modules, default=Fraction(0)),
        EQUAL: lambda link: Fraction(1),
    }[kind]


def _demands(found: _Contents) -> list[Demand]:
    return [(entry.source, entry.target, entry.installed) for entry in found.demands]


# ------------------------------------------------------------------------------------------ XML


def _is_sndlib_xml(head: Head) -> bool:
    return re.search(r"<network[\s>]", head.text) is not None and "networkStructure" in head.text


def _xml_demands(file: FilePath) -> list[Demand]:
    return _demands(_xml(file))


@importers.register(
    "sndlib_xml",
    "SNDlib's XML, with demands",
    recognise=_is_sndlib_xml,
    endings=("xml",),
    demands=_xml_demands,
    words={"undirected": "lines=cables", "directed": "lines=channels"},
    small=(
        '<network><networkStructure><nodes><node id="a"/><node id="b"/></nodes><links>'
        '<link id="l"><source>a</source><target>b</target><preInstalledModule><capacity>40'
        "</capacity></preInstalledModule></link></links></networkStructure><demands>"
        '<demand id="d"><source>a</source><target>b</target><demandValue>30</demandValue>'
        "</demand></demands></network>\n",
    ),
)
def sndlib_xml(
    file: Annotated[FilePath, Parameter("the XML file", FilePath)],
    terminals: TerminalFile = None,
    capacity: Capacity = "auto",
    lines: Lines = "auto",
) -> Network:
    """Read a network from SNDlib's XML; see the module."""
    return _network(file, "SNDlib's XML", _xml(file), capacity, lines, terminals)


def _xml(file: FilePath) -> _Contents:
    outer = read_xml(file, read_text(file, "XML"))
    structure = outer.find("networkStructure")
    nodes = structure and structure.find("nodes")
    links = structure and structure.find("links")
    if nodes is None or links is None:
        raise InputError(f"{file}: expected nodes and links in the networkStructure of a network")
    demands = outer.find("demands")
    return _Contents(
        tuple(node.attributes.get("id", "") for node in nodes.find_all("node")),
        tuple(_xml_link(file, link) for link in links.find_all("link")),
        tuple(_xml_demand(file, d) for d in (demands.find_all("demand") if demands else ())),
    )


def _xml_link(file: FilePath, link: Element) -> _Entry:
    installed = link.find("preInstalledModule")
    modules = link.find("additionalModules")
    return _Entry(
        link.line,
        link.said("source"),
        link.said("target"),
        Fraction(0) if installed is None else _xml_number(file, installed, "capacity"),
        tuple(
            _xml_number(file, module, "capacity")
            for module in (modules.find_all("addModule") if modules else ())
        ),
    )


def _xml_demand(file: FilePath, demand: Element) -> _Entry:
    unit = _xml_number(file, demand, "routingUnit", "1")
    amount = unit * _xml_number(file, demand, "demandValue")
    return _Entry(demand.line, demand.said("source"), demand.said("target"), amount)


def _xml_number(file: FilePath, element: Element, tag: str, usual: str = "") -> Fraction:
    return _number(file, element.line, element.said(tag) or usual, tag)


def _number(file: FilePath, line: int, text: str, what: str) -> Fraction:
    try:
        amount = parse_fraction(text)
    except InputError as error:
        raise InputError(f"{file}: line {line}: {what}: {error}") from None
    if amount < 0:
        raise InputError(f"{file}: line {line}: {what} is {amount}; expected 0 or more")
    return amount


# --------------------------------------------------------------------------------------- native


def _is_sndlib(head: Head) -> bool:
    return head.text.lstrip().startswith("?SNDlib native format")


def _native_demands(file: FilePath) -> list[Demand]:
    return _demands(_native(file))


@importers.register(
    "sndlib",
    "SNDlib's native format, with demands",
    recognise=_is_sndlib,
    demands=_native_demands,
    words={"undirected": "lines=cables", "directed": "lines=channels"},
    small=(
        "?SNDlib native format; type: network; version: 1.0\nNODES (\n  a ( 0.0 0.0 )\n"
        "  b ( 1.0 0.5 )\n)\nLINKS (\n  l ( a b ) 0.00 0.00 0.00 0.00 ( 155.00 1.00 622.00 3.00 )"
        "\n)\nDEMANDS (\n  d ( a b ) 1 30.50 UNLIMITED\n)\n",
    ),
)
def sndlib(
    file: Annotated[FilePath, Parameter("the file", FilePath)],
    terminals: TerminalFile = None,
    capacity: Capacity = "auto",
    lines: Lines = "auto",
) -> Network:
    """Read a network from SNDlib's native format; see the module."""
    return _network(file, "SNDlib's native format", _native(file), capacity, lines, terminals)


def _native(file: FilePath) -> _Contents:
    nodes: list[str] = []
    links: list[_Entry] = []
    demands: list[_Entry] = []
    for section, number, line in _native_lines(file):
        if section == "NODES":
            node = _NODE.fullmatch(line)
            if node is None:
                raise _unread(file, number, line, "name ( longitude latitude )")
            nodes.append(node["id"])
        elif section in ("LINKS", "DEMANDS"):
            found = _LINK.fullmatch(line)
            values = found["values"].split() if found else []
            if found is None or len(values) < (1 if section == "LINKS" else 2):
                raise _unread(file, number, line, "name ( source target ) and its numbers")
            ends = number, found["source"], found["target"]
            if section == "LINKS":
                installed = _number(file, number, values[0], "capacity")
                modules = (found["modules"] or "").split()[::2]
                sizes = tuple(_number(file, number, module, "module") for module in modules)
                links.append(_Entry(*ends, installed, sizes))
            else:
                unit, amount = (_number(file, number, value, "demand") for value in values[:2])
                demands.append(_Entry(*ends, unit * amount))
    return _Contents(tuple(nodes), tuple(links), tuple(demands))


def _native_lines(file: FilePath) -> Iterator[tuple[str, int, str]]:
    """Yield each entry with the section that it stands in and its line."""
    section = ""
    text = read_text(file, "SNDlib's native format")
    lines = (line.partition("#")[0].strip() for line in text.split("\n"))
    for number, line in enumerate(lines, start=1):
        opened = _SECTION.fullmatch(line)
        if not line or line.startswith("?"):
            continue
        if not section and opened is None:
            raise _unread(file, number, line, "a section such as NODES (")
        if not section and opened is not None:
            section = opened["name"]
        elif line == ")":
            section = ""
        else:
            yield section, number, line


def _unread(file: FilePath, number: int, line: str, expected: str) -> InputError:
    return InputError(f"{file}: line {number} is {shown(line)}; expected {expected}")
