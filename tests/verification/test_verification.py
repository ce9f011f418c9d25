"""Verification derives everything anew, and names the first entry that is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import cell_dataset, gathered_dataset

import obroute
from obroute import InputError
from obroute.certificates import CertificateError
from obroute.kinds.registry import kinds
from obroute.kinds.stores import read_store, write_store
from obroute.results.provenance import network_digest
from obroute.routing import routings
from obroute.verification import find_stores, verify_stores

PATTERNS = ("tornado", "uniform", "transpose")


@pytest.fixture(scope="module")
def cell() -> xr.Dataset:
    """Evaluate into a cell."""
    return cell_dataset(
        obroute.evaluate(
            "torus:4x4", "dor", PATTERNS, random_permutation_samples=5, average_case_samples=4
        )
    )


def put(name: str, place: object, value: object) -> Callable[[xr.Dataset], xr.Dataset]:
    """Replace one entry of an array."""

    def change(dataset: xr.Dataset) -> xr.Dataset:
        changed = dataset.copy(deep=True)
        changed[name].values[place] = value
        return changed

    return change


def both(name: str, place: object, value: Fraction) -> Callable[[xr.Dataset], xr.Dataset]:
    """Replace an exact entry and the float beside it."""
    exact, nearest = put(f"{name}_exact", place, str(value)), put(name, place, float(value))
    return lambda dataset: nearest(exact(dataset))


def swapped(dataset: xr.Dataset) -> xr.Dataset:
    """Exchange the destinations of the two sources of the largest pair loads."""
    changed = dataset.copy(deep=True)
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("dor")
    loads = routing.pair_loads(network, int(dataset.focus_channel.values[0]))
    row = changed.worst_permutation.values[0]
    carry = [s for s in range(16) if loads.entry(s, int(row[s]))]
    idle = next(s for s in range(16) if s not in carry)
    row[[carry[0], idle]] = row[[idle, carry[0]]]
    return changed


def potential_lowered(dataset: xr.Dataset) -> xr.Dataset:
    """Take one off the first positive potential of a source or destination."""
    changed = dataset.copy(deep=True)
    for name in ("source_potential", "destination_potential"):
        row = changed[name].values[1]
        for place in range(len(row)):
            if int(row[place]) > 0:
                row[place] = str(int(row[place]) - 1)
                return changed
    raise AssertionError("no potential is positive")


WRONG: dict[str, tuple[Callable[[xr.Dataset], xr.Dataset], str]] = {
    "a worst case too high": (
        both("worst_case_load", 0, Fraction(7, 4)),
        r"channel 0: the traffic loads it with 3/2, recorded 7/4",
    ),
    "a worst case too low": (
        both("worst_case_load", 1, Fraction(1)),
        r"channel \d+: the traffic loads it with 3/2, recorded 1",
    ),
    "a float that is not the fraction": (
        put("worst_case_load", 1, 1.25),
        r"worst_case_load\[1\]: the float 1.25 is not 3/2",
    ),
    "a permutation that loads less": (swapped, "channel 0: the traffic loads it with"),
    "a destination twice": (
        lambda d: put("worst_permutation", (0, 0), int(d.worst_permutation.values[0, 1]))(d),
        "channel 0: destination .* more than its bandwidth",
    ),
    "a destination that is no node": (
        put("worst_permutation", (0, 0), 99),
        "channel 0: a destination that is no node",
    ),
    "a potential lowered": (potential_lowered, r"channel \d+: the potentials"),
    "a negative potential": (put("source_potential", (0, 0), "-1"), "channel 0: .* is negative"),
    "another denominator": (
        lambda d: put("potential_denominator", 0, str(int(d.potential_denominator.values[0]) + 1))(
            d
        ),
        "channel 0: the potentials bound",
    ),
    "a pattern's load": (
        both("pattern_load", 2, Fraction(1, 3)),
        r"pattern_load\[2\] is recorded as 1/3, but is 3/2",
    ),
    "a pattern's float": (put("pattern_load", 0, 1.5), r"pattern_load\[0\]: the float 1.5 is not"),
    "the load of uniform traffic as a pattern": (
        both("pattern_load", 1, Fraction(1, 3)),
        r"pattern_load\[1\] is recorded as 1/3, but is 1/2",
    ),
    "a focus channel's uniform load": (
        both("focus_uniform_load", 0, Fraction(1, 3)),
        r"focus_uniform_load\[0\] is recorded as 1/3, but is 1/2",
    ),
    "the mean path length": (
        both("mean_path_length", (), Fraction(3)),
        "mean_path_length is recorded as 3, but is 2",
    ),
    "the mean shortest path length": (
        both("mean_shortest_path_length", (), Fraction(3)),
        "mean_shortest_path_length is recorded as 3, but is 2",
    ),
    "capacity": (
        both("capacity_load", (), Fraction(3)),
        "capacity_load is recorded as 3, but is 1/2",
    ),
    "a channel's end": (put("head", 3, 0), "head: not where the channels of the network end"),
    "a multiplicity": (put("multiplicity", 0, 33), "multiplicity: not the sizes"),
    "a focus channel of the same orbit twice": (
        put("focus_channel", 1, 1),
        "focus_channel: not one channel of every orbit",
    ),
    "an estimate": (
        put("certified", 0, False),
        "certified: the store holds an estimate from sampled paths",
    ),
    "another routing": (
        lambda d: d.assign_attrs(routing="romm"),
        "multiplicity: not the sizes|focus_channel|the traffic loads|the potentials",
    ),
    "another network": (
        lambda d: d.assign_attrs(network="torus:4x4,bandwidth=2"),
        "torus:4x4,bandwidth=2 is no longer the network of this store",
    ),
}


def test_a_right_cell_is_verified(cell: xr.Dataset) -> None:
    """One certificate for each focus channel."""
    assert kinds()["evaluation"].verify(cell) == 2


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_entry_is_named(cell: xr.Dataset, tmp_path: Path, name: str) -> None:
    """With its place, what it is and what it should be; and the store, which reads as valid."""
    change, message = WRONG[name]
    store = tmp_path / "cell.zarr"
    write_store(change(cell), store)
    with pytest.raises(CertificateError, match=message) as caught:
        list(verify_stores(store))
    assert str(caught.value).startswith(f"{store}: ")


UNCHECKED = {
    "bandwidth_exact": put("bandwidth_exact", 0, "2"),
    "channel_load": put("channel_load", (0, 0), 9.0),
    "pair_load_numerator": put("pair_load_numerator", 0, 9),
    "pattern_channel": put("pattern_channel", 0, 9),
    "random_permutation_load": put("random_permutation_load", 0, 9.0),
    "random_permutation_worst_exact": put("random_permutation_worst_exact", (), "9"),
    "average_case_load": put("average_case_load", 0, 9.0),
}


@pytest.mark.parametrize("name", UNCHECKED)
def test_a_wrong_entry_of_a_derived_array_is_named(cell: xr.Dataset, name: str) -> None:
    """Nothing stored is trusted."""
    with pytest.raises(CertificateError, match=name):
        kinds()["evaluation"].verify(UNCHECKED[name](cell))


@pytest.mark.parametrize(
    "change",
    [
        put("source_potential", (0, 0), "x"),
        put("potential_denominator", 0, "0"),
        put("worst_case_load_exact", 0, ""),
        put("focus_channel", 0, 999),
    ],
)
def test_an_entry_that_is_no_number_is_named(cell: xr.Dataset, change) -> None:
    """As any other wrong entry."""
    with pytest.raises(CertificateError):
        kinds()["evaluation"].verify(change(cell))


@pytest.mark.parametrize(
    ("network", "routing", "settings", "certificates"),
    [
        ("torus:4x4", "romm", {}, 1),
        ("torus:3x3", "ival", {"all_channels": True}, 36),
        ("mesh:3x4", "o1turn", {}, 10),
        ("torus:4x3", "1/3*dor+2/3*ival", {}, 2),
        ("hypercube:3", "dor", {}, 3),
        ("complete:4", "ecmp", {}, 1),
        ("ring:2", "rlb", {}, 1),
    ],
)
def test_cells_of_all_kinds_are_verified(
    tmp_path: Path, network: str, routing: str, settings: dict, certificates: int
) -> None:
    """From disk, by the names in them."""
    write_store(cell_dataset(obroute.evaluate(network, routing, **settings)), tmp_path / "c.zarr")
    (verified,) = verify_stores(tmp_path / "c.zarr")
    assert (verified.kind, verified.certificates) == ("evaluation", certificates)
    assert verified.store == tmp_path / "c.zarr"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Write a star of hosts, one with two packets per cycle, and name it and a table of paths."""
    (tmp_path / "e.csv").write_text("a,s,2\ns,a,2\nb,s\ns,b\nc,s\ns,c\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,2\nb\nc\n", encoding="utf-8")
    lines = ["source,destination,probability,path"]
    lines += [f"{s},{d},1,{s} s {d}" for s in "abc" for d in "abc" if s != d]
    (tmp_path / "r.csv").write_text("\n".join(lines), encoding="utf-8")
    return f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv", str(tmp_path / "r.csv")


