"""Is there a routing of one path for each pair with at most a load? All are tried, if few.

Pairs get their paths one after the other, and a choice is given up as soon as a permutation of the
pairs that have theirs loads a channel too much: every further pair only adds to it. What ends
without a routing is a proof that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from obroute.deployment.restrictions import Restriction, all_hops
from obroute.deployment.ways import Ways
from obroute.network import Network, Path

Paths = dict[tuple[int, int], Path]
"""A path for each source and destination (nodes)."""


class OutOfStepsError(Exception):
    """More choices than were allowed."""


class _Tried:
    """The choices so far: a matching of the pairs on each channel, and next hops if need be."""

    def __init__(
        self, network: Network, restriction: Restriction, load: Fraction, steps: int
    ) -> None:
        self.network, self.steps = network, steps
        self.ways = Ways(network, restriction)
        self.by_destination = restriction.by_destination
        unit = network.injection.fraction(0)
        self.room = [math.floor(load * b / unit) for b in network.bandwidth.fractions()]
        self.on: list[dict[int, set[int]]] = [{} for _ in self.room]
        """Of each channel: the destinations of each source whose pairs are on it."""
        self.next: dict[tuple[int, int], list[int]] = {}
        self.known: dict[tuple[int, int], list[Path]] = {}

    def step(self) -> None:
        """Count a step.

        Raises
        ------
        OutOfStepsError
            If there were as many as are allowed.
        """
        self.steps -= 1
        if self.steps < 0:
            raise OutOfStepsError

    def simple_paths(self, source: int, destination: int) -> list[Path]:
        """Return the allowed paths of a pair, the shortest first; each is a step when found."""
        if (source, destination) not in self.known:
            found = []
            for path in self.ways.simple_paths(source, destination):
                self.step()
                found.append(path)
            self.known[source, destination] = sorted(found, key=len)
        return self.known[source, destination]

    def heaviest(self, channel: int) -> int:
        """Return the pairs of the largest matching of those on a channel."""
        of: dict[int, int] = {}

        def augment(source: int, seen: set[int]) -> bool:
            for destination in self.on[channel][source]:
                if destination not in seen:
                    seen.add(destination)
                    if destination not in of or augment(of[destination], seen):
                        of[destination] = source
                        return True
            return False

        return sum(augment(source, set()) for source in self.on[channel])

    def candidates(self, source: int, destination: int) -> Iterator[Path]:
        """Yield the paths that agree with the next hops chosen so far, the shortest first."""
        for path in self.simple_paths(source, destination):
            if not self.by_destination or all(
                self.next.get((int(self.network.tail[c]), destination), [c])[-1] == c for c in path
            ):
                yield path

    def put(self, source: int, destination: int, path: Path) -> bool:
        """Lead a pair along a path; say whether no channel is loaded too much."""
        for channel in path:
            self.on[channel].setdefault(source, set()).add(destination)
            self.next.setdefault((int(self.network.tail[channel]), destination), []).append(
                channel
            )
        return all(self.heaviest(channel) <= self.room[channel] for channel in path)

    def take(self, source: int, destination: int, path: Path) -> None:
        """Undo it."""
        for channel in path:
            self.on[channel][source].remove(destination)
            if not self.on[channel][source]:
                del self.on[channel][source]
            hops = self.next[int(self.network.tail[channel]), destination]
            hops.pop()
            if not hops:
                del self.next[int(self.network.tail[channel]), destination]


def try_all(
    network: Network, restriction: Restriction, load: Fraction, steps: int
) -> Paths | bool | None:
    """Look for a routing of one path for each pair with at most a load.

    Parameters
    ----------
    network
        One whose terminals all inject and eject the same.
    restriction
        One of single paths.
    load
        The load.
    steps
        Paths to find and choices of one to make, at the most.

    Returns
    -------
    dict, False or None
        Such paths; False where it is proved that there are none; None where the steps ended.

    Examples
    --------
    >>> from obroute import make_network
    >>> ring = make_network("ring:5")
    >>> try_all(ring, Restriction("single_path"), Fraction(1), 10_000)
    False
    """
    tried = _Tried(network, restriction, load, steps)
    hops = all_hops(network)
    pairs = [
        (source, destination)
        for destination in network.destinations.tolist()
        for source in network.sources.tolist()
        if source != destination
    ]
    if not restriction.by_destination:
        pairs.sort(key=lambda pair: -hops[pair])
    chosen: Paths = {}

    def choose(place: int) -> bool:
        if place == len(pairs):
            return True
        for path in tried.candidates(*pairs[place]):
            tried.step()
            if tried.put(*pairs[place], path):
                chosen[pairs[place]] = path
                if choose(place + 1):
                    return True
            tried.take(*pairs[place], path)
        return False

    try:
        return chosen if choose(0) else False
    except (OutOfStepsError, RecursionError):
        return None
