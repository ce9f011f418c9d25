"""Designs: the best routing for a problem, with its values proved."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

from obroute.capacity import capacity_load
from obroute.choices.designs import GAP, METHOD, OBJECTIVE, PATHS, SAMPLES, SYMMETRY
from obroute.choices.traffic import MATRIX_KIND
from obroute.decimals import no_less_than
from obroute.design.problem import DesignProblem
from obroute.design.proofs import (
    Bounds,
    Proof,
    RoutingCheck,
    length_bounds_of,
    load_bounds_of,
)
from obroute.design.scope import Scope
from obroute.design.solving import best_load_by_few_pairs, known_worst_case, shortest, solved
from obroute.design.task import DesignTask
from obroute.network import Network
from obroute.presented import Answer
from obroute.progress import stage
from obroute.routing.designed import DesignedRouting
from obroute.traffic import Pattern


@dataclass(frozen=True, eq=False)
class Design(Answer):
    """A designed routing, and what is proved of it.

    Parameters
    ----------
    problem
        What was asked.
    routing
        The routing found, exact; a routing like any other.
    scope
        The routings and the traffic that the bounds are for.
    load
        The least load that a routing of the scope can have (packets per cycle over channel
        bandwidth: the worst case, the load of the traffic, or the mean over the sample and, where
        the scope says so, its images), within bounds; the upper one is attained by a routing.
        None where a bound on the load was given.
    routing_load
        The load of the routing found, exact.
    path_length
        Its mean path length (hops), exact.
    least_path_length
        Bounds of the least mean path length (hops) of the routings of the scope with at most
        ``routing_load``; None where it was not asked for.
    least_path_length_at_limit
        Lower bound (hops) for the routings with at most the load that was to be kept: the best,
        or the one given. Rounding may leave the routing a little above that load, and therefore
        a little shorter.
    rows, columns, nonzeros
        Size of the linear program.
    symmetry
        Name of the group that it was reduced by.
    solver, seconds
        What solved it, and how long everything took.
    proofs
        Of the lower bounds of the load and, where asked for, of the path length. Each was checked
        against the full problem, and the routing, its load and its path length on the full
        network, by code that knows nothing of the reduction.
    """

    problem: DesignProblem
    scope: Scope
    routing: DesignedRouting
    load: Bounds | None
    routing_load: Fraction
    path_length: Fraction
    least_path_length: Bounds | None
    least_path_length_at_limit: Fraction | None
    rows: int
    columns: int
    nonzeros: int
    symmetry: str
    solver: str
    seconds: float
    capacity_load: Fraction | None
    proofs: tuple[Proof, ...]

    @property
    def least_proved(self) -> bool:
        """Whether it is proved that no routing of the scope has a smaller load than this one."""
        return self.load is not None and self.load.lower == self.routing_load

    @property
    def fraction_of_capacity(self) -> Fraction | None:
        """Throughput at the routing's load as a fraction of capacity."""
        if self.capacity_load is None or not self.routing_load:
            return None
        return self.capacity_load / self.routing_load

    @property
    def normalized_path_length(self) -> Fraction:
        """The routing's mean path length over that of shortest paths."""
        return self.path_length / self.problem.network.mean_shortest_path_length()


def design(
    network: Network,
    objective: str = OBJECTIVE,
    *,
    locality: Fraction | None = None,
    exact_locality: bool = False,
    then: str | None = None,
    paths: str = PATHS,
    traffic: Pattern | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    matrix_kind: str = MATRIX_KIND,
    symmetry: str = SYMMETRY,
    load: Fraction | None = None,
    method: str = METHOD,
    seconds: float | None = None,
    gap: float = GAP,
    name: str | None = None,
) -> Design:
    """Design the routing with the least load.

    Parameters
    ----------
    network, objective, locality, exact_locality, then, paths, traffic, samples, seed, matrix_kind
        See :class:`DesignProblem`.
    load
        See :class:`DesignProblem`.
    symmetry
        The group to reduce by; see :class:`DesignProblem`. The optimum does not depend on it
        except in the average case, where the sample is not symmetric.
    method, seconds
        Solver method, and its time limit for each linear program.
    gap
        Relative width of the bracket of the optimum at which method ``first_order`` stops.
    name
        What to call the routing.

    Raises
    ------
    InputError
        If the problem is none for the network, the locality is infeasible, or the solver stops
        early; the message says what is proved.

    Examples
    --------
    >>> from obroute import make_network
    >>> found = design(make_network("torus:4x4"), "worst_case", then="locality")
    >>> str(found.load.upper), found.load.exact, str(found.normalized_path_length)
    ('1', True, '27/20')
    """
    problem = DesignProblem(
        network,
        objective,
        locality,
        exact_locality,
        then,
        paths,
        traffic,
        samples,
        seed,
        matrix_kind,
        symmetry,
        load,
    )
    return solve_problem(problem, method=method, seconds=seconds, gap=gap, name=name)


