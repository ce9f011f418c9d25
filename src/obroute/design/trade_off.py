"""The whole trade-off of load against path length, breakpoint by breakpoint.

The least mean path length H(w) of the routings with load at most w is convex and piecewise linear
in w: the value of a linear program in its right-hand side. Every solve at some w gives a point of
the curve and, by the dual of the bound on w, a line below the whole of it. Between two points
whose lines cross, the next w is where they cross: either H there lies on both lines and is a
vertex, or there is a new line. The curve is complete when every crossing is a vertex. Until then
it lies between the chords of its points and their lines; the widest gap is closed first.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from fractions import Fraction

from obroute.certificates import CertificateError
from obroute.choices.designs import OBJECTIVE, PATHS, SAMPLES, SYMMETRY
from obroute.choices.traffic import MATRIX_KIND
from obroute.design.designs import Design, capacity, solve_problem
from obroute.design.expansion import expanded_bound
from obroute.design.named import optimal
from obroute.design.problem import DesignProblem
from obroute.design.proofs import RoutingCheck
from obroute.design.sampled_curve import sampled_curve
from obroute.design.scope import Scope
from obroute.design.task import DesignTask
from obroute.network import Network
from obroute.presented import Answer
from obroute.progress import stage
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError

MOST_DIGITS = 200
"""Bits of a load beyond which the next one is taken at a rational of few digits near the crossing.
Of sampled traffic the breakpoints are rationals of thousands of digits; their points are still
exact, but lie beside the breakpoints."""
FEW_DIGITS = 10**9
SMALLEST_GAP = 1e-9


@dataclass(frozen=True)
class TradeOffPoint:
    """A point of the curve: a routing has this load and path length, none of the scope is better.

    Parameters
    ----------
    load
        Load (packets per cycle over channel bandwidth).
    path_length
        Least mean path length (hops) of the routings of the scope with at most that load.
    slope
        Hops gained for a unit of load: the slope of a line that bounds the whole curve.
    proved
        Whether both are exact and proved, the bound in the full problem and the routing on the
        whole network; else they are within the solver's tolerance.
    line
        Path length (hops) of that line at the point's load; None where it goes through the point.
    """

    load: Fraction
    path_length: Fraction
    slope: Fraction
    proved: bool
    line: Fraction | None = None

    def bound(self, load: Fraction) -> Fraction:
        """Return the least path length that this point's line leaves at another load."""
        here = self.path_length if self.line is None else self.line
        return here + self.slope * (load - self.load)


