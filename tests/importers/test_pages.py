"""The pages about files say what is read and written, and show the examples as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from obroute import make_network
from obroute.exporters.registry import exporters
from obroute.importers import importers

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/files.md").read_text()
EXAMPLES = sorted(p for p in (ROOT / "examples").iterdir() if p.suffix not in (".md", ""))
SHOWN = re.compile(r"^```\w* title=\"([^\"]*)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_format_is_in_the_tables() -> None:
    """With what it is and its endings, as the registries have them."""
    needed = []
    for entry in importers:
        endings = ", ".join(f"`.{ending}`" for ending in importers.endings_of(entry))
        needed.append(f"| `{entry.name}` | {entry.summary} | {endings} |")
    for name, one in exporters().items():
        endings = ", ".join(f"`.{ending}`" for ending in one.endings) or f"`--format {name}`"
        needed.append(f"| `{name}` | {one.summary} | {one.keeps} | {endings} |")
    missing = [row for row in needed if row not in PAGE.splitlines()]
    assert not missing, "docs/how-to/files.md lacks:\n" + "\n".join(missing)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_read_and_named(example: Path) -> None:
    """And what a page shows of it is what is in it."""
    more = ":undirected" if example.suffix == ".csv" else ""
    assert make_network(f"{example}{more}").read_as
    assert f"`{example.name}`" in (ROOT / "examples/README.md").read_text()
    for page in ("files", "noc-from-booksim", "wan"):
        shown = dict(SHOWN.findall((ROOT / f"docs/how-to/{page}.md").read_text()))
        assert shown.get(example.name, example.read_text()) == example.read_text()
