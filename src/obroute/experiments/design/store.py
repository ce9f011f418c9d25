"""What is designed, and what its store holds: the routing, its values, proofs of its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.design import Design, Proof, SampleAssessment, Scope, assess, design
from obroute.kinds.answers import Contents
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import RationalArray
from obroute.results.arrays import (
    CAPACITY,
    CHANNEL_ENDS,
    HOPS,
    LOAD,
    SHORTEST,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    floats,
    text,
    texts,
)
from obroute.routing.designed import DesignedRouting
from obroute.traffic import make_pattern

if TYPE_CHECKING:
    from obroute.experiments.design import DesignSettings

ARRAYS: dict[str, ArraySpec] = {
    **exact_and_float("routing_load", (), "load of the routing found, by the objective", LOAD),
    "load_lower_exact": ArraySpec(
        (),
        "text",
        "no routing has a smaller load: proved lower bound; empty where a load was given",
        LOAD,
    ),
    "load_upper_exact": ArraySpec((), "text", "a routing with this load exists", LOAD),
    **exact_and_float("mean_path_length", (), "mean path length of the routing found", HOPS),
    "least_path_length_exact": ArraySpec(
        (),
        "text",
        "no routing with at most the load of this one has shorter paths in the mean: proved lower "
        "bound; empty where it was not asked for",
        HOPS,
    ),
    "in_sample_load": ArraySpec(
        ("sample_matrix",),
        "float",
        "largest channel load of the routing found under each matrix that it was designed for",
        LOAD,
        optional=True,
    ),
    "out_of_sample_load": ArraySpec(
        ("fresh_matrix",),
        "float",
        "the same under the matrices that the seed draws after those",
        LOAD,
        optional=True,
    ),
    "least_path_length_at_limit_exact": ArraySpec(
        (),
        "text",
        "the same for the load that was to be kept, which the routing may exceed by rounding",
        HOPS,
    ),
    **CAPACITY,
    **SHORTEST,
    "rows": ArraySpec((), "integer", "rows of the linear program"),
    "columns": ArraySpec((), "integer", "columns of the linear program", on_trust=True),
    "nonzeros": ArraySpec(
        (), "integer", "non-zero coefficients of the linear program", on_trust=True
    ),
    "generator_image": ArraySpec(
        ("generator", "node"),
        "integer",
        "image of each node under each generator of the symmetry that the routing has",
    ),
    "generator_reverses": ArraySpec(
        ("generator",), "boolean", "the generator turns every channel around"
    ),
    "pair_source": ArraySpec(("pair",), "integer", "source node of each canonical pair"),
    "pair_destination": ArraySpec(("pair",), "integer", "destination node of each canonical pair"),
    "path_pair": ArraySpec(("path",), "integer", "position of the canonical pair of a path"),
    "path_hops": ArraySpec(("path",), "integer", "hops of the path", HOPS),
    "path_probability": ArraySpec(
        ("path",), "float", "probability of the path, before averaging over the symmetry"
    ),
    "path_probability_exact": ArraySpec(("path",), "text", "the same as a fraction"),
    "path_channel": ArraySpec(("hop",), "integer", "channels of all paths, one after the other"),
    **CHANNEL_ENDS,
    **{
        name: spec
        for objective in ("load", "length")
        for name, spec in {
            f"{objective}_dual": ArraySpec(
                (f"{objective}_row",),
                "float",
                f"dual of each row of the linear program of the least {objective}",
                optional=True,
                witness=True,
            ),
            f"{objective}_dual_numerator": ArraySpec(
                (f"{objective}_row",),
                "text",
                f"the same times {objective}_dual_denominator, where they are exact",
                optional=True,
                witness=True,
            ),
            f"{objective}_dual_denominator": ArraySpec(
                (), "text", "denominator of the exact duals", optional=True, witness=True
            ),
        }.items()
    },
    "load_row_number": ArraySpec((), "integer", "row that bounds the load; -1 if none"),
    "load_limit_exact": ArraySpec((), "text", "what it bounds it by; empty if none", LOAD),
    "sample_row": ArraySpec(("sampled_load",), "integer", "row of each sampled load bounded"),
    "sample_row_sample": ArraySpec(
        ("sampled_load",), "integer", "the sample it belongs to", witness=True
    ),
    "sample_row_channel": ArraySpec(
        ("sampled_load",), "integer", "the channel it bounds", witness=True
    ),
}
"""Every array of a design store: a designed routing, its values and their proofs."""


ATTRIBUTES = {
    "objective": AttributeSpec("what was optimised"),
    "paths": AttributeSpec("the paths allowed"),
    "solver": AttributeSpec("what solved it", on_trust=True),
    "symmetry": AttributeSpec("the symmetry it was reduced by"),
    "scope": AttributeSpec("the routings and the traffic that its bounds are for, as JSON"),
    "claims": AttributeSpec(
        "what is proved of it, a sentence a line, each with its scope (paths, length, traffic)"
    ),
}
"""Every attribute of a design store besides those of all stores."""


@dataclass(frozen=True)
class Designed(Answer):
    """A design, and what it is worth in and out of its sample if it is for one."""

    design: Design
    judged: SampleAssessment | None = None


def parts_of(answer: Design | Designed) -> tuple[Design, SampleAssessment | None]:
    """Return the design itself, and what it is worth if it was judged."""
    return (answer.design, answer.judged) if isinstance(answer, Designed) else (answer, None)


def run_design(network: Network, settings: DesignSettings) -> Designed:
    """Design as the settings ask, and judge the routing where it is for a sample."""
    found = design(network, **asked_for(settings))
    if found.problem.objective != "average_case":
        return Designed(found)
    sample = found.problem.sample
    return Designed(found, assess(network, found.routing, sample, settings.fresh))


def asked_for(settings: DesignSettings) -> dict[str, Any]:
    """Return settings as :func:`obroute.design.design` takes them."""
    given: dict[str, Any] = {
        key: getattr(settings, key)
        for key in (
            *("objective", "exact_locality", "then", "paths"),
            *("samples", "seed", "matrix_kind", "symmetry", "name", "method", "gap"),
        )
    }
    for key in ("locality", "load"):
        value = getattr(settings, key)
        given[key] = None if value is None else Fraction(value)
    given["traffic"] = None if settings.traffic is None else make_pattern(settings.traffic)
    given["seconds"] = settings.time_limit
    return given


def contents(answer: Design | Designed, settings: DesignSettings) -> Contents:
    """Return what is stored of a design: the routing, its values, and the proofs of its bounds."""
    found, judged = parts_of(answer)
    network, routing = found.problem.network, found.routing
    least = found.least_path_length
    arrays: dict[str, Any] = {
        **exact_floats("routing_load", found.routing_load),
        **exact_floats("mean_path_length", found.path_length),
        **exact_floats("capacity_load", found.capacity_load),
        **exact_floats("mean_shortest_path_length", network.mean_shortest_path_length()),
        "load_lower_exact": text(None if found.load is None else found.load.lower),
        "load_upper_exact": text(None if found.load is None else found.load.upper),
        "least_path_length_exact": text(None if least is None else least.lower),
        "least_path_length_at_limit_exact": text(found.least_path_length_at_limit),
        "rows": found.rows,
        "columns": found.columns,
        "nonzeros": found.nonzeros,
        "tail": network.tail.astype(np.int32),
        "head": network.head.astype(np.int32),
        **_routing_arrays(routing),
        **_proof_arrays(found.proofs),
    }
    if judged is not None:
        arrays["in_sample_load"] = judged.in_sample.loads
        arrays["out_of_sample_load"] = judged.out_of_sample.loads
    attributes = {
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "symmetry": found.symmetry,
        "scope": found.scope.to_json(),
        "solver": found.solver,
        "claims": claims_of(arrays, found.scope),
    }
    return Contents(network, routing.name, arrays, attributes=attributes)


def claims_of(values: Mapping[str, Any], scope: Scope) -> str:
    """Return what a design proves, in words: a sentence a line, with its scope.

    ``values`` are the exact texts of its load, path length and bounds, by their arrays.
    """
    load, lower = values["routing_load_exact"], values["load_lower_exact"]
    length, least = values["mean_path_length_exact"], values["least_path_length_exact"]
    claims = []
    if lower:
        words = scope.of_load if lower == load else scope.of_load_below(lower)
        claims.append(f"proved: {words}")
    if least:
        words = scope.of_length if least == length else f"{scope.of_length} than {least} hops"
        claims.append(f"proved: {words}")
    return "\n".join(claims)


def _routing_arrays(routing: DesignedRouting) -> dict[str, Any]:
    reduction = routing.reduction
    generators = reduction.group.generators
    listed = [
        (number, path, probability)
        for number, distribution in enumerate(routing.distributions)
        for path, probability in distribution.items()
    ]
    nodes = reduction.network.node_count
    images = [element.nodes for element in generators]
    return {
        "generator_image": np.array(images, dtype=np.int32).reshape(len(images), nodes),
        "generator_reverses": np.array([e.reverses for e in generators], dtype=bool),
        "pair_source": np.array([pair.source for pair in reduction.pairs], dtype=np.int32),
        "pair_destination": np.array(
            [pair.destination for pair in reduction.pairs], dtype=np.int32
        ),
        "path_pair": np.array([number for number, *_ in listed], dtype=np.int32),
        "path_hops": np.array([len(path) for _, path, _ in listed], dtype=np.int32),
        "path_probability": floats([probability for *_, probability in listed]),
        "path_probability_exact": texts([probability for *_, probability in listed]),
        "path_channel": np.array([c for _, path, _ in listed for c in path], dtype=np.int32),
    }


def _proof_arrays(proofs: tuple[Proof, ...]) -> dict[str, Any]:
    last = proofs[-1]
    rows = np.array(last.sample_rows, dtype=np.int64).reshape(-1, 3)
    arrays: dict[str, Any] = {
        "load_row_number": -1 if last.load_row is None else last.load_row,
        "load_limit_exact": text(last.load_limit),
        "sample_row": rows[:, 0],
        "sample_row_sample": rows[:, 1],
        "sample_row_channel": rows[:, 2],
    }
    for proof in proofs:
        name = f"{proof.objective}_dual"
        if isinstance(proof.duals, RationalArray):
            arrays[name] = proof.duals.to_float()
            arrays[f"{name}_numerator"] = texts(str(n) for n in proof.duals.numerators.tolist())
            arrays[f"{name}_denominator"] = str(proof.duals.denominator)
        else:
            arrays[name] = proof.duals
    return arrays


def stored_duals(dataset: xr.Dataset, objective: str) -> RationalArray | Any | None:
    """Return the duals of a design store: exact ones, or floats; None where there are none."""
    name = f"{objective}_dual"
    if f"{name}_numerator" in dataset:
        numerators = np.array([int(n) for n in dataset[f"{name}_numerator"].values], dtype=object)
        return RationalArray(numerators, int(dataset[f"{name}_denominator"].item()))
    return dataset[name].values if name in dataset else None
