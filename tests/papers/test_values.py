"""The library gives the exact values of values.yaml and those that the papers print."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.published import COMPUTED, published

import obroute

QUANTITIES = ("worst_case_load", "uniform_load", "mean_path_length")
NINE_ARY_2_CUBE = "torus:9x9"
ROUTINGS = {"dor": "dor", "romm_random": "romm:order=random", "romm_fixed": "romm:order=fixed"}
FIGURE_9 = "figure 9 of the technical report"
LONG = {"mesh:16x16", 65, 99}


def long_ones_slow(values: list[Any], key: Any) -> list[Any]:
    """Mark the cases that are long to compute."""
    return [
        pytest.param(value, marks=pytest.mark.slow) if key(value) in LONG else value
        for value in values
    ]


def rounded(value: Fraction, digits: int) -> Fraction:
    """Round a positive value to so many digits."""
    unit = Fraction(1, 10**digits)
    return round(value / unit) * unit


@pytest.fixture(scope="module")
def figure_9(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the permutation of Figure 9 as a file of destinations, in the order of sources."""
    lines = ["destination"]
    lines += [f'"({row},{column})"' for row, column in published("Figure 9")["permutation"]]
    file = tmp_path_factory.mktemp("figure") / "figure9.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


# ---------------------------------------------------------------------------- computed values


@pytest.mark.parametrize(
    "network",
    long_ones_slow(
        list(dict.fromkeys(row["network"] for row in COMPUTED["tori"] + COMPUTED["meshes"])), str
    ),
)
def test_grid_has_the_computed_loads_and_path_length(
    network: str, subtests: pytest.Subtests
) -> None:
    """Worst case, uniform load and mean path length are the listed fractions, and proved."""
    for row in COMPUTED["tori"] + COMPUTED["meshes"]:
        if row["network"] == network:
            found = obroute.evaluate(network, row["routing"])
            values = {
                "worst_case_load": found.worst_case_load,
                "uniform_load": found.uniform.load,
                "mean_path_length": found.mean_path_length,
            }
            listed = {name: Fraction(row[name]) for name in QUANTITIES if name in row}
            with subtests.test(routing=row["routing"]):
                assert {name: values[name] for name in listed} == listed
                assert found.certified


@pytest.mark.parametrize("k", long_ones_slow(list(COMPUTED["romm_random_order_2d"]), int))
def test_romm_in_random_order_has_the_computed_worst_case(k: int) -> None:
    """On the k-ary 2-cube one focus channel is solved, proved, and has the listed load."""
    found = obroute.evaluate(f"torus:{k}x{k}", "romm")
    assert found.worst_case_load == Fraction(COMPUTED["romm_random_order_2d"][k])
    assert found.certified
    assert len(found.channels) == 1


@pytest.mark.parametrize("n", COMPUTED["hypercube_ecube"])
@pytest.mark.parametrize("routing", ["dor", "e-cube"])
def test_hypercube_has_the_computed_worst_case(n: int, routing: str) -> None:
    """DOR on a hypercube is e-cube, by either name."""
    found = obroute.evaluate(f"hypercube:{n}", routing)
    assert found.worst_case_load == Fraction(COMPUTED["hypercube_ecube"][n])


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("row", COMPUTED["patterns_9x9"], ids=lambda row: row["pattern"])
def test_pattern_has_the_computed_load_on_the_9_ary_2_cube(
    row: Mapping[str, str], routing: str, figure_9: Path
) -> None:
    """Each pattern of the report, that of Figure 9 from a file, loads by the listed fraction."""
    pattern = str(figure_9) if row["pattern"] == FIGURE_9 else row["pattern"]
    found = obroute.evaluate(NINE_ARY_2_CUBE, ROUTINGS[routing], [pattern])
    assert [result.load for result in found.patterns] == [Fraction(row[routing])]


def test_figure_9_reaches_the_worst_case_of_romm(figure_9: Path) -> None:
    """The printed permutation loads a channel as the worst case does, with 32/5."""
    found = obroute.evaluate(NINE_ARY_2_CUBE, "romm", [str(figure_9)])
    assert found.patterns[0].load == found.worst_case_load == Fraction(32, 5)


# --------------------------------------------------------------------------- published values


