"""The trade-off of large average cases: routings beside lines that no routing is below.

Where the program is too large for a basis, the breakpoints of the curve are out of reach. Instead
the least load is bracketed for some bounds on the path length, by steps of first order. The
multipliers of each bracket prove ``charge · load + hops · path length ≥ cheapest`` for *every*
routing of the scope: a line below the whole curve. The routings are points on or above it, and so
are the segments between them. What is left open is the distance of the segments from the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise

from obroute.choices.designs import GAP
from obroute.design.expansion import expanded_bound
from obroute.design.full_problem import FullBound
from obroute.design.problem import DesignProblem
from obroute.design.proofs import RoutingCheck
from obroute.design.task import DesignTask

POINTS = 8
"""Points of the curve, if so many may be solved for: more change the picture little."""
FEW_DIGITS = 10**6
"""Denominators of the path lengths asked for."""


@dataclass(frozen=True)
class BoundedPoint:
    """A routing, and a line that no routing is below.

    Parameters
    ----------
    load, path_length
        Of the routing: load (packets per cycle over bandwidth), mean path length (hops).
    slope, line
        Of the line: hops for a unit of load, and hops at the routing's load.
    """

    load: Fraction
    path_length: Fraction
    slope: Fraction
    line: Fraction

    def bound(self, load: Fraction) -> Fraction:
        """Return the line at another load."""
        return self.line + self.slope * (load - self.load)


@dataclass(frozen=True)
class SampledCurve:
    """Points of a trade-off by rising load, and how far above the curve their segments may be.

    ``gap`` is relative to the path length; ``solves`` counts the brackets, ``solver`` names what
    found the last.
    """

    points: list[BoundedPoint]
    gap: float
    solves: int
    solver: str


def sampled_curve(
    problem: DesignProblem,
    seconds: float | None,
    most_solves: int | None,
    gap: float = GAP,
) -> SampledCurve:
    """Return points of the trade-off of an average case, and lines that bound it.

    Parameters
    ----------
    problem
        The problem, of the average case, without bounds on load or path length.
    seconds
        Time limit of each solve.
    most_solves
        Points to solve for at the most, at least two.
    gap
        Relative width of the bracket of each load.
    """
    problem = replace(problem, then=None, locality=None)
    shortest = problem.network.mean_shortest_path_length()
    best, solver = _solved(problem, seconds, gap)
    measured = [best]
    width = best.path_length / shortest - 1
    count = POINTS if most_solves is None else max(min(most_solves, POINTS), 2)
    for step in range(count - 2, 0, -1):
        locality = 1 + (width * step / (count - 1)).limit_denominator(FEW_DIGITS)
        point, solver = _solved(replace(problem, locality=locality), seconds, gap)
        measured.append(point)
    paths = "minimal" if problem.paths == "all" else f"minimal+{problem.paths}"
    least, solver = _solved(replace(problem, paths=paths), seconds, gap)
    # Its own bracket is one of shortest paths, and says nothing of the others.
    measured.append(replace(least, slope=Fraction(0), line=shortest))
    points = corners(measured)
    return SampledCurve(points, largest_gap(points), len(measured), solver)


def _solved(problem: DesignProblem, seconds: float | None, gap: float) -> tuple[BoundedPoint, str]:
    """Return a routing of the least load within a gap, checked, and what its bracket proves."""
    task = DesignTask(problem, "first_order", seconds, gap)
    task.bound_locality()
    solution, _ = task.solve(task.model("load"), "load")
    flows = task.flows(solution, None)
    routing = task.routing("of the curve", flows, solution, None)
    load, length = RoutingCheck.of(problem, task.reduction).values(routing)
    line = _line(expanded_bound(task, solution.duals, "load"), problem, load)
    return BoundedPoint(load, length, *line), solution.solver


def _line(bound: FullBound, problem: DesignProblem, load: Fraction) -> tuple[Fraction, Fraction]:
    """Return slope, and hops at a load, of the line that a bracket proves."""
    if not bound.hops:  # it bounds the load alone
        return Fraction(0), problem.network.mean_shortest_path_length()
    return -bound.charge / bound.hops, (bound.cheapest - bound.charge * load) / bound.hops


def corners(points: Sequence[BoundedPoint]) -> list[BoundedPoint]:
    """Return the points, by load, that are not on or above a segment between two others."""
    kept: list[BoundedPoint] = []
    for point in sorted(points, key=lambda point: (point.load, point.path_length)):
        if kept and point.path_length >= kept[-1].path_length:
            continue
        while len(kept) >= 2:
            before, last = kept[-2], kept[-1]
            rise = (point.path_length - before.path_length) * (last.load - before.load)
            if rise > (last.path_length - before.path_length) * (point.load - before.load):
                break
            kept.pop()
        kept.append(point)
    return kept


def largest_gap(points: Sequence[BoundedPoint]) -> float:
    """Return how far the segments may be above the curve, over path length, at the most.

    A segment is straight and the highest line convex, so the distance is largest at an end or
    where two lines cross.
    """
    crossings = [
        one.load + (other.bound(one.load) - one.line) / (one.slope - other.slope)
        for one, other in combinations(points, 2)
        if one.slope != other.slope
    ]
    largest = Fraction(0)
    for left, right in pairwise(points):
        inside = [load for load in crossings if left.load < load < right.load]
        for load in (left.load, *inside, right.load):
            share = (load - left.load) / (right.load - left.load)
            chord = left.path_length + share * (right.path_length - left.path_length)
            largest = max(largest, chord / max(point.bound(load) for point in points) - 1)
    return float(largest)
