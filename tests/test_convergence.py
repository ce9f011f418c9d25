"""The series of estimates from more and more sampled paths, and its figure."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import obroute
from obroute import InputError, make_network, make_routing
from obroute.convergence import Convergence, converge, from_csv, to_csv
from obroute.plots import convergence_figure


@pytest.fixture(scope="module")
def romm() -> Convergence:
    """Estimate ROMM on the 9-ary 2-cube."""
    return converge(make_network("torus:9x9"), make_routing("romm"), [100, 1, 10], seed=1)


def test_estimates_go_to_the_exact_worst_case(romm: Convergence) -> None:
    """From above in the sample; every interval holds 32/5 and is narrower than the one before."""
    assert romm.exact == Fraction(32, 5)
    for pairs, sources in (("canonical", 1), ("all", 81)):
        series = romm.series(pairs)
        assert [p.estimate.paths_per_pair for p in series] == [1, 10, 100]
        assert [p.estimate.drawn_paths for p in series] == [81 * sources * n for n in (1, 10, 100)]
        loads = [p.sample_load for p in series]
        assert loads == sorted(loads, reverse=True)
        assert loads[0] > 2 * 6.4
        assert loads[-1] == pytest.approx(6.4, rel=0.1)
        assert all(p.estimate.lower <= 6.4 <= p.estimate.upper for p in series)
        widths = [p.estimate.upper - p.estimate.lower for p in series]
        assert widths == sorted(widths, reverse=True)


def test_each_point_is_the_evaluation_of_its_settings(romm: Convergence) -> None:
    """The command that draws more paths is the command that draws few."""
    found = obroute.evaluate(
        "torus:9x9", "romm", sampled_paths=10, sampled_pairs="canonical", seed=1
    )
    (point,) = (p for p in romm.series("canonical") if p.estimate.paths_per_pair == 10)
    assert point.estimate == found.estimate
    assert point.sample_load == float(found.worst_case_load)


def test_a_series_is_read_as_it_was_written(romm: Convergence, tmp_path: Path) -> None:
    """Standard errors and exact values that are missing too."""
    file = tmp_path / "series.csv"
    file.write_text(to_csv(romm), encoding="utf-8")
    assert from_csv(file) == romm
    unknown = converge(make_network("ring:5"), make_routing("dor"), [2], exact=False)
    file.write_text(to_csv(unknown), encoding="utf-8")
    assert from_csv(file) == unknown
    assert unknown.exact is None


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "network,routing,exact,sample_load\nx,y,z,1\n"]
)
def test_another_table_is_refused(text: str, tmp_path: Path) -> None:
    """In one line that says what was expected."""
    file = tmp_path / "other.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="expected what `obroute convergence` writes"):
        from_csv(file)


def test_no_paths_are_refused() -> None:
    """Zero paths would be the exact evaluation."""
    with pytest.raises(InputError, match="0 paths a pair; expected at least 1"):
        converge(make_network("ring:5"), make_routing("dor"), [0])


def test_the_figure_has_a_panel_for_each_choice_of_pairs(romm: Convergence) -> None:
    """With the interval, both samples, and a line at the exact value."""
    figure = convergence_figure(romm)
    assert len(figure.axes) == 2
    for axes, pairs in zip(figure.axes, ("canonical", "all"), strict=True):
        first, second, exact = axes.get_lines()
        series = romm.series(pairs)
        assert np.asarray(first.get_ydata()).tolist() == [p.sample_load for p in series]
        assert np.asarray(second.get_ydata()).tolist() == [p.estimate.load for p in series]
        assert set(np.asarray(exact.get_ydata()).tolist()) == {6.4}
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "exact: 32/5"


def test_commands_write_the_series_and_draw_it(obroute, answer, tmp_path):
    """The table for a person, JSON, CSV and the figure."""
    series, figure = tmp_path / "series.csv", tmp_path / "figure.svg"
    arguments = ["convergence", "torus:4x4", "romm", "--paths", 2, "--paths", 8]
    found = answer(*arguments, "--output", series)
    assert (found["worst_case_load"], found["worst_case_load_exact"]) == (1.5, "3/2")
    assert [p["paths_per_pair"] for p in found["points"]] == [2, 8, 2, 8]
    assert {p["pairs"] for p in found["points"]} == {"canonical", "all"}
    status, printed, _ = obroute(*arguments, "--pairs", "canonical", "--no-exact")
    assert status == 0
    assert "exact" not in printed
    assert printed.count("canonical") == 2
    assert obroute("figure", "convergence", series, "--output", figure)[0] == 0
    assert figure.read_text().startswith("<?xml")
    status, _, error = obroute("figure", "convergence", figure, "--output", figure)
    assert status == 2
    assert error.count("\n") == 1
