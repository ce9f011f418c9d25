"""Tables, figures and the report by the command line, from a study's folder or from its stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(obroute: Run, tmp_path: Path) -> Path:
    """Give the folder of a study with a curve, made by commands."""
    study = tmp_path / "results"
    for routing in ("dor", "valiant"):
        store = study / f"evaluations/torus-3x3/{routing}.zarr"
        assert obroute("evaluate", "torus:3x3", routing, "--save", store)[0] == 0
    names = [f"torus-3x3/{routing}.zarr" for routing in ("dor", "valiant")]
    cells, gathered = study / "evaluations", study / "evaluations.zarr"
    assert obroute("gather", *names, "--folder", cells, "--output", gathered)[0] == 0
    curve = study / "trade_offs/torus-3x3/optimal.zarr"
    assert obroute("pareto", "torus:3x3", "--save", curve)[0] == 0
    places = ("--folder", study / "trade_offs", "--output", study / "trade_offs.zarr")
    assert obroute("gather", "torus-3x3/optimal.zarr", *places)[0] == 0
    return study


@pytest.mark.slow
def test_a_folder_does_what_its_stores_do(obroute: Run, folder: Path, tmp_path: Path) -> None:
    """Tables, figures of the study and of one cell, and the report: the same bytes."""
    study, curve = folder / "evaluations.zarr", folder / "trade_offs/torus-3x3/optimal.zarr"
    cases = {
        "summary.csv": (("table", "summary"), [(folder,), (study,)]),
        "papers.csv": (("table", "papers"), [(folder,), (study, "--trade-off", curve)]),
        "pareto.svg": (("figure", "pareto", "--network", "torus:3x3"), [(folder,), (study,)]),
        "curve.svg": (
            ("figure", "trade_off"),
            [(folder, "--cell", "torus-3x3/optimal"), (curve,), (curve, "--study", study)],
        ),
        "report.html": (
            ("report",),
            [(folder,), (study, "--cells", folder / "evaluations", "--trade-off", curve)],
        ),
    }
    for name, (command, ways) in cases.items():
        outputs = [tmp_path / f"{place}-{name}" for place in range(len(ways))]
        for way, output in zip(ways, outputs, strict=True):
            status, printed, errors = obroute(*command, *way, "--output", output)
            assert (status, printed) == (0, ""), (name, errors)
        assert len({output.read_bytes() for output in outputs}) == 1, name


def test_what_cannot_be_made_is_said_in_one_line(
    obroute: Run, folder: Path, tmp_path: Path
) -> None:
    """A missing section, a missing cell, no cell, an unknown network, a store that is a cell."""
    cell = folder / "evaluations/torus-3x3/dor.zarr"
    cases = {
        ("table", "designs", folder): "has no designs, which 'designs' is made of",
        ("figure", "trade_off", folder): "give one of: torus-3x3/optimal",
        ("figure", "trade_off", folder, "--cell", "torus-3x3/other"): "does not exist",
        ("figure", "pareto", folder, "--network", "torus:9x9"): "no network 'torus:9x9'",
        ("figure", "steps", folder): "what can be made of it: channel_loads, load_comparison",
        ("figure", "steps", cell): "has no simulations",
        ("figure", "worst_permutation", cell, cell): "is made of one cell, not of 2",
        ("figure", "worst_cases", folder, "--network", "ring:3"): "has no network 'ring:3'",
        ("figure", "worst_cases", cell, folder / "evaluations.zarr"): "kind evaluations, and no",
        ("figure", "channel_loads", cell, "--traffic", "tornad"): "has no traffic 'tornad'",
        ("figure", "trends", cell): "nothing to draw: This study holds no series",
        ("figure", "worst_cases", cell, "--width", 2): "too small for this figure; give at least",
        ("figure", "worst_cases", cell, "--height", 1): "too small for this figure; give at",
        ("figure", "worst_cases", cell, "--width", "-3"): "expected more than 0, up to 40",
        ("figure", "worst_cases", cell, "--dpi", 5000): "expected 20 to 1200",
        ("report", cell): "which is one cell",
        ("report", tmp_path / "nowhere"): "does not exist; give the folder of a study",
    }
    for words, expected in cases.items():
        status, _, errors = obroute(*words, "--output", tmp_path / "out.svg")
        assert status == 2, words
        assert expected in errors, (words, errors)
        assert len(errors.splitlines()) == 1
    assert not (tmp_path / "out.svg").exists()


def test_commands_are_those_that_are_registered(obroute: Run) -> None:
    """Help names each with its summary; an unknown one is an error."""
    for group, names in (("table", ("summary", "papers")), ("figure", ("trade_off", "steps"))):
        printed = obroute(group, "--help")[1]
        assert all(name in printed for name in names)
    assert "--network" in obroute("figure", "pareto", "--help")[1]
    assert obroute("figure", "paretto", "--help")[0] == 2


def test_figures_of_cells_are_drawn_as_asked_for(
    obroute: Run, folder: Path, tmp_path: Path
) -> None:
    """One cell alone or of a study, several together; the size, the ground and the kind."""
    dor, valiant = (folder / f"evaluations/torus-3x3/{name}.zarr" for name in ("dor", "valiant"))
    cases: dict[str, tuple[object, ...]] = {
        "one.svg": ("worst_permutation", dor),
        "same.svg": ("worst_permutation", folder, "--cell", "torus-3x3/dor"),
        "maps.svg": ("worst_cases", dor, valiant),
        "same maps.svg": ("worst_cases", folder),
        "why.svg": ("trends", dor, "--say-why"),
        "loads.png": ("channel_loads", dor, "--width", 6, "--height", 5, "--dpi", 50, "--dark"),
        "points.svg": ("pareto", folder),
        "both.pdf": ("load_comparison", dor, valiant),
    }
    for name, words in cases.items():
        status, printed, errors = obroute("figure", *words, "--output", tmp_path / name)
        assert (status, printed, errors) == (0, "", ""), name
    written = {name: (tmp_path / name).read_bytes() for name in cases}
    assert written["one.svg"] == written["same.svg"]
    assert written["maps.svg"] == written["same maps.svg"]
    assert b"no series of at least two radices" in written["why.svg"]
    assert written["both.pdf"].startswith(b"%PDF")
    with Image.open(tmp_path / "loads.png") as image:
        assert image.size == (300, 250)
        assert max(image.convert("RGB").getpixel((0, 0))) < 40
