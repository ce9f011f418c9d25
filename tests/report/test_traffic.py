"""Sets of traffic, all-to-all and collectives in tables, figures and sections of the report."""

from __future__ import annotations

import pytest

import obroute
from obroute.views import StudyData, figures, sections, tables

NAMES = ("restricted", "all-to-all", "collectives")


@pytest.fixture(scope="module")
def data() -> StudyData:
    """Give a study of all three, of two routings."""
    routings = ("dor", "valiant")
    return StudyData(
        {
            "restricted": obroute.gather(
                obroute.evaluate_over("ring:4", r, ["pairs:1", "any"]) for r in routings
            ),
            "all_to_all": obroute.gather(obroute.alltoall("ring:4", r) for r in routings),
            "collectives": obroute.gather(
                obroute.collective("ring:4", r, ["ring", "bine"]) for r in routings
            ),
        }
    )


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_table_a_figure_and_a_section(name: str, data: StudyData) -> None:
    """With a row for each case."""
    rows = list(tables.find(name).of(data).rows)
    assert len(rows) == (2 if name == "all-to-all" else 4)
    assert figures.find(name).of(data).axes
    section = sections.find(name).of(data)
    assert section is not None
    assert section.anchor == name
    assert {row["routing"] for row in rows} == {"dor", "valiant"}
