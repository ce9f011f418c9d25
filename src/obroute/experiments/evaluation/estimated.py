"""Estimates from sampled paths in words: intervals, rounded outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obroute.decimals import interval
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
        ("worst-case load", f"{interval(sampled.lower, sampled.upper, 4)}, {level}"),
        (
            "in the sample",
            f"{exactly(load)} over channel bandwidth; too high on average",
        ),
        ("same traffic, drawn again", with_error(sampled)),
    ]
    if sampled.lower:
        ends = 1 / sampled.upper, 1 / sampled.lower
        rows.append(("throughput", f"{interval(*ends, 4)} of injection bandwidth"))
        if found.capacity_load is not None:
            low, high = (float(found.capacity_load) * end for end in ends)
            rows.append(("fraction of capacity", interval(low, high, 4)))
    return rows


def with_error(sampled: SampledEstimate) -> str:
    """Say the load in the second sample, with its standard error where there is one."""
    if sampled.standard_error is None:
        return f"{sampled.load:.6g} (no standard error: one path a pair has no spread)"
    return f"{sampled.load:.6g} ± {sampled.standard_error:.2g} (one standard error)"
