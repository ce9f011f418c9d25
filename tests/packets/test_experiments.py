"""Experiments with packets and their datasets: the same wherever they run, whole or gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from tests.support.datasets import gathered_dataset, simulation_dataset, stability_dataset
from tests.support.runners import shuffled

import obroute
from obroute import tasks
from obroute.certificates import CertificateError
from obroute.execution import open_runner
from obroute.kinds.stores import read_store, write_store
from obroute.packets.expected import expectation
from obroute.packets.experiments import run_permutations, run_stability
from obroute.packets.relations import traffic_named
from obroute.specs import InputError
from obroute.tasks import TaskRunner
from obroute.verification import verify_stores

TRAFFIC = ["bit_reverse", "random_permutation"]


def permutations(routing: str = "valiant", network: str = "hypercube:5", **options: Any) -> Any:
    """Route with five seeds."""
    return run_permutations(
        obroute.make_network(network), obroute.make_routing(routing), TRAFFIC, seeds=5, **options
    )


def stability(routing: str = "dor", rates: Sequence[float] = (0.1, 0.4), **options: Any) -> Any:
    """Find the stable rates of a ring, roughly."""
    return run_stability(
        obroute.make_network("ring:8"),
        obroute.make_routing(routing),
        ["tornado", "uniform"],
        steps=1000,
        tolerance=0.1,
        rates=rates,
        curve_steps=400,
        **options,
    )


@pytest.mark.parametrize("seconds", [1e-9, 10.0], ids=["a seed a batch", "one batch"])
def test_runs_do_not_depend_on_batches(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """A seed's run is its own, whatever runs beside it and in which order."""
    expected = permutations(seed=3)
    monkeypatch.setattr(tasks, "TASK_SECONDS", seconds)
    assert permutations(seed=3, run=shuffled).runs == expected.runs
    with open_runner("threads", 3, quiet=True) as run:
        assert permutations(seed=3, run=run).runs == expected.runs


def test_a_later_first_seed_continues_the_series() -> None:
    """Run i draws from seed + i alone."""
    assert permutations(seed=2).runs[1][:3] == permutations(seed=0).runs[1][2:]


@pytest.mark.parametrize("phases", [False, True])
def test_random_permutations_differ_by_seed_and_fixed_ones_do_not(phases: bool) -> None:
    """Every seed draws another permutation; greedy takes the same steps on a fixed one."""
    found = permutations("dor", "hypercube:6", phases=phases)
    fixed, drawn = found.runs
    assert len({run.steps for run in fixed}) == 1 or phases
    assert len({run.mean_delay for run in drawn}) == 5
    assert found.exact_loads == [None if phases else Fraction(4), None]


@pytest.mark.slow
def test_processes_give_the_same_runs() -> None:
    """Networks, routings and traffic travel to other processes."""
    with open_runner("processes", 2, quiet=True) as run:
        assert permutations(run=run).runs == permutations().runs
        assert same_stability(stability(run=run), stability())


def same_stability(one: Any, two: Any) -> bool:
    """Compare saturations and curves, point by point."""
    return repr((one.saturations, one.curves)) == repr((two.saturations, two.curves))


def test_stability_does_not_depend_on_batches() -> None:
    """Neither the search nor the curves."""
    with open_runner("threads", 2, quiet=True) as run:
        runners: list[TaskRunner] = [shuffled, run]
        for runner in runners:
            assert same_stability(stability(run=runner), stability())
    assert [point.rate for point in stability().curves[0]] == [0.1, 0.4]


def test_greedy_obeys_its_exact_load_on_every_network() -> None:
    """No deterministic run is faster than its heaviest channel; a butterfly has no schedule."""
    for network, routing in (
        ("hypercube:4", "dor"),
        ("butterfly:3", "bit_fixing"),
        ("benes:3", "bit_fixing"),
    ):
        found = permutations(routing, network)
        run, load = found.runs[0][0], found.exact_loads[0]
        assert run.heaviest_channel == load
        assert run.steps >= max(load, run.longest_path)
        assert (run.offline_steps > 0) == (not network.startswith("butterfly"))


def test_the_worst_case_is_the_matchings() -> None:
    """``worst_case`` is the permutation of the evaluation, and reaches its load."""
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("romm")
    traffic = traffic_named(network, routing, "worst_case")
    load = obroute.evaluate(network, routing).worst_case_load
    assert load > 1
    assert expectation(network, routing, traffic).ideal == 1 / load


