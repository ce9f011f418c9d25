"""Stores of evaluations in which one channel is solved and the others are bounded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.support.irregular_networks import broken_torus, regular

import obroute
from obroute import InputError, Network, make_network, make_routing
from obroute.breakdown import channel_rows, contributions, load_groups
from obroute.certificates import CertificateError
from obroute.experiments.evaluation import EvaluationSettings
from obroute.kinds.stores import dataset_of, read_store, write_store
from obroute.plots.worst_case_map import channel_worst_cases
from obroute.product_matrix import ProductMatrix
from obroute.verification import verify_stores


def written(folder: Path, network: Network) -> str:
    """Write a network as a file and return its name."""
    file = folder / "network.csv"
    rows = [f"{t},{h}" for t, h in zip(network.tail, network.head, strict=True)]
    file.write_text("\n".join(["tail,head", *rows]) + "\n")
    return str(file)


@pytest.fixture(scope="module", params=["regular", "torus"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cell of a random network, and one whose loads have no small common denominator."""
    folder = tmp_path_factory.mktemp(request.param)
    made = regular(40, 4) if request.param == "regular" else broken_torus(14, 3)
    network = make_network(written(folder, made))
    found = obroute.evaluate(network, "ecmp", ["uniform", "random_permutation:7"])
    assert found.bounds is not None
    write_store(dataset_of("evaluation", found), folder / "cell.zarr")
    return folder / "cell.zarr"


def test_it_is_verified(store: Path) -> None:
    """The certificate of the one, and the bounds of all others again."""
    (verified,) = verify_stores(store)
    assert verified.certificates == 1
    cell = read_store(store, "evaluation")
    assert cell.sizes["focus"] == 1
    solved = int(cell["focus_channel"].values[0])
    assert cell["channel_focus"].values[solved] == 0
    bounds, worst = cell["channel_bound"].values, cell["worst_case_load"].values[0]
    assert bounds[solved] >= worst
    assert (np.delete(bounds, solved) <= worst * (1 + 1e-9)).all()


def lower(cell: xr.Dataset) -> None:
    """Lower a bound."""
    cell["channel_bound"].values[3] *= 0.9


def other_channel(cell: xr.Dataset) -> None:
    """Name another channel."""
    cell["focus_channel"].values[0] += 1


def stands_for_all(cell: xr.Dataset) -> None:
    """Let the one stand for all."""
    cell["channel_focus"].values[:] = 0


@pytest.mark.parametrize("forge", [lower, other_channel, stands_for_all])
def test_a_forged_one_is_refused(
    store: Path, tmp_path: Path, forge: Callable[[xr.Dataset], None]
) -> None:
    """With the digest made right again."""
    cell = read_store(store, "evaluation").copy(deep=True)
    forge(cell)
    write_store(cell, tmp_path / "cell.zarr")
    with pytest.raises(CertificateError):
        list(verify_stores(tmp_path / "cell.zarr"))


def test_a_worse_channel_is_found(tmp_path: Path) -> None:
    """A certificate that holds, of a channel that is not the worst."""
    name = written(tmp_path, regular(40, 4))
    network, routing = make_network(name), make_routing("ecmp")
    every = obroute.evaluate(network, routing, all_channels=True)
    bounded = obroute.evaluate(network, routing)
    least = min(every.channels, key=lambda result: result.normalized_load)
    cell = dataset_of("evaluation", bounded)
    another = dataset_of("evaluation", every).isel(focus=[least.worst.channel])
    for array in (
        "worst_case_load",
        "worst_case_load_exact",
        "focus_channel",
        "worst_permutation",
        "source_potential",
        "destination_potential",
        "potential_denominator",
    ):
        cell[array].values[:] = another[array].values
    cell["channel_focus"].values[:] = -1
    cell["channel_focus"].values[least.worst.channel] = 0
    write_store(cell, tmp_path / "cell.zarr")
    with pytest.raises(CertificateError, match="more than channel"):
        list(verify_stores(tmp_path / "cell.zarr"))


def test_what_needs_every_channel_says_so(store: Path) -> None:
    """A map of the worst cases of all channels."""
    with pytest.raises(InputError, match="--all-channels"):
        channel_worst_cases(read_store(store, "evaluation"))


def test_a_table_of_channels_has_bounds(store: Path) -> None:
    """Beside the one that was solved."""
    cell = read_store(store, "evaluation")
    found = obroute.evaluate(cell.attrs["network"], "ecmp")
    rows = channel_rows(found)
    assert [row["how"] for row in rows].count("solved") == 1
    assert {row["how"] for row in rows} == {"solved", "bound"}
    assert max(row["worst_case_load"] for row in rows) == pytest.approx(
        float(found.worst_case_load), rel=1e-9
    )


def test_a_large_torus_is_evaluated_stored_and_verified_without_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the factors of its pair loads: what it is made up of, the store, and its proof."""

    def no_list(matrix: ProductMatrix) -> None:
        raise AssertionError("the pair loads are listed")

    monkeypatch.setattr(ProductMatrix, "expanded", property(no_list))
    cell = tmp_path / "cell.zarr"
    found = obroute.evaluate("torus:33x33", "romm")
    settings = EvaluationSettings(pair_load_limit=1000)
    write_store(dataset_of("evaluation", found, settings), cell)
    assert read_store(cell, "evaluation")["pair_load_denominator"].values.tolist() == [""]
    (verified,) = verify_stores(cell)
    assert verified.certificates == 1
    groups = load_groups(contributions(found.critical.worst, found.critical.pair_loads))
    assert sum(group.total for group in groups) == found.worst_case_load
