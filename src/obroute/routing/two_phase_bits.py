"""Valiant's two phases of bit fixing on hypercubes, butterflies and Beneš networks.

The two phases go through an intermediate that is uniformly random, so that each carries a random
permutation's load whatever the permutation is (notes on routing permutations, Theorem 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing.bit_fixing import (
    BitFixing,
    BitRouting,
    block,
    mask_of,
    numbers_with,
    path_batch,
    walk,
    walk_many,
)
from obroute.routing.contract import PathBatch
from obroute.routing.registry import routings
from obroute.routing.two_phase import ValiantOfGrids
from obroute.topologies.butterfly import BACKWARD, FORWARD, Butterfly, Multistage


@routings.register(
    "two_phase",
    "Valiant's two phases on hypercube, butterfly and Beneš networks",
    defined_for=BitRouting.defined_for,
    examples=("two_phase",),
    small=("two_phase",),
)
class TwoPhase(BitRouting):
    """Bit fixing to a random intermediate, then bit fixing to the destination.

    On a hypercube it is ``valiant``. In a Beneš network the first half leads to a uniformly random
    row of the middle level, the second half fixes the bits right to left; every path has 2n hops.
    In a butterfly a packet goes forward to a uniformly random output, straight back along its row
    to the input, and forward to the destination: 3n hops.

    >>> from obroute import evaluate
    >>> [evaluate(f"{n}:3", "two_phase").worst_case_load for n in ("benes", "butterfly")]
    [Fraction(1, 2), Fraction(1, 1)]
    """

    def __init__(self) -> None:
        super().__init__()
        self._valiant = ValiantOfGrids()
        self._greedy = BitFixing()

    def phases(self, network: Multistage) -> tuple[range, range]:
        """Return the forward steps of each phase."""
        steps, bits = network.steps, network.bits
        return range(bits), range(bits if steps > bits else 0, steps)

    def _back(self, network: Multistage, row: NDArray[Any] | int) -> IntArray:
        """Return the straight channels from an output back to its input, rows × steps."""
        rows = np.asarray(row, dtype=np.int64)[..., None]
        steps = np.arange(network.steps)[::-1] if isinstance(network, Butterfly) else np.arange(0)
        return network.channel_at(BACKWARD, steps, 0, rows)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield a path for every intermediate row, equally likely."""
        self.check(network)
        if not isinstance(network, Multistage):
            yield from self._valiant.paths(network, source, destination)
            return
        start, end = self.rows(network, source, destination)
        first, second = self.phases(network)
        height = network.steps + 1
        for middle in range(network.row_count):
            back: Path = ()
            if isinstance(network, Butterfly):
                output = middle * height + network.steps
                back = network.path_from_nodes(range(output, output - height, -1))
            path = (
                *walk(network, start, middle, first),
                *back,
                *walk(network, middle, end, second),
            )
            yield Fraction(1, network.row_count), path

    def channel_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        middles: NDArray[Any],
        destinations: NDArray[Any],
    ) -> IntArray:
        """Return the channels that each packet crosses, pairs × steps; -1 where it need not move.

        ``sources`` and ``destinations`` are nodes, ``middles`` the intermediate rows, or nodes on
        a hypercube. The first phase takes the first n columns.
        """
        self.check(network)
        if not isinstance(network, Multistage):
            ends = ((sources, middles), (middles, destinations))
            return np.hstack([self._greedy.channel_paths(network, *pair) for pair in ends])
        (start, _), (end, _) = map(network.rows_and_levels, (sources, destinations))
        middle = np.asarray(middles, dtype=np.int64)
        first, second = self.phases(network)
        return np.hstack(
            [
                walk_many(network, start, middle, first),
                self._back(network, middle),
                walk_many(network, middle, end, second),
            ]
        )

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the exact pair loads of a channel: a block for each phase that crosses it.

        With d bits changed before the step, a source that agrees with the row in the others
        crosses in the first phase with probability 2⁻ᵈ⁻¹, whatever the destination; with e bits
        still to change, this one included, a destination that agrees with the head in the others
        is reached through it in the second phase with probability 2⁻ᵉ, whatever the source.
        """
        self.check(network)
        if not isinstance(network, Multistage):
            return self._valiant.pair_loads(network, channel)
        direction, step, cross, row = network.place_of(channel)
        count = network.row_count
        shape, everyone = (count, count), np.arange(count)
        if direction == BACKWARD:
            if cross or not isinstance(network, Butterfly):
                return SparseRationalMatrix.zero(shape)
            return block(everyone, everyone, Fraction(1, count), shape)
        blocks = []
        first, second = self.phases(network)
        flip = network.flips[step]
        if step in first:
            changed = mask_of(network.flips[:step])
            chance = Fraction(1, 2 << changed.bit_count())
            blocks.append(block(numbers_with(row, changed), everyone, chance, shape))
        if step in second:
            free = count - 1 & ~mask_of(network.flips[second.start : step + 1])
            chance = Fraction(1, 2 << free.bit_count())
            reached = numbers_with(row ^ (flip * cross), free)
            blocks.append(block(everyone, reached, chance, shape))
        total = SparseRationalMatrix.sum_of(blocks)
        return SparseRationalMatrix(total.rows, total.columns, total.values.reduced(), shape)

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact channel loads of given pairs, step by step."""
        self.check(network)
        if not isinstance(network, Multistage):
            return self._valiant.channel_loads(network, sources, destinations)
        (start, _), (end, _) = map(network.rows_and_levels, (sources, destinations))
        first, second = self.phases(network)
        count = network.row_count
        found: list[tuple[IntArray, int]] = []
        for step in first:
            changed = mask_of(network.flips[:step])
            tails = (start & ~changed)[:, None] | numbers_with(0, changed)
            both = [network.channel_at(FORWARD, step, cross, tails) for cross in (0, 1)]
            found.append((np.hstack(both), count >> (step + 1)))
        for step in second:
            flip, fixed = network.flips[step], mask_of(network.flips[second.start : step])
            tails = (end & fixed)[:, None] | numbers_with(0, count - 1 & ~fixed)
            crosses = ((tails ^ end[:, None]) & flip) != 0
            channels = network.channel_at(FORWARD, step, crosses, tails)
            found.append((channels, count // tails.shape[1]))
        back = self._back(network, np.arange(count)).ravel()
        found.append((np.broadcast_to(back, (len(start), len(back))), 1))
        rows = [np.repeat(np.arange(len(start)), channels.shape[1]) for channels, _ in found]
        weights = [np.full(channels.size, weight) for channels, weight in found]
        return SparseRationalMatrix.from_triplets(
            np.concatenate(rows),
            np.concatenate([channels.ravel() for channels, _ in found]),
            RationalArray(np.concatenate(weights), count),
            (len(start), network.channel_count),
        )

    def symmetries(self, network: Network) -> Generators:
        """Return all of a Beneš network; of the others translations (they keep rows straight)."""
        self.check(network)
        everything = isinstance(network, Multistage) and not isinstance(network, Butterfly)
        return {
            generator: image
            for generator, image in network.automorphisms().items()
            if everything or generator.is_translation
        }

    def most_crossings(self, network: Network) -> int:
        """Return two on a butterfly, whose forward channels both phases take."""
        return 2 if isinstance(network, Butterfly) else 1

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw an intermediate for each pair."""
        middles = generator.integers(len(network.sources), size=len(sources))
        return path_batch(self.channel_paths(network, sources, middles, destinations))
