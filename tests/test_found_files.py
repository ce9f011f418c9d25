"""Stores find what they name from any folder, and when they were moved with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import obroute
from obroute import InputError
from obroute.dependencies import file_digest
from obroute.found_files import Search, recorded_folder, searching, working_folder
from obroute.kinds.stores import read_store
from obroute.reading import read_bytes
from obroute.verification import verify_stores
from obroute.views import StudyData

RING = "from,to\na,b\nb,c\nc,a\nb,a\nc,b\na,c\n"
LINE = "from,to\na,b\nb,c\nb,a\nc,b\n"
FOLDERS = st.sampled_from(["", "data", "data/deep", "results", "results/a/b"])


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """An empty folder, which each example clears."""
    return tmp_path_factory.mktemp("found")


@given(
    file=FOLDERS,
    store=FOLDERS,
    start=FOLDERS,
    moved=st.booleans(),
    decoy=st.sampled_from([0, 1, 2]),
    whole=st.booleans(),
)
def test_a_store_finds_what_it_names(project, file, store, start, moved, decoy, whole) -> None:
    """From any folder; moved with its files; beside others of the same names."""
    home, name = project / "home", Path(file, "net.csv")
    for folder in (home, project / "away", project / "here"):
        shutil.rmtree(folder, ignore_errors=True)
    (home / file).mkdir(parents=True)
    (home / name).write_text(RING)
    recorded = recorded_folder(home / store / "cell.zarr", home)
    named = home / name if whole else name
    digests = {str(named): file_digest(home / name)}
    if moved:
        home = home.rename(project / "away")
    here = project / "here" / start
    (here / file).mkdir(parents=True)
    for folder in [here, home / store / "cell.zarr"][:decoy]:
        (folder / file).mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(LINE)
    place = home / store / "cell.zarr"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(here)
        for known in (digests, {})[: 1 if whole else 2]:
            search = Search(place, working_folder(place, recorded), known, file_digest)
            with searching(search):
                assert read_bytes(named) == RING.encode()
        assert name.exists() == bool(decoy)


@pytest.mark.slow
def test_a_design_is_found_with_its_network_by_what_evaluates_it(tmp_path, monkeypatch) -> None:
    """Moved together, a store that names a store that names a file."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("net.csv").write_text(RING)
    obroute.write_store(obroute.design("net.csv"), "designs/best.zarr")
    found = obroute.evaluate("net.csv", "designed:designs/best.zarr")
    obroute.write_store(found, "cells/one.zarr")
    (tmp_path / "work").rename(tmp_path / "away")
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "away/cells/one.zarr"
    assert all(one.certificates for one in verify_stores(store))
    assert obroute.certificate(store)


def test_a_store_written_elsewhere_records_where_its_files_are(tmp_path, monkeypatch) -> None:
    """Its files are found when it is moved alone, and refused when they are another's."""
    work, away, here = (tmp_path / name for name in ("work", "away", "here"))
    for folder in (work, away, here):
        folder.mkdir()
    monkeypatch.chdir(work)
    Path("net.csv").write_text(RING)
    obroute.write_store(obroute.evaluate("net.csv", "ecmp"), away / "cell.zarr")
    monkeypatch.chdir(here)
    (away / "cell.zarr").rename(here / "cell.zarr")
    assert [one.certificates for one in verify_stores(Path("cell.zarr"))] == [6]
    (work / "net.csv").write_text(LINE)
    with pytest.raises(Exception, match="no longer the network"):
        list(verify_stores(Path("cell.zarr")))
    (work / "net.csv").unlink()
    with pytest.raises(InputError, match=r"net\.csv"):
        list(verify_stores(Path("cell.zarr")))


def test_a_store_copied_by_reading_keeps_its_folder(tmp_path, monkeypatch) -> None:
    """What is read and written again elsewhere still means the same files."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("net.csv").write_text(RING)
    obroute.write_store(obroute.evaluate("net.csv", "ecmp"), "cell.zarr")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    obroute.write_store(read_store("../work/cell.zarr"), "copy.zarr")
    assert [one.certificates for one in verify_stores(Path("copy.zarr"))] == [6]


def test_no_file_of_a_store_is_looked_for(tmp_path) -> None:
    """Only the store itself, by a store that names it; its own files lie in it."""
    store = tmp_path / "cell.zarr"
    obroute.write_store(obroute.evaluate("ring:3", "ecmp"), store)
    search = Search(tmp_path / "other.zarr", tmp_path, {}, file_digest)
    with searching(search):
        read_store(store)
    assert list(search.found) == [store]


@pytest.mark.slow
def test_what_compare_gathers_is_whole_from_any_folder(tmp_path, monkeypatch) -> None:
    """Its cells are written beside it: the report and verification find them."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("net.csv").write_text(RING)
    obroute.write_store(obroute.compare(["ring:3", "net.csv"], ["ecmp", "minimal"]), "mine.zarr")
    monkeypatch.chdir(tmp_path)
    place = (tmp_path / "work").rename(tmp_path / "away")
    *cells, gathered = verify_stores(place)
    assert len(cells) == gathered.gathered_from == 4
    data = StudyData.read(place / "mine.zarr")
    assert len(data.readable_cells("evaluations")) == 4
    shutil.rmtree(place / "mine")
    assert StudyData.read(place / "mine.zarr").readable_cells("evaluations") == []