def test_a_fabric_and_its_table_are_verified_from_their_files(
    tmp_path: Path, files: tuple[str, str]
) -> None:
    """Split traffic too."""
    write_store(cell_dataset(obroute.evaluate(*files)), tmp_path / "c.zarr")
    (verified,) = verify_stores(tmp_path / "c.zarr")
    assert verified.certificates == 6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("flow_amount_exact", "more than its bandwidth|the traffic loads it with"),
        ("flow_destination", "more than its bandwidth|the traffic loads it with"),
        ("flow_source", "more than its bandwidth|the traffic loads it with"),
    ],
)
def test_a_wrong_flow_is_named(files: tuple[str, str], name: str, message: str) -> None:
    """Its amount or an end of it."""
    dataset = cell_dataset(obroute.evaluate(*files)).copy(deep=True)
    values = dataset[name].values
    values[0] = "3" if name.endswith("exact") else (values[0] + 1) % 3
    with pytest.raises(CertificateError, match=f"channel 0: .*({message})"):
        kinds()["evaluation"].verify(dataset)


def test_a_changed_network_file_is_noticed(tmp_path: Path, files: tuple[str, str]) -> None:
    """The store is of the network that was."""
    dataset = cell_dataset(obroute.evaluate(*files))
    assert dataset.attrs["network_digest"] == network_digest(obroute.make_network(files[0]))
    (tmp_path / "e.csv").write_text("a,s,3\ns,a,2\nb,s\ns,b\nc,s\ns,c\n", encoding="utf-8")
    with pytest.raises(CertificateError, match="is no longer the network of this store"):
        kinds()["evaluation"].verify(dataset)