def test_what_cannot_be_run_is_an_input_error() -> None:
    """Uniform traffic is no permutation, and seeds are counted."""
    ring, dor = obroute.make_network("ring:4"), obroute.make_routing("dor")
    with pytest.raises(InputError, match="no permutation; give a rate"):
        run_permutations(ring, dor, ["uniform"])
    with pytest.raises(InputError, match="0 seeds"):
        run_permutations(ring, dor, ["tornado"], seeds=0)
    with pytest.raises(InputError, match="bit_fixing is not defined on ring:4"):
        run_stability(
            ring, obroute.make_routing("bit_fixing"), ["uniform"], steps=9, tolerance=0.1
        )


def test_a_dataset_holds_every_run() -> None:
    """Traffic by seed, the exact loads as fractions and floats, the settings."""
    found = permutations("valiant", seed=7)
    dataset = simulation_dataset(found, {"seed": 7, "queue": "fifo"})
    assert dataset.seed.values.tolist() == [7, 8, 9, 10, 11]
    for place, runs in enumerate(found.runs):
        for seed, run in enumerate(runs):
            assert {k: dataset[k].values[place, seed] for k in asdict(run)} == asdict(run)
    assert dataset.exact_load_exact.values.tolist() == ["1", ""]
    assert np.isnan(dataset.exact_load.values[1])
    assert '"queue": "fifo"' in dataset.attrs["settings"]


def test_gathering_leaves_blank_what_a_cell_does_not_have() -> None:
    """Cells of other traffic and seeds share one dataset; what is missing is -1, NaN or empty."""
    few = run_permutations(
        obroute.make_network("hypercube:4"), obroute.make_routing("dor"), ["transpose"], seeds=2
    )
    cells = {
        "many": simulation_dataset(permutations("valiant", seed=1), {"seed": 1}),
        "few": simulation_dataset(few, {"seed": 0}),
    }
    study = gathered_dataset(cells, "mine")
    assert dict(study.sizes) == {"network": 2, "routing": 2, "traffic": 3, "seed": 6}
    assert study.seed.values.tolist() == [0, 1, 2, 3, 4, 5]
    valiant = study.sel(network="hypercube:5", routing="valiant")
    assert (valiant.steps.sel(seed=0) == -1).all()
    assert (valiant.steps.sel(traffic=TRAFFIC, seed=range(1, 6)) == cells["many"].steps).all()
    nothing = study.sel(network="hypercube:4", routing="valiant")
    assert (nothing.steps == -1).all()
    assert nothing.mean_delay.isnull().all()
    assert nothing.exact_load_exact.values.tolist() == ["", "", ""]
    dor = study.sel(network="hypercube:4", routing="dor", traffic="transpose")
    assert dor.steps.values.tolist() == [*cells["few"].steps.values[0].tolist(), -1, -1, -1, -1]
    assert study.nodes.values.tolist() == [32, 16]


def test_gathered_stability_puts_rates_in_order() -> None:
    """Cells with different rates: their curves are apart, their stable rates side by side."""
    cells = {
        "dor": stability_dataset(stability("dor", (0.4, 0.1)), {}),
        "romm": stability_dataset(stability("romm", (0.2,)), {}),
    }
    study = gathered_dataset(cells)
    assert study.rate.values.tolist() == [0.1, 0.2, 0.4]
    place = {"network": "ring:8", "traffic": "tornado"}
    offered = study.offered.sel(place).to_pandas().notna()
    assert offered.loc["dor"].tolist() == [True, False, True]
    assert offered.loc["romm"].tolist() == [False, True, False]
    assert study.ideal_rate_exact.sel(place).values.tolist() == ["1/3", "1/3"]
    assert (
        study.accepted.sel(place | {"routing": "dor", "rate": 0.1}) == cells["dor"].accepted[0, 1]
    )


def test_cells_that_do_not_belong_together_are_refused() -> None:
    """Mixed kinds, none at all, and one case twice."""
    simulation = simulation_dataset(permutations(), {})
    rates = stability_dataset(stability(), {})
    with pytest.raises(InputError, match="b is a store of kind stability; expected simulation"):
        gathered_dataset({"a": simulation, "b": rates})
    with pytest.raises(InputError, match="no cells to gather"):
        gathered_dataset({})
    with pytest.raises(InputError, match="b and a both hold hypercube:5 with valiant"):
        gathered_dataset({"a": simulation, "b": simulation})


