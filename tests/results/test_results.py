"""Stores: what is in them, that no change goes unseen, and that a write is all or nothing."""

from __future__ import annotations

import json
import re
import shutil
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import cell_dataset, gathered_dataset

import obroute
from obroute import InputError
from obroute.experiments.evaluation.store import critical_focus
from obroute.kinds.registry import kinds, specs_of
from obroute.kinds.stores import read_store, write_store
from obroute.results import datasets
from obroute.results.arrays import CASE, SCHEMA_VERSION, ArraySpec
from obroute.results.gathering import gather
from obroute.results.provenance import network_digest
from obroute.results.stores import is_store

FABRIC = "a,s,2\ns,a,2\nb,s\ns,b\nc,s\ns,c\n"


def cell(
    network: str = "torus:4x4", routing: str = "romm", patterns: tuple[str, ...] = (), **settings
) -> xr.Dataset:
    """Evaluate, each once, into a dataset of its own."""
    return cell_dataset(evaluated(network, routing, patterns, **settings))


@cache
def evaluated(
    network: str, routing: str, patterns: tuple[str, ...], **settings: int
) -> obroute.Evaluation:
    """Evaluate, each once."""
    return obroute.evaluate(network, routing, patterns, **settings)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a cell with everything in it, once."""
    store = tmp_path_factory.mktemp("results") / "cell.zarr"
    full = cell(
        patterns=("tornado", "uniform"), random_permutation_samples=5, average_case_samples=4
    )
    write_store(full, store)
    return store


@pytest.fixture
def fabric(tmp_path: Path) -> str:
    """Write a star of hosts, one of them with two packets per cycle, and name it."""
    (tmp_path / "e.csv").write_text(FABRIC, encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,2\nb\nc\n", encoding="utf-8")
    return f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv"


def validate(dataset: xr.Dataset) -> None:
    """Hold a dataset against the specification of its kind."""
    datasets.validate(dataset, specs_of(str(dataset.attrs.get("kind"))))


def identical(first: xr.Dataset, second: xr.Dataset) -> bool:
    """Compare arrays, kinds of arrays, coordinates and attributes; the digest is of the store."""
    xr.testing.assert_equal(first, second)
    kinds = [{n: v.dtype.kind for n, v in d.variables.items()} for d in (first, second)]
    attributes = [
        {k: v for k, v in d.attrs.items() if k not in {"data_digest", "folder"}}
        for d in (first, second)
    ]
    descriptions = [{n: v.attrs for n, v in d.variables.items()} for d in (first, second)]
    return (
        kinds[0] == kinds[1]
        and attributes[0] == attributes[1]
        and (descriptions[0] == descriptions[1])
    )


# ---------------------------------------------------------------------------------- round trip


@pytest.mark.parametrize(
    ("network", "routing", "settings"),
    [
        ("torus:4x4", "romm", {}),
        ("torus:4x4", "dor", {"patterns": ("tornado", "uniform", "transpose")}),
        ("ring:5", "ival", {"random_permutation_samples": 7, "average_case_samples": 3}),
        ("mesh:3x4", "o1turn", {"all_channels": True}),
        ("complete:4", "ecmp", {}),
        ("fabric", "ecmp", {}),
    ],
)
def test_a_cell_comes_back_as_it_was(
    tmp_path: Path, fabric: str, network: str, routing: str, settings: dict
) -> None:
    """Arrays, coordinates, attributes, and the kind of each array."""
    dataset = cell(fabric if network == "fabric" else network, routing, **settings)
    store = tmp_path / "cell.zarr"
    write_store(dataset, store)
    assert is_store(store)
    found = read_store(store, "evaluation")
    assert identical(dataset, found)
    validate(found)


def test_a_study_comes_back_as_it_was(tmp_path: Path) -> None:
    """Missing cells and all."""
    cells = {"a": cell("torus:3x3", "dor"), "b": cell("ring:5", "romm", ("tornado",))}
    study = gathered_dataset(cells, "small")
    write_store(study, tmp_path / "study.zarr")
    assert identical(study, read_store(tmp_path / "study.zarr", "evaluations"))


def test_a_store_written_twice_is_the_same(tmp_path: Path) -> None:
    """What was read can be written again."""
    write_store(cell(), tmp_path / "one.zarr")
    first = read_store(tmp_path / "one.zarr")
    write_store(first, tmp_path / "two.zarr")
    second = read_store(tmp_path / "two.zarr")
    assert first.attrs["data_digest"] == second.attrs["data_digest"]
    assert identical(first, second)


def test_writing_does_not_change_the_dataset(tmp_path: Path) -> None:
    """Neither its attributes nor its arrays."""
    dataset = cell()
    before = dataset.copy(deep=True)
    write_store(dataset, tmp_path / "cell.zarr")
    assert "data_digest" not in dataset.attrs
    assert identical(before, dataset)


def test_a_store_opens_in_xarray_in_one_call(tmp_path: Path) -> None:
    """With consolidated metadata, units and long names."""
    write_store(cell(patterns=("tornado",)), tmp_path / "cell.zarr")
    with xr.open_zarr(tmp_path / "cell.zarr", consolidated=True) as found:
        assert found.worst_case_load.attrs["units"] == "packets per cycle over channel bandwidth"
        assert found.pattern_load.sel(pattern="tornado").values == 1


def test_missing_folders_are_made(tmp_path: Path) -> None:
    """Above the store."""
    write_store(cell(), tmp_path / "deep" / "down" / "cell.zarr")
    assert is_store(tmp_path / "deep" / "down" / "cell.zarr")


# ---------------------------------------------------------------------------- what is in a cell


def test_a_cell_holds_the_evaluation() -> None:
    """Exact values as text beside the nearest floats, in the order of the focus channels."""
    found = obroute.evaluate("torus:5x5", "dor", ["tornado", "uniform"], seed=2)
    dataset = cell_dataset(found, {"seed": 2}, seconds=1.5)
    loads = [result.normalized_load for result in found.channels]
    assert [Fraction(x) for x in dataset.worst_case_load_exact.values] == loads
    assert dataset.worst_case_load.values.tolist() == [float(x) for x in loads]
    assert dataset.focus_channel.values.tolist() == [r.worst.channel for r in found.channels]
    assert dataset.multiplicity.values.sum() == 100
    assert dataset.certified.values.all()
    assert dataset.pattern.values.tolist() == ["tornado", "uniform"]
    assert dataset.pattern_load_exact.values.tolist() == ["2", "3/5"]
    assert dataset.capacity_load_exact.item() == "3/5"
    assert dataset.mean_path_length_exact.item() == "12/5"
    assert json.loads(dataset.attrs["settings"])["seed"] == 2
    assert (dataset.attrs["seconds"], dataset.attrs["nodes"]) == (1.5, 25)
    assert (dataset.attrs["radix"], dataset.attrs["dimensions"]) == (5, 2)
    assert (dataset.attrs["family"], dataset.attrs["schema_version"]) == ("torus", SCHEMA_VERSION)
    assert critical_focus(dataset) == loads.index(max(loads))


def test_a_cell_holds_the_certificates() -> None:
    """Permutation and potentials of each focus channel; the permutation's load is the worst."""
    found = obroute.evaluate("torus:4x4", "romm")
    dataset = cell_dataset(found)
    worst = found.critical.worst
    permutation = dataset.worst_permutation.values[0]
    assert permutation.tolist() == worst.permutation.tolist()
    denominator = int(dataset.potential_denominator.values[0])
    bound = sum(
        Fraction(int(n), denominator)
        for name in ("source_potential", "destination_potential")
        for n in dataset[name].values[0]
    )
    assert bound == found.worst_case_load
    loads = found.routing.pair_loads(found.network, worst.channel)
    assert loads.sum_at(np.arange(16), permutation) == found.worst_case_load
    mine = dataset.pair_load_focus.values == 0
    stored = dataset.pair_load_numerator.values[mine]
    assert [Fraction(int(n), int(dataset.pair_load_denominator.values[0])) for n in stored] == (
        loads.values.fractions()
    )


