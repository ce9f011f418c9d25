"""Fabrics as ``ibnetdiscover`` prints them, and as netlists of ``ibsim``: a block a node.

A block is a line ``Switch 36 "S-…"`` (``Ca``, ``Hca`` or ``Rt`` for an adapter or a router) and a
line ``[port] "node"[port]`` for each cable. What ``ibnetdiscover`` knows besides is in comments
after them: descriptions, LIDs, widths and lanes (``4xEDR``). A netlist may say ``w=`` and ``s=``
for a port, or ``width=`` and ``speed=`` for those of all nodes below: the bits of the widths and
speeds that a port can take, of which a link takes the highest that both ends have.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Annotated

from obroute.importers.fabric import RATES, Fabric, FabricReader, link_rate, parse_rates
from obroute.importers.registry import importers
from obroute.reading import Head, read_text
from obroute.specs import InputError, Parameter, shown

KINDS = {"Switch": "switch", "Ca": "host", "Hca": "host", "Rt": "host", "Router": "host"}
_NODE = re.compile(r'(Switch|Ca|Hca|Rt|Router)[ \t]+(\d{1,3})[ \t]+"([^"]*)"(.*)')
_PORT = re.compile(
    r"\[(\d{1,3})\](?:\[ext \d{1,4}\])?(?:\(([0-9a-fA-F]{1,16})\))?[ \t]*"
    r'(?:"([^"]*)"[ \t]*(?:\[(\d{1,3})\])?(?:\[ext \d{1,4}\])?[ \t]*'
    r"(?:\(([0-9a-fA-F]{1,16})\))?)?(.*)"
)
_GUID = re.compile(r"(?:switchguid|caguid|hcaguids?|rtguid)=0x([0-9a-fA-F]{1,16})\b")
_OF_SWITCH = re.compile(r'#[ \t]*"(.*)" (?:enhanced|base) port 0 lid (\d{1,5}) lmc ([0-7])')
_DESCRIPTION = re.compile(r'#[ \t]*"(.*)"')
_OF_HOST_PORT = re.compile(r"#[ \t]*lid (\d{1,5}) lmc ([0-7]) ")
_LINK = re.compile(r" lid \d{1,5} (\S{1,3})x([A-Z?][A-Z0-9?]{1,5})(?: s=\d+ w=\d+ v=\d+)?[ \t]*$")
_MASK = re.compile(r"\b([ws])[a-z]*=(\d{1,3})")
_DEFAULT = re.compile(r"(width|speed)[ \t]*=[ \t]*(\d{1,3})\b")
_NOT_FOLLOWED = ("include", "module", "do ", "@")
_WIDTH_BITS = ((8, "12"), (4, "8"), (2, "4"), (1, "1"))
_SPEED_BITS = ((4, "QDR"), (2, "DDR"), (1, "SDR"))
_DEFAULTS = {"w": 3, "s": 1}


def _recognise(head: Head) -> bool:
    """Say whether a file is one."""
    return any(_NODE.match(line) for line in head.lines)


@importers.register(
    "ibnetdiscover",
    "InfiniBand fabric: what ibnetdiscover prints, or a netlist of ibsim",
    recognise=_recognise,
    endings=("netlist",),
    small=(
        'Switch 3 "s"\n[1] "a"[1]\n[2] "b"[1]\n\nHca 1 "a"\n[1] "s"[1]\n\nHca 1 "b"\n[1] "s"[2]\n',
    ),
)
def ibnetdiscover(
    file: Annotated[FilePath, Parameter("the output or netlist", FilePath)],
    rates: Annotated[str, Parameter(RATES, parse_rates)] = "read",
) -> Fabric:
    """Read a fabric; see the module for the format.

    Raises
    ------
    InputError
        Names the line that is none of such a file, or that another one contradicts.
    """
    text = read_text(file, "the output of ibnetdiscover, or a netlist")
    discovered = "switchguid=" in text or "caguid=" in text
    form = "the output of ibnetdiscover" if discovered else "a netlist of ibsim"
    reader = FabricReader(file, rates, form)
    masks = _Masks()
    key, guid = "", 0
    for number, line in reader.lines(text):
        if found := _GUID.match(line):
            guid = int(found[1], 16)
        elif found := _NODE.match(line):
            key = found[3]
            _add_node(reader, found, number, guid)
            masks.begin(key)
            guid = 0
        elif line.startswith("["):
            found = _PORT.match(line)
            if found is None or not key:
                raise reader.wrong(
                    number, f'is {shown(line)}; expected [port] "node"[port] below a node'
                )
            if found[3] is not None:
                _add_cable(reader, key, found, number, discovered)
                masks.read(reader, number, int(found[1]), found[6])
        elif found := _DEFAULT.match(line):
            masks.default(found[1][0], int(found[2]))
        elif line.startswith(_NOT_FOLLOWED):
            raise reader.wrong(
                number, f"is {shown(line)}, which is not followed; write the nodes themselves"
            )
    if not discovered:
        masks.settle(reader)
    return reader.network()


def _add_node(reader: FabricReader, found: re.Match[str], line: int, guid: int) -> None:
    kind, name, rest = KINDS[found[1]], found[3], found[4].strip()
    said = _OF_SWITCH.match(rest)
    if said is not None:
        lid, lmc = int(said[2]), int(said[3])
        reader.device(name, kind, said[1], line, guid=guid, lid=lid, lid_count=2**lmc)
        return
    described = _DESCRIPTION.match(rest)
    reader.device(name, kind, described[1] if described else name, line, guid=guid)


def _add_cable(
    reader: FabricReader, key: str, found: re.Match[str], line: int, discovered: bool
) -> None:
    port, far = int(found[1]), (found[3], int(found[4] or 1))
    rest = found[6].strip()
    rate: Fraction | None = None
    if discovered and (link := _LINK.search(rest)):
        rate = link_rate(link[1], link[2])
    if found[2] is not None:
        reader.port(key, port).guid = int(found[2], 16)
    if said := _OF_HOST_PORT.match(rest):
        reader.port(key, port).lid = int(said[1])
        reader.port(key, port).lid_count = 2 ** int(said[2])
    reader.cable((key, port), far, rate, line)


class _Masks:
    """The widths and speeds that the ports of a netlist can take, as bits."""

    def __init__(self) -> None:
        self.usual = dict(_DEFAULTS)
        self.here: dict[str, int] = {}
        self.key = ""
        self.of: dict[tuple[str, int], dict[str, int]] = {}

    def default(self, what: str, bits: int) -> None:
        self.usual[what] = bits

    def begin(self, key: str) -> None:
        self.key, self.here = key, dict(self.usual)

    def read(self, reader: FabricReader, line: int, port: int, rest: str) -> None:
        options = rest.partition("#")[0]
        said = {what: int(bits) for what, bits in _MASK.findall(options)}
        self.of[self.key, port] = {**self.here, **said}

    def settle(self, reader: FabricReader) -> None:
        """Give each cable the highest rate that both its ends can take."""
        for (key, number), bits in self.of.items():
            port = reader.port(key, number)
            other = self.of.get(port.far, bits) if port.far is not None else bits
            both = {what: bits[what] & other[what] for what in bits}
            width = next((name for bit, name in _WIDTH_BITS if both["w"] & bit), None)
            speed = next((name for bit, name in _SPEED_BITS if both["s"] & bit), None)
            if width is None or speed is None:
                raise InputError(
                    f"{reader.file}: line {port.line} joins ports that have no width or speed in "
                    "common"
                )
            port.rate = link_rate(width, speed)
