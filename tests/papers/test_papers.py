"""The papers' numbers beside ours: one comparator, one verdict a number."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import cell_dataset, design_dataset, gathered_dataset
from tests.support.designed_study import cells, curve, designs, study
from tests.support.published import VALUES, read

import obroute
from obroute.design import design
from obroute.papers import Published, published, sources
from obroute.papers.comparison import (
    UNEXPECTED,
    VERDICTS,
    Comparison,
    compare,
    cut_agrees,
    rounds_to,
)
from obroute.papers.computed import figure_9_load, program_sizes
from obroute.papers.measures import measures
from obroute.papers.published import figure_9, left_out, number_of
from obroute.papers.tables import table1
from obroute.specs import InputError
from obroute.study import read_study
from obroute.trends.virtual_channels import judged_paths
from obroute.views import StudyData, tables

pytestmark = pytest.mark.designed_study

ROOT = Path(__file__).parents[2]
PATTERNS = ["uniform", "bit_complement", "transpose", "tornado"]
F = Fraction


@pytest.fixture(scope="module")
def small() -> xr.Dataset:
    """Give a study of both papers' networks without designs."""
    return obroute.compare(
        ["torus:5x5", "torus:8x8", "torus:9x9"],
        ["dor", "romm", "romm:order=fixed", "valiant", "ival", "rlb"],
        PATTERNS,
    )


@pytest.fixture(scope="module")
def table() -> dict[str, Comparison]:
    """Give the comparison of a study with designs and curves."""
    found = compare(study(), designs(), [curve(), curve("torus:8x8")], cells())
    return {row.id: row for row in found}


def by_id(found: list[Comparison]) -> dict[str, Comparison]:
    """Give the rows by their names, each once."""
    rows = {row.id: row for row in found}
    assert len(rows) == len(found)
    return rows


# ---------------------------------------------------------------------------------- the data


def test_every_number_has_a_source_a_measure_and_a_name_of_its_own() -> None:
    """The file holds nothing that the comparator would pass over in silence."""
    assert len({item.id for item in published()}) == len(published())
    for item in published():
        assert item.source in sources()
        assert all(variant.quantity in measures for variant in item.variants())
        assert item.number is not None
        assert isinstance(item.bound, bool)
        assert item.value or number_of(item.printed) == item.number


def test_every_number_of_the_tests_own_list_is_there() -> None:
    """Each value of the SPAA entries in values.yaml is among the printed ones."""
    (values,) = [
        entry["values"]
        for entry in VALUES["published"]
        if "SPAA 2003" in str(entry.get("source")) and "values" in entry
    ]
    numbers = [float(item.number) for item in published()]
    for name, value in values.items():
        found = re.search(r"[\d.]+%?", str(value))
        assert found is not None
        assert any(np.isclose(float(number_of(found[0])), one) for one in numbers), name


def test_the_table_of_the_report_is_there_entry_by_entry() -> None:
    """As the tests' own list has it."""
    printed = VALUES["published"][0]
    for routing in ("dor", "romm"):
        mine = [i for i in published() if i.where == "Table 1" and i.routing == routing]
        assert [float(item.number) for item in mine] == [*map(float, printed[routing].values())]


def test_a_word_is_no_number() -> None:
    """It needs a value to compare with."""
    with pytest.raises(ValueError, match="'four' is no number"):
        number_of("four")


# ------------------------------------------------------------------------------ rounding rules