def test_a_cell_of_a_fabric_holds_its_split_traffic(fabric: str) -> None:
    """Flows in place of a permutation."""
    found = obroute.evaluate(fabric, "ecmp")
    dataset = cell_dataset(found)
    assert (dataset.worst_permutation.values == -1).all()
    for focus, result in enumerate(found.channels):
        mine = dataset.flow_focus.values == focus
        amounts = [Fraction(x) for x in dataset.flow_amount_exact.values[mine]]
        assert dataset.flow_source.values[mine].tolist() == result.worst.sources.tolist()
        assert dataset.flow_destination.values[mine].tolist() == result.worst.destinations.tolist()
        assert amounts == result.worst.amounts.fractions()
        assert sum(amounts) == 4
    assert (dataset.attrs["radix"], dataset.attrs["dimensions"]) == (-1, -1)


def test_a_cell_holds_the_load_of_every_channel() -> None:
    """Under the worst traffic and under each pattern, for maps."""
    found = obroute.evaluate("torus:4x4", "dor", ["tornado", "uniform"])
    dataset = cell_dataset(found)
    assert dataset.traffic.values.tolist() == ["worst_case", "tornado"]
    worst = dataset.channel_load.sel(traffic="worst_case").values
    assert worst[found.critical.worst.channel] == float(found.worst_case_load) == worst.max()
    assert dataset.channel_load.sel(traffic="tornado").values.max() == 1


