"""Stores whose metadata were changed: refused in a line, or they say what they said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.fuzz import drawn
from tests.fuzz.explore import EXTENTS, explore
from tests.support.every_kind import words_of
from tests.support.hostile import Content, Link, Pipe, lay
from tests.support.rule import run

from obroute.kinds.registry import kinds
from obroute.results.provenance import FOLDER, TIMES_AND_VERSIONS

KINDS = tuple(kinds())
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(), drawn.VALUES),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(drawn.TEXT, inner, max_size=2),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Make a store of every kind that there is."""
    folder = tmp_path_factory.mktemp("stores")
    for name, kind in kinds().items():
        words = words_of(kind, "ring:3", "dor")
        found = run(folder, *words, "--save", f"{name}.zarr", "--quiet")
        assert found.status == 0, found
    return {name: folder / f"{name}.zarr" for name in KINDS}


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the way to every value of JSON."""
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    return [path, *(place for key, value in inner for place in _places(value, (*path, key)))]


def _changed(node: Any, path: tuple[Any, ...], value: Any, gone: bool) -> Any:
    if not path:
        return value
    key, *rest = path
    copy = dict(node) if isinstance(node, dict) else list(node)
    if gone and not rest:
        del copy[key]
    else:
        copy[key] = _changed(node[key], tuple(rest), value, gone)
    return copy


def _claims(metadata: Any) -> dict[str, Any]:
    """Return what a store says of itself, but for times, versions and where it was written."""
    left = {*TIMES_AND_VERSIONS, FOLDER}
    return {k: v for k, v in metadata["attributes"].items() if k not in left}


@pytest.mark.parametrize("times", EXTENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_changed_metadata_are_refused_in_a_line(
    kind: str, times: int, stores: dict[str, Path], tmp_path: Path
) -> None:
    """Any value of ``zarr.json``: of the store, of its arrays, of its attributes."""
    store = tmp_path / "x.zarr"
    shutil.copytree(stores[kind], store)
    whole = json.loads((store / "zarr.json").read_text("utf-8"))
    places = _places(whole)

    def check(place: tuple[Any, ...], value: Any, gone: bool) -> None:
        changed = _changed(whole, place, value, gone)
        (store / "zarr.json").write_text(json.dumps(changed), "utf-8")
        if run(tmp_path, "verify", "x.zarr").status == 0:
            assert _claims(changed) == _claims(whole)

    explore(check, 25 * times, place=st.sampled_from(places), value=JUNK, gone=st.booleans())


@pytest.mark.parametrize("times", EXTENTS)
def test_any_bytes_in_place_of_metadata_are_refused_in_a_line(
    times: int, stores: dict[str, Path], tmp_path: Path
) -> None:
    """Text that is nearly JSON, and what reads a store for another reason than to verify it."""
    store = tmp_path / "x.zarr"
    shutil.copytree(stores["design"], store)
    text = (store / "zarr.json").read_text("utf-8")

    def check(content: bytes) -> None:
        (store / "zarr.json").write_bytes(content)
        run(tmp_path, "verify", "x.zarr")
        run(tmp_path, "evaluate", "ring:3", "designed:x.zarr", "--quiet")

    explore(check, 25 * times, content=drawn.mangled([text]))


@pytest.mark.parametrize("kind", KINDS)
def test_files_in_a_store_that_are_none_are_refused(
    kind: str, stores: dict[str, Path], tmp_path: Path
) -> None:
    """A pipe, a link to what never ends, a folder, nothing: metadata and chunks alike."""
    files = [file for file in stores[kind].rglob("*") if file.is_file()]
    chunks = [file for file in files if file.name != "zarr.json"]
    chosen = [Path("zarr.json"), chunks[len(chunks) // 2].relative_to(stores[kind])]
    contents: tuple[Content, ...] = (Pipe(), Link("/dev/zero"), None, b"", b"\0" * 100)
    for number, content in enumerate(contents):
        for place, file in enumerate(chosen):
            store = f"{number}-{place}.zarr"
            shutil.copytree(stores[kind], tmp_path / store)
            (tmp_path / store / file).unlink()
            lay(tmp_path / store, {str(file): content})
            assert run(tmp_path, "verify", store).status == 2
