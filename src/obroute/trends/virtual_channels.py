"""With how many virtual channels the routings of a study are free of deadlock."""

from __future__ import annotations

from functools import cache

from obroute.deadlock import PathSet, check_deadlock
from obroute.network import Network
from obroute.routing import routings
from obroute.routing.designed import RoutingByNetwork
from obroute.specs import InputError
from obroute.topologies.registry import networks

SCHEME = "phases"
"""How virtual channels are numbered: a set for each phase, and datelines in a set."""


@cache
def judged_paths(network: str, routing: str) -> tuple[int, int] | None:
    """Return with how many virtual channels a routing is free of deadlock, and its paths.

    By turns and datelines; None where that proves nothing, and of designed routings, but for
    ``2turn``: every path of at most two turns, whatever weights a design gives them.

    >>> judged_paths("torus:5x5", "dor"), judged_paths("torus:5x5", "ival")
    ((2, 600), (4, 5200))
    """
    made = networks.create(network)
    try:
        paths = PathSet.two_turn(made) if routing == "2turn" else _plain_paths(made, routing)
        found = None if paths is None else check_deadlock(made, paths, 1, SCHEME)
    except InputError:
        return None
    if paths is None or found is None or found.virtual_channels_needed is None:
        return None
    return found.virtual_channels_needed, len(paths)


def _plain_paths(network: Network, routing: str) -> PathSet | None:
    made = routings.create(routing)
    return None if isinstance(made, RoutingByNetwork) else PathSet.of_routing(network, made)
