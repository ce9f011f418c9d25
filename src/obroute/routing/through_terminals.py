"""Valiant's algorithm on any network, with any routing in both phases.

The intermediate i is a terminal, drawn with probability w_i, in proportion to what it ejects; the
source and the destination may be drawn. Where terminals are hosts that hang on a switch
(:mod:`obroute.routing.core`), a packet turns round at the switch: it takes the channels of its own
source and destination, and not those of the intermediate. So a switch is drawn by its hosts, and
a fabric has the loads that it has with its hosts counted at the switches.

With P the pair loads of a channel by the base, the load by s and d is A(s) + B(d), where
A(s) = Σ w_i P(s, i) and B(d) = Σ w_i P(i, d). All traffic that uses all bandwidth loads the
channel alike; where terminals inject as much as they eject, with twice the uniform load of the
base (Valiant's identity).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.additive_matrix import AdditiveMatrix
from obroute.dependencies import Dependencies
from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.quotients import Quotients, matrix_of_quotients
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix, concatenate
from obroute.routing.batches import BatchRouting
from obroute.routing.contract import PathBatch, Routing
from obroute.routing.core import attached_to
from obroute.routing.minimal import Minimal
from obroute.routing.ranges import ranges
from obroute.routing.registry import routings
from obroute.routing.rounded_loads import RoundedLoads
from obroute.routing.through_loads import ThroughLoads
from obroute.routing.valiant import OWN, Base, Valiant
from obroute.specs import InputError

PAIRS_AT_ONCE = 2**18
"""Pairs of a terminal and an intermediate whose loads by the base are held at a time."""


@Valiant.way_of(Network, "with terminals that inject and eject")
class ThroughTerminals(BatchRouting):
    """A base routing to a terminal drawn from all, and on from there: see the module."""

    def __init__(self, base: Base | Routing = OWN) -> None:
        super().__init__()
        named = base if isinstance(base, Routing) else None
        self.base = named or (Minimal() if base == OWN else routings.create(str(base)))
        self.files = self.base.files
        self.respects_automorphisms = self.base.respects_automorphisms  # type: ignore[misc]

    def on(self, network: Network) -> Routing:
        """Return it with what its base is there."""
        base = self.base.on(network)
        return self if base is self.base else ThroughTerminals(base)

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return what it and its base depend on."""
        return super().depends_on() | self.base.depends_on(network)

    def components(self) -> Iterator[Routing]:
        """Yield those of its base."""
        yield from self.base.components()

    def check(self, network: Network) -> None:
        """Raise where the base is not defined, or no terminal both injects and ejects."""
        self.base.check(network)
        if not len(self._middles(network)):
            raise InputError(
                f"routing {self.name} is not defined on {network.name}, of which no terminal both "
                f"injects and ejects; it is defined for {Valiant.families()} (two_phase knows "
                "butterflies)"
            )

    def _middles(self, network: Network) -> IntArray:
        return np.intersect1d(network.sources, network.destinations)

    def _weights(self, network: Network) -> RationalArray:
        """Return the probability of each intermediate."""
        ejected = network.ejection.take(network.destination_index[self._middles(network)])
        return ejected.scaled(1 / ejected.sum())

    def _ends(self, network: Network) -> tuple[NDArray[np.bool_], IntArray, IntArray]:
        """Return which nodes are hosts on a switch, and a channel out of and into each node."""

        def find() -> tuple[NDArray[np.bool_], IntArray, IntArray]:
            hangs = attached_to(network) != np.arange(network.node_count)
            leaving, entering = (np.full(network.node_count, -1) for _ in range(2))
            channels = np.arange(network.channel_count)
            leaving[network.tail], entering[network.head] = channels, channels
            return hangs, leaving, entering

        return self.remember(network, "ends", find)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for every intermediate and every path of the base there and on."""
        self.check(network)
        hangs, leaving, entering = self._ends(network)
        up = (int(leaving[source]),) if hangs[source] else ()
        down = (int(entering[destination]),) if hangs[destination] else ()
        middles = zip(
            self._middles(network).tolist(), self._weights(network).fractions(), strict=True
        )
        for middle, drawn in middles:
            onwards = list(self._between(network, middle, destination))
            for first, there in self._between(network, source, middle):
                for second, on in onwards:
                    yield drawn * first * second, (*up, *there, *on, *down)

    def _between(self, network: Network, start: int, end: int) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of the base without the channels of hosts at its ends."""
        hangs, _, _ = self._ends(network)
        for probability, path in self.base.paths(network, start, end):
            yield probability, path[int(hangs[start]) : len(path) - int(hangs[end])]

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return A(s) + B(d), from the pair loads of the base."""
        self.check(network)
        hangs, _, _ = self._ends(network)
        tail, head = int(network.tail[channel]), int(network.head[channel])
        sources, destinations = network.sources, network.destinations
        if hangs[tail] or hangs[head]:
            return AdditiveMatrix(
                RationalArray((sources == tail).astype(np.int64) * int(hangs[tail]), 1),
                RationalArray((destinations == head).astype(np.int64) * int(hangs[head]), 1),
            )
        loads = self.base.pair_loads(network, channel)
        middles, weights = self._middles(network), self._weights(network)
        onto, out_of = (
            _spread(weights, index[middles], len(index_of))
            for index, index_of in (
                (network.destination_index, destinations),
                (network.source_index, sources),
            )
        )
        return AdditiveMatrix.of_sums(loads, onto, out_of)

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return what full traffic puts on each channel, from the rounded loads of the base."""
        if not ThroughLoads.fits(network):
            return super().rounded_loads(network)
        hangs, _, _ = self._ends(network)
        return ThroughLoads(network, self.base.rounded_loads(network), hangs)

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return what the base needs: its loads are summed channel by channel."""
        return self.base.bytes_to_bound(network, loads)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the loads of every channel, of both phases of each pair added."""
        self.check(network)
        starts, start_of = np.unique(np.asarray(sources), return_inverse=True)
        ends, end_of = np.unique(np.asarray(destinations), return_inverse=True)
        parts = [
            _rows_of(self._phase(network, starts, first=True), start_of),
            _rows_of(self._phase(network, ends, first=False), end_of),
        ]
        rows, columns = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        values = [part[2] for part in parts]
        shape = len(start_of), network.channel_count
        if any(part.is_wide for part in values):
            every = Quotients.from_fractions(f for part in values for f in part.fractions())
            return matrix_of_quotients(rows, columns, every, shape)
        return SparseRationalMatrix.from_triplets(rows, columns, concatenate(values), shape)

    def _phase(self, network: Network, nodes: IntArray, *, first: bool) -> SparseRationalMatrix:
        """Return the loads of one phase by each of the nodes, nodes × channels."""
        hangs, leaving, entering = self._ends(network)
        middles, weights = self._middles(network), self._weights(network)
        step = max(1, PAIRS_AT_ONCE // len(middles))
        parts = []
        for at in range(0, len(nodes), step):
            some = nodes[at : at + step]
            near, far = np.repeat(some, len(middles)), np.tile(middles, len(some))
            ends = (near, far) if first else (far, near)
            loads = self.base.channel_loads(network, *ends)
            of_core = ~(hangs[network.tail] | hangs[network.head])[loads.columns]
            row, middle = np.divmod(loads.rows[of_core], len(middles))
            values = loads.values.take(of_core).times(weights.take(middle))
            parts.append((row + at, loads.columns[of_core], values))
        own = np.flatnonzero(hangs[nodes])
        hosts = (leaving if first else entering)[nodes[own]]
        parts.append((own, hosts, RationalArray.full(len(own), 1)))
        rows, columns = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        shape = len(nodes), network.channel_count
        if any(values.is_wide for _, _, values in parts):
            every = Quotients.from_fractions(f for part in parts for f in part[2].fractions())
            return matrix_of_quotients(rows, columns, every, shape)
        values = concatenate([values for _, _, values in parts])
        return SparseRationalMatrix.from_triplets(rows, columns, values, shape)

    def symmetries(self, network: Network) -> Generators:
        """Return those of the base: an automorphism keeps terminals and what they eject."""
        return self.base.symmetries(network)

    def most_crossings(self, network: Network) -> int:
        """Return twice the bound of the base."""
        return 2 * self.base.most_crossings(network)

    def longest_path(self, network: Network) -> int | None:
        """Return twice the bound of the base, if it has one."""
        longest = self.base.longest_path(network)
        return None if longest is None else max(2, 2 * longest)

    def mean_path_length(self, network: Network) -> Fraction:
        """Return twice that of the base, if terminals inject what they eject and are no hosts."""
        hangs, _, _ = self._ends(network)
        if hangs.any() or not ThroughLoads.fits(network):
            return super().mean_path_length(network)
        return 2 * self.base.mean_path_length(network)

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw an intermediate for each pair, and paths of the base there and on."""
        self.check(network)
        hangs, leaving, entering = self._ends(network)
        sources, destinations = np.asarray(sources), np.asarray(destinations)
        weights = self._weights(network).to_float()
        drawn = generator.choice(len(weights), len(sources), p=weights / weights.sum())
        middles = self._middles(network)[drawn]
        there = self.base.sample_paths(network, sources, middles, generator)
        on = self.base.sample_paths(network, middles, destinations, generator)
        pool = np.concatenate(
            [there.channels, on.channels, leaving[sources], entering[destinations]]
        )
        after = len(there.channels) + len(on.channels)
        every = np.arange(len(sources))
        pieces = [
            (after + every, hangs[sources].astype(np.int64)),
            _inner(there, hangs[sources], hangs[middles], 0),
            _inner(on, hangs[middles], hangs[destinations], len(there.channels)),
            (after + len(sources) + every, hangs[destinations].astype(np.int64)),
        ]
        starts = np.stack([first for first, _ in pieces], axis=1).ravel()
        lengths = np.stack([length for _, length in pieces], axis=1)
        _, taken = ranges(starts, lengths.ravel())
        bounds = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))]).astype(np.int64)
        return PathBatch(bounds, pool[taken].astype(np.int32))


def _inner(
    batch: PathBatch, without_first: NDArray[Any], without_last: NDArray[Any], offset: int
) -> tuple[IntArray, IntArray]:
    """Return where each path begins and its hops, without the channels of hosts at its ends."""
    filled = batch.lengths > 0
    cut = filled & without_first
    return (
        offset + batch.starts[:-1] + cut,
        batch.lengths - cut - (filled & without_last),
    )


def _spread(weights: RationalArray, places: IntArray, count: int) -> RationalArray:
    """Return an array that has the weights at places, and zero elsewhere."""
    numerators = np.zeros(count, dtype=weights.numerators.dtype)
    numerators[places] = weights.numerators
    return RationalArray(numerators, weights.denominator)


def _rows_of(
    matrix: SparseRationalMatrix, rows: IntArray
) -> tuple[IntArray, IntArray, RationalArray]:
    """Return the triplets of a matrix that has the given rows of another, one below the other."""
    pointers = matrix.row_pointers()
    row, taken = ranges(pointers[rows], pointers[rows + 1] - pointers[rows])
    return row, matrix.columns[taken], matrix.values.take(taken)
