"""Design and trade-off stores: read as routings, gathered, and proved again."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import design_dataset, gathered_dataset, trade_off_dataset

import obroute
from obroute import make_network, make_pattern
from obroute.certificates import CertificateError
from obroute.design import design, trade_off
from obroute.experiments.design.stored import designed_routing
from obroute.kinds.registry import kinds
from obroute.specs import InputError

PROBLEMS = {
    "worst case": {"then": "locality"},
    "two turns": {"paths": "two_turn", "then": "locality", "name": "2turn"},
    "locality": {"locality": Fraction(5, 4)},
    "load": {"load": Fraction(17, 16), "then": "locality"},
    "capacity": {"objective": "capacity"},
    "transpose": {"objective": "capacity", "traffic": "transpose"},
    "average case": {"objective": "average_case", "samples": 10, "seed": 3},
    "interval": {
        "objective": "average_case",
        "samples": 10,
        "seed": 3,
        "method": "first_order",
    },
}


def made(name: str) -> xr.Dataset:
    """Design for the 4-ary 2-cube; return the dataset with plain settings."""
    given = dict(PROBLEMS[name])
    settings = {key: str(v) if isinstance(v, Fraction) else v for key, v in given.items()}
    if "traffic" in given:
        given["traffic"] = make_pattern(given["traffic"])
    return design_dataset(design(make_network("torus:4x4"), **given), settings)


@pytest.fixture(scope="module")
def stores() -> Callable[[str], xr.Dataset]:
    """Each design, made once; a copy to change."""
    known: dict[str, xr.Dataset] = {}

    def get(name: str) -> xr.Dataset:
        if name not in known:
            known[name] = made(name)
        return known[name].copy(deep=True)

    return get


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_design_is_proved_again_from_its_store(stores, name):
    """Loads by the evaluator, bounds from the duals, the linear program written anew."""
    dataset = stores(name)
    assert kinds()["design"].verify(dataset) == ("load_dual" in dataset) + (
        "length_dual" in dataset
    )


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_routing_read_has_the_loads_of_the_design(stores, name):
    """Its paths sum to one for every pair and make up its pair loads."""
    dataset = stores(name)
    network = make_network("torus:4x4")
    routing = designed_routing(dataset, "it", network)
    loads = routing.pair_loads(network, 0)
    for source in range(16):
        for destination in range(16):
            paths = list(routing.paths(network, source, destination))
            assert sum(probability for probability, _ in paths) == 1
            crossing = sum((p for p, path in paths if 0 in path), Fraction(0))
            assert crossing == loads.entry(source, destination)


def _add(name: str, amount: str) -> Callable[[xr.Dataset], xr.Dataset]:
    def change(dataset: xr.Dataset) -> xr.Dataset:
        dataset[name] = xr.DataArray(str(Fraction(dataset[name].item()) + Fraction(amount)))
        return dataset

    return change


def _change_path(dataset: xr.Dataset) -> xr.Dataset:
    dataset["path_channel"].values[0] = (dataset["path_channel"].values[0] + 1) % 64
    return dataset


def _change_probability(dataset: xr.Dataset) -> xr.Dataset:
    dataset["path_probability_exact"].values[0] = "1/7"
    return dataset


def _lower_dual(dataset: xr.Dataset) -> xr.Dataset:
    numerators = dataset["load_dual_numerator"].values
    place = next(i for i, n in enumerate(numerators) if int(n) < 0)
    numerators[place] = str(int(numerators[place]) * 2)
    return dataset


def _drop_duals(dataset: xr.Dataset) -> xr.Dataset:
    return dataset.drop_vars([name for name in dataset if str(name).startswith("load_dual")])


def _shift_generator(dataset: xr.Dataset) -> xr.Dataset:
    image = dataset["generator_image"].values
    image[0] = np.roll(image[0], 1)
    return dataset


@pytest.mark.parametrize(
    "change",
    [
        _add("routing_load_exact", "1/1000"),
        _add("mean_path_length_exact", "-1/1000"),
        _add("load_lower_exact", "1/1000"),
        _add("load_upper_exact", "1/1000"),
        _add("least_path_length_exact", "1/1000"),
        _change_path,
        _change_probability,
        _lower_dual,
        _drop_duals,
        _shift_generator,
    ],
)
def test_a_changed_store_is_found(stores, change):
    """Each entry that a proof rests on."""
    with pytest.raises(CertificateError):
        kinds()["design"].verify(change(stores("worst case")))


def test_a_curve_is_checked_against_its_lines():
    """A breakpoint that is moved lies below a line, or its float is another."""
    dataset = trade_off_dataset(trade_off(make_network("torus:3x3")))
    assert kinds()["trade_off"].verify(dataset) == 4
    lower = Fraction(dataset["mean_path_length_exact"].values[1]) - Fraction(1, 100)
    dataset["mean_path_length_exact"].values[1] = str(lower)
    dataset["mean_path_length"].values[1] = float(lower)
    with pytest.raises(CertificateError):
        kinds()["trade_off"].verify(dataset)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scope", '{"objective": "worst_case", "paths": "all"}'),
        ("claims", "proved: no routing has a smaller worst-case load"),
        ("paths", "all"),
        ("objective", "capacity"),
    ],
)
def test_a_claim_of_another_scope_is_found(stores, name, value):
    """Of a design on some paths, said to be one on all; of a curve likewise."""
    design_store = stores("two turns")
    with pytest.raises(CertificateError, match=name):
        kinds()["design"].verify(design_store.assign_attrs({name: value}))
    curve = trade_off_dataset(trade_off(make_network("ring:5"), paths="minimal"))
    assert kinds()["trade_off"].verify(curve) == len(curve["vertex"])
    with pytest.raises(CertificateError, match=name):
        kinds()["trade_off"].verify(curve.assign_attrs({name: value}))


def test_a_sample_said_to_be_alone_is_found(stores):
    """The images under the symmetry are part of the claim."""
    dataset = stores("average case")
    alone = dataset.attrs["claims"].replace(" together with its images", "")
    assert alone != dataset.attrs["claims"]
    with pytest.raises(CertificateError, match="claims"):
        kinds()["design"].verify(dataset.assign_attrs(claims=alone))


def test_designs_gather_by_network_and_name(stores):
    """What a network has no design of is blank; the same one twice is refused."""
    cells = {"a": stores("worst case"), "b": stores("two turns")}
    gathered = gathered_dataset(cells)
    assert gathered.sizes == {"network": 1, "routing": 2}
    assert gathered.exact.values.all()
    assert gathered.normalized_path_length.values.tolist() == [[1.35, 1.35]]
    with pytest.raises(InputError, match="gather one"):
        gathered_dataset(cells | {"c": stores("two turns")})


def test_an_interval_is_not_called_exact(stores):
    """Without a basis the store says so."""
    assert not gathered_dataset({"a": stores("interval")}).exact.values.any()


def test_a_study_calls_a_stored_design_by_its_name(stores, tmp_path):
    """Not by its file."""
    store = tmp_path / "it.zarr"
    obroute.write_store(stores("two turns"), store)
    study = obroute.compare(["torus:4x4"], ["dor", str(store)])
    assert study.routing.values.tolist() == ["dor", "2turn"]
