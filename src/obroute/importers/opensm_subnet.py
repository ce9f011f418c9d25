"""Fabrics from the list of links that OpenSM writes, ``opensm-subnet.lst``.

A line is ``{ end } { end } PHY=4x LOG=ACT SPD=25``, each end with its kind, GUIDs, description,
LID and port in hexadecimal digits. A link that is down (``LOG=DWN``) is left out.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated

from obroute.importers.fabric import (
    RATES,
    Fabric,
    FabricReader,
    lane_of,
    link_rate,
    parse_rates,
)
from obroute.importers.registry import importers
from obroute.reading import Head
from obroute.specs import Parameter, shown

_HEX = "[0-9a-fA-F]"
_END = (
    rf"\{{ (SW|CA|Rt)(?:-SM)? Ports:{_HEX}+ SystemGUID:{_HEX}+ NodeGUID:({_HEX}{{1,16}}) "
    rf"PortGUID:({_HEX}{{1,16}}) VenID:{_HEX}+ DevID:{_HEX}+ Rev:{_HEX}+ "
    rf"\{{(.*)\}} LID:({_HEX}{{1,4}}) PN:({_HEX}{{1,2}}) \}}"
)
_LINE = re.compile(rf"{_END} {_END} PHY=(\S+) LOG=(\S+) SPD=(\S+)")


def _recognise(head: Head) -> bool:
    """Say whether a file is one."""
    return bool(head.lines) and _LINE.fullmatch(head.lines[0]) is not None


@importers.register(
    "opensm_subnet",
    "InfiniBand fabric: the list of links of OpenSM, opensm-subnet.lst",
    recognise=_recognise,
    endings=("lst",),
    small=(
        "{ CA-SM Ports:01 SystemGUID:10 NodeGUID:10 PortGUID:11 VenID:0 DevID:0 Rev:A1 {a} "
        "LID:0001 PN:01 } { SW Ports:03 SystemGUID:20 NodeGUID:20 PortGUID:20 VenID:0 DevID:0 "
        "Rev:A1 {s} LID:0002 PN:01 } PHY=4x LOG=ACT SPD=25\n"
        "{ SW Ports:03 SystemGUID:20 NodeGUID:20 PortGUID:20 VenID:0 DevID:0 Rev:A1 {s} "
        "LID:0002 PN:02 } { CA Ports:01 SystemGUID:12 NodeGUID:12 PortGUID:13 VenID:0 DevID:0 "
        "Rev:A1 {b} LID:0003 PN:01 } PHY=4x LOG=ACT SPD=25\n",
    ),
)
def opensm_subnet(
    file: Annotated[FilePath, Parameter("the list of links", FilePath)],
    rates: Annotated[str, Parameter(RATES, parse_rates)] = "read",
) -> Fabric:
    """Read a fabric; see the module for the format.

    Raises
    ------
    InputError
        Names the line that is none of such a file, or that another one contradicts.
    """
    reader = FabricReader(file, rates, "the list of links of OpenSM")
    for number, line in reader.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            raise reader.wrong(
                number, f"is {shown(line)}; expected {{ end }} {{ end }} PHY=… LOG=… SPD=…"
            )
        if found[14] != "DWN":
            near = _end(reader, found.groups()[:6], number)
            far = _end(reader, found.groups()[6:12], number)
            rate = link_rate(found[13].removesuffix("x"), lane_of(found[15]))
            reader.cable(near, far, rate, number)
    return reader.network()


def _end(reader: FabricReader, words: tuple[str, ...], line: int) -> tuple[str, int]:
    """Tell of a node unless it is known, and return the end of the cable."""
    kind, description = words[0], words[3]
    key, port_guid, lid, port = (int(words[place], 16) for place in (1, 2, 4, 5))
    name = f"{key:#x}"
    if name not in reader.devices:
        if kind == "SW":
            reader.device(name, "switch", description, line, guid=key, lid=lid, lid_count=1)
        else:
            reader.device(name, "host", description, line, guid=key)
    if kind != "SW":
        told = reader.port(name, port)
        told.guid, told.lid = port_guid, lid
    return name, port
