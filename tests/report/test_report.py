"""The report: one file that opens offline, with the right numbers, of any study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
import xarray as xr
from tests.support.datasets import (
    cell_dataset,
    gathered_dataset,
    simulation_dataset,
    stability_dataset,
)

import obroute
from obroute import report
from obroute.network import Network
from obroute.packets.experiments import run_permutations, run_stability
from obroute.specs import InputError
from obroute.views import StudyData, section_of

SECTIONS = [
    "findings",
    "permutation",
    "networks",
    "trends",
    "pareto",
    "summary",
    "table-1",
    "papers",
    "provenance",
]


class Page(HTMLParser):
    """Reads the tags, and the text, of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self.open: list[str] = []
        self.source = text
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag and what it holds."""
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Every tag closes the last one that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text that a reader sees."""
        if not {"style", "script"} & set(self.open):
            self.pieces.append(data)

    @property
    def sections(self) -> list[str]:
        """The identifiers of the sections' headings."""
        return [
            attributes["id"] or "" for tag, attributes in self.tags if tag == "h2" and attributes
        ]

    @property
    def text(self) -> str:
        """The text, with single blanks."""
        return " ".join(" ".join(self.pieces).split())


Gathered = tuple[xr.Dataset, dict[str, xr.Dataset]]


def gather(networks: list[str | Network], routings: list[str], **settings: int) -> Gathered:
    """Evaluate a study and keep its cells."""
    cells = {}
    for network in networks:
        for routing in routings:
            patterns = ["uniform", "tornado"] if str(network).startswith("torus") else ["uniform"]
            found = obroute.evaluate(network, routing, patterns, **settings)
            cells[f"{found.network.name}/{routing}.zarr"] = cell_dataset(found, settings)
    return gathered_dataset(cells), cells


@pytest.fixture(scope="module")
def gathered() -> Gathered:
    """Give a study with both papers' networks."""
    return gather(
        ["torus:8x8", "torus:9x9"],
        ["dor", "romm", "valiant"],
        random_permutation_samples=50,
        seed=3,
    )


