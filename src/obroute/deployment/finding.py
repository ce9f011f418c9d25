"""A good routing of a restriction: known ones first, then local search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from obroute.deployment.images import Images
from obroute.deployment.known import ecmp_by_hops, known_routings
from obroute.deployment.next_hops import NextHops
from obroute.deployment.restrictions import Restriction
from obroute.deployment.search import Search
from obroute.deployment.single_paths import SinglePaths
from obroute.network import Network
from obroute.routing import Routing
from obroute.worst_cases import worst_cases

RUNS = 4
"""Searches among symmetric routings, each from another beginning."""


@dataclass(frozen=True, eq=False)
class Found:
    """A routing, its worst-case load (exact), and where it comes from."""

    routing: Routing
    load: Fraction
    origin: str


def find_routing(
    network: Network,
    restriction: Restriction,
    *,
    moves: int,
    seed: int = 0,
    enough: Fraction = Fraction(0),
    name: str = "",
) -> Found:
    """Return a routing of a restriction with a small worst-case load.

    Parameters
    ----------
    network, restriction
        Of what.
    moves
        Moves of local search; a part from each beginning.
    seed
        Of its draws.
    enough
        A load below which there is none: who has it is done.
    name
        What to call the routing.

    Raises
    ------
    InputError
        If no routing obeys the restriction on the network.

    Examples
    --------
    >>> from obroute import make_network
    >>> found = find_routing(make_network("ring:5"), Restriction("single_path"), moves=20)
    >>> str(found.load), found.origin
    ('2', 'dor')
    """
    name = name or restriction.kind
    if restriction.kind == "ecmp":
        ecmp = ecmp_by_hops(network)
        ecmp.name = name
        return Found(ecmp, worst_cases(network, ecmp).load, "ecmp:split=hops")
    best: Found | None = None
    for found in _candidates(network, restriction, moves, seed, enough, name):
        if best is None or found.load < best.load:
            best = found
        if best.load <= enough:
            break
    assert best is not None
    if moves and best.load > enough:
        polished = _search(network, restriction, Images.identity(network), seed)
        polished.begin(best.routing)
        _, kept = polished.run(moves // 2, float(enough))
        routing = polished.routing(kept, name)
        load = worst_cases(network, routing).load
        if load < best.load:
            best = Found(routing, load, f"{best.origin}, then local search")
    best.routing.name = name
    return best


def _search(
    network: Network, restriction: Restriction, images: Images, seed: int
) -> Search[Any, Any]:
    kind: type[Search[Any, Any]] = NextHops if restriction.by_destination else SinglePaths
    return kind(network, restriction, images, seed)


def _candidates(
    network: Network, restriction: Restriction, moves: int, seed: int, enough: Fraction, name: str
) -> Iterator[Found]:
    """Yield known routings, and what is found from beginnings of their own."""
    known = []
    for origin, routing in known_routings(network, restriction):
        known.append(Found(routing, worst_cases(network, routing).load, origin))
        yield known[-1]
    images = Images.identity(network)
    if restriction.virtual_channels is None:  # the order of channels has no symmetry
        images = Images.free(network)
    begins: list[Routing | None] = [None] * RUNS
    if not images.is_trivial:  # what it is for one destination, carried to all others
        best = sorted(known, key=lambda found: found.load)
        begins[: RUNS // 2] = [found.routing for found in best[: RUNS // 2]]
    for run, begin in enumerate(begins):
        search = _search(network, restriction, images, seed + run)
        search.begin(begin)
        _, kept = search.run(moves // (2 * RUNS), float(enough))
        routing = search.routing(kept, name)
        words = "local search"
        if not images.is_trivial:
            words += f" among routings that {len(images.nodes)} symmetries keep"
        yield Found(routing, worst_cases(network, routing).load, words)
