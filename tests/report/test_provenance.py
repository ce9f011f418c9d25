"""What a report says of how it was made."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
import yaml

import obroute
from obroute.cli import app
from obroute.results.provenance import commit
from obroute.study import read_study

GIVEN = {"study": "mine", "networks": ["ring:3"], "routings": ["dor"], "seed": 7}


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A study of one cell."""
    folder = tmp_path_factory.mktemp("study")
    obroute.write_store(obroute.compare("ring:3", "dor"), folder / "evaluations.zarr")
    return folder / "evaluations.zarr"


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_the_configuration_makes_the_study_again(store, tmp_path, form: str) -> None:
    """Whole, with the commit, Snakemake and the command that takes it."""
    given = json.dumps(GIVEN)
    if form == "yaml":
        given = str(tmp_path / "study.yaml")
        Path(given).write_text(yaml.safe_dump(GIVEN))
    page = tmp_path / "report.html"
    words = ["report", str(store), "--output", str(page), "--configuration", given]
    app(words, standalone_mode=False)
    text = page.read_text()
    shown = re.search(
        r"<summary>The study's configuration</summary>\s*<pre[^>]*>(.*?)</pre>", text, re.S
    )
    assert shown is not None
    again = yaml.safe_load(unescape(shown[1]))
    assert again == GIVEN
    assert read_study(again).study == "mine"
    assert "obroute sweep study.yaml" in text
    assert "<dt>Snakemake</dt>" in text
    assert commit() in text


def test_a_commit_is_told_or_left_out() -> None:
    """As Git writes it, or nothing."""
    assert re.fullmatch(r"([0-9a-f]{40}( with changes)?)?", commit())


def test_a_report_without_a_configuration_claims_none(store, tmp_path) -> None:
    """By hand, of one store."""
    app(["report", str(store), "--output", str(tmp_path / "r.html")], standalone_mode=False)
    assert "made again by" not in (tmp_path / "r.html").read_text()
