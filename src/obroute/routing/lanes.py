"""On which virtual lane of each cable packets are, as the tables of an InfiniBand fabric say.

A packet keeps the service level of its path record. A switch maps it to a lane of the next cable
by the port that the packet came in by and the port that it leaves by (InfiniBand Architecture
Specification, volume 1, section 7.6.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.importers.fabric import Fabric
from obroute.routing.contract import PathBatch
from obroute.routing.lanes_text import LEVELS, Device, read_lanes, read_levels
from obroute.specs import InputError

_PORTS = 256
_NO_DATA = 15
_OF_A_HOST = 0


class LaneTables:
    """The lane of every service level at every switch of a fabric.

    Parameters
    ----------
    file
        The dump; see :mod:`obroute.routing.lanes_text`.
    fabric
        Whose switches it is of, matched by GUID, else by LID.

    Raises
    ------
    InputError
        If it cannot be read, or is of no switch of the fabric.
    """

    def __init__(self, file: FilePath, fabric: Fabric) -> None:
        self.file = file
        self.fabric = fabric
        nodes = _Nodes(fabric)
        lanes_of: dict[int, tuple[int, ...]] = {}
        for row in read_lanes(file):
            node = nodes.of(row.device)
            if node is None or not fabric.is_switch[node]:
                continue
            if max(row.port_in, row.port_out) >= _PORTS:
                raise InputError(f"{file}: line {row.line} has a port above {_PORTS - 1}")
            if max(row.lanes) >= LEVELS:
                raise InputError(f"{file}: line {row.line} has a lane above {LEVELS - 1}")
            lanes_of[(node * _PORTS + row.port_in) * _PORTS + row.port_out] = row.lanes
        if not lanes_of:
            raise InputError(
                f"{file} has tables of no switch of {fabric.name}, by GUID and LID; they are of "
                "different fabrics"
            )
        self.keys = np.array(sorted(lanes_of), dtype=np.int64)
        self.lanes = np.array([lanes_of[key] for key in self.keys.tolist()], dtype=np.int32)

    def of_paths(self, batch: PathBatch, levels: NDArray[Any]) -> NDArray[np.int32]:
        """Return the lane of each hop of a batch of paths between hosts.

        A packet is on lane 0 as it leaves its host, where no other packet can wait for it.

        Parameters
        ----------
        batch
            Paths of at least one hop.
        levels
            The service level of each.

        Raises
        ------
        InputError
            Names the switch whose tables have no lane for it.
        """
        fabric, channels = self.fabric, batch.channels
        node = fabric.tail[channels]
        came_in = np.zeros(len(channels), dtype=np.int64)
        came_in[1:] = fabric.in_port[channels[:-1]]
        first = np.zeros(len(channels), dtype=np.bool_)
        first[batch.starts[:-1]] = True
        level = np.repeat(np.asarray(levels, dtype=np.int64), batch.lengths)
        key = (node * _PORTS + came_in) * _PORTS + fabric.out_port[channels]
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        inside = ~first
        self._refuse(inside & (self.keys[place] != key), channels, came_in, level, "no row")
        found = np.where(inside, self.lanes[place, level], _OF_A_HOST).astype(np.int32)
        self._refuse(found == _NO_DATA, channels, came_in, level, "no lane (15)")
        return found

    def _refuse(
        self,
        wrong: NDArray[np.bool_],
        channels: NDArray[Any],
        came_in: NDArray[Any],
        level: NDArray[Any],
        what: str,
    ) -> None:
        if not wrong.any():
            return
        hop = int(np.argmax(wrong))
        channel = int(channels[hop])
        switch = self.fabric.describe(int(self.fabric.tail[channel]))
        raise InputError(
            f"{self.file} has {what} for service level {level[hop]} at {switch} from port "
            f"{came_in[hop]} to port {self.fabric.out_port[channel]}, where packets pass; take "
            "all dumps at one time"
        )


class ServiceLevels:
    """The service level of packets from each end port of a fabric to each LID.

    Parameters
    ----------
    file
        The path records; see :mod:`obroute.routing.lanes_text`. Level 0 for all where there are
        none.
    fabric
        Whose end ports it is of, matched by GUID, else by LID, else by the GUID of the adapter.
    """

    def __init__(self, file: FilePath | None, fabric: Fabric) -> None:
        self.file = file
        self.fabric = fabric
        self.levels: dict[tuple[int, int], int | None] = {}
        if file is None:
            return
        nodes = _Nodes(fabric)
        of_device: dict[Device, Sequence[int]] = {}
        for row in read_levels(file):
            if row.source not in of_device:
                of_device[row.source] = nodes.all_of(row.source)
            for node in of_device[row.source]:
                known = self.levels.setdefault((node, row.lid), row.level)
                if known != row.level:
                    raise InputError(
                        f"{file}: line {row.line} has another service level from "
                        f"{fabric.describe(node)} to LID {row.lid:#06x} than a line above"
                    )

    def of(self, source: int, destination: int, lid: int) -> int:
        """Return the service level from an end port to another by one of its LIDs.

        Raises
        ------
        InputError
            If there is no record of it.
        """
        if self.file is None:
            return 0
        found = self.levels.get((source, lid))
        if found is None:
            raise InputError(
                f"{self.file} has no service level from {self.fabric.describe(source)} to "
                f"{self.fabric.describe(destination)} (LID {lid:#06x}); take all records at one "
                "time"
            )
        return found


class _Nodes:
    """The nodes of a fabric by what a file calls them."""

    def __init__(self, fabric: Fabric) -> None:
        self.by_guid = _by(fabric.guids)
        self.by_adapter = _by(fabric.node_guids)
        self.by_lid: dict[int, list[int]] = {}
        for node, (lid, count) in enumerate(zip(fabric.lids, fabric.lid_counts, strict=True)):
            for each in range(lid, lid + max(1, count)) if lid else ():
                self.by_lid.setdefault(each, []).append(node)

    def all_of(self, device: Device) -> Sequence[int]:
        """Return the nodes that a device or port is: several end ports for an adapter."""
        return (
            self.by_guid.get(device.guid)
            or self.by_lid.get(device.lid)
            or self.by_adapter.get(device.guid)
            or ()
        )

    def of(self, device: Device) -> int | None:
        """Return the first of them, None where the fabric has none."""
        return next(iter(self.all_of(device)), None)


def _by(guids: Sequence[int]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node, guid in enumerate(guids):
        if guid:
            found.setdefault(guid, []).append(node)
    return found
