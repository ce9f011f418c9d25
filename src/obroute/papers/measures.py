"""How each published quantity is read from a study, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from obroute.papers.closed_forms import closed_forms, cube_path_length
from obroute.papers.published import Published
from obroute.papers.stores import Stores
from obroute.theorems.path_lengths import IVAL_LIMIT, mean_path_length
from obroute.trends.series import series_of
from obroute.trends.values import routing_names, value

Measure = Callable[[Stores, Published], Fraction | None]
"""Our value of a published number; None where the stores lack what it takes."""

measures: dict[str, Measure] = {}
"""How each quantity is measured, by its name."""


def measure(name: str) -> Callable[[Measure], Measure]:
    """Register how a quantity is measured."""

    def register(function: Measure) -> Measure:
        if name in measures:
            raise ValueError(f"quantity {name} is measured twice")
        measures[name] = function
        return function

    return register


@measure("pattern")
def pattern(stores: Stores, item: Published) -> Fraction | None:
    """Return the throughput of a pattern; uniform traffic is in every cell."""
    place = {"routing": item.routing, "pattern": item.pattern}
    found = stores.fraction("pattern_load", item.network, **place)
    if found is None and item.pattern == "uniform" and stores.holds(item.network, item.routing):
        name = value(stores.study, "cell", network=item.network, routing=item.routing)
        cell = stores.cells.get(str(name))
        capacity = stores.load("capacity_load", item.network)
        if cell is not None and capacity is not None:
            return capacity / max(
                Fraction(load) for load in cell["focus_uniform_load_exact"].values
            )
    return found


@measure("random_permutations")
def random_permutations(stores: Stores, item: Published) -> Fraction | None:
    """Return the throughput of the worst of the sampled permutations.

    Of a longer sample than the paper's, the worst of its first so many.
    """
    loads = stores.sample("random_permutation_load", item.network, item.routing)
    capacity = stores.load("capacity_load", item.network)
    if loads is not None and capacity is not None and 0 < item.sample < len(loads):
        return capacity / Fraction(float(loads[: item.sample].max())).limit_denominator(10**6)
    return stores.fraction("random_permutation_load", item.network, routing=item.routing)


@measure("worst_case")
def worst_case(stores: Stores, item: Published) -> Fraction | None:
    """Return the guaranteed throughput."""
    return stores.fraction("worst_case_load", item.network, routing=item.routing)


@measure("worst_case_ratio")
def worst_case_ratio(stores: Stores, item: Published) -> Fraction | None:
    """Return the guaranteed throughput over that of another routing."""
    ours, other = (worst_case(stores, by) for by in (item, replace(item, routing=item.reference)))
    return ours / other if ours and other else None


@measure("overestimate")
def overestimate(stores: Stores, item: Published) -> Fraction | None:
    """Return how far the worst of a sample is above the worst case, relative."""
    sampled, worst = random_permutations(stores, item), worst_case(stores, item)
    return sampled / worst - 1 if sampled and worst else None


@measure("average_case")
def average_case(stores: Stores, item: Published) -> Fraction | None:
    """Return the mean throughput over the sampled matrices."""
    if not stores.holds(item.network, item.routing):
        return None
    found = float(
        value(
            stores.study,
            "average_case_fraction_of_capacity",
            network=item.network,
            routing=item.routing,
        )
    )
    return None if math.isnan(found) else Fraction(found).limit_denominator(10**6)


@measure("average_shortfall")
def average_shortfall(stores: Stores, item: Published) -> Fraction | None:
    """Return how far an average case is below another, relative, on the study's sample."""
    ours, best = (average_case(stores, by) for by in (item, replace(item, routing=item.reference)))
    return 1 - ours / best if ours and best else None


@measure("approximation_error")
def approximation_error(stores: Stores, item: Published) -> Fraction | None:
    """Return the largest relative error of 1 over the mean load, over the sampled cells."""
    samples = [
        stores.sample("average_case_load", item.network, routing)
        for routing in routing_names(stores.study)
    ]
    errors = [
        1 - 1 / (float(np.mean(loads)) * float(np.mean(1 / loads)))
        for loads in samples
        if loads is not None
    ]
    return Fraction(max(errors)).limit_denominator(10**6) if errors else None


