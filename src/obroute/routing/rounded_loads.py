"""Pair loads of channel after channel, rounded up to integers, for bounds on their worst cases.

Exact pair loads of a large network without symmetry have too many denominators, and are too many,
to be held all at once. To find the channel that matters it is enough to bound the others, and a
bound may round *up*: what covers the rounded loads covers the exact ones. So a routing gives the
loads of block after block of channels as multiples of ``1 / units``, none too small, in arrays
that compiled code reads; only the channels that may be the worst are then looked at exactly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix

FINEST = 40
"""Loads are rounded up to multiples of 2 to the minus this, where no common unit is coarser."""
COARSEST = 16
ROOM = 60
"""Bits that all that terminals send may take, in units."""
LEAST_ENTRIES = 2**16
"""Entries of a block at first; it grows where one channel has more."""
MARGIN = 2.0**-48
"""Relative, more than the quotient of two floats is off, and they of integers."""


@dataclass(frozen=True)
class LoadBlock:
    """Rounded pair loads of some channels: those of ``channels[i]`` are at ``starts[i:i + 2]``.

    Within a channel entries are in order of their rows; ``weights`` are multiples of 1 / units.
    """

    channels: IntArray
    starts: IntArray
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    weights: IntArray


@dataclass(frozen=True)
class Rounding:
    """How loads become integers: multiples of ``1 / units``.

    ``margin`` is added to a load, relatively, before it is rounded up; loads are multiples
    already where it is 0. ``excess`` is in units, and no load is so much too large.
    """

    units: int
    margin: float = 0.0

    def excess(self, largest: int) -> int:
        """Return units by which a load of at most ``largest`` may be too large at the most."""
        return 2 + int(2 * largest * self.margin * self.units) if self.margin else 0


@dataclass(frozen=True, eq=False)
class Ends:
    """Rows for sources and columns for destinations, with what they send and receive.

    Sources that a routing treats alike may share a row, and destinations a column: the pair load
    of a source and a destination is that of their row and column.

    Parameters
    ----------
    row, column
        The row of each source and the column of each destination.
    supply, demand
        What those of a row inject, of a column eject, in units of 1 / ``denominator``.
    row_share, column_share
        The factors of uniform traffic, as floats.
    largest
        No pair load is more.
    """

    row: IntArray
    column: IntArray
    supply: NDArray[np.int64]
    demand: NDArray[np.int64]
    denominator: int
    row_share: FloatArray
    column_share: FloatArray
    largest: int = 1

    @classmethod
    def of(cls, network: Network, row: IntArray, column: IntArray, largest: int = 1) -> Ends:
        """Sum the terminals of each row and column."""
        denominator = math.lcm(network.injection.denominator, network.ejection.denominator)
        supply = _summed(network.injection.over(denominator), row)
        demand = _summed(network.ejection.over(denominator), column)
        share = demand / demand.sum()
        return cls(
            row,
            column,
            supply,
            demand,
            denominator,
            np.asarray(supply / denominator, dtype=np.float64),
            np.asarray(share, dtype=np.float64),
            largest,
        )

    @classmethod
    def apart(cls, network: Network, largest: int = 1) -> Ends:
        """Give each source a row and each destination a column."""
        rows, columns = len(network.sources), len(network.destinations)
        return cls.of(network, np.arange(rows), np.arange(columns), largest)

    @cached_property
    def finest(self) -> int:
        """The bits of the finest units in which sums fit; they may be too few to be of use."""
        if object in (self.supply.dtype, self.demand.dtype):
            return 0
        total = int(self.supply.sum()) + int(self.demand.sum())
        return min(FINEST, ROOM - total.bit_length() - self.largest.bit_length())

    def rounding(self, common: int | None, margin: float = MARGIN) -> Rounding:
        """Return units that make loads exact if a common denominator is small, else the finest."""
        if common is not None and common.bit_length() <= self.finest:
            return Rounding(common)
        return Rounding(2 ** max(self.finest, 0), margin)


def _summed(amounts: NDArray[np.int64], of: IntArray) -> NDArray[np.int64]:
    sums = np.zeros(int(of.max()) + 1, dtype=amounts.dtype)
    np.add.at(sums, of, amounts)
    return sums


@dataclass(frozen=True, eq=False)
class Alone:
    """Channels whose largest load needs no matching, as of a host: all that it sends to others.

    Parameters
    ----------
    channels
        In rising order.
    loads
        The largest load of each, in units of 1 / the denominator of terminals.
    uniform
        By uniform traffic (packets per cycle).
    enough
        A channel of any bandwidth whose load is no more, in the same units, is not loaded more
        over its bandwidth than one of these.
    """

    channels: IntArray
    loads: NDArray[np.int64]
    uniform: RationalArray
    enough: int = -1

    @classmethod
    def none(cls) -> Alone:
        """Return no channel."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), RationalArray.full(0, 0))

    def places(self, channels: IntArray) -> IntArray:
        """Return the place of each channel here, -1 where it is in the blocks."""
        if not self.channels.size:
            return np.full(len(channels), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.channels, channels), len(self.channels) - 1)
        return np.where(self.channels[places] == channels, places, -1)