@pytest.mark.parametrize("routing", ["dor", "romm"])
@pytest.mark.parametrize("pattern", ["uniform", "bit_complement", "transpose", "tornado"])
def test_fraction_of_capacity_is_the_one_printed_in_table_1(routing: str, pattern: str) -> None:
    """Table 1 prints three digits."""
    found = obroute.evaluate(NINE_ARY_2_CUBE, routing, [pattern])
    fraction = found.fraction_of_capacity(found.patterns[0].load)
    assert fraction is not None
    printed = Fraction(str(published("Table 1")[routing][pattern]))
    assert printed == rounded(fraction, 3)


@pytest.mark.parametrize(
    ("routing", "exact", "rounds"),
    [
        ("dor", Fraction(5, 18), True),
        ("romm", Fraction(25, 144), False),
        ("romm:order=fixed", Fraction(500, 2889), True),
    ],
)
def test_worst_case_beside_the_one_printed_in_table_1(
    routing: str, exact: Fraction, rounds: bool
) -> None:
    """DOR .278 is 5/18; ROMM .173 is 500/2889 in dimension order, and 25/144 only if cut."""
    found = obroute.evaluate(NINE_ARY_2_CUBE, routing)
    assert found.fraction_of_capacity(found.worst_case_load) == exact
    printed = Fraction(str(published("Table 1")[routing.partition(":")[0]]["worst_case"]))
    assert (printed == rounded(exact, 3)) is rounds


@pytest.mark.parametrize("routing", ["dor", "romm"])
def test_worst_of_random_permutations_is_a_sample_that_its_seed_repeats(routing: str) -> None:
    """The worst of 10^4 lies between the exact worst case and capacity, the same every time."""
    first, again, other = (
        obroute.evaluate(
            NINE_ARY_2_CUBE, routing, random_permutation_samples=samples, seed=seed
        ).random_permutations
        for samples, seed in ((10_000, 2002), (10_000, 2002), (1_000, 2003))
    )
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.loads == again.loads
    assert first.loads[:1_000] != other.loads
    found = obroute.evaluate(NINE_ARY_2_CUBE, routing)
    assert found.capacity_load is not None
    assert found.capacity_load < first.worst <= found.worst_case_load


@pytest.mark.parametrize(
    ("k", "dor", "romm"), [(17, "0.2647", "0.1401"), (19, "0.2632", "0.1361")]
)
def test_the_report_s_0_26_and_0_14_are_near_k_17_and_19(k: int, dor: str, romm: str) -> None:
    """These are points of a falling series, not limits."""
    for routing, expected in (("dor", dor), ("romm", romm)):
        found = obroute.evaluate(f"torus:{k}x{k}", routing)
        fraction = found.fraction_of_capacity(found.worst_case_load)
        assert fraction is not None
        assert f"{float(fraction):.4f}" == expected


def test_ival_and_valiant_are_as_long_and_as_robust_as_printed_on_the_8_ary_2_cube() -> None:
    """IVAL takes 1.61 times the minimal length, 19.3% below Valiant's 2; both guarantee 1/2."""
    printed = published("SPAA 2003")["values"]
    valiant, ival = (obroute.evaluate("torus:8x8", name) for name in ("valiant", "ival"))
    assert valiant.normalized_path_length == printed["valiant_length"]
    assert round(float(ival.normalized_path_length), 2) == printed["ival_length"]
    saved = 1 - ival.normalized_path_length / valiant.normalized_path_length
    assert f"{float(saved):.1%}" == printed["ival_improvement_over_valiant"]
    for found in (valiant, ival):
        fraction = found.fraction_of_capacity(found.worst_case_load)
        assert fraction == Fraction(str(printed["best_worst_case_fraction"]))


def test_valiant_s_average_case_is_the_one_printed() -> None:
    """Valiant's routing guarantees half of capacity and gets no more on average, to rounding."""
    found = obroute.evaluate("torus:8x8", "valiant", average_case_samples=20, seed=5)
    assert found.average_case is not None
    printed = published("SPAA 2003")["values"]["valiant_average_fraction"]
    assert found.average_case.throughput == pytest.approx(printed, rel=1e-9)
    assert found.average_case.standard_error < 1e-9


def test_closed_form_of_romm_for_odd_radix_meets_the_matching() -> None:
    """The closed form is the load of the proved matching."""
    for k in (*range(3, 28, 2), 33, 39):
        h = (k - 1) // 2
        a = (h - 1) // 4
        closed = h * (
            sum(Fraction(1, 2 * y + 1) for y in range(a + 1)) + Fraction(h - 2 * a - 1, h + 1)
        )
        found = obroute.evaluate(f"torus:{k}x{k}", "romm").worst_case_load
        assert found == closed, f"k = {k}"
