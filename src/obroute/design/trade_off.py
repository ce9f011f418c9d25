"""The whole trade-off of load against path length, breakpoint by breakpoint.

The least mean path length H(w) of the routings with load at most w is convex and piecewise linear
in w: the value of a linear program in its right-hand side. Every solve at some w gives a point of
the curve and, by the dual of the bound on w, a line below the whole of it. Between two points
whose lines cross, the next w is where they cross: either H there lies on both lines and is a
vertex, or there is a new line. The curve is complete when every crossing is a vertex.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

from obroute.design.bounds import proved_lower_bound
from obroute.design.designs import Design, capacity, design
from obroute.design.exact import exact_optimum
from obroute.design.named import optimal
from obroute.design.problem import DesignProblem
from obroute.design.solver import Model
from obroute.design.task import DesignTask
from obroute.network import Network
from obroute.specs import InputError

MOST_SOLVES = 2_000


@dataclass(frozen=True)
class TradeOffPoint:
    """A point of the curve: a routing with this load and path length exists, none is better.

    Parameters
    ----------
    load
        Load (packets per cycle over channel bandwidth).
    path_length
        Least mean path length (hops) of the routings with at most that load.
    slope
        Hops gained for a unit of load: the slope of a line that bounds the whole curve.
    proved
        Whether both are exact and proved; else they are within the solver's tolerance.
    """

    load: Fraction
    path_length: Fraction
    slope: Fraction
    proved: bool

    def bound(self, load: Fraction) -> Fraction:
        """Return the least path length that this point's line leaves at another load."""
        return self.path_length + self.slope * (load - self.load)


@dataclass(frozen=True, eq=False)
class TradeOff:
    """The curve of load against path length.

    Parameters
    ----------
    problem
        The problem, without a bound on locality.
    vertices
        The breakpoints, by load; the first has the best load, the last the shortest paths.
    complete
        Whether there are no others: every edge between neighbours is a line that bounds the
        curve, proved.
    solves, seconds
        Linear programs solved, and the time taken.
    capacity_load
        Load of uniform traffic under the best routing, if known.
    """

    problem: DesignProblem
    vertices: list[TradeOffPoint]
    complete: bool
    solves: int
    solver: str
    capacity_load: Fraction | None

    @property
    def name(self) -> str:
        """Name of the optimal routings on the curve, as the registry has it."""
        problem = self.problem
        return optimal(
            problem.objective, problem.paths, None, problem.samples, problem.seed
        ).name

    @property
    def network(self) -> Network:
        """The network."""
        return self.problem.network

    def fractions_of_capacity(self) -> list[Fraction]:
        """Return the throughput of each vertex as a fraction of capacity.

        Raises
        ------
        InputError
            If the capacity is not known.
        """
        if self.capacity_load is None:
            raise InputError(f"the capacity of {self.network.name} is not known exactly")
        return [self.capacity_load / point.load for point in self.vertices]

    def normalised_lengths(self) -> list[Fraction]:
        """Return the path length of each vertex over that of shortest paths."""
        shortest = self.network.mean_shortest_path_length()
        return [point.path_length / shortest for point in self.vertices]

    def length_at(self, load: Fraction) -> Fraction:
        """Return the least mean path length (hops) at a load, by interpolation.

        Raises
        ------
        InputError
            If no routing has so small a load.
        """
        if load < self.vertices[0].load:
            raise InputError(
                f"no routing has a load of {load}; the best is {self.vertices[0].load}"
            )
        for left, right in zip(self.vertices, self.vertices[1:], strict=False):
            if load <= right.load:
                share = (load - left.load) / (right.load - left.load)
                return left.path_length + share * (right.path_length - left.path_length)
        return self.vertices[-1].path_length


def trade_off(
    network: Network,
    objective: str = "worst_case",
    *,
    paths: str = "all",
    samples: int = 100,
    seed: int = 0,
    matrix_kind: str = "permutation",
    symmetry: str = "auto",
    seconds: float | None = None,
    most_solves: int = MOST_SOLVES,
) -> TradeOff:
    """Find the breakpoints of the least path length against the load.

    Parameters
    ----------
    network, objective, paths, samples, seed, matrix_kind, symmetry
        See :class:`~obroute.design.DesignProblem`.
    seconds
        Time limit of each linear program.
    most_solves
        Linear programs to solve at the most; the widest gaps are closed first, and the curve is
        marked incomplete where some are left.

    Examples
    --------
    >>> from obroute import make_network
    >>> curve = trade_off(make_network("torus:4x4"))
    >>> curve.complete, [str(fraction) for fraction in curve.fractions_of_capacity()]
    (True, ['1/2', '18/37', '8/17', '3/7', '3/8', '1/3'])
    """
    problem = DesignProblem(
        network,
        objective,
        then="locality",
        paths=paths,
        samples=samples,
        seed=seed,
        matrix_kind=matrix_kind,
        symmetry=symmetry,
    )
    best = design(
        network,
        objective,
        paths=paths,
        samples=samples,
        seed=seed,
        matrix_kind=matrix_kind,
        symmetry=symmetry,
        seconds=seconds,
    )
    return _Search(problem, best, seconds).run(most_solves)