def test_unknown_capacity_is_not_a_number_and_empty(tmp_path: Path) -> None:
    """Where neither a closed form nor a bound that a routing meets is known."""
    channels = "0,1\n1,2\n2,3\n3,4\n4,0\n4,1\n1,0\n3,0\n0,3\n"
    (tmp_path / "e.csv").write_text(channels, encoding="utf-8")
    dataset = cell(str(tmp_path / "e.csv"), "ecmp")
    assert np.isnan(dataset.capacity_load.item())
    assert dataset.capacity_load_exact.item() == ""


def test_large_pair_loads_are_left_out() -> None:
    """Above the limit; verification derives them anew in any case."""
    found = obroute.evaluate("torus:4x4", "romm")
    assert "pair_load_numerator" not in cell_dataset(found, pair_load_limit=10)
    assert "pair_load_numerator" in cell_dataset(found)


def test_a_network_s_digest_is_of_all_that_counts(tmp_path: Path) -> None:
    """Channels, bandwidths and terminals, in their order."""
    digests = set()
    for edges, hosts in [
        (FABRIC, "a\nb\n"),
        (FABRIC.replace("a,s,2", "a,s,3"), "a\nb\n"),
        (FABRIC + "a,b\n", "a\nb\n"),
        (FABRIC, "a\nc\n"),
        (FABRIC, "a,2\nb\n"),
        (FABRIC, "a,1,2\nb\n"),
    ]:
        (tmp_path / "e.csv").write_text(edges, encoding="utf-8")
        (tmp_path / "t.csv").write_text(hosts, encoding="utf-8")
        name = f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv"
        digests.add(network_digest(obroute.make_network(name)))
        assert network_digest(obroute.make_network(name)) in digests
    assert len(digests) == 6


# ---------------------------------------------------------------------------------- validation


def without(name: str):
    """Drop an array."""
    return lambda dataset: dataset.drop_vars(name)


def of_text(name: str):
    """Turn an array into text."""
    return lambda dataset: dataset.assign({name: dataset[name].astype(str).astype(object)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            without("worst_case_load_exact"),
            "a store of kind evaluation without the array worst_case_load_exact",
        ),
        (without("source_potential"), "without the array source_potential"),
        (lambda d: d.assign(extra=1), "a store of kind evaluation with unknown arrays extra"),
        (of_text("worst_case_load"), "worst_case_load has dtype object; expected float"),
        (of_text("multiplicity"), "multiplicity has dtype .*; expected integer"),
        (lambda d: d.assign(certified=("focus", [1])), "certified has dtype int64; expected bool"),
        (
            lambda d: d.assign(worst_permutation=d.worst_permutation.transpose()),
            r"worst_permutation has dims \('source', 'focus'\); expected \('focus', 'source'\)",
        ),
        (
            lambda d: d.assign_attrs(kind="map"),
            "a store of kind 'map'; expected one of .*design, designs, .*evaluation",
        ),
        (lambda d: d.drop_attrs(), "a store of kind 'None'"),
        (
            lambda d: d.assign_attrs(kind="evaluations"),
            "a store of kind evaluations without the array",
        ),
    ],
)
def test_a_dataset_of_another_shape_is_not_written(tmp_path: Path, change, message: str) -> None:
    """The array, what it is, and what it should be; nothing is left behind."""
    dataset = cell("ring:4", "dor")
    validate(dataset)
    changed = change(dataset)
    with pytest.raises(InputError, match=message):
        validate(changed)
    with pytest.raises(InputError, match=message):
        write_store(changed, tmp_path / "cell.zarr")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "specs",
    [specs_of(name) for kind in kinds().values() for name in (kind.name, kind.gathered)],
)
def test_every_array_has_a_meaning_and_every_float_load_a_unit(specs: dict) -> None:
    """Exact arrays stand beside floats of the same dims."""
    for name, spec in specs.items():
        assert spec.meaning
        if name.endswith("_load"):
            assert spec.units == "packets per cycle over channel bandwidth"
        if f"{name}_exact" in specs:
            assert specs[f"{name}_exact"].dims == spec.dims
            assert specs[f"{name}_exact"].kind == "text"