SIMULATION_WRONG: dict[str, tuple[object, object, str]] = {
    "steps": ((0, 0), 3, r"steps\[0, 0\] is recorded as 3, but is \d+"),
    "mean_delay": ((1, 0), 0.5, r"mean_delay\[1, 0\] is recorded as 0.5"),
    "largest_queue": ((0, 0), 99, r"largest_queue\[0, 0\] is recorded as 99"),
    "offline_steps": ((1, 0), 1, r"offline_steps\[1, 0\] is recorded as 1,"),
    "exact_load_exact": (0, "2", r"exact_load\[0\] is recorded as 2, but is 1"),
    "exact_load": (0, 2.0, r"exact_load\[0\]: the float 2.0 is not 1"),
}
STABILITY_WRONG: dict[str, tuple[object, object, str]] = {
    "ideal_rate_exact": (0, "1/2", r"ideal_rate\[0\] is recorded as 1/2, but is 1/3"),
    "ideal_rate": (1, 0.5, r"ideal_rate\[1\]: the float 0.5 is not 1"),
    "stable_rate": (0, 0.9, r"stable_rate\[0\] is recorded as 0.9, but is"),
    "unstable_rate": (0, 0.34, r"unstable_rate\[0\] is recorded as 0.34, but is"),
    "critical_channels": (0, 3, r"critical_channels\[0\] is recorded as 3, but is 8"),
    "accepted": ((0, 0), 0.5, r"accepted\[0, 0\] is recorded as 0.5"),
    "mean_delay": ((0, 0), 0.5, r"mean_delay\[0, 0\] is recorded as 0.5"),
    "drift": ((1, 0), 0.5, r"drift\[1, 0\] is recorded as 0.5"),
}


@pytest.fixture(scope="module")
def datasets() -> dict[str, xr.Dataset]:
    """Give one cell of each kind."""
    return {
        "simulation": simulation_dataset(permutations(seed=3), {"seed": 3, "queue": "fifo"}),
        "stability": stability_dataset(stability(), {}),
    }


@pytest.mark.parametrize(
    ("kind", "name", "place", "value", "message"),
    [("simulation", name, *wrong) for name, wrong in SIMULATION_WRONG.items()]
    + [("stability", name, *wrong) for name, wrong in STABILITY_WRONG.items()],
)
def test_verification_names_the_entry_that_is_wrong(
    datasets: dict[str, xr.Dataset],
    tmp_path: Path,
    kind: str,
    name: str,
    place: object,
    value: object,
    message: str,
) -> None:
    """A store that was written with one wrong entry is whole, but does not pass."""
    changed = datasets[kind].copy(deep=True)
    changed[name].values[place] = value
    write_store(changed, tmp_path / "wrong.zarr")
    with pytest.raises(CertificateError, match=rf"wrong.zarr: {message}"):
        list(verify_stores(tmp_path / "wrong.zarr"))


def test_stores_as_they_were_made_pass(datasets: dict[str, xr.Dataset], tmp_path: Path) -> None:
    """Cells and gathered stores, written and read back the same."""
    for kind, dataset in datasets.items():
        write_store(dataset, tmp_path / f"{kind}.zarr")
        write_store(gathered_dataset({kind: dataset}), tmp_path / f"gathered-{kind}.zarr")
        assert read_store(tmp_path / f"{kind}.zarr", kind).equals(dataset)
    kinds = {verified.kind for verified in verify_stores(tmp_path)}
    assert kinds == {"simulation", "simulations", "stability", "stabilities"}


def test_every_setting_of_the_command_is_verified_with(tmp_path: Path) -> None:
    """The queue and the phases are read from the store's settings."""
    settings = {"seed": 2, "queue": "lifo", "phases": True}
    found = permutations("dor", seed=2, discipline="lifo", phases=True)
    write_store(simulation_dataset(found, settings), tmp_path / "lifo.zarr")
    assert [verified.kind for verified in verify_stores(tmp_path)] == ["simulation"]
    plain = simulation_dataset(found, {"seed": 2})
    write_store(plain, tmp_path / "lifo.zarr")
    with pytest.raises(CertificateError, match="is recorded as"):
        list(verify_stores(tmp_path))


# ------------------------------------------------------------------------------ traffic from files


