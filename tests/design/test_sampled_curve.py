"""Trade-off curves of large average cases: points that exist, lines that no routing is below."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.datasets import trade_off_dataset

from obroute import make_network
from obroute.certificates import CertificateError
from obroute.design import DesignProblem, design, trade_off
from obroute.design import task as task_module
from obroute.design.sampled_curve import (
    BoundedPoint,
    SampledCurve,
    corners,
    largest_gap,
    sampled_curve,
)
from obroute.kinds.stores import write_store
from obroute.verification import verify_stores

SAMPLE: dict[str, Any] = {"samples": 5, "seed": 4, "symmetry": "translations"}


@cache
def found() -> SampledCurve:
    """Find a curve of the 4-ary 2-cube."""
    problem = DesignProblem(make_network("torus:4x4"), "average_case", **SAMPLE)
    return sampled_curve(problem, None, 4)


def test_no_exact_optimum_is_below_a_line_and_the_points_are_as_near_as_is_said() -> None:
    """At loads all along the curve, by the simplex method."""
    curve = found()
    network = make_network("torus:4x4")
    assert curve.solves == 4
    for left, right in pairwise(curve.points):
        for share in (Fraction(1, 3), Fraction(1)):
            load = left.load + share * (right.load - left.load)
            chord = left.path_length + share * (right.path_length - left.path_length)
            least = design(
                network,
                "average_case",
                then="locality",
                load=load,
                method="simplex",
                **SAMPLE,
            ).path_length
            assert max(point.bound(load) for point in curve.points) <= least <= chord
            assert chord <= least * Fraction(1 + curve.gap + 1e-12)


def test_the_curve_falls_to_the_shortest_paths() -> None:
    """By rising load, each slope less steep than the one before."""
    points = found().points
    slopes = [(b.path_length - a.path_length) / (b.load - a.load) for a, b in pairwise(points)]
    assert slopes == sorted(slopes)
    assert max(slopes) < 0
    assert points[-1].path_length == make_network("torus:4x4").mean_shortest_path_length()


def test_corners_and_gap_of_a_curve_drawn_by_hand() -> None:
    """The middle point lies on the segment of its neighbours; the lines cross below it."""
    one, middle, other = (
        BoundedPoint(Fraction(load), Fraction(length), Fraction(slope), Fraction(line))
        for load, length, slope, line in ((1, 4, -2, 4), (2, 3, -1, 2), (3, 2, 0, 1))
    )
    assert corners([other, middle, one]) == [one, other]
    # Lines 6 − 2x, 4 − x and 1 cross at (2, 2) and (3, 1); the chord there is at 3 and 2.
    assert largest_gap([one, middle, other]) == pytest.approx(1.0)


def test_large_curves_are_found_this_way_and_their_stores_verify(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A line that a store raises above its point, or above another, is found."""
    monkeypatch.setattr(task_module, "FLOWS", 100)
    curve = trade_off(make_network("torus:3x3"), "average_case", **SAMPLE, most_solves=4)
    assert not curve.complete
    assert "first order" in curve.solver
    right = trade_off_dataset(curve)
    write_store(right, tmp_path / "right.zarr")
    assert [one.kind for one in verify_stores(tmp_path / "right.zarr")] == ["trade_off"]
    lines = right["line_exact"].values.copy()
    lines[1] = str(Fraction(lines[1]) * 2)
    write_store(right.assign(line_exact=("vertex", lines)), tmp_path / "wrong.zarr")
    with pytest.raises(CertificateError, match="line"):
        list(verify_stores(tmp_path / "wrong.zarr"))
