"""With how many virtual channels a routing is proved to be free of deadlock."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from obroute.deadlock.paths import PathSet
from obroute.deadlock.verdict import check_deadlock
from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.symmetry import canonical_sources

MOST_PATHS_WALKED = 50_000
"""Of all pairs: up to which virtual channels are counted."""
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
    if routing.designs or _has_more_paths(network, routing, MOST_PATHS_WALKED):
        return None
    try:
        paths = PathSet.of_routing(network, routing)
        verdict = check_deadlock(network, paths, MOST_VIRTUAL_CHANNELS)
    except InputError:
        return None
    return verdict.virtual_channels_needed if verdict.deadlock_free else None


def _has_more_paths(network: Network, routing: Routing, most: int) -> bool:
    """Whether all pairs have more paths than that, or would if each had as many as one far apart.

    Paths are listed one by one, and no more than those: a single pair may have billions.
    """
    sources, destinations = network.sources.tolist(), network.destinations.tolist()
    each = most // (len(sources) * len(destinations))
    farthest = network.destinations[np.argmax(network.distances[0][network.destinations])]
    if _listed(routing.paths(network, sources[0], int(farthest)), each + 1) > each:
        return True
    if routing.has_one_path:
        return False
    left = most
    for source in canonical_sources(network, routing.symmetries(network)).nodes.tolist():
        for destination in destinations:
            if source != destination:
                left -= _listed(routing.paths(network, source, destination), left + 1)
            if left < 0:
                return True
    return False


def _listed(paths: Iterable[object], most: int) -> int:
    return sum(1 for _ in islice(paths, most))
