"""Continuous injection: traffic at a rate, drawn step by step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.demands import line_sums
from obroute.network import Network
from obroute.packets.simulation import (
    Packets,
    check_memory,
    draw_packets,
    partial_permutation,
)
from obroute.rational import FloatArray, IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.specs import InputError

ROUNDING = 1e-9
"""By how much the floats of a row may sum to more than one."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """Where packets go: a permutation, uniform traffic, or any matrix of demands.

    Parameters
    ----------
    name
        For results.
    destinations
        Position of the destination of each source, for a permutation.
    matrix
        Sources × destinations, packets per step at rate 1; no row may sum to more than 1. Uniform
        traffic where neither is given.
    """

    name: str
    destinations: IntArray | None = None
    matrix: SparseRationalMatrix | None = None

    @classmethod
    def from_array(cls, name: str, array: NDArray[Any]) -> Traffic:
        """Return traffic of a dense matrix of floats, each taken as the fraction that it is.

        Raises
        ------
        InputError
            If an entry is negative or no number.
        """
        if not np.all(np.isfinite(array)) or np.any(array < 0):
            raise InputError(f"traffic {name} has an entry that is negative or no number")
        rows, columns = np.nonzero(array)
        amounts = RationalArray.from_fractions(map(Fraction, array[rows, columns].tolist()))
        shape = array.shape[0], array.shape[1]
        return cls(name, matrix=SparseRationalMatrix.from_triplets(rows, columns, amounts, shape))

    def check(self, network: Network) -> None:
        """Raise where the traffic does not fit the network."""
        if self.destinations is not None and np.any(
            partial_permutation(network, self.destinations) < 0
        ):
            raise InputError(f"traffic {self.name} leaves a source out; expected a permutation")
        if self.matrix is None:
            return
        shape = (len(network.sources), len(network.destinations))
        if self.matrix.shape != shape:
            raise InputError(
                f"traffic {self.name} is {self.matrix.shape[0]}×{self.matrix.shape[1]}; "
                f"{network.name} has {shape[0]} sources and {shape[1]} destinations"
            )
        most = int(np.argmax(self.shares))
        if self.shares[most] > 1 + ROUNDING:
            raise InputError(
                f"traffic {self.name} sends {self.shares[most]:g} packets per step from node "
                f"{network.describe(int(network.sources[most]))}, where a source injects at most "
                "one; scale it"
            )

    @cached_property
    def shares(self) -> FloatArray:
        """What each source sends at rate 1 (packets per step), of a matrix."""
        assert self.matrix is not None
        return line_sums(self.matrix, 0).to_float()

    def chances(self, network: Network) -> FloatArray:
        """Return the probability that each source injects in a step at rate 1."""
        return np.ones(len(network.sources)) if self.matrix is None else self.shares

    def draw(
        self, network: Network, sources: IntArray, generator: np.random.Generator
    ) -> IntArray:
        """Return a destination node for a packet from each of the given source positions."""
        if self.destinations is not None:
            fixed: IntArray = network.destinations[self.destinations[sources]]
            return fixed
        if self.matrix is None:
            shares = network.ejection.to_float() / float(network.ejection.sum())
            chosen = generator.choice(len(shares), size=len(sources), p=shares)
            uniform: IntArray = network.destinations[chosen]
            return uniform
        # An entry ends where its share of its row's interval [source, source + 1) does.
        ends = np.cumsum(self.matrix.values.to_float() / self.shares[self.matrix.rows])
        pointers = self.matrix.row_pointers()
        before = np.concatenate([[0.0], ends])[pointers[:-1]]
        keys = self.matrix.rows + ends - before[self.matrix.rows]
        last = pointers[1:][self.shares > 0] - 1
        keys[last] = self.matrix.rows[last] + 1
        drawn = np.minimum(sources + generator.random(len(sources)), np.nextafter(sources + 1, 0))
        found: IntArray = network.destinations[
            self.matrix.columns[np.searchsorted(keys, drawn, side="right")]
        ]
        return found


def inject(
    network: Network, routing: Routing, traffic: Traffic, rate: float, steps: int, seed: int
) -> Packets:
    """Draw the packets of ``steps`` steps: a source injects one in a step with probability rate.

    Under a matrix of demands, with probability rate times what it sends.

    Parameters
    ----------
    rate
        Packets per step and source, at most 1 and at most what a terminal may inject.

    Raises
    ------
    InputError
        If the rate is out of range, or so many packets would not fit in memory.
    """
    traffic.check(network)
    most = min(1.0, *(float(amount) for amount in network.injection.fractions()))
    if not 0 < rate <= most:
        raise InputError(
            f"rate {rate:g} is out of range; a terminal of {network.name} may inject more than 0 "
            f"and at most {most:g} packets per step"
        )
    if steps < 1:
        raise InputError(f"{steps} steps; expected at least 1")
    routing.check(network)
    chances = rate * traffic.chances(network)
    expected = int(chances.sum() * steps)
    check_memory(network, expected, float(network.mean_shortest_path_length()) * 2 + 1)
    generator = np.random.default_rng([seed, steps])
    times, sources = [], []
    at_once = max(1, 2**22 // len(network.sources))
    for first in range(0, steps, at_once):
        count = min(at_once, steps - first)
        found = np.nonzero(generator.random((count, len(network.sources))) < chances)
        times.append(found[0] + first)
        sources.append(found[1])
    places = np.concatenate(sources)
    destinations = traffic.draw(network, places, generator)
    return draw_packets(
        network,
        routing,
        network.sources[places],
        destinations,
        seed,
        injected=np.concatenate(times),
    )
