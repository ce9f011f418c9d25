"""A stored design checked: routing, bounds and claims, against the full problem."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import xarray as xr

from obroute.certificates import CertificateError
from obroute.design import (
    Bounds,
    Design,
    DesignProblem,
    Proof,
    RoutingCheck,
    Scope,
    assess,
    capacity,
    design_problem,
)
from obroute.design.designs import name_of, solve_problem
from obroute.design.solving import known_worst_case
from obroute.experiments.design.store import Designed, contents, stored_duals
from obroute.experiments.design.stored import designed_routing
from obroute.kinds.answers import Rederived
from obroute.kinds.comparing import check_length
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.routing import Routing
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.experiments.design import DesignSettings

_SAMPLE_ROWS = ("sample_row", "sample_row_sample", "sample_row_channel")


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: DesignSettings
) -> Rederived:
    """Return what a design must hold: its values by the evaluator, its bounds from the duals.

    The routing is read from its paths and checked on the whole network, its load and path length
    computed by the code that evaluates any routing. Each lower bound is proved again from the
    stored duals, spread over the full problem.

    Raises
    ------
    CertificateError
        If the routing is none, or a proof is missing or proves nothing.
    """
    try:
        routing = designed_routing(cell, "the store", network)
        problem = design_problem(network, settings.record())
    except InputError as error:
        raise CertificateError(str(error)) from None
    is_judged = problem.objective == "average_case" and "in_sample_load" in cell
    check_length(cell, "sample_matrix", settings.samples if is_judged else 0)
    check_length(cell, "fresh_matrix", settings.fresh if is_judged else 0)
    name = settings.name or name_of(problem)
    if cell.attrs["routing"] != name:
        raise CertificateError(f"routing is recorded as {cell.attrs['routing']}, but is {name}")
    _check_symmetry(problem, routing)
    load, length = RoutingCheck.of(problem, routing.reduction).values(routing)
    proofs = stored_proofs(cell)
    _check_proofs(cell, problem, proofs)
    bounds = {objective: proof.bound(problem) for objective, proof in proofs.items()}
    load_bounds, length_bounds, at_limit = None, None, None
    if "load" in bounds:
        hops = network.mean_shortest_path_length()
        longest = None if problem.locality is None else problem.locality * hops
        lower = bounds["load"].least_load(longest)
        upper = Fraction(cell["load_upper_exact"].item())
        _check_attained(problem, settings, proofs["load"], Bounds(lower, upper), load)
        load_bounds = Bounds(lower, upper)
    if "length" in bounds:
        limit = proofs["length"].load_limit
        assert limit is not None
        if load_bounds is not None and not load_bounds.lower <= limit <= load_bounds.upper:
            raise CertificateError(f"load_limit_exact: {limit} is not between the bounds")
        at_limit = bounds["length"].least_path_length(limit)
        length_bounds = Bounds(bounds["length"].least_path_length(max(load, limit)), length)
    found = Design(
        problem,
        Scope.of(problem),
        routing,
        load_bounds,
        load,
        length,
        length_bounds,
        at_limit,
        len([*proofs.values()][-1].duals),
        cell["columns"].item(),
        cell["nonzeros"].item(),
        problem.group.name,
        cell.attrs["solver"],
        0.0,
        capacity(network),
        tuple(proofs.values()),
    )
    judged = assess(network, routing, problem.sample, settings.fresh) if is_judged else None
    return Rederived(contents(Designed(found, judged), settings), len(proofs))


def _check_symmetry(problem: DesignProblem, routing: DesignedRouting) -> None:
    group, stored = problem.group, routing.reduction.group
    keys = [{element.key for element in one.generators} for one in (group, stored)]
    if keys[0] != keys[1]:
        raise CertificateError("generator_image: not the symmetry of the problem")


def _check_proofs(cell: xr.Dataset, problem: DesignProblem, proofs: dict[str, Proof]) -> None:
    """Check that there is a proof of every bound that the problem is about, and of no other."""
    wanted = {"load": problem.load is None, "length": problem.then == "locality"}
    for objective, is_wanted in wanted.items():
        if is_wanted != (objective in proofs):
            what = "proves no bound on" if is_wanted else "was not asked for a bound on"
            raise CertificateError(f"{objective}_dual: the store {what} the {objective}")
    limit = cell["load_limit_exact"].item()
    if wanted["length"] and (not limit or problem.load not in (None, Fraction(limit))):
        raise CertificateError(f"load_limit_exact is recorded as {limit}, but is {problem.load}")


def _check_attained(
    problem: DesignProblem, settings: DesignSettings, proof: Proof, found: Bounds, load: Fraction
) -> None:
    """Check that a routing has the load that is recorded as one that some routing has.

    It is the load of the stored one, or that of VAL. Of an exact optimum it may be the load of
    another routing, which is then found again.
    """
    known = known_worst_case(problem)
    if found.upper == load or (found.upper == known and found.lower <= known <= load):
        return
    if found.exact and isinstance(proof.duals, RationalArray):
        best = solve_problem(replace(problem, then=None), method=settings.method, gap=settings.gap)
        if best.load is not None and best.load.upper == found.upper:
            return
    raise CertificateError(f"load_upper_exact: no routing is known to have {found.upper}")


def stored_proofs(dataset: xr.Dataset) -> dict[str, Proof]:
    """Read the proofs of a design, by what they bound: ``load``, ``length``."""
    rows = [dataset[name].values.tolist() for name in _SAMPLE_ROWS]
    load_row, limit = int(dataset["load_row_number"]), dataset["load_limit_exact"].item()
    proofs = {}
    for objective in ("load", "length"):
        duals = stored_duals(dataset, objective)
        if duals is None:
            continue
        bounded = objective == "length"
        proofs[objective] = Proof(
            objective,
            duals,
            tuple(row for row in zip(*rows, strict=True) if row[0] < len(duals)),
            load_row if bounded else None,
            Fraction(limit) if bounded and limit else None,
        )
    return proofs
