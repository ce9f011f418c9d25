"""How each published quantity is read from a study, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import xarray as xr

from obroute.trends.closed_forms import torus_uniform_load
from obroute.trends.published import Published, Quantity
from obroute.trends.readings import (
    exact,
    fraction_of_capacity,
    holds,
    normalised_path_length,
    value,
    worst_case_fraction,
)


def measure(
    study: xr.Dataset, item: Published, cells: Mapping[str, xr.Dataset] | None
) -> Fraction | None:
    """Return our value of a published number, None where the study lacks what it takes.

    ``cells`` by their names serve uniform traffic where the study has no such pattern.
    """
    if item.quantity == "pattern":
        found = fraction_of_capacity(
            study, "pattern_load", item.network, routing=item.routing, pattern=item.pattern
        )
        if found is None and item.pattern == "uniform" and cells:
            return _uniform_of_cell(study, item, cells)
        return found
    return _READERS[item.quantity](study, item)


def _uniform_of_cell(
    study: xr.Dataset, item: Published, cells: Mapping[str, xr.Dataset]
) -> Fraction | None:
    cell = cells.get(str(value(study, "cell", network=item.network, routing=item.routing)))
    capacity = exact(study, "capacity_load", network=item.network)
    if cell is None or capacity is None:
        return None
    return capacity / max(Fraction(load) for load in cell["focus_uniform_load_exact"].values)


def _random_permutations(study: xr.Dataset, item: Published) -> Fraction | None:
    return fraction_of_capacity(
        study, "random_permutation_load", item.network, routing=item.routing
    )


def _worst_case(study: xr.Dataset, item: Published) -> Fraction | None:
    return worst_case_fraction(study, item.network, item.routing)


def _average_case(study: xr.Dataset, item: Published) -> Fraction | None:
    found = float(
        value(study, "average_case_fraction", network=item.network, routing=item.routing)
    )
    return None if math.isnan(found) else Fraction(found).limit_denominator(10**6)


def _worst_case_ratio(study: xr.Dataset, item: Published) -> Fraction | None:
    if not holds(study, item.network, item.reference):
        return None
    ours = worst_case_fraction(study, item.network, item.routing)
    other = worst_case_fraction(study, item.network, item.reference)
    return ours / other if ours and other else None


def _overestimate(study: xr.Dataset, item: Published) -> Fraction | None:
    sampled, worst = _random_permutations(study, item), _worst_case(study, item)
    return sampled / worst - 1 if sampled and worst else None


def _path_length(study: xr.Dataset, item: Published) -> Fraction | None:
    return cube_path_length(study, item.network, item.routing)


def cube_path_length(study: xr.Dataset, network: str, routing: str) -> Fraction | None:
    """Return the path length on a k-ary n-cube over the minimal, n rings of mean 2·U hops."""
    if not holds(study, network, routing):
        return None
    radix = int(value(study, "radix", network=network))
    dimensions = int(value(study, "dimensions", network=network))
    shortest = 2 * dimensions * torus_uniform_load(radix)
    return normalised_path_length(study, network, routing, shortest)


def _path_saving(study: xr.Dataset, item: Published) -> Fraction | None:
    ours = cube_path_length(study, item.network, item.routing)
    other = cube_path_length(study, item.network, item.reference)
    return 1 - ours / other if ours and other else None


def _length_excess(study: xr.Dataset, item: Published) -> Fraction | None:
    ours = cube_path_length(study, item.network, item.routing)
    other = cube_path_length(study, item.network, item.reference)
    return ours / other - 1 if ours and other else None


def _interpolation_saving(study: xr.Dataset, item: Published) -> Fraction | None:
    """Return what the mix of DOR and another routing saves of a routing's path length.

    The other is IVAL unless the item names one; the mix is that whose loads add up to the
    routing's worst case. It guarantees that much: exactly that where DOR and the other share a
    worst permutation, as DOR and IVAL do (SPAA 2003, footnote 5).
    """
    names = (item.routing, "dor", item.reference or "ival")
    loads = [exact(study, "worst_case_load", network=item.network, routing=n) for n in names]
    lengths = [cube_path_length(study, item.network, name) for name in names]
    if None in loads or None in lengths:
        return None
    (load, dor, other), (length, short, long) = (
        [Fraction(number or 0) for number in numbers] for numbers in (loads, lengths)
    )
    if dor == other:
        return None
    share_of_dor = (load - other) / (dor - other)
    return 1 - (share_of_dor * short + (1 - share_of_dor) * long) / length


_READERS: dict[Quantity, Callable[[xr.Dataset, Published], Fraction | None]] = {
    "random_permutations": _random_permutations,
    "worst_case": _worst_case,
    "path_length": _path_length,
    "average_case": _average_case,
    "worst_case_ratio": _worst_case_ratio,
    "overestimate": _overestimate,
    "path_saving": _path_saving,
    "interpolation_saving": _interpolation_saving,
    "length_excess": _length_excess,
}
