"""Is there a routing of one path for each pair with at most a load? All are tried, if few.

Pairs get their paths one after the other, and a choice is given up as soon as a permutation of the
pairs that have theirs loads a channel too much: every further pair only adds to it. The pairs of
one permutation that go farthest are first: all channels together have room for so many hops, so
that their detours are few. Then comes whichever pair has the fewest paths left. What ends without
a routing is a proof that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.optimize import linear_sum_assignment

from obroute.deployment.restrictions import Restriction, all_hops
from obroute.deployment.ways import Ways
from obroute.network import Network, Path

Pair = tuple[int, int]
Paths = dict[Pair, Path]
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

    def fits(self, source: int, destination: int, path: Path) -> bool:
        """Say whether a pair can be led along a path; a step."""
        self.step()
        loaded = self.put(source, destination, path)
        self.take(source, destination, path)
        return loaded

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
    farthest = _farthest(network)
    chosen: Paths = {}

    def fewest(left: list[Pair], spare: float) -> tuple[Pair, list[Path]]:
        """Return the pair with the fewest paths that are left, and these."""
        best: tuple[Pair, list[Path]] | None = None
        for pair in [pair for pair in left if pair in farthest] or left:
            found: list[Path] = []
            for path in tried.candidates(*pair):
                if pair in farthest and len(path) - hops[pair] > spare:
                    break
                if tried.fits(*pair, path):
                    found.append(path)
                    if best is not None and len(found) == len(best[1]):
                        break
            if best is None or len(found) < len(best[1]):
                best = pair, found
            if len(found) < 2:
                break
        assert best is not None
        return best

    def choose(left: list[Pair], spare: float) -> bool:
        """Lead the pairs that are left; the farthest with so many hops of detours in all."""
        if not left:
            return True
        pair, paths = fewest(left, spare)
        rest = [other for other in left if other != pair]
        for path in paths:
            tried.put(*pair, path)
            chosen[pair] = path
            further = len(path) - hops[pair] if pair in farthest else 0
            if choose(rest, spare - further):
                return True
            tried.take(*pair, path)
        return False

    pairs = [
        (source, destination)
        for destination in network.destinations.tolist()
        for source in network.sources.tolist()
        if source != destination
    ]
    try:
        spare = sum(tried.room) - sum(hops[pair] for pair in farthest)
        return chosen if choose(pairs, spare) else False
    except (OutOfStepsError, RecursionError):
        return None


def _farthest(network: Network) -> set[Pair]:
    """Return the pairs of a permutation with the most hops in all."""
    hops = all_hops(network)[np.ix_(network.sources, network.destinations)]
    rows, columns = linear_sum_assignment(np.where(np.isfinite(hops), -hops, 0))
    ends = zip(network.sources[rows].tolist(), network.destinations[columns].tolist(), strict=True)
    return {(source, destination) for source, destination in ends if source != destination}
