"""A design in words and as JSON, each value with what is proved of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from obroute.decimals import no_less_than, no_more_than
from obroute.design import Design
from obroute.kinds.answers import Shown
from obroute.kinds.shown import exact_json, in_short
from obroute.rational import exactly

if TYPE_CHECKING:
    from obroute.experiments.design.store import Designed


def as_json(answer: Designed) -> dict[str, Any]:
    """Return a design for programs; keys are the names of the arrays of its store."""
    found = answer.design
    network = found.problem.network
    shortest = network.mean_shortest_path_length()
    least, at_limit = found.least_path_length, found.least_path_length_at_limit
    result: dict[str, Any] = {
        "network": network.name,
        "routing": found.routing.name,
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "scope": found.scope.to_dict(),
        "proved": {
            "load": None if found.load is None else found.scope.of_load,
            "path_length": None if least is None else found.scope.of_length,
        },
        **exact_json("routing_load", found.routing_load),
        **exact_json("load_lower", None if found.load is None else found.load.lower),
        **exact_json("load_upper", None if found.load is None else found.load.upper),
        "exact": found.least_proved,
        **exact_json("capacity_load", found.capacity_load),
        **exact_json("fraction_of_capacity", found.fraction_of_capacity),
        **exact_json("mean_path_length", found.path_length),
        **exact_json("normalized_path_length", found.normalized_path_length),
        **exact_json(
            "normalized_path_length_lower", None if least is None else least.lower / shortest
        ),
        **exact_json(
            "normalized_path_length_lower_at_limit",
            None if at_limit is None else at_limit / shortest,
        ),
        "rows": found.rows,
        "columns": found.columns,
        "nonzeros": found.nonzeros,
        "symmetry": found.symmetry,
        "solver": found.solver,
        "seconds": round(found.seconds, 3),
    }
    if answer.judged is not None:
        result["sample"] = {
            where: {
                "matrices": len(average.loads),
                "throughput": average.throughput,
                "standard_error": average.standard_error,
                "inverse_of_mean_load": average.approximate_throughput,
            }
            for where, average in vars(answer.judged).items()
        }
    return result


def shown(answer: Designed) -> Iterator[Shown]:
    """Yield the load and the path length, each with what is proved of it."""
    found = answer.design
    rows = [
        ("load", _load(found)),
        _throughput_row(found),
        ("path length over shortest", _path_length(found)),
        (
            "linear program",
            f"{found.rows} rows, {found.columns} columns, {found.nonzeros} non-zeros "
            f"({found.symmetry} symmetry)",
        ),
        ("solver", f"{found.solver}, {found.seconds:.2f} s in all"),
    ]
    if answer.judged is not None:
        capacity = float(found.capacity_load or 1)
        rows += [
            (
                where.replace("_", " "),
                f"{average.throughput * capacity:.4f} ± {average.standard_error * capacity:.4f} "
                f"of capacity over {len(average.loads)} matrices (1 / mean load: "
                f"{average.approximate_throughput * capacity:.4f})",
            )
            for where, average in vars(answer.judged).items()
        ]
    yield Shown(f"{found.routing.name} on {found.problem.network.name}", rows)


def _load(found: Design) -> str:
    load = found.load
    if load is None:
        proved = f"at most {in_short(found.problem.load or found.routing_load)} was asked for"
    elif found.least_proved:
        proved = f"proved: {found.scope.of_load}"
    else:
        proved = (
            f"proved: {found.scope.of_load_below(no_more_than(load.lower, 12))}; one has "
            f"{no_less_than(load.upper, 12)}"
        )
    return f"{in_short(found.routing_load)}; {proved}"


def _path_length(found: Design) -> str:
    least, at_limit = found.least_path_length, found.least_path_length_at_limit
    length = exactly(found.normalized_path_length)
    if least is None:
        return length
    if least.exact:
        return f"{length}; proved: {found.scope.of_length}"
    length += (
        f", at most {no_less_than(100 * least.relative_width, 3)} % above the shortest; proved: "
        f"{found.scope.of_length} by more"
    )
    if at_limit is not None:
        shortest = found.problem.network.mean_shortest_path_length()
        length += f"; at the load to be kept at least {no_more_than(at_limit / shortest, 9)}"
    return length


def _throughput_row(found: Design) -> tuple[str, str]:
    """Say what the load leaves: a throughput, or of demands the factor that they can grow by."""
    problem, fraction = found.problem, found.fraction_of_capacity
    if not found.routing_load:
        return "throughput", "unbounded: what it is designed for loads no channel"
    given = problem.demands if problem.objective == "capacity" else None
    if given is not None and not given.is_uniform and not given.fills_terminals:
        return "scaling factor", f"{in_short(1 / found.routing_load)} of the demands"
    return (
        "throughput",
        f"{float(1 / found.routing_load):.6g} of injection bandwidth"
        + ("" if fraction is None else f", {in_short(fraction)} of capacity"),
    )