class RoundedLoads(ABC):
    """The pair loads of a routing on a network, rounded up, channel after channel."""

    def __init__(self, ends: Ends, rounding: Rounding) -> None:
        self.ends, self.rounding = ends, rounding

    @property
    def are_useful(self) -> bool:
        """Whether sums of them fit 63 bits, finely enough to tell channels apart."""
        return self.ends.finest >= COARSEST

    def alone(self) -> Alone:
        """Return the channels that are in no block: none here."""
        return Alone.none()

    def alike(self, channels: IntArray) -> IntArray:
        """Return the place of the first of the given channels that each one is loaded like.

        The pair loads of the two are the same up to the order of terminals that send and receive
        alike, or of sources and destinations; here, each channel is like itself.
        """
        return np.arange(len(channels))

    def bounds_at_once(self, channels: IntArray) -> tuple[NDArray[np.int64], FloatArray] | None:
        """Return a bound for each channel, and its uniform load, None where loads are needed.

        No traffic loads it more, in units of 1 / the denominator of terminals, however loosely;
        uniform traffic loads it as much, in packets per cycle.
        """
        return None

    @abstractmethod
    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Yield the loads of the given channels, in any order, some at a time.

        The arrays of a block are written again for the next.
        """


class LoadsOfMatrices(RoundedLoads):
    """Rounded loads from exact ones, of one channel after the other.

    ``common`` is a denominator that all of them have, if one is known.
    """

    def __init__(
        self,
        network: Network,
        exact: Callable[[int], SparseRationalMatrix],
        largest: int,
        common: int | None = None,
    ) -> None:
        ends = Ends.apart(network, largest)
        super().__init__(ends, ends.rounding(common))
        self.exact = exact

    def blocks(self, channels: IntArray) -> Iterator[LoadBlock]:
        """Round the loads of each channel."""
        for channel in channels.tolist():
            loads = self.exact(channel)
            yield LoadBlock(
                np.array([channel]),
                np.array([0, loads.nonzeros]),
                loads.rows.astype(np.int32),
                loads.columns.astype(np.int32),
                rounded_up(loads.values, self.rounding),
            )


def rounded_up(values: RationalArray, rounding: Rounding) -> IntArray:
    """Return values as integers in units, none less than it is.

    >>> rounded_up(RationalArray(np.array([1, 2, 3]), 3), Rounding(8, MARGIN)).tolist()
    [3, 6, 9]
    """
    factor, rest = divmod(rounding.units, values.denominator)
    if not rest and values.numerators.dtype != object:
        return np.asarray(values.numerators * factor)
    nearly = values.to_float() * rounding.units
    return np.asarray(np.ceil(nearly + nearly * MARGIN), dtype=np.int64)
