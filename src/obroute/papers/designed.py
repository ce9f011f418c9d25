"""How the published quantities are read that take designed routings and trade-off curves."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from obroute.papers.measures import measure
from obroute.papers.published import Published
from obroute.papers.stores import Stores
from obroute.trends.trade_offs import shares_sample, worst_point
from obroute.trends.values import holds, value

BEST_AVERAGE = "optimal:objective=average_case"


@measure("best_worst_case")
def best_worst_case(stores: Stores, item: Published) -> Fraction | None:
    """Return capacity over the proved lower bound of the load of any routing."""
    design, curve = stores.design(item.network, item.routing), stores.curves.get("worst_case")
    if design is not None and design["load_lower_exact"].item():
        lower = Fraction(design["load_lower_exact"].item())
        return Fraction(design["capacity_load_exact"].item()) / lower
    return curve.capacity / curve.best_load if curve and curve.capacity else None


@measure("above_minimal")
def above_minimal(stores: Stores, item: Published) -> Fraction | None:
    """Return how far a worst-case load is above the proved least of a design's path set."""
    design = stores.design(item.network, item.reference)
    load = stores.load("worst_case_load", item.network, routing=item.routing)
    if design is None or load is None or not design["load_lower_exact"].item():
        return None
    return load / Fraction(design["load_lower_exact"].item()) - 1


def equal_at(stores: Stores, item: Published) -> list[int]:
    """Return the radices at which :func:`above_minimal` is nought in these stores."""
    found = []
    for radix in range(3, 65):
        network = f"torus:{radix}x{radix}"
        if above_minimal(stores, replace(item, network=network)) == 0:
            found.append(radix)
    return found


def largest_excess(stores: Stores, item: Published) -> tuple[Fraction, Fraction] | None:
    """Return how far the mixes of DOR and a routing are above the curve, and at which share."""
    curve = stores.curves.get("worst_case")
    dor, other = (worst_point(stores.study, item.network, n) for n in ("dor", item.routing))
    if curve is None or dor is None or other is None:
        return None
    return curve.most_excess(dor, other)


@measure("interpolation_excess")
def interpolation_excess(stores: Stores, item: Published) -> Fraction | None:
    """Return how far the mixes of DOR and a routing are above the curve, at most."""
    found = largest_excess(stores, item)
    return None if found is None else found[0]


@measure("interpolation_share")
def interpolation_share(stores: Stores, item: Published) -> Fraction | None:
    """Return the share of the other routing at the largest distance."""
    found = largest_excess(stores, item)
    return None if found is None else found[1]


@measure("interpolation_place")
def interpolation_place(stores: Stores, item: Published) -> Fraction | None:
    """Return how far from DOR to the other the largest distance is, by throughput."""
    share = interpolation_share(stores, item)
    dor, other = (worst_point(stores.study, item.network, n) for n in ("dor", item.routing))
    if share is None or dor is None or other is None:
        return None
    first, here, last = (
        1 / load for load in (dor[0], (1 - share) * dor[0] + share * other[0], other[0])
    )
    return (here - first) / (last - first)


@measure("best_average_in_sample")
def best_average_in_sample(stores: Stores, item: Published) -> Fraction | None:
    """Return capacity over the best mean load, on the sample that it was designed for."""
    design, curve = stores.design(item.network, item.routing), stores.curves.get("average_case")
    if design is not None and design["capacity_load_exact"].item():
        load = Fraction(design["routing_load_exact"].item())
        return Fraction(design["capacity_load_exact"].item()) / load
    if curve is None or curve.routing != item.routing:
        return None  # another sample, or another symmetry
    return curve.capacity / curve.best_load if curve.capacity else None


@measure("curve_excess")
def curve_excess(stores: Stores, item: Published) -> Fraction | None:
    """Return how far a design is above the curve at its own load, both on the curve's sample."""
    curve, design = (
        stores.curves.get("average_case"),
        stores.design(item.network, item.routing),
    )
    if curve is None or design is None:
        return None
    length = Fraction(design["mean_path_length_exact"].item())
    if curve.routing == BEST_AVERAGE:
        return curve.excess((Fraction(design["routing_load_exact"].item()), length))
    place = {"network": item.network, "routing": item.routing}
    if curve.capacity is None or not shares_sample(stores.study, curve):
        return None
    if not holds(stores.study, **place):
        return None
    average = float(value(stores.study, "average_case_load_fraction_of_capacity", **place))
    return (
        None if math.isnan(average) else curve.excess((curve.capacity / Fraction(average), length))
    )
