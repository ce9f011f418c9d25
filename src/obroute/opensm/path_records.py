"""Asks a subnet manager for the service level of every pair of ports, and prints the records.

A program of its own, which a simulator can be loaded into: ``path_records.py SM_LID GUID=LID …``
prints what the plugin of OpenSM writes into ``opensm-path-records.dump``. It needs ``libibmad``,
which comes with infiniband-diags.
"""

from __future__ import annotations

import ctypes
import sys

MANAGEMENT_CLASSES = (0x01, 0x81, 0x03)
"""By LID, by directed route, and subnet administration."""
GSI, WELL_KNOWN_KEY = 1, 0x80010000
LINK_LOCAL = 0xFE80 << 48
LEVEL_AT, MTU_AT, RATE_AT = 53, 54, 55
"""Bytes of a path record (InfiniBand Architecture Specification, volume 1, table 205)."""


class _Port(ctypes.Structure):
    """``ib_portid_t`` of ``infiniband/mad.h``."""

    _fields_ = (
        ("lid", ctypes.c_int),
        ("hops", ctypes.c_int),
        ("path", ctypes.c_uint8 * 64),
        ("source_lid", ctypes.c_uint16),
        ("destination_lid", ctypes.c_uint16),
        ("has_global_header", ctypes.c_int),
        ("gid", ctypes.c_uint8 * 16),
        ("queue_pair", ctypes.c_uint32),
        ("queue_key", ctypes.c_uint32),
        ("service_level", ctypes.c_uint8),
        ("partition_index", ctypes.c_uint),
    )


def _gid(guid: int) -> ctypes.Array[ctypes.c_uint8]:
    return (ctypes.c_uint8 * 16)(*(LINK_LOCAL << 64 | guid).to_bytes(16, "big"))


def main(manager: str, *given: str) -> None:
    """Print the records of all pairs of the given ports."""
    library = ctypes.CDLL("libibmad.so.5")
    library.mad_rpc_open_port.restype = ctypes.c_void_p
    classes = (ctypes.c_int * len(MANAGEMENT_CLASSES))(*MANAGEMENT_CLASSES)
    opened = library.mad_rpc_open_port(None, 0, classes, len(MANAGEMENT_CLASSES))
    if not opened:
        sys.exit("no port of an adapter can be opened")
    query = library.ib_path_query_via
    query.argtypes = [ctypes.c_void_p] * 5
    to = _Port(lid=int(manager), queue_pair=GSI, queue_key=WELL_KNOWN_KEY)
    record = (ctypes.c_uint8 * 256)()
    ports = [(int(guid, 16), int(lid)) for guid, lid in (one.split("=") for one in given)]
    for guid, lid in ports:
        lines = [f'Channel Adapter 0x{guid:016x}, base LID {lid}, "", port 1']
        lines.append("# LID  : SL : MTU : RATE")
        for far_guid, far_lid in ports:
            reached = query(opened, _gid(guid), _gid(far_guid), ctypes.byref(to), record) >= 0
            level, mtu, rate = (record[at] & 0x0F for at in (LEVEL_AT, MTU_AT, RATE_AT))
            said = f"{level:<2} : {mtu:<3} : {rate}" if reached else "UNREACHABLE"
            lines.append(f"0x{far_lid:04X} : {said}")
        sys.stdout.write("\n".join([*lines, "", ""]))


if __name__ == "__main__":
    main(*sys.argv[1:])
