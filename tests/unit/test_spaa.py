"""Curves read exactly, the SPAA paper's numbers beside ours, and the tables of designs."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import yaml
from tests.designed_study import cells, curve, designs, study

import obroute
from obroute import trends
from obroute.results import read_store, write_store
from obroute.specs import InputError
from obroute.trends.published import AT_ONE_RADIX, IVAL_SETTLES, SPAA
from obroute.trends.published_designs import OPTIMUM_SETTLES, SPAA_DESIGNS
from obroute.trends.tables import relative_width
from obroute.trends.trade_offs import complete_in_words, mix_at, worst_point

VALUES = yaml.safe_load(
    (Path(__file__).parents[1] / "published" / "values.yaml").read_text(encoding="utf-8")
)
F = Fraction


def row(found: list[trends.SpaaRow], quantity: str) -> trends.SpaaRow:
    """Give the one row whose quantity begins so."""
    (one,) = [r for r in found if r.quantity.startswith(quantity)]
    return one


def incomplete(dataset: xr.Dataset, **attributes: str) -> xr.Dataset:
    """Give a curve that is not complete, with other attributes."""
    changed = dataset.copy(deep=True)
    changed["complete"] = False
    changed["gap"] = 0.0123
    return changed.assign_attrs(attributes)


@pytest.fixture(scope="module")
def table() -> list[trends.SpaaRow]:
    """Give the table of a study with designs and curves."""
    return trends.spaa_table(study(), designs(), [curve(), curve("torus:8x8")], cells())


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
    assert mix_at(dor, ival, dor[0] + 1) is None


def test_a_curve_that_is_not_complete_says_what_is_open() -> None:
    """In per cent of path length."""
    found = trends.curve_of(incomplete(curve()))
    assert complete_in_words(found) == "not complete, 6 points, at most 1.23% above the optimum"


def test_another_kind_of_dataset_is_no_curve() -> None:
    """The error names both kinds."""
    with pytest.raises(InputError, match="'study' is no curve; expected a trade_off store"):
        trends.curve_of(study())


def test_every_number_of_the_paper_is_in_the_table() -> None:
    """Each value of the SPAA entries in values.yaml is among the printed ones."""
    (values,) = [
        entry["values"]
        for entry in VALUES["published"]
        if "SPAA 2003" in str(entry.get("source")) and "values" in entry
    ]
    known = [item for item in AT_ONE_RADIX if item.source == SPAA]
    printed = {item.printed for item in (*known, *SPAA_DESIGNS, IVAL_SETTLES, OPTIMUM_SETTLES)}
    numbers = {float(text.rstrip("%")) / (100 if text.endswith("%") else 1) for text in printed}
    for name, value in values.items():
        text = re.search(r"[\d.]+%?", str(value))
        assert text is not None
        number = float(text[0].rstrip("%")) / (100 if text[0].endswith("%") else 1)
        assert any(np.isclose(number, one) for one in numbers), name


@pytest.mark.parametrize(
    ("quantity", "ours", "exact", "agrees"),
    [
        ("Best worst case", "50%", "1/2", "yes"),
        ("VAL's path length", "2", "2", "yes"),
        ("IVAL's paths shorter", "19.336%", "99/512", "yes"),
        ("2TURN's path length", "1.4844", "95/64", "yes"),
        ("2TURN's paths shorter", "25.781%", "33/128", "yes"),
        ("2TURN's paths longer than the optimum by", "0.36095%", "41/11359", "yes"),
        ("IVAL's paths longer", "9.0765%", "1031/11359", "yes"),
        ("2TURN's paths longer than the optimum at k = 4", "0%", "0", "yes"),
        ("Least path length at the best worst case, over", "1.479", "11359/7680", "yes"),
        ("DOR–IVAL interpolation above", "18.157%", "119330/657201", "no"),
        ("DOR–2TURN interpolation above", "10.884%", "16/147", "no"),
    ],
)
def test_the_papers_numbers_stand_beside_ours(
    table: list[trends.SpaaRow], quantity: str, ours: str, exact: str, agrees: str
) -> None:
    """Exact values; a number that differs has its reason, one that agrees needs none."""
    found = row(table, quantity)
    assert (found.ours, found.ours_exact, found.agrees) == (ours, exact, agrees)
    assert bool(found.why) == (agrees == "no")


def test_what_the_paper_leaves_open_has_a_row_for_each_reading(
    table: list[trends.SpaaRow],
) -> None:
    """Both orders of RLB where the study has them, one of RLBth."""
    assert len([r for r in table if "at RLB's worst case by (order" in r.quantity]) == 4
    assert len([r for r in table if "at RLBth's worst case by (order random)" in r.quantity]) == 2
    found = row(table, "DOR–IVAL interpolation shorter than RLBth")
    assert found.why == "cut to a whole number (rounded it would be 13%)"
    found = row(table, "DOR–2TURN interpolation shorter than RLB at RLB's worst case by (order r")
    assert found.agrees == "no"
    assert found.why.endswith("Taken as the excess over the mix's length ours is 19.6%.")


def test_averages_are_those_of_the_studys_sample() -> None:
    """Against a doctored best, with size, seed and standard error; in sample from the designs."""
    best = "optimal:objective=average_case"

    def renamed(dataset: xr.Dataset) -> xr.Dataset:
        names = [best if n == "optimal" else "2turna" for n in ("optimal", "2turn")]
        part = dataset.sel(routing=["optimal", "2turn"]).assign_coords(routing=names)
        return xr.concat([dataset, part], "routing", data_vars="minimal").assign_attrs(
            dataset.attrs
        )

    curves = [curve("torus:8x8").assign_attrs(objective="average_case", routing=best)]
    found = trends.spaa_table(renamed(study()), renamed(designs()), curves)
    assert row(found, "Best average case of any routing, on the sample").ours == "50%"
    shortfall = row(found, "2TURN's average case below")
    means = study()["average_case_fraction"].sel(network="torus:8x8")
    expected = 100 * float(1 - means.sel(routing="2turn") / means.sel(routing="optimal"))
    assert float(shortfall.ours.rstrip("%")) == pytest.approx(expected, abs=1e-3)
    assert "10 matrices, seed 5" in shortfall.why
    assert "below ours in sample, 50.00%" in shortfall.why
    assert "below the printed best, 62.80%" in shortfall.why
    assert "first dimension" in row(found, "IVAL's average case below").why
    assert row(found, "2TURNA's paths longer").ours == "0.36095%"
    found = trends.spaa_table(renamed(study()), renamed(designs()), [incomplete(curves[0])])
    assert "its path lengths are at most 1.23% above" in row(found, "2TURNA's paths longer").why


def test_a_mean_within_two_standard_errors_agrees() -> None:
    """One further away does not."""
    near = study().copy(deep=True)
    place = {"network": "torus:8x8", "routing": "ival"}
    for error, agrees in ((0.01, "yes"), (0.001, "no")):
        near["average_case_fraction"].loc[place] = 0.58
        near["average_case_standard_error"].loc[place] = error
        found = row(trends.spaa_table(near), "IVAL's average case (8.4%")
        assert found.agrees == agrees
    assert "standard error 0.10% (10 matrices" in found.why


def test_another_sample_is_not_compared() -> None:
    """A curve of other matrices than 2TURNA's gives no row."""
    other = curve("torus:8x8").assign_attrs(
        objective="average_case", routing="optimal:objective=average_case,seed=9"
    )
    found = trends.spaa_table(study(), designs(), [other])
    assert not [r for r in found if r.quantity.startswith("2TURNA's paths")]


