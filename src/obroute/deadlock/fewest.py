"""With how many virtual channels a routing is proved to be free of deadlock."""

from __future__ import annotations

from itertools import islice

import numpy as np

from obroute.deadlock.paths import PathSet
from obroute.deadlock.verdict import check_deadlock
from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import InputError

MOST_PATHS_WALKED = 50_000
"""Of all pairs, if each had as many as the farthest: up to which virtual channels are counted."""
MOST_VIRTUAL_CHANNELS = 8


def virtual_channels_needed(network: Network, routing: Routing) -> int | None:
    """Return with how many virtual channels a routing is proved to be free of deadlock.

    Returns
    -------
    int | None
        None where the network or the routing has too many paths to walk, or none of the schemes
        that are tried has a proof within :data:`MOST_VIRTUAL_CHANNELS`.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> virtual_channels_needed(make_network("mesh:3x3"), make_routing("dor"))
    1
    """
    if routing.designs or _paths(network, routing) > MOST_PATHS_WALKED:
        return None
    try:
        paths = PathSet.of_routing(network, routing)
        verdict = check_deadlock(network, paths, MOST_VIRTUAL_CHANNELS)
    except InputError:
        return None
    return verdict.virtual_channels_needed if verdict.deadlock_free else None


def _paths(network: Network, routing: Routing) -> int:
    """Count the paths of all pairs, if each has as many as one of the farthest; at least that."""
    pairs = len(network.sources) * len(network.destinations)
    farthest = network.destinations[np.argmax(network.distances[0][network.destinations])]
    most = MOST_PATHS_WALKED // pairs + 1
    paths = routing.paths(network, int(network.sources[0]), int(farthest))
    return pairs * sum(1 for _ in islice(paths, most))