def solve_problem(
    problem: DesignProblem,
    *,
    method: str = METHOD,
    seconds: float | None = None,
    gap: float = GAP,
    name: str | None = None,
) -> Design:
    """Design for a problem; see :func:`design`."""
    start = time.perf_counter()
    with stage("program by symmetry") as known:
        task = DesignTask(problem, method, seconds, gap)
        task.bound_locality()
        check = RoutingCheck.of(problem, task.reduction)
        known(f"{task.design.rows.count} rows")
    name = name or name_of(problem)
    proofs, load_bounds, limit = [], None, problem.load
    length_bounds, at_limit, found_load, load_duals = None, None, None, None
    if (proved := best_load_by_few_pairs(task)) is not None:
        best, load_duals = proved
        if limit is None:
            limit, load_bounds = best, Bounds(best, best)
            proofs.append(Proof("load", load_duals, ()))
    elif limit is None:
        with stage("least load") as known:
            solution, program, exact = solved(task, "load")
            flows = task.flows(solution, exact)
            task.check_length(flows)
            load_bounds = load_bounds_of(task, solution, exact, flows)
            known(load_bounds.words())
        proofs.append(Proof.of(task, "load", solution, exact))
        if exact is not None and solution.interior:
            load_duals = exact.duals
        routing_load = found_load = load_bounds.upper
        limit = _known_load(problem, load_bounds)
        load_bounds = Bounds(load_bounds.lower, limit)
        first = task.routing(name, flows, solution, exact), found_load, task.path_length(flows)
    if problem.then == "locality":
        task.design.bound_load(limit)
        with stage("shortest paths") as known:
            known(f"at a load of at most {no_less_than(limit)}")
            solution, program, exact = shortest(task, load_duals)
            flows = task.flows(solution, exact)
            task.check_length(flows)
            routing_load = task.load(flows)
        if load_bounds is not None and limit == found_load and routing_load != limit:
            if load_bounds.exact:  # of another routing than the one that is kept
                check.hold(*first)
            else:
                load_bounds = Bounds(load_bounds.lower, routing_load)
        at_limit, length_bounds = length_bounds_of(task, solution, exact, flows, routing_load)
        proofs.append(Proof.of(task, "length", solution, exact))
    with stage("check on the full problem"):
        routing = task.routing(name, flows, solution, exact)
        path_length = task.path_length(flows)
        check.hold(routing, routing_load, path_length)
    rows, columns = program.shape
    return Design(
        problem,
        Scope.of(problem),
        routing,
        load_bounds,
        routing_load,
        path_length,
        length_bounds,
        at_limit,
        rows,
        columns,
        int(program.matrix.nnz),
        task.reduction.group.name,
        task.solvers[-1],
        time.perf_counter() - start,
        capacity(problem.network),
        tuple(proofs),
    )


def name_of(problem: DesignProblem) -> str:
    """Return what a routing is called that is given no name.

    >>> from obroute import make_network
    >>> name_of(DesignProblem(make_network("ring:5"), then="locality"))
    'best worst_case, then locality'
    """
    parts = [problem.objective]
    if problem.paths != "all":
        parts.append(problem.paths)
    if problem.locality is not None:
        parts.append(f"locality {problem.locality}")
    if problem.load is not None:
        parts.append(f"load {problem.load}")
    if problem.then:
        parts.append(f"then {problem.then}")
    return f"best {', '.join(parts)}"


def _known_load(problem: DesignProblem, load: Bounds) -> Fraction:
    """Return the upper bound, or the exact load of a known routing that lies in the interval."""
    if load.exact:
        return load.upper
    known = known_worst_case(problem)
    return known if known is not None and load.lower <= known <= load.upper else load.upper


def capacity(network: Network) -> Fraction | None:
    """Return the least largest load of uniform traffic over all routings, exactly.

    By the family's closed form, by a routing that meets a bound
    (:func:`obroute.capacity.known_capacity`), or by the linear program; None if the program is
    too large for an exact answer.

    Examples
    --------
    >>> from obroute import Network
    >>> capacity(Network("path", 3, [0, 1, 1, 2], [1, 0, 2, 1]))
    Fraction(2, 3)
    """
    known = capacity_load(network)
    if known is not None:
        return known
    task = DesignTask(DesignProblem(network, "capacity"))
    solution, program = task.solve(task.model("load"), "load")
    exact = task.exactly(solution, program, "load")[2]
    return None if exact is None else exact.objective
