"""What is proved of a design: bounds of the full problem, a routing of the whole network.

A reduced program says something about itself. Before it is said of routings, its duals are spread
over the full problem and bound that, and its routing is checked as one of the whole network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from obroute.certificates import CertificateError
from obroute.decimals import interval
from obroute.design.carriers import Carriers
from obroute.design.exact import ExactOptimum, dual_bound
from obroute.design.expansion import carriers_of, expanded_bound, expanded_prices
from obroute.design.full_problem import FullBound
from obroute.design.prices import Prices
from obroute.design.problem import DesignProblem
from obroute.design.routing_check import (
    CheckedFlows,
    check_copies,
    check_paths,
    checked_worst_case,
)
from obroute.design.samples import draw_samples
from obroute.design.solver import Solution
from obroute.design.task import DesignTask
from obroute.design.triple_orbits import Turn
from obroute.rational import FloatArray, RationalArray
from obroute.routing.designed import DesignedRouting
from obroute.symmetry import FocusPotentials, Reduction
from obroute.traffic import Traffic

TRIPLES_READ = 2**25


@dataclass(frozen=True)
class Bounds:
    """An interval that contains an optimum, proved in exact arithmetic."""

    lower: Fraction
    upper: Fraction

    @property
    def exact(self) -> bool:
        """Whether the optimum itself is known."""
        return self.lower == self.upper

    def words(self) -> str:
        """Say them in a line of progress.

        >>> Bounds(Fraction(1), Fraction(1)).words(), Bounds(Fraction(1), Fraction(3, 2)).words()
        ('1', 'from 1 to 1.5')
        """
        if self.exact:
            return str(self.lower)
        return interval(self.lower, self.upper)

    @property
    def relative_width(self) -> float:
        """Width over the upper end."""
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0


@dataclass(frozen=True, eq=False)
class Proof:
    """What proves a lower bound: duals of the rows of a linear program, exact or floats.

    ``sample_rows`` are the rows of sampled loads: row, sample and channel of each; ``load_row``
    is the row that bounds the load by ``load_limit``, None where there is none.
    """

    objective: str
    duals: RationalArray | FloatArray
    sample_rows: tuple[tuple[int, int, int], ...]
    load_row: int | None = None
    load_limit: Fraction | None = None

    @classmethod
    def of(
        cls, task: DesignTask, objective: str, solution: Solution, exact: ExactOptimum | None
    ) -> Proof:
        """Return the proof of the bound that a task was just solved for."""
        design = task.design
        load_row = design.rows.blocks.get("load")
        return cls(
            objective,
            solution.duals if exact is None else exact.duals,
            tuple((row, sample, channel) for (sample, channel), row in design.sample_rows.items()),
            None if load_row is None else load_row.number,
            design.limit("load"),
        )

    def bound(self, problem: DesignProblem) -> FullBound:
        """Write the program anew, spread the duals over the full problem, and bound it there.

        Raises
        ------
        CertificateError
            If they prove nothing.
        """
        return expanded_bound(self._program(problem), self.duals, self.objective)

    def prices(self, problem: DesignProblem) -> tuple[Prices, RationalArray, Fraction]:
        """Return the checked prices that :meth:`bound` rests on.

        With them come the charge of each channel, and the price of the mean path length.

        Raises
        ------
        CertificateError
            If they prove nothing.
        """
        return expanded_prices(self._program(problem), self.duals, self.objective)

    def _program(self, problem: DesignProblem) -> DesignTask:
        """Write the program that the duals belong to anew, and hold them against it."""
        task = DesignTask(problem)
        task.bound_locality()
        design = task.design
        for row, sample, channel in self.sample_rows:
            if design.rows.count == self.load_row and self.load_limit is not None:
                design.bound_load(self.load_limit)
            amounts = task.samples[sample].dense()
            if design.add_sample_row(sample, channel, amounts) != row:
                raise CertificateError(f"row {row} of the linear program is not where it was")
        if "load" not in design.rows.blocks and self.load_limit is not None:
            design.bound_load(self.load_limit)
        load_row = design.rows.blocks.get("load")
        if self.load_limit is not None and load_row and load_row.number != self.load_row:
            raise CertificateError(f"the load is not bounded by row {self.load_row}")
        if len(self.duals) != design.rows.count:
            raise CertificateError(
                f"{len(self.duals)} duals for the {design.rows.count} rows of the linear program"
            )
        if isinstance(self.duals, RationalArray) and (
            dual_bound(design.program(self.objective), self.duals) is None
        ):
            raise CertificateError(f"the duals prove no bound on the {self.objective}")
        return task


def load_bounds_of(
    task: DesignTask, solution: Solution, exact: ExactOptimum | None, flows: RationalArray
) -> Bounds:
    """Return the bounds of the least load: of all routings of the problem, and of the one found.

    Raises
    ------
    CertificateError
        If what the reduced program says is not so in the full problem.
    """
    upper = task.load(flows)
    duals = solution.duals if exact is None else exact.duals
    lower = expanded_bound(task, duals, "load").least_load(task.length_limit)
    if exact is not None:
        _same(upper, exact.objective, "load of the routing")
        if not task.problem.exact_locality:
            _same(lower, exact.objective, "bound of the load")
    return Bounds(lower, upper)


def length_bounds_of(
    task: DesignTask,
    solution: Solution,
    exact: ExactOptimum | None,
    flows: RationalArray,
    load: Fraction,
) -> tuple[Fraction, Bounds]:
    """Return the bound at the load to be kept, and the bounds at the load that the routing has.

    Rounding may have raised the load by a little.
    """
    upper = task.path_length(flows)
    duals = solution.duals if exact is None else exact.duals
    bound = expanded_bound(task, duals, "length")
    limit = task.load_limit
    assert limit is not None
    at_limit = bound.least_path_length(limit)
    if exact is not None:
        optimum = exact.objective / task.design.length_denominator
        _same(upper, optimum, "path length of the routing")
        if not task.problem.exact_locality:
            _same(at_limit, optimum, "bound of the path length")
    return at_limit, Bounds(bound.least_path_length(max(load, limit)), upper)


def _same(full: Fraction, reduced: Fraction, what: str) -> None:
    """Hold what the full problem gives against the exact optimum of the reduced program."""
    if full != reduced:
        raise CertificateError(
            f"the {what} is {full} in the full problem, {reduced} in the reduced one"
        )


def reads_every_pair(problem: DesignProblem) -> bool:
    """Say whether every pair and channel of a routing is read, where translations could do."""
    network = problem.network
    triples = len(network.sources) * len(network.destinations) * network.channel_count
    return triples <= TRIPLES_READ or problem.allowed.by_source is not None


def _copies(focus: FocusPotentials, carriers: Carriers | None) -> Iterator[Turn]:
    """Give what carries a focus channel to the others; with carriers, to one of each orbit."""
    covered: set[int] = set()
    for member in focus.members.tolist():
        if member not in covered:
            covered.update([] if carriers is None else carriers.orbit(member).tolist())
            element = focus.elements[member]
            yield element.nodes, element.channels, element.reverses


@dataclass(frozen=True, eq=False)
class RoutingCheck:
    """Checks designed routings of one problem and reduction on the whole network.

    Up to ``TRIPLES_READ`` (source, destination, channel), each is read. Beyond, and where the
    declared translations are of the reduction's group, the routing is that of the first source,
    carried by them: what it says of itself is held against that for the focus channels and some
    of the sources (:mod:`obroute.design.carried_flows`).

    That channels are alike is checked once for all routings of the reduction, with a number of
    its own for each flow.
    """

    problem: DesignProblem
    reduction: Reduction
    carriers: Carriers | None = None

    @classmethod
    def of(cls, problem: DesignProblem, reduction: Reduction) -> RoutingCheck:
        """Check the claimed symmetries of channels, where the worst case rests on them.

        Raises
        ------
        CertificateError
            If a channel is not like the one that stands for it.
        """
        carriers = None
        if problem.objective == "worst_case":
            if not reads_every_pair(problem):
                carriers = carriers_of(reduction)
            numbers = RationalArray(np.arange(1, reduction.flow_count + 1), 1)
            check_copies(
                problem.network,
                DesignedRouting("numbers", reduction, flows=numbers),
                [(focus.channel, _copies(focus, carriers)) for focus in reduction.focus],
                carriers,
            )
        return cls(problem, reduction, carriers)

    @cached_property
    def _traffic(self) -> list[Traffic]:
        """The traffic whose mean load is the load of a routing."""
        if self.problem.objective == "capacity":
            return [self.problem.demands]
        return draw_samples(self.problem.network, self.problem.sample)

    def values(self, routing: DesignedRouting) -> tuple[Fraction, Fraction]:
        """Check a routing; return its load and its mean path length (hops).

        Raises
        ------
        CertificateError
            If it is no routing of the network, or takes other paths than those of the problem.
        """
        network = self.problem.network
        keep = self.problem.objective != "worst_case"
        flows = CheckedFlows.of(network, routing, keep=keep, carriers=self.carriers)
        length = flows.path_length
        paths = self.problem.allowed
        if paths.channels is not None and length != network.mean_shortest_path_length():
            raise CertificateError("a path of the routing is not a shortest one")
        if paths.by_source is not None:
            check_paths(network, routing, paths.by_source)
        if self.problem.objective == "worst_case":
            focus = [channel.channel for channel in self.reduction.focus]
            return checked_worst_case(network, routing, focus), length
        loads = flows.largest_loads(
            [(t.amounts.rows, t.amounts.columns, t.amounts.values) for t in self._traffic]
        )
        return sum(loads, Fraction(0)) / len(loads), length

    def hold(self, routing: DesignedRouting, load: Fraction, path_length: Fraction) -> None:
        """Check that a routing has this load and this mean path length (hops).

        Raises
        ------
        CertificateError
            If it has not, on the whole network.
        """
        its_load, length = self.values(routing)
        _same(its_load, load, "load of the routing")
        _same(length, path_length, "path length of the routing")
