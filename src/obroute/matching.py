"""The worst traffic of a channel: a maximum-weight matching, solved exactly.

The worst permutation for a channel is a maximum-weight perfect matching of the bipartite graph of
sources and destinations whose weights are the channel's pair loads (technical report, section 3).
Weights are not negative, so leaving sources and destinations out costs nothing, and the dual is::

    minimise  Σ injection_s · u_s + Σ ejection_d · v_d
    subject to  u_s + v_d ≥ pair load (s, d),   u, v ≥ 0

Terminals that inject or eject more than one packet per cycle make it a transportation problem;
the same loop solves both. A solution carries its own proof (:mod:`obroute.certificates`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.additive_matrix import AdditiveMatrix
from obroute.certificates import CertificateError, WorstCase
from obroute.completion_kernel import complete, in_order
from obroute.matching_kernel import transport
from obroute.network import Network
from obroute.orbit_matching import Collapsed, additive_proposal, holds
from obroute.product_matrix import ProductMatrix
from obroute.rational import (
    INT64_ROOM,
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    multiply_integers,
    sum_integers,
)
from obroute.specs import InputError

TERMINALS_COLLAPSED = 1024
"""Terminals from which on pair loads in product form are solved without the list of all pairs."""


def is_collapsed(network: Network) -> bool:
    """Say whether pair loads in product form are solved from their factors on a network."""
    return network.has_unit_terminals and len(network.sources) >= TERMINALS_COLLAPSED


def worst_case(
    pair_loads: SparseRationalMatrix,
    injection: RationalArray,
    ejection: RationalArray,
    channel: int = 0,
) -> WorstCase:
    """Return the traffic that loads a channel most, with its proof.

    Parameters
    ----------
    pair_loads
        Exact pair loads of the channel, sources × destinations.
    injection, ejection
        What each source may inject and each destination eject (packets per cycle).
    channel
        The number to record.

    Examples
    --------
    >>> loads = SparseRationalMatrix.from_triplets(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1]), RationalArray(np.array([2, 3, 2]), 3), (2, 2)
    ... )
    >>> unit = RationalArray.full(2, 1)
    >>> worst = worst_case(loads, unit, unit)
    >>> worst.load, worst.permutation.tolist()
    (Fraction(4, 3), [0, 1])
    """
    terminal_denominator = math.lcm(injection.denominator, ejection.denominator)
    supply = terminal_units(injection, terminal_denominator)
    demand = terminal_units(ejection, terminal_denominator)
    if isinstance(pair_loads, AdditiveMatrix) and supply.sum() == demand.sum():
        return _worst_of_additive(pair_loads, channel, supply, demand, terminal_denominator)
    alike = bool((supply == 1).all() and (demand == 1).all())
    if alike and len(supply) >= TERMINALS_COLLAPSED and isinstance(pair_loads, ProductMatrix):
        return _worst_of_product(pair_loads, channel, injection.fraction(0))
    weights = pair_loads.values.numerators
    parts = additive_parts(pair_loads) if supply.sum() == demand.sum() else None
    if parts is not None:
        u, v = parts
        sources, destinations, amounts = _full_traffic(supply, demand)
        value = _value(u, supply, v, demand)
    else:
        flow, u, v = solve_integers(pair_loads, weights, supply, demand)
        value, bound = sum_integers(multiply_integers(weights, flow)), _value(u, supply, v, demand)
        if value != bound:  # pragma: no cover  # would be a defect of the solver
            raise CertificateError(f"channel {channel}: traffic reaches {value}, bound {bound}")
        used = np.flatnonzero(flow)
        sources, destinations, amounts = complete(
            pair_loads.rows[used], pair_loads.columns[used], flow[used], supply, demand
        )
    denominator = pair_loads.values.denominator
    return WorstCase(
        channel,
        Fraction(value, denominator * terminal_denominator),
        sources,
        destinations,
        RationalArray(amounts, terminal_denominator),
        RationalArray(u, denominator),
        RationalArray(v, denominator),
    )


def _worst_of_additive(
    matrix: AdditiveMatrix, channel: int, supply: IntArray, demand: IntArray, denominator: int
) -> WorstCase:
    """Send all supply to all demand, in any way: all ways load the channel alike."""
    u, v = matrix.of_row, matrix.of_column
    sources, destinations, amounts = _full_traffic(supply, demand)
    sent = RationalArray(amounts, denominator)
    load = matrix.load_at(sources, destinations, sent)
    return WorstCase(channel, load, sources, destinations, sent, u, v)


def _worst_of_product(matrix: ProductMatrix, channel: int, unit: Fraction) -> WorstCase:
    """Take what is proposed where it holds, else solve the matching between orbits."""
    count = matrix.shape[0]
    every = np.arange(count)
    for propose in (matrix.propose, lambda: additive_proposal(matrix)):
        proposal = None if propose is None else propose()
        if proposal is not None and holds(proposal, matrix):
            sources, destinations, amounts = every, proposal.permutation, np.ones_like(every)
            u, v = proposal.source_potentials, proposal.destination_potentials
            break
    else:
        found = Collapsed(matrix).solve(solve_integers)
        u, v = found.source_potentials, found.destination_potentials
        one = np.ones(count, dtype=np.int64)
        sources, destinations, amounts = complete(
            found.sources, found.destinations, np.ones_like(found.sources), one, one
        )
    load = (u.sum() + v.sum()) * unit
    return WorstCase(
        channel, load, sources, destinations, RationalArray(amounts, 1).scaled(unit), u, v
    )


def _value(u: NDArray[Any], supply: IntArray, v: NDArray[Any], demand: IntArray) -> int:
    return sum_integers(multiply_integers(u, supply)) + sum_integers(multiply_integers(v, demand))


def additive_parts(pair_loads: SparseRationalMatrix) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return A, B ≥ 0 with pair load (s, d) = A_s + B_d for all pairs, None if there are none.

    As Valiant's routing has them (``docs/methods/worst-case.md``): the way to the intermediate
    does not depend on the destination, nor the way on from it on the source. All traffic that uses
    all bandwidth then loads the channel alike, and A and B are optimal potentials. They are
    numerators over the denominator of the pair loads, and both are somewhere positive: where only
    one is, nothing is lost by a matching, and traffic that loads nothing stays at home.

    Examples
    --------
    >>> loads = SparseRationalMatrix.from_triplets(
    ...     np.array([0, 1, 1]), np.array([1, 0, 1]), RationalArray(np.array([1, 2, 3]), 5), (2, 2)
    ... )
    >>> [part.tolist() for part in additive_parts(loads)]
    [[0, 2], [0, 1]]
    """
    rows, columns = pair_loads.shape
    starts, weights = pair_loads.row_pointers(), pair_loads.values.numerators
    filled = np.diff(starts)
    shortest = int(np.argmin(filled)) if rows else 0
    # Rows of A = 0 miss the columns of B = 0; all others are full.
    if not pair_loads.nonzeros or not np.isin(filled, (filled[shortest], columns)).all():
        return None
    b = np.zeros(columns, dtype=weights.dtype)
    row = slice(int(starts[shortest]), int(starts[shortest + 1]))
    b[pair_loads.columns[row]] = weights[row]
    column = int(np.argmin(b))
    b = b - b[column]
    places = pair_loads.positions(np.arange(rows), np.full(rows, column))
    a = np.where(places >= 0, weights[places], 0)
    zeros = np.count_nonzero(a == 0) * np.count_nonzero(b == 0)
    if pair_loads.nonzeros + zeros != rows * columns or not (a.any() and b.any()):
        return None
    if not np.array_equal(a[pair_loads.rows] + b[pair_loads.columns], weights):
        return None
    return a, b


