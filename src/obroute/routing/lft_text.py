"""The forwarding tables of switches as OpenSM and the InfiniBand diagnostics write them.

Three forms, switch after switch, which may stand mixed in one file:

- ``Unicast lids [0-32] of switch Lid 2 guid 0x… ('name'):`` and lines ``0x0001 005 # …``, the
  ``opensm-lfts.dump`` of OpenSM;
- the same with lines ``0x0001 005 : (…)``, as ``dump_lfts``, ``dump_fts`` and ``ibroute`` print;
- ``dump_ucast_routes: Switch 0x…`` and lines ``0x0001 : 005 : 01 : yes``, the ``opensm.fdbs`` or
  ``osm.fdbs`` of OpenSM and ``ibdiagnet``.

What stands after ``#`` or in brackets names the port that a LID is of, by its GUID and by the
description of its node. A LID that is ``UNREACHABLE``, one of port 255 and one that is not listed
lead nowhere; one whose ``HOPS`` are ``UNKNOWN`` leads where it says.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path as FilePath

from obroute.reading import Head
from obroute.specs import InputError, shown

_UNICAST = re.compile(r"Unicast lids .*\bguid 0x([0-9a-fA-F]{1,16})\b[ \t]*(?:\((.*)\))?:?$")
_FDB = re.compile(r"\w+:[ \t]+Switch 0x([0-9a-fA-F]{1,16})$")
_ROW = re.compile(r"0x([0-9a-fA-F]{1,4})[ \t]+(?::[ \t]+)?(\d{1,3})\b(.*)")
_NOWHERE = re.compile(r"0x[0-9a-fA-F]{1,4}\b[ \t]*:?[ \t]*(?:UNREACHABLE|[^\d].*)?$")
_OF = re.compile(r"portguid 0x([0-9a-fA-F]{1,16})\b(?:: '(.*)')?")
_MULTICAST = re.compile(r"Multicast mlids ")
_FILL = re.compile(
    r"LID[ \t]*:|Lid[ \t]+Out|Port[ \t]+Info|\d+ (?:valid )?(?:lids|mlids) dumped|\*\*\*|#"
)
LONGEST_LINE = 2000
MOST_KNOWN = 2**16
"""As many LIDs as there can be: of how many the port is kept as it is written."""
NO_PORT = 255


@dataclass
class SwitchTable:
    """The rows of one switch: a LID, the port out, and the port that has the LID.

    Parameters
    ----------
    guid, description
        Of the switch; the description empty where the form has none.
    lids, ports, lines
        Of each row: the LID, the port that its packets leave by, and its line in the file.
    port_guids, described
        Of each row: the GUID of the port that has the LID, 0 where the form has none, and where
        its description is among those of all.
    """

    guid: int
    description: str
    lids: array[int] = field(default_factory=lambda: array("H"))
    ports: array[int] = field(default_factory=lambda: array("B"))
    lines: array[int] = field(default_factory=lambda: array("L"))
    port_guids: array[int] = field(default_factory=lambda: array("Q"))
    described: array[int] = field(default_factory=lambda: array("L"))


def is_forwarding_dump(file: str) -> bool:
    """Say whether a file is such a dump, by its beginning."""
    head = Head.of(FilePath(file))
    return any(_UNICAST.match(line) or _FDB.match(line) for line in head.lines)


def read_switch_tables(
    file: FilePath, blocks: Iterable[str]
) -> tuple[list[SwitchTable], list[str]]:
    r"""Return the tables of a file, and the descriptions that their rows refer to.

    Parameters
    ----------
    file, blocks
        Its name, for errors, and its content, in blocks of whole lines.

    Raises
    ------
    InputError
        Names the line that is none of such a file.

    Examples
    --------
    >>> text = "Unicast lids [0-2] of switch Lid 1 guid 0x20 ('s'):\n0x0002 005 # at the end\n"
    >>> (table,), _ = read_switch_tables(FilePath("lfts"), [text])
    >>> table.guid, table.description, table.lids.tolist(), table.ports.tolist()
    (32, 's', [2], [5])
    """
    tables: list[SwitchTable] = []
    ports = _Ports()
    table: SwitchTable | None = None
    skips = False
    lines = chain.from_iterable(block.removesuffix("\n").split("\n") for block in blocks)
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"{file}: line {number} has {len(line):,} characters; expected one line a LID"
            )
        if not skips and (found := _ROW.match(line)):
            port = int(found[2])
            if table is None:
                raise InputError(f"{file}: line {number} is {shown(line)}, above the first switch")
            if port > NO_PORT:
                raise InputError(
                    f"{file}: line {number} has port {port}; expected at most {NO_PORT}"
                )
            guid, described = ports.of(found[3])
            table.lids.append(int(found[1], 16))
            table.ports.append(port)
            table.lines.append(number)
            table.port_guids.append(guid)
            table.described.append(described)
        elif found := _UNICAST.match(line) or _FDB.match(line):
            name = (found[2] or "") if found.re is _UNICAST else ""
            quoted = len(name) > 1 and name[0] == name[-1] == "'"
            table = SwitchTable(int(found[1], 16), name[1:-1] if quoted else name)
            tables.append(table)
            skips = False
        elif _MULTICAST.match(line):
            skips = True
        elif line and not (skips or _FILL.match(line) or _NOWHERE.match(line)):
            raise InputError(
                f"{file}: line {number} is {shown(line)}; expected Unicast lids … of switch … "
                "guid 0x…, or a LID and a port: 0x0001 005"
            )
    return tables, list(ports.place_of)


class _Ports:
    """What is said of ports: that of a LID is said again in the table of every switch."""

    def __init__(self) -> None:
        self.place_of: dict[str, int] = {"": 0}
        self.known: dict[str, tuple[int, int]] = {}

    def of(self, text: str) -> tuple[int, int]:
        """Return the GUID of a port, 0 if none is said, and where its description is."""
        if text not in self.known:
            of = _OF.search(text)
            name = (of[2] or "") if of else ""
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[text] = (
                int(of[1], 16) if of else 0,
                self.place_of.setdefault(name, len(self.place_of)),
            )
        return self.known[text]
