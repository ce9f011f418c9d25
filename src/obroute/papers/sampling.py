"""How far a printed number that was measured on a random sample may be from ours by chance.

The papers' samples have errors of their own, however large ours is: of a mean, the spread of our
matrices over the root of the paper's count; of an extreme, what as many draws as the paper's give
when they are drawn anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from obroute.papers.published import Published
from obroute.papers.stores import Stores
from obroute.rational import FloatArray
from obroute.trends.values import value

ERRORS = 2
"""Standard errors of a difference that chance is taken to explain."""
MEANS = frozenset({"average_case", "average_shortfall", "best_average_in_sample"})
EXTREMES = frozenset({"random_permutations", "overestimate"})


@dataclass(frozen=True)
class Spread:
    """What chance allows: the interval of our value, and in words how it was found.

    ``low`` and ``high`` are NaN where our sample is too small to tell.
    """

    low: float
    high: float
    words: str

    def holds(self, number: Fraction) -> bool:
        """Say whether the printed number lies within."""
        return self.low <= float(number) <= self.high


def spread_of(stores: Stores, item: Published, ours: Fraction) -> Spread | None:
    """Return what chance allows of a printed number, None where it was not sampled."""
    if item.quantity in MEANS and item.sample:
        return _mean(stores, item, ours)
    if item.quantity in EXTREMES:
        return _extreme(stores, item)
    return None


def _mean(stores: Stores, item: Published, ours: Fraction) -> Spread | None:
    found = _deviation(stores, item, ours)
    if found is None:
        return None
    deviation, count = found
    if deviation == 0:
        return None  # the same under all traffic
    own, theirs = deviation / math.sqrt(count), deviation / math.sqrt(item.sample)
    if item.quantity == "best_average_in_sample":
        own = theirs  # an optimum of its own sample, of as many matrices as the paper's
    rounding = float(Fraction(1, 2 * 10**item.decimals)) if not item.value else 0.0
    reach = max(rounding, _number(item.margin)) + ERRORS * math.hypot(own, theirs)
    seed = int(value(stores.study, "seed", network=item.network, routing=item.routing))
    unit = 100 if item.percent else 1
    sign = " points" if item.percent else ""
    words = (
        f"ours over {count} matrices, seed {'not recorded' if seed < 0 else seed}, standard error "
        f"{own * unit:.2g}{sign}; the paper's over {item.sample}, by our spread "
        f"{theirs * unit:.2g}{sign}"
    )
    return Spread(float(ours) - reach, float(ours) + reach, words)


def _number(text: str) -> float:
    return float(text.rstrip("%")) / (100 if text.endswith("%") else 1) if text else 0.0


def _deviation(stores: Stores, item: Published, ours: Fraction) -> tuple[float, int] | None:
    """Return the standard deviation by matrix of a mean, or of a ratio of means, and the count."""
    throughputs = _throughputs(stores, item)
    if item.quantity != "average_shortfall":
        if throughputs is not None:
            return float(throughputs.std(ddof=1)), len(throughputs)
        return _recorded(stores, item)
    best = _throughputs(stores, replace(item, routing=item.reference))
    if throughputs is None or best is None or len(best) != len(throughputs):
        one, other = (
            _recorded(stores, by) for by in (item, replace(item, routing=item.reference))
        )
        if one is None or other is None:
            return None
        mean = float(
            value(
                stores.study, "average_case_fraction_of_capacity", **_place(item, item.reference)
            )
        )
        ratio = 1 - float(ours)
        return math.hypot(one[0], ratio * other[0]) / mean, one[1]
    # Both over the same matrices: the errors of a ratio largely cancel.
    ratio = 1 - float(ours)
    return float((throughputs - ratio * best).std(ddof=1) / best.mean()), len(best)


def _place(item: Published, routing: str) -> dict[str, str]:
    return {"network": item.network, "routing": routing}


def _throughputs(stores: Stores, item: Published) -> FloatArray | None:
    """Return the throughput of each matrix as a fraction of capacity; None without two of them."""
    loads = stores.sample("average_case_load", item.network, item.routing)
    capacity = stores.load("capacity_load", item.network)
    if loads is None or capacity is None or len(loads) < ERRORS:
        return None
    return float(capacity) / loads


def _recorded(stores: Stores, item: Published) -> tuple[float, int] | None:
    """Return the standard deviation that the study's own standard error says, and the count."""
    if not stores.holds(item.network, item.routing):
        return None
    place = _place(item, item.routing)
    error = float(value(stores.study, "average_case_standard_error", **place))
    capacity = stores.load("capacity_load", item.network)
    count = int(value(stores.study, "average_case_samples", **place))
    if math.isnan(error) or capacity is None:
        return None
    return error * float(capacity) * math.sqrt(count), count


def _extreme(stores: Stores, item: Published) -> Spread | None:
    """Return the range of the extremes of as many permutations as the paper's, drawn anew.

    One more such extreme is outside the range of m of them with probability at most 2/(m + 1),
    whatever its distribution: all m + 1 are alike, and at most two of them are at the ends.
    """
    loads = stores.sample("random_permutation_load", item.network, item.routing)
    capacity = stores.load("capacity_load", item.network)
    worst = stores.load("worst_case_load", item.network, routing=item.routing)
    if loads is None or capacity is None or worst is None:
        return None
    count = len(loads) // item.sample
    seed = int(value(stores.study, "seed", **_place(item, item.routing)))
    drawn = f"seed {'not recorded' if seed < 0 else seed}"
    if count < ERRORS:
        words = f"{len(loads)} permutations, {drawn}: one extreme has no error to compare with"
        return Spread(math.nan, math.nan, words)
    blocks = np.asarray(loads[: count * item.sample]).reshape(count, item.sample).max(axis=1)
    found = float(capacity) / blocks
    if item.quantity == "overestimate":
        found = found * float(worst / capacity) - 1
    half = float(Fraction(1, 2 * 10**item.decimals))
    unit = 100 if item.percent else 1
    words = (
        f"the worst of {item.sample}, {count} times ({drawn}): {found.min() * unit:.4g} to "
        f"{found.max() * unit:.4g}{'%' if item.percent else ''}; one more is outside with "
        f"probability at most {Fraction(2, count + 1)}"
    )
    return Spread(float(found.min()) - half, float(found.max()) + half, words)