@dataclass(frozen=True, eq=False)
class TradeOff(Answer):
    """The curve of load against path length, of the routings of a scope.

    Parameters
    ----------
    problem
        The problem, without a bound on locality.
    scope
        The routings and the traffic that the curve is of.
    vertices
        The breakpoints, by load; the first has the best load, the last the shortest paths.
    complete
        Whether there are no others: every edge between neighbours is a line that bounds the
        curve, proved for the routings of the scope.
    gap
        Largest distance that may be between the segments through the vertices and the true curve
        below them, over path length; 0 where it is complete.
    solves, seconds
        Linear programs solved, and the time taken.
    capacity_load
        Load of uniform traffic under the best routing, if known.
    """

    problem: DesignProblem
    scope: Scope
    vertices: list[TradeOffPoint]
    complete: bool
    gap: float
    solves: int
    solver: str
    capacity_load: Fraction | None

    @property
    def name(self) -> str:
        """Name of the optimal routings on the curve, as the registry has it."""
        problem = self.problem
        return optimal(
            problem.objective,
            problem.paths,
            samples=problem.samples,
            seed=problem.seed,
            symmetry=problem.symmetry,
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

    def normalized_lengths(self) -> list[Fraction]:
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
    objective: str = OBJECTIVE,
    *,
    paths: str = PATHS,
    samples: int = SAMPLES,
    seed: int = 0,
    matrix_kind: str = MATRIX_KIND,
    symmetry: str = SYMMETRY,
    seconds: float | None = None,
    most_solves: int | None = None,
) -> TradeOff:
    """Find the breakpoints of the least path length against the load.

    Parameters
    ----------
    network, objective, paths, samples, seed, matrix_kind, symmetry
        See :class:`~obroute.design.DesignProblem`.
    seconds
        Time limit of each linear program.
    most_solves
        Linear programs to solve at the most, None for as many as it takes; the widest gaps are
        closed first, and the curve is marked incomplete where some are left.

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
    task = DesignTask(problem, seconds=seconds)
    if task.by_steps:
        return _by_steps(task, seconds, most_solves)
    best = solve_problem(replace(problem, then=None), seconds=seconds)
    return _Search(problem, best, seconds).run(most_solves)


def _by_steps(task: DesignTask, seconds: float | None, most_solves: int | None) -> TradeOff:
    """Return points and lines of a curve whose program is too large for a basis."""
    problem = task.problem
    curve = sampled_curve(problem, seconds, most_solves)
    points = [
        TradeOffPoint(point.load, point.path_length, point.slope, False, point.line)
        for point in curve.points
    ]
    return TradeOff(
        problem,
        Scope.of(problem),
        points,
        False,
        curve.gap,
        curve.solves,
        curve.solver,
        capacity(problem.network),
    )


@dataclass(frozen=True, order=True)
class _Gap:
    """What is not known between two points; the widest sorts first."""

    negative_width: float
    number: int
    left: TradeOffPoint = field(compare=False)
    right: TradeOffPoint = field(compare=False)
    next_load: Fraction = field(compare=False)


class _Search:
    def __init__(self, problem: DesignProblem, best: Design, seconds: float | None) -> None:
        self.problem = problem
        self.best = best.routing_load
        self.task = DesignTask(problem, "simplex", seconds)
        self.task.design.bound_load(self.best)
        self.model = self.task.model("length")
        self.solves = 1
        self.check = RoutingCheck.of(problem, self.task.reduction)
        self.routings: dict[Fraction, DesignedRouting] = {}

    def run(self, most_solves: int | None) -> TradeOff:
        first = self._point(self.best)
        last = self._shortest(first)
        vertices = {first.load: first, last.load: last}
        open_gaps: list[_Gap] = []
        self._open(open_gaps, first, last)
        with stage("points of the curve") as known:
            while open_gaps and (most_solves is None or self.solves < most_solves):
                gap = heapq.heappop(open_gaps)
                width = -gap.negative_width / float(gap.left.path_length)
                if width <= SMALLEST_GAP:
                    heapq.heappush(open_gaps, gap)
                    break
                known(f"{self.solves} programs, {len(vertices)} points, widest gap {width:.2%}")
                point = self._point(gap.next_load)
                vertices[point.load] = point
                for left, right in ((gap.left, point), (point, gap.right)):
                    self._open(open_gaps, left, right)
        widest = max((-gap.negative_width for gap in open_gaps), default=0.0)
        points = [vertices[load] for load in sorted(vertices)]
        complete = not open_gaps and all(point.proved for point in points)
        corners = _corners(points)
        for corner in corners:
            if corner.proved:
                self._attained(corner)
        return TradeOff(
            self.problem,
            Scope.of(self.problem),
            corners,
            complete,
            widest / float(last.path_length),
            self.solves,
            self.task.solvers[-1],
            capacity(self.problem.network),
        )

    def _open(self, gaps: list[_Gap], left: TradeOffPoint, right: TradeOffPoint) -> None:
        """Note what is not known between two points, unless their segment is the curve."""
        if left.bound(right.load) == right.path_length or (
            right.bound(left.load) == left.path_length
        ):
            return
        crossing = _crossing(left, right)
        if crossing is None or not left.load < crossing < right.load:
            return  # within the solver's tolerance of a line
        share = (crossing - left.load) / (right.load - left.load)
        chord = left.path_length + share * (right.path_length - left.path_length)
        width = float(chord - left.bound(crossing))
        if crossing.denominator.bit_length() > MOST_DIGITS:
            simple = crossing.limit_denominator(FEW_DIGITS)
            crossing = simple if left.load < simple < right.load else crossing
        heapq.heappush(gaps, _Gap(-width, self.solves * 2 + len(gaps), left, right, crossing))

    def _point(self, load: Fraction) -> TradeOffPoint:
        design = self.task.design
        load_row = design.rows.blocks["load"].number
        design.rows.rhs[load_row] = load
        self.model.set_upper(load_row, load)
        solution, program = self.task.solve(self.model, "length")
        self.solves += 1
        solution, program, exact = self.task.exactly(solution, program, "length")
        if exact is not None:
            length = exact.objective / design.length_denominator
            bound = expanded_bound(self.task, exact.duals, "length")
            if bound.least_path_length(load) != length:
                raise CertificateError(
                    f"at a load of {load} the full problem is bounded by "
                    f"{bound.least_path_length(load)} hops, the reduced one by {length}"
                )
            flows = self.task.flows(solution, exact)
            self.routings[load] = self.task.routing("of the curve", flows, solution, exact)
            return TradeOffPoint(load, length, -bound.charge / bound.hops, True)
        length = Fraction(solution.objective) / design.length_denominator
        slope = Fraction(float(solution.duals[load_row])) / design.length_denominator
        return TradeOffPoint(load, length, slope, False)

    def _attained(self, point: TradeOffPoint) -> None:
        """Check on the whole network that a routing has the load and path length of a vertex."""
        load, length = self.check.values(self.routings[point.load])
        if load > point.load or length != point.path_length:
            raise CertificateError(
                f"the routing at a load of {point.load} has {load}, and {length} hops in place of "
                f"{point.path_length}"
            )

    def _shortest(self, first: TradeOffPoint) -> TradeOffPoint:
        """Return the point of the shortest paths: the least load that they can have."""
        least = self.task.least_length
        if first.path_length <= least:
            return first
        problem = self.problem
        paths = "minimal" if problem.paths == PATHS else problem.paths
        locality = least / problem.network.mean_shortest_path_length()
        best = solve_problem(
            replace(
                problem,
                then=None,
                paths=paths,
                locality=None if paths == "minimal" else locality,
            )
        )
        self.solves += 1
        point = self._point(best.routing_load)
        return TradeOffPoint(
            point.load, point.path_length, point.slope, point.proved and best.least_proved
        )


def _crossing(left: TradeOffPoint, right: TradeOffPoint) -> Fraction | None:
    """Return the load at which the lines of two points cross."""
    if left.slope == right.slope:
        return None
    return (
        right.path_length - left.path_length + left.slope * left.load - right.slope * right.load
    ) / (left.slope - right.slope)


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
