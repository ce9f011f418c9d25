"""Paths drawn at random in place of all that a routing may take."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from obroute.choices.sampling import SAMPLED_PAIRS, SampledPairs
from obroute.compiled import compiled
from obroute.dependencies import Dependencies
from obroute.loads import LARGEST_TENSOR
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import PathBatch, Routing
from obroute.routing.pair_orbits import (
    FromAllSources,
    FromCanonicalSources,
    LoadsByChannel,
    bytes_of_images,
    sources_of,
)
from obroute.specs import InputError
from obroute.symmetry import CanonicalSources

PAIR_CHOICES: tuple[SampledPairs, ...] = get_args(SampledPairs)
"""Draw the paths of the canonical sources and carry them to the others, or draw for all pairs."""

COUNTERS_A_CROSSING = 8
"""Crossings are counted in a dense array if it has at most so many places for each of them."""


class SampledRouting(Routing):
    """A routing estimated from a sample of paths (technical report, section 3.2).

    The pair loads are those of the sample: an estimate, never the exact routing. All paths of a
    network are drawn at once, ``paths_per_pair`` for each pair of a canonical source and a
    destination; pairs of other sources have the images of these. What is drawn independently is a
    *unit*: unit ``i · destinations + j`` are the paths from canonical source i to destination j.

    Parameters
    ----------
    routing
        The routing.
    paths_per_pair, seed
        How many paths, and the seed of the draws.
    pairs
        ``canonical``, or ``all`` to draw for every pair, as without symmetry.
    """

    def __init__(
        self, routing: Routing, paths_per_pair: int, seed: int, pairs: str = SAMPLED_PAIRS
    ) -> None:
        super().__init__()
        if pairs not in PAIR_CHOICES:
            raise InputError(f"unknown pairs '{pairs}'; expected {' or '.join(PAIR_CHOICES)}")
        self.routing, self.paths_per_pair, self.seed = routing, paths_per_pair, seed
        self.pairs = pairs
        self.name = f"{routing.name} (sample of {paths_per_pair} paths a pair, seed {seed})"

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return what the sampled routing depends on, and what samples it."""
        return super().depends_on() | self.routing.depends_on(network)

    def canonical(self, network: Network) -> CanonicalSources | None:
        """Return the sources whose paths are drawn; None where those of all are.

        Raises
        ------
        InputError
            If the automorphisms that carry them to all sources are too large for memory.
        """
        symmetries = self.routing.symmetries(network) if self.pairs == "canonical" else {}
        if not symmetries:
            return None
        if bytes_of_images(network) > 4 * LARGEST_TENSOR:
            raise InputError(
                f"{network.name} is too large for sampled paths: the automorphisms to its "
                f"{len(network.sources)} sources would take more than "
                f"{4 * LARGEST_TENSOR / 1e9:.0f} GB; sample a smaller network"
            )
        return sources_of(self.routing, network, symmetries)

    def drawn_sources(self, network: Network) -> IntArray:
        """Return the source nodes whose paths are drawn."""
        canonical = self.canonical(network)
        return network.sources if canonical is None else canonical.nodes

    def drawn_paths(self, network: Network) -> int:
        """Return how many paths a sample has."""
        units = len(self.drawn_sources(network)) * len(network.destinations)
        return units * self.paths_per_pair

    def check(self, network: Network) -> None:
        """Raise where the sampled routing is not defined, or the sample would not fit."""
        self.routing.check(network)
        count = self.drawn_paths(network)
        if count > LARGEST_TENSOR:
            raise InputError(
                f"{self.paths_per_pair} paths for each pair of {network.name} are {count} paths; "
                f"expected at most {LARGEST_TENSOR}: sample fewer paths a pair"
            )

    def units(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> IntArray:
        """Return the unit of each pair of nodes."""
        places = network.source_index[np.asarray(sources, dtype=np.int64)]
        ends = np.asarray(destinations, dtype=np.int64)
        canonical = self.canonical(network)
        if canonical is not None:
            ends = self._node_frame(network, canonical)[places, ends]
            places = canonical.canonical[places]
        return places * len(network.destinations) + network.destination_index[ends]

    def _node_frame(self, network: Network, canonical: CanonicalSources) -> IntArray:
        return self.remember(
            network, "node frame", lambda: np.argsort(canonical.node_image, axis=1)
        )

    def draw(self, network: Network, units: IntArray, *sample: int) -> PathBatch:
        """Draw the paths of given units; ``sample`` numbers another, independent sample.

        Raises
        ------
        InputError
            If a path crosses a channel more often, or is longer, than the routing declares.
        """
        at, there = np.divmod(units, len(network.destinations))
        batch = self.routing.sample_paths(
            network,
            np.repeat(self.drawn_sources(network)[at], self.paths_per_pair),
            np.repeat(network.destinations[there], self.paths_per_pair),
            np.random.default_rng([self.seed, *sample] if sample else self.seed),
        )
        self._check_drawn(network, batch)
        return batch

    def _check_drawn(self, network: Network, batch: PathBatch) -> None:
        crossings, longest = self.routing.most_crossings(network), batch.lengths.max(initial=0)
        declared = self.routing.longest_path(network)
        found = int(_most_crossings(batch.starts, batch.channels, network.channel_count))
        if found > crossings:
            raise InputError(
                f"{self.routing.name} on {network.name}: a path drawn crosses a channel {found} "
                f"times, but most_crossings says {crossings}; override it with a bound that holds"
            )
        if declared is not None and longest > declared:
            raise InputError(
                f"{self.routing.name} on {network.name}: a path drawn has {longest} hops, but "
                f"longest_path says {declared}; override it with a bound that holds, or with None"
            )

    def drawn(self, network: Network) -> PathBatch:
        """Return the drawn paths, those of unit u from number ``u · paths_per_pair`` on."""
        count = len(self.drawn_sources(network)) * len(network.destinations)
        return self.remember(network, "drawn", lambda: self.draw(network, np.arange(count)))

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the drawn paths with their frequencies."""
        unit = int(self.units(network, np.array([source]), np.array([destination]))[0])
        drawn, share = self.drawn(network), Fraction(1, self.paths_per_pair)
        canonical, image = self.canonical(network), np.arange(network.channel_count)
        if canonical is not None:
            image = canonical.channel_image[network.source_index[source]].astype(np.int64)
        for index in range(unit * self.paths_per_pair, (unit + 1) * self.paths_per_pair):
            yield share, tuple(image[list(drawn.path(index))].tolist())

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the frequencies of a channel in the drawn paths of every pair."""

        def tabulate() -> LoadsByChannel:
            canonical = self.canonical(network)
            if canonical is None:
                return FromAllSources(self, network)
            return FromCanonicalSources(self, network, canonical)

        return self.remember(network, "by channel", tabulate).pair_loads(channel)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the frequencies of channels in the drawn paths of given pairs."""
        counts = self.remember(network, "counts", lambda: self._count(network))
        starts = self.remember(network, "starts", counts.row_pointers)
        units, canonical = self.units(network, sources, destinations), self.canonical(network)
        lengths = starts[units + 1] - starts[units]
        rows = np.repeat(np.arange(len(units)), lengths)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        taken = np.repeat(starts[units], lengths) + within
        channels = counts.columns[taken]
        if canonical is not None:
            places = network.source_index[np.asarray(sources, dtype=np.int64)]
            channels = canonical.channel_image[places[rows], channels]
        shape = (len(units), network.channel_count)
        return SparseRationalMatrix.from_triplets(rows, channels, counts.values.take(taken), shape)

    def _count(self, network: Network) -> SparseRationalMatrix:
        """Count the crossings of each channel by the paths of each unit, units × channels."""
        drawn, each = self.drawn(network), self.paths_per_pair
        units = len(drawn) // each
        hops = np.diff(drawn.starts[::each])
        keys = np.repeat(np.arange(units) * network.channel_count, hops) + drawn.channels
        if units * network.channel_count <= COUNTERS_A_CROSSING * len(keys):
            counted = np.bincount(keys, minlength=units * network.channel_count)
            keys = np.flatnonzero(counted)
            counts = counted[keys]
        else:
            keys, counts = np.unique(keys, return_counts=True)
        rows, columns = np.divmod(keys, network.channel_count)
        values = RationalArray(counts.astype(np.int64), each)
        return SparseRationalMatrix(rows, columns, values, (units, network.channel_count))

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the mean hops of the drawn paths under uniform traffic."""
        each = self.paths_per_pair
        of_unit = np.diff(self.drawn(network).starts[::each])
        rows, columns = network.uniform_weight()
        total = Fraction(0)
        for place, source in enumerate(network.sources.tolist()):
            sources = np.full(len(network.destinations), source)
            hops = RationalArray(of_unit[self.units(network, sources, network.destinations)], each)
            total += hops.times(columns).sum() * rows.fraction(place)
        return total / network.total_injection


@compiled
def _most_crossings(starts: Any, channels: Any, channel_count: int) -> int:
    """Return how often a path crosses the same channel, at the most over all paths."""
    last = np.full(channel_count, -1, dtype=np.int64)
    times = np.zeros(channel_count, dtype=np.int64)
    most = 0
    for path in range(len(starts) - 1):
        for place in range(starts[path], starts[path + 1]):
            channel = channels[place]
            if last[channel] != path:
                last[channel] = path
                times[channel] = 0
            times[channel] += 1
            most = max(most, times[channel])
    return most
