"""A store that is malformed is refused in one line with its name, and never hangs a reader."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.datasets import cell_dataset, design_dataset, gathered_dataset
from tests.support.effort import few

import obroute
from obroute.design import design
from obroute.kinds.stores import read_store, write_store
from obroute.results import stores
from obroute.specs import CertificateError, InputError
from obroute.verification import verify_stores

JUNK: list[Any] = [
    None, True, -1, 0, 7, 2**70, 10**400, 1e308, 0.5, "", "x", "nan", "\n", "a" * 5000, "\x1b[31m",
    "../../etc/passwd", "torus:4x4", "torus:0x0", "valiant", "design", "evaluations", "{", "[]",
    '{"seed": "x"}', '{"patterns": 7}', "[" * 2000, [], {}, [[]], {"a": 1}, ["int64"], "int8",
    "float32", "string", [2**40], [-1],
]  # fmt: skip
KINDS = ("evaluation", "design", "evaluations")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write a cell, a design, and a gathered store with its cell beside it."""
    folder = tmp_path_factory.mktemp("stores")
    found = obroute.evaluate("ring:3", "dor", ["tornado"], average_case_samples=2)
    write_store(cell_dataset(found), folder / "evaluations" / "e.zarr")
    write_store(design_dataset(design(obroute.make_network("ring:3"))), folder / "design.zarr")
    cell = read_store(folder / "evaluations" / "e.zarr")
    write_store(gathered_dataset({"e.zarr": cell}, "small"), folder / "evaluations.zarr")
    return {
        "evaluation": folder / "evaluations" / "e.zarr",
        "design": folder / "design.zarr",
        "evaluations": folder / "evaluations.zarr",
    }


def refusal(store: Path) -> str:
    """Return the line in which verification refuses a store; empty if it does not."""
    try:
        list(verify_stores(store))
    except (InputError, CertificateError) as error:
        message = str(error)
        assert "\n" not in message
        assert str(store) in message
        assert len(message) < 2000
        return message
    return ""


def nodes(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where everything in a JSON document is."""
    yield path
    listed = [*tree.items()] if isinstance(tree, dict) else []
    listed += [*enumerate(tree)] if isinstance(tree, list) else []
    for key, value in listed:
        yield from nodes(value, (*path, key))


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a JSON document with another value at a place; without it where none is given."""
    if not path:
        return value
    tree = copy.deepcopy(tree)
    within = tree
    for key in path[:-1]:
        within = within[key]
    if value is LEFT_OUT:
        del within[path[-1]]
    else:
        within[path[-1]] = value
    return tree


LEFT_OUT = object()


@pytest.mark.parametrize("digest_is_right", [True, False])
@pytest.mark.parametrize("kind", few(KINDS))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_malformed_metadata_are_refused_in_one_line(
    places: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    digest_is_right: bool,
    data: st.DataObject,
) -> None:
    """Or they are those of a true store: what nobody can know may be anything of its type."""
    file = places[kind] / "zarr.json"
    true = file.read_text(encoding="utf-8")
    tree = json.loads(true)
    within = data.draw(st.sampled_from(["attributes", "consolidated_metadata", ""]))
    under = [path for path in nodes(tree) if not within or path[:1] == (within,)]
    path = data.draw(st.sampled_from(under))
    value = (
        data.draw(st.sampled_from([LEFT_OUT, *JUNK])) if path else data.draw(st.sampled_from(JUNK))
    )
    with monkeypatch.context() as patch:
        if digest_is_right:
            patch.setattr(stores, "data_digest", lambda found, _: found.attrs.get("data_digest"))
        try:
            text = json.dumps(changed(tree, path, value))
            file.write_text(text, encoding="utf-8")
            refusal(places[kind])
        finally:
            file.write_text(true, encoding="utf-8")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '{"attributes": []}', "\x00", "é"])
@pytest.mark.parametrize("kind", KINDS)
def test_metadata_that_are_none_are_refused(places: dict[str, Path], kind: str, text: str) -> None:
    """With the name of the store."""
    file = places[kind] / "zarr.json"
    true = file.read_bytes()
    try:
        file.write_bytes(text.encode("latin-1"))
        assert refusal(places[kind])
    finally:
        file.write_bytes(true)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("network", "no-such:3", "no-such"),
        ("network", 7, "its attribute network is 7; expected text"),
        ("routing", "no-such", "no-such"),
        ("nodes", "9", "its attribute nodes is '9'; expected an integer"),
        ("nodes", True, "its attribute nodes is True; expected an integer"),
        ("settings", "{", "its attribute settings is '{'; expected a JSON object"),
        ("settings", "[]", "expected a JSON object"),
        ("settings", '{"seed": -1}', "seed is -1"),
        ("settings", '{"sed": 1}', "unknown key 'sed'"),
        ("settings", "{}", "its settings record patterns as 'nothing'"),
        ("seconds", "long", "its attribute seconds is 'long'; expected a number"),
        ("files", '["a"]', "its attribute files"),
        ("author", "somebody", "unknown attributes author"),
        ("sources", '{"a": "b"}', "source_digest: not the digest"),
    ],
)
def test_a_malformed_attribute_is_named(
    places: dict[str, Path], tmp_path: Path, attribute: str, value: object, message: str
) -> None:
    """With the digest made right."""
    dataset = read_store(places["evaluation"]).assign_attrs({attribute: value})
    write_store(dataset, tmp_path / "c.zarr")
    assert message in refusal(tmp_path / "c.zarr")


def chunk_of(store: Path) -> Path:
    """Return a chunk of a store."""
    return next(file for file in sorted(store.rglob("*")) if file.is_file() and file.name == "0")


@pytest.mark.parametrize("what", ["a pipe", "a device", "a folder", "a link to nothing"])
@pytest.mark.parametrize("which", ["a chunk", "the metadata", "a file more"])
def test_what_is_no_regular_file_is_refused(
    places: dict[str, Path], tmp_path: Path, which: str, what: str
) -> None:
    """And not waited for."""
    store = tmp_path / "c.zarr"
    shutil.copytree(places["evaluation"], store)
    file = {
        "a chunk": chunk_of(store),
        "the metadata": store / "zarr.json",
        "a file more": store / "more",
    }[which]
    file.unlink(missing_ok=True)
    if what == "a pipe":
        os.mkfifo(file)
    elif what == "a folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero" if what == "a device" else tmp_path / "none")
    if (which, what) == ("a file more", "a folder"):
        assert refusal(store) == ""
    else:
        assert refusal(store)


def test_arrays_that_would_fill_the_memory_are_refused(
    places: dict[str, Path], tmp_path: Path
) -> None:
    """Before any is made: chunks that are missing are read as blanks."""
    store = tmp_path / "c.zarr"
    shutil.copytree(places["evaluation"], store)
    tree = json.loads((store / "zarr.json").read_text(encoding="utf-8"))
    tree["consolidated_metadata"]["metadata"]["head"]["shape"] = [10**12]
    (store / "zarr.json").write_text(json.dumps(tree), encoding="utf-8")
    assert "would have more than 268,435,456 entries" in refusal(store)