# -------------------------------------------------------------------------------------- damage


@pytest.fixture
def store(tmp_path: Path, written: Path) -> Path:
    """Give a test its own store of a cell with everything in it."""
    shutil.copytree(written, tmp_path / "cell.zarr")
    return tmp_path / "cell.zarr"


def chunks(store: Path) -> list[Path]:
    """List the files with data."""
    return sorted(f for f in store.rglob("*") if f.is_file() and f.name != "zarr.json")


DAMAGED = r"cell\.zarr is (truncated|damaged).*(remove it and make it again)"


def test_a_deleted_chunk_is_noticed(store: Path) -> None:
    """Of any array: zarr would fill it in silently."""
    found = chunks(store)
    assert len(found) > 20
    for chunk in found:
        kept = chunk.read_bytes()
        chunk.unlink()
        with pytest.raises(InputError, match=DAMAGED):
            read_store(store)
        chunk.write_bytes(kept)
    read_store(store)


def read_or_message(store: Path) -> xr.Dataset | str:
    """Read a store, or say why not."""
    try:
        return read_store(store)
    except InputError as error:
        return str(error)


def test_a_changed_byte_is_noticed(store: Path) -> None:
    """At the end of any chunk, and in the middle of numbers, by zarr or by the digest.

    A byte that decodes to the same data changed nothing. (Not in the middle of text: there zarr
    takes a damaged length for granted, and gigabytes with it.)
    """
    original = read_store(store)
    noticed, tried = 0, 0
    for chunk in chunks(store):
        kept = chunk.read_bytes()
        of_text = original[chunk.relative_to(store).parts[0]].dtype == object
        for place in [len(kept) - 1] if of_text else [len(kept) // 2, len(kept) - 1]:
            changed = bytearray(kept)
            changed[place] ^= 0x55
            chunk.write_bytes(bytes(changed))
            found = read_or_message(store)
            tried += 1
            if isinstance(found, str):
                noticed += 1
                assert re.search(DAMAGED, found)
            else:
                assert identical(found, original)
        chunk.write_bytes(kept)
    assert noticed > 0.9 * tried


def test_a_truncated_chunk_is_noticed(store: Path) -> None:
    """Half of it, or nothing of it, is left."""
    for chunk in chunks(store):
        kept = chunk.read_bytes()
        for left in (0, len(kept) // 2):
            chunk.write_bytes(kept[:left])
            with pytest.raises(InputError, match=DAMAGED):
                read_store(store)
        chunk.write_bytes(kept)


@pytest.mark.parametrize("left", [0, 1, 100, -2])
def test_truncated_metadata_are_noticed(store: Path, left: int) -> None:
    """An empty file, too."""
    file = store / "zarr.json"
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(InputError, match=r"cell\.zarr is truncated or damaged"):
        read_store(store)


def test_metadata_without_the_arrays_are_noticed(store: Path) -> None:
    """As a killed write of another program leaves them."""
    file = store / "zarr.json"
    metadata = json.loads(file.read_text(encoding="utf-8"))
    del metadata["consolidated_metadata"]
    file.write_text(json.dumps(metadata), encoding="utf-8")
    with pytest.raises(InputError, match=r"cell\.zarr"):
        read_store(store)


def changed_attributes(store: Path, **attributes: object) -> None:
    """Write other attributes into a store."""
    file = store / "zarr.json"
    metadata = json.loads(file.read_text(encoding="utf-8"))
    metadata["attributes"] |= attributes
    file.write_text(json.dumps(metadata), encoding="utf-8")


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1, None, "1"])
def test_a_store_of_another_version_is_refused(store: Path, version: object) -> None:
    """With both versions and the remedy."""
    changed_attributes(store, schema_version=version)
    message = f"has schema version {version}; this obroute reads version {SCHEMA_VERSION}: make"
    with pytest.raises(InputError, match=message):
        read_store(store)


