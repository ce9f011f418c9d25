"""The report's section of designed routings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from tests.support.designed_study import cells, curve, designs, study

from obroute import report
from obroute.kinds.stores import write_store
from obroute.report.deadlock import deadlock_section
from obroute.report.designs import designs_section
from obroute.specs import InputError
from obroute.views import Paragraph, StudyData, Table, Written

pytestmark = pytest.mark.designed_study


def data_of(
    study: xr.Dataset, designs: xr.Dataset | None = None, curves: Sequence[xr.Dataset] = ()
) -> StudyData:
    """Return the data of a study, designs and curves, as a study's folder would give them."""
    gathered = {"evaluations": study} | ({} if designs is None else {"designs": designs})
    named = {f"curve {place}": dataset for place, dataset in enumerate(curves)}
    return StudyData(gathered, {"evaluations": cells(), "trade_offs": named})


def shown(data: StudyData) -> tuple[str, list[dict[str, str]]]:
    """Return what the section says is proved, and the rows of its table."""
    section = designs_section(data)
    assert section is not None
    first, *_, last = section.blocks
    assert isinstance(first, Paragraph)
    assert isinstance(last, Written)
    return first.text, last.values["designs"]["rows"]


def written(folder: Path, *given: Any) -> str:
    """Write the report and read it again, with single blanks."""
    report.write_report(data_of(study(), *given), folder / "report.html", "Designs")
    return " ".join((folder / "report.html").read_text(encoding="utf-8").split())


def test_designs_have_a_section_of_their_own(tmp_path: Path) -> None:
    """Curves, locality, and the table of designs."""
    page = written(tmp_path, designs(), [curve(), curve("torus:8x8")])
    assert '<li><a href="#designs">Designed routings</a></li>' in page
    section = page.split('id="designs"')[1].split("</section>")[0]
    assert section.count("<img ") == 3
    for expected in (
        "6 designs: each load lies between a proved lower bound",
        "6 of them are exact optima",
        "finds the same worst case for all 6 designs for the worst case",
        "The curves of the worst case on torus:",
        "and torus:8x8 are complete",
        "complete, 62 breakpoints",
        "exact where both share a worst permutation",
    ):
        assert expected in section
    assert page.count("<table") == page.count("<caption")


def test_virtual_channels_are_counted_on_the_largest_small_grid() -> None:
    """By turns and datelines; of 2TURN for every path that it may use, of a design not at all."""
    found = deadlock_section(data_of(study()))
    assert found is not None
    table = found.blocks[-1]
    assert isinstance(table, Table)
    assert "each channel of torus:4x4" in table.caption
    needed = {label: channels for label, channels, _ in table.rows}
    assert (needed["DOR"], needed["VAL"], needed["IVAL"]) == (2, 4, 4)
    assert needed["every path of at most two turns"] == 4
    assert "optimal" not in needed
    assert deadlock_section(data_of(study().sel(network=["torus:8x8"]))) is None


@pytest.mark.slow
def test_without_designs_there_is_no_section(tmp_path: Path) -> None:
    """No heading, no link."""
    assert "Designed routings" not in written(tmp_path)


def test_a_curve_alone_is_reported() -> None:
    """Without designs there is no table of them."""
    proved, rows = shown(data_of(study(), None, [curve()]))
    assert rows == []
    assert proved.startswith("The curve of the worst case on torus:4x4 is complete")


def test_an_open_curve_and_an_interval_say_how_open_they_are() -> None:
    """The one furthest from its bound by name, the gap of the curve in per cent."""
    wide = designs().copy(deep=True)
    wide["load_lower_exact"].loc["torus:8x8", "2turn"] = "199/100"
    wide["exact"].loc["torus:8x8", "2turn"] = False
    gap = curve().copy(deep=True)
    gap["complete"] = False
    gap["gap"] = 0.001
    proved, rows = shown(data_of(study(), wide, [gap]))
    assert "5 of them are exact optima" in proved
    above = "at most 0.51\N{NO-BREAK SPACE}% above the proved lower bound (2TURN on torus:8x8)"
    assert above in proved
    assert "6 points, at most 0.101 % above the optimum, by lines" in proved
    (one,) = [r for r in rows if (r["network"], r["design"]) == ("torus:8x8", "2TURN")]
    assert (one["bounds"], one["width"], one["exact"]) == ("199/100 to 2", "0.0051", "no")
    assert {r["bounds"] for r in rows if r is not one} == {"= load"}


def test_an_evaluation_that_differs_is_called_out() -> None:
    """A doctored study does not pass in silence."""
    doctored = study().copy(deep=True)
    doctored["worst_case_load_exact"].loc["torus:8x8", "2turn"] = "3"
    proved, _ = shown(data_of(doctored, designs()))
    assert "another worst case of 2TURN on torus:8x8: verify" in proved


def test_other_kinds_of_datasets_are_input_errors() -> None:
    """They are named."""
    with pytest.raises(InputError, match="kind 'evaluations' is no gathered store of designs"):
        designs_section(data_of(study(), study()))
    with pytest.raises(InputError, match="is a store of kind evaluations, and none of trade_offs"):
        designs_section(data_of(study(), None, [study()]))


@pytest.mark.slow
def test_commands_draw_tabulate_and_report_from_stores(obroute, tmp_path: Path) -> None:
    """The commands that the rules of the sweep call."""
    stores: dict[str, xr.Dataset] = {
        "study": study(),
        "designs": designs(),
        "curve": curve("torus:8x8"),
    }
    for name, dataset in stores.items():
        write_store(dataset, tmp_path / f"{name}.zarr")
    for name, cell in cells().items():
        write_store(cell, tmp_path / "cells" / name)
    at = {name: tmp_path / f"{name}.zarr" for name in stores}
    given = ("--designs", at["designs"], "--trade-off", at["curve"], "--cells", tmp_path / "cells")
    for command, output in (
        (("table", "designs", at["designs"]), "designs.csv"),
        (("table", "papers", at["study"], *given), "papers.csv"),
        (("figure", "trade_off", at["curve"], "--study", at["study"]), "curve.svg"),
        (("figure", "locality", at["study"]), "locality.svg"),
        (("report", at["study"], *given), "report.html"),
    ):
        status, printed, errors = obroute(*command, "--output", tmp_path / output)
        assert (status, printed) == (0, ""), errors
        assert (tmp_path / output).stat().st_size > 500
    assert "Error of 1 over the mean load" in (tmp_path / "papers.csv").read_text()
    status, _, errors = obroute(
        "figure", "trade_off", at["study"], "--output", tmp_path / "no.svg"
    )
    assert status == 2
    assert len(errors.splitlines()) == 1
