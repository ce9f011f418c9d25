"""Tables of a study as CSV files, each written whole or not at all."""

from __future__ import annotations

import csv
import io
import math
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import xarray as xr

from obroute.specs import InputError
from obroute.trends.readings import holds, network_names, pattern_names, routing_names, value
from obroute.trends.series import TrendRow, trend_table

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


def write_trends(study: xr.Dataset, path: Path) -> None:
    """Write :func:`~obroute.trends.trend_table` as CSV, a line a radix and routing."""
    write_rows(
        path, [f.name for f in fields(TrendRow)], [asdict(row) for row in trend_table(study)]
    )


def write_summary(study: xr.Dataset, path: Path) -> None:
    """Write every cell of a study as CSV, a line a network and routing.

    Besides the arrays of the study there are two columns a pattern: its exact load and its
    throughput as a fraction of capacity.
    """
    rows = [
        _summary(study, network, routing)
        for network in network_names(study)
        for routing in routing_names(study)
        if holds(study, network, routing)
    ]
    patterns = [column for name in pattern_names(study) for column in _pattern_columns(name)]
    write_rows(path, ["network", "routing", *NETWORK_ARRAYS, *SUMMARY_ARRAYS, *patterns], rows)


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


def write_designs(designs: xr.Dataset, path: Path) -> None:
    """Write every design as CSV: values, proved bounds, and the linear program."""
    write_rows(path, ["network", "design", *DESIGN_ARRAYS], design_rows(designs))


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


def write_rows(path: Path, header: list[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV under a header; what is not known is left empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: "" if _missing(entry) else entry for name, entry in row.items()} for row in rows
    )
    write_whole(path, text.getvalue().encode())


def _missing(entry: Any) -> bool:
    """Say whether an entry is what a study holds in place of none: NaN or the integer -1."""
    if isinstance(entry, float):
        return math.isnan(entry)
    return isinstance(entry, int) and entry == -1


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name beside the target, then rename it.

    Raises
    ------
    InputError
        If the file cannot be written; what was there stays.
    """
    scratch = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            scratch.write_bytes(content)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write {path} ({error.strerror or error}); choose another place for it"
        ) from None
