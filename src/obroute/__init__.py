"""obroute: the exact worst case of oblivious routing on any interconnection network.

In a few lines::

    import obroute

    found = obroute.evaluate("torus:9x9", "romm", patterns=["tornado"])
    found.worst_case_load  # Fraction(32, 5), proved
    study = obroute.compare(["torus:8x8", "torus:9x9"], ["dor", "romm", "valiant"])
    study.fraction_of_capacity  # an xarray DataArray, network × routing

Units: loads are packets per cycle over channel bandwidth, throughput is a fraction of injection
bandwidth, path lengths are hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import xarray as xr

from obroute.importers import make_network
from obroute.kinds.stores import dataset_of, gathered, read_store, write_store
from obroute.network import Network
from obroute.routing import Routing, routings
from obroute.specs import InputError, TaskError
from obroute.throughput import Evaluation
from obroute.throughput import evaluate as evaluate_objects
from obroute.traffic import Pattern, make_pattern

__version__ = version("obroute")

make_routing = routings.create


def evaluate(
    network: str | Network,
    routing: str | Routing,
    patterns: Sequence[str | Pattern] = (),
    **settings: Any,
) -> Evaluation:
    """Evaluate a routing on a network, each given by name or as an object.

    ``settings`` are those of :func:`obroute.throughput.evaluate`.

    Examples
    --------
    >>> found = evaluate("torus:9x9", "romm", ["tornado"])
    >>> found.worst_case_load, found.certified
    (Fraction(32, 5), True)
    >>> float(found.fraction_of_capacity(found.worst_case_load))
    0.1736111111111111
    """
    return evaluate_objects(
        make_network(network) if isinstance(network, str) else network,
        make_routing(routing) if isinstance(routing, str) else routing,
        [make_pattern(p) if isinstance(p, str) else p for p in patterns],
        **settings,
    )


def compare(
    networks: Sequence[str | Network],
    routings: Sequence[str | Routing],
    patterns: Sequence[str | Pattern] = (),
    **settings: Any,
) -> xr.Dataset:
    """Evaluate every routing on every network into one dataset, as a study's sweep does.

    Examples
    --------
    >>> study = compare(["torus:4x4", "torus:5x5"], ["dor", "valiant"])
    >>> study.worst_case_load_exact.sel(network="torus:5x5").values.tolist()
    ['2', '6/5']
    """
    cells = {}
    for network in networks:
        for routing in routings:
            found = evaluate(network, routing, patterns, **settings)
            name = f"{found.network.name} {found.routing.name}"
            cells[name] = dataset_of("evaluation", found)
    return gathered("evaluation", cells)


__all__ = [
    "Evaluation",
    "InputError",
    "Network",
    "Routing",
    "TaskError",
    "__version__",
    "compare",
    "evaluate",
    "make_network",
    "make_pattern",
    "make_routing",
    "read_store",
    "write_store",
]