@pytest.mark.parametrize(
    ("ours", "changes", "rounds", "cuts"),
    [
        (F(1), {"printed": "1"}, True, True),
        (F(5, 18), {"printed": "0.278"}, True, False),
        (F(25, 144), {"printed": "0.173"}, False, True),
        (F(99, 512), {"printed": "19.3%"}, True, True),
        (F(14982, 100000), {"printed": "14%"}, False, True),
        (F(5, 8), {"printed": "62.3%"}, False, False),
        (F(1, 8), {"printed": "0.13"}, True, False),
        (F(36095, 10**7), {"printed": "0.3%", "bound": True}, False, True),
        (F(18157, 100000), {"printed": "20%", "bound": True}, True, True),
        (F(1, 1000), {"printed": "none", "value": "0%"}, False, False),
        (F(0), {"printed": "none", "value": "0%"}, True, False),
        (F(5757, 10000), {"printed": "57.5%", "margin": "0.08%"}, True, False),
        (F(5759, 10000), {"printed": "57.5%", "margin": "0.08%"}, False, False),
    ],
)
def test_rounding_is_strict_and_cutting_a_remark(
    ours: Fraction, changes: dict[str, Any], rounds: bool, cuts: bool
) -> None:
    """The number of decimals printed decides; a number in words is met exactly."""
    item = Published("", "", "", "", quantity="worst_case", **changes)
    assert rounds_to(ours, item) is rounds
    assert cut_agrees(ours, item) is cuts


# ---------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("name", "ours", "exact", "verdict"),
    [
        ("spaa-best-worst-case", "50%", "1/2", "agrees"),
        ("spaa-val-length", "2", "2", "agrees"),
        ("spaa-ival-saving", "19.336%", "99/512", "agrees"),
        ("spaa-2turn-length", "1.4844", "95/64", "agrees"),
        ("spaa-2turn-saving", "25.781%", "33/128", "agrees"),
        ("spaa-2turn-excess", "0.36095%", "41/11359", "agrees"),
        ("spaa-2turn-near", "0.36095%", "41/11359", "differs"),
        ("spaa-ival-excess", "9.0765%", "1031/11359", "agrees"),
        ("spaa-figure-4-k-4", "0%", "0", "agrees"),
        ("spaa-optimal-length", "1.479", "11359/7680", "agrees"),
        ("spaa-ival-mix-excess", "18.157%", "119330/657201", "differs"),
        ("spaa-mixes-near", "18.157%", "119330/657201", "agrees"),
        ("spaa-ival-mix-place", "65.356%", "12664/19377", "agrees"),
        ("spaa-2turn-mix-excess", "10.884%", "16/147", "differs"),
        ("spaa-variables", "2052", "2052", "agrees"),
        ("spaa-reduced-variables", "228", "228", "differs"),
        ("spaa-ival-channels", "4", "4", "agrees"),
        ("spaa-ring-channels", "2", "2", "agrees"),
    ],
)
def test_the_spaa_papers_numbers_stand_beside_ours(
    table: dict[str, Comparison], name: str, ours: str, exact: str, verdict: str
) -> None:
    """Exact values; a number that differs has its reason, one that agrees needs none."""
    found = table[name]
    assert (found.ours, found.ours_exact, found.verdict) == (ours, exact, verdict)
    assert bool(found.why) == (verdict == "differs")


def test_each_number_has_one_row_and_one_verdict(
    table: dict[str, Comparison], small: xr.Dataset
) -> None:
    """Readings that the paper leaves open share a row."""
    for rows in (table, by_id(compare(small))):
        assert {row.verdict for row in rows.values()} <= set(VERDICTS)
    found = table["spaa-ival-mix-rlb"]
    assert (found.verdict, found.reading) == ("agrees by another reading", "dimension order")
    assert found.ours == "14.982%"
    assert "Consistent if cut: rounded it would be 15%" in found.remark
    assert "By another reading, random order of dimensions: 14.383%, which agrees" in found.remark
    saving = table["spaa-2turn-mix-rlb"]
    assert saving.verdict == "differs"
    assert "random order, of the mix's length: 19.566%, which does not agree" in saving.remark


def test_both_readings_of_romm_are_stated(small: xr.Dataset) -> None:
    """Its worst case rounds in dimension order; bit complement and transpose in random order."""
    rows = by_id(compare(small))
    worst, ratio = rows["table1-romm-worst"], rows["report-ratio"]
    assert (worst.ours_exact, worst.verdict) == ("25/144", "agrees by another reading")
    assert "Consistent if cut: rounded it would be 0.174" in worst.remark
    assert "dimension order: 0.17307, which agrees" in worst.remark
    assert (ratio.ours, ratio.verdict) == ("62.5%", "agrees by another reading")
    assert "dimension order: 62.305%, which agrees" in ratio.remark
    for name in ("table1-romm-bit-complement", "table1-romm-transpose", "report-figure-9"):
        assert rows[name].verdict == "agrees"
        assert "dimension order" in rows[name].remark
        assert "does not agree" in rows[name].remark
    assert not any("the paper divides" in row.remark.lower() for row in rows.values())


