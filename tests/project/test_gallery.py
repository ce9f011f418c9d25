"""The notebooks of the gallery: stored with what they print, and still printing it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/gallery").glob("*.ipynb"))


def cells(notebook: Any) -> list[Any]:
    """Return the cells that are run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: Any) -> list[str]:
    """Return what a cell printed, and the kinds of pictures and tables that it showed."""
    found = []
    for output in cell.outputs:
        assert output.output_type != "error", f"{cell.source}\n{output.get('evalue')}"
        if output.output_type == "stream":
            found.append(output.text)
        elif "image/png" in output.data or "image/svg+xml" in output.data:
            found.append("a picture")
        else:
            found.append(output.data["text/plain"])
    return found


def without_seconds(text: str) -> str:
    """Return it without the time that it took."""
    return re.sub(r"^(  seconds +)[\d.]+$", r"\1-", text, flags=re.MULTILINE)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_its_output(path: Path) -> None:
    """Every cell ran, in order, without an error; no path of a machine is in it; it is small."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# ")
    numbers = [cell.execution_count for cell in cells(notebook)]
    assert numbers == list(range(1, len(numbers) + 1))
    for cell in cells(notebook):
        assert "site-packages" not in "".join(printed(cell))
    assert path.stat().st_size < 400_000


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_is_stored_with(path: Path) -> None:
    """To the last digit, but for the seconds that it took."""
    spec = importlib.util.spec_from_file_location("stories", ROOT / ".ci/stories.py")
    assert spec is not None
    assert spec.loader is not None
    stories = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stories)
    stored, fresh = nbformat.read(path, as_version=4), stories.run(path)
    for was, now in zip(cells(stored), cells(fresh), strict=True):
        told, tells = ([without_seconds(text) for text in printed(cell)] for cell in (was, now))
        assert tells == told, f"{path.stem}: {now.source}\nrun `make stories`"
