"""The worst traffic of a channel whose pair loads have no denominator in common.

The matching is solved for loads rounded to many bits, which leaves no doubt which pairs are on
it; exact potentials then follow along pairs that they meet exactly, from terminals whose
potential is free or zero. What comes out is proved by its certificate, whatever led to it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.additive_matrix import AdditiveMatrix
from obroute.certificates import WorstCase
from obroute.completion_kernel import complete
from obroute.matching import solve_integers, terminal_units, worst_case
from obroute.quotients import Quotients, sum_of_fractions
from obroute.rational import (
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    compact_integers,
)

BITS = 256
"""Loads are rounded to multiples of 2 to the minus this to find which pairs are matched,"""
NEAR_BITS = 96
"""and where potentials exceed a load by less than 2 to this many of those, they meet it."""


def worst_case_of_quotients(
    pair_loads: SparseRationalMatrix,
    injection: RationalArray,
    ejection: RationalArray,
    channel: int = 0,
) -> WorstCase:
    """Return what :func:`obroute.matching.worst_case` does, of quotients."""
    if isinstance(pair_loads, AdditiveMatrix) and injection.sum() == ejection.sum():
        return worst_case(pair_loads, injection, ejection, channel)
    values = pair_loads.values
    assert isinstance(values, Quotients)
    denominator = math.lcm(injection.denominator, ejection.denominator)
    supply = terminal_units(injection, denominator)
    demand = terminal_units(ejection, denominator)
    weights = compact_integers(values.rounded_down(BITS))
    flow, u, v = solve_integers(pair_loads, weights, supply, demand)
    used = np.flatnonzero(flow)
    near = u[pair_loads.rows] + v[pair_loads.columns] - weights < 1 << NEAR_BITS
    met = np.flatnonzero(near | (flow > 0))
    exact_u, exact_v = _follow(
        pair_loads.rows[met].tolist(),
        pair_loads.columns[met].tolist(),
        values.take(met).fractions(),
        _rounded(u),
        _rounded(v),
        _left(pair_loads.rows[used], flow[used], supply),
        _left(pair_loads.columns[used], flow[used], demand),
    )
    load = sum_of_fractions(
        amount * weight
        for amount, weight in zip(flow[used].tolist(), values.take(used).fractions(), strict=True)
    )
    sources, destinations, amounts = complete(
        pair_loads.rows[used], pair_loads.columns[used], flow[used], supply, demand
    )
    return WorstCase(
        channel,
        load / denominator,
        sources,
        destinations,
        RationalArray(amounts, denominator),
        Quotients.from_fractions(exact_u),
        Quotients.from_fractions(exact_v),
    )


def _rounded(potentials: NDArray[Any]) -> list[Fraction]:
    return [Fraction(int(value), 1 << BITS) for value in potentials]


def _left(places: IntArray, amounts: IntArray, limits: IntArray) -> NDArray[np.bool_]:
    """Say which terminals have something left over: their potential is zero."""
    spare = limits.copy()
    np.subtract.at(spare, places, amounts)
    return np.asarray(spare > 0)


def _follow(
    rows: list[int],
    columns: list[int],
    weights: list[Fraction],
    u: list[Fraction],
    v: list[Fraction],
    free_rows: NDArray[np.bool_],
    free_columns: NDArray[np.bool_],
) -> tuple[list[Fraction], list[Fraction]]:
    """Return potentials that meet the given pairs exactly, near the given ones.

    Breadth first from what has a potential of zero, then from what has none yet.
    """
    count = len(u)
    near: list[list[tuple[int, Fraction]]] = [[] for _ in range(count + len(v))]
    for row, column, weight in zip(rows, columns, weights, strict=True):
        near[row].append((count + column, weight))
        near[count + column].append((row, weight))
    potentials = [*u, *v]
    seen = [False] * len(potentials)
    zeros = [*np.flatnonzero(free_rows).tolist(), *(count + np.flatnonzero(free_columns)).tolist()]
    zeros += [place for place, value in enumerate(potentials) if value == 0]
    for start in (zeros, *([place] for place in range(len(potentials)))):
        front = [place for place in start if not seen[place]]
        for place in front:
            seen[place] = True
            if start is zeros:
                potentials[place] = Fraction(0)
        while front:
            reached = []
            for place in front:
                for other, weight in near[place]:
                    if not seen[other]:
                        seen[other] = True
                        potentials[other] = weight - potentials[place]
                        reached.append(other)
            front = reached
    return potentials[:count], potentials[count:]
