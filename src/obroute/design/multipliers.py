"""What the duals of a design program charge: exact ones as they are, a solver's floats rounded.

The multipliers of the coupling rows (worst cases, traffic, samples, path length) are all that a
bound needs: the cheapest paths under the prices that they make are found anew. Floats are rounded
and scaled until the sums that the program demands hold in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from obroute.design.formulation import DesignProgram, PotentialRows
from obroute.rational import FloatArray, IntArray, RationalArray

MULTIPLIER_BITS = 48
"""Multipliers are multiples of 2 to the minus this, or of less where sums would leave 63 bits."""
MOST_BITS = 61


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What the rows of a reduced program charge, in integers over ``denominator``.

    Parameters
    ----------
    charges
        Of each focus channel's worst case, or of each row of traffic or sampled loads: what a
        unit of load costs there.
    weights
        The price of each flow variable for the worst cases of the focus channels.
    hops
        The price of a unit of the integer weights of the path length.
    """

    denominator: int
    charges: list[int]
    weights: list[int]
    hops: int


def multipliers_of(
    program: DesignProgram, duals: RationalArray | FloatArray, objective: str
) -> Multipliers:
    """Return the multipliers of duals of the rows, of a program that minimises ``objective``.

    ``load`` or ``length``. Exact duals are taken as they are; floats are made to fit.
    """
    if isinstance(duals, RationalArray):
        return _exact(program, duals, objective)
    return _rounded(program, duals, objective)


def coupling_rows(program: DesignProgram) -> list[int]:
    """Return the rows of traffic and sampled loads, in the order of their charges."""
    traffic = program.rows.blocks.get("traffic")
    return list(program.sample_rows.values()) if traffic is None else traffic.numbers.tolist()


def _bandwidths(program: DesignProgram, rows: Sequence[int]) -> list[int]:
    """Return the integer weight of the load in each row."""
    matrix = program.rows.matrix(program.columns.count)
    bandwidths = []
    for row in rows:
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        load = matrix.indices[part] >= program.reduction.flow_count
        bandwidths.append(int(-matrix.data[part][load].sum()))
    return bandwidths


def _exact(program: DesignProgram, duals: RationalArray, objective: str) -> Multipliers:
    """Duals of ``≤`` rows are not positive; one of an equality that is may charge nothing."""
    numerators = [max(-int(number), 0) for number in duals.numerators.tolist()]
    rows = coupling_rows(program)
    charges = [
        numerators[row] * bandwidth
        for row, bandwidth in zip(rows, _bandwidths(program, rows), strict=True)
    ]
    weights = [0] * program.reduction.flow_count
    for focus in program.potentials:
        charges.append(numerators[focus.budget_row.number] * focus.bandwidth)
        given = numerators[focus.pair_rows.slice]
        for flow, amount in zip(focus.flows.tolist(), given, strict=True):
            weights[flow] += amount
    locality = program.rows.blocks.get("locality")
    hops = 0 if locality is None else numerators[locality.number]
    hops += duals.denominator if objective == "length" else 0
    return Multipliers(duals.denominator, charges, weights, hops)


def _rounded(program: DesignProgram, duals: FloatArray, objective: str) -> Multipliers:
    multipliers = np.maximum(-np.where(np.isfinite(duals), duals, 0.0), 0.0)
    rows = coupling_rows(program)
    for row, bandwidth in zip(rows, _bandwidths(program, rows), strict=True):
        multipliers[row] *= bandwidth
    network = program.network
    terms = max(len(network.sources), len(network.destinations), len(rows), 2) * max(
        [int(focus.budget.max(initial=1)) for focus in program.potentials], default=1
    )
    multipliers = np.minimum(multipliers, 2.0**MOST_BITS / terms)
    largest = max(float(multipliers.max(initial=0.0)), 1.0) * terms
    scale = 2 ** max(0, min(MULTIPLIER_BITS, MOST_BITS - int(np.ceil(np.log2(largest)))))
    if "mean" in program.rows.blocks:
        charges = _sample_charges(program, multipliers * scale)
    else:
        charges = [int(multipliers[row] * scale) for row in rows]
    weights = np.zeros(program.reduction.flow_count, dtype=object)
    for focus in program.potentials:
        share = int(multipliers[focus.budget_row.number] * scale)
        charges.append(share * focus.bandwidth)
        weights[focus.flows] += _pair_weights(focus, share, multipliers * scale)
    locality = program.rows.blocks.get("locality")
    hops = 0 if locality is None else int(multipliers[locality.number] * scale)
    hops += scale if objective == "length" else 0
    return Multipliers(scale, charges, weights.tolist(), hops)


def _pair_weights(focus: PotentialRows, share: int, multipliers: FloatArray) -> IntArray:
    """Return integer weights of the pairs of a focus channel that its potentials allow."""
    limit: IntArray = share * focus.budget
    given = multipliers[focus.pair_rows.slice]
    used = np.bincount(focus.source, given, len(limit))
    used += np.bincount(focus.destination, given, len(limit))
    factor = np.divide(limit, used, out=np.ones(len(limit)), where=used > limit)
    given = given * np.minimum(factor[focus.source], factor[focus.destination])
    whole: IntArray = np.floor(given).astype(np.int64)
    while True:
        sums = np.zeros(len(limit), dtype=np.int64)
        np.add.at(sums, focus.source, whole)
        np.add.at(sums, focus.destination, whole)
        over = sums > limit
        if not over.any():
            return whole
        touched = over[focus.source] | over[focus.destination]
        whole[touched] = np.maximum(whole[touched] - np.maximum(whole[touched] >> 40, 1), 0)


def _sample_charges(program: DesignProgram, multipliers: FloatArray) -> list[int]:
    """Return charges of the sampled loads; those of one matrix charge its ``t`` at most once.

    They are scaled up to exactly that where they charge less, which only helps.
    """
    share = int(multipliers[program.rows.blocks["mean"].number])
    rows = list(program.sample_rows.values())
    by_sample: dict[int, list[int]] = {}
    for place, (sample, _) in enumerate(program.sample_rows):
        by_sample.setdefault(sample, []).append(place)
    charges = [0] * len(rows)
    for places in by_sample.values():
        given = [float(multipliers[rows[place]]) for place in places]
        total = sum(given)
        shrink = min(1.0, share / total) if total else 1.0
        whole = [int(amount * shrink) for amount in given]
        while sum(whole) > share:
            whole = [max(amount - max(amount >> 40, 1), 0) for amount in whole]
        for place, amount in zip(places, whole, strict=True):
            charges[place] = amount
    return charges
