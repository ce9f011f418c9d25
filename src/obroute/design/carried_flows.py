"""Routings whose flows are those of the first source, carried to the others by symmetries.

Of a routing that is so, the flows of one source say everything. What a routing says of itself,
through the contract that every routing fulfils, is held against it: all pairs of some channels,
and all channels of some sources.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from obroute.certificates import CertificateError
from obroute.design.carriers import Carriers, Table
from obroute.loads import LOADS_AT_ONCE
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, concatenate
from obroute.routing import Routing

SOURCES_READ = 5
"""Sources whose flows are held, channel by channel, against those of the first."""


@dataclass(frozen=True, eq=False)
class CarriedFlows:
    """The flows of the first source, and what carries them to the others.

    Parameters
    ----------
    network, carriers
        The network, and its symmetries.
    entry
        Which value is the flow of the first source to each destination on each channel; -1 for
        none.
    values
        Flows.
    """

    network: Network
    carriers: Carriers
    entry: Table
    values: RationalArray

    @classmethod
    def of(cls, network: Network, routing: Routing, carriers: Carriers) -> CarriedFlows:
        """Read the flows of the first source."""
        entry = np.full((len(network.destinations), network.channel_count), -1, dtype=np.int32)
        values, count = [], 0
        for block in _blocks(network):
            loads = _loads_to(network, routing, 0, block)
            entry[block.start + loads.rows, loads.columns] = count + np.arange(loads.nonzeros)
            values.append(loads.values)
            count += loads.nonzeros
        return cls(network, carriers, entry, concatenate(values))

    def pair_loads(self, channel: int) -> SparseRationalMatrix:
        """Return the pair loads of a channel."""
        back = self.network.destination_index[self.carriers.nodes[:, self.network.destinations]]
        return self._matrix(self.entry[back, self.carriers.channels[:, [channel]]])

    def channel_loads(self, place: int, block: slice) -> SparseRationalMatrix:
        """Return the channel loads of the source at a position, to some destinations."""
        network = self.network
        ends = self.carriers.nodes[place, network.destinations[block]]
        channels = self.carriers.channels[place]
        return self._matrix(self.entry[network.destination_index[ends]][:, channels])

    def _matrix(self, entry: Table) -> SparseRationalMatrix:
        rows, columns = np.nonzero(entry >= 0)
        return SparseRationalMatrix(
            rows, columns, self.values.take(entry[rows, columns]), entry.shape
        )

    def check_channel(self, loads: SparseRationalMatrix, channel: int) -> None:
        """Check that the pair loads of a channel are the first source's, carried.

        Raises
        ------
        CertificateError
            If they are not.
        """
        if not self.pair_loads(channel).equals(loads):
            raise CertificateError(
                f"the pairs that load channel {channel} are not those of the first source, "
                "carried by a symmetry"
            )

    def check_sources(self, routing: Routing) -> None:
        """Check some sources, evenly among all, in the same way.

        Raises
        ------
        CertificateError
            If the flows of one are not the first's.
        """
        network = self.network
        places: IntArray = np.linspace(0, len(network.sources) - 1, SOURCES_READ).astype(np.int64)
        for place in np.unique(places).tolist():
            for block in _blocks(network):
                loads = _loads_to(network, routing, place, block)
                if not self.channel_loads(place, block).equals(loads):
                    source = int(network.sources[place])
                    raise CertificateError(
                        f"the flows from {network.describe(source)} are not those of the first "
                        "source, carried by a symmetry"
                    )


def _blocks(network: Network) -> list[slice]:
    """Return the positions of the destinations, as many at once as hold few enough loads."""
    step = max(1, LOADS_AT_ONCE // network.channel_count)
    return [slice(first, first + step) for first in range(0, len(network.destinations), step)]


def _loads_to(
    network: Network, routing: Routing, place: int, block: slice
) -> SparseRationalMatrix:
    """Return what the routing says of the source at a position and some destinations."""
    ends = network.destinations[block]
    return routing.channel_loads(network, np.repeat(network.sources[place], len(ends)), ends)
