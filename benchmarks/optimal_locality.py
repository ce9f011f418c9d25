"""Time the shortest routing of the best worst case on tori, step by step.

    python benchmarks/optimal_locality.py [NETWORK ...]

Prints the exact value, or the interval that is proved, and processor seconds: in all, of them the
solver, the exact optimum, and what is checked of it. A small design goes first, so that compiled
code is loaded. Without networks: the k-ary 2-cubes of 16 and 24; 32 takes some minutes.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from obroute import make_network
from obroute.design import design
from obroute.design.proofs import RoutingCheck
from obroute.design.solver import Model

NETWORKS = ["torus:16x16", "torus:24x24"]

spent: dict[str, float] = {}


def timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Add the processor seconds of every call of a function up under a name."""

    @wraps(work)
    def call(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return work(*given, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + time.process_time() - start

    return call


def main(names: list[str]) -> None:
    """Print one line a network."""
    Model.solve = timed("solver", Model.solve)  # type: ignore[method-assign]
    proofs, solving, task = (
        import_module(f"obroute.design.{name}") for name in ("proofs", "solving", "task")
    )
    solving.near_by_proximal_steps = timed("solver", solving.near_by_proximal_steps)
    for module in (solving, task):
        module.exact_optimum = timed("exact", module.exact_optimum)
    for module in (proofs, solving):
        module.expanded_bound = timed("checks", module.expanded_bound)
    RoutingCheck.of = timed("checks", RoutingCheck.of)  # type: ignore[method-assign]
    RoutingCheck.values = timed("checks", RoutingCheck.values)  # type: ignore[method-assign]
    design(make_network("torus:10x10"), then="locality")
    for name in names:
        spent.clear()
        network = make_network(name)
        start = time.process_time()
        found = design(network, then="locality")
        total = time.process_time() - start
        assert found.load is not None
        assert found.least_path_length is not None
        bounds = found.least_path_length
        shortest = network.mean_shortest_path_length()
        value = (
            f"{bounds.upper / shortest} = {float(bounds.upper / shortest):.6f}"
            if bounds.exact and found.load.exact
            else f"[{float(bounds.lower / shortest)!r}, {float(bounds.upper / shortest)!r}] "
            f"at a load of {float(found.routing_load)!r}"
        )
        parts = ", ".join(f"{part} {seconds:.2f}" for part, seconds in spent.items())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{name}: {value}; {total:.2f} s ({parts}); {memory:.2f} GB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or NETWORKS)
