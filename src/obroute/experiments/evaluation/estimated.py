"""Estimates from sampled paths in words: intervals, rounded outwards."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING

from obroute.rational import exactly

if TYPE_CHECKING:
    from obroute.estimates import SampledEstimate
    from obroute.throughput import Evaluation


def estimate_rows(found: Evaluation) -> list[tuple[str, str]]:
    """Say between which bounds a sampled worst case lies, and what it guarantees."""
    load, sampled = found.worst_case_load, found.estimate
    assert sampled is not None
    level = f"with at least {sampled.confidence:.0%} confidence"
    rows = [
        ("worst-case load", f"{between(sampled.lower, sampled.upper)}, {level}"),
        (
            "in the sample",
            f"{exactly(load)} over channel bandwidth; too high on average",
        ),
        ("same traffic, drawn again", with_error(sampled)),
    ]
    if sampled.lower:
        ends = 1 / sampled.upper, 1 / sampled.lower
        rows.append(("throughput", f"{between(*ends)} of injection bandwidth"))
        if found.capacity_load is not None:
            low, high = (float(found.capacity_load) * end for end in ends)
            rows.append(("fraction of capacity", between(low, high)))
    return rows


def between(low: float, high: float) -> str:
    """Say an interval, rounded outwards.

    >>> between(1.23456, 1.23454)
    'from 1.234 to 1.235'
    """
    ends = [
        Decimal(value).normalize(Context(prec=4, rounding=rounding))
        for value, rounding in ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    ]
    return f"from {float(ends[0]):.4g} to {float(ends[1]):.4g}"


def with_error(sampled: SampledEstimate) -> str:
    """Say the load in the second sample, with its standard error where there is one."""
    if sampled.standard_error is None:
        return f"{sampled.load:.6g} (no standard error: one path a pair has no spread)"
    return f"{sampled.load:.6g} ± {sampled.standard_error:.2g} (one standard error)"
