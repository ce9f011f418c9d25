"""Tables of amounts by source, destination and channel, in whole numbers of one unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.routing import Routing
from obroute.specs import InputError

Entries = tuple[IntArray, IntArray, RationalArray]
"""Positions of destinations, channels and amounts of one source, in that order."""


@dataclass(frozen=True, eq=False)
class PairTable:
    """Amounts of each source, destination and channel, those of a source together.

    Parameters
    ----------
    network
        The network.
    rows
        The entries of each source, sorted by destination, then channel; none is zero.
    """

    network: Network
    rows: list[Entries]

    @classmethod
    def of(cls, network: Network, rows: Iterable[Entries], most: int, what: str) -> PairTable:
        """Take the entries of all sources, as long as they are at most so many.

        Raises
        ------
        InputError
            If there are more.
        """
        taken: list[Entries] = []
        count = 0
        for row in rows:
            count += len(row[0])
            if count > most:
                sources = len(network.sources)
                raise InputError(
                    f"{network.name}: the {what} of {len(taken) + 1} of {sources} sources are "
                    f"already {count}, more than {most}; give --limit for a larger file, or take "
                    "a smaller network"
                )
            taken.append(row)
        return cls(network, taken)

    @classmethod
    def of_flows(cls, network: Network, routing: Routing, most: int) -> PairTable:
        """Return how often a packet of each pair crosses each channel, in the mean.

        Examples
        --------
        >>> from obroute import make_network, make_routing
        >>> table = PairTable.of_flows(make_network("ring:4"), make_routing("dor"), 100)
        >>> table.unit, table.whole(table.unit)[0][2]
        (2, [[0, 1], [1, 1], [4, 1], [7, 1]])
        """

        def flows() -> Iterator[Entries]:
            for source in network.sources.tolist():
                starts = np.full(len(network.destinations), source, dtype=np.int64)
                loads = routing.channel_loads(network, starts, network.destinations)
                yield loads.rows, loads.columns, loads.values

        return cls.of(network, flows(), most, "flows")

    @property
    def unit(self) -> int:
        """The least unit in which all amounts are whole numbers, one over it."""
        return math.lcm(*(_reduced(values) for *_, values in self.rows))

    @property
    def count(self) -> int:
        """Number of amounts."""
        return sum(len(destinations) for destinations, *_ in self.rows)

    def whole(self, unit: int) -> list[list[list[list[int]]]]:
        """Return ``[channel, amount · unit]`` of all amounts, by source and destination."""
        table = []
        for destinations, channels, values in self.rows:
            cells: list[list[list[int]]] = [[] for _ in range(len(self.network.destinations))]
            amounts = whole_numbers(values, unit)
            for place, channel, amount in zip(
                destinations.tolist(), channels.tolist(), amounts, strict=True
            ):
                cells[place].append([channel, amount])
            table.append(cells)
        return table


def whole_numbers(values: RationalArray, unit: int) -> list[int]:
    """Return values times a unit in which they are whole."""
    return [int(n) * unit // values.denominator for n in values.numerators.tolist()]


def _reduced(values: RationalArray) -> int:
    """Return the least common denominator of values whose own may be larger."""
    return values.denominator // math.gcd(values.denominator, *values.numerators.tolist())
