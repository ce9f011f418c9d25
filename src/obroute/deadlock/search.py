"""Find virtual channels for any set of paths on any network.

An assignment is free of deadlock exactly if the pairs (channel, virtual channel) can be lined up
so that every path moves forwards. Read in that order, the channels are a word in which each occurs
as often as it has virtual channels, and of which every path is a subsequence. The search writes
such words from front to back, and follows those that dimension order suggests on a grid.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import count, product

import numpy as np
from numpy.typing import NDArray

from obroute.deadlock.paths import PathSet
from obroute.deadlock.schemes import Assignment, Hops, Scheme, schemes
from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing import PathBatch
from obroute.specs import InputError
from obroute.topologies.grid import STEP, Grid

MOST_HOPS = 50_000_000
"""Hops of all paths together up to which the search holds them, in about 32 bytes each."""


class _Walk:
    """All paths on their way, each waiting for its next channel.

    ``given``, ``waiting`` and ``later`` say of each channel how many virtual channels it was given
    so far, how many paths wait for it now, and how many hops of paths come to it later. No channel
    is given more than ``most``.
    """

    def __init__(
        self, channel_count: int, channels: NDArray[np.int32], lengths: IntArray, most: int
    ) -> None:
        self.channels, self.most = channels, most
        self.hops: Hops = np.zeros(len(channels), dtype=np.int32)
        self.ends = np.cumsum(lengths)
        self.place = self.ends - lengths
        self.queues: list[list[IntArray]] = [[] for _ in range(channel_count)]
        self.given = np.zeros(channel_count, dtype=np.int64)
        self.waiting = np.zeros(channel_count, dtype=np.int64)
        self.later = np.bincount(channels, minlength=channel_count).astype(np.int64)
        self._wait(np.flatnonzero(lengths))

    def _wait(self, paths: IntArray) -> None:
        wanted = self.channels[self.place[paths]]
        order = np.argsort(wanted, kind="stable")
        counts = np.bincount(wanted, minlength=len(self.given))
        self.waiting += counts
        self.later -= counts
        at = np.flatnonzero(counts)
        parts = np.split(paths[order], np.cumsum(counts[at])[:-1])
        for channel, part in zip(at.tolist(), parts, strict=True):
            self.queues[channel].append(part)

    def _give(self, channel: int) -> bool:
        """Give a channel its next virtual channel; all paths that wait for it take it."""
        if self.given[channel] == self.most:
            return False
        paths = np.concatenate(self.queues[channel])
        self.queues[channel] = []
        self.hops[self.place[paths]] = self.given[channel]
        self.given[channel] += 1
        self.waiting[channel] = 0
        self.place[paths] += 1
        onwards = paths[self.place[paths] < self.ends[paths]]
        if len(onwards):
            self._wait(onwards)
        return True

    def follow(self, word: Iterator[IntArray]) -> bool:
        """Give virtual channels in the order of an endless word, where a path waits for them.

        Say whether every path came to its end.
        """
        for channels in word:
            for channel in channels[self.waiting[channels] > 0].tolist():
                if not self._give(channel):
                    return False
            if not self.waiting.any():
                break
        return True

    def write(self, prefer: Preference) -> bool:
        """Give first to channels that no path comes to later, else as the preference says."""
        while True:
            wanted = np.flatnonzero(self.waiting)
            if not len(wanted):
                return True
            done = wanted[self.later[wanted] == 0]
            best = done[0] if len(done) else wanted[np.argmin(prefer(self)[wanted])]
            if not self._give(int(best)):
                return False


Rating = NDArray[np.float64]
Preference = Callable[[_Walk], Rating]
"""Rates each channel as the next to give a virtual channel to; the least is taken."""


def _evenly(walk: _Walk) -> Rating:
    share: Rating = walk.later / (walk.later + walk.waiting + 1.0)
    return walk.given + share


def _by_share(walk: _Walk) -> Rating:
    share: Rating = walk.later / (walk.waiting + 1e-9)
    return share + 1e-6 * walk.given


def _by_number(walk: _Walk) -> Rating:
    return walk.later + 1e-6 * walk.given.astype(np.float64)


def _by_benefit(walk: _Walk) -> Rating:
    benefit: Rating = walk.waiting / (walk.waiting.max() + 1.0)
    return walk.given - benefit


PREFERENCES: tuple[Preference, ...] = (_evenly, _by_share, _by_number, _by_benefit)


def _ascending(network: Network) -> Iterator[IntArray]:
    """Repeat all channels: each round takes every path one hop further, or more."""
    while True:
        yield np.arange(network.channel_count)


def _dimension_order(
    grid: Grid, order: Sequence[int], minimal: Container[int] = (), *, staggered: bool = True
) -> Iterator[IntArray]:
    """Repeat the dimensions in order, each as twice round its rings, one way and then the other.

    Staggered, every other round begins half a ring further on. In the dimensions ``minimal`` the
    second time round stops where runs of at most half a ring do, and longer ones go on in the next
    round: the second times of one round and the next then have no channel in common.
    """
    assert grid.coordinates is not None
    for number in count():
        for dimension in order:
            radix, wrap = grid.radices[dimension], grid.wraps[dimension]
            begin = radix // 2 if wrap and staggered and number % 2 else 0
            again = radix // 2 - 1 if dimension in minimal else radix
            for direction, step in enumerate(STEP):
                channels = grid.channel_at[dimension, direction]
                for hop in range(radix + wrap * again):
                    at = ((begin + hop) * step - direction) % radix
                    here = channels[grid.coordinates[:, dimension] == at]
                    yield here[here >= 0]


@schemes.register("found", "virtual channels that a search finds, on every network")
class Found(Scheme):
    """The fewest virtual channels that a search finds; no proof that fewer would not do.

    Every path waits for its next channel. A channel that no path comes to later is given its next
    virtual channel at once, and all paths waiting for it move on. Where there is none, the waits
    form a cycle, and one channel is given a virtual channel early; the paths that come to it later
    need another. Several preferences among the channels are tried, on the paths and on the paths
    read backwards; then all channels in rounds, which takes at most as many virtual channels as
    the longest path has hops; and on a grid rounds of dimension order, which take no more than
    ``phases``, with one dateline in a ring or with two half a ring apart.
    """

    name = "found"

    def virtual_channels(self, network: Network, batch: PathBatch) -> Hops:
        """Search for the paths of this batch alone."""
        every = np.arange(network.channel_count, dtype=np.int32)[np.newaxis]
        alone = PathSet(
            network, "batch", (batch,), ((None,) * len(batch),), np.zeros(1, int), every
        )
        return self.assign(alone).listed[0]

    def assign(self, paths: PathSet) -> Assignment:
        """Search, and return the assignment with the fewest virtual channels.

        Raises
        ------
        InputError
            If the paths are too many to hold.
        """
        if paths.hop_count > MOST_HOPS:
            raise InputError(
                f"{paths.name} on {paths.network.name} has {paths.hop_count} hops in "
                f"{len(paths)} paths; the search for virtual channels holds at most {MOST_HOPS}; "
                "take a scheme that is a rule, such as phases, or a smaller network"
            )
        batches = list(paths.batches())
        sizes = np.cumsum([len(batch.channels) for batch in batches])[:-1]
        channels = np.concatenate([batch.channels for batch in batches])
        lengths = np.concatenate([batch.lengths for batch in batches])
        return Assignment(paths, listed=np.split(_fewest(paths.network, channels, lengths), sizes))


def _fewest(network: Network, channels: NDArray[np.int32], lengths: IntArray) -> Hops:
    """Make one attempt after another, each given up where it would be no better than the best."""
    best: Hops = np.zeros(len(channels), dtype=np.int32)
    most = int(lengths.max(initial=0))
    for word in _words(network):
        if most:
            walk = _Walk(network.channel_count, channels, lengths, most)
            if walk.follow(word):
                best, most = walk.hops, int(walk.given.max()) - 1
    backwards = _reversed(channels, lengths)
    for preference, turned in product(PREFERENCES, (False, True)):
        if most:
            order = channels[backwards] if turned else channels
            walk = _Walk(network.channel_count, order, lengths, most)
            if walk.write(preference):
                last = (walk.given[channels] - 1).astype(np.int32)
                best = last - walk.hops[backwards] if turned else walk.hops
                most = int(walk.given.max()) - 1
    return best


def _words(network: Network) -> Iterator[Iterator[IntArray]]:
    yield _ascending(network)
    if isinstance(network, Grid):
        ascending = range(len(network.radices))
        yield _dimension_order(network, ascending, staggered=False)
        for order in (ascending, ascending[::-1]):
            yield _dimension_order(network, order)
            for long in (*order, None):
                yield _dimension_order(network, order, [d for d in order if d != long])


def _reversed(channels: NDArray[np.int32], lengths: IntArray) -> IntArray:
    """Return the places of the hops with every path read backwards."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return np.repeat(starts + ends - 1, lengths) - np.arange(len(channels))
