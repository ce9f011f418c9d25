"""A network in the report: ranking, who collides where, and the findings."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from tests.support.cases import FABRIC, LOPSIDED, network_of
from tests.support.datasets import cell_dataset, design_dataset, gathered_dataset

import obroute
from obroute.report import write_report
from obroute.report.critical import shown_cell
from obroute.report.evaluations import summary_section
from obroute.report.findings import findings_section
from obroute.report.networks import networks_section
from obroute.trends.critical import CriticalChannel
from obroute.views import Columns, Paragraph, StudyData, Table

CELLS = (
    (FABRIC, "ecmp"),
    (LOPSIDED, "ecmp"),
    ("torus:3x3", "romm"),
    ("torus:4x3,bandwidth=2/3", "dor"),
    ("mesh:3x3", "valiant"),
    ("butterfly:1", "bit_fixing"),
)


@pytest.fixture(scope="module", params=CELLS, ids="-".join)
def cell(request: Any) -> xr.Dataset:
    """Give the dataset of an evaluation."""
    network, routing = request.param
    return cell_dataset(obroute.evaluate(network_of(network), routing))


def test_who_collides_adds_up_to_the_worst_case(cell: xr.Dataset) -> None:
    """Over the bandwidth of the channel; no pair adds nothing, and none comes twice."""
    critical = CriticalChannel(cell)
    found = critical.collisions
    together = sum((one.load for one in found), Fraction(0))
    assert together / critical.bandwidth == critical.load
    assert all(one.load > 0 for one in found)
    assert len({(one.source, one.destination) for one in found}) == len(found)
    assert found == sorted(found, key=lambda one: -one.load)
    sent: dict[int, Fraction] = {}
    for one in found:
        sent[one.source] = sent.get(one.source, Fraction(0)) + one.amount
    network = obroute.make_network(cell.attrs["network"])
    allowed = dict(zip(network.sources.tolist(), network.injection.fractions(), strict=True))
    assert all(amount <= allowed[source] for source, amount in sent.items())


def test_the_channels_that_can_be_loaded_most_come_first(cell: xr.Dataset) -> None:
    """As all channels solved one by one say."""
    critical = CriticalChannel(cell)
    everything = obroute.evaluate(cell.attrs["network"], cell.attrs["routing"], all_channels=True)
    loads = {one.worst.channel: one.normalized_load for one in everything.channels}
    shown = critical.most_loaded()
    assert shown[0][0] == critical.channel
    assert [Fraction(load) for _, load, _ in shown] == sorted(loads.values(), reverse=True)[:10]
    for channel, load, how in shown:
        assert loads[channel] == Fraction(load)
        assert how in ("solved", "by symmetry")


def test_bounds_are_called_bounds() -> None:
    """Where only the worst of many channels is solved."""
    cell = cell_dataset(obroute.evaluate("jellyfish:n=40,d=4", "ecmp"))
    first, *others = CriticalChannel(cell).most_loaded()
    assert first[2] == "solved"
    assert {how for _, _, how in others} <= {"solved", "bound"}
    assert "bound" in {how for _, _, how in others}


def test_a_network_that_is_no_longer_there_has_numbers_for_names(tmp_path: Path) -> None:
    """Its file may have gone since."""
    (tmp_path / "net.csv").write_text("a,b\nb,c\nc,a\n", encoding="utf-8")
    cell = cell_dataset(obroute.evaluate(str(tmp_path / "net.csv"), "ecmp"))
    assert shown_cell(CriticalChannel(cell))["channel"] == "a → b"
    (tmp_path / "net.csv").unlink()
    assert shown_cell(CriticalChannel(cell))["channel"] == "0 → 1"


def data_of(network: str, routings: list[str], *, best: bool) -> StudyData:
    """Give a study of one network, with the best routing for it or without."""
    made = network_of(network)
    cells = {
        f"n/{place}.zarr": cell_dataset(obroute.evaluate(made, routing, ["uniform"]))
        for place, routing in enumerate(routings)
    }
    gathered = {"evaluations": gathered_dataset(cells)}
    if best:
        gathered["designs"] = gathered_dataset({"n/b.zarr": design_dataset(obroute.design(made))})
    return StudyData(gathered, {"evaluations": cells})


def test_routings_are_ranked_and_compared_with_the_best() -> None:
    """The one with the best guarantee first; and the advice says how the best is had."""
    section = networks_section(data_of(FABRIC, ["ecmp", "ecmp:split=hops"], best=True))
    assert section is not None
    ranking = next(block for block in section.blocks if isinstance(block, Table))
    guarantees = [Fraction(str(row[1])) for row in ranking.rows]
    assert guarantees == sorted(guarantees, reverse=True)
    assert ranking.header[-1] == "Of best possible"
    (advice,) = (block.text for block in section.blocks if isinstance(block, Paragraph))
    assert "--export table.csv" in advice
    assert "(proved)" in advice
    collisions = [block for block in section.blocks if isinstance(block, Columns)]
    assert len(collisions) == 1  # both collide alike
    for block in collisions:
        pairs = block.blocks[0]
        assert isinstance(pairs, Table)
        *rows, total = pairs.rows
        assert sum(Fraction(str(row[2])) for row in rows) == Fraction(str(total[2]))


def test_without_a_design_the_command_is_named() -> None:
    """Nothing is said to be proved."""
    section = networks_section(data_of(LOPSIDED, ["ecmp"], best=False))
    assert section is not None
    (advice,) = (block.text for block in section.blocks if isinstance(block, Paragraph))
    assert "obroute design" in advice
    assert "proved" not in advice


def sentences(data: StudyData) -> list[str]:
    """Give the findings, each of its networks in one text."""
    return [
        block.text.replace("\N{NO-BREAK SPACE}", " ")
        for block in findings_section(data).blocks
        if isinstance(block, Paragraph)
    ]


def test_findings_are_sentences_made_from_the_data() -> None:
    """Routings of equal guarantee together, the best first, and who is worst on shortest paths."""
    data = StudyData(
        {"evaluations": obroute.compare(["torus:5x5"], ["dor", "romm", "valiant", "ival"])}
    )
    assert sentences(data) == [
        "On torus:5x5 VAL and IVAL guarantee 50.0 % of capacity, DOR 30.0 %, ROMM 22.5 %. "
        "ROMM takes shortest paths and has the worst guarantee."
    ]


def test_findings_name_the_best_possible_and_no_capacity_that_is_unknown() -> None:
    """A share is of injection bandwidth then."""
    (text,) = sentences(data_of(LOPSIDED, ["ecmp"], best=True))
    assert "of injection bandwidth" in text
    assert "oblivious routing guarantees" in text


def test_of_many_routings_the_best_and_the_worst_are_named() -> None:
    """The others are counted."""
    routings = [
        "dor",
        "romm",
        "valiant",
        "rlb",
        "rlbth",
        "romm:order=fixed",
        "ecmp",
        "1/2*dor+1/2*romm",
    ]
    (text,) = sentences(StudyData({"evaluations": obroute.compare(["torus:5x5"], routings)}))
    assert text.startswith("On torus:5x5 VAL guarantees 50.0 % of capacity, ")
    assert "; 3 others between." in text


def test_a_worst_case_says_where_it_is_and_what_adds_up_to_it() -> None:
    """As the tooltip of its exact value in the table of every worst case."""
    cells = {"torus-4x4/dor.zarr": cell_dataset(obroute.evaluate("torus:4x4", "dor"))}
    data = StudyData({"evaluations": gathered_dataset(cells)}, {"evaluations": cells})
    (written,) = summary_section(data).blocks
    (row,) = written.values["summary"]
    assert row["hint"] == "3/2 on channel (0,0) → (1,0): 1 pair of 1, 1 of 1/2: 3/2"


def test_a_report_calls_a_network_of_a_file_by_the_name_of_the_file(tmp_path: Path) -> None:
    """Folders stand in commands and the provenance alone; what is alike is said once."""
    network = network_of(FABRIC)
    cells = {
        f"{routing}.zarr": cell_dataset(obroute.evaluate(network, routing, ["uniform"]))
        for routing in ("ecmp", "minimal")
    }
    gathered = {
        "evaluations": gathered_dataset(cells),
        "designs": gathered_dataset({"best.zarr": design_dataset(obroute.design(network))}),
    }
    write_report(StudyData(gathered, {"evaluations": cells}), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    body = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL).split('id="provenance"')[0]
    shown = re.sub(r"<[^>]*>", "", body)
    folder = str(Path(network.files[0]).parent)
    assert [
        line for line in shown.splitlines() if folder in line and "obroute design" not in line
    ] == []
    assert "Who collides under ECMP and minimal" in shown
    assert 'id="pareto"' not in page  # both stand at one point
