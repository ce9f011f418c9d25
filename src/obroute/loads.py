"""Channel loads from pair loads: of a pattern, of many sampled patterns, and by sampled paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from obroute.network import Network, Path
from obroute.rational import (
    INT64_ROOM,
    FloatArray,
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    multiply_integers,
)
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.symmetry import canonical_sources

LARGEST_TENSOR = 2**28
"""Entries (non-zero, or in the maps of a relative routing) that a tensor may have in memory."""


def permutation_loads(network: Network, routing: Routing, destinations: IntArray) -> RationalArray:
    """Return the exact load of every channel under a permutation (packets per cycle).

    ``destinations`` holds the position of the destination of each source.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> loads = permutation_loads(ring, make_routing("dor"), np.array([2, 3, 4, 0, 1]))
    >>> loads.fractions()[0], loads.fractions()[5]
    (Fraction(2, 1), Fraction(0, 1))
    """
    loads = routing.channel_loads(network, network.sources, network.destinations[destinations])
    return loads.column_sums(network.injection)


def normalised(network: Network, loads: RationalArray) -> list[Fraction]:
    """Return each channel's load divided by its bandwidth."""
    bandwidths = network.bandwidth
    factor = Fraction(bandwidths.denominator, loads.denominator)
    return [
        factor * Fraction(int(load), int(bandwidth))
        for load, bandwidth in zip(loads.numerators, bandwidths.numerators, strict=True)
    ]


