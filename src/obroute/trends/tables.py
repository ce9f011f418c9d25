"""Tables of a study: the trends, every worst case, every design."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any

import xarray as xr

from obroute.trends.series import TrendRow, trend_table
from obroute.trends.theory import PLACES
from obroute.trends.values import holds, network_names, pattern_names, routing_names, value
from obroute.views import Rows, StudyData, tables

SUMMARY_ARRAYS = (
    "worst_case_load_exact",
    "worst_case_load",
    "worst_case_throughput",
    "fraction_of_capacity",
    "mean_path_length_exact",
    "mean_path_length",
    "normalized_path_length",
    "certified",
    "focus_channels",
    "critical_tail",
    "critical_head",
    "random_permutation_load_exact",
    "random_permutation_fraction_of_capacity",
    "random_permutation_samples",
    "average_case_throughput",
    "average_case_standard_error",
    "average_case_fraction_of_capacity",
    "average_case_samples",
    "cell",
)
NETWORK_ARRAYS = ("family", "radix", "dimensions", "nodes", "capacity_load_exact")


DESIGN_ARRAYS = (
    "objective",
    "paths",
    "routing_load_exact",
    "routing_load",
    "load_lower_exact",
    "load_upper_exact",
    "relative_width",
    "fraction_of_capacity",
    "mean_path_length_exact",
    "least_path_length_exact",
    "normalized_path_length",
    "exact",
    "rows",
    "columns",
    "nonzeros",
    "symmetry",
    "claims",
    "in_sample_fraction_of_capacity",
    "out_of_sample_fraction_of_capacity",
    "out_of_sample_standard_error",
    "solver",
    "seconds",
)
"""Columns of the table of designs; ``relative_width`` is that of the proved bounds of the load."""


@tables.register("trends", "Worst case over the radix, beside the closed forms.", code=PLACES)
def trends(data: StudyData) -> Rows:
    """Return :func:`~obroute.trends.trend_table`, a line a radix and routing."""
    rows = trend_table(data["evaluations"])
    return Rows([field.name for field in fields(TrendRow)], [asdict(row) for row in rows])


@tables.register("summary", "Every network and routing of the study.")
def summary(data: StudyData) -> Rows:
    """Return every cell of a study, a line a network and routing.

    Besides the arrays of the study there are two columns a pattern: its exact load and its
    throughput as a fraction of capacity.
    """
    study = data["evaluations"]
    rows = [
        _summary(study, network, routing)
        for network in network_names(study)
        for routing in routing_names(study)
        if holds(study, network, routing)
    ]
    patterns = [column for name in pattern_names(study) for column in _pattern_columns(name)]
    return Rows(["network", "routing", *NETWORK_ARRAYS, *SUMMARY_ARRAYS, *patterns], rows)


@tables.register(
    "designs", "Every design: its values, proved bounds, and linear program.", needs=("designs",)
)
def designs(data: StudyData) -> Rows:
    """Return every design: values, proved bounds, and the linear program."""
    return Rows(["network", "design", *DESIGN_ARRAYS], design_rows(data["designs"]))


def design_rows(designs: xr.Dataset) -> list[dict[str, Any]]:
    """Return every design of a gathered store as a row of the table of designs."""
    rows = []
    for network in network_names(designs):
        for routing in routing_names(designs):
            place = {"network": network, "routing": routing}
            if not value(designs, "routing_load_exact", **place):
                continue
            row: dict[str, Any] = {"network": network, "design": routing}
            row |= {
                name: value(designs, name, **place)
                for name in DESIGN_ARRAYS
                if name != "relative_width"
            }
            row["relative_width"] = relative_width(
                row["load_lower_exact"], row["load_upper_exact"]
            )
            rows.append(row)
    return rows


def relative_width(lower: str, upper: str) -> float:
    """Return the width of an interval over its upper end; NaN where an end is missing.

    >>> relative_width("3/4", "1"), relative_width("1", "1")
    (0.25, 0.0)
    """
    if not (lower and upper):
        return math.nan
    return float(1 - Fraction(lower) / Fraction(upper)) if Fraction(upper) else 0.0


def _pattern_columns(pattern: str) -> tuple[str, str]:
    return f"{pattern}_load_exact", f"{pattern}_fraction"


def _summary(study: xr.Dataset, network: str, routing: str) -> dict[str, Any]:
    place = {"network": network, "routing": routing}
    row: dict[str, Any] = dict(place)
    row |= {name: value(study, name, network=network) for name in NETWORK_ARRAYS}
    row |= {name: value(study, name, **place) for name in SUMMARY_ARRAYS}
    for pattern in pattern_names(study):
        load, fraction = _pattern_columns(pattern)
        row[load] = value(study, "pattern_load_exact", **place, pattern=pattern)
        row[fraction] = value(study, "pattern_fraction_of_capacity", **place, pattern=pattern)
    return row