def test_a_changed_table_is_noticed(tmp_path: Path, files: tuple[str, str]) -> None:
    """The loads are others."""
    triangle = "a,b\nb,c\nc,a\na,c\nc,b\nb,a\n"
    (tmp_path / "e.csv").write_text(triangle, encoding="utf-8")
    header = "source,destination,probability,path\n"
    pairs = [(s, d) for s in "abc" for d in "abc" if s != d]
    straight = [f"{s},{d},1,{s} {d}\n" for s, d in pairs]
    (tmp_path / "r.csv").write_text(header + "".join(straight), encoding="utf-8")
    dataset = cell_dataset(obroute.evaluate(str(tmp_path / "e.csv"), files[1]))
    assert kinds()["evaluation"].verify(dataset) == 6
    bent = [line.replace("a,b,1,a b", "a,b,1,a c b") for line in straight]
    (tmp_path / "r.csv").write_text(header + "".join(bent), encoding="utf-8")
    with pytest.raises(CertificateError, match="channel"):
        kinds()["evaluation"].verify(dataset)


def test_pair_loads_are_held_against_the_definition(
    cell: xr.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed form that is wrong in proportion would certify itself; paths give it away."""
    found = type(routings.create("dor"))
    whole = found.pair_loads
    monkeypatch.setattr(found, "pair_loads", lambda *args: whole(*args).scaled(Fraction(3, 2)))
    with pytest.raises(CertificateError, match=r"the paths from node .* load it with .*, not"):
        kinds()["evaluation"].verify(cell)


# ------------------------------------------------------------------------------------- folders


NAMES = ("one", "two")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, cell: xr.Dataset) -> Path:
    """Write two cells and a study, some way down."""
    place = tmp_path_factory.mktemp("study")
    other = cell_dataset(obroute.evaluate("ring:5", "romm"))
    write_store(cell, place / "evaluations" / "one.zarr")
    write_store(other, place / "evaluations" / "two.zarr")
    cells = {f"{name}.zarr": read_store(place / f"evaluations/{name}.zarr") for name in NAMES}
    write_store(gathered_dataset(cells), place / "evaluations.zarr")
    return place


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """Give a copy of them that a test may change."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_every_store_below_a_folder_is_verified(folder: Path) -> None:
    """In order of their names; scratch stores, which start with a point, are none."""
    write_store(read_store(folder / "evaluations.zarr"), folder / ".scratch.zarr")
    verified = list(verify_stores(folder))
    assert [v.store.relative_to(folder).as_posix() for v in verified] == [
        "evaluations/one.zarr",
        "evaluations/two.zarr",
        "evaluations.zarr",
    ]
    assert [(v.kind, v.certificates, v.gathered_from) for v in verified] == [
        ("evaluation", 2, None),
        ("evaluation", 1, None),
        ("evaluations", 0, 2),
    ]
    assert find_stores(folder / "evaluations" / "one.zarr") == [
        folder / "evaluations" / "one.zarr"
    ]


def test_the_wrong_store_of_a_folder_is_named(folder: Path, cell: xr.Dataset) -> None:
    """After those that are right."""
    write_store(both("pattern_load", 0, Fraction(9))(cell), folder / "evaluations" / "two.zarr")
    verified = verify_stores(folder)
    assert next(verified).store.name == "one.zarr"
    with pytest.raises(CertificateError, match=r"two\.zarr: pattern_load\[0\] is recorded as 9"):
        next(verified)


def test_a_damaged_store_of_a_folder_is_named(folder: Path) -> None:
    """It cannot be read, which is not the same as wrong."""
    (folder / "evaluations" / "two.zarr" / "zarr.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"two\.zarr is truncated or damaged"):
        list(verify_stores(folder))


@pytest.mark.parametrize("name", ["none", "empty"])
def test_a_folder_without_stores_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing verified is not verified."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="give a store or a folder of stores"):
        list(verify_stores(tmp_path / name))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("certified", (0, 0), False), r"certified\[0, 0\] is recorded as False, but is True"),
        (put("worst_case_load", (0, 0), 1.25), "worst_case_load.* is recorded as 1.25, not 3/2"),
        (
            both("worst_case_load", (0, 0), Fraction(1, 100)),
            r"worst_case_load\[0, 0\] is recorded as 1/100, but is 3/2",
        ),
        (put("pattern_load_exact", (0, 0, 0), "9"), "pattern_load.* is recorded as"),
        (
            put("cell", (0, 0), "two.zarr"),
            r"cell\[0, 0\] is recorded as two\.zarr, but is one\.zarr",
        ),
        (put("seed", (0, 0), 7), r"seed\[0, 0\] is recorded as 7, but is 0"),
    ],
)
def test_a_forged_gathered_store_is_named(folder: Path, change, message: str) -> None:
    """It is gathered again from the cells beside it."""
    write_store(change(read_store(folder / "evaluations.zarr")), folder / "evaluations.zarr")
    with pytest.raises(CertificateError, match=message):
        list(verify_stores(folder / "evaluations.zarr"))


