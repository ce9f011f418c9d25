"""Continuous injection: traffic at a rate, drawn step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from obroute.network import Network
from obroute.packets.simulation import (
    Packets,
    check_memory,
    draw_packets,
    partial_permutation,
)
from obroute.rational import FloatArray, IntArray
from obroute.routing import Routing
from obroute.specs import InputError


@dataclass(frozen=True, eq=False)
class Traffic:
    """Where packets go: a permutation, uniform traffic, or any doubly stochastic matrix.

    Parameters
    ----------
    name
        For results.
    destinations
        Position of the destination of each source, for a permutation.
    matrix
        Sources × destinations, each row the distribution of a source's destinations; uniform
        traffic where neither is given.
    """

    name: str
    destinations: IntArray | None = None
    matrix: FloatArray | None = None

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
        rows, columns = self.matrix.sum(axis=1), self.matrix.sum(axis=0)
        if not np.all(self.matrix >= 0):
            raise InputError(f"traffic {self.name} has an entry that is negative or no number")
        if np.abs(rows - 1).max() > 1e-9 or np.abs(columns - 1).max() > 1e-9:
            raise InputError(
                f"traffic {self.name} is not doubly stochastic: a row or column does not sum to 1"
            )

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
        cumulative = np.cumsum(self.matrix, axis=1)
        cumulative[:, -1] = 1.0
        keys = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
        drawn = np.minimum(sources + generator.random(len(sources)), np.nextafter(sources + 1, 0))
        places = np.searchsorted(keys, drawn, side="right")
        found: IntArray = network.destinations[places % self.matrix.shape[1]]
        return found


def inject(
    network: Network, routing: Routing, traffic: Traffic, rate: float, steps: int, seed: int
) -> Packets:
    """Draw the packets of ``steps`` steps: a source injects one in a step with probability rate.

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
    expected = int(len(network.sources) * steps * rate)
    check_memory(network, expected, float(network.mean_shortest_path_length()) * 2 + 1)
    generator = np.random.default_rng([seed, steps])
    times, sources = [], []
    at_once = max(1, 2**22 // len(network.sources))
    for first in range(0, steps, at_once):
        count = min(at_once, steps - first)
        found = np.nonzero(generator.random((count, len(network.sources))) < rate)
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