def file_of(folder: Path, *rows: str, name: str = "traffic.csv") -> str:
    """Write a file of traffic."""
    (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(folder / name)


def test_whole_demands_are_packets_that_start_together(tmp_path: Path) -> None:
    """Three on one pair cross a channel one after the other: the exact load bounds the steps."""
    cube, dor = obroute.make_network("hypercube:3"), obroute.make_routing("dor")
    demands = file_of(tmp_path, "source,destination,amount", "0,4,3", "1,5,2", "2,6,1")
    found = run_permutations(cube, dor, [demands], seeds=2)
    assert [run.steps for run in found.runs[0]] == [3, 3]
    assert [run.heaviest_channel for run in found.runs[0]] == [3, 3]
    assert [run.offline_steps for run in found.runs[0]] == [-1, -1]
    assert found.exact_loads == [3]


def test_a_permutation_as_a_matrix_is_that_permutation(tmp_path: Path) -> None:
    """The same packets by the same seeds, and the same schedule."""
    cube, valiant = obroute.make_network("hypercube:4"), obroute.make_routing("valiant")
    permutation = obroute.make_pattern("transpose").permutation(cube)
    rows = [f"{source},{destination},1" for source, destination in enumerate(permutation)]
    demands = file_of(tmp_path, "source,destination,amount", *rows)
    for phases in (False, True):
        named, read = run_permutations(
            cube, valiant, ["transpose", demands], seeds=3, phases=phases
        ).runs
        assert named == read


def test_a_partial_permutation_is_routed_in_phases_too(tmp_path: Path) -> None:
    """The sources that are left out send nothing."""
    cube, dor = obroute.make_network("hypercube:4"), obroute.make_routing("dor")
    pairs = file_of(tmp_path, "source,destination", "0,15", "3,12")
    for phases, load in ((False, 1), (True, None)):
        found = run_permutations(cube, dor, [pairs], phases=phases)
        assert 4 <= found.runs[0][0].steps <= 8
        assert found.runs[0][0].offline_steps == -1
        assert found.exact_loads == [load]


@pytest.mark.parametrize(
    ("rows", "phases", "message"),
    [
        (["0,4,1/2"], False, "no whole number of packets; give a rate"),
        (["0,4,2"], True, "is no permutation; --phases is of permutations"),
        (["0,4,1e12"], False, "would take about"),
    ],
)
def test_demands_that_are_no_packets_are_refused(
    tmp_path: Path, rows: list[str], phases: bool, message: str
) -> None:
    """Parts of packets, several from one source in phases, and more than fit."""
    cube, dor = obroute.make_network("hypercube:3"), obroute.make_routing("dor")
    demands = file_of(tmp_path, "source,destination,amount", *rows)
    with pytest.raises(InputError, match=message):
        run_permutations(cube, dor, [demands], phases=phases)


def test_the_stable_rate_of_demands_encloses_their_ideal(tmp_path: Path) -> None:
    """Half of a packet each from two sources over one channel, and one over another: 4/5."""
    ring, dor = obroute.make_network("ring:8"), obroute.make_routing("dor")
    demands = file_of(tmp_path, "source,destination,amount", "0,3,3/4", "1,3,1/2", "5,6,1")
    assert expectation(ring, dor, traffic_named(ring, dor, demands)).ideal == Fraction(4, 5)
    found = run_stability(ring, dor, [demands], steps=20_000, tolerance=0.05)
    (saturation,) = found.saturations
    assert saturation.ideal == Fraction(4, 5)
    assert saturation.stable <= 0.8 <= saturation.unstable
    assert saturation.stable > 0.7
    store = tmp_path / "s.zarr"
    write_store(stability_dataset(found, {}), store)
    assert [verified.kind for verified in verify_stores(store)] == ["stability"]


def test_stored_runs_of_demands_are_verified(tmp_path: Path) -> None:
    """They are run again from the file; another file gives other runs."""
    cube, dor = obroute.make_network("hypercube:3"), obroute.make_routing("dor")
    demands = file_of(tmp_path, "source,destination,amount", "0,4,3")
    store = tmp_path / "s.zarr"
    write_store(simulation_dataset(run_permutations(cube, dor, [demands]), {}), store)
    assert [verified.kind for verified in verify_stores(store)] == ["simulation"]
    file_of(tmp_path, "source,destination,amount", "0,4,2")
    with pytest.raises(CertificateError, match=r"steps\[0, 0\] is recorded as 3, but is 2"):
        list(verify_stores(store))
