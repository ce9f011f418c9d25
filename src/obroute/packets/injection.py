"""Continuous injection: traffic at a rate, what the network accepts, and where it saturates.

The throughput that pair loads give is an ideal: the rate at which the first channel is fully
used. With unbounded queues a network keeps up with any lower rate and with no higher one, so the
largest stable rate of a simulation has to come out at the ideal throughput, within the error of
the sample; that ties the simulator to the exact half of obroute.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.loads import largest_normalised_load, permutation_loads
from obroute.network import Network
from obroute.packets.simulation import (
    Packets,
    Run,
    check_memory,
    draw_packets,
    partial_permutation,
    simulate,
)
from obroute.rational import FloatArray, IntArray
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.throughput import evaluate

FEWEST_STEPS = 100

STANDARD_ERRORS = 2.5
"""How many standard errors a growing backlog has to exceed to be called growth."""


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


@dataclass(frozen=True)
class LoadPoint:
    """One rate of a network simulator's usual curves.

    ``offered`` and ``accepted`` are packets per step and source, injected and delivered in the
    second half of the run; ``mean_delay`` is that of the packets delivered then, in steps;
    ``growth`` the packets by which the network fills, per step and source, and ``growth_error``
    its standard error.
    """

    rate: float
    offered: float
    accepted: float
    mean_delay: float
    largest_queue: int
    growth: float
    growth_error: float

    @property
    def stable(self) -> bool:
        """Whether the backlog does not grow, beyond what chance explains."""
        return self.growth <= STANDARD_ERRORS * self.growth_error


def load_point(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    rate: float,
    steps: int,
    seed: int = 0,
    discipline: str = "fifo",
) -> LoadPoint:
    """Simulate one rate for a number of steps; measure over the second half.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:8")
    >>> point = load_point(ring, make_routing("dor"), Traffic("uniform"), 0.5, 2000, seed=1)
    >>> point.stable, abs(point.accepted - 0.5) < 0.03
    (True, True)
    """
    if steps < FEWEST_STEPS:
        raise InputError(
            f"{steps} steps are too few to tell growth from chance; expected at least "
            f"{FEWEST_STEPS}"
        )
    packets = inject(network, routing, traffic, rate, steps, seed)
    run = simulate(network, packets, discipline, seed, step_limit=steps)
    return _measure(network, run, rate, steps)


def _measure(network: Network, run: Run, rate: float, steps: int) -> LoadPoint:
    half = steps // 2
    terminals = len(network.sources)
    window = (run.delivered > half) & (run.delivered <= steps)
    offered = int(np.count_nonzero(run.packets.injected >= half))
    growth, error = _growth(run.in_network[half:])
    delays = run.delivered[window] - run.packets.injected[window]
    return LoadPoint(
        rate=rate,
        offered=offered / (terminals * (steps - half)),
        accepted=int(window.sum()) / (terminals * (steps - half)),
        mean_delay=float(delays.mean()) if len(delays) else math.nan,
        largest_queue=run.largest_queue,
        growth=growth / terminals,
        growth_error=error / terminals,
    )


def _growth(backlog: IntArray) -> tuple[float, float]:
    """Return the mean growth of the backlog per step, and its standard error.

    The growth over blocks is taken as independent: blocks are long against the memory of queues
    away from saturation, and near it the error comes out larger, which is the careful side.
    """
    blocks = 16
    size = (len(backlog) - 1) // blocks
    if size < 1:
        return 0.0, math.inf
    at = backlog[: blocks * size + 1 : size].astype(np.float64)
    steps = np.diff(at) / size
    return float(steps.mean()), float(steps.std(ddof=1) / math.sqrt(blocks))


@dataclass(frozen=True)
class Saturation:
    """The largest stable rate that a bisection found, beside the ideal.

    ``stable`` and ``unstable`` enclose it (packets per step and source); ``ideal`` is the
    throughput from exact pair loads, capped at 1; ``points`` are the rates simulated.
    """

    stable: float
    unstable: float
    ideal: Fraction
    points: list[LoadPoint]

    @property
    def rate(self) -> float:
        """The middle of the enclosing rates."""
        return (self.stable + self.unstable) / 2


def ideal_throughput(network: Network, routing: Routing, traffic: Traffic) -> Fraction:
    """Return the exact rate at which the first channel saturates, at most 1."""
    if traffic.destinations is not None:
        loads = permutation_loads(network, routing, traffic.destinations)
        load, _ = largest_normalised_load(network, loads)
    elif traffic.matrix is None:
        load = evaluate(network, routing).uniform.load
    else:
        raise InputError(f"the ideal throughput of matrix traffic {traffic.name} is not exact")
    return min(Fraction(1), 1 / load) if load else Fraction(1)


def saturation(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    *,
    steps: int = 40_000,
    tolerance: float = 0.01,
    seed: int = 0,
    discipline: str = "fifo",
) -> Saturation:
    """Find the largest stable rate by bisection, each rate simulated from an empty network.

    Parameters
    ----------
    steps
        Steps of each simulation. A channel that is offered a share ε too much fills by ε per
        step, and chance by about the square root of the steps, so the resolution is of the order
        of one over that root.
    tolerance
        Stop when the enclosing rates are this close, relatively.
    seed
        Seed of all simulations.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> ring = make_network("ring:8")
    >>> tornado = Traffic("tornado", make_pattern("tornado").permutation(ring))
    >>> found = saturation(ring, make_routing("dor"), tornado, steps=4000, tolerance=0.03)
    >>> found.ideal, abs(found.rate * 3 - 1) < 0.1
    (Fraction(1, 3), True)
    """
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance {tolerance:g} is out of range; expected between 0 and 1")
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: the largest stable rate needs terminals that each inject and eject "
            "one packet per cycle"
        )
    ideal = ideal_throughput(network, routing, traffic)
    stable, unstable = 0.0, 1.0
    points: list[LoadPoint] = []

    def is_stable(rate: float) -> bool:
        point = load_point(network, routing, traffic, rate, steps, seed, discipline)
        points.append(point)
        return point.stable

    if is_stable(unstable):
        stable = unstable
    while unstable - stable > tolerance * unstable:
        middle = (stable + unstable) / 2
        if is_stable(middle):
            stable = middle
        else:
            unstable = middle
    points.sort(key=lambda point: point.rate)
    return Saturation(stable, unstable, ideal, points)


def load_curve(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    rates: Sequence[float],
    *,
    steps: int = 5_000,
    seed: int = 0,
    discipline: str = "fifo",
) -> list[LoadPoint]:
    """Return accepted over offered traffic and the delay at each rate."""
    return [load_point(network, routing, traffic, rate, steps, seed, discipline) for rate in rates]
