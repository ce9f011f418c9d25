"""What is said of any traffic: whether it is a permutation, and what terminals can carry."""

from __future__ import annotations

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix

MOST_NAMED = 2
"""Terminals that are named in one line before the rest is counted."""


def beyond_terminals(network: Network, amounts: SparseRationalMatrix) -> str:
    """Say in one line which terminals traffic asks more of than they inject or eject.

    Returns
    -------
    str
        Empty if there is none.

    Examples
    --------
    >>> from obroute import make_network
    >>> demands = SparseRationalMatrix.from_triplets(
    ...     np.array([0, 1]), np.array([2, 2]), RationalArray(np.array([1, 2]), 1), (4, 4)
    ... )
    >>> beyond_terminals(make_network("ring:4"), demands)
    'node (1) injects 2 of at most 1, node (2) ejects 3 of at most 1'
    """
    found = []
    for what, nodes, sums, limits in (
        ("injects", network.sources, line_sums(amounts, 0), network.injection),
        ("ejects", network.destinations, line_sums(amounts, 1), network.ejection),
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


def fills_terminals(network: Network, amounts: SparseRationalMatrix) -> bool:
    """Say whether every terminal injects and ejects exactly what it may.

    The worst case is over such traffic, and only its throughput is one of injection bandwidth.
    """
    return (
        line_sums(amounts, 0).fractions() == network.injection.fractions()
        and line_sums(amounts, 1).fractions() == network.ejection.fractions()
    )


def line_sums(amounts: SparseRationalMatrix, axis: int) -> RationalArray:
    """Return what each source sends (axis 0) or each destination gets (1)."""
    if axis == 1:
        return amounts.column_sums()
    return SparseRationalMatrix.from_triplets(
        amounts.columns, amounts.rows, amounts.values, amounts.shape[::-1]
    ).column_sums()


def permutation_of(amounts: SparseRationalMatrix) -> IntArray | None:
    """Return the destination of each source, -1 for none, where each sends one packet to one.

    None if the traffic is no (partial) permutation.
    """
    ones = bool(np.all(amounts.values.numerators == amounts.values.denominator))
    rows, columns = amounts.rows, amounts.columns
    if not ones or len(set(rows.tolist())) < len(rows) or len(set(columns.tolist())) < len(rows):
        return None
    found = np.full(amounts.shape[0], -1, dtype=np.int64)
    found[rows] = columns
    return found


def permutation_matrix(destinations: IntArray, columns: int) -> SparseRationalMatrix:
    """Return a (partial) permutation as traffic of one packet per cycle from each source.

    >>> permutation_matrix(np.array([1, -1]), 2).to_dense().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    sending = np.flatnonzero(destinations >= 0)
    return SparseRationalMatrix.from_triplets(
        sending,
        destinations[sending],
        RationalArray.full(len(sending), 1),
        (len(destinations), columns),
    )