def test_a_gathered_store_alone_is_not_said_to_be_compared(folder: Path, tmp_path: Path) -> None:
    """Without its cells only its digest and its floats are checked."""
    alone = tmp_path / "elsewhere" / "evaluations.zarr"
    write_store(read_store(folder / "evaluations.zarr"), alone)
    assert [v.gathered_from for v in verify_stores(alone)] == [0]


def how_gathered(place: Path) -> str:
    """Say how the gathered store at or below a place was checked."""
    (found,) = (v.gathered for v in verify_stores(place) if v.gathered is not None)
    return found.words


def test_how_a_gathered_store_was_checked_is_said(folder: Path) -> None:
    """With its cells verified, with cells that were not, and without one of them."""
    assert how_gathered(folder) == "equal to the 2 cells that it gathers"
    alone = how_gathered(folder / "evaluations.zarr")
    assert alone.endswith("2 of them not verified in this run: verify the folder")
    (folder / "evaluations" / "one.zarr").rename(folder / "elsewhere.zarr")
    assert how_gathered(folder) == (
        "digest only: 1 of its cells, one.zarr among them, cannot be found, and nothing it says "
        "was compared"
    )


def test_cells_in_another_folder_are_found_when_they_are_verified_too(folder: Path) -> None:
    """By their name and their digest."""
    (folder / "evaluations").rename(folder / "cells")
    assert how_gathered(folder) == "equal to the 2 cells that it gathers"


