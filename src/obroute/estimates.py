"""Estimates from sampled paths, for a routing with too many paths to list.

The pair loads of a sample of paths are an unbiased estimate of those of the routing (technical
report, section 3.2), but the worst case of the sample is not one of the worst case: the largest
of many sums that err both ways is, on average, too large. Both facts give an interval.

*Above.* Let Z be the worst load of the sample times its paths a pair, in units of the most that
one drawn path can add to it. Taking a path away lowers Z by at most one, and taking each away in
turn by at most Z in all, because the traffic that reaches Z is still there: Z is *self-bounding*.
Such a variable falls below its mean no more easily than a Poisson variable does,
``P(Z ≤ z) ≤ exp(-(E Z - z + z ln(z / E Z)))`` (Boucheron, Lugosi, Massart 2000). The mean is at
least the exact worst case. No bound over all permutations is needed.

*Below.* The load of the traffic found, on the channel found, from a second, independent sample is
unbiased for one load that the routing has. The sample is a sum of independent terms between known
limits, for which ``P(mean ≥ x) ≤ exp(-n D(x ‖ E mean))`` with D the relative entropy of two coins
(Hoeffding 1963, Theorem 1). Terms above the limit are cut off, which only lowers them.

Each side fails with probability at most half of 1 minus the confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.certificates import WorstCase
from obroute.network import Network
from obroute.rational import FloatArray
from obroute.sampling import SampledRouting
from obroute.symmetry import CanonicalSources

CONFIDENCE = 0.95
"""Probability, over the draws, that an interval holds the exact worst case: at least this."""


@dataclass(frozen=True)
class SampledEstimate:
    """What two independent samples of paths say of the worst case.

    Parameters
    ----------
    paths_per_pair, seed, pairs, drawn_paths
        The sample: see :class:`SampledRouting`; ``drawn_paths`` is the size of the first one.
    load
        Load over bandwidth that the second sample puts on the channel by the traffic that the
        first one found: unbiased for one load of the routing, and so a low estimate of the worst.
    standard_error
        Of that load; None with one path a pair, which has no spread.
    lower, upper
        An interval for the exact worst-case load.
    confidence
        The probability, over the draws, that the interval holds it, at least.
    """

    paths_per_pair: int
    seed: int
    pairs: str
    drawn_paths: int
    load: float
    standard_error: float | None
    lower: float
    upper: float
    confidence: float = CONFIDENCE


def estimate(
    network: Network, sampled: SampledRouting, worst: WorstCase, capacity: Fraction | None
) -> SampledEstimate:
    """Return the estimate that a second sample makes of a sampled worst case.

    Parameters
    ----------
    network, sampled
        The network, and the first sample.
    worst
        The worst case of the first sample over a channel of every orbit of the routing.
    capacity
        The capacity load, if known: uniform traffic loads some channel at least so much whatever
        the routing, so that it is a lower bound of every worst case.
    """
    failure = (1 - CONFIDENCE) / 2
    each = sampled.paths_per_pair
    bandwidth = float(network.bandwidth.fraction(worst.channel))
    first, second = drawn_loads(network, sampled, worst)
    means = second.sum() / each
    error = float(np.sqrt(second.var(axis=1, ddof=1).sum() / each)) if each > 1 else None
    limit = float(first.max(initial=0))
    lower = lower_bound(np.minimum(second, limit), limit, failure) / bandwidth
    largest, trivial = limits(network, sampled)
    found = float(worst.load) / bandwidth
    upper = upper_bound(found * each / largest, failure) * largest / each
    return SampledEstimate(
        paths_per_pair=each,
        seed=sampled.seed,
        pairs=sampled.pairs,
        drawn_paths=sampled.drawn_paths(network),
        load=float(means) / bandwidth,
        standard_error=None if error is None else error / bandwidth,
        lower=max(lower, float(capacity or 0)),
        upper=min(upper, trivial),
    )


def drawn_loads(
    network: Network, sampled: SampledRouting, worst: WorstCase
) -> tuple[FloatArray, FloatArray]:
    """Return what each draw of each unit in the traffic adds to the channel's load, twice.

    First in the sample itself, then in an independent one; arrays units × draws. Pairs that are
    images of the same unit share its draws, and their loads are added: draws are independent,
    pairs are not.
    """
    each = sampled.paths_per_pair
    sources = network.sources[worst.sources]
    of_pair = sampled.units(network, sources, network.destinations[worst.destinations])
    units, rows = np.unique(of_pair, return_inverse=True)
    canonical = sampled.canonical(network)
    seen = np.full(len(of_pair), worst.channel)
    if canonical is not None:
        _, seen = np.nonzero(canonical.channel_image[worst.sources] == worst.channel)
    amounts = worst.amounts.to_float()
    loads = []
    for batch, places in (
        (sampled.drawn(network), units),
        (sampled.draw(network, units, 1), None),
    ):
        found = np.zeros((len(units), each))
        first = (np.arange(len(units)) if places is None else places) * each
        for row, channel, amount in zip(rows.tolist(), seen.tolist(), amounts, strict=True):
            starts = batch.starts[first[row] : first[row] + each + 1]
            hits = np.flatnonzero(batch.channels[starts[0] : starts[-1]] == channel) + starts[0]
            draws = np.searchsorted(starts, hits, side="right") - 1
            found[row] += amount * np.bincount(draws, minlength=each)
        loads.append(found)
    return loads[0], loads[1]


def limits(network: Network, sampled: SampledRouting) -> tuple[float, float]:
    """Return the most that one drawn path, and that all traffic, can add to a normalized load.

    A path of a unit loads a channel once for every source of the orbit whose automorphism carries
    one of its hops there.
    """
    crossings = sampled.routing.most_crossings(network)
    longest = sampled.routing.longest_path(network)
    canonical, times = sampled.canonical(network), crossings
    if canonical is not None:
        times = crossings * int(np.bincount(canonical.canonical).max())
        if longest is not None:
            times = min(times, longest * _overlap(canonical))
    injection, ejection = network.injection, network.ejection
    pair = min(float(injection.to_float().max()), float(ejection.to_float().max()))
    traffic = float(min(injection.sum(), ejection.sum()))
    narrowest = float(network.bandwidth.to_float().min())
    return pair * times / narrowest, traffic * crossings / narrowest


def _overlap(canonical: CanonicalSources) -> int:
    """Return how many sources of an orbit carry one channel to the same channel, at the most."""
    most = 1
    for number in range(len(canonical.nodes)):
        images = canonical.channel_image[canonical.canonical == number]
        for channel in range(images.shape[1]):
            most = max(most, int(np.bincount(images[:, channel]).max()))
    return most


def upper_bound(found: float, failure: float) -> float:
    """Return the largest mean that a self-bounding variable may have where it is ``found``.

    If the mean were larger, a value so low would have a probability below ``failure``.

    Examples
    --------
    >>> f"{upper_bound(0, 0.025):.4f} {upper_bound(100, 0.025):.2f}"
    '3.6889 129.67'
    """
    limit = -math.log(failure)

    def excess(mean: float) -> float:
        return mean - found + (found * math.log(found / mean) if found else 0.0) - limit

    high = found + limit + 1
    while excess(high) < 0:
        high *= 2
    return _crossing(excess, found, high)


def lower_bound(terms: FloatArray, limit: float, failure: float) -> float:
    """Return the least sum of row means that terms between 0 and ``limit`` may have.

    ``terms`` are independent, rows × draws, each row from one distribution. If the sum were
    smaller, values so high would have a probability below ``failure``.

    Examples
    --------
    >>> float(round(lower_bound(np.ones((1, 100)), 1.0, 0.025), 4))
    0.9638
    """
    if not limit or not terms.size:
        return 0.0
    mean = min(1.0, float(terms.mean()) / limit)
    allowed = -math.log(failure) / terms.size

    def slack(chance: float) -> float:
        """Rise from negative to positive as the chance of the coin rises to the mean."""
        return allowed - _entropy(mean, chance)

    least = _crossing(slack, 0.0, mean) if mean else 0.0
    return float(least * limit * terms.shape[0])


def _entropy(mean: float, chance: float) -> float:
    """Return the relative entropy of a coin of one chance to that of another."""
    if chance <= 0:
        return math.inf if mean else 0.0
    part = mean * math.log(mean / chance) if mean else 0.0
    return part + ((1 - mean) * math.log((1 - mean) / (1 - chance)) if mean < 1 else 0.0)


def _crossing(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function turns from negative to positive, by halving."""
    for _ in range(200):
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return high
