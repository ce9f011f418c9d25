"""A routing given by its paths, held in arrays: which pair, which channels, how probable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.contract import BYTES_A_LISTED_LOAD, PathBatch, Routing
from obroute.routing.listed_loads import ListedLoads
from obroute.routing.ranges import ranges
from obroute.specs import InputError

Distribution = Mapping[Path, Fraction]


@dataclass(frozen=True, eq=False)
class ListedPaths:
    """Paths in any order: the ends of each (nodes), its probability, and its channels."""

    sources: IntArray
    destinations: IntArray
    probabilities: Quotients
    batch: PathBatch

    @classmethod
    def of(cls, distributions: Mapping[tuple[int, int], Distribution]) -> ListedPaths:
        """List the paths of every pair, those of probability zero left out."""
        listed = [
            (source, destination, probability, path)
            for (source, destination), distribution in distributions.items()
            for path, probability in distribution.items()
            if probability
        ]
        sources, destinations, probabilities, paths = (
            zip(*listed, strict=True) if listed else ((), (), (), ())
        )
        return cls(
            np.array(sources, dtype=np.int64),
            np.array(destinations, dtype=np.int64),
            Quotients.from_fractions(probabilities),
            PathBatch.of(paths),
        )


class PathTable(Routing):
    """A routing given by the path distribution of every pair.

    Parameters
    ----------
    name
        What to call it.
    paths
        Path probabilities of each (source node, destination node), or all paths in arrays; the
        probabilities of a pair sum to one.
    """

    def __init__(
        self, name: str, paths: Mapping[tuple[int, int], Distribution] | ListedPaths
    ) -> None:
        super().__init__()
        self.name = name
        self.listed = paths if isinstance(paths, ListedPaths) else ListedPaths.of(paths)

    def check(self, network: Network) -> None:
        """Raise unless every pair has a distribution over its own paths."""
        self._by_pair(network)

    def _by_pair(self, network: Network) -> _ByPair:
        return self.remember(network, "by pair", lambda: _ByPair(self.name, network, self.listed))

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the listed paths; the empty path from a node to itself where none is listed."""
        return self._by_pair(network).paths(network, source, destination)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of every channel by the paths of the given pairs."""
        pairs = pairs_of(network, np.asarray(sources), np.asarray(destinations))
        loads = self._by_pair(network).loads_of(pairs)
        return matrix_of_quotients(*loads, (len(pairs), network.channel_count))

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the loads of a channel."""
        return self.rounded_loads(network).exact(channel)

    def rounded_loads(self, network: Network) -> ListedLoads:
        """Return the loads of all channels, sorted by channel."""

        def add() -> ListedLoads:
            pairs = len(network.sources) * len(network.destinations)
            pair, channel, shares = self._by_pair(network).loads_of(np.arange(pairs))
            loads = matrix_of_quotients(channel, pair, shares, (network.channel_count, pairs))
            return ListedLoads(network, loads, self.most_crossings(network))

        return self.remember(network, "rounded", add)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what the list takes."""
        return loads * BYTES_A_LISTED_LOAD

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops of the listed paths."""
        listed = self._by_pair(network)
        rows, columns = np.divmod(listed.pair, len(network.destinations))
        sent, shares = network.uniform_weight()
        hops = listed.probabilities.times(RationalArray(listed.lengths, 1))
        weighted = hops.times(sent.take(rows)).times(shares.take(columns))
        return weighted.sum() / network.total_injection

    def most_crossings(self, network: Network) -> int:
        """Return how often a listed path crosses one of its channels at the most."""
        batch = self.listed.batch
        owner = np.repeat(np.arange(len(batch)), batch.lengths)
        _, counts = np.unique(owner * network.channel_count + batch.channels, return_counts=True)
        return int(counts.max(initial=1))

    def longest_path(self, network: Network) -> int | None:
        """Return the hops of the longest listed path."""
        return int(self.listed.batch.lengths.max(initial=0))


