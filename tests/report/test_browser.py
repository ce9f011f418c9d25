"""The report in a real browser: sorted, filtered, dark, on a phone, read aloud."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.cases import FABRIC, network_of
from tests.support.datasets import cell_dataset, design_dataset, gathered_dataset

import obroute
from obroute.report import write_report
from obroute.views import StudyData

sync = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]
STUDIES = {
    "tori": (["torus:5x5", "torus:9x9", "torus:4x4", "torus:3x3"], ["dor", "romm", "valiant"]),
    "a fabric": ([FABRIC], ["ecmp", "ecmp:split=hops", "minimal"]),
    "topologies": (["complete:6", "mesh:3x3", "leafspine:leaves=3,hosts=2,spines=2"], ["ecmp"]),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the browser once."""
    with sync.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module", params=STUDIES)
def report(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a study."""
    names, routings = STUDIES[request.param]
    cells, designs = {}, {}
    for name in names:
        network = network_of(name)
        for place, routing in enumerate(routings):
            found = obroute.evaluate(network, routing, ["uniform"])
            cells[f"{network.name}/{place}.zarr"] = cell_dataset(found)
        if len(network.sources) < 10:
            best = obroute.design(network)
            designs[f"{network.name}/best.zarr"] = design_dataset(best)
    gathered = {"evaluations": gathered_dataset(cells)}
    if designs:
        gathered["designs"] = gathered_dataset(designs)
    output = tmp_path_factory.mktemp("report") / "report.html"
    write_report(StudyData(gathered, {"evaluations": cells}), output)
    return output


class Opened:
    """A page with what went wrong on it."""

    def __init__(
        self, browser: Any, report: Path, width: int = 1280, theme: str = "light"
    ) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda said: self._keep(said.type == "error", said.text))
        self.page.on("pageerror", lambda error: self._keep(True, str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(report.as_uri())

    def _keep(self, wrong: bool, text: str) -> None:
        if wrong:
            self.errors.append(text)


@pytest.fixture
def opened(browser: Any, report: Path) -> Iterator[Opened]:
    """Open the report, and look at what went wrong when the test is over."""
    found = Opened(browser, report)
    yield found
    assert found.errors == []
    assert [url for url in found.asked if not url.startswith(("file:", "data:"))] == []
    found.page.close()


def test_a_table_is_sorted_by_a_click_and_by_a_key(opened: Opened) -> None:
    """Upwards, then downwards, by number where the column has numbers."""
    page = opened.page
    head = page.locator("section[aria-labelledby=summary] th", has_text="Load").nth(1)

    def column() -> list[float]:
        cells = page.locator("section[aria-labelledby=summary] tbody tr td:nth-child(4)")
        return [float(text) for text in cells.all_inner_texts()]

    unsorted = column()
    head.click()
    first = column()
    head.focus()
    page.keyboard.press("Enter")
    second = column()
    assert {tuple(first), tuple(second)} == {
        tuple(sorted(unsorted)),
        tuple(sorted(unsorted, reverse=True)),
    }
    assert head.get_attribute("aria-sort") in ("ascending", "descending")


def test_a_table_is_filtered_by_the_words_of_a_row(opened: Opened) -> None:
    """All of them, in any order; and the rows that are left are counted."""
    page = opened.page
    rows = page.locator("section[aria-labelledby=summary] tbody tr")
    first = rows.first.locator("td").first.inner_text()
    page.locator("section[aria-labelledby=summary] input").fill(first.upper())
    shown = [text for text in rows.all_inner_texts() if text]
    visible = rows.filter(visible=True).count()
    assert 0 < visible <= len(shown)
    assert f"{visible} of {rows.count()} rows" in page.locator("output").last.inner_text()
    assert all(
        first.lower() in text.lower() for text in rows.filter(visible=True).all_inner_texts()
    )


def test_the_worst_traffic_of_a_cell_is_a_click_away(opened: Opened) -> None:
    """By the keyboard, too; it says who collides and closes with Escape."""
    page = opened.page
    button = page.locator("button[data-cell]").first
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    assert dialog.count() == 1
    assert "Worst-case load" in dialog.inner_text()
    assert "Source" in dialog.inner_text()
    listed = dialog.locator("details tbody tr").count()
    assert (dialog.locator("details").count() == 1) == (listed > 0)
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_a_point_of_a_picture_says_what_it_is_by_pointer_and_by_key(opened: Opened) -> None:
    """Where the pointer is; the arrows go on; a click or Enter shows the cell; Escape closes."""
    page = opened.page
    figure = page.locator("figure:has(ul[data-cell])").first
    said = figure.locator(".spots li").all_text_contents()
    tip, dialog = page.locator(".tip"), page.locator("dialog[open]")
    assert tip.is_hidden()
    item = figure.locator("ul[data-cell] li").first
    left, top = map(float, str(item.get_attribute("data-at")).split(";")[0].split(" ")[:2])
    frame = figure.locator(".frame")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box is not None
    at = box["x"] + left / 100 * box["width"], box["y"] + top / 100 * box["height"]
    page.mouse.move(*at)
    assert tip.inner_text() in said
    page.mouse.click(*at)
    assert "Worst-case load" in dialog.inner_text()
    page.keyboard.press("Escape")
    figure.locator(".picture").focus()
    heard = []
    for _ in said[:3]:
        page.keyboard.press("ArrowRight")
        heard.append(tip.inner_text())
    assert len(set(heard)) == len(said[:3])
    assert set(heard) <= set(said)
    while tip.inner_text() != item.text_content():
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert dialog.count() == 1
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_the_page_is_dark_where_the_reader_wants_it(browser: Any, report: Path) -> None:
    """By the system's setting, and by the button, both ways."""

    def colour(page: Any) -> str:
        found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return found

    dark, light = (Opened(browser, report, theme=theme) for theme in ("dark", "light"))
    colours = {colour(dark.page), colour(light.page)}
    assert len(colours) == 2
    light_before = colour(light.page)
    light.page.get_by_role("button", name="Dark page").click()
    assert colour(light.page) == colour(dark.page)
    light.page.get_by_role("button", name="Light page").click()
    assert colour(light.page) == light_before
    assert dark.errors + light.errors == []


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_scrolls_sideways_but_in_a_box_of_its_own(
    browser: Any, report: Path, width: int
) -> None:
    """On a phone as on a screen, and nothing collapses to no width."""
    page = Opened(browser, report, width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for entry in page.locator("dl.facts dd").all():
        box = entry.bounding_box()
        assert box is not None
        assert box["width"] > 100


def test_what_is_printed_is_light_and_whole(opened: Opened) -> None:
    """Without buttons."""
    page = opened.page
    page.emulate_media(media="print")
    assert page.locator("button.theme").is_hidden()
    tall = page.locator(".tall").first
    assert tall.evaluate("box => getComputedStyle(box).maxHeight") == "none"


AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (npm install axe-core)")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_screen_reader_finds_no_obstacle(browser: Any, report: Path, theme: str) -> None:
    """As axe-core judges."""
    page = Opened(browser, report, theme=theme).page
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("axe.run()")
    assert [
        (one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]
    ] == []
