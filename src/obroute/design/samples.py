"""Sampled traffic of the average case, drawn as the evaluation draws it.

The rows that bound the loads are many and dense, and few of them matter: they are added as they
are violated, and at the end every one of them is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError
from obroute.symmetry import Reduction
from obroute.traffic import MATRIX_KINDS, random_doubly_stochastic

MATRIX_BITS = 30
"""Entries of sampled matrices are multiples of 2 to the minus this; permutations are exact."""


@dataclass(frozen=True, eq=False)
class SampledMatrix:
    """One traffic matrix: positions of sources and destinations, and amounts.

    Amounts are packets per cycle, ``amounts`` over ``denominator``.
    """

    sources: IntArray
    destinations: IntArray
    amounts: IntArray
    denominator: int

    def dense(self, network: Network) -> RationalArray:
        """Return it as an array sources × destinations."""
        matrix = np.zeros((len(network.sources), len(network.destinations)), dtype=np.int64)
        matrix[self.sources, self.destinations] = self.amounts
        return RationalArray(matrix, self.denominator)

    def flow_variables(self, reduction: Reduction) -> NDArray[np.int32]:
        """Return the flow variable of each of its pairs on each channel, or -1."""
        network = reduction.network
        there = network.destination_index[
            reduction.node_frame[self.sources, network.destinations[self.destinations]]
        ]
        return np.asarray(
            reduction.flow_of[
                reduction.canonical[self.sources][:, None],
                there[:, None],
                reduction.channel_frame[self.sources],
            ]
        )

    def loads(self, reduction: Reduction, flows: NDArray[Any]) -> NDArray[Any]:
        """Return the load of every channel, times ``denominator``, for flows of any dtype."""
        padded = np.append(flows, flows.dtype.type(0) if flows.dtype != object else 0)
        found = padded[self.flow_variables(reduction)]
        if np.all(self.amounts == 1):
            return np.asarray(found.sum(axis=0))
        return np.asarray((found * self.amounts[:, None]).sum(axis=0))

    def largest_load(self, reduction: Reduction, flows: RationalArray) -> Fraction:
        """Return the exact largest load over bandwidth of any channel."""
        network = reduction.network
        loads = self.loads(reduction, flows.numerators.astype(object))
        bandwidths = network.bandwidth.numerators.astype(object)
        common = int(np.lcm.reduce(bandwidths))
        scaled = loads * (common // bandwidths)
        return Fraction(
            int(scaled.max()) * network.bandwidth.denominator,
            common * flows.denominator * self.denominator,
        )


def draw_samples(network: Network, count: int, seed: int, kind: str) -> list[SampledMatrix]:
    """Draw the matrices that ``obroute evaluate --average-case`` draws for the same seed.

    Raises
    ------
    InputError
        If the count is not positive, the kind unknown, or terminals are not unit ones.
    """
    if count < 1:
        raise InputError(
            f"a sample of {count} matrices has no average; draw at least one, such as "
            "--samples 100"
        )
    if kind not in MATRIX_KINDS:
        raise InputError(f"unknown kind '{kind}'; expected {', '.join(MATRIX_KINDS)}")
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: the average case needs terminals that each inject and eject one "
            "packet per cycle; design for the worst case or for capacity"
        )
    samples = []
    for index in range(count):
        matrix = random_doubly_stochastic(1, len(network.sources), seed, kind, index)[0]
        scale = 1 if kind == "permutation" else 2**MATRIX_BITS
        amounts = np.rint(matrix * scale).astype(np.int64)
        sources, destinations = np.nonzero(amounts)
        samples.append(SampledMatrix(sources, destinations, amounts[sources, destinations], scale))
    return samples
