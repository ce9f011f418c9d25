"""A design problem set up as a linear program, and what its solutions are worth exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from obroute.choices.designs import GAP, METHOD
from obroute.design.exact import ExactOptimum, exact_optimum
from obroute.design.first_order import FLOWS, FirstOrder
from obroute.design.formulation import DesignProgram
from obroute.design.linear_program import LinearProgram
from obroute.design.paths import path_columns
from obroute.design.problem import DesignProblem
from obroute.design.rounding import rounded_flows, rounded_paths
from obroute.design.samples import draw_samples, largest_sampled_load, scaled_loads
from obroute.design.solver import CROSSOVER_ROWS, Model, Solution, SolverError
from obroute.rational import RationalArray
from obroute.routing.designed import DesignedRouting, without_cycles
from obroute.solved_channels import solve_channels
from obroute.specs import InputError
from obroute.symmetry import Reduction
from obroute.traffic import Traffic

ROWS_A_SAMPLE = 4
VIOLATION = 1e-8
MOST_ROUNDS = 200
SMALLEST_GAP = 1e-6
SHORTER = 1e-6
"""Rounded flows may be this much shorter than asked for, relatively."""


class DesignTask:
    """A design problem set up to be solved, once or for many bounds on the load.

    Parameters
    ----------
    problem
        The problem.
    method
        Solver method: ``auto``, ``simplex``, ``crossover``, ``interior_point``, or, for the
        average case, ``first_order``.
    seconds
        Time limit of each solve; None for none.
    gap
        Relative width of the bracket at which ``first_order`` stops.

    Raises
    ------
    InputError
        If the method is not for the objective, or no bracket can be so narrow.
    """

    def __init__(
        self,
        problem: DesignProblem,
        method: str = METHOD,
        seconds: float | None = None,
        gap: float = GAP,
    ) -> None:
        if method == "first_order" and problem.objective != "average_case":
            raise InputError(
                f"method first_order is for the average case, not for the {problem.objective}; "
                "leave it to auto, or take interior_point"
            )
        if not SMALLEST_GAP <= gap < 1:
            raise InputError(
                f"a gap of {gap:g} is no relative width; expected one from {SMALLEST_GAP:g} to 1, "
                "such as 0.001"
            )
        self.problem = problem
        self.method = method
        self.seconds = seconds
        self.gap = gap
        self.samples: list[Traffic] = []
        network = problem.network
        if problem.objective == "average_case":
            self.samples = draw_samples(network, problem.sample)
        self.reduction = Reduction.build(problem.group, problem.allowed.channels)
        self.design = DesignProgram(self.reduction, path_columns(self.reduction, problem.allowed))
        if problem.objective == "worst_case":
            self.design.add_worst_case()
        elif problem.objective == "capacity":
            self.amounts = problem.demands.dense()
            self.design.add_traffic(self.amounts)
        else:
            self.design.add_samples(len(self.samples))
        self.solvers: list[str] = []
        self.least_length = (
            self.design.least_listed_length() or network.mean_shortest_path_length()
        )

    def bound_locality(self) -> None:
        """Add the bound on path length that the problem asks for.

        Raises
        ------
        InputError
            If no routing on these paths is so short.
        """
        problem = self.problem
        if problem.locality is None:
            return
        shortest = problem.network.mean_shortest_path_length()
        if problem.locality * shortest < self.least_length:
            least = self.least_length / shortest
            raise InputError(
                f"locality {problem.locality} is infeasible: the shortest routing of "
                f"{problem.network.name} on {problem.paths} paths has a normalized path length "
                f"of {least}; ask for at least that"
            )
        self.design.bound_locality(problem.locality * shortest, equality=problem.exact_locality)

    @property
    def length_limit(self) -> Fraction | None:
        """What the mean path length (hops) is bounded by."""
        locality = self.problem.locality
        if locality is None:
            return None
        return locality * self.problem.network.mean_shortest_path_length()

    @property
    def load_limit(self) -> Fraction | None:
        """What the load is bounded by."""
        return self.design.limit("load")

    @property
    def by_steps(self) -> bool:
        """Whether it is solved by steps of first order, within a bracket."""
        large = self.method == "auto" and self.reduction.flow_count >= FLOWS
        return bool(self.samples) and (large or self.method == "first_order")

    def model(self, objective: str) -> Model | FirstOrder:
        """Return a solver's model of the program as it is now."""
        if self.by_steps:
            return FirstOrder(self.design, self.samples, objective, self.gap, self.seconds)
        return Model(self.design.program(objective), self.method, self.seconds)

    def solve(self, model: Model | FirstOrder, objective: str) -> tuple[Solution, LinearProgram]:
        """Solve, with rows of sampled loads added until none is violated."""
        for _ in range(MOST_ROUNDS):
            solution = model.solve()
            if isinstance(model, FirstOrder) or not self.samples or not solution.optimal:
                break
            if not self._add_violated(model, solution):
                break
        self.solvers.append(solution.solver)
        return solution, self.design.program(objective)

    def exactly(
        self, solution: Solution, program: LinearProgram, objective: str
    ) -> tuple[Solution, LinearProgram, ExactOptimum | None]:
        """Return a solution with its exact optimum, where one is proved.

        Where interior points point to none, a basis is looked for, if that does not take too long.
        """
        exact = exact_optimum(program, solution)
        left = exact is None and solution.interior and self.method == "auto"
        if not left or program.shape[0] > CROSSOVER_ROWS:
            return solution, program, exact
        model = Model(program, "crossover", self.seconds)
        try:
            at_basis, program_there = self.solve(model, objective)
        except SolverError:
            return solution, program, None
        if not self.samples:
            program_there = program
        exact = exact_optimum(program_there, at_basis)
        if exact is None:
            return solution, program, None
        return at_basis, program_there, exact

    def _add_violated(self, model: Model, solution: Solution) -> bool:
        design = self.design
        flows = solution.values[design.columns["flow"].slice]
        largest = solution.values[design.columns["largest"].slice]
        bandwidths = self.reduction.network.bandwidth.to_float()
        first = design.rows.count
        for number, sample in enumerate(self.samples):
            unit = sample.amounts.values.denominator
            loads = scaled_loads(self.reduction, sample, flows) / unit / bandwidths
            limit = largest[number]
            worst = np.argsort(-loads, kind="stable")[:ROWS_A_SAMPLE]
            violated = worst[loads[worst] > limit + VIOLATION].tolist()
            new = [channel for channel in violated if (number, channel) not in design.sample_rows]
            if new:
                amounts = sample.dense()
                for channel in new:
                    design.add_sample_row(number, channel, amounts)
        added = range(first, design.rows.count)
        if added:
            model.add_rows([design.rows.row(number) for number in added])
        return bool(added)

    def flows(self, solution: Solution, exact: ExactOptimum | None) -> RationalArray:
        """Return exact flows without cycles: the vertex itself, or flows near the floats."""
        if exact is not None:
            flows = exact.values.take(self.design.columns["flow"].slice).reduced()
        else:
            flows = RationalArray.from_fractions(rounded_flows(self.design, solution.values))
        if self.design.path_columns is not None:
            return flows
        return without_cycles(self.reduction, flows)

    def check_length(self, flows: RationalArray) -> None:
        """Check that flows without cycles still have the path length that was asked for.

        Raises
        ------
        InputError
            If they are shorter than exactly that.
        """
        problem = self.problem
        if problem.locality is None or not problem.exact_locality:
            return
        length = self.path_length(flows) / problem.network.mean_shortest_path_length()
        if problem.locality - length > SHORTER * problem.locality:
            raise InputError(
                f"a normalized path length of exactly {problem.locality} makes packets go in "
                f"circles on {problem.network.name}, and {float(length):.6g} is left without "
                "them; ask for at most that length"
            )

    def load(self, flows: RationalArray) -> Fraction:
        """Return the exact load that the problem is about, of exact flows.

        The worst case is found by a matching for every focus channel, and its proof is checked.
        """
        network, problem = self.problem.network, self.problem
        if problem.objective == "average_case":
            total = sum(
                (largest_sampled_load(self.reduction, s, flows) for s in self.samples), Fraction(0)
            )
            return total / len(self.samples)
        routing = DesignedRouting("flows", self.reduction, flows=flows)
        focus = [focus.channel for focus in self.reduction.focus]
        if problem.objective == "worst_case":
            results = solve_channels(network, routing, focus)
            return max(result.normalized_load for result in results)
        largest = Fraction(0)
        for channel in focus:
            pair_loads = routing.pair_loads(network, channel)
            amounts = self.amounts.take((pair_loads.rows, pair_loads.columns))
            load = pair_loads.values.times(amounts).sum()
            largest = max(largest, load / network.bandwidth.fraction(channel))
        return largest

    def path_length(self, flows: RationalArray) -> Fraction:
        """Return the exact mean path length (hops) of exact flows."""
        return self.design.mean_length(flows)

    def routing(
        self, name: str, flows: RationalArray, solution: Solution, exact: ExactOptimum | None
    ) -> DesignedRouting:
        """Return the routing of a solution."""
        columns = self.design.path_columns
        if columns is None:
            return DesignedRouting(name, self.reduction, flows=flows)
        if exact is not None:
            shares = exact.values.take(self.design.columns["path"].slice).fractions()
            distributions = [
                {
                    path: shares[variable]
                    for path, variable in zip(listed, variables.tolist(), strict=True)
                    if shares[variable]
                }
                for listed, variables in zip(columns.paths, columns.variable, strict=True)
            ]
        else:
            distributions = rounded_paths(self.design, solution.values)
        return DesignedRouting(name, self.reduction, distributions)
