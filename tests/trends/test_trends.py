"""Closed forms, series and tables, from small studies."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.support.published import COMPUTED

import obroute
from obroute import trends, views
from obroute.papers.closed_forms import closed_forms, romm_asymptote, romm_growth
from obroute.specs import InputError
from obroute.theorems import Bounds
from obroute.trends import theory, theory_of
from obroute.views import StudyData

PATTERNS = ["uniform", "bit_complement", "transpose", "tornado"]


@pytest.fixture(scope="module")
def study() -> xr.Dataset:
    """Give the default study's routings at the papers' two radices, and one more."""
    return obroute.compare(
        ["torus:5x5", "torus:8x8", "torus:9x9"],
        ["dor", "romm", "valiant", "ival", "rlb"],
        PATTERNS,
        random_permutation_samples=100,
        seed=7,
    )


def doctored(study: xr.Dataset, network: str, routing: str, load: str) -> xr.Dataset:
    """Give a copy of a study with another worst-case load in one place."""
    changed = study.copy(deep=True)
    at = {"network": network, "routing": routing}
    changed["worst_case_load_exact"].loc[at] = load
    changed["worst_case_load"].loc[at] = float(Fraction(load))
    return changed


@pytest.mark.parametrize(("radix", "load"), COMPUTED["romm_random_order_2d"].items(), ids=str)
def test_romms_closed_form_gives_the_exact_values_of_odd_radices(radix: int, load: str) -> None:
    """Every known exact value of odd k, up to k = 99; even k is refused, not guessed."""
    form = closed_forms["romm"]
    if radix % 2:
        assert form.load(radix) == Fraction(load)
    else:
        with pytest.raises(InputError, match="odd k"):
            form.load(radix)


@pytest.mark.parametrize("routing", ["dor", "valiant", "ival"])
def test_closed_forms_give_the_exact_values_of_square_tori(routing: str) -> None:
    """The tori of two equal dimensions, k = 3, 4, 5 and 8."""
    rows = {
        row["network"]: row["worst_case_load"]
        for row in COMPUTED["tori"]
        if row["routing"] == routing
    }
    for radix in (3, 4, 5, 8):
        expected = Fraction(rows[f"torus:{radix}x{radix}"])
        assert closed_forms[routing].load(radix) == expected


def test_dor_tends_to_a_quarter_and_romm_has_no_positive_limit() -> None:
    """DOR's fraction stays above its limit 1/4; ROMM's keeps falling with its asymptote."""
    dor, romm = closed_forms["dor"], closed_forms["romm"]
    limits = {name: theory_of("torus", 2).limit(name) for name in ("dor", "romm", "rlb", "ecmp")}
    assert limits["dor"].value == Fraction(1, 4)
    assert 0 < dor.fraction(499) - Fraction(1, 4) < Fraction(1, 1000)
    assert limits["romm"].value == 0
    assert "no positive limit (proved)" in limits["romm"].text
    assert limits["rlb"].value == theory_of("torus", 2).limit("romm:order=fixed").value == 0
    assert limits["ecmp"] is None
    assert float(romm.fraction(4999)) == pytest.approx(romm_asymptote(4999), rel=1e-3)
    assert romm.fraction(4999) < romm.fraction(499) < romm.fraction(49)


def test_trend_rows_hold_each_radix_beside_its_closed_form(study: xr.Dataset) -> None:
    """Rows rise with k and agree where a form covers them; even k of ROMM have a bracket."""
    rows = {(row.routing, row.radix): row for row in trends.trend_table(study)}
    assert [radix for routing, radix in rows if routing == "romm"] == [5, 8, 9]
    assert rows["romm", 9].worst_case_load_exact == "32/5"
    assert rows["romm", 9].fraction_of_capacity_exact == "25/144"
    assert rows["romm", 9].agreement == "agrees"
    assert rows["romm", 8].agreement == "within bounds"
    assert rows["romm", 8].closed_form_exact == ""
    assert (rows["romm", 8].lower_exact, rows["romm", 8].upper_exact) == ("9/2", "193/40")
    assert rows["rlb", 9].agreement == rows["rlb", 9].lower_exact == ""
    assert all(rows[r, k].agreement == "agrees" for r in ("dor", "valiant") for k in (5, 8, 9))


def test_only_what_a_theorem_gives_is_called_proved(study: xr.Dataset) -> None:
    """A certificate of one radix is a check of that radix; a bracket does not give the load."""
    rows = {(row.routing, row.radix): row.standing for row in trends.trend_table(study)}
    assert {rows[r, k] for r in ("dor", "valiant", "ival") for k in (5, 8, 9)} == {"proved"}
    assert {rows["romm", k] for k in (5, 9)} == {"proved"}
    assert {rows["romm", 8], *(rows["rlb", k] for k in (5, 8, 9))} == {"checked"}
    wrong = trends.trend_table(doctored(study, "torus:9x9", "romm", "13/2"))
    assert [r.standing for r in wrong if (r.routing, r.radix) == ("romm", 9)] == ["checked"]


def test_loads_in_three_dimensions_are_proved_where_a_theorem_covers_them() -> None:
    """DOR, VAL and IVAL; ROMM's theorem is about two dimensions."""
    study = obroute.compare(
        ["torus:3x3x3", "torus:4x4x4"], ["dor", "valiant", "ival", "o1turn", "romm"]
    )
    found = {(r.routing, r.radix): (r.standing, r.agreement) for r in trends.trend_table(study)}
    assert {found[r, k] for r in ("dor", "valiant", "ival") for k in (3, 4)} == {
        ("proved", "agrees")
    }
    assert {found[r, k] for r in ("o1turn", "romm") for k in (3, 4)} == {("checked", "")}


