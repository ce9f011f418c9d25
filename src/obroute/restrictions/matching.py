"""The worst traffic of a set for a channel: transportation with limits, solved exactly.

Without limits of pairs the compiled loop of the matching solves it (:mod:`obroute.matching`), with
one column more where all traffic together is bounded: it takes what may not be sent, R - K of the
R packets that the sources have, at a weight above all others. With u, v and v₀ the potentials of
that, M its weight and t = M - v₀, the potentials u - t, v and t prove the optimum: t ≤ u_s by the
entries of the column, and ``Σ r (u - t) + Σ q v + K t`` is the optimum less ``M (R - K)``. Limits
of pairs have a loop of their own (:mod:`obroute.restrictions.kernel`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.matching import solve_integers, terminal_units
from obroute.rational import INT64_ROOM, IntArray, RationalArray, SparseRationalMatrix
from obroute.restrictions.certificates import RestrictedWorst
from obroute.restrictions.kernel import ship_within_limits
from obroute.specs import InputError
from obroute.traffic_sets.limits import NO_LIMIT, Limits


def restricted_worst(
    pair_loads: SparseRationalMatrix, limits: Limits, channel: int = 0
) -> RestrictedWorst:
    """Return the traffic of a set that loads a channel most, with its proof.

    Parameters
    ----------
    pair_loads
        Exact pair loads of the channel, sources × destinations.
    limits
        What bounds the traffic.
    channel
        The number to record.

    Raises
    ------
    InputError
        If bandwidths and limits have no common unit that fits 63 bits, or pair loads beyond that
        meet limits of pairs.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> from obroute.traffic_sets import make_traffic_set
    >>> ring, dor = make_network("ring:5"), make_routing("dor")
    >>> limits = make_traffic_set("pairs:1").limits(ring)
    >>> restricted_worst(dor.pair_loads(ring, 0), limits).load
    Fraction(1, 1)
    """
    unit = _unit_of(limits)
    supply = terminal_units(limits.injection, unit)
    demand = terminal_units(limits.ejection, unit)
    rows, columns = pair_loads.rows, pair_loads.columns
    # A least common denominator also of loads that have one each.
    weights, denominator = pair_loads.values.numerators, pair_loads.values.denominator
    most = np.full(len(rows), NO_LIMIT, dtype=np.int64)
    if limits.pairs is not None:
        most = limits.pairs.units(rows, columns)
        most = np.where(most == NO_LIMIT, most, most * (unit // limits.pairs.denominator))
        ends = np.minimum(supply[rows], demand[columns])
        most = np.where(most >= ends, NO_LIMIT, most)  # the ends have less
    used = np.flatnonzero((most != 0) & (supply[rows] > 0) & (demand[columns] > 0))
    rows, columns, weights, most = rows[used], columns[used], weights[used], most[used]
    spare = 0
    if limits.total is not None:
        spare = max(0, int(supply.sum()) - int(limits.total * unit))
    if spare:
        above = int(weights.max(initial=0)) + 1
        rows, columns, weights, most = _with_column(
            rows, columns, weights, most, len(supply), len(demand), above
        )
        demand = np.append(demand, spare)
    flow, u, v = _solved(rows, columns, weights, most, supply, demand)
    t = 0
    if spare:
        t = above - int(v[-1])
        u, v, demand = u - t, v[:-1], demand[:-1]
        real = columns < len(demand)
        rows, columns, weights, flow = (part[real] for part in (rows, columns, weights, flow))
    u, v = _covering_silent(pair_loads, supply, demand, u, v)
    sent = np.flatnonzero(flow)
    amounts = RationalArray(flow[sent], unit)
    load = RationalArray(weights[sent], denominator).times(amounts).sum()
    return RestrictedWorst(
        channel,
        load,
        rows[sent],
        columns[sent],
        amounts,
        RationalArray(u, denominator),
        RationalArray(v, denominator),
        Fraction(t, denominator),
    )


def _covering_silent(
    pair_loads: SparseRationalMatrix,
    supply: IntArray,
    demand: IntArray,
    u: NDArray[Any],
    v: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give terminals that send or get nothing potentials that cover their pairs, for nothing."""
    if supply.all() and demand.all():
        return u, v
    weights = pair_loads.values.numerators
    u, v = u.astype(weights.dtype), v.astype(weights.dtype)
    np.maximum.at(u, pair_loads.rows, np.where(supply[pair_loads.rows] == 0, weights, 0))
    np.maximum.at(v, pair_loads.columns, np.where(demand[pair_loads.columns] == 0, weights, 0))
    return u, v


def _unit_of(limits: Limits) -> int:
    """Return a common denominator of all that bounds traffic."""
    parts = [limits.injection.denominator, limits.ejection.denominator]
    if limits.total is not None:
        parts.append(limits.total.denominator)
    if limits.pairs is not None:
        parts.append(limits.pairs.denominator)
    return math.lcm(*parts)


def _with_column(
    rows: IntArray,
    columns: IntArray,
    weights: NDArray[Any],
    most: IntArray,
    row_count: int,
    column: int,
    weight: int,
) -> tuple[IntArray, IntArray, NDArray[Any], IntArray]:
    """Return entries with one more at the end of every row."""
    every = np.arange(row_count)
    if weight >= INT64_ROOM:
        weights = weights.astype(object)
    added = np.full(row_count, weight, dtype=weights.dtype)
    all_rows = np.concatenate([rows, every])
    order = np.argsort(all_rows, kind="stable")
    return (
        all_rows[order],
        np.concatenate([columns, np.full(row_count, column)])[order],
        np.concatenate([weights, added])[order],
        np.concatenate([most, np.full(row_count, NO_LIMIT)])[order],
    )


def _solved(
    rows: IntArray,
    columns: IntArray,
    weights: NDArray[Any],
    most: IntArray,
    supply: IntArray,
    demand: IntArray,
) -> tuple[IntArray, NDArray[Any], NDArray[Any]]:
    """Return optimal flow and potentials of transportation with limits."""
    shape = len(supply), len(demand)
    if not rows.size:
        return rows, np.zeros(shape[0], dtype=np.int64), np.zeros(shape[1], dtype=np.int64)
    if (most == NO_LIMIT).all():
        placed = RationalArray(weights, 1)
        matrix = SparseRationalMatrix(rows, columns, placed, shape)
        return solve_integers(matrix, weights, supply, demand)
    if weights.dtype == object:
        raise InputError(
            "the pair loads have too many digits for limits of pairs; take a smaller network, or "
            "a set without limits of pairs"
        )
    starts = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int64)
    by_column = np.argsort(columns, kind="stable").astype(np.int64)
    column_starts = np.searchsorted(columns[by_column], np.arange(shape[1] + 1)).astype(np.int64)
    flow, u, v = ship_within_limits(
        starts, columns, weights, most, supply, demand, column_starts, by_column, rows
    )
    return flow, u, v
