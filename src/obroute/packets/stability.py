"""Load points, and the largest stable rate, from the drift of the critical channels' queue.

The throughput that pair loads give is an ideal: the rate at which the first channel is fully used
(:mod:`obroute.packets.expected`). No higher rate is stable, whatever the queueing: more packets
enter that have to cross a critical channel than it can send. That every lower rate is stable is no
theorem. It holds for some disciplines and networks and fails for others, FIFO among them, where an
adversary injects (Andrews et al., J. ACM 48(1), 2001); for random injection it is measured here.

*The queue of the critical channels* are the packets anywhere in the network that still have to
cross one, a packet for each crossing to come. In a step it grows by the crossings that injected
packets bring and falls by those made. Its *drift* is what it grows by, less the capacity that the
channels left unused: the growth that it has while it is not empty. Below the ideal rate the drift
is negative and above positive, with no bias from a queue that is still filling. As sources inject
independently from step to step, so are the terms of the drift, and the means of batches of steps
give an interval by Student's distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from obroute.choices.packets import QUEUE
from obroute.network import Network
from obroute.packets.expected import Expectation, expectation, loading
from obroute.packets.injection import check_rates, inject
from obroute.packets.simulation import Run, simulate
from obroute.rational import FloatArray, IntArray
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.traffic import Traffic

FEWEST_STEPS = 100
BATCHES = 32
LEVEL = 0.95
DRIFT_ERRORS = 2.040
"""Standard errors to either side of a drift at that level: Student's distribution with
``BATCHES - 1`` degrees of freedom."""
GROWTH_BATCHES = 16
GROWTH_ERRORS = 3.733
"""Standard errors that the backlog's growth has to exceed to speak against stability: 0.1 % to
one side of Student's distribution with ``GROWTH_BATCHES - 1`` degrees of freedom."""

STABLE, UNSTABLE, UNDECIDED = "stable", "unstable", "undecided"


@dataclass(frozen=True)
class LoadPoint:
    """One rate of a network simulator's usual curves.

    ``offered`` and ``accepted`` are packets per step and sending source, injected and delivered in
    the second half of the run; ``mean_delay`` is that of the packets delivered then, in steps.
    Pairs that load no channel are in none of them. ``drift`` is that of the critical channels'
    queue over the whole run, as a share of their capacity, of which ``unused`` is the share that
    was left unused; ``growth`` the packets by which the network fills in the second half, per step
    and sending source. Both have standard errors.
    """

    rate: float
    offered: float
    accepted: float
    mean_delay: float
    largest_queue: int
    drift: float
    drift_error: float
    unused: float
    growth: float
    growth_error: float

    @property
    def verdict(self) -> str:
        """``stable``, ``unstable``, or ``undecided`` where the run is too short to tell.

        Unstable is a rate at which the critical channels' queue drifts upwards; stable one at
        which it drifts downwards and the packets in the network are not seen to grow in number.
        """
        margin = DRIFT_ERRORS * self.drift_error
        if self.drift > margin:
            return UNSTABLE
        if self.drift <= -margin and self.growth <= GROWTH_ERRORS * self.growth_error:
            return STABLE
        return UNDECIDED


def load_point(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    rate: float,
    steps: int,
    seed: int = 0,
    discipline: str = QUEUE,
    *,
    half_duplex: bool = False,
    expected: Expectation | None = None,
) -> LoadPoint:
    """Simulate one rate for a number of steps, from an empty network.

    ``expected`` is what :func:`obroute.packets.expected.expectation` gives, if it is known.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> ring = make_network("ring:8")
    >>> uniform = make_pattern("uniform").traffic(ring)
    >>> point = load_point(ring, make_routing("dor"), uniform, 0.5, 2000, seed=1)
    >>> point.verdict, abs(point.accepted - 0.5) < 0.03
    ('stable', True)
    """
    if steps < FEWEST_STEPS:
        raise InputError(
            f"{steps} steps are too few to tell growth from chance; expected at least "
            f"{FEWEST_STEPS}"
        )
    check_rates(network, traffic)
    routing.check(network)
    known = expected or expectation(network, routing, traffic, half_duplex)
    packets = inject(network, routing, traffic, rate, steps, seed)
    run = simulate(
        network,
        packets,
        discipline,
        seed,
        step_limit=steps,
        half_duplex=half_duplex,
        watched=known.critical,
    )
    return _measure(run, known, rate, steps)


