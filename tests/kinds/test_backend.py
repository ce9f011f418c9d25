"""Stores in xarray: what is opened can be computed with, and holds what was written."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import obroute
from obroute.kinds.backend import StoreBackend

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """The folder of a small study: a gathered store and its cells."""
    folder = tmp_path_factory.mktemp("study")
    found = obroute.compare(["ring:5", "ring:4"], ["dor", "valiant"], "tornado")
    obroute.write_store(found, folder / "evaluations.zarr")
    return folder


def test_what_is_opened_can_be_selected_from(study: Path) -> None:
    """`where` on the whole, `idxmax` of a value, with text and without."""
    for exact in ("leave_out", "text", "fraction"):
        found = xr.open_dataset(study / "evaluations.zarr", engine="obroute", exact=exact)
        odd = found.where(found.radix % 2 == 1, drop=True)
        assert odd.network.values.tolist() == ["ring:5"]
        best = found.fraction_of_capacity.idxmax("routing").values.tolist()
        assert best == ["valiant", "dor"]
        assert found.worst_case_load.max() == 2.0


def test_exact_values_come_as_asked(study: Path) -> None:
    """Left out, as text, or as fractions that are the text's."""
    place, exact = study / "evaluations.zarr", "worst_case_load_exact"
    assert exact not in xr.open_dataset(place, engine="obroute")
    read = obroute.read_store(place)
    text = xr.open_dataset(place, engine="obroute", exact="text")
    xr.testing.assert_identical(text, read)
    fractions = xr.open_dataset(place, engine="obroute", exact="fraction")
    for name in (name for name in read.data_vars if str(name).endswith("_exact")):
        pairs = zip(fractions[name].values.ravel(), read[name].values.ravel(), strict=True)
        assert all(Fraction(said) == value if said else value is None for value, said in pairs)
    total = fractions[exact].sum().item()
    assert isinstance(total, Fraction)
    assert np.isclose(float(total), fractions.worst_case_load.sum())


def test_groups_are_stores_below(study: Path) -> None:
    """Of a study's folder, and of a gathered store."""
    cell = obroute.read_store(study / "evaluations/ring-5/dor.zarr")
    for place, group in (
        (study, "evaluations/ring-5/dor"),
        (study / "evaluations.zarr", "ring-5/dor"),
    ):
        found = xr.open_dataset(place, engine="obroute", group=group, exact="text")
        xr.testing.assert_identical(found, cell)
    tree = xr.open_datatree(study, engine="obroute")
    assert {"dor", "valiant"} <= {*tree["evaluations/ring-5"].children}
    assert tree["evaluations/gathered"].sizes["network"] == 2
    alone = xr.open_datatree(study / "evaluations.zarr", engine="obroute")
    assert {*alone.children} == {"gathered", "ring-4", "ring-5"}


def test_what_cannot_be_opened_is_a_line(study: Path, tmp_path: Path) -> None:
    """No store, no group, no form."""
    place = study / "evaluations.zarr"
    for given, options, message in (
        (tmp_path / "none.zarr", {}, "does not exist"),
        (place, {"group": "ring-5/dro"}, "did you mean 'ring-5/dor'"),
        (place, {"exact": "float"}, "expected leave_out"),
    ):
        with pytest.raises(obroute.InputError, match=message):
            xr.open_dataset(given, engine="obroute", **options)


def test_stores_are_known_by_what_they_are(study: Path, tmp_path: Path) -> None:
    """Those of obroute, and no other zarr."""
    xr.Dataset({"a": 1}).to_zarr(tmp_path / "other.zarr", consolidated=False)
    assert StoreBackend().guess_can_open(study / "evaluations.zarr")
    assert not StoreBackend().guess_can_open(tmp_path / "other.zarr")
    assert not StoreBackend().guess_can_open(b"bytes")


def test_an_installed_obroute_names_its_backend() -> None:
    """In its metadata, where xarray looks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = project["entry-points"]["xarray.backends"]["obroute"]
    assert named == f"{StoreBackend.__module__}:{StoreBackend.__name__}"
