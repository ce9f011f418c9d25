"""Closed forms, series, Table 1 and the comparison with the papers, from small studies."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
import xarray as xr
import yaml

import obroute
from obroute import trends
from obroute.specs import InputError
from obroute.trends.closed_forms import romm_asymptote, romm_growth
from obroute.trends.comparison import UNEXPECTED, printing_of

VALUES = yaml.safe_load(
    (Path(__file__).parents[1] / "published" / "values.yaml").read_text(encoding="utf-8")
)
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


def entry(found: list[trends.Comparison], label: str, routing: str) -> trends.Comparison:
    """Give the one comparison of that label, or the beginning of it, and routing."""
    mine = [c for c in found if c.label.startswith(label) and c.routing == routing]
    (one,) = [c for c in mine if c.label == label] or mine
    return one


@pytest.mark.parametrize(
    ("radix", "load"), VALUES["computed"]["romm_random_order_2d"].items(), ids=str
)
def test_romms_closed_form_gives_the_exact_values_of_odd_radices(radix: int, load: str) -> None:
    """Every known exact value of odd k, up to k = 99; even k is refused, not guessed."""
    form = trends.closed_forms["romm"]
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
        for row in VALUES["computed"]["tori"]
        if row["routing"] == routing
    }
    for radix in (3, 4, 5, 8):
        expected = Fraction(rows[f"torus:{radix}x{radix}"])
        assert trends.closed_forms[routing].load(radix) == expected


def test_dor_tends_to_a_quarter_and_romm_has_no_positive_limit() -> None:
    """DOR's fraction stays above its limit 1/4; ROMM's keeps falling with its asymptote."""
    dor, romm = trends.closed_forms["dor"], trends.closed_forms["romm"]
    assert trends.limits("dor").value == Fraction(1, 4)
    assert 0 < dor.fraction(499) - Fraction(1, 4) < Fraction(1, 1000)
    assert trends.limits("romm").value == 0
    assert "no positive limit (proved)" in trends.limits("romm").text
    assert trends.limits("romm:order=fixed").value == 0
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


def test_the_load_over_h_counts_h_as_half_of_k_less_one(study: xr.Dataset) -> None:
    """That is DOR's worst-case load, for even k too, so that DOR's ratio is 1 at every radix."""
    rows = {(row.routing, row.radix): row for row in trends.trend_table(study)}
    assert [rows["dor", k].load_over_h for k in (5, 8, 9)] == [1.0, 1.0, 1.0]
    assert rows["romm", 8].load_over_h == pytest.approx(4.8 / 3.5)


def test_romms_load_over_h_approaches_its_growth_quadratically() -> None:
    """The difference times k² is bounded for odd k: (1/3 - (2 - r)²/4)·4, r = (h - 1) mod 4."""
    romm = trends.closed_forms["romm"]
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


def test_table_1_matches_the_printed_one_entry_by_entry(study: xr.Dataset) -> None:
    """All but the samples are equal as printed; ROMM's worst case is cut, not rounded."""
    table = trends.table1(study)
    printed = VALUES["published"][0]
    for routing in ("dor", "romm"):
        column = [c for c in table if c.routing == routing]
        assert [float(c.printed) for c in column] == list(printed[routing].values())
        verdicts = {c.label: c.verdict for c in column}
        assert verdicts.pop("Worst of random permutations") == "sample"
        assert set(verdicts.values()) == {"equal as printed"}
    worst = entry(table, "Worst case", "romm")
    assert (worst.ours_exact, worst.printed) == ("25/144", "0.173")
    assert worst.note == "cut after 3 decimals (rounded it would be 0.174)"
    assert entry(table, "Worst case", "dor").note == "rounded to 3 decimals"
    assert entry(table, "Worst of", "romm").note.startswith("100 permutations, seed 7")
    assert entry(table, "Worst case", "valiant").verdict == "not published"


def test_table_1_of_another_network_has_no_published_numbers(study: xr.Dataset) -> None:
    """The printed numbers are of the 9-ary 2-cube only."""
    assert {c.verdict for c in trends.table1(study, "torus:8x8")} == {"not published"}
    with pytest.raises(InputError, match="no network 'torus:9x8'"):
        trends.table1(study, "torus:9x8")


def test_uniform_traffic_may_come_from_the_cells() -> None:
    """Every cell holds uniform traffic, whether or not the study names it as a pattern."""
    cell = obroute.cell_dataset(obroute.evaluate("torus:9x9", "romm"))
    study = obroute.study_dataset({"one": cell}, {})
    assert entry(trends.table1(study), "Uniform", "romm").verdict == "not in the study"
    assert entry(trends.table1(study, cells={"one": cell}), "Uniform", "romm").ours_exact == "1"


def test_the_seed_of_a_sample_is_shown():
    """A sample is named with its size and seed, or says that no seed was recorded."""
    settings = {"random_permutation_samples": 20, "seed": 11}
    found = obroute.evaluate("torus:9x9", "dor", **settings)
    label = "Worst of random permutations"
    for recorded, words in ((settings, "seed 11"), ({}, "seed not recorded")):
        study = obroute.study_dataset({"one": obroute.cell_dataset(found, recorded)}, {})
        assert f"20 permutations, {words}" in entry(trends.differences(study), label, "dor").note