def test_without_the_other_reading_a_number_differs() -> None:
    """A study of the text's own definition alone."""
    rows = by_id(compare(obroute.compare(["torus:9x9"], ["dor", "romm"])))
    assert rows["table1-romm-worst"].verdict == "differs"
    assert rows["report-ratio"].verdict == "differs"
    assert (
        rows["report-ratio"].why == "The study lacks ROMM in dimension order, which rounds to it."
    )


def test_what_the_report_says_k_approaches_is_what_k_17_and_19_show(small: xr.Dataset) -> None:
    """0.26 and 0.14 agree at k = 17 and 19, and are not the limits."""
    rows = by_id(compare(small))
    dor, romm = rows["report-dor-approaches"], rows["report-romm-approaches"]
    assert (dor.ours_exact, dor.verdict) == ("1/4", "agrees by another reading")
    assert (romm.ours_exact, romm.verdict) == ("0", "agrees by another reading")
    assert "k = 17: 0.26471, which agrees" in dor.remark
    assert "k = 19: 0.13612, which agrees" in romm.remark
    settles = rows["spaa-ival-settles"]
    assert (settles.ours_exact, settles.verdict) == ("5/3", "agrees by another reading")
    assert "k = 15: 1.6444, which agrees" in settles.remark


def test_a_doctored_study_differs_and_says_that_this_is_not_expected(small: xr.Dataset) -> None:
    """A wrong worst case makes its entry differ, by how much."""
    wrong = small.copy(deep=True)
    wrong["worst_case_load_exact"].loc["torus:9x9", "dor"] = "5"
    found = by_id(compare(wrong))["table1-dor-worst"]
    assert found.verdict == "differs"
    assert found.difference == pytest.approx(2 / 9 - 0.278)
    assert found.why == f"{UNEXPECTED}."


def test_dor_is_the_best_minimal_routing_where_checked() -> None:
    """The row names the radices that the stores hold, and no others."""
    name = "optimal:paths=minimal"
    renamed = designs().sel(routing=["2turn"]).assign_coords(routing=[name]).copy(deep=True)
    for network, load in (("torus:3x3", "1"), ("torus:4x4", "3/2"), ("torus:8x8", "7/2")):
        renamed["load_lower_exact"].loc[network, name] = load
    rows = by_id(compare(study(), renamed))
    assert rows["spaa-dor-best-minimal"].verdict == "agrees"
    assert rows["spaa-dor-best-minimal"].remark == "Checked for k = 3, 4, 8."
    renamed["load_lower_exact"].loc["torus:8x8", name] = "3"
    assert by_id(compare(study(), renamed))["spaa-dor-best-minimal"].verdict == "differs"


# ---------------------------------------------------------------------------------- sampling


def with_samples(
    samples: Mapping[str, Any], name: str = "average_case_load", network: str = "torus:8x8"
) -> tuple[xr.Dataset, dict[str, xr.Dataset]]:
    """Give a study and cells of a network whose samples of loads are these."""
    dim = "matrix_sample" if name == "average_case_load" else "permutation_sample"
    made = {}
    for routing, loads in samples.items():
        cell = cell_dataset(obroute.evaluate(network, routing), {"seed": 4})
        cell = cell.assign({name: (dim, np.asarray(loads, dtype=float))})
        if dim == "permutation_sample":
            worst = str(F(float(np.max(loads))).limit_denominator(1000))
            cell = cell.assign({"random_permutation_worst_exact": ((), worst)})
        made[f"{routing}.zarr"] = cell
    return gathered_dataset(made), made


