"""The price of Valiant and oblivious ratios of a small study: tables, figures, report."""

from __future__ import annotations

from fractions import Fraction

import pytest

import obroute
from obroute.plots.price import price_figure
from obroute.plots.ratios import ratios_figure
from obroute.report.price import price_section
from obroute.report.ratios import ratios_section
from obroute.trends.price import has_valiant, price_table, prices
from obroute.trends.ratios import RatioRow, ratio_rows, ratio_table
from obroute.views import Coverage, Paragraph, StudyData, Table

NETWORKS = ["complete:3", "hexamesh:radius=1"]


@pytest.fixture(scope="module")
def data() -> StudyData:
    """Return what a study gathers of two networks, and of the ratios of another."""
    ratios = [obroute.ratio("ring:3"), obroute.ratio("ring:3", "dor")]
    return StudyData(
        {
            "evaluations": obroute.compare(NETWORKS, ["minimal", "valiant"]),
            "designs": obroute.gather(obroute.design(n, then="locality") for n in NETWORKS),
            "ratios": obroute.gather(ratios),
        }
    )


def test_prices_are_val_over_the_best(data: StudyData) -> None:
    """With the least mean path length at the best load."""
    complete, hexamesh = prices(data)
    assert (complete.price, hexamesh.price) == (1, Fraction(4, 3))
    assert (hexamesh.valiant.load, hexamesh.best) == (Fraction(6, 7), Fraction(9, 14))
    assert hexamesh.best_length == Fraction(12, 7)
    assert hexamesh.minimal is not None
    assert hexamesh.minimal.load == 1
    rows = list(price_table(data).rows)
    assert [row["price"] for row in rows] == ["1", "4/3"]


def test_a_study_without_the_best_has_no_price(data: StudyData) -> None:
    """Nor one without VAL."""
    alone = {"evaluations": data["evaluations"], "designs": data["designs"].isel(network=[])}
    assert prices(StudyData(alone)) == []
    assert price_section(StudyData(alone)) is None
    assert has_valiant(Coverage({"evaluations": ["ring-3/valiant.zarr"]}, frozenset()))
    assert not has_valiant(Coverage({"evaluations": ["ring-3/dor.zarr"]}, frozenset()))


def test_ratios_stand_with_the_least_first(data: StudyData) -> None:
    """As the store has them."""
    least, dor = ratio_rows(data)
    assert (least.routing, least.upper, least.is_exact) == ("least_ratio", Fraction(4, 3), True)
    assert (dor.routing, dor.upper) == ("dor", 2)
    assert [row["ratio_upper_exact"] for row in ratio_table(data).rows] == ["4/3", "2"]


def test_sections_say_what_was_found(data: StudyData) -> None:
    """In a sentence, a chart and a table."""
    for section, said, cell in (
        (price_section(data), "It costs most on hexamesh:radius=1: 1.333 times", "9/14"),
        (ratios_section(data), "The largest ratio is 2, of DOR on ring:3", "4/3"),
    ):
        assert section is not None
        paragraph, _, table = section.blocks
        assert isinstance(paragraph, Paragraph)
        assert isinstance(table, Table)
        assert said in paragraph.text
        assert cell in [entry for row in table.rows for entry in row]


def test_figures_have_a_mark_for_each(data: StudyData) -> None:
    """An interval is a bar; nothing at all is said in a sentence."""
    assert len(price_figure(prices(data)).axes[0].lines) == 2 * len(NETWORKS) + 1
    rows = [*ratio_rows(data), RatioRow("ring:3", "wide", Fraction(1), Fraction(5))]
    axes = ratios_figure(rows).axes[0]
    assert len(axes.lines) == len(rows) + 1
    assert len(axes.collections) == 1
    assert not price_figure([]).axes
    assert not ratios_figure([]).axes
