"""The average case by symmetry: what designs are worth in and out of their sample, stored."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import design_dataset, gathered_dataset
from tests.support.designed_study import designs as small_designs
from tests.support.designed_study import study as small_study

from obroute import make_network
from obroute.certificates import CertificateError
from obroute.design import NamedDesign, assess, design
from obroute.kinds.stores import write_store
from obroute.papers.designed import curve_excess
from obroute.papers.published import Published
from obroute.papers.stores import Stores
from obroute.report.average_case import average_rows
from obroute.routing import routings
from obroute.traffic import Sample
from obroute.trends import Curve
from obroute.trends.trade_offs import CurveSample
from obroute.verification import verify_stores

pytestmark = pytest.mark.designed_study

SYMMETRIES = ("none", "translations", "translations+reversal", "declared")


@cache
def stored(symmetry: str) -> xr.Dataset:
    """Design for four permutations of the 3-ary 2-cube, and judge the routing on twenty more."""
    network = make_network("torus:3x3")
    settings: dict[str, Any] = {
        "objective": "average_case",
        "samples": 4,
        "seed": 2,
        "symmetry": symmetry,
    }
    found = design(network, **settings, name=f"best for {symmetry}")
    judged = assess(network, found.routing, Sample(4, 2), 20)
    return design_dataset(found, settings, judged=judged)


def gathered() -> xr.Dataset:
    """Gather the designs for every symmetry."""
    return gathered_dataset({name: stored(name) for name in SYMMETRIES})


def test_the_more_images_a_design_is_held_to_the_less_it_fits_its_sample() -> None:
    """The rows of the report come in that order: a subgroup has a subset of the images."""
    rows = average_rows(gathered())
    assert [row["symmetry"] for row in rows] == list(SYMMETRIES)
    fractions = [float(row["in_sample"]) for row in rows]
    assert fractions == sorted(fractions, reverse=True)
    assert fractions[0] > fractions[-1]
    assert [row["paths"] for row in rows] == ["any"] * 4


def test_in_sample_is_the_value_that_was_optimised() -> None:
    """A routing that respects the group has the same loads under an image of its traffic."""
    designs = gathered()
    assert np.allclose(designs["in_sample_fraction_of_capacity"], designs["fraction_of_capacity"])
    assert np.all(designs["out_of_sample_matrices"].values == 20)
    assert np.all(designs["out_of_sample_standard_error"].values > 0)


def test_designs_of_other_objectives_have_no_average() -> None:
    """Nor a row."""
    network = make_network("ring:5")
    found = design_dataset(design(network), {})
    assert average_rows(gathered_dataset({"one": found})) == []


@pytest.mark.parametrize("name", ["in_sample_load", "out_of_sample_load"])
def test_verify_draws_the_matrices_again(name: str, tmp_path: Path) -> None:
    """A load that is not that of the matrix is found."""
    right = stored("translations")
    write_store(right, tmp_path / "right.zarr")
    assert [found.kind for found in verify_stores(tmp_path / "right.zarr")] == ["design"]
    loads = right[name].values.copy()
    loads[1] *= 1.001
    write_store(right.assign({name: (right[name].dims, loads)}), tmp_path / "wrong.zarr")
    with pytest.raises(CertificateError, match=name):
        list(verify_stores(tmp_path / "wrong.zarr"))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (
            "optimal:objective=average_case,symmetry=translations+reversal,then=none",
            {"symmetry": "translations+reversal", "then": None, "objective": "average_case"},
        ),
        ("2turna:symmetry=translations", {"symmetry": "translations", "paths": "two_turn"}),
    ],
)
def test_a_name_says_the_symmetry(name: str, settings: dict[str, Any]) -> None:
    """And a name that does not leaves it to who asks."""
    routing = routings.create(name)
    assert isinstance(routing, NamedDesign)
    assert routing.name == name
    assert routing.settings.items() >= settings.items()
    plain = routings.create(name.split(":", maxsplit=1)[0])
    assert isinstance(plain, NamedDesign)
    assert "symmetry" not in plain.settings


@pytest.mark.parametrize(("seed", "known"), [(5, True), (6, False)])
@pytest.mark.slow
def test_a_design_is_held_against_a_curve_on_the_curves_sample(seed: int, known: bool) -> None:
    """By the study's mean load, if the study's sample is the curve's; else not at all."""
    sample = CurveSample(10, seed, "permutation", "translations")
    shortest = make_network("torus:8x8").mean_shortest_path_length()
    points = ((Fraction(3, 2), 2 * shortest), (Fraction(4), shortest))
    curve = Curve(
        "torus:8x8", "other", "average_case", points, Fraction(1), shortest, False, 0.1, sample
    )
    stores = Stores(small_study(), small_designs(), {"average_case": curve}, {})
    item = Published(
        "an-excess", "paper", "here", "excess", "1%", "curve_excess", "torus:8x8", "2turn"
    )
    found = curve_excess(stores, item)
    assert (found is not None) == known
    if known:
        place = {"network": "torus:8x8", "routing": "2turn"}
        average = small_study()["average_case_load_fraction_of_capacity"].sel(place).item()
        length = small_study()["normalized_path_length"].sel(place).item()
        share = (1 / average - 1.5) / 2.5
        assert float(found or 0) == pytest.approx(length / (2 - share) - 1)
