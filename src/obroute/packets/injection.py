"""Continuous injection: traffic at a rate, drawn step by step."""

from __future__ import annotations

import numpy as np

from obroute.network import Network
from obroute.packets.simulation import Packets, check_memory, draw_packets
from obroute.rational import IntArray, RationalArray
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.traffic import Traffic

ROUNDING = 1e-9
"""By how much the floats of what a source sends may sum to more than one."""


def uniform_packets(network: Network) -> Traffic:
    """Return uniform traffic at rate 1: a packet per step from every source, whatever it is.

    >>> from obroute import make_network
    >>> uniform_packets(make_network("ring:4")).amounts.entry(1, 1)
    Fraction(1, 4)
    """
    return Traffic.uniform(network, RationalArray.full(len(network.sources), 1))


def check_rates(network: Network, traffic: Traffic) -> None:
    """Raise where a source would inject more than one packet a step at rate 1.

    Or where the traffic is that of another network.
    """
    if traffic.network.name != network.name:
        raise InputError(
            f"traffic {traffic.name} is of {traffic.network.name}; expected traffic "
            f"of {network.name}"
        )
    sent = traffic.sent.to_float()
    most = int(np.argmax(sent))
    if sent[most] > 1 + ROUNDING:
        raise InputError(
            f"traffic {traffic.name} sends {sent[most]:g} packets per step from node "
            f"{network.describe(int(network.sources[most]))}, where a source injects at most "
            "one; scale it"
        )


def draw_destinations(
    traffic: Traffic, sources: IntArray, generator: np.random.Generator
) -> IntArray:
    """Return a destination node for a packet from each of the given source positions."""
    destinations = traffic.network.destinations
    if traffic.matrix is None:
        shares = traffic.network.ejection.to_float() / float(traffic.network.ejection.sum())
        uniform: IntArray = destinations[generator.choice(len(shares), len(sources), p=shares)]
        return uniform
    if traffic.permutation is not None:
        fixed: IntArray = destinations[traffic.permutation[sources]]
        return fixed
    # An entry ends where its share of its row's interval [source, source + 1) does.
    matrix, sent = traffic.matrix, traffic.sent.to_float()
    ends = np.cumsum(matrix.values.to_float() / sent[matrix.rows])
    pointers = matrix.row_pointers()
    before = np.concatenate([[0.0], ends])[pointers[:-1]]
    keys = matrix.rows + ends - before[matrix.rows]
    last = pointers[1:][sent > 0] - 1
    keys[last] = matrix.rows[last] + 1
    drawn = np.minimum(sources + generator.random(len(sources)), np.nextafter(sources + 1, 0))
    found: IntArray = destinations[matrix.columns[np.searchsorted(keys, drawn, side="right")]]
    return found


def inject(
    network: Network, routing: Routing, traffic: Traffic, rate: float, steps: int, seed: int
) -> Packets:
    """Draw the packets of ``steps`` steps: a source injects one in a step with probability rate.

    Where traffic says how much a source sends, with probability rate times that.

    Parameters
    ----------
    rate
        Packets per step and source, at most 1 and at most what a terminal may inject.

    Raises
    ------
    InputError
        If the rate is out of range, or so many packets would not fit in memory.
    """
    check_rates(network, traffic)
    most = min(1.0, *(float(amount) for amount in network.injection.fractions()))
    if not 0 < rate <= most:
        raise InputError(
            f"rate {rate:g} is out of range; a terminal of {network.name} may inject more than 0 "
            f"and at most {most:g} packets per step"
        )
    if steps < 1:
        raise InputError(f"{steps} steps; expected at least 1")
    routing.check(network)
    chances = rate * traffic.sent.to_float()
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
    destinations = draw_destinations(traffic, places, generator)
    return draw_packets(
        network,
        routing,
        network.sources[places],
        destinations,
        seed,
        injected=np.concatenate(times),
    )
