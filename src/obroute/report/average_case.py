"""The average case in the report: what each symmetry is worth, in and out of the sample."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import xarray as xr

from obroute.plots.style import network_label
from obroute.report.wording import decimal
from obroute.trends import design_rows

ALL_PATHS = {"all": "any"}


def average_rows(designs: xr.Dataset) -> list[dict[str, str]]:
    """Return a row for each design for an average case that was judged in and out of its sample.

    Designs of one network and path set are together, those with the least symmetry first: they
    have the best in-sample value, because they are held to the fewest images of the sample.
    """
    rows = [
        row
        for row in design_rows(designs)
        if row["objective"] == "average_case"
        and not math.isnan(row["in_sample_fraction_of_capacity"])
    ]
    rows.sort(
        key=lambda row: (row["network"], row["paths"], -row["in_sample_fraction_of_capacity"])
    )
    return [_shown(row) for row in rows]


def _shown(row: dict[str, Any]) -> dict[str, str]:
    return {
        "network": network_label(row["network"]),
        "paths": ALL_PATHS.get(row["paths"], row["paths"].replace("_", " ")),
        "symmetry": row["symmetry"],
        "bracket": _bracket(row),
        "in_sample": decimal(row["in_sample_fraction_of_capacity"]),
        "out_of_sample": f"{decimal(row['out_of_sample_fraction_of_capacity'])} ± "
        f"{row['out_of_sample_standard_error']:.4f}",
        "path_length": decimal(row["normalized_path_length"]),
    }


def _bracket(row: dict[str, Any]) -> str:
    """Return the proved interval of the best average case for the sample and its images."""
    ends = [row["load_upper_exact"], row["load_lower_exact"]]
    if not all(ends):
        return "–"
    low, high = (_fraction(row, end) for end in ends)
    shown = decimal(low), decimal(high)
    return shown[0] if shown[0] == shown[1] else " to ".join(shown)


def _fraction(row: dict[str, Any], load: str) -> float:
    return float(row["fraction_of_capacity"]) * float(
        Fraction(row["routing_load_exact"]) / Fraction(load)
    )
