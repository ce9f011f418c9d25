"""What is gathered of designs: one entry a network and design."""

from __future__ import annotations

import math
from typing import Any

import xarray as xr

from obroute.experiments.design.store import ARRAYS, ATTRIBUTES
from obroute.results.arrays import CASE, FRACTION, NORMALIZED_LENGTH, ArraySpec, ratio

_VALUES = tuple(
    name
    for name, spec in ARRAYS.items()
    if not spec.dims and not spec.optional and name not in ("load_row_number", "load_limit_exact")
)
_ATTRIBUTES = {name: spec.meaning for name, spec in ATTRIBUTES.items() if name != "scope"}
SUMMARY: dict[str, ArraySpec] = {
    **{name: ARRAYS[name].by_case() for name in _VALUES},
    "fraction_of_capacity": ArraySpec(CASE, "float", "throughput at the load", FRACTION),
    "normalized_path_length": NORMALIZED_LENGTH.by_case(),
    "exact": ArraySpec(CASE, "boolean", "load and path length are proved to be optimal exactly"),
    "in_sample_fraction_of_capacity": ArraySpec(
        CASE,
        "float",
        "average case, 1 over the mean load, over the sample alone that the routing was designed "
        "for; NaN for other objectives",
        FRACTION,
    ),
    "out_of_sample_fraction_of_capacity": ArraySpec(
        CASE, "float", "the same over matrices that it was not designed for", FRACTION
    ),
    "out_of_sample_standard_error": ArraySpec(CASE, "float", "standard error of that", FRACTION),
    "out_of_sample_matrices": ArraySpec(CASE, "integer", "how many those are; -1 for none"),
    **{name: ArraySpec(CASE, "text", meaning) for name, meaning in _ATTRIBUTES.items()},
}
"""Every array of the designs of a study, gathered."""


def summarize(cell: xr.Dataset) -> dict[str, Any]:
    """Return what is gathered of a design."""
    load, length = cell["routing_load_exact"].item(), cell["mean_path_length_exact"].item()
    least, best = cell["least_path_length_exact"].item(), cell["load_lower_exact"].item()
    shortest = cell["mean_shortest_path_length_exact"].item()
    return {
        **{name: cell[name].item() for name in _VALUES},
        **{name: cell.attrs[name] for name in _ATTRIBUTES},
        "fraction_of_capacity": ratio(cell["capacity_load_exact"].item(), load),
        "normalized_path_length": ratio(length, shortest),
        "exact": best in ("", load) and least in ("", length),
        **_averages(cell),
    }


def _averages(cell: xr.Dataset) -> dict[str, float]:
    """Return the average case of a design in and out of its sample, as fractions of capacity."""
    if "in_sample_load" not in cell:
        return {}
    capacity = float(cell["capacity_load"])
    loads = cell["out_of_sample_load"].values
    mean = float(loads.mean())
    deviation = float(loads.std(ddof=1)) if len(loads) > 1 else math.nan
    return {
        "in_sample_fraction_of_capacity": capacity / float(cell["in_sample_load"].values.mean()),
        "out_of_sample_fraction_of_capacity": capacity / mean,
        "out_of_sample_standard_error": capacity / mean**2 * deviation / math.sqrt(len(loads)),
        "out_of_sample_matrices": len(loads),
    }