def test_the_load_over_h_counts_h_as_half_of_k_less_one(study: xr.Dataset) -> None:
    """That is DOR's worst-case load, for even k too, so that DOR's ratio is 1 at every radix."""
    rows = {(row.routing, row.radix): row for row in trends.trend_table(study)}
    assert [rows["dor", k].load_over_h for k in (5, 8, 9)] == [1.0, 1.0, 1.0]
    assert rows["romm", 8].load_over_h == pytest.approx(4.8 / 3.5)


def test_romms_load_over_h_approaches_its_growth_quadratically() -> None:
    """The difference times k² is bounded for odd k: (1/3 - (2 - r)²/4)·4, r = (h - 1) mod 4."""
    romm = closed_forms["romm"]
    for radix in range(101, 999, 10):
        r = ((radix - 1) // 2 - 1) % 4
        difference = float(2 * romm.load(radix) / (radix - 1)) - romm_growth(radix)
        predicted = 4 * (1 / 3 - (2 - r) ** 2 / 4) / (radix + 1) ** 2
        assert difference == pytest.approx(predicted, abs=20 / radix**3)


def test_a_wrong_load_is_reported_as_differing_from_the_closed_form(study: xr.Dataset) -> None:
    """Nothing is raised: the row says so."""
    rows = trends.trend_table(doctored(study, "torus:9x9", "romm", "13/2"))
    assert [(r.routing, r.radix) for r in rows if r.agreement == "differs"] == [("romm", 9)]


def test_closed_forms_scale_with_the_channels_bandwidth() -> None:
    """Twice the bandwidth, half the load, in a series of its own."""
    networks = ["torus:3x3", "torus:5x5", "torus:3x3,bandwidth=2", "torus:5x5,bandwidth=2"]
    study = obroute.compare(networks, ["romm"])
    rows = {row.network: row for row in trends.trend_table(study)}
    assert len(trends.series_of(study)) == 2
    assert rows["torus:5x5,bandwidth=2"].worst_case_load_exact == "4/3"
    assert all(row.agreement == "agrees" for row in rows.values())


@pytest.mark.parametrize("radix", [3, 5, 7, 9, 11])
def test_ival_path_length_of_odd_radices(radix):
    """IVAL's paths on odd 2-cubes are (5k-1)/(3k) of the shortest, so 1.64 is no limit."""
    found = obroute.evaluate(f"torus:{radix}x{radix}", "ival")
    assert found.normalized_path_length == Fraction(5 * radix - 1, 3 * radix)


def test_tables_have_exact_values(study: xr.Dataset) -> None:
    """Each table has a header and a line an entry; missing values are empty."""
    data = StudyData({"evaluations": study})
    tables = {
        name: list(csv.DictReader(views.tables.find(name).of(data).csv().splitlines()))
        for name in ("trends", "summary")
    }
    assert [len(tables[name]) for name in ("trends", "summary")] == [15, 15]
    (romm,) = [
        r for r in tables["summary"] if (r["network"], r["routing"]) == ("torus:9x9", "romm")
    ]
    assert romm["worst_case_load_exact"] == "32/5"
    assert romm["transpose_load_exact"] == "2"
    assert romm["average_case_fraction_of_capacity"] == romm["average_case_samples"] == ""
    assert {row["closed_form"] for row in tables["trends"] if row["routing"] == "rlb"} == {""}


def test_a_file_is_written_whole_in_folders_that_are_made(tmp_path: Path) -> None:
    """Nothing is left beside it."""
    views.write_whole(tmp_path / "new" / "table.csv", b"k\n")
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["table.csv"]


def test_a_file_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    """What stands in the way is named, and stays."""
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match="cannot write"):
        views.write_whole(tmp_path / "taken" / "table.csv", b"")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_study_of_other_networks_has_no_trend() -> None:
    """A series has two radices."""
    assert trends.trend_table(obroute.compare(["hypercube:3"], ["dor"])) == []


def test_series_rise_by_the_size_that_their_family_says() -> None:
    """Hypercubes and butterflies by their dimension, complete graphs by nodes; files by none."""
    named = ["hypercube:3", "hypercube:2", "complete:3", "complete:5", "torus:2x2", "torus:3x3"]
    found = trends.series_of(obroute.compare(named, ["ecmp"]))
    assert [(series.title, list(series.networks)) for series in found] == [
        ("hypercube, by dimension n", [2, 3]),
        ("complete, by nodes N", [3, 5]),
        ("k-ary 2-cubes", [2, 3]),
    ]
    rows = trends.trend_table(obroute.compare(named[:2], ["dor"]))
    assert [(row.radix, row.worst_case_load_exact) for row in rows] == [(2, "1"), (3, "2")]
    assert all(np.isnan(row.load_over_h) and row.closed_form_exact == "" for row in rows)


def test_a_family_may_bring_its_own_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a complete graph every packet has its own channel: the load is 1, whatever the size."""

    class CompleteTheory(trends.Theory):
        def capacity_load(self, radix: int) -> Fraction:
            return Fraction(1, radix)

        def bounds(self, routing: str, radix: int) -> Bounds:
            return Bounds(Fraction(1), Fraction(1))

    theory_of("torus", 2)  # theories are found before they are changed
    monkeypatch.setattr(theory, "_theories", dict(theory._theories))
    theory.theory("complete")(lambda dimensions: CompleteTheory())
    with pytest.raises(ValueError, match="two theories"):
        theory.theory("complete")(lambda dimensions: CompleteTheory())
    rows = trends.trend_table(obroute.compare(["complete:3", "complete:4"], ["ecmp"]))
    assert [(row.closed_form_exact, row.agreement, row.standing) for row in rows] == [
        ("1", "agrees", "proved")
    ] * 2
