"""Failures stored, gathered, and shown in a table, a figure and a section of the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import xarray as xr
from matplotlib.figure import Figure

from obroute import failures, gather, read_store
from obroute.views import StudyData, Table, figures, sections, tables

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def gathered() -> xr.Dataset:
    """Gather answers of several kinds of parts, one of them of the largest load alone."""
    return gather(
        [
            failures("ring:4", "ecmp", links=2),
            failures("ring:4", "dor", repair="kept"),
            failures("mesh:2x2", "ecmp", switches=1, only_worst=True),
        ]
    )


def test_gathered_failures_have_the_worst_and_the_distribution(gathered: xr.Dataset) -> None:
    """By the routing with what fails below it; the largest load alone has no distribution."""
    two = gathered.sel(network="ring:4", routing="ecmp without 2 cables")
    assert (two.sets.item(), two.sets_that_cut.item(), two.repair.item()) == (6, 6, "recomputed")
    assert two.sets_of_rank.values[two.sets_of_rank.values > 0].sum() == 6
    assert gathered.present.sum() == 3
    alone = gathered.sel(network="mesh:2x2", routing="ecmp without 1 switch")
    assert alone.worst_case_load_exact.item()
    assert alone.failing.item() == "switches"


def test_table_figure_and_section_show_every_routing(gathered: xr.Dataset) -> None:
    """Each network with what fails, and which set is worst."""
    data = StudyData({"failures": gathered})
    rows = list(tables.find("failures").of(data).rows)
    assert {(row["network"], row["count"], row["parts"]) for row in rows} == {
        ("ring:4", 2, 4),
        ("ring:4", 1, 4),
        ("mesh:2x2", 1, 4),
    }
    assert isinstance(figures.find("failures").of(data), Figure)
    section = sections.find("failures").of(data)
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    assert len(table.rows) == 3
    assert all(row[4] for row in table.rows)


def test_a_store_is_looked_at_again_and_json_says_the_same(obroute: Run, tmp_path: Path) -> None:
    """What the command prints, what it stores, and that verification agrees."""
    store = tmp_path / "cell.zarr"
    words = ("failures", "ring:4", "ecmp", "--scheduler", "sync", "--json", "--quiet")
    status, out, err = obroute(*words, "--save", store)
    assert status == 0, err
    printed = json.loads(out)
    cell = read_store(store)
    assert printed["worst_case_load_exact"] == cell.worst_case_load_exact.item()
    assert printed["worst_set"] == [cell.worst_set.item()]
    status, out, err = obroute("verify", store)
    assert (status, "failures store in order" in out) == (0, True), err
