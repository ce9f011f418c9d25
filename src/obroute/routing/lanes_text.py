"""Service levels of paths and the virtual lanes of switches, as InfiniBand's tools write them.

The lane of each service level, for packets from one port of a device to another:

- ``opensm-sl2vl.dump`` of OpenSM: ``Switch 0x…, base LID 2, …`` and lines ``1 3 : 0 1 2 …``;
- ``0xGUID 1 3 0x01 0x23 …``, eight bytes of two lanes, of ``ibdiagnet`` and ``ibdmchk``;
- what ``smpquery sl2vl LID PORT`` prints, once or many times;
- what ``saquery SL2VL`` prints.

The service level of packets from a port to a LID:

- ``opensm-path-records.dump``: ``Channel Adapter 0x…, base LID 1, …`` and lines ``0x0005 : 2 …``;
- ``0xGUID 5 2``, of ``ibdmchk``;
- the path records that ``saquery -p`` prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TypeVar

from obroute.reading import read_text
from obroute.specs import InputError, shown

Row = TypeVar("Row")
LEVELS = 16
"""Service levels, and virtual lanes, the last of which is no lane for data."""
_HEX = "0x([0-9a-fA-F]{1,16})"
_DEVICE = re.compile(
    rf"(?:Channel Adapter|Switch|Router)[ \t]+{_HEX},[ \t]+base LID (\d{{1,5}})\b"
)
_LANES = re.compile(r"(\d{1,3})[ \t]+(\d{1,3})[ \t]*:((?:[ \t]+\d{1,2}){16})$")
_NIBBLES = re.compile(
    rf"{_HEX}[ \t]+(\d{{1,3}})[ \t]+(\d{{1,3}})((?:[ \t]+0x[0-9a-fA-F]{{2}}){{8}})$"
)
_QUERIED = re.compile(r"#[ \t]*SL2VL table: Lid (\d{1,5})\b")
_QUERIED_LANES = re.compile(
    r"ports:[ \t]*in[ \t]+(\d{1,3}),[ \t]*out[ \t]+(\d{1,3}):[ \t]*\|((?:[ \t]*\d{1,2}\|){16})$"
)
_FIELD = re.compile(r"(\w+)\.+[ \t]*(\S+)$")
_RECORD_LANES = re.compile(r"VL:((?:[ \t]*\d{1,2}\|){16})$")
_LEVEL = re.compile(r"0x([0-9a-fA-F]{1,4})[ \t]*:[ \t]*(?:(\d{1,2})\b|UNREACHABLE)")
_PLAIN_LEVEL = re.compile(rf"{_HEX}[ \t]+(\d{{1,5}})[ \t]+(\d{{1,2}})$")
_RECORD = ("SL2VLTableRecord dump:", "PathRecord dump:")
_FILL = re.compile(r"#|SL:[ \t]*0\||$")


@dataclass(frozen=True)
class Device:
    """What a file says of which device or port it speaks: a GUID, a LID, or both; 0 for none."""

    guid: int = 0
    lid: int = 0


@dataclass(frozen=True)
class LaneRow:
    """The lane of each service level, from a port of a device to another; and its line."""

    device: Device
    port_in: int
    port_out: int
    lanes: tuple[int, ...]
    line: int


@dataclass(frozen=True)
class LevelRow:
    """The service level of packets from a port to a LID; None where none gets there."""

    source: Device
    lid: int
    level: int | None
    line: int


def read_lanes(file: FilePath) -> list[LaneRow]:
    """Return the rows of a file of lanes; see the module for the forms.

    Raises
    ------
    InputError
        Names the line that is none of such a file.
    """
    missing = "no table of lanes; expected opensm-sl2vl.dump of OpenSM"
    return _rows(file, "tables of lanes", _lane_rows, missing)


def read_levels(file: FilePath) -> list[LevelRow]:
    """Return the rows of a file of service levels; see the module for the forms.

    Raises
    ------
    InputError
        Names the line that is none of such a file.
    """
    missing = "no path record; expected opensm-path-records.dump, or what saquery -p prints"
    return _rows(file, "path records", _level_rows, missing)


def _rows(
    file: FilePath, what: str, rows_of: Callable[[FilePath, str], Iterator[Row]], missing: str
) -> list[Row]:
    """Return the rows of a file; ``missing`` says what is wrong with one that has none."""
    rows = list(rows_of(file, read_text(file, what)))
    if not rows:
        raise InputError(f"{file} has {missing}")
    return rows


def _lane_rows(file: FilePath, text: str) -> Iterator[LaneRow]:
    device: Device | None = None
    fields: dict[str, str] = {}
    for number, line in enumerate(map(str.strip, text.split("\n")), start=1):
        if found := _DEVICE.match(line):
            device = Device(int(found[1], 16), int(found[2]))
        elif found := _QUERIED.match(line):
            device = Device(lid=int(found[1]))
        elif (found := _LANES.match(line) or _QUERIED_LANES.match(line)) and device is not None:
            lanes = tuple(map(int, found[3].replace("|", " ").split()))
            yield LaneRow(device, int(found[1]), int(found[2]), lanes, number)
        elif found := _NIBBLES.match(line):
            lanes = tuple(int(half, 16) for byte in found[4].split() for half in byte[2:])
            guid, port_in, port_out = int(found[1], 16), int(found[2]), int(found[3])
            yield LaneRow(Device(guid), port_in, port_out, lanes, number)
        elif line in _RECORD:
            fields = {}
        elif found := _FIELD.match(line):
            fields[found[1]] = found[2]
        elif found := _RECORD_LANES.match(line):
            lid, port_in, port_out = (
                _number(file, number, fields, name) for name in ("LID", "InPort", "OutPort")
            )
            lanes = tuple(map(int, found[1].replace("|", " ").split()))
            yield LaneRow(Device(lid=lid), port_in, port_out, lanes, number)
        elif not _FILL.match(line):
            raise InputError(
                f"{file}: line {number} is {shown(line)}; expected Switch 0x…, base LID …, and "
                "below it lines of two ports and sixteen lanes: 1 3 : 0 1 2 …"
            )


def _level_rows(file: FilePath, text: str) -> Iterator[LevelRow]:
    source: Device | None = None
    fields: dict[str, str] = {}
    begun = 0
    for number, line in enumerate([*map(str.strip, text.split("\n")), _RECORD[1]], start=1):
        if line == _RECORD[1]:
            if begun:
                slid, dlid, level = (
                    _number(file, begun, fields, name) for name in ("slid", "dlid", "sl")
                )
                yield LevelRow(Device(lid=slid), dlid, _level(file, begun, level), begun)
            begun, fields = number, {}
        elif found := _DEVICE.match(line):
            source = Device(int(found[1], 16), int(found[2]))
        elif (found := _LEVEL.match(line)) and source is not None:
            reached = None if found[2] is None else _level(file, number, int(found[2]))
            yield LevelRow(source, int(found[1], 16), reached, number)
        elif found := _PLAIN_LEVEL.match(line):
            level = _level(file, number, int(found[3]))
            yield LevelRow(Device(int(found[1], 16)), int(found[2]), level, number)
        elif begun and (found := _FIELD.match(line)):
            fields[found[1]] = found[2]
        elif not _FILL.match(line):
            raise InputError(
                f"{file}: line {number} is {shown(line)}; expected Channel Adapter 0x…, base LID "
                "…, and below it lines of a LID and a service level: 0x0005 : 2"
            )


def _number(file: FilePath, line: int, fields: dict[str, str], name: str) -> int:
    value = fields.get(name, "")
    digits, base = (value[2:], 16) if value.startswith("0x") else (value, 10)
    try:
        if len(digits) > 4 + (base == 10) or not digits.isalnum():
            raise ValueError
        return int(digits, base)
    except ValueError:
        raise InputError(
            f"{file}: line {line} has a record whose {name} is {shown(value)}; expected a number"
        ) from None


def _level(file: FilePath, line: int, level: int) -> int:
    if level >= LEVELS:
        raise InputError(f"{file}: line {line} has service level {level}; expected at most 15")
    return level
