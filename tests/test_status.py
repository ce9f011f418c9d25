"""Where a study stands: what is done, missing, failed, damaged or stale, and why."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
import yaml

from obroute import cli, status
from obroute.dependencies import sources
from obroute.status import how_far, study_status
from obroute.study import read_study
from obroute.writing import write_whole

STUDY = {
    "study": "small",
    "networks": ["torus:{k}x{k}"],
    "radices": "3-4",
    "routings": ["dor"],
    "patterns": ["uniform", "bit_reverse"],
    "random_permutations": {"samples": 3, "networks": ["torus:4x4"]},
    "average_case": {"samples": 2, "kind": "mixture"},
    "simulations": [
        {"networks": ["hypercube:2"], "routings": ["dor"], "traffic": ["transpose"], "seeds": 2}
    ],
    "stability": [
        {
            "networks": ["torus:3x3"],
            "routings": ["dor"],
            "traffic": ["uniform"],
            "rates": [0.1, 0.25],
            "steps": 200,
            "tolerance": 0.2,
        }
    ],
    "designs": [{"networks": ["torus:3x3"], "routings": ["2turn"]}],
    "trade_offs": [{"networks": ["torus:3x3"], "routings": ["optimal"], "most_solves": 50}],
    "seed": 4,
}


def obroute(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    """Run a command line in this process."""
    monkeypatch.setattr(sys, "argv", ["obroute", *words])
    status: object = 0
    try:
        cli.main()
    except SystemExit as ended:
        status = ended.code
    assert not status, words


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small study made by the very commands that the rules call."""
    folder = tmp_path_factory.mktemp("status")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        study = read_study(STUDY)
        for cell in (cell for cells in study.sections.values() for cell in cells.values()):
            places = ("--quiet", "--save", str(cell.store))
            obroute(monkeypatch, *cell.words, *places)
        for section, cells in study.sections.items():
            names = [f"{name}.zarr" for name in cells]
            places = ("--folder", str(study.folder / section))
            output = ("--output", str(study.folder / f"{section}.zarr"))
            obroute(monkeypatch, "gather", *names, *places, *output)
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The study's folder of results, in the working directory, free to be changed."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results/small"


def states(**changes) -> dict[str, tuple[str, str]]:
    """Return state and reason of every store that is not done, by its path."""
    study = read_study(STUDY | changes)
    return {
        str(one.store.relative_to(study.folder)): (one.state, one.reason)
        for one in study_status(study)
        if one.state != "done"
    }


@pytest.mark.usefixtures("folder")
def test_a_finished_study_is_done() -> None:
    """Settings as its commands record them, every option of every kind of cell."""
    assert states() == {}


def test_what_is_not_there_is_missing(folder: Path) -> None:
    """And what gathers it is stale, because it would be gathered again."""
    shutil.rmtree(folder / "evaluations/torus-3x3/dor.zarr")
    assert states() == {
        "evaluations/torus-3x3/dor.zarr": ("missing", ""),
        "evaluations.zarr": ("stale", "cells not done: torus-3x3/dor.zarr"),
    }


@pytest.mark.parametrize(
    ("log", "state", "reason"),
    [
        ("error: no Dask scheduler answers\n", "failed", "no Dask scheduler answers"),
        ("wrong: channel 3\n", "failed", "channel 3"),
        (
            "Traceback (most recent call last):\n  File\nKeyError: 'x'\n",
            "failed",
            "KeyError: 'x'",
        ),
        ("Traceback (most recent call last):\n  File\nKeyboardInterrupt\n", "missing", ""),
        ("dor on torus:3x3\n  seconds 1.2\n[3, 4]\n", "missing", ""),
        ("", "missing", ""),
    ],
)
def test_a_log_that_ends_in_an_error_says_why_a_cell_failed(
    folder: Path, log: str, state: str, reason: str
) -> None:
    """Only where there is no store; the log of a cell that was made and deleted says nothing."""
    shutil.rmtree(folder / "evaluations/torus-3x3/dor.zarr")
    file = folder / "logs/evaluations/torus-3x3/dor.log"
    file.parent.mkdir(parents=True)
    file.write_text(log)
    assert states()["evaluations/torus-3x3/dor.zarr"] == (state, reason)


def test_damage_is_found(folder: Path) -> None:
    """A chunk that is gone, metadata that are cut short, and a file in a store's place."""
    shutil.rmtree(folder / "evaluations/torus-4x4/dor.zarr/worst_case_load/c")
    metadata = folder / "simulations/hypercube-2/dor.zarr/zarr.json"
    metadata.write_text(metadata.read_text()[:200])
    shutil.rmtree(folder / "stability.zarr")
    (folder / "stability.zarr").write_text("in the way")
    found = states()
    assert {found[name][0] for name in found if not name.startswith("evaluations.")} >= {"damaged"}
    assert "remove it and make it again" in found["evaluations/torus-4x4/dor.zarr"][1]
    assert "truncated or damaged" in found["simulations/hypercube-2/dor.zarr"][1]
    assert found["stability.zarr"][0] == "damaged"


@pytest.mark.usefixtures("folder")
def test_changed_parameters_are_named_with_both_values() -> None:
    """What the store records, and what the study asks for now."""
    found = states(patterns=["uniform", "tornado"], seed=5)
    assert found["evaluations/torus-4x4/dor.zarr"] == (
        "stale",
        "patterns changed from uniform, bit_reverse to uniform, tornado; seed changed from 4 to 5",
    )
    assert found["simulations/hypercube-2/dor.zarr"][1] == "seed changed from 4 to 5"
    assert found["evaluations.zarr"][1].startswith("cells not done: torus-3x3/dor.zarr, torus-4x4")


