"""The registered routings that a restriction allows on a network: where a search begins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from obroute.dependencies import Dependencies
from obroute.deployment.restrictions import Restriction, all_hops
from obroute.deployment.ways import Ways
from obroute.network import Network, Path
from obroute.routing import Routing, routings
from obroute.routing.path_table import PathTable
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.routing.weighted_hops import WeightedHops
from obroute.specs import InputError


def depends_on_known() -> Dependencies:
    """Return the modules of all registered routings: a search may begin with any."""
    return Dependencies(modules=tuple(dict.fromkeys(e.make.__module__ for e in routings)))


def known_routings(network: Network, restriction: Restriction) -> Iterator[tuple[str, Routing]]:
    """Yield the routings of the registry that obey a restriction, each with its name.

    Examples
    --------
    >>> from obroute import make_network
    >>> fabric = make_network("leafspine:leaves=4,hosts=4,spines=4")
    >>> [name for name, _ in known_routings(fabric, Restriction("destination"))]
    ['d_mod_k']
    """
    if restriction.kind == "wcmp" and restriction.virtual_channels is None:
        yield "ecmp:split=hops", ecmp_by_hops(network)
    for entry in routings:
        try:
            routing = routings.create(entry.name)
            if routing.designs:
                continue
            routing.check(network)
            paths = _single_paths(network, routing, restriction)
        except InputError:
            continue  # needs a parameter, or is not defined here
        if paths is None:
            continue
        found = as_restricted(network, restriction, paths, routing.name)
        if found is not None:
            yield routing.name, found


def as_restricted(
    network: Network, restriction: Restriction, paths: dict[tuple[int, int], Path], name: str
) -> Routing | None:
    """Return a routing of single paths in the restriction's own form; None if it is no such."""
    if not restriction.by_destination:
        return PathTable(name, {pair: {path: Fraction(1)} for pair, path in paths.items()})
    weights: dict[int, dict[int, int]] = {d: {} for d in network.destinations.tolist()}
    onwards: dict[tuple[int, int], int] = {}
    for (_, destination), path in paths.items():
        for channel in path:
            weights[destination][channel] = 1
            at = int(network.tail[channel]), destination
            if onwards.setdefault(at, channel) != channel:
                return None
    return WeightedHops(name, weights)


def _single_paths(
    network: Network, routing: Routing, restriction: Restriction
) -> dict[tuple[int, int], Path] | None:
    """Return the path of each pair, None where there are several or one is not allowed."""
    ways = Ways(network, restriction)
    found = {}
    for source in network.sources.tolist():
        for destination in network.destinations.tolist():
            if source == destination:
                continue
            paths = list(islice(routing.paths(network, source, destination), 2))
            if len(paths) > 1 or not ways.allows(source, paths[0][1]):
                return None
            found[source, destination] = paths[0][1]
    return found


def ecmp_by_hops(network: Network) -> WeightedHops:
    """Return ECMP that splits equally at every hop, as weights.

    Examples
    --------
    >>> from obroute import evaluate, make_network
    >>> ring = make_network("ring:4")
    >>> evaluate(ring, ecmp_by_hops(ring)).worst_case_load
    Fraction(1, 1)
    """
    EqualCostMultipath("hops").check(network)
    hops = all_hops(network)
    tail, head = network.tail, network.head
    weights = {
        destination: {
            channel: 1
            for channel in range(network.channel_count)
            if hops[tail[channel], destination] == hops[head[channel], destination] + 1
        }
        for destination in network.destinations.tolist()
    }
    return WeightedHops("ecmp:split=hops", weights)