@measure("path_length")
def path_length(stores: Stores, item: Published) -> Fraction | None:
    """Return the mean path length over that of shortest paths."""
    return cube_path_length(stores.study, item.network, item.routing)


@measure("path_saving")
def path_saving(stores: Stores, item: Published) -> Fraction | None:
    """Return how much shorter the paths are than those of another routing, relative."""
    excess = length_excess(stores, item)
    return None if excess is None else -excess


@measure("length_excess")
def length_excess(stores: Stores, item: Published) -> Fraction | None:
    """Return how much longer the paths are than those of another routing, relative."""
    ours, other = (path_length(stores, by) for by in (item, replace(item, routing=item.reference)))
    return ours / other - 1 if ours and other else None


@measure("interpolation_saving")
def interpolation_saving(stores: Stores, item: Published) -> Fraction | None:
    """Return what the mix of DOR and another routing saves of a routing's path length.

    The other is IVAL unless the item names one; the mix is that whose loads add up to the
    routing's worst case. It guarantees that much: exactly that where DOR and the other share a
    worst permutation, as DOR and IVAL do (SPAA 2003, footnote 5).
    """
    names = (item.routing, "dor", item.reference or "ival")
    loads = [stores.load("worst_case_load", item.network, routing=name) for name in names]
    lengths = [path_length(stores, replace(item, routing=name)) for name in names]
    if None in loads or None in lengths:
        return None
    (load, dor, other), (length, short, long) = (
        [Fraction(number or 0) for number in numbers] for numbers in (loads, lengths)
    )
    if dor == other:
        return None
    share_of_dor = (load - other) / (dor - other)
    return 1 - (share_of_dor * short + (1 - share_of_dor) * long) / length


@measure("excess_over_interpolation")
def excess_over_interpolation(stores: Stores, item: Published) -> Fraction | None:
    """Return how much longer a routing's paths are than those of the mix, relative."""
    saving = interpolation_saving(stores, item)
    return None if saving is None else 1 / (1 - saving) - 1


@measure("mix_over_bound")
def mix_over_bound(stores: Stores, item: Published) -> Fraction | None:
    """Return the worst-case load of a half-and-half mix over the mean of its parts' loads."""
    names = (item.routing, "dor", "ival")
    loads = [stores.load("worst_case_load", item.network, routing=name) for name in names]
    mix, dor, ival = (Fraction(load or 0) for load in loads)
    return None if None in loads else 2 * mix / (dor + ival)


@measure("focus_channels")
def focus_channels(stores: Stores, item: Published) -> Fraction | None:
    """Return how many channels stand for all of them."""
    if not stores.holds(item.network, item.routing):
        return None
    place = {"network": item.network, "routing": item.routing}
    return Fraction(int(value(stores.study, "focus_channels", **place)))


@measure("limit")
def limit(stores: Stores, item: Published) -> Fraction | None:
    """Return where the fraction of capacity goes, of a routing that the study evaluates."""
    return closed_forms[item.routing].limit.value if _has_series(stores, item) else None


@measure("length_limit")
def length_limit(stores: Stores, item: Published) -> Fraction | None:
    """Return where IVAL's path length over the minimal goes."""
    return IVAL_LIMIT if _has_series(stores, item) else None


@measure("length_at")
def length_at(stores: Stores, item: Published) -> Fraction | None:
    """Return IVAL's path length over the minimal at a radix, by theorem if the study lacks it."""
    if not _has_series(stores, item):
        return None
    radix = int(item.network.rpartition("x")[2])
    proved = mean_path_length(item.routing, radix) / mean_path_length("dor", radix)
    return path_length(stores, item) or proved


@measure("fraction_at")
def fraction_at(stores: Stores, item: Published) -> Fraction | None:
    """Return the guaranteed throughput at a radix, by the closed form if the study lacks it."""
    if not _has_series(stores, item):
        return None
    radix = int(item.network.rpartition("x")[2])
    return worst_case(stores, item) or closed_forms[item.routing].fraction(radix)


def _has_series(stores: Stores, item: Published) -> bool:
    """Say whether the study has a routing on k-ary 2-cubes of several radices."""
    return any(
        (series.family, series.dimensions, series.options) == ("torus", 2, "")
        and any(stores.holds(network, item.routing) for network in series.networks.values())
        for series in series_of(stores.study)
    )
