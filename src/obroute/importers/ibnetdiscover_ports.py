"""Fabrics as ``ibnetdiscover --ports`` prints them: a port a line.

A line is ``SW 16 5 0x… 4x EDR - CA 27 1 0x… ( 'switch' - 'host' )``: kind, LID, port, GUID of the
port, width and lane, and the same of the other end. One of a port that is down ends after the
description of its own node.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated

from obroute.importers.fabric import RATES, Fabric, FabricReader, link_rate, parse_rates
from obroute.importers.registry import importers
from obroute.reading import Head
from obroute.specs import Parameter, shown

_END = r"(SW|CA|RT)[ \t]+(\d{1,5})[ \t]+(\d{1,3})[ \t]+0x([0-9a-fA-F]{1,16})"
_LINE = re.compile(rf"{_END}[ \t]+(\S+)[ \t]+(\S+)[ \t]*(.*)")
_FAR = re.compile(rf"-[ \t]+{_END}[ \t]+\([ \t]*'(.*)' - '(.*)'[ \t]*\)$")


def _recognise(head: Head) -> bool:
    """Say whether a file is one."""
    return bool(head.lines) and all(_LINE.match(line) for line in head.lines[:20])


@importers.register(
    "ibnetdiscover_ports",
    "InfiniBand fabric: what ibnetdiscover --ports prints",
    recognise=_recognise,
    endings=("ibports",),
    small=(
        "SW 3 1 0x20 4x EDR - CA 1 1 0x11 ( 's' - 'a' )\n"
        "SW 3 2 0x20 4x EDR - CA 2 1 0x13 ( 's' - 'b' )\n"
        "SW 3 3 0x20 4x SDR  's'\n",
    ),
)
def ibnetdiscover_ports(
    file: Annotated[FilePath, Parameter("the list of ports", FilePath)],
    rates: Annotated[str, Parameter(RATES, parse_rates)] = "read",
) -> Fabric:
    """Read a fabric; see the module for the format.

    Raises
    ------
    InputError
        Names the line that is none of such a file, or that another one contradicts.
    """
    reader = FabricReader(file, rates, "the output of ibnetdiscover --ports")
    for number, line in reader.lines():
        near = _LINE.match(line)
        if near is None:
            raise reader.wrong(
                number,
                f"is {shown(line)}; expected SW lid port 0xguid width lane - CA lid port 0xguid "
                "( 'node' - 'node' )",
            )
        far = _FAR.match(near[7])
        if far is None and near[7].startswith("-"):
            raise reader.wrong(
                number, f"is {shown(line)}; expected the other end and ( 'node' - 'node' )"
            )
        if far is not None:
            rate = link_rate(near[5].removesuffix("x"), near[6])
            ends = [
                _end(reader, (near[1], near[2], near[3], near[4]), far[5], number),
                _end(reader, (far[1], far[2], far[3], far[4]), far[6], number),
            ]
            reader.cable(ends[0], ends[1], rate, number)
    return reader.network()


def _end(
    reader: FabricReader, words: tuple[str, str, str, str], description: str, line: int
) -> tuple[str, int]:
    """Tell of a node unless it is known, and return the end of the cable."""
    kind, lid, port, guid = words[0], int(words[1]), int(words[2]), int(words[3], 16)
    key = f"{guid:#x}"
    if kind == "SW":
        if key not in reader.devices:
            reader.device(key, "switch", description, line, guid=guid, lid=lid, lid_count=1)
    else:
        if key not in reader.devices:
            reader.device(key, "host", description, line)
        told = reader.port(key, port)
        told.guid, told.lid, told.lid_count = guid, lid, 0
    return key, port