@pytest.mark.parametrize("radix", [3, 5, 7, 9, 11])
def test_ival_path_length_of_odd_radices(radix):
    """IVAL's paths on odd 2-cubes are (5k-1)/(3k) of the shortest, so 1.64 is no limit."""
    found = obroute.evaluate(f"torus:{radix}x{radix}", "ival")
    assert found.normalised_path_length == Fraction(5 * radix - 1, 3 * radix)


def test_a_doctored_study_differs_and_says_that_this_is_not_expected(study: xr.Dataset) -> None:
    """A wrong worst case makes its entry differ, by how much."""
    found = trends.table1(doctored(study, "torus:9x9", "romm", "13/2"))
    wrong = entry(found, "Worst case", "romm")
    assert wrong.verdict == "differs"
    assert wrong.difference == pytest.approx(20 / 117 - 0.173)
    assert wrong.explanation == UNEXPECTED
    assert entry(found, "Worst case", "dor").verdict == "equal as printed"


def test_differences_cover_both_papers(study: xr.Dataset) -> None:
    """Each published number that the study covers is there, with ours and a verdict."""
    found = trends.differences(study)
    ratio = entry(found, "ROMM's worst case over DOR's", "romm")
    assert (ratio.verdict, ratio.ours_exact, ratio.printed) == ("differs", "5/8", "62.3%")
    assert ratio.difference == pytest.approx(0.002)
    assert entry(found, "Overestimate", "romm").verdict == "sample"
    assert entry(found, "VAL's path length", "valiant").ours_exact == "2"
    length = entry(found, "IVAL's path length over the minimal settles", "ival")
    assert (length.network, length.verdict) == ("torus:9x9", "differs")
    assert entry(found, "IVAL's path length over the minimal", "ival").ours_exact == "413/256"
    assert entry(found, "IVAL's paths shorter", "ival").verdict == "equal as printed"
    assert entry(found, "DOR–IVAL interpolation", "rlb").verdict == "equal as printed"
    best = [c for c in found if c.label.endswith("the best of any routing")]
    assert [(c.ours_exact, c.verdict) for c in best] == [("1/2", "equal as printed")] * 2
    assert all(c.explanation for c in found if c.verdict in ("differs", "sample"))


def test_what_the_report_says_k_approaches_is_what_k_17_and_19_show(study: xr.Dataset) -> None:
    """0.26 and 0.14 are equal as printed at k = 17 and 19, and differ from the limits."""
    found = [c for c in trends.differences(study) if "as k increases" in c.label]
    assert [(c.routing, c.ours_exact, c.verdict) for c in found] == [
        ("dor", "9/34", "equal as printed"),
        ("dor", "5/19", "equal as printed"),
        ("dor", "1/4", "differs"),
        ("romm", "81/578", "equal as printed"),
        ("romm", "75/551", "equal as printed"),
        ("romm", "0", "differs"),
    ]
    assert all("closed form" in c.note for c in found if c.verdict == "equal as printed")


def test_a_study_of_other_networks_has_no_differences_and_no_trend() -> None:
    """Nothing published covers it; nothing fails."""
    study = obroute.compare(["hypercube:3"], ["dor"])
    assert trends.differences(study) == trends.trend_table(study) == []


@pytest.mark.parametrize(
    ("ours", "printed", "how"),
    [
        (Fraction(1), "1", "exact"),
        (Fraction(5, 18), "0.278", "rounded to 3 decimals"),
        (Fraction(99, 512), "19.3%", "rounded to 1 decimal"),
        (Fraction(129, 1000), "12%", "cut to a whole number (rounded it would be 13%)"),
        (Fraction(5, 8), "62.3%", None),
    ],
)
def test_a_printed_number_is_exact_rounded_cut_or_another(
    ours: Fraction, printed: str, how: str | None
) -> None:
    """The number of decimals printed decides."""
    assert printing_of(ours, printed) == how


def test_tables_are_written_as_csv_with_exact_values(study: xr.Dataset, tmp_path: Path) -> None:
    """Each table has a header and a line an entry; missing values are empty."""
    trends.write_trends(study, tmp_path / "trends.csv")
    trends.write_table1(study, tmp_path / "table1.csv")
    trends.write_summary(study, tmp_path / "new" / "summary.csv")
    tables = {
        file.stem: list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        for file in tmp_path.rglob("*.csv")
    }
    assert [len(tables[name]) for name in ("trends", "table1", "summary")] == [15, 30, 15]
    (romm,) = [
        r for r in tables["summary"] if (r["network"], r["routing"]) == ("torus:9x9", "romm")
    ]
    assert romm["worst_case_load_exact"] == "32/5"
    assert romm["transpose_load_exact"] == "2"
    assert romm["average_case_fraction"] == romm["average_case_samples"] == ""
    assert {row["closed_form"] for row in tables["trends"] if row["routing"] == "rlb"} == {""}
    assert not list(tmp_path.rglob(".*"))


def test_table_1_without_its_network_is_a_header(tmp_path: Path) -> None:
    """The workflow's rule still has its file."""
    trends.write_table1(obroute.compare(["torus:3x3"], ["dor"]), tmp_path / "table1.csv")
    assert (tmp_path / "table1.csv").read_text().splitlines()[0].startswith("source,where,label")


def test_a_file_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    """What stands in the way is named, and stays."""
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match="cannot write"):
        trends.write_whole(tmp_path / "taken" / "table.csv", b"")
    assert (tmp_path / "taken").read_text() == "mine"
