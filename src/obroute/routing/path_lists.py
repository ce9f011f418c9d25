"""Every path of a routing, pair by pair, where they are few enough to be listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from obroute.network import Network, Path
from obroute.routing.contract import MOST_PATHS, Routing, path_distribution

MOST_LISTED = 20_000_000
"""Paths of all pairs together that are listed, one pair after the other."""


def path_distributions(
    routing: Routing,
    network: Network,
    pairs: Iterable[tuple[int, int]],
    most: int = MOST_LISTED,
) -> Iterator[tuple[int, int, dict[Path, Fraction]]]:
    """Yield source, destination and distribution over paths of one pair after the other.

    Raises
    ------
    InputError
        If a pair has more than a million paths, or all pairs together more than ``most``, as soon
        as so many are listed.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus, ecmp = make_network("torus:4x4"), make_routing("ecmp")
    >>> [len(paths) for *_, paths in path_distributions(ecmp, torus, [(0, 1), (0, 5), (0, 10)])]
    [1, 2, 24]
    """
    left = most
    for source, destination in pairs:
        found = path_distribution(routing, network, source, destination, min(left, MOST_PATHS))
        left -= len(found)
        yield source, destination, found


def pairs_of(network: Network) -> Iterator[tuple[int, int]]:
    """Yield every pair of two terminals, by source."""
    for source in network.sources.tolist():
        for destination in network.destinations.tolist():
            if source != destination:
                yield source, destination
