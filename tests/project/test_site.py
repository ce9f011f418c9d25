"""The site of the documentation, opened from a file in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sync = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the browser once."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with sync.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, site: Path) -> Iterator[Any]:
    """Open the front page; what went wrong there and on the pages that follow fails the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if is_local(asked.url) else wrong.append(asked.url))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert wrong == []


def is_local(address: str) -> bool:
    """Say whether a request stays on this machine."""
    return address.startswith(("file:", "data:", "blob:", "about:"))


def test_search_finds_a_page_that_is_opened_from_a_file(opened: Any) -> None:
    """And leads to it."""
    opened.get_by_placeholder("Search").click()
    opened.keyboard.type("theorem")
    first = opened.locator(".md-search-result__item a").first
    first.wait_for()
    assert "theorem" in first.inner_text().lower()
    first.click()
    opened.wait_for_url(re.compile(r"/\w+/.*\.html"))


def test_the_reader_chooses_between_light_and_dark(opened: Any) -> None:
    """As the system has it at first, and the choice holds on the next page."""

    def colour() -> str:
        found: str = opened.evaluate("getComputedStyle(document.body).backgroundColor")
        return found

    light = colour()
    opened.get_by_title("Light page").click()
    assert colour() == light
    opened.get_by_title("Dark page").click()
    dark = colour()
    assert dark != light
    opened.get_by_role("link", name="Quickstart").first.click()
    opened.wait_for_url(re.compile(r"quickstart\.html"))
    assert colour() == dark
    opened.get_by_title("As the system has it").click()
    assert colour() == light


def test_no_page_scrolls_sideways_or_asks_the_network(opened: Any, site: Path) -> None:
    """On a phone as on a screen; no formula is empty, no picture is missing."""
    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html" or ("decisions" in page.parts and page.stem != "index"):
            continue
        opened.goto(page.as_uri())
        for width in (400, 1280):
            opened.set_viewport_size({"width": width, "height": 900})
            found = opened.evaluate(LOOK)
            assert found == {"wide": width, "empty": 0}, page


LOOK = """() => ({
  wide: document.documentElement.scrollWidth,
  empty: [...document.images].filter(i => i.complete && !i.naturalWidth).length
    + [...document.querySelectorAll("math")].filter(m => !m.getBoundingClientRect().width).length,
})"""
AXE = ROOT / "node_modules/axe-core/axe.min.js"
KINDS_OF_PAGES = (
    "index",
    "findings",
    "gallery/torus",
    "how-to/sweep",
    "reference/cli",
    "reference/specs",
    "methods/papers",
)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (npm install axe-core)")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_screen_reader_finds_no_obstacle(browser: Any, site: Path, theme: str) -> None:
    """As axe-core judges, on a page of each kind, on a phone as on a screen."""
    page = browser.new_page(color_scheme=theme)
    for name in KINDS_OF_PAGES:
        for width in (400, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto((site / f"{name}.html").as_uri())
            page.add_script_tag(path=str(AXE))
            found = page.evaluate("axe.run({resultTypes: ['violations']})")
            assert [
                (one["id"], [node["html"] for node in one["nodes"]][:3])
                for one in found["violations"]
            ] == [], (name, width)
    page.close()


EMPHASIS = re.compile(r"(\w?)<(em|strong)>(.*?)</\2>(\w?)", re.DOTALL)


def test_emphasis_is_meant(site: Path) -> None:
    """It begins and ends with a word: asterisks of a product are no emphasis."""
    for page in site.rglob("*.html"):
        for before, _, text, after in EMPHASIS.findall(page.read_text("utf-8")):
            plain = re.sub(r"<[^>]*>", "", text)
            whole = not (before or after) and re.match(r"[\w(&/‘“]", plain)
            assert whole, (page.name, text)


def test_no_formula_is_left_as_it_was_typed(site: Path) -> None:
    """All of them are set, and with nothing that the converter did not know."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "arithmatex" not in text, page.name
        for formula in re.findall(r"<math.*?</math>", text, re.DOTALL):
            assert not re.search(r"<mi>\\|<mo>(&amp;|&#x00026;)|<merror", formula), (
                page.name,
                formula,
            )