def test_rows_whose_ingredients_are_missing_are_left_out(table: list[trends.SpaaRow]) -> None:
    """Without curves no excess over them; without cells no error; without the network nothing."""
    bare = {r.quantity for r in trends.spaa_table(study())}
    assert not any("interpolation above" in quantity for quantity in bare)
    assert not any("Error of 1 over" in quantity for quantity in bare)
    assert row(table, "Error of 1 over").agrees == "yes"
    assert trends.spaa_table(obroute.compare(["hypercube:3"], ["dor"])) == []


def test_tables_of_designs_are_written_as_csv(tmp_path: Path) -> None:
    """A line a design with its bounds, from a store; a line a number of the paper."""
    write_store(designs(), tmp_path / "designs.zarr")
    trends.write_designs(read_store(tmp_path / "designs.zarr", "designs"), tmp_path / "one.csv")
    trends.write_spaa(study(), tmp_path / "two.csv", designs(), [curve("torus:8x8")])
    one, two = (
        list(csv.DictReader((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines()))
        for name in ("one", "two")
    )
    assert len(one) == 6
    (turn,) = [r for r in one if (r["network"], r["design"]) == ("torus:8x8", "2turn")]
    assert (turn["load_lower_exact"], turn["routing_load_exact"]) == ("2", "2")
    assert turn["exact"] == "True"
    assert (turn["relative_width"], turn["normalised_path_length"]) == ("0.0", "1.484375")
    assert list(two[0])[:3] == ["where", "quantity", "printed"]
    assert {r["agrees"] for r in two} == {"yes", "no"}


def test_the_width_of_an_interval_without_an_end_is_not_known() -> None:
    """A load of nought has no relative width."""
    assert np.isnan(relative_width("", "1"))
    assert relative_width("0", "0") == 0.0
