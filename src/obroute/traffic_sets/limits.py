"""What bounds the traffic of a set: sums of terminals, amounts of pairs, and the sum of all.

A set of traffic is ``{a ≥ 0: Σ_d a_sd ≤ r_s, Σ_s a_sd ≤ q_d, a_sd ≤ ℓ_sd, Σ a_sd ≤ K}``. Its
rows are those of a network that flows from sources over pairs to destinations, with one arc of
capacity K before the sources: where all numbers are multiples of one unit, so are the amounts of
some worst traffic (the matrix is totally unimodular). With unit terminals and a whole K these are
K pairs, no terminal in two of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.network import Network
from obroute.rational import INT64_ROOM, IntArray, RationalArray
from obroute.specs import InputError

NO_LIMIT = -1
"""What stands for the limit of a pair that has none."""
MOST_PAIRS_COMPARED = 2**24
"""Pairs of terminals up to which limits are held against a symmetry pair by pair."""


class PairLimits(ABC):
    """How much each pair of terminals may send: in units of ``1 / denominator``, or any amount."""

    denominator: int = 1

    @abstractmethod
    def units(self, sources: IntArray, destinations: IntArray) -> IntArray:
        """Return the limits of pairs, given by the positions of their ends; -1 for none."""

    def is_kept_by(self, sources: IntArray, destinations: IntArray) -> bool:
        """Say whether a symmetry keeps all limits; it is given by the images of positions."""
        rows, columns = len(sources), len(destinations)
        if rows * columns > MOST_PAIRS_COMPARED:
            return False
        one, other = np.divmod(np.arange(rows * columns), columns)
        before = self.units(one, other)
        return bool(np.array_equal(before, self.units(sources[one], destinations[other])))


@dataclass(frozen=True)
class SameLimit(PairLimits):
    """One limit for all pairs."""

    limit: Fraction

    @property
    def denominator(self) -> int:  # type: ignore[override]  # that of the limit
        """The denominator of the limit."""
        return self.limit.denominator

    def units(self, sources: IntArray, destinations: IntArray) -> IntArray:
        """Return the limit for each pair."""
        return np.full(len(sources), self.limit.numerator, dtype=np.int64)

    def is_kept_by(self, sources: IntArray, destinations: IntArray) -> bool:
        """Say that it is."""
        return True


@dataclass(frozen=True, eq=False)
class BlockLimits(PairLimits):
    """Pairs that talk only inside of blocks of terminals, or only between blocks.

    ``of_source`` and ``of_destination`` are the numbers of the blocks.
    """

    of_source: IntArray
    of_destination: IntArray
    inside: bool

    def units(self, sources: IntArray, destinations: IntArray) -> IntArray:
        """Return no limit for pairs that talk, zero for others."""
        same = self.of_source[sources] == self.of_destination[destinations]
        return np.where(same == self.inside, NO_LIMIT, 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ListedLimits(PairLimits):
    """Limits of pairs that are listed, and one for all others.

    ``keys`` are the pairs, ``source position · columns + destination position``, sorted.
    """

    keys: IntArray
    amounts: IntArray
    columns: int
    others: int = NO_LIMIT
    denominator: int = 1

    @classmethod
    def of(
        cls, keys: IntArray, amounts: RationalArray, columns: int, others: Fraction | None
    ) -> ListedLimits:
        """Return limits over a common denominator.

        Raises
        ------
        InputError
            If there is none that fits 63 bits.
        """
        common = math.lcm(amounts.denominator, 1 if others is None else others.denominator)
        units = amounts.over(common)
        if units.dtype == object or common >= INT64_ROOM:
            raise InputError(
                "the limits of pairs have no common unit that fits 63 bits; round them to fewer "
                "digits"
            )
        rest = NO_LIMIT if others is None else int(others * common)
        return cls(keys, units, columns, rest, common)

    def units(self, sources: IntArray, destinations: IntArray) -> IntArray:
        """Return what is listed, and what holds for others."""
        if not self.keys.size:
            return np.full(len(sources), self.others, dtype=np.int64)
        wanted = sources * self.columns + destinations
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        listed = self.keys[places] == wanted
        return np.where(listed, self.amounts[places], self.others).astype(np.int64)


@dataclass(frozen=True, eq=False)
class AllLimits(PairLimits):
    """The least of several limits of each pair."""

    parts: Sequence[PairLimits]

    @property
    def denominator(self) -> int:  # type: ignore[override]  # that of all parts
        """A common denominator of the parts."""
        return math.lcm(*(part.denominator for part in self.parts))

    def units(self, sources: IntArray, destinations: IntArray) -> IntArray:
        """Return the least limit."""
        none = np.iinfo(np.int64).max
        least = np.full(len(sources), none, dtype=np.int64)
        for part in self.parts:
            found = part.units(sources, destinations)
            scaled = found * (self.denominator // part.denominator)
            least = np.where(found == NO_LIMIT, least, np.minimum(least, scaled))
        return np.where(least == none, NO_LIMIT, least)


@dataclass(frozen=True, eq=False)
class Limits:
    """What bounds the traffic of a set on a network.

    Parameters
    ----------
    injection, ejection
        What each source sends in all, and each destination gets, at most (packets per cycle).
    total
        What all sources send together, at most (packets per cycle); None for no bound.
    pairs
        What each pair sends at most; None for no bound.
    """

    injection: RationalArray
    ejection: RationalArray
    total: Fraction | None = None
    pairs: PairLimits | None = None

    @classmethod
    def of_terminals(cls, network: Network) -> Limits:
        """Return what the terminals allow, and nothing else bounds."""
        return cls(network.injection, network.ejection)

    def also(self, other: Limits) -> Limits:
        """Return what both allow."""
        totals = [total for total in (self.total, other.total) if total is not None]
        pairs = [part for part in (self.pairs, other.pairs) if part is not None]
        return Limits(
            _least(self.injection, other.injection),
            _least(self.ejection, other.ejection),
            min(totals) if totals else None,
            AllLimits(pairs) if len(pairs) > 1 else (pairs[0] if pairs else None),
        )

    def is_kept_by(self, network: Network, node_image: IntArray) -> bool:
        """Say whether an automorphism of the network, given on nodes, keeps all limits."""
        sources = network.source_index[node_image[network.sources]]
        destinations = network.destination_index[node_image[network.destinations]]
        for amounts, places in ((self.injection, sources), (self.ejection, destinations)):
            if not np.array_equal(amounts.numerators[places], amounts.numerators):
                return False
        return self.pairs is None or self.pairs.is_kept_by(sources, destinations)


def _least(one: RationalArray, other: RationalArray) -> RationalArray:
    if one is other:
        return one
    pairs = zip(one.fractions(), other.fractions(), strict=True)
    return RationalArray.from_fractions(min(pair) for pair in pairs)
