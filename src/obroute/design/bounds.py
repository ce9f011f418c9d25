"""Rigorous lower bounds in exact arithmetic from a solver's floats.

Any weights ``y ≥ 0`` on the coupling rows whose sums the potentials allow leave a length on every
(pair, channel), and no routing has less than the sum of the shortest paths under these lengths.
The solver's duals are rounded and scaled until the sums hold in integers; shortest paths are found
in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from obroute.design.formulation import DesignProgram, PotentialRows
from obroute.rational import FloatArray, IntArray

MULTIPLIER_BITS = 44
"""Multipliers are multiples of 2 to the minus this, or of less where sums would leave 63 bits."""
MOST_BITS = 61
UNREACHABLE = 2**62


@njit(cache=True, nogil=True)
def _shortest(
    tail: IntArray,
    head: IntArray,
    lengths: IntArray,
    allowed: NDArray[Any],
    source: int,
    far: int,
    count: int,
) -> IntArray:  # pragma: no cover  # compiled
    """Return distances in integers (Bellman and Ford): no channel shortens any of them."""
    distance = np.full(count, far, dtype=np.int64)
    distance[source] = 0
    changed = True
    while changed:
        changed = False
        for channel in range(len(tail)):
            if allowed[channel] and distance[tail[channel]] < far:
                reach = distance[tail[channel]] + lengths[channel]
                if reach < distance[head[channel]]:
                    distance[head[channel]] = reach
                    changed = True
    return distance


def least_cost(program: DesignProgram, weights: Sequence[int] | NDArray[Any]) -> int:
    """Return a lower bound of ``Σ weight · flow`` over all routings, in integers.

    ``weights`` are integers, not negative, one a flow variable. A weight is shared among the
    channels of its orbit, rounded down; each canonical pair then costs at least its shortest
    path.
    """
    network = program.network
    exact = np.asarray(weights, dtype=np.int64)
    total = 0
    for number, pair in enumerate(program.reduction.pairs):
        allowed = pair.flow >= 0
        counts = np.bincount(pair.flow[allowed] - pair.flow[allowed].min())
        share = np.zeros(len(pair.flow), dtype=np.int64)
        first = pair.flow[allowed].min()
        share[allowed] = exact[pair.flow[allowed]] // counts[pair.flow[allowed] - first]
        if program.path_columns is not None:
            total += min(int(share[list(p)].sum()) for p in program.path_columns.paths[number])
            continue
        distance = _shortest(
            network.tail,
            network.head,
            share,
            allowed,
            pair.source,
            UNREACHABLE,
            network.node_count,
        )
        total += int(distance[pair.destination])
    return total


def proved_lower_bound(program: DesignProgram, duals: FloatArray, objective: str) -> Fraction:
    """Return an exact lower bound on the optimum from the solver's row duals.

    The objective is ``load`` or ``length``; the length is in hops. Bounds on locality and load
    are taken as they are in the program. The bound holds whatever the duals are.
    """
    rows = _load_rows(program)
    multipliers = np.maximum(-np.where(np.isfinite(duals), duals, 0.0), 0.0)
    for row in rows.values():
        multipliers[row.number] *= row.bandwidth
    coefficient = _largest_coefficient(program, rows)
    multipliers = np.minimum(multipliers, 2.0**MOST_BITS / coefficient)
    scale = 2 ** _bits(multipliers, coefficient)
    budgets, weights = _coupling(program, rows, multipliers, scale)
    locality = 0
    if program.locality_row >= 0:
        locality = int(multipliers[program.locality_row] * scale)
    factor = locality + (scale if objective == "length" else 0)
    if factor:
        weights = weights + program.length * factor
    bound = Fraction(least_cost(program, weights), scale)
    if locality:
        bound -= Fraction(locality, scale) * program.rows.rhs[program.locality_row]
    if objective == "length":
        load_bound = program.rows.rhs[program.load_row] if program.load_row >= 0 else None
        if budgets:
            assert load_bound is not None
            bound -= Fraction(budgets, scale) * load_bound
        return bound / program.length_denominator
    return bound * Fraction(scale, budgets) if budgets else Fraction(0)


@dataclass(frozen=True, eq=False)
class _LoadRow:
    """A row ``Σ amount · flow ≤ bandwidth · load``.

    Its multiplier is taken for a unit of load, so that it is as fine as any other however large
    the integers of the row are.
    """

    number: int
    flows: IntArray
    amounts: IntArray
    bandwidth: int

    def charge(self, amount: int, weights: IntArray) -> None:
        """Add to the weights of the flows what a multiplier puts there, rounded down."""
        weights[self.flows] += (self.amounts.astype(object) * amount // self.bandwidth).astype(
            np.int64
        )


def _load_rows(program: DesignProgram) -> dict[int, _LoadRow]:
    """Return the rows of traffic and of samples."""
    numbers = [row for row, _, _ in program.sample_rows]
    if program.traffic_rows is not None:
        numbers += range(program.traffic_rows.start, program.traffic_rows.stop)
    if not numbers:
        return {}
    matrix = program.rows.matrix(program.columns)
    rows = {}
    for number in numbers:
        part = slice(matrix.indptr[number], matrix.indptr[number + 1])
        columns, data = matrix.indices[part], matrix.data[part]
        flows = columns < program.reduction.flow_count
        rows[number] = _LoadRow(number, columns[flows], data[flows], int(-data[~flows].sum()))
    return rows


def _largest_coefficient(program: DesignProgram, rows: dict[int, _LoadRow]) -> float:
    """Return how many times a multiplier can enter the length of a path, at the most."""
    ratios = [float(row.amounts.max(initial=0)) / row.bandwidth for row in rows.values()]
    coefficient = max(
        [float(program.length.max(initial=1))]
        + [float(focus.budget.max(initial=1)) for focus in program.potentials]
        + [(program.samples or len(rows)) * max(ratios, default=1.0)]
    )
    return coefficient * 4 * program.network.node_count


def _bits(multipliers: FloatArray, coefficient: float) -> int:
    """Return how fine multipliers can be while sums of weights along a path fit 62 bits."""
    largest = max(float(multipliers.max(initial=0.0)), 1.0) * coefficient
    return max(1, min(MULTIPLIER_BITS, MOST_BITS - int(np.ceil(np.log2(largest)))))


def _coupling(
    program: DesignProgram, rows: dict[int, _LoadRow], multipliers: FloatArray, scale: int
) -> tuple[int, IntArray]:
    """Return what the multipliers charge for a unit of ``w``, and the weight of each flow.

    Both over ``scale``; integers that satisfy every sum that the potentials and the sampled
    loads demand.
    """
    weights = np.zeros(program.reduction.flow_count, dtype=np.int64)
    charged = 0
    for focus in program.potentials:
        share = int(multipliers[focus.budget_row] * scale)
        charged += share * focus.bandwidth
        weights[focus.flows] += _pair_weights(focus, share, multipliers * scale)
    if program.traffic_rows is not None:
        for number in range(program.traffic_rows.start, program.traffic_rows.stop):
            amount = int(multipliers[number] * scale)
            rows[number].charge(amount, weights)
            charged += amount
    if program.samples:
        share = int(multipliers[program.mean_row] * scale)
        charged += share * program.samples
        _add_sample_weights(program, rows, share, multipliers * scale, weights)
    return charged, weights


def _pair_weights(focus: PotentialRows, share: int, multipliers: FloatArray) -> IntArray:
    """Return integer weights of the pairs of a focus channel that its potentials allow."""
    limit: IntArray = share * focus.budget
    given = multipliers[focus.pair_rows]
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


def _add_sample_weights(
    program: DesignProgram,
    rows: dict[int, _LoadRow],
    share: int,
    multipliers: FloatArray,
    weights: IntArray,
) -> None:
    """Add the weights of the sampled loads; those of one matrix charge its ``t`` at most once."""
    by_sample: dict[int, list[int]] = {}
    for row, sample, _ in program.sample_rows:
        by_sample.setdefault(sample, []).append(row)
    for numbers in by_sample.values():
        total = sum(float(multipliers[number]) for number in numbers)
        shrink = min(1.0, share / total) if total else 1.0
        whole = [int(multipliers[number] * shrink) for number in numbers]
        while sum(whole) > share:
            whole = [max(amount - max(amount >> 40, 1), 0) for amount in whole]
        for number, amount in zip(numbers, whole, strict=True):
            rows[number].charge(amount, weights)