@pytest.mark.parametrize("count", [100, 1000, 20_000])
def test_a_larger_sample_of_ours_does_not_turn_the_verdict(count: int) -> None:
    """The paper averaged over 100 matrices, and that error stays however many are ours."""
    values = np.random.default_rng(1).normal(0, 0.0125, count)
    values += 0.5760 - values.mean()  # as found over many matrices; the paper's 62.8% give 57.5%
    study, cells = with_samples({"ival": 1 / values})
    row = by_id(compare(study, cells=cells))["spaa-ival-average"]
    assert row.verdict == "agrees within sampling error"
    assert f"Ours over {count} matrices, seed 4" in row.remark
    assert "the paper's over 100, by our spread 0.1" in row.remark
    # Without the cells the study's own standard error says as much.
    assert by_id(compare(study))["spaa-ival-average"].verdict == row.verdict


def test_chance_does_not_explain_everything() -> None:
    """A mean five of the paper's standard errors away differs, and the reason is given."""
    values = np.random.default_rng(1).normal(0.5650, 0.0125, 1000)
    study, cells = with_samples({"ival": 1 / values})
    row = by_id(compare(study, cells=cells))["spaa-ival-average"]
    assert row.verdict == "differs"
    assert row.why.startswith("The paper does not say of what kind its matrices are")


def test_two_means_over_the_same_matrices_are_compared_as_pairs() -> None:
    """What both have in common is no error of their ratio."""
    draw = np.random.default_rng(2)
    best = draw.normal(0.62, 0.05, 100)
    own = best * 0.936 * draw.normal(1, 0.001, 100)
    name = "optimal:objective=average_case"
    study, cells = with_samples({"dor": 1 / own, "valiant": 1 / best})
    renamed = study.assign_coords(routing=["2turn", name])
    row = by_id(compare(renamed, cells=cells))["spaa-2turn-shortfall"]
    assert row.verdict == "agrees within sampling error"
    assert "standard error 0.0092 points" in row.remark
    bound = by_id(compare(renamed, cells=cells))["spaa-2turn-shortfall-within"]
    assert (bound.printed, bound.verdict) == ("10%", "agrees")
    apart = by_id(compare(renamed))["spaa-2turn-shortfall"]
    assert "standard error 1 points" in apart.remark


def test_an_extreme_is_compared_with_extremes_drawn_anew() -> None:
    """The worst of 10,000 has a range over repeated samples; of one sample no error is known."""
    capacity = float(F(10, 9))
    blocks = [capacity / fraction for fraction in (0.250, 0.258, 0.262)]
    loads = np.concatenate([np.full(10_000, load) for load in blocks])
    for chosen, verdict, words in (
        (loads, "agrees within sampling error", "The worst of 10000, 3 times (seed 4): 0.25 to "),
        (loads[10_000:], "differs", "one more is outside with probability at most 2/3"),
        (loads[:10_500], "one sample", "10500 permutations, seed 4: one extreme has no error"),
    ):
        study, cells = with_samples({"romm": chosen}, "random_permutation_load", "torus:9x9")
        row = by_id(compare(study, cells=cells))["table1-romm-random"]
        assert row.verdict == verdict
        assert words in row.remark
        assert row.ours == f"{capacity / chosen[:10_000].max():.5g}"


def test_a_throughput_that_no_traffic_changes_has_no_sampling_error() -> None:
    """VAL's average is 50% under every matrix, and agrees as it stands."""
    study, cells = with_samples({"valiant": [2.0, 2.0, 2.0]})
    row = by_id(compare(study, cells=cells))["spaa-val-average"]
    assert (row.verdict, row.remark) == ("agrees", "")


# ------------------------------------------------------------------------- what there is none of


def test_another_sample_is_not_compared() -> None:
    """A curve of other matrices than 2TURNA's gives no row."""
    other = curve("torus:8x8").assign_attrs(
        objective="average_case", routing="optimal:objective=average_case,seed=9"
    )
    renamed = designs().assign_coords(routing=["2turna", "optimal"])
    rows = by_id(compare(study(), renamed, [other]))
    assert "spaa-2turna-length" not in rows
    same = other.assign_attrs(routing="optimal:objective=average_case")
    assert by_id(compare(study(), renamed, [same]))["spaa-2turna-length"].ours == "0.36095%"