def test_a_cell_that_is_left_out_is_named(folder: Path, cell: xr.Dataset) -> None:
    """It may be what an earlier study left, or what somebody hides."""
    only = {"one.zarr": read_store(folder / "evaluations/one.zarr")}
    write_store(gathered_dataset(only), folder / "evaluations.zarr")
    assert how_gathered(folder) == (
        "equal to the 1 cells that it gathers; not in it, though beside them: two.zarr"
    )


def test_a_gathered_store_of_a_wrong_cell_is_not_verified(folder: Path, cell: xr.Dataset) -> None:
    """Cells come first: the wrong one is named."""
    wrong = both("worst_case_load", 0, Fraction(1, 100))(cell)
    write_store(wrong, folder / "evaluations" / "one.zarr")
    cells = {f"{name}.zarr": read_store(folder / f"evaluations/{name}.zarr") for name in NAMES}
    write_store(gathered_dataset(cells), folder / "evaluations.zarr")
    with pytest.raises(CertificateError, match=r"one\.zarr: channel 0: the traffic loads it"):
        list(verify_stores(folder))


@pytest.mark.parametrize("name", ["/etc", "../one.zarr", "a/../../b", ""])
def test_the_name_of_a_cell_that_leads_elsewhere_is_refused(folder: Path, name: str) -> None:
    """Whatever is there."""
    study = read_store(folder / "evaluations.zarr")
    study.attrs["cells"] = json.dumps({name: ""})
    write_store(study, folder / "evaluations.zarr")
    with pytest.raises(CertificateError, match="is no name of a cell below the folder"):
        list(verify_stores(folder / "evaluations.zarr"))


def test_a_store_of_sampled_paths_is_refused() -> None:
    """It is an estimate, and says so."""
    estimate = cell_dataset(obroute.evaluate("ring:4", "romm"))
    estimate["certified"].values[:] = False
    with pytest.raises(CertificateError, match="holds an estimate from sampled paths"):
        kinds()["evaluation"].verify(estimate)


@pytest.mark.parametrize("focus", [0, 1])
def test_a_tampered_permutation_of_equal_load_is_still_a_proof(
    cell: xr.Dataset, focus: int
) -> None:
    """Idle sources may exchange their destinations: what is proved is the load."""
    changed = cell.copy(deep=True)
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("dor")
    loads = routing.pair_loads(network, int(cell.focus_channel.values[focus]))
    row = changed.worst_permutation.values[focus]
    idle = [
        (a, b)
        for a in range(16)
        for b in range(a)
        if not any(loads.entry(s, int(row[d])) for s in (a, b) for d in (a, b))
    ]
    a, b = idle[0]
    row[[a, b]] = row[[b, a]]
    assert np.array_equal(np.sort(row), np.arange(16))
    if focus:
        assert kinds()["evaluation"].verify(changed) == 2
        return
    with pytest.raises(CertificateError, match=r"channel_load\[0, \d+\] is recorded"):
        kinds()["evaluation"].verify(changed)  # the critical one's traffic is in other arrays
