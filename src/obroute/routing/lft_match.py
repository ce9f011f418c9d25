"""Which node of a fabric a forwarding table is of, and which LIDs an end port has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path as FilePath

from obroute.importers.fabric import Fabric
from obroute.routing.lft_text import NO_PORT, SwitchTable
from obroute.specs import InputError, shown


def switch_nodes(file: FilePath, tables: Sequence[SwitchTable], fabric: Fabric) -> list[int]:
    """Return the node that each table is of, -1 for one of a switch that the fabric has not.

    By GUID where the fabric has GUIDs, by description where it has not.

    Raises
    ------
    InputError
        If a switch has two tables, a description is of two switches, or no table is of a switch
        of the fabric.
    """
    switches = [node for node in range(fabric.node_count) if fabric.is_switch[node]]
    by_guid = {fabric.guids[node]: node for node in switches if fabric.guids[node]}
    by_name = {fabric.descriptions[node]: node for node in switches}
    names = Counter(fabric.descriptions[node] for node in switches)
    found: list[int] = []
    for table in tables:
        name = table.description
        if by_guid:
            node = by_guid.get(table.guid, -1)
        else:
            if not name:
                raise InputError(
                    f"{file} has no names of switches, and {fabric.name} has no GUIDs; read the "
                    "fabric from a file with GUIDs, such as the output of ibnetdiscover"
                )
            node = by_name.get(name, -1)
            if names[name] > 1:
                raise InputError(
                    f"{fabric.name} has {names[name]} switches called {shown(name)} and no GUIDs, "
                    f"and {file} has the table of one; read the fabric from a file with GUIDs"
                )
        if node >= 0 and node in found:
            raise InputError(
                f"{file} has two tables of switch {fabric.describe(node)}; leave one of them out"
            )
        found.append(node)
    if all(node < 0 for node in found):
        raise InputError(
            f"{file} has tables of {len(found)} switches, and {fabric.name} has none of them by "
            f"{'GUID' if by_guid else 'description'}; they are of different fabrics"
        )
    return found


def lids_of_ends(
    file: FilePath, tables: Sequence[SwitchTable], described: Sequence[str], fabric: Fabric
) -> list[list[int]]:
    """Return the LIDs of each end port of the fabric, in ascending order.

    By the GUIDs of ports where the fabric has them and the rows too, else by the LIDs of the
    fabric, else by the descriptions in the rows.

    Raises
    ------
    InputError
        If nothing says which LIDs an end port has.
    """
    ends = fabric.destinations.tolist()
    by_guid: dict[int, set[int]] = {}
    for table in tables:
        for lid, guid in zip(table.lids, table.port_guids, strict=True):
            if guid:
                by_guid.setdefault(guid, set()).add(lid)
    if by_guid and all(fabric.guids[end] for end in ends):
        found = [by_guid.get(fabric.guids[end], set()) for end in ends]
        what = "GUID"
    elif all(fabric.lids[end] for end in ends):
        counts = [max(1, fabric.lid_counts[end]) for end in ends]
        lids = [fabric.lids[end] for end in ends]
        found = [set(range(lid, lid + count)) for lid, count in zip(lids, counts, strict=True)]
        what = "LID"
        _check_known(file, tables, fabric, set().union(*found))
    else:
        found = _by_description(file, tables, described, fabric, by_guid)
        what = "description"
    listed = {lid for table in tables for lid in table.lids}
    missing = next((end for end, own in zip(ends, found, strict=True) if not own & listed), None)
    if missing is not None:
        raise InputError(
            f"{file} has no row for {fabric.describe(missing)} of {fabric.name}, by {what}; take "
            "the tables and the fabric at one time"
        )
    return [sorted(own) for own in found]


def _check_known(
    file: FilePath, tables: Sequence[SwitchTable], fabric: Fabric, of_ends: set[int]
) -> None:
    """Raise where a LID leads somewhere and nothing says to which node."""
    known = of_ends.union(
        *map(range, fabric.lids, map(sum, zip(fabric.lids, fabric.lid_counts, strict=True)))
    )
    for table in tables:
        for lid, port, line in zip(table.lids, table.ports, table.lines, strict=True):
            if lid not in known and port != NO_PORT:
                raise InputError(
                    f"{file}: line {line}: LID {lid:#06x} is of no node of {fabric.name}; read "
                    "the fabric from the output of ibnetdiscover, which has every LID of a port, "
                    "or take tables with GUIDs (dump_lfts, opensm-lfts.dump)"
                )


def _by_description(
    file: FilePath,
    tables: Sequence[SwitchTable],
    described: Sequence[str],
    fabric: Fabric,
    by_guid: dict[int, set[int]],
) -> list[set[int]]:
    """Match by description; the ports of one adapter in the order of their GUIDs."""
    guids: dict[str, set[int]] = {}
    for table in tables:
        for place, guid in zip(table.described, table.port_guids, strict=True):
            if guid:
                guids.setdefault(described[place], set()).add(guid)
    ends = fabric.destinations.tolist()
    alike = Counter(fabric.descriptions[end] for end in ends)
    seen: Counter[str] = Counter()
    found = []
    for end in ends:
        name = fabric.descriptions[end]
        own = sorted(guids.get(name, ()))
        if len(own) not in (0, alike[name]):
            raise InputError(
                f"{file} has {len(own)} ports of {shown(name)}, and {fabric.name} has "
                f"{alike[name]} and no GUIDs; read the fabric from a file with GUIDs"
            )
        found.append(by_guid[own[seen[name]]] if own else set())
        seen[name] += 1
    return found