def test_rows_whose_ingredients_are_missing_are_left_out(table: dict[str, Comparison]) -> None:
    """Without curves no excess over them; without cells no error."""
    bare = by_id(compare(study()))
    assert "spaa-ival-mix-excess" in table
    assert "spaa-ival-mix-excess" not in bare
    assert table["spaa-approximation"].verdict == "agrees"
    assert "spaa-approximation" not in bare


def test_a_study_of_other_networks_has_no_rows() -> None:
    """Nothing published covers it; nothing fails."""
    assert compare(obroute.compare(["hypercube:3", "torus:4x4"], ["dor"])) == []


# ------------------------------------------------------------------------------------ completeness

PRINTED = read("printed.yaml")


@pytest.mark.parametrize("source", PRINTED)
def test_every_number_of_a_paper_has_a_row_or_a_reason(source: str) -> None:
    """Section by section: as many rows, or reasons for none, as the section prints the number."""
    known = [(i.where, i.printed) for i in (*published(), *left_out()) if i.source == source]
    assert all(item.why for item in left_out())
    for section, numbers in PRINTED[source].items():
        for text, count in Counter(numbers).items():
            rows = [
                where for where, printed in known if printed == text and stands(section, where)
            ]
            assert len(rows) == count, (section, text)


def stands(section: str, where: str) -> bool:
    """Say whether a place such as "abstract, sections 1 and 6" names a section."""
    plain = where.replace("sections ", "section ")
    kind, _, number = section.rpartition(" ")
    names = re.findall(r"abstract|(?:section|Table|Figure)?\s*\d[.\d]*", plain)
    mine = [name.strip().split(" ")[-1].rstrip(".") for name in names]
    return (number or section) in mine and (not kind or kind in plain)


def test_every_row_is_of_a_number_that_the_papers_print() -> None:
    """But the average of IVAL, which follows from two others."""
    for item in (*published(), *left_out()):
        texts = [text for numbers in PRINTED[item.source].values() for text in numbers]
        assert item.printed in texts or item.printed == "57.5%"


# -------------------------------------------------------------------------------- paper study


def stand_ins(config: Path) -> Any:
    """Give stores with the names that a study's cells, designs and curves have.

    Their numbers are those of one small network; DOR's worst case alone is another.
    """
    planned = read_study(config)
    base = cell_dataset(
        obroute.evaluate(
            "torus:3x3", "dor", PATTERNS, random_permutation_samples=20, average_case_samples=4
        ),
        {"seed": 1},
    )
    made = {}
    for name, cell in planned.cells("evaluations").items():
        routing, asked = cell.called, cell.settings
        one = base.sel(pattern=[p for p in PATTERNS if p in asked.patterns])
        one = one.assign_attrs(network=cell.network, routing=routing, label=routing)
        one.attrs["radix"] = int(cell.network.rpartition("x")[2].rpartition(":")[2])
        if routing == "dor":
            one = one.assign(worst_case_load_exact=("focus", np.array(["3/2", "3/2"], object)))
        for samples, array in (
            (asked.random_permutation_samples, "random_permutation"),
            (asked.average_case_samples, "average_case"),
        ):
            if not samples:
                one = one.drop_vars([v for v in one.data_vars if str(v).startswith(array)])
        made[name] = one
    stored = design_dataset(design(obroute.make_network("torus:3x3")), {})
    named = {
        name: stored.assign_attrs(network=cell.network, routing=cell.called, label=cell.called)
        for name, cell in planned.cells("designs").items()
    }
    sample = {"matrices": 4, "kind": "permutation", "symmetry": "declared"}
    curves = [
        curve("torus:3x3").assign_attrs(
            network=cell.network,
            routing=cell.routing,
            objective=cell.settings.objective,
            scope=json.dumps({"sample": sample | {"seed": cell.settings.seed}}),
        )
        for cell in planned.cells("trade_offs").values()
    ]
    return gathered_dataset(made), gathered_dataset(named), curves, made


