"""The pictures of the pages are those that the commands draw now."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs/pictures"
STUDY = ROOT / "results/default"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def words(picture: Path) -> list[str]:
    """Return every word and number of a picture, wherever lines are broken."""
    texts = re.findall(r"<text[^>]*>([^<]*)", picture.read_text("utf-8"))
    return sorted(" ".join(texts).split())


def obroute(*arguments: str | Path) -> None:
    """Run a command."""
    program = Path(sys.executable).with_name("obroute")
    subprocess.run([program, *arguments], cwd=ROOT, check=True, capture_output=True)


def test_each_picture_is_shown_and_each_that_is_shown_is_there() -> None:
    """With words in place of it, for those who do not see it."""
    shown = set()
    for page in PAGES:
        for said, place in re.findall(r"!\[([^\]]*)\]\(([^)#]+)", page.read_text("utf-8")):
            picture = (page.parent / place).resolve()
            assert picture.is_file(), f"{page.name}: {place}"
            assert len(said) > 10, f"{page.name}: {place}"
            shown.add(picture)
    assert set(PICTURES.iterdir()) <= shown


@pytest.mark.slow
@pytest.mark.parametrize("ground", [[], ["--dark"]], ids=["light", "dark"])
def test_the_worst_permutation_is_the_one_that_is_found(ground: list[str], tmp_path: Path) -> None:
    """The same numbers in the same number of places; `make pictures` draws them."""
    cell, drawn = tmp_path / "cell.zarr", tmp_path / "drawn.svg"
    obroute("evaluate", "torus:9x9", "romm", "--save", cell, "--quiet")
    obroute("figure", "worst_permutation", cell, *ground, "--output", drawn)
    kept = PICTURES / f"worst_permutation{'_dark' if ground else ''}.svg"
    assert words(drawn) == words(kept), "run `make pictures`"


@pytest.mark.slow
@pytest.mark.skipif(not STUDY.is_dir(), reason="the default study has not been run (`make sweep`)")
def test_the_trends_are_those_of_the_default_study(tmp_path: Path) -> None:
    """The same words; `make pictures` draws them."""
    drawn = tmp_path / "drawn.svg"
    obroute("figure", "trends", STUDY, "--output", drawn)
    assert words(drawn) == words(PICTURES / "trends.svg"), "run `make pictures`"