@pytest.fixture(scope="module")
def page(gathered: Gathered, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Give the report of that study."""
    return written(gathered, tmp_path_factory.mktemp("report"))


def data_of(gathered: Gathered, packets: Sequence[xr.Dataset] = ()) -> StudyData:
    """Return the data of a study and of packets, as the folder of a study would give them."""
    study, cells = gathered
    simulated = {section_of(dataset.attrs["kind"]): dataset for dataset in packets}
    return StudyData({"evaluations": study, **simulated}, {"evaluations": cells})


def written(gathered: Gathered, folder: Path) -> Page:
    """Write the report and read it again."""
    report.write_report(data_of(gathered), folder / "report.html", "A <small> study")
    assert [file.name for file in folder.iterdir()] == ["report.html"]
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def test_the_report_is_one_file_that_loads_nothing(page: Page) -> None:
    """No address that a browser would fetch, no script but in the page; links stay within it."""
    addresses = [
        value or ""
        for _, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "data", "action")
    ]
    assert addresses
    assert all(a.startswith(("#", "data:image/svg+xml;base64,")) for a in addresses)
    assert not {tag for tag, _ in page.tags} & {"link", "iframe", "object"}
    assert not re.search(r"url\(|@import", page.source)


def test_the_report_has_every_section_and_its_links_lead_somewhere(page: Page) -> None:
    """Headings carry the identifiers that the navigation names."""
    assert page.open == []
    assert page.sections == SECTIONS
    assert [f"#{name}" for name in SECTIONS] == [a["href"] for tag, a in page.tags if tag == "a"]


def test_the_report_states_the_exact_numbers(page: Page) -> None:
    """Worst cases, verdicts, the seed of the sample, and what is certified."""
    for expected in (
        "A <small> study",
        "6 of 6 worst cases are certified",
        "32/5",
        "25/144 (0.17361)",
        "Consistent if cut: rounded it would be 0.174.",
        "50 permutations, seed 3: one extreme has no error to compare with",
        "has no positive limit (proved)",
        "tends to 1/4 (proved)",
        "the exact ratio is (25/144)/(5/18) = 5/8",
        obroute.__version__,
    ):
        assert expected in page.text


def test_figures_have_alternative_text_and_tables_captions(page: Page) -> None:
    """So that the page can be read without seeing it."""
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == 5
    assert all(len(image["alt"] or "") > 40 for image in images)
    names = [tag for tag, _ in page.tags]
    assert names.count("table") == names.count("caption") > 3
    assert dict(page.tags)["html"] == {"lang": "en"}


@pytest.mark.slow
def test_a_number_that_differs_has_its_line(gathered: Gathered, tmp_path: Path) -> None:
    """A doctored worst case shows as differing, with the remedy."""
    study, cells = gathered
    study = study.copy(deep=True)
    study["worst_case_load_exact"].loc["torus:9x9", "dor"] = "5"
    text = written((study, cells), tmp_path).text
    assert "Worst case DOR on torus:9x9 0.278 0.22222 2/9 −0.056 differs" in text
    assert "obroute verify" in text
    assert "differs at k = 9" in text


@pytest.mark.slow
def test_cells_may_be_stores_in_a_folder(gathered: Gathered, tmp_path: Path) -> None:
    """The same report, whether cells are given or read."""
    study, cells = gathered
    for name, cell in cells.items():
        obroute.write_store(cell, tmp_path / "cells" / name)
    for name, source in (("given", cells), ("read", tmp_path / "cells")):
        data = StudyData({"evaluations": study}, {"evaluations": source})
        report.write_report(data, tmp_path / f"{name}.html", "Study")
    assert (tmp_path / "given.html").read_bytes() == (tmp_path / "read.html").read_bytes()


def test_a_missing_cell_is_an_error_and_leaves_the_old_report(
    gathered: Gathered, tmp_path: Path
) -> None:
    """The report is written whole or not at all."""
    output = tmp_path / "report.html"
    output.write_text("old")
    data = StudyData({"evaluations": gathered[0]}, {"evaluations": tmp_path / "nowhere"})
    with pytest.raises(InputError, match="does not exist"):
        report.write_report(data, output, "Study")
    assert output.read_text() == "old"


def test_a_study_without_tori_has_no_section_that_needs_one(tmp_path: Path) -> None:
    """Nothing about them or the papers; and one routing is weighed against no other."""
    page = written(gather(["mesh:3x3", "mesh:4x4", "hypercube:3"], ["dor"]), tmp_path)
    assert "Table 1" not in page.text
    for word in ("paper", "SPAA", "technical report", "torus:9x9", "2-cube"):
        assert word not in re.sub('base64,[^"]*|(?s:<style>.*?</style>)', "", page.source)
    assert "permutation that loads" not in page.text
    assert page.sections == [
        "findings",
        "networks",
        "trends",
        "loads",
        "deadlock",
        "summary",
        "provenance",
    ]


@pytest.mark.slow
def test_a_study_of_other_tori_is_compared_with_no_paper(tmp_path: Path) -> None:
    """Closed forms and where their proofs are, but nothing that a paper prints or draws."""
    page = written(gather(["torus:4x4", "torus:5x5"], ["dor", "romm"]), tmp_path)
    assert "Closed forms of the worst-case load on k-ary 2-cubes" in page.text
    for words in ("printed", "Compare ", "Table 1", "Figure", "torus:9x9", "says the series"):
        assert words not in page.text
    assert "DOR" in page.text


def test_networks_without_coordinates_are_reported(tmp_path: Path) -> None:
    """An arbitrary digraph of unknown capacity, in a study of its own."""
    tail, head = [0, 1, 2, 3, 4, 4, 1, 3, 0], [1, 2, 3, 4, 0, 1, 0, 0, 3]
    gathered = gather([Network("links.csv", 5, tail, head)], ["ecmp"])
    assert gathered[0]["capacity_load_exact"].values.tolist() == [""]
    page = written(gathered, tmp_path)
    assert page.sections == ["findings", "networks", "summary", "provenance"]
    assert "links.csv ECMP" in page.text
    assert sum(tag == "img" for tag, _ in page.tags) == 1


@pytest.fixture(scope="module")
def packets() -> list[xr.Dataset]:
    """Give gathered simulations on hypercubes, and the stable rate of a ring."""
    simulated = {}
    for n in (4, 5, 6):
        network = obroute.make_network(f"hypercube:{n}")
        for routing in ("dor", "valiant"):
            traffic = ["transpose"] * (n % 2 == 0) + ["bit_reverse"]
            found = run_permutations(network, obroute.make_routing(routing), traffic, seeds=4)
            simulated[f"{n} {routing}"] = simulation_dataset(found, {})
    rates = run_stability(
        obroute.make_network("ring:8"),
        obroute.make_routing("dor"),
        ["tornado"],
        steps=2000,
        tolerance=0.1,
        rates=[0.1, 0.5],
        curve_steps=500,
    )
    return [
        gathered_dataset(simulated),
        gathered_dataset({"ring": stability_dataset(rates, {})}, {}),
    ]


def reported(gathered: Gathered, packets: list[xr.Dataset], folder: Path) -> Page:
    """Write a report with packets and read it again."""
    report.write_report(data_of(gathered, packets), folder / "report.html", "Packets")
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def rows_of(page: Page, first: str) -> list[str]:
    """Return the text of the table rows that begin with a word."""
    rows = re.findall(r"<tr>(.*?)</tr>", page.source, re.DOTALL)
    texts = [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in rows]
    return [text for text in texts if text.startswith(first)]


def test_packets_have_a_section_of_their_own(
    gathered: Gathered, packets: list[xr.Dataset], tmp_path: Path
) -> None:
    """Three figures and four tables between the plane and the summary, linked at the top."""
    page = reported(gathered, packets, tmp_path)
    assert page.sections == [*SECTIONS[:5], "packets", *SECTIONS[5:]]
    assert [f"#{name}" for name in page.sections] == [
        a["href"] for tag, a in page.tags if tag == "a"
    ]
    assert page.open == []
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == 5 + 3
    assert all(len(image["alt"] or "") > 40 for image in images)
    names = [tag for tag, _ in page.tags]
    assert names.count("table") == names.count("caption")


@pytest.mark.slow
def test_greedy_stands_beside_its_bounds(packets: list[xr.Dataset], tmp_path: Path) -> None:
    """√N/n rounded up, √N/2, exact loads and steps; ticked where the study certifies the worst."""
    page = reported(gather(["hypercube:4"], ["dor"]), packets, tmp_path)
    assert rows_of(page, "transpose 4 1 ") == ["transpose 4 1 2 2 2 ✓ 4 1"]
    assert "transpose 6 2 4 4 4 7 2" in rows_of(page, "transpose 6 2")
    assert "bit reversal 5 1 2 2 4 4 1" in rows_of(page, "bit reversal 5 1")
    assert "Every run took at least as many" in page.text
    assert "certified where marked" in page.text


@pytest.mark.slow
def test_valiant_and_the_schedule_are_counted_over_seeds(
    gathered: Gathered, packets: list[xr.Dataset], tmp_path: Path
) -> None:
    """Mean and largest steps/n and shares above multiples; schedules within 2n - 1."""
    page = reported(gathered, packets, tmp_path)
    steps = packets[0].steps.sel(network="hypercube:6", routing="valiant", traffic="transpose")
    mean, most = float(steps.mean()) / 6, int(steps.max()) / 6
    share = float((steps > 12).mean())
    row = f"transpose 6 4 {mean:.2f} {most:.2f} {share:.1%} 0.0% 0.0%"
    assert row in rows_of(page, "transpose 6 4")
    assert "In 20 runs Valiant's two phases never took more than" in page.text
    assert "transpose 6 11 9" in rows_of(page, "transpose 6 11")
    assert "every schedule was run and kept to that" in page.text


@pytest.mark.slow
def test_stable_rates_stand_beside_the_exact_ideal(
    gathered: Gathered, packets: list[xr.Dataset], tmp_path: Path
) -> None:
    """The interval and its distance in per cent, with true minus signs."""
    (row,) = rows_of(reported(gathered, packets, tmp_path), "ring:8 DOR")
    low, high = (float(packets[1][name].item()) for name in ("stable_rate", "unstable_rate"))
    percents = " to ".join(f"{100 * (3 * rate - 1):+.1f}" for rate in (low, high))
    assert row == (
        f"ring:8 DOR tornado 1/3 0.3333 {low:.4f} to {high:.4f} {percents.replace('-', '−')} yes"
    )


@pytest.mark.slow
def test_steps_below_an_exact_load_are_called_out(
    gathered: Gathered, packets: list[xr.Dataset], tmp_path: Path
) -> None:
    """Doctored simulations do not pass in silence."""
    doctored = packets[0].copy(deep=True)
    doctored["steps"].loc["hypercube:6", "dor", "transpose"] = 3
    page = reported(gathered, [doctored], tmp_path)
    assert "Some runs took fewer, which cannot be" in page.text


@pytest.mark.slow
def test_a_report_of_simulations_alone_leaves_the_rest_out(
    gathered: Gathered, packets: list[xr.Dataset], tmp_path: Path
) -> None:
    """No heading without its data."""
    text = reported(gathered, packets[:1], tmp_path).text
    assert "Greedy routing on hypercubes" in text
    assert "The largest stable rate" not in text
    text = reported(gathered, packets[1:], tmp_path).text
    assert "Greedy routing on hypercubes" not in text
    assert "The largest stable rate" in text


@pytest.mark.slow
def test_without_packets_the_report_is_as_it_was(gathered: Gathered, tmp_path: Path) -> None:
    """No section, no link, no provenance of them."""
    assert "packets" not in reported(gathered, [], tmp_path).source.replace(
        "packets per cycle", ""
    )


@pytest.mark.slow
def test_packets_of_another_kind_are_an_input_error(gathered: Gathered, tmp_path: Path) -> None:
    """And nothing is written."""
    data = data_of(gathered).with_gathered("simulations", gathered[0])
    with pytest.raises(InputError, match="'evaluations' is no gathered store of simulations"):
        report.write_report(data, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_a_mesh_shows_the_worst_case_of_each_channel(tmp_path: Path) -> None:
    """A map of its own; without a mesh there is no such heading."""
    page = written(gather(["torus:4x4", "mesh:4x4"], ["dor", "romm"]), tmp_path)
    assert "The worst case of each channel" in page.text
    assert "on each channel of mesh:4x4 under DOR, ROMM" in page.text
    images = [attributes["alt"] or "" for tag, attributes in page.tags if tag == "img"]
    assert any(alt.startswith("Maps of mesh:4x4") and "own worst case" in alt for alt in images)


def test_a_study_without_a_mesh_has_no_map_of_worst_cases(page: Page) -> None:
    """On a torus it would be flat."""
    assert "The worst case of each channel" not in page.text