def test_a_store_of_another_kind_is_refused(store: Path) -> None:
    """A cell is no study."""
    with pytest.raises(
        InputError, match=r"cell\.zarr is a store of kind evaluation; expected evaluations"
    ):
        read_store(store, "evaluations")


@pytest.mark.parametrize("name", ["routing", "network", "settings", "nodes"])
def test_a_changed_attribute_is_noticed(store: Path, name: str) -> None:
    """They say what was evaluated, and how."""
    changed_attributes(store, **{name: "changed"})
    with pytest.raises(InputError, match="was changed"):
        read_store(store)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """Nothing there, a folder, a file, or a zarr store of somebody else."""
    with pytest.raises(InputError, match=r"none\.zarr does not exist; make it with"):
        read_store(tmp_path / "none.zarr")
    (tmp_path / "empty.zarr").mkdir()
    (tmp_path / "file.zarr").write_text("x", encoding="utf-8")
    for name in ("empty.zarr", "file.zarr"):
        with pytest.raises(InputError, match=f"{name} is no obroute store"):
            read_store(tmp_path / name)
        with pytest.raises(InputError, match=f"{name} exists and is no store; remove it"):
            write_store(cell("ring:4", "dor"), tmp_path / name)
    assert (tmp_path / "file.zarr").read_text(encoding="utf-8") == "x"


# ------------------------------------------------------------------------------ all or nothing


def failing(error: BaseException, after: int = 0):
    """Make a write of bytes that fails, after some files were written."""
    left = [after]
    whole = Path.write_bytes

    def write_bytes(path: Path, content: bytes) -> int:
        if left[0] == 0:
            raise error
        left[0] -= 1
        return whole(path, content)

    return write_bytes


@pytest.mark.parametrize("after", [0, 5])
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), RuntimeError("boom"), KeyboardInterrupt()]
)
def test_a_failing_write_leaves_the_old_store_and_no_scratch(
    store: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, after: int
) -> None:
    """Whenever it fails, and however; a full disk is named."""
    old = read_store(store)
    monkeypatch.setattr(Path, "write_bytes", failing(error, after))
    expected = InputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected) as caught:
        write_store(cell("ring:4", "dor"), store)
    monkeypatch.undo()
    if expected is InputError:
        assert "cell.zarr: No space left on device" in str(caught.value)
    assert [path.name for path in store.parent.iterdir()] == ["cell.zarr"]
    assert identical(read_store(store), old)


def test_a_failing_first_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither under the target's name nor beside it."""
    monkeypatch.setattr(Path, "write_bytes", failing(OSError(28, "No space left on device"), 5))
    with pytest.raises(InputError, match="cannot write"):
        write_store(cell("ring:4", "dor"), tmp_path / "cell.zarr")
    assert not list(tmp_path.iterdir())