def _measure(run: Run, expected: Expectation, rate: float, steps: int) -> LoadPoint:
    half = steps // 2
    scale = expected.sending * (steps - half)
    counted = loading(run.packets, expected.idle)
    window = counted & (run.delivered > half) & (run.delivered <= steps)
    offered = np.count_nonzero(counted & (run.packets.injected >= half))
    delays = run.delivered[window] - run.packets.injected[window]
    growth, growth_error = _mean_growth(_padded(run.in_network, steps)[half:])
    drift, unused = _queue_of_the_critical(run, expected, steps)
    return LoadPoint(
        rate=rate,
        offered=offered / scale if scale else 0.0,
        accepted=int(window.sum()) / scale if scale else 0.0,
        mean_delay=float(delays.mean()) if len(delays) else math.nan,
        largest_queue=run.largest_queue,
        drift=float(drift.mean()),
        drift_error=_batch_error(drift, BATCHES),
        unused=float(unused.mean()),
        growth=growth / expected.sending if expected.sending else 0.0,
        growth_error=growth_error / expected.sending if expected.sending else 0.0,
    )


def _queue_of_the_critical(
    run: Run, expected: Expectation, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Return drift and unused capacity of the critical channels in each step, over capacity."""
    if not expected.capacity:
        return np.full(steps, -1.0), np.ones(steps)
    paths = run.packets.paths
    before = np.r_[0, np.cumsum(expected.critical[paths.channels])]
    crossings = before[paths.starts[1:]] - before[paths.starts[:-1]]
    brought = np.bincount(run.packets.injected, weights=crossings, minlength=steps)
    made = _padded(run.watched_crossings, steps)
    growth: FloatArray = (brought - made) / expected.capacity
    unused: FloatArray = 1 - made / expected.capacity
    return growth - unused, unused


def _padded(values: IntArray, steps: int) -> IntArray:
    """Return a value a step: a run that ends early has nothing to count in the steps left."""
    padded = np.zeros(steps, dtype=np.int64)
    padded[: len(values)] = values
    return padded


def _batch_error(values: FloatArray, batches: int) -> float:
    """Return the standard error of a mean, from the means of batches of consecutive values."""
    size = len(values) // batches
    means = values[len(values) - batches * size :].reshape(batches, size).mean(axis=1)
    return float(means.std(ddof=1) / math.sqrt(batches))


def _mean_growth(backlog: IntArray) -> tuple[float, float]:
    """Return the mean growth of the backlog per step, and its standard error.

    The growth over batches is taken as independent: they are long against the memory of queues
    away from saturation, and near it the error comes out larger, which is the careful side.
    """
    size = (len(backlog) - 1) // GROWTH_BATCHES
    at = backlog[: GROWTH_BATCHES * size + 1 : size].astype(np.float64)
    growth = np.diff(at) / size
    return float(growth.mean()), float(growth.std(ddof=1) / math.sqrt(GROWTH_BATCHES))


@dataclass(frozen=True)
class Saturation:
    """The interval of the largest stable rate, beside the ideal.

    ``stable`` is the largest rate that the simulations show to be stable and ``unstable`` the
    least that they show to be unstable (packets per step and source; 0 and 1 where there is
    none), each at the level of :data:`LEVEL` for both sides together; ``ideal`` is the throughput
    from exact pair loads, capped at 1; ``points`` are the rates simulated.
    """

    stable: float
    unstable: float
    ideal: Fraction
    critical_channels: int
    points: list[LoadPoint] = field(repr=False)

    @property
    def rate(self) -> float:
        """The middle of the interval."""
        return (self.stable + self.unstable) / 2


def _interval(measure: Callable[[float], LoadPoint], tolerance: float) -> tuple[float, float]:
    """Return the largest rate found stable and the least found unstable, between 0 and 1.

    The drift is about linear in the rate, so the first rate to look at is where the line through
    rate 0 (drift -1) and rate 1 crosses nought; then outwards with growing steps, and halves.
    """
    full = measure(1.0)
    if full.verdict == STABLE:
        return 1.0, 1.0
    stable, unstable = 0.0, 1.0
    undecided: list[float] = []
    down = up = tolerance
    rate = min(1 / (1 + full.drift), 1 - tolerance)
    while True:
        verdict = measure(rate).verdict
        if verdict == STABLE:
            stable = rate
        elif verdict == UNSTABLE:
            unstable = rate
        else:
            undecided.append(rate)
        undecided = [rate for rate in undecided if stable < rate < unstable]
        lowest, highest = min(undecided, default=unstable), max(undecided, default=stable)
        if lowest - stable > tolerance * unstable and (undecided or not stable):
            rate, down = max((stable + lowest) / 2, (1 - down) * lowest), 2 * down
        elif unstable - highest > tolerance * unstable:
            rate, up = min((highest + unstable) / 2, (1 + up) * highest), 2 * up
        else:
            return stable, unstable


def saturation(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    *,
    steps: int,
    tolerance: float,
    seed: int = 0,
    discipline: str = QUEUE,
    half_duplex: bool = False,
) -> Saturation:
    """Find the interval of the largest stable rate; each rate is simulated from an empty network.

    Parameters
    ----------
    steps
        Steps of each simulation. Chance moves the drift by about one over the root of the steps
        and of the number of critical channels, and so the width of the interval.
    tolerance
        How close each end of the interval is to a rate that is undecided or on the other side,
        relatively.
    seed
        Seed of all simulations.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> ring = make_network("ring:8")
    >>> tornado = make_pattern("tornado").traffic(ring)
    >>> interval = saturation(ring, make_routing("dor"), tornado, steps=4000, tolerance=0.03)
    >>> interval.ideal, interval.stable < 1 / 3 < interval.unstable, interval.rate * 3 < 1.1
    (Fraction(1, 3), True, True)
    """
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance {tolerance:g} is out of range; expected between 0 and 1")
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: the largest stable rate needs terminals that each inject and eject "
            "one packet per cycle"
        )
    check_rates(network, traffic)
    routing.check(network)
    expected = expectation(network, routing, traffic, half_duplex)
    points: list[LoadPoint] = []

    def measure(rate: float) -> LoadPoint:
        point = load_point(
            network,
            routing,
            traffic,
            rate,
            steps,
            seed,
            discipline,
            half_duplex=half_duplex,
            expected=expected,
        )
        points.append(point)
        return point

    stable, unstable = _interval(measure, tolerance)
    points.sort(key=lambda point: point.rate)
    return Saturation(stable, unstable, expected.ideal, int(expected.critical.sum()), points)


def load_curve(
    network: Network,
    routing: Routing,
    traffic: Traffic,
    rates: Sequence[float],
    *,
    steps: int,
    seed: int = 0,
    discipline: str = QUEUE,
    half_duplex: bool = False,
) -> list[LoadPoint]:
    """Return accepted over offered traffic and the delay at each rate."""
    expected = expectation(network, routing, traffic, half_duplex)
    return [
        load_point(
            network,
            routing,
            traffic,
            rate,
            steps,
            seed,
            discipline,
            half_duplex=half_duplex,
            expected=expected,
        )
        for rate in rates
    ]