def _full_traffic(supply: IntArray, demand: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Send all supply to all demand, in order from half-way round the list of destinations.

    With unit terminals it is a permutation; where they are listed alike, none sends to itself.
    """
    turned = np.roll(np.arange(len(demand)), -(len(demand) // 2))
    sources, places, amounts = in_order(supply, demand[turned])
    destinations = turned[places]
    order = np.lexsort((destinations, sources))
    return sources[order], destinations[order], amounts[order]


def terminal_units(bandwidth: RationalArray, denominator: int) -> IntArray:
    """Return what terminals inject or eject in units of 1 / denominator.

    Raises
    ------
    InputError
        If a number does not fit 63 bits.
    """
    units = bandwidth.over(denominator)
    if units.dtype == object:
        raise InputError(
            "terminal bandwidths have no common unit that fits 63 bits; round them to fewer digits"
        )
    return units.astype(np.int64)


def solve_integers(
    matrix: SparseRationalMatrix, weights: NDArray[Any], supply: IntArray, demand: IntArray
) -> tuple[IntArray, NDArray[Any], NDArray[Any]]:
    """Return optimal integer flow and potentials for integer weights of any size.

    Weights beyond 63 bits are solved for their leading bits first. The potentials found, lowered
    by more than the neglected bits can move an optimum, are then taken off the weights: what is
    left is smaller, and the same problem again. The caller compares primal and dual.
    """
    starts = matrix.row_pointers()
    if weights.dtype == object and int(weights.max(initial=0)) < INT64_ROOM:
        weights = weights.astype(np.int64)
    if weights.dtype != object:
        largest = np.zeros(len(supply), dtype=np.int64)
        np.maximum.at(largest, matrix.rows, weights)
        active = np.flatnonzero(largest)
        order = active[np.argsort(-largest[active], kind="stable")]
        flow, u, v, _ = transport(starts, matrix.columns, weights, supply, demand, order)
        return flow, u, v
    neglected = int(weights.max()).bit_length() - (INT64_ROOM.bit_length() - 1)
    leading = (weights >> neglected).astype(np.int64)
    positive = np.flatnonzero(leading)
    _, coarse_u, coarse_v = solve_integers(
        _selected(matrix, positive), leading[positive], supply, demand
    )
    margin = 2 * (len(supply) + len(demand) + 1) << neglected
    taken_u = np.maximum((coarse_u.astype(object) << neglected) - margin, 0)
    taken_v = np.maximum((coarse_v.astype(object) << neglected) - margin, 0)
    rest = weights - taken_u[matrix.rows] - taken_v[matrix.columns]
    near = np.flatnonzero(rest > 0)
    near_flow, u, v = solve_integers(_selected(matrix, near), rest[near], supply, demand)
    flow = np.zeros(len(weights), dtype=np.int64)
    flow[near] = near_flow
    return flow, u + taken_u, v + taken_v


def _selected(matrix: SparseRationalMatrix, entries: IntArray) -> SparseRationalMatrix:
    return SparseRationalMatrix(
        matrix.rows[entries], matrix.columns[entries], matrix.values.take(entries), matrix.shape
    )
