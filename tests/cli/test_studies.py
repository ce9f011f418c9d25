"""Tables, figures and the report by the command line, from a study's folder or from its stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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
    cases = {
        ("table", "designs", folder): "has no designs, which 'designs' is made of",
        ("figure", "trade_off", folder): "give one of: torus-3x3/optimal",
        ("figure", "trade_off", folder, "--cell", "torus-3x3/other"): "does not exist",
        ("figure", "pareto", folder): "no network 'torus:8x8'",
        ("report", folder / "evaluations/torus-3x3/dor.zarr"): "which is one cell",
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
