"""Curves read exactly, and the table of designs."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.support.designed_study import curve, designs, study

from obroute import trends
from obroute.kinds.stores import write_store
from obroute.specs import InputError
from obroute.trends.tables import relative_width
from obroute.trends.trade_offs import complete_in_words, worst_point
from obroute.views import StudyData, tables

pytestmark = pytest.mark.designed_study

F = Fraction


def incomplete(dataset: xr.Dataset, **attributes: str) -> xr.Dataset:
    """Give a curve that is not complete, with other attributes."""
    changed = dataset.copy(deep=True)
    changed["complete"] = False
    changed["gap"] = 0.0123
    return changed.assign_attrs(attributes)


def test_a_curve_is_read_exactly() -> None:
    """The six breakpoints of the 4-ary 2-cube, and what lies between them."""
    found = trends.curve_of(curve())
    assert [(found.capacity / load, length / found.shortest) for load, length in found.points] == [
        (F(1, 2), F(27, 20)),
        (F(18, 37), F(187, 144)),
        (F(8, 17), F(5, 4)),
        (F(3, 7), F(55, 48)),
        (F(3, 8), F(25, 24)),
        (F(1, 3), F(1)),
    ]
    assert found.complete
    assert complete_in_words(found) == "complete, 6 breakpoints"
    middle = (found.points[0][0] + found.points[1][0]) / 2
    assert found.length_at(middle) == (found.points[0][1] + found.points[1][1]) / 2
    assert found.length_at(found.best_load - F(1, 100)) is None
    assert found.length_at(F(100)) == found.shortest


def test_the_largest_excess_of_a_mix_is_exact() -> None:
    """No finer grid finds a larger one, and one of the points reaches it."""
    found = trends.curve_of(curve())
    dor, ival = (worst_point(study(), "torus:4x4", name) for name in ("dor", "ival"))
    assert dor is not None
    assert ival is not None
    excess, share = found.most_excess(dor, ival) or (F(0), F(0))
    shares = [F(n, 500) for n in range(501)]
    tried = [
        found.excess(((1 - s) * dor[0] + s * ival[0], (1 - s) * dor[1] + s * ival[1])) or F(0)
        for s in (*shares, share)
    ]
    assert max(tried) == tried[-1] == excess
    assert found.most_excess(dor, (found.best_load / 2, dor[1])) is None


def test_a_curve_that_is_not_complete_says_what_is_open() -> None:
    """In per cent of path length."""
    found = trends.curve_of(incomplete(curve()))
    assert complete_in_words(found) == "not complete, 6 points, at most 1.23 % above the optimum"


def test_another_kind_of_dataset_is_no_curve() -> None:
    """The error names both kinds."""
    with pytest.raises(InputError, match="'evaluations' is no curve; expected a trade_off store"):
        trends.curve_of(study())


def test_designs_are_written_as_csv(tmp_path: Path) -> None:
    """A line a design with its bounds, from a store."""
    write_store(designs(), tmp_path / "designs.zarr")
    found = tables.find("designs").of(StudyData.read(tmp_path / "designs.zarr"))
    one = list(csv.DictReader(found.csv().splitlines()))
    assert len(one) == 6
    (turn,) = [r for r in one if (r["network"], r["design"]) == ("torus:8x8", "2turn")]
    assert (turn["load_lower_exact"], turn["routing_load_exact"]) == ("2", "2")
    assert turn["exact"] == "True"
    assert (turn["relative_width"], turn["normalized_path_length"]) == ("0.0", "1.484375")


def test_the_width_of_an_interval_without_an_end_is_not_known() -> None:
    """A load of nought has no relative width."""
    assert np.isnan(relative_width("", "1"))
    assert relative_width("0", "0") == 0.0