class _Search:
    def __init__(self, problem: DesignProblem, best: Design, seconds: float | None) -> None:
        self.problem = problem
        self.best = best.load
        self.task = DesignTask(problem, "simplex", seconds)
        self.task.design.bound_load(self.best.upper)
        self.model: Model = self.task.model("length")
        self.solves = 1
        self.failed = False

    def run(self, most_solves: int) -> TradeOff:
        first = self._point(self.best.upper)
        last = self._shortest(first)
        vertices = {first.load: first, last.load: last}
        gaps: list[tuple[float, int, TradeOffPoint, TradeOffPoint]] = []
        complete = first.proved and last.proved
        self._push(gaps, first, last)
        while gaps:
            if self.solves >= most_solves:
                complete = False
                break
            *_, left, right = heapq.heappop(gaps)
            crossing = _crossing(left, right)
            if crossing is None or not left.load < crossing < right.load:
                complete &= _joined(left, right)
                continue
            point = self._point(crossing)
            complete &= point.proved
            if point.path_length <= left.bound(crossing) or not point.proved:
                # It lies on both lines: a vertex, and nothing is left to find on either side.
                vertices[crossing] = point
                continue
            self._push(gaps, left, point)
            self._push(gaps, point, right)
            vertices[crossing] = point
        return TradeOff(
            self.problem,
            _corners([vertices[load] for load in sorted(vertices)]),
            complete,
            self.solves,
            self.task.solvers[-1],
            capacity(self.problem.network)
            if self.problem.objective != "capacity"
            else self.best.upper,
        )

    def _push(
        self,
        gaps: list[tuple[float, int, TradeOffPoint, TradeOffPoint]],
        left: TradeOffPoint,
        right: TradeOffPoint,
    ) -> None:
        crossing = _crossing(left, right)
        gap = 0.0
        if crossing is not None and left.load < crossing < right.load:
            share = (crossing - left.load) / (right.load - left.load)
            chord = left.path_length + share * (right.path_length - left.path_length)
            gap = float(chord - left.bound(crossing))
        heapq.heappush(gaps, (-gap, self.solves * 2 + len(gaps), left, right))

    def _point(self, load: Fraction) -> TradeOffPoint:
        design = self.task.design
        design.rows.rhs[design.load_row] = load
        self.model.set_upper(design.load_row, load)
        solution, program = self.task.solve(self.model, "length")
        self.solves += 1
        exact = exact_optimum(program, solution)
        if exact is not None:
            return TradeOffPoint(
                load,
                exact.objective / design.length_denominator,
                exact.duals.fraction(design.load_row) / design.length_denominator,
                True,
            )
        bound = proved_lower_bound(design, solution.duals, "length")
        slope = Fraction(float(solution.duals[design.load_row])) / design.length_denominator
        return TradeOffPoint(load, bound, slope, False)

    def _shortest(self, first: TradeOffPoint) -> TradeOffPoint:
        """Return the point of the shortest paths: the least load that they can have."""
        least = self.task.least_length
        if first.path_length <= least:
            return first
        problem = self.problem
        paths = "minimal" if problem.paths == "all" else problem.paths
        locality = least / problem.network.mean_shortest_path_length()
        found = design(
            problem.network,
            problem.objective,
            paths=paths,
            locality=None if paths == "minimal" else locality,
            samples=problem.samples,
            seed=problem.seed,
            matrix_kind=problem.matrix_kind,
            symmetry=problem.symmetry,
        )
        self.solves += 1
        point = self._point(found.load.upper)
        return TradeOffPoint(
            point.load, point.path_length, point.slope, point.proved and found.load.exact
        )


def _crossing(left: TradeOffPoint, right: TradeOffPoint) -> Fraction | None:
    """Return the load at which the lines of two points cross."""
    if left.slope == right.slope:
        return None
    return (
        right.path_length - left.path_length + left.slope * left.load - right.slope * right.load
    ) / (left.slope - right.slope)


def _joined(left: TradeOffPoint, right: TradeOffPoint) -> bool:
    """Say whether the segment between two points is a line that bounds the curve."""
    return (
        left.bound(right.load) == right.path_length or right.bound(left.load) == left.path_length
    )


def _corners(points: list[TradeOffPoint]) -> list[TradeOffPoint]:
    """Drop the points that lie on the segment between their neighbours."""
    kept: list[TradeOffPoint] = []
    for point in points:
        while len(kept) >= 2:
            before, last = kept[-2], kept[-1]
            rise = (point.path_length - before.path_length) * (last.load - before.load)
            if rise != (last.path_length - before.path_length) * (point.load - before.load):
                break
            kept.pop()
        kept.append(point)
    return kept