@pytest.mark.usefixtures("folder")
def test_a_radix_added_or_dropped_is_gathered_again() -> None:
    """The cells that stay are done."""
    assert states(radices="3-5") == {
        "evaluations/torus-5x5/dor.zarr": ("missing", ""),
        "evaluations.zarr": ("stale", "cells not gathered yet: torus-5x5/dor.zarr"),
    }
    study = states(radices="4")
    assert study == {
        "evaluations.zarr": ("stale", "cells no longer in the study: torus-3x3/dor.zarr")
    }


@pytest.mark.usefixtures("folder")
def test_changed_code_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that a store depends on only, the first few of them."""

    def sources_with(*names: str):
        return lambda modules: {
            file: "0" if file in names else digest for file, digest in sources(modules).items()
        }

    monkeypatch.setattr(status, "sources", sources_with("packets/benes.py", "plots/style.py"))
    assert {name: state for name, (state, _) in states().items()} == {
        "simulations/hypercube-2/dor.zarr": "stale",
        "simulations.zarr": "stale",
        "stability/torus-3x3/dor.zarr": "stale",
        "stability.zarr": "stale",
    }
    assert states()["stability/torus-3x3/dor.zarr"][1] == "code changed: packets/benes.py"
    monkeypatch.setattr(status, "sources", sources_with("routing/dimension_order.py"))
    assert "evaluations/torus-3x3/2turn.zarr" not in states()
    reason = states()["evaluations/torus-3x3/dor.zarr"][1]
    assert reason == "code changed: routing/dimension_order.py"


def test_a_cell_that_was_made_anew_is_gathered_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its data are not those that were gathered."""
    gathered = folder / "evaluations.zarr"
    old = json.loads((gathered / "zarr.json").read_text())
    cells = json.loads(old["attributes"]["cells"])
    dor = {"torus-3x3/dor.zarr", "torus-4x4/dor.zarr"}
    assert set(cells) == dor | {"torus-3x3/2turn.zarr"}
    store = folder / "evaluations/torus-3x3/dor.zarr"
    words = read_study(STUDY | {"seed": 9}).cells("evaluations")["torus-3x3/dor"].words
    shutil.rmtree(store)
    obroute(monkeypatch, *words, "--save", str(store))
    assert states(seed=9)["evaluations.zarr"] == (
        "stale",
        "cells not done: torus-4x4/dor.zarr, torus-3x3/2turn.zarr; "
        "cells changed: torus-3x3/dor.zarr",
    )


def test_files_of_a_network_or_routing_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their content, whenever they were written."""
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text("a,b\nb,a\nb,c\nc,b\na,c\nc,a\n")
    study = {"networks": ["edges.csv"], "routings": ["ecmp"], "study": "own"}
    (cell,) = read_study(study).cells("evaluations").values()
    store = "results/own/evaluations/edges.csv/ecmp.zarr"
    obroute(monkeypatch, *cell.words, "--save", store)

    def reason() -> str:
        return next(study_status(read_study(study))).reason

    assert reason() == ""
    later = time.time() + 60
    os.utime("edges.csv", (later, later))
    assert reason() == ""
    Path("edges.csv").write_text("a,b,2\nb,a\nb,c\nc,b\na,c\nc,a\n")
    assert reason() == "edges.csv changed"


def test_watching_ends_with_the_sweep(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is made, runs, failed and waits, by stores and logs; in a pipe a line a change."""
    for network in ("torus-3x3", "torus-4x4"):
        shutil.rmtree(folder / f"evaluations/{network}/dor.zarr")
    shutil.rmtree(folder / "evaluations.zarr")
    write_whole(folder / "logs/evaluations/torus-3x3/dor.log", b"error: no memory\n")
    write_whole(folder / "logs/evaluations/torus-4x4/dor.log", b"")
    Path("config").mkdir()
    Path("config/config.yaml").write_text(yaml.safe_dump(STUDY))
    lock = Path(".snakemake/locks/0.output.lock")
    write_whole(lock, b"")
    monkeypatch.setattr("time.sleep", lambda _: lock.unlink())
    capfd.readouterr()
    obroute(monkeypatch, "status", "--watch")
    assert capfd.readouterr().out == "study small: 9 made, 1 running, 1 failed, 1 waiting\n"
    (evaluations,) = [one for one in how_far(read_study(STUDY)) if one.section == "evaluations"]
    assert dict(evaluations.failed) == {"torus:3x3 dor": "no memory"}
    assert list(evaluations.running) == ["torus:4x4 dor"]


def test_the_command_prints_a_table_and_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every store with its state, and how many there are of each."""
    shutil.rmtree(folder / "evaluations/torus-3x3/dor.zarr")
    Path("config").mkdir()
    Path("config/config.yaml").write_text(yaml.safe_dump(STUDY))
    capfd.readouterr()
    obroute(monkeypatch, "status")
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split() == ["section", "cell", "state", "why"]
    assert lines[1].split() == ["designs", "torus:3x3", "2turn", "done"]
    assert ["evaluations", "torus:3x3", "dor", "missing"] in [line.split() for line in lines]
    assert lines[-1] == "study small: 10 done, 1 missing, 1 stale"
    assert any(line.endswith("cells not done: torus-3x3/dor.zarr") for line in lines)
    obroute(monkeypatch, "status", "config/config.yaml", "--json")
    found = json.loads(capfd.readouterr().out)
    assert found["counts"] == {"done": 10, "missing": 1, "failed": 0, "damaged": 0, "stale": 1}
    missing = [store for store in found["stores"] if store["state"] == "missing"]
    assert missing[0] == {
        "section": "evaluations",
        "name": "torus:3x3 dor",
        "store": "results/small/evaluations/torus-3x3/dor.zarr",
        "state": "missing",
        "reason": "",
    }
