"""Deployments of a study: their table, their figure, and their section of the report."""

from __future__ import annotations

import pytest

from obroute import gather, make_network, write_store
from obroute.deployment import Restriction, deploy
from obroute.plots.deployments import prices_figure
from obroute.report.deployments import deployments_section
from obroute.trends.deployments import deployment_rows, deployment_table
from obroute.views import StudyData


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> StudyData:
    """Gather three restrictions on a ring, one of them without a price."""
    folder = tmp_path_factory.mktemp("study") / "deployments"
    ring = make_network("ring:5")
    stores = []
    for number, (kind, without) in enumerate(
        [("single_path", False), ("wcmp", False), ("destination", True)]
    ):
        found = deploy(ring, Restriction(kind), moves=8, steps=0, without_best=without)
        stores.append(folder / f"{number}.zarr")
        write_store(found, stores[-1])
    return StudyData({"deployments": gather(stores)}, origin="the study")


def test_rows_have_intervals_and_prices(study):
    """As the stores do; none where the best was not asked for."""
    rows = {row.restriction.partition(",")[0]: row for row in deployment_rows(study)}
    assert {str(row.load) for row in rows.values()} == {"2"}
    assert [str(end) for end in rows["single_path"].price] == ["5/3", "5/3"]
    assert [str(end) for end in rows["wcmp"].price] == ["1", "5/3"]
    assert rows["destination"].price is None
    table = {row["restriction"].partition(",")[0]: row for row in deployment_table(study).rows}
    assert table["single_path"]["proved_best"]
    assert not table["wcmp"]["proved_best"]
    assert table["destination"]["price_lower_exact"] == ""


def test_prices_are_drawn_as_points_and_bars(study):
    """A network a row, and a sentence where there is no price."""
    rows = deployment_rows(study)
    (axes,) = prices_figure(rows).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ring:5"]
    assert len(axes.collections) == 2
    assert "no price" in prices_figure([]).texts[0].get_text()


def test_the_report_says_what_is_proved(study):
    """In words, and in a table of intervals."""
    section = deployments_section(study)
    assert "1 of 3 are proved to be the best" in section.blocks[0].text
    assert "one path for each pair" in section.blocks[1].text
    cells = {row[1].partition(",")[0]: row[2:4] for row in section.blocks[-1].rows}
    assert cells["single_path"] == ("2", "5/3")
    assert cells["wcmp"] == ("6/5 to 2", "1 to 5/3")
    assert cells["destination"][1] == "–"
