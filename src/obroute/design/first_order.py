"""The average case of large programs, by a first-order method with a rigorous bracket.

The least mean of the largest loads is a saddle point: over routings x, and over weights λ on the
channels of each sampled matrix that sum to one over the number of matrices,

    min over x of max over λ of  Σ λ · load(x)

Nothing is factored but the rows that make x a routing. Each step moves x against what the weights
charge it, the weights towards the loads of x, and the potentials of the nodes towards conservation
(the primal-dual method of Chambolle and Pock, "A first-order primal-dual algorithm for convex
problems with applications to imaging", 2011; steps over-relaxed as by Condat, 2013). The means of
the later half of the steps converge faster than the steps. Whatever λ is, no routing has less load
than the sum of its shortest paths where channels are as long as λ charges; that is computed anew
in integers. Whatever x is, it is rounded to a true routing (:mod:`obroute.design.rounding`). The
floats here decide when to stop, and nothing else.

Least mean path length within a bound w on the load is the same with λ of any sum θ ≥ 0, at the
price θ w.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from obroute.choices.designs import GAP
from obroute.design.cheapest_paths import CheapestListed, CheapestPaths
from obroute.design.formulation import DesignProgram
from obroute.design.projections import LinearRows, onto_equal_sums, onto_sums
from obroute.design.sampled_loads import SampledLoads
from obroute.design.solver import Solution
from obroute.progress import stage
from obroute.rational import FloatArray
from obroute.traffic import Traffic

FLOWS = 4_000
"""``auto`` takes this method for the average case from this many flow variables on: interior
points took 220 s for 8,000 and a sample of 100 matrices on an 8-ary 2-cube, this method 10 s."""

_STEPS_AT_ONCE = 100
_MOST_STEPS = 100_000
_FIRST_WINDOW = 100
_RELAXATION = 1.9
_STEP = 0.06
"""Step of the routing over the ratio of sizes of routing and weights; 0.03 to 0.1 are as good."""
_SHARES = {False: (0.8, 0.0, 0.2), True: (0.6, 0.2, 0.2)}
"""What loads, path length and conservation get of the room that convergence leaves the steps."""
_NORM_STEPS = 30
_SAFETY = 1.02
_LEFT_OUT = 1e-6
"""Share of the weights of one matrix, the smallest of them, that the proof leaves out."""
_MARGIN = 0.9
"""Stop at a gap, in floats, of this part of the one asked for."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A routing and weights, with the bracket that they give in floats.

    ``flows`` are the routing's variables, ``weights`` those of the loads (samples × channels, each
    row summing to ``price``), ``length_price`` the price of path length.
    """

    flows: FloatArray
    weights: FloatArray
    price: float
    length_price: float
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Relative width of the bracket."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0


class FirstOrder:
    """An average-case program, to solve by steps of first order.

    Parameters
    ----------
    design
        The program. Rows of sampled loads are added to it by :meth:`solve`: those with a weight.
    samples
        The sampled matrices.
    objective
        ``load``, or ``length`` within the program's bound on the load.
    gap
        Relative width of the bracket to stop at.
    seconds
        When to stop at the latest; None for no limit.
    """

    method = "first_order"

    def __init__(
        self,
        design: DesignProgram,
        samples: list[Traffic],
        objective: str,
        gap: float = GAP,
        seconds: float | None = None,
    ) -> None:
        self.design, self.samples = design, samples
        self.objective, self.gap, self.seconds = objective, gap, seconds
        self.loads = SampledLoads.of(design.reduction, samples)
        flows, paths = design.columns["flow"].numbers, design.columns.get("path")
        self.columns = flows if paths is None else np.concatenate([flows, paths.numbers])
        program = design.program("load")
        rows = design.rows.blocks["flow"].slice
        self.routing_rows = LinearRows(
            program.matrix[rows][:, self.columns], [float(value) for value in program.rhs[rows]]
        )
        self.cheapest = (
            CheapestPaths.of(design.network, design.reduction.pairs)
            if paths is None
            else CheapestListed(self.routing_rows.matrix, self.routing_rows.rhs, len(flows))
        )
        self.length = design.length / design.length_denominator

    def set_upper(self, row: int, value: Fraction) -> None:
        """Change the right-hand side of a ``≤`` row."""
        self.design.rows.rhs[row] = value

    def solve(self) -> Solution:
        """Take steps until the bracket is as narrow as asked for, or time is over."""
        start = time.perf_counter()
        steps = _Steps(self)
        best = steps.candidate()
        with stage("steps of first order") as known:
            while best.gap > self.gap * _MARGIN and steps.taken < _MOST_STEPS:
                if self.seconds is not None and time.perf_counter() - start > self.seconds:
                    break
                steps.take(_STEPS_AT_ONCE)
                best = min(best, steps.candidate(), key=lambda candidate: candidate.gap)
                known(f"{steps.taken} steps, bracket {best.gap:.2%} wide in floats")
        return self._solution(best, steps.taken, time.perf_counter() - start)

    def limit(self, name: Literal["load", "locality"]) -> float:
        """Return the right-hand side of the bound on load (units of load) or length (hops)."""
        value = float(self.design.rows.rhs[self.design.rows.blocks[name].number])
        return value / self.design.length_denominator if name == "locality" else value

    def _solution(self, best: _Candidate, taken: int, seconds: float) -> Solution:
        """Write a candidate as values of all columns and duals of all rows."""
        design = self.design
        count = len(self.samples)
        bandwidths = self.loads.reduction.network.bandwidth
        # The integer objective of a length has the denominator of the lengths.
        unit = 1 if self.objective == "load" else design.length_denominator
        weights = _without_the_least(best.weights) * (unit / count)
        blocks = design.rows.blocks
        duals = {blocks["mean"].number: best.price * unit / count}
        for sample in range(count):
            amounts = self.samples[sample].dense()
            for channel in np.flatnonzero(weights[sample]).tolist():
                row = design.sample_rows.get((sample, channel))
                if row is None:
                    row = design.add_sample_row(sample, channel, amounts)
                weight = Fraction(float(weights[sample, channel]))
                scale = bandwidths.fraction(channel).numerator * amounts.denominator
                duals[row] = float(weight / scale)
        if (load := blocks.get("load")) is not None:
            duals[load.number] = best.price * unit
        if (locality := blocks.get("locality")) is not None:
            duals[locality.number] = best.length_price * unit / design.length_denominator
        values = np.zeros(design.columns.count)
        values[self.columns] = best.flows
        maxima = self.loads.of_flows(best.flows[: design.reduction.flow_count]).max(axis=1)
        values[design.columns["largest"].slice] = maxima
        values[design.load_column] = maxima.mean()
        prices = np.zeros(design.rows.count)
        for row, dual in duals.items():
            prices[row] = -dual
        return Solution(
            values, prices, None, None, best.upper * unit, seconds, f"first order, {taken} steps"
        )


class _Steps:
    """The steps: a routing, weights of the loads, a price of length, potentials; and their means.

    Loads enter divided by the number of matrices, path length divided by the norm of its weights,
    conservation by its projection, which has norm one.
    """

    def __init__(self, problem: FirstOrder) -> None:
        self.problem = problem
        self.taken = 0
        design = problem.design
        self._flows = design.reduction.flow_count
        self._samples = len(problem.samples)
        self._bounded = "locality" in design.rows.blocks
        self._length = np.zeros(len(problem.columns))
        self._length[: self._flows] = problem.length
        self._length_norm = float(np.linalg.norm(self._length))
        rows = problem.routing_rows
        origin = np.zeros(len(problem.columns))
        x = np.maximum(origin - rows.excess(origin), 0.0)
        channels = design.network.channel_count
        weights = np.full((self._samples, channels), 1.0 / channels)
        self._norm = self._load_norm()
        self._free_step = (
            _STEP * float(np.linalg.norm(x)) / (self._norm * np.sqrt(self._samples / channels))
        )
        self._step = self._free_step
        self._price = 1.0
        if problem.objective == "length":
            load = self._loads(x).max(axis=1).sum()
            self._price = float(self._length @ x) / max(float(load), 1e-12)
            weights *= self._price
            self._step /= self._price
        self._state = [x, weights, np.zeros(1), np.zeros_like(x)]
        self._window, self._next = _Mean(0), _Mean(0)

    def _loads(self, x: FloatArray) -> FloatArray:
        return self.problem.loads.of_flows(x[: self._flows]) / self._samples

    def _charges(self, weights: FloatArray) -> FloatArray:
        charges = np.zeros(len(self.problem.columns))
        charges[: self._flows] = self.problem.loads.charged(weights) / self._samples
        return charges

    def _load_norm(self) -> float:
        """Return the norm of the map to the loads, by power iteration: all of it is positive."""
        x = np.zeros(len(self.problem.columns))
        x[: self._flows] = 1.0
        norm = 0.0
        for _ in range(_NORM_STEPS):
            x = self._charges(self._loads(x))
            norm = float(np.linalg.norm(x))
            if not norm:
                return 1.0
            x /= norm
        return _SAFETY * float(np.sqrt(norm))

    def take(self, count: int) -> None:
        """Take steps."""
        for _ in range(count):
            self._step_once()

    def _step_once(self) -> None:
        problem = self.problem
        for_loads, for_length, for_nodes = _SHARES[self._bounded]
        x, weights, length_price, pull = self._state
        charge = self._charges(weights) + pull
        if problem.objective == "length":
            charge += self._length
        if self._bounded:
            charge += self._length * (length_price[0] / self._length_norm)
        new = np.maximum(x - self._step * charge, 0.0)
        ahead = 2 * new - x
        rise = for_loads / (self._step * self._norm**2)
        wanted = weights + rise * self._loads(ahead)
        if problem.objective == "length":
            new_weights = onto_equal_sums(wanted, rise * problem.limit("load"))
        else:
            new_weights = onto_sums(wanted, 1.0)
        new_price = length_price
        if self._bounded:
            over = self._length @ ahead - problem.limit("locality")
            new_price = np.maximum(
                length_price + for_length / self._step * over / self._length_norm, 0.0
            )
        new_pull = pull + for_nodes / self._step * problem.routing_rows.excess(ahead)
        reached = [new, new_weights, new_price, new_pull]
        self._state = [
            old + _RELAXATION * (point - old)
            for old, point in zip(self._state, reached, strict=True)
        ]
        self.taken += 1
        self._window.add(reached[:3])
        self._next.add(reached[:3])
        if self.taken >= max(2 * self._next.start, _FIRST_WINDOW):
            self._window, self._next = self._next, _Mean(self.taken)
            if problem.objective == "length":
                self._step = self._free_step / max(float(new_weights[0].sum()), 1e-6)

    def candidate(self) -> _Candidate:
        """Return the mean of the later steps, with its bracket in floats."""
        problem = self.problem
        if self._window.count:
            x, weights, length_price = self._window.value()
        else:
            x, weights, length_price = self._state[:3]
        price = float(weights[0].sum())
        flows = np.maximum(x - problem.routing_rows.excess(x), 0.0)
        load, length = float(self._loads(flows).max(axis=1).sum()), float(self._length @ flows)
        per_hop = float(length_price[0]) / self._length_norm
        costs = self._charges(weights)[: self._flows] + per_hop * problem.length
        lower = 0.0
        upper = load
        if problem.objective == "length":
            limit = problem.limit("load")
            costs += problem.length
            lower -= price * limit
            upper = length + price * max(load - limit, 0.0)
        if self._bounded:
            limit = problem.limit("locality")
            lower -= per_hop * limit
            upper += per_hop * max(length - limit, 0.0)
        lower += problem.cheapest.cost(np.maximum(costs, 0.0))
        return _Candidate(flows, weights, price, per_hop, lower, upper)


class _Mean:
    """The mean of what has been added since a step."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.count = 0
        self._sums: list[FloatArray] = []

    def add(self, arrays: list[FloatArray]) -> None:
        if not self._sums:
            self._sums = [array.copy() for array in arrays]
        else:
            for total, array in zip(self._sums, arrays, strict=True):
                np.add(total, array, out=total)
        self.count += 1

    def value(self) -> list[FloatArray]:
        return [total / self.count for total in self._sums]


def _without_the_least(weights: FloatArray) -> FloatArray:
    """Return the weights without the smallest of each row, which keeps its sum."""
    order = np.argsort(weights, axis=1)
    ascending = np.take_along_axis(weights, order, axis=1)
    sums = weights.sum(axis=1, keepdims=True)
    kept = np.where(np.cumsum(ascending, axis=1) > _LEFT_OUT * sums, ascending, 0.0)
    kept *= sums / np.maximum(kept.sum(axis=1, keepdims=True), 1e-300)
    left = np.empty_like(weights)
    np.put_along_axis(left, order, kept, axis=1)
    return left