def test_a_failing_rename_leaves_the_old_store(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two renames fails: the old store is put back."""
    old = read_store(store)
    rename = Path.rename

    def failing_rename(path: Path, target: Path) -> Path:
        if target == store and not path.name.endswith(".old"):
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing_rename)
    with pytest.raises(InputError, match="Input/output error"):
        write_store(cell("ring:4", "dor"), store)
    monkeypatch.undo()
    assert identical(read_store(store), old)


def test_a_write_replaces_the_old_store_whole(store: Path) -> None:
    """Nothing of the old one is left, and nothing beside it."""
    write_store(cell("ring:4", "dor"), store)
    found = read_store(store)
    assert found.attrs["network"] == "ring:4"
    assert "average_case_load" not in found
    assert [path.name for path in store.parent.iterdir()] == ["cell.zarr"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    """A file stands where a folder has to be."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises((InputError, OSError)) as caught:
        write_store(cell("ring:4", "dor"), tmp_path / "file" / "cell.zarr")
    assert "file" in str(caught.value)


# -------------------------------------------------------------------------------------- studies


def test_a_study_gathers_cells_by_network_and_routing() -> None:
    """In the order in which they come; what no cell holds is missing, and says so."""
    cells = {
        "k5-romm": cell("torus:5x5", "romm", ("tornado",)),
        "k4-dor": cell("torus:4x4", "dor", ("tornado", "transpose")),
        "k4-romm": cell("torus:4x4", "romm"),
    }
    study = gathered_dataset(cells, "small")
    assert study.network.values.tolist() == ["torus:5x5", "torus:4x4"]
    assert study.routing.values.tolist() == ["romm", "dor"]
    assert study.pattern.values.tolist() == ["tornado", "transpose"]
    assert study.present.values.tolist() == [[True, False], [True, True]]
    assert study.worst_case_load_exact.values.tolist() == [["8/3", ""], ["3/2", "3/2"]]
    missing = study.sel(network="torus:5x5", routing="dor")
    for name, spec in specs_of("evaluations").items():
        if spec.dims[:2] == ("network", "routing"):
            values = missing[name].values.ravel()
            blank = {"float": np.isnan, "integer": lambda x: x == -1, "text": lambda x: x == ""}
            if spec.kind in blank:
                assert all(blank[spec.kind](value) for value in values)
            else:
                assert not values.any()
    assert study.radix.values.tolist() == [5, 4]
    assert study.cell.values.tolist() == [["k5-romm", ""], ["k4-romm", "k4-dor"]]
    loads = study.pattern_load_exact.values.tolist()
    assert loads == [[["2", ""], ["", ""]], [["", ""], ["1", "3/2"]]]


def test_a_study_has_the_summary_of_each_cell() -> None:
    """Throughput, fraction of capacity, path length, channel, samples."""
    found = obroute.evaluate(
        "torus:5x5", "romm", ["tornado"], random_permutation_samples=9, average_case_samples=8
    )
    study = gathered_dataset({"one": cell_dataset(found, seconds=2.0)}).isel(network=0, routing=0)
    assert found.random_permutations is not None
    assert found.average_case is not None
    assert study.worst_case_load.item() == pytest.approx(8 / 3)
    assert study.worst_case_throughput.item() == 0.375
    assert study.fraction_of_capacity.item() == pytest.approx(0.6 / (8 / 3))
    assert study.normalized_path_length.item() == 1
    assert study.focus_channels.item() == 1
    assert study.seconds.item() == 2.0
    channel = found.critical.worst.channel
    ends = (found.network.tail[channel], found.network.head[channel])
    assert (study.critical_tail.item(), study.critical_head.item()) == ends
    assert study.pattern_fraction_of_capacity.values.tolist() == pytest.approx([0.3])
    assert study.random_permutation_samples.item() == 9
    assert Fraction(study.random_permutation_load_exact.item()) == found.random_permutations.worst
    assert study.average_case_samples.item() == 8
    assert study.average_case_throughput.item() == pytest.approx(found.average_case.throughput)
    error = found.average_case.standard_error
    assert study.average_case_standard_error.item() == pytest.approx(error)
    fraction = found.average_case.throughput * 0.6
    assert study.average_case_fraction_of_capacity.item() == pytest.approx(fraction)


def test_two_cells_of_one_network_and_routing_are_refused() -> None:
    """Both are named."""
    with pytest.raises(InputError, match="b and a both hold ring:4 with dor; gather one of them"):
        gathered_dataset({"a": cell("ring:4", "dor"), "b": cell("ring:4", "dor")})


def test_a_study_of_nothing_is_refused() -> None:
    """With the remedy."""
    with pytest.raises(InputError, match="no cells to gather; give at least one"):
        gathered_dataset({})


def test_gathered_stores_are_the_gathered_datasets(tmp_path: Path) -> None:
    """Read back from disk they make the same study."""
    cells = {"a": cell("ring:4", "dor"), "b": cell("ring:4", "romm", ("tornado",))}
    for name, dataset in cells.items():
        write_store(dataset, tmp_path / name)
    gathered = gathered_dataset(
        {name: read_store(tmp_path / name, "evaluation") for name in cells}
    )
    xr.testing.assert_equal(gathered, gathered_dataset(cells))
    shutil.rmtree(tmp_path / "a")
    assert not is_store(tmp_path / "a")


def test_a_summary_of_another_shape_than_specified_is_named() -> None:
    """Whoever writes a kind reads which array it is, and both shapes."""
    cell = cell_dataset(obroute.evaluate("ring:5", "dor"))
    specs = {"longest": ArraySpec(CASE, "integer", "hops")}
    with pytest.raises(ValueError, match=r"^longest of a cell has the shape \(1,\); .* dims \(\)"):
        gather({"ring-5/dor.zarr": cell}, specs, lambda _: {"longest": [2]}, {})
