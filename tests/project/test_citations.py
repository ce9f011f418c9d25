"""The works that are cited: one list in the docs, the same in ``CITATION.cff``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs/methods"
REFERENCES = (METHODS / "references.md").read_text(encoding="utf-8")
CLAIMS, WORKS = REFERENCES.split("## Works")
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
EXPECTED = (
    "Valiant 1982",
    "Borodin and Hopcroft 1985",
    "Nesson and Johnsson 1995",
    "Singh, Dally, Towles and Gupta 2002",
    "Seo, Ali, Lim, Rafique and Thottethodi 2005",
    "Dally and Seitz 1987",
    "Benes 1965",
    "Andrews and others 2001",
)
SOURCELESS = {"scale.md", "papers.md"}
"""Measurements of this project, and the papers' own numbers, each with its place."""


def works() -> dict[str, str]:
    """Give the text of each work by its heading."""
    parts = re.split(r"^### (.+)$", WORKS, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (" ".join(text.split()) for text in parts[2::2]), strict=True))


def slug(heading: str) -> str:
    """Give the anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


def test_the_works_are_in_order_and_the_expected_ones_among_them() -> None:
    """By author, then year."""
    assert list(works()) == sorted(works())
    assert set(EXPECTED) <= set(works())


def test_the_citation_file_names_the_same_works() -> None:
    """Title, family names, year and pages stand in both."""
    assert len(CITED) == len(works())
    for entry in CITED:
        (found,) = (
            (heading, text)
            for heading, text in works().items()
            if entry["title"].lower() in text.lower()
        )
        heading, text = found
        for author in entry["authors"]:
            assert author["family-names"] in text
        assert heading.endswith(str(entry.get("year", "report")))
        if "start" in entry:
            assert f"{entry['start']}–{entry['end']}" in text
        elif entry["type"] != "book":
            assert "–" not in text


def test_every_work_is_the_source_of_a_claim() -> None:
    """No work is listed that nothing rests on."""
    assert {slug(heading) for heading in works()} <= set(re.findall(r"\(#([\w-]+)\)", CLAIMS))


@pytest.mark.parametrize(
    "page",
    [p for p in sorted(METHODS.glob("*.md")) if p.name not in SOURCELESS | {"references.md"}],
    ids=lambda page: page.name,
)
def test_every_page_of_methods_cites(page: Path) -> None:
    """By a link to the list."""
    assert "references.md#" in page.read_text(encoding="utf-8")
