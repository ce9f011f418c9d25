"""Fabrics from topology files of IBDM (``.topo``), as ``ibdiagnet`` and ``ibtopodiff`` take them.

A system is a line ``TYPE name``, with lines ``port -4x-25G-> TYPE name port`` below it, one
a cable; either end may say it, or both. Width and speed may be left out, ``->``, and are then
4x and 2.5G. A system is one node, whatever it is made of. Systems whose type is an adapter's, with
``HCA`` in it or the number of one (``MT27800``), are hosts, unless ``hosts`` names others.
"""

from __future__ import annotations

import re
from collections import Counter
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

_SYSTEM = re.compile(r"([^\s:]+)[ \t]+(\S+)(?:[ \t]+(?:CFG:|MAIN=|\S+=).*)?$")
_CABLE = re.compile(
    r"(\S+)[ \t]+-(?:(\d{1,2})x)?-?(?:([0-9.]{1,8})G)?-?>[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)$"
)
_ADAPTER = re.compile(r"MT2\d{4}\w*|MT4\d{3}\w*|.*HCA.*", re.IGNORECASE)
_NUMBER = re.compile(r"(?:.*/)?P?(\d{1,3})$")


def _recognise(head: Head) -> bool:
    """Say whether a file is one: it begins with a system, and a port of it has a cable."""
    cables = any(_CABLE.match(line) for line in head.lines)
    return cables and any(_SYSTEM.match(line) for line in head.lines[:1])


@importers.register(
    "ibdm",
    "InfiniBand fabric: a topology file of IBDM",
    recognise=_recognise,
    endings=("topo",),
    small=("SW s\n\tP1 -4x-25G-> HCA a P1\n\tP2 -4x-25G-> HCA b P1\n",),
)
def ibdm(
    file: Annotated[FilePath, Parameter("the topology file", FilePath)],
    hosts: Annotated[
        str, Parameter("the types of systems that are hosts, a + between them", str)
    ] = "",
    rates: Annotated[str, Parameter(RATES, parse_rates)] = "read",
) -> Fabric:
    """Read a fabric; see the module for the format.

    Raises
    ------
    InputError
        Names the line that is none of such a file, or that another one contradicts, or the types
        of systems where none is a host.
    """
    reader = FabricReader(file, rates, "a topology file of IBDM")
    wanted = frozenset(filter(None, hosts.split("+")))
    types: dict[str, str] = {}
    system = ""
    numbers = _PortNumbers()

    def add(kind: str, name: str, line: int) -> None:
        known = types.setdefault(name, kind)
        if known != kind:
            raise reader.wrong(
                line, f"has system {shown(name)} as a {shown(kind)}, and it was a {shown(known)}"
            )
        if name not in reader.devices:
            is_host = kind in wanted if wanted else _ADAPTER.fullmatch(kind) is not None
            reader.device(name, "host" if is_host else "switch", name, line)

    number = 0
    for number, line in reader.lines():
        if found := _CABLE.match(line):
            if not system:
                raise reader.wrong(number, f"is {shown(line)}, above the first system TYPE name")
            add(found[4], found[5], number)
            rate = link_rate(found[2] or "4", lane_of(found[3] or "2.5"))
            near = system, numbers.of(system, found[1])
            reader.cable(near, (found[5], numbers.of(found[5], found[6])), rate, number)
        elif found := _SYSTEM.match(line):
            system = found[2]
            add(found[1], system, number)
        else:
            raise reader.wrong(
                number,
                f"is {shown(line)}; expected TYPE name, or port -4x-25G-> TYPE name port",
            )
    kinds = sorted(set(types.values()))
    if not any(device.kind == "host" for device in reader.devices.values()) and kinds:
        raise reader.wrong(
            number,
            f"is the end, and no system is a host; say which types are by {file}:hosts=TYPE (they "
            f"are {shown(', '.join(kinds))})",
        )
    return reader.network()


class _PortNumbers:
    """Numbers of ports that have names: the number in the name where that is free."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], int] = {}
        self.taken: set[tuple[str, int]] = set()
        self.others: Counter[str] = Counter()

    def of(self, system: str, name: str) -> int:
        """Return the number of a port, a new one above all numbers in names where none is free."""
        if (system, name) not in self.numbers:
            found = _NUMBER.match(name)
            number = int(found[1]) if found else 0
            if not number or (system, number) in self.taken:
                self.others[system] += 1
                number = 1000 + self.others[system]
            self.taken.add((system, number))
            self.numbers[system, name] = number
        return self.numbers[system, name]