class _ByPair:
    """The paths between terminals, in order of their pairs, checked."""

    def __init__(self, name: str, network: Network, listed: ListedPaths) -> None:
        pair = pairs_of(network, listed.sources, listed.destinations)
        order = np.argsort(pair, kind="stable")
        order = order[pair[order] >= 0]
        batch = listed.batch
        self.pair = pair[order]
        self.probabilities = listed.probabilities.take(order)
        self.lengths = batch.lengths[order]
        self.ends = np.cumsum(self.lengths)
        _, hops = ranges(batch.starts[order], self.lengths)
        self.channels = batch.channels[hops]
        count = len(network.sources) * len(network.destinations)
        self.starts = np.searchsorted(self.pair, np.arange(count + 1))
        self._check_probabilities(name, network, count)
        self._check_paths(name, network)

    def _check_probabilities(self, name: str, network: Network, count: int) -> None:
        negative = np.flatnonzero(self.probabilities.upper < 0)
        if negative.size:
            place = int(negative[0])
            raise InputError(
                f"{name}: probability {self.probabilities.fraction(place)} "
                f"{_between(network, int(self.pair[place]))} is negative"
            )
        missing = np.diff(self.starts) == 0
        rows, columns = np.divmod(np.flatnonzero(missing), len(network.destinations))
        missing[missing] = network.sources[rows] != network.destinations[columns]
        if missing.any():
            ends = _between(network, int(np.argmax(missing)))
            raise InputError(f"{name} has no path {ends}; list at least one for every pair")
        sums = matrix_of_quotients(self.pair, 0 * self.pair, self.probabilities, (count, 1))
        values = sums.values
        if isinstance(values, Quotients):
            wrong = values.upper != values.lower
        else:
            wrong = values.numerators != values.denominator
        if wrong.any():
            place = int(np.argmax(wrong))
            raise InputError(
                f"{name}: the probabilities {_between(network, int(sums.rows[place]))} sum to "
                f"{values.fraction(place)}; expected 1 exactly (write thirds as 1/3)"
            )

    def _check_paths(self, name: str, network: Network) -> None:
        """Check that paths are connected, and lead from the source to the destination."""
        rows, columns = np.divmod(self.pair, len(network.destinations))
        sources, destinations = network.sources[rows], network.destinations[columns]
        begins, somewhere = self.ends - self.lengths, self.lengths > 0
        first, last = self.channels[begins[somewhere]], self.channels[self.ends[somewhere] - 1]
        wrong = sources != destinations
        wrong[somewhere] = network.tail[first] != sources[somewhere]
        wrong[somewhere] |= network.head[last] != destinations[somewhere]
        apart = network.head[self.channels[:-1]] != network.tail[self.channels[1:]]
        apart[self.ends[somewhere][:-1] - 1] = False
        wrong[np.searchsorted(self.ends, np.flatnonzero(apart), side="right")] = True
        if wrong.any():
            place = int(np.argmax(wrong))
            path = tuple(self.channels[begins[place] : self.ends[place]].tolist())
            ends = _between(network, int(self.pair[place]))
            if network.path_nodes(int(sources[place]), path)[-1] != destinations[place]:
                raise InputError(f"{name}: a path {ends} ends at another node")

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of a pair."""
        (pair,) = pairs_of(network, np.array([source]), np.array([destination])).tolist()
        first, last = (self.starts[pair], self.starts[pair + 1]) if pair >= 0 else (0, 0)
        if first == last and source == destination:
            yield Fraction(1), ()
        for place in range(int(first), int(last)):
            begin = int(self.ends[place] - self.lengths[place])
            path = self.channels[begin : int(self.ends[place])]
            yield self.probabilities.fraction(place), tuple(path.tolist())

    def loads_of(self, pairs: IntArray) -> tuple[IntArray, IntArray, Quotients]:
        """Return for each hop of each path of given pairs which of them, the channel and share."""
        counts = (self.starts[pairs + 1] - self.starts[pairs]) * (pairs >= 0)
        which, paths = ranges(self.starts[np.maximum(pairs, 0)], counts)
        path, hops = ranges((self.ends - self.lengths)[paths], self.lengths[paths])
        channels = self.channels[hops].astype(np.int64)
        return which[path], channels, self.probabilities.take(paths[path])


def pairs_of(network: Network, sources: IntArray, destinations: IntArray) -> IntArray:
    """Return the pair of each source and destination, -1 where one is none."""
    rows, columns = network.source_index[sources], network.destination_index[destinations]
    pairs = rows * len(network.destinations) + columns
    return np.where((rows >= 0) & (columns >= 0), pairs, -1)


def _between(network: Network, pair: int) -> str:
    row, column = divmod(pair, len(network.destinations))
    source, destination = int(network.sources[row]), int(network.destinations[column])
    return f"from node {network.describe(source)} to node {network.describe(destination)}"
