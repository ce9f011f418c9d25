"""What every source of a network sends: the one form of traffic behind every name for it.

A named pattern, a file, a permutation at hand, a matrix of a sample and the worst traffic of a
matching all become a :class:`Traffic`, which knows whether it is a permutation, what its terminals
inject and eject, and whether they can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.specs import InputError

MOST_NAMED = 2
"""Terminals that are named in one line before the rest is counted."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """What every source of a network sends to every destination, exactly.

    Parameters
    ----------
    network
        The network.
    name
        What it is called in results and messages.
    sent
        What each source sends in all (packets per cycle).
    matrix
        What it sends to each destination (packets per cycle), sources × destinations. Uniform
        traffic where none is given: every source divides what it sends among all destinations, in
        proportion to what these eject.

    Examples
    --------
    >>> from obroute import make_network
    >>> shift = Traffic.of_permutation(make_network("ring:4"), [1, 2, 3, 0], "shift")
    >>> shift.amounts.entry(0, 1), shift.fills_terminals
    (Fraction(1, 1), True)
    """

    network: Network
    name: str
    sent: RationalArray
    matrix: SparseRationalMatrix | None = None

    @classmethod
    def uniform(cls, network: Network, sent: RationalArray | None = None) -> Traffic:
        """Return uniform traffic, in which every source sends what it may inject.

        Parameters
        ----------
        network
            The network.
        sent
            What each source sends in place of that (packets per cycle).

        Examples
        --------
        >>> from obroute import make_network
        >>> Traffic.uniform(make_network("ring:4")).amounts.entry(1, 1)
        Fraction(1, 4)
        """
        return cls(network, "uniform", network.injection if sent is None else sent)

    @classmethod
    def of_amounts(
        cls, network: Network, amounts: SparseRationalMatrix, name: str = "demands"
    ) -> Traffic:
        """Return the traffic of any matrix of amounts, sources × destinations.

        Raises
        ------
        InputError
            If the matrix is of another shape.
        """
        rows, columns = len(network.sources), len(network.destinations)
        if amounts.shape != (rows, columns):
            raise InputError(
                f"traffic {name} is {amounts.shape[0]}×{amounts.shape[1]}; {network.name} has "
                f"{rows} sources and {columns} destinations"
            )
        by_source = SparseRationalMatrix.from_triplets(
            amounts.columns, amounts.rows, amounts.values, (columns, rows)
        )
        return cls(network, name, by_source.column_sums(), amounts)

    @classmethod
    def of_permutation(
        cls,
        network: Network,
        destinations: Sequence[int] | NDArray[Any],
        name: str = "permutation",
    ) -> Traffic:
        """Return the traffic of a permutation: one packet per cycle from each source.

        Parameters
        ----------
        network
            The network.
        destinations
            Position of the destination of each source, -1 for a source that sends nothing.
        name
            What it is called.

        Raises
        ------
        InputError
            If it is none of the network; see :func:`partial_permutation`.
        """
        positions = partial_permutation(network, destinations)
        sending = np.flatnonzero(positions >= 0)
        ones = RationalArray.full(len(sending), 1)
        shape = len(positions), len(network.destinations)
        matrix = SparseRationalMatrix.from_triplets(sending, positions[sending], ones, shape)
        return cls(network, name, RationalArray((positions >= 0).astype(np.int64), 1), matrix)

    @classmethod
    def of_array(cls, network: Network, array: NDArray[Any], name: str = "demands") -> Traffic:
        """Return traffic of a dense matrix of floats, each taken as the fraction that it is.

        Raises
        ------
        InputError
            If an entry is negative or no number, or the matrix is of another shape.
        """
        if not np.all(np.isfinite(array)) or np.any(array < 0):
            raise InputError(f"traffic {name} has an entry that is negative or no number")
        rows, columns = np.nonzero(array)
        amounts = RationalArray.from_fractions(map(Fraction, array[rows, columns].tolist()))
        shape = array.shape[0], array.shape[1]
        matrix = SparseRationalMatrix.from_triplets(rows, columns, amounts, shape)
        return cls.of_amounts(network, matrix, name)

    @property
    def is_uniform(self) -> bool:
        """Whether every source sends to every destination alike."""
        return self.matrix is None

    @property
    def shares(self) -> RationalArray:
        """What each destination gets of all that a source sends, under uniform traffic."""
        return self.network.uniform_weight()[1]

    @cached_property
    def amounts(self) -> SparseRationalMatrix:
        """What each source sends to each destination (packets per cycle)."""
        if self.matrix is not None:
            return self.matrix
        shape = len(self.network.sources), len(self.network.destinations)
        sources, destinations = np.indices(shape).reshape(2, -1)
        amounts = self.sent.take(sources).times(self.shares.take(destinations))
        return SparseRationalMatrix.from_triplets(sources, destinations, amounts, shape)

    def dense(self) -> RationalArray:
        """Return what each source sends to each destination as an array, zeros included."""
        if self.matrix is None:
            return RationalArray(self.sent.numerators[:, None], self.sent.denominator).times(
                RationalArray(self.shares.numerators[None, :], self.shares.denominator)
            )
        values = self.matrix.values
        found = np.zeros(self.matrix.shape, dtype=values.numerators.dtype)
        found[self.matrix.rows, self.matrix.columns] = values.numerators
        return RationalArray(found, values.denominator)

    @cached_property
    def received(self) -> RationalArray:
        """What each destination gets in all (packets per cycle)."""
        if self.matrix is None:
            return self.shares.scaled(self.sent.sum())
        return self.matrix.column_sums()

    @cached_property
    def permutation(self) -> IntArray | None:
        """Position of the destination of each source, -1 for none; None if it is no permutation.

        A (partial) permutation sends one packet per cycle from a source to a destination, and
        each of both sends or gets at most one.
        """
        if self.matrix is None:
            return None
        rows, columns, values = self.matrix.rows, self.matrix.columns, self.matrix.values
        if (
            np.any(values.numerators != values.denominator)
            or len(np.unique(rows)) < len(rows)
            or len(np.unique(columns)) < len(columns)
        ):
            return None
        found = np.full(self.matrix.shape[0], -1, dtype=np.int64)
        found[rows] = columns
        return found

    def full_permutation(self) -> IntArray:
        """Return the position of the destination of each source, where every source has one.

        Raises
        ------
        InputError
            If it is no permutation, or a source sends nothing.
        """
        found = self.permutation
        if self.is_uniform:
            raise InputError("uniform traffic is no permutation")
        if found is None:
            raise InputError(f"traffic {self.name} is a matrix of demands, no permutation")
        if (found < 0).any():
            silent = self.network.describe(int(self.network.sources[np.argmin(found)]))
            raise InputError(
                f"traffic {self.name} is no permutation of all sources: node {silent} "
                "sends nothing"
            )
        return found

    @property
    def fills_terminals(self) -> bool:
        """Whether every terminal injects and ejects exactly what it may.

        The worst case is over such traffic, and only its throughput is one of injection bandwidth.
        """
        return (
            self.sent.fractions() == self.network.injection.fractions()
            and self.received.fractions() == self.network.ejection.fractions()
        )

    @property
    def beyond_terminals(self) -> str:
        """Which terminals inject or eject more than they may, in one line; empty if none.

        Examples
        --------
        >>> from obroute import make_network
        >>> demands = np.array([[0, 0, 1, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
        >>> Traffic.of_array(make_network("ring:4"), demands).beyond_terminals
        'node (1) injects 2 of at most 1, node (2) ejects 3 of at most 1'
        """
        network, found = self.network, []
        for what, nodes, sums, limits in (
            ("injects", network.sources, self.sent, network.injection),
            ("ejects", network.destinations, self.received, network.ejection),
        ):
            pairs = zip(nodes.tolist(), sums.fractions(), limits.fractions(), strict=True)
            found += [
                f"node {network.describe(node)} {what} {total} of at most {limit}"
                for node, total, limit in pairs
                if total > limit
            ]
        more = len(found) - MOST_NAMED
        named = ", ".join(found[:MOST_NAMED])
        return f"{named} and {more} more" if more > 0 else named


def partial_permutation(network: Network, destinations: Sequence[int] | NDArray[Any]) -> IntArray:
    """Return a (partial) permutation as positions of destinations, -1 where none is sent.

    Raises
    ------
    InputError
        If it is none of the network: too long or short, a position that does not exist, or one
        that comes twice.
    """
    positions = np.asarray(destinations, dtype=np.int64)
    if len(positions) != len(network.sources):
        raise InputError(
            f"{len(positions)} destinations; {network.name} has {len(network.sources)} sources"
        )
    sent = positions[positions >= 0]
    if np.any(positions < -1) or np.any(sent >= len(network.destinations)):
        raise InputError(
            f"a destination of {network.name} that does not exist; positions are 0 to "
            f"{len(network.destinations) - 1}, or -1 for no packet"
        )
    repeated = np.flatnonzero(np.bincount(sent) > 1)
    if repeated.size:
        raise InputError(f"no permutation: destination {repeated[0]} comes twice")
    return positions
