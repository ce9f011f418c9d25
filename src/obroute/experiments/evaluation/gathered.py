"""What is gathered of evaluations: one entry a network and routing."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import xarray as xr

from obroute.experiments.evaluation.store import ARRAYS, critical_focus
from obroute.results.arrays import (
    CASE,
    FRACTION,
    HOPS,
    INJECTION,
    LOAD,
    NORMALIZED_LENGTH,
    ArraySpec,
    exact_and_float,
    ratio,
)

SUMMARY: dict[str, ArraySpec] = {
    **exact_and_float("capacity_load", ("network",), ARRAYS["capacity_load"].meaning, LOAD),
    **exact_and_float(
        "worst_case_load", CASE, "largest load that any traffic puts on any channel", LOAD
    ),
    "worst_case_throughput": ArraySpec(
        CASE, "float", "throughput guaranteed for all traffic", INJECTION
    ),
    "fraction_of_capacity": ArraySpec(CASE, "float", "guaranteed throughput", FRACTION),
    **exact_and_float("mean_path_length", CASE, ARRAYS["mean_path_length"].meaning, HOPS),
    "normalized_path_length": NORMALIZED_LENGTH.by_case(),
    "certified": ArraySpec(CASE, "boolean", "every focus channel's worst case is proved"),
    "critical_tail": ArraySpec(CASE, "integer", "tail of a channel that can be loaded most"),
    "critical_head": ArraySpec(CASE, "integer", "head of that channel"),
    "focus_channels": ArraySpec(CASE, "integer", "focus channels solved"),
    "seed": ArraySpec(CASE, "integer", "seed of every draw; -1 where none is recorded"),
    **exact_and_float(
        "pattern_load", (*CASE, "pattern"), "largest channel load of the pattern", LOAD
    ),
    "pattern_fraction_of_capacity": ArraySpec(
        (*CASE, "pattern"), "float", "throughput of the pattern", FRACTION
    ),
    **exact_and_float(
        "random_permutation_load",
        CASE,
        "largest channel load over the sampled permutations (a sample, no bound)",
        LOAD,
    ),
    "random_permutation_fraction_of_capacity": ArraySpec(
        CASE, "float", "throughput of the worst of them", FRACTION
    ),
    "random_permutation_samples": ArraySpec(CASE, "integer", "permutations sampled"),
    "average_case_throughput": ArraySpec(
        CASE, "float", "mean throughput over sampled traffic matrices", INJECTION
    ),
    "average_case_standard_error": ArraySpec(
        CASE, "float", "standard error of that mean", INJECTION
    ),
    "average_case_fraction_of_capacity": ArraySpec(
        CASE, "float", "average-case throughput", FRACTION
    ),
    "average_case_load_fraction_of_capacity": ArraySpec(
        CASE, "float", "1 over the mean of the sampled loads (SPAA 2003, equation 9)", FRACTION
    ),
    "average_case_kind": ArraySpec(CASE, "text", "kind of the traffic matrices sampled"),
    "average_case_samples": ArraySpec(CASE, "integer", "traffic matrices sampled"),
}
"""Every array of the evaluations of a study, gathered."""


def summarize(cell: xr.Dataset) -> dict[str, Any]:
    """Return what is gathered of a cell."""
    focus = critical_focus(cell)
    worst, capacity = (
        cell["worst_case_load_exact"].values[focus],
        cell["capacity_load_exact"].item(),
    )
    channel = int(cell["focus_channel"].values[focus])
    patterns = cell["pattern_load_exact"].values.tolist()
    summary = {
        "capacity_load": cell["capacity_load"].item(),
        "capacity_load_exact": capacity,
        "pattern_load": cell["pattern_load"].values,
        "pattern_load_exact": cell["pattern_load_exact"].values,
        "pattern_fraction_of_capacity": [ratio(capacity, load) for load in patterns],
        "worst_case_load": cell["worst_case_load"].values[focus],
        "worst_case_load_exact": worst,
        "worst_case_throughput": ratio("1", worst),
        "fraction_of_capacity": ratio(capacity, worst),
        "mean_path_length": cell["mean_path_length"].item(),
        "mean_path_length_exact": cell["mean_path_length_exact"].item(),
        "normalized_path_length": ratio(
            cell["mean_path_length_exact"].item(), cell["mean_shortest_path_length_exact"].item()
        ),
        "certified": bool(cell["certified"].values.all()),
        "critical_tail": int(cell["tail"].values[channel]),
        "critical_head": int(cell["head"].values[channel]),
        "focus_channels": cell.sizes["focus"],
        "seed": json.loads(cell.attrs["settings"]).get("seed", -1),
    }
    if "random_permutation_load" in cell:
        sampled = cell["random_permutation_worst_exact"].item()
        summary |= {
            "random_permutation_load": float(Fraction(sampled)),
            "random_permutation_load_exact": sampled,
            "random_permutation_fraction_of_capacity": ratio(capacity, sampled),
            "random_permutation_samples": cell.sizes["permutation_sample"],
        }
    if "average_case_load" in cell:
        throughput = 1 / cell["average_case_load"].values
        count = len(throughput)
        mean = float(throughput.mean())
        summary |= {
            "average_case_throughput": mean,
            "average_case_standard_error": (
                float(throughput.std(ddof=1) / math.sqrt(count)) if count > 1 else math.nan
            ),
            "average_case_fraction_of_capacity": mean * float(Fraction(capacity))
            if capacity
            else math.nan,
            "average_case_load_fraction_of_capacity": (
                float(Fraction(capacity)) / float(cell["average_case_load"].values.mean())
                if capacity
                else math.nan
            ),
            "average_case_kind": json.loads(cell.attrs["settings"]).get(
                "matrix_kind", "permutation"
            ),
            "average_case_samples": count,
        }
    return summary