@pytest.mark.parametrize("config", ["paper", "config"])
@pytest.mark.slow
def test_the_studies_have_a_row_with_a_verdict_for_every_number(config: str) -> None:
    """What each number takes is among the cells, designs and curves of the study.

    The default study goes to k = 16, and designs less far.
    """
    found = by_id(compare(*stand_ins(ROOT / "config" / f"{config}.yaml")))
    assert {row.verdict for row in found.values()} <= set(VERDICTS)
    missing = {item.id for item in published()} - set(found)
    assert missing == (set() if config == "paper" else {"spaa-optimal-settles"})
    for item in published():
        for variant in item.variants() if config == "paper" else []:
            assert variant.words in f"{found[item.id].reading} {found[item.id].remark}"


# ------------------------------------------------------------------------------------------ tables


def test_table_1_has_ours_beside_the_printed(small: xr.Dataset) -> None:
    """A row a pattern, a routing a column; the printed numbers are of DOR and ROMM alone."""
    entries = {(e.label, e.routing): e for e in table1(small)}
    worst = entries["Worst case", "romm"]
    assert (worst.ours_exact, worst.printed) == ("25/144", "0.173")
    assert entries["Worst case", "valiant"].printed == ""
    assert entries["Worst of random permutations", "dor"].ours_exact == ""
    assert {entry.printed for entry in table1(small, "torus:8x8")} == {""}
    with pytest.raises(InputError, match="no network 'torus:9x8'"):
        table1(small, "torus:9x8")


def test_uniform_traffic_may_come_from_the_cells() -> None:
    """Every cell holds uniform traffic, whether or not the study names it as a pattern."""
    cell = cell_dataset(obroute.evaluate("torus:9x9", "romm"))
    alone = gathered_dataset({"one": cell})
    assert table1(alone)[0].ours_exact == ""
    assert table1(alone, cells={"one": cell})[0].ours_exact == "1"
    assert by_id(compare(alone, cells={"one": cell}))["table1-romm-uniform"].verdict == "agrees"


def test_tables_are_written_as_csv(small: xr.Dataset) -> None:
    """A line an entry, a line a number."""
    data = StudyData({"evaluations": small})
    read = {
        name: list(csv.DictReader(tables.find(name).of(data).csv().splitlines()))
        for name in ("table1", "papers")
    }
    assert len(read["table1"]) == 36
    assert [row["id"] for row in read["papers"]] == [row.id for row in compare(small)]
    (worst,) = [row for row in read["papers"] if row["id"] == "table1-romm-worst"]
    assert (worst["printed"], worst["ours"], worst["ours_exact"]) == ("0.173", "0.17361", "25/144")


def test_table_1_without_its_network_is_a_header() -> None:
    """The workflow's rule still has its file."""
    data = StudyData({"evaluations": obroute.compare(["torus:3x3"], ["dor"])})
    found = tables.find("table1").of(data).csv()
    assert found == "label,network,routing,printed,ours_exact,ours\n"


# -------------------------------------------------------------------- computed on small networks


def test_figure_9_is_a_worst_case_of_the_random_order_alone() -> None:
    """Of the dimension order its load is the same, and that one's worst case more."""
    printed = [entry for entry in VALUES["published"] if "permutation" in entry]
    assert [list(place) for place in figure_9()] == printed[0]["permutation"]
    assert figure_9_load("torus:9x9", "romm") == F(32, 5)
    assert figure_9_load("torus:9x9", "romm:order=fixed") == F(32, 5)


@pytest.mark.parametrize("network", ["torus:3x3", "ring:4", "mesh:2x3"])
def test_programs_are_no_larger_than_the_paper_counts(network: str) -> None:
    """CN² flow variables and N³ flow constraints at most, without any reduction."""
    made = obroute.make_network(network)
    sizes = program_sizes(network, "none")
    assert sizes["variables"] <= made.channel_count * made.node_count**2
    assert sizes["constraints"] <= made.node_count**3
    assert sizes["worst_case"] <= made.channel_count * (made.node_count**2 + 1)


def test_virtual_channels_are_counted_by_turns_and_datelines() -> None:
    """As the paper counts them; a design is not judged, and a network without turns has none."""
    assert judged_paths("torus:5x5", "valiant") == (4, 13000)
    assert judged_paths("torus:4x4", "optimal") is None
    assert judged_paths("complete:4", "2turn") is None
