"""A stored design checked: routing, bounds and claims, against the full problem."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError
from obroute.design import DesignProblem, Proof, RoutingCheck, Scope, assess, design_problem
from obroute.design.designs import known_worst_case
from obroute.experiments.design.store import claims_of, stored_duals
from obroute.experiments.design.stored import designed_routing
from obroute.importers import make_network
from obroute.kinds.comparing import compare_exact
from obroute.routing import Routing
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError

_SAMPLE_ROWS = ("sample_row", "sample_row_sample", "sample_row_channel")
_CLAIMED = (
    "routing_load_exact",
    "load_lower_exact",
    "mean_path_length_exact",
    "least_path_length_exact",
)


def verify_design(dataset: xr.Dataset) -> int:
    """Check a design: its loads by the evaluator, its bounds from the duals; return the proofs.

    The routing is read from its paths and checked on the whole network, its load and path length
    computed by the code that evaluates any routing. Each lower bound is proved again from the
    stored duals, spread over the full problem, and the claims must be those of its scope.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    network = make_network(dataset.attrs["network"])
    try:
        routing = designed_routing(dataset, "the store", network)
        problem = design_problem(network, json.loads(dataset.attrs["settings"]))
    except InputError as error:
        raise CertificateError(str(error)) from None
    load, length = RoutingCheck.of(problem, routing.reduction).values(routing)
    compare_exact(dataset, "routing_load", load)
    compare_exact(dataset, "mean_path_length", length)
    compare_exact(dataset, "mean_shortest_path_length", network.mean_shortest_path_length())
    _check_scope(dataset, problem, routing)
    _check_averages(dataset, routing, problem)
    return _check_bounds(dataset, problem, load)


def _check_scope(dataset: xr.Dataset, problem: DesignProblem, routing: DesignedRouting) -> None:
    """Check that the store claims what the problem and its group make of its bounds."""
    group, stored = problem.group, routing.reduction.group
    keys = [{element.key for element in one.generators} for one in (group, stored)]
    if problem.objective == "average_case" and keys[0] != keys[1]:
        raise CertificateError("generator_image: not the symmetry that the sample's images are of")
    scope = Scope.of(problem)
    expected = {
        "objective": problem.objective,
        "paths": problem.paths,
        "scope": scope.to_json(),
        "claims": claims_of({name: dataset[name].item() for name in _CLAIMED}, scope),
    }
    for name, value in expected.items():
        if dataset.attrs.get(name) != value:
            raise CertificateError(
                f"{name} is recorded as {dataset.attrs.get(name)}, but is {value}"
            )


def _check_bounds(dataset: xr.Dataset, problem: DesignProblem, load: Fraction) -> int:
    """Check each recorded bound against what the stored duals prove; return their number."""
    proofs = stored_proofs(dataset)
    if problem.load is None and "load" not in proofs:
        raise CertificateError("load_dual: the store proves no bound on the load")
    hops = problem.network.mean_shortest_path_length()
    longest = None if problem.locality is None else problem.locality * hops
    bounds = {objective: proof.bound(problem) for objective, proof in proofs.items()}
    limit = dataset["load_limit_exact"].item()
    for name, objective, at in (
        ("load_lower_exact", "load", longest),
        ("least_path_length_exact", "length", max(load, Fraction(limit or 0))),
        ("least_path_length_at_limit_exact", "length", Fraction(limit or 0)),
    ):
        recorded = dataset[name].item()
        if not recorded:
            continue
        if objective not in bounds:
            raise CertificateError(f"{objective}_dual: the store does not prove {recorded}")
        found = bounds[objective]
        proved = found.least_load(at) if objective == "load" else found.least_path_length(at)
        if proved < Fraction(recorded):
            raise CertificateError(f"{name}: the duals do not prove {recorded}, but {proved}")
    if problem.load is None:
        upper = Fraction(dataset["load_upper_exact"].item())
        if upper > load:
            raise CertificateError("load_upper_exact: the routing has a smaller load")
        best = bounds["load"].least_load(longest)
        # Of an exact optimum the routing may be another one, checked when the design was made.
        if upper < load and upper not in (best, known_worst_case(problem)):
            raise CertificateError(f"load_upper_exact: no routing is known to have {upper}")
    return len(proofs)


def _check_averages(dataset: xr.Dataset, routing: Routing, problem: DesignProblem) -> None:
    """Draw the sample and the fresh matrices again, and compare the loads of the routing."""
    if "in_sample_load" not in dataset:
        return
    fresh = dataset.sizes["fresh_matrix"]
    found = assess(problem.network, routing, problem.sample, fresh)
    for name, average in vars(found).items():
        recorded = dataset[f"{name}_load"].values
        if len(recorded) != len(average.loads) or not np.allclose(
            recorded, average.loads, rtol=1e-9, atol=0
        ):
            raise CertificateError(f"{name}_load: not the loads of the matrices that are drawn")


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