def largest_normalised_load(network: Network, loads: RationalArray) -> tuple[Fraction, int]:
    """Return the largest load over bandwidth, and the first channel that has it."""
    bandwidths = network.bandwidth.numerators
    common = np.lcm.reduce(bandwidths.astype(object))
    scaled = loads.numerators.astype(object) * (common // bandwidths.astype(object))
    channel = int(np.argmax(scaled))
    load = loads.fraction(channel) / network.bandwidth.fraction(channel)
    return load, channel


@dataclass(frozen=True, eq=False)
class PairLoadTensor:
    """Exact loads of every channel by every pair, for one canonical source of each orbit.

    For a relative routing that is one source, so the tensor has O(N · channels) entries in place
    of O(N² · channels); loads from other sources are read through automorphisms.

    Parameters
    ----------
    loads
        (canonical source, destination) pairs × channels; the pair of canonical source i and
        destination node d is row ``i · nodes + d``.
    row
        Array sources × destinations: the row that holds each pair.
    channel_image
        Array sources × channels: where the automorphism sends the channels of that row.
    """

    network: Network
    loads: SparseRationalMatrix
    row: NDArray[np.int32]
    channel_image: NDArray[np.int32]

    @classmethod
    def build(cls, network: Network, routing: Routing) -> PairLoadTensor:
        """Tabulate the loads of the canonical sources."""
        count = len(network.sources)
        if count * (network.node_count + network.channel_count) > LARGEST_TENSOR:
            raise InputError(
                f"{network.name} is too large for sampled traffic: {count} sources × "
                f"{network.channel_count} channels would take more than "
                f"{LARGEST_TENSOR * 4 / 1e9:.0f} GB; sample fewer radices"
            )
        sources = canonical_sources(network, routing.symmetries(network))
        nodes = network.node_count
        ejecting = np.concatenate([network.destinations] * len(sources.nodes))
        found = routing.channel_loads(
            network, np.repeat(sources.nodes, len(network.destinations)), ejecting
        )
        offset = np.repeat(np.arange(len(sources.nodes)) * nodes, len(network.destinations))
        loads = SparseRationalMatrix.from_triplets(
            (offset + ejecting)[found.rows],
            found.columns,
            found.values,
            (len(sources.nodes) * nodes, network.channel_count),
        )
        canonical_of = np.empty((count, nodes), dtype=np.int32)
        np.put_along_axis(
            canonical_of, sources.node_image, np.arange(nodes, dtype=np.int32)[None, :], axis=1
        )
        row = canonical_of[:, network.destinations] + sources.canonical[:, None] * nodes
        return cls(network, loads, row.astype(np.int32), sources.channel_image)

    def _scaled_values(self) -> tuple[NDArray[Any], int]:
        """Return numerators scaled so that loads compare across bandwidths, and the unit.

        Integers where sums of them fit 63 bits, floats otherwise.
        """
        bandwidths = self.network.bandwidth
        injections = self.network.injection
        common = int(np.lcm.reduce(bandwidths.numerators.astype(object)))
        factor = RationalArray(common // bandwidths.numerators.astype(object), 1)
        values = multiply_integers(
            self.loads.values.numerators, factor.numerators[self.loads.columns]
        )
        unit = self.loads.values.denominator * common * injections.denominator
        largest = int(values.max()) if values.size else 0
        total = largest * int(injections.numerators.astype(object).sum())
        if values.dtype == object or total >= INT64_ROOM:
            return np.asarray(values, dtype=np.float64), unit
        return values.astype(np.int64), unit

    def permutation_maxima(self, destinations: IntArray) -> list[Fraction]:
        """Return the largest normalised load of each permutation (a row of destinations).

        Exact where the sums fit 63 bits, which :meth:`_scaled_values` decides; the nearest float
        otherwise.
        """
        if not self.network.has_unit_terminals:
            raise InputError(
                f"{self.network.name}: random permutations need terminals that each inject and "
                "eject one packet per cycle"
            )
        values, unit = self._scaled_values()
        maxima = _permutation_maxima(
            destinations,
            self.row,
            self.loads.row_pointers(),
            self.loads.columns,
            values,
            self.channel_image,
            self.network.channel_count,
        )
        unit_bandwidth = self.network.bandwidth.denominator
        return [Fraction(value.item()) * unit_bandwidth / unit for value in maxima]

    def matrix_maxima(self, matrices: FloatArray) -> FloatArray:
        """Return the largest normalised load of each traffic matrix, as floats."""
        values = (
            self.loads.values.to_float() / self.network.bandwidth.to_float()[self.loads.columns]
        )
        maxima: FloatArray = _matrix_maxima(
            matrices,
            self.row,
            self.loads.row_pointers(),
            self.loads.columns,
            values,
            self.channel_image,
            self.network.channel_count,
        )
        return maxima


@njit(cache=True, nogil=True)
def _permutation_maxima(
    destinations: Any,
    rows: Any,
    starts: Any,
    columns: Any,
    values: Any,
    channel_image: Any,
    channel_count: int,
) -> Any:
    maxima = np.zeros(len(destinations), dtype=values.dtype)
    loads = np.zeros(channel_count, dtype=values.dtype)
    for sample in range(len(destinations)):
        loads[:] = 0
        for source in range(destinations.shape[1]):
            row = rows[source, destinations[sample, source]]
            for entry in range(starts[row], starts[row + 1]):
                loads[channel_image[source, columns[entry]]] += values[entry]
        maxima[sample] = loads.max()
    return maxima


@njit(cache=True, nogil=True)
def _matrix_maxima(
    matrices: Any,
    rows: Any,
    starts: Any,
    columns: Any,
    values: Any,
    channel_image: Any,
    channel_count: int,
) -> Any:
    maxima = np.zeros(len(matrices))
    loads = np.zeros(channel_count)
    for sample in range(len(matrices)):
        loads[:] = 0.0
        for source in range(matrices.shape[1]):
            for destination in range(matrices.shape[2]):
                amount = matrices[sample, source, destination]
                if amount != 0.0:
                    row = rows[source, destination]
                    for entry in range(starts[row], starts[row + 1]):
                        loads[channel_image[source, columns[entry]]] += amount * values[entry]
        maxima[sample] = loads.max()
    return maxima


class SampledRouting(Routing):
    """A routing estimated from a sample of paths for every pair (technical report, section 3.2).

    The pair loads are those of the sample: an estimate, never the exact routing. For each pair
    ``paths_per_pair`` paths are drawn; the draw of a pair depends on the seed and the pair alone.
    """

    is_exact = False

    def __init__(self, routing: Routing, paths_per_pair: int, seed: int) -> None:
        super().__init__()
        self.routing, self.paths_per_pair, self.seed = routing, paths_per_pair, seed
        self.name = f"{routing.name} (sample of {paths_per_pair} paths a pair, seed {seed})"

    def check(self, network: Network) -> None:
        """Raise where the sampled routing is not defined."""
        self.routing.check(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the drawn paths with their frequencies."""
        generator = np.random.default_rng([self.seed, source, destination])
        share = Fraction(1, self.paths_per_pair)
        ends = (np.full(self.paths_per_pair, node) for node in (source, destination))
        drawn = self.routing.sample_paths(network, *ends, generator)
        for index in range(self.paths_per_pair):
            yield share, drawn.path(index)

    def standard_error(
        self, network: Network, channel: int, sources: IntArray, destinations: IntArray
    ) -> float:
        """Return the standard error of the load that given pairs (nodes) put on a channel."""
        variance = 0.0
        for source, destination in zip(sources, destinations, strict=True):
            counts = np.array(
                [
                    path.count(channel)
                    for _, path in self.paths(network, int(source), int(destination))
                ]
            )
            if len(counts) > 1:
                variance += float(counts.var(ddof=1)) / len(counts)
        return float(np.sqrt(variance))
