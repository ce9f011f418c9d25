"""The memory that evaluations, simulations and designs are said to need, and what they take."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from tests.conftest import Run

from obroute import InputError, Network, Routing, machine, make_network, make_routing, memory
from obroute.machine import check_memory
from obroute.memory import design_megabytes, evaluation_megabytes, sampled_megabytes
from obroute.network import Path as NodePath
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.sampling import SampledRouting
from obroute.study import read_study

MEASURE = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
OBROUTE = str(Path(sys.executable).parent / "obroute")


def peak_megabytes(*command: str) -> float:
    """Return the largest resident memory of a command."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / (1024 if sys.platform == "linux" else 2**20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "routing"),
    [
        ("torus:16x16", "romm"),
        ("torus:25x25", "valiant"),
        ("torus:32x32", "romm"),
        ("torus:32x32", "valiant"),
        ("torus:99x99", "romm"),
        ("torus:199x199", "dor"),
        ("torus:199x199", "romm"),
        ("torus:64x64", "romm"),
        ("hypercube:9", "romm"),
        ("benes:6", "two_phase"),
    ],
)
def test_the_statement_is_above_the_peak_and_not_far(
    tmp_path: Path, name: str, routing: str
) -> None:
    """At least the measured peak, and at most three times it."""
    stated = evaluation_megabytes(make_network(name), make_routing(routing))
    save = ("--save", str(tmp_path / "cell.zarr"))
    peak = peak_megabytes(OBROUTE, "evaluate", name, routing, "--threads", "1", "--json", *save)
    assert peak <= stated <= 3 * peak


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "routing", "paths", "pairs"),
    [
        ("torus:9x9", "romm", 400, "all"),
        ("torus:9x9", "valiant", 20_000, "canonical"),
        ("torus:16x16", "romm", 30, "all"),
        ("hypercube:7", "valiant", 100, "all"),
        ("torus:6x6", "ecmp", 400, "all"),
    ],
)
def test_the_statement_for_sampled_paths_is_above_the_peak_and_not_far(
    name: str, routing: str, paths: int, pairs: str
) -> None:
    """At least the measured peak, and at most three times it."""
    sampled = SampledRouting(make_routing(routing), paths, 0, pairs)
    stated = sampled_megabytes(make_network(name), sampled)
    options = ("--sampled-paths", str(paths), "--sampled-pairs", pairs, "--threads", "1")
    peak = peak_megabytes(OBROUTE, "evaluate", name, routing, *options, "--json")
    assert peak <= stated <= 3 * peak


@pytest.mark.slow
def test_memory_for_a_sample_is_stated_without_listing_a_path() -> None:
    """A routing that is sampled because its paths cannot be listed; a few pairs are drawn."""

    class Endless(EqualCostMultipath):
        channel_loads = Routing.channel_loads

        def paths(
            self, network: Network, source: int, destination: int
        ) -> Iterator[tuple[Fraction, NodePath]]:
            raise AssertionError("listed")

    torus = make_network("torus:16x16")
    few, many = (SampledRouting(Endless(), n, 0) for n in (10, 10_000))
    assert sampled_megabytes(torus, few) < sampled_megabytes(torus, many) - 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("torus:12x12", ("--then", "locality")),
        ("torus:8x8", ("--objective", "average_case")),
        ("torus:12x12", ("--named", "2turn")),
        ("mesh:5x5", ("--then", "locality")),
    ],
)
def test_the_statement_of_a_design_is_above_the_peak_and_not_far(
    name: str, options: tuple[str, ...]
) -> None:
    """The same of a design; the largest were measured by hand."""
    peak = peak_megabytes(OBROUTE, "design", name, *options)
    assert peak <= design_megabytes(make_network(name)) <= 3 * peak


@pytest.mark.slow
def test_channels_that_are_kept_count(tmp_path: Path) -> None:
    """Without symmetry the pair loads of every channel stay until the end."""
    torus, valiant = make_network("torus:12x12"), make_routing("valiant")
    stated = evaluation_megabytes(torus, valiant, all_channels=True)
    assert stated > evaluation_megabytes(torus, valiant) + 50
    options = ("--all-channels", "--threads", "1", "--json", "--save", str(tmp_path / "cell.zarr"))
    peak = peak_megabytes(OBROUTE, "evaluate", "torus:12x12", "valiant", *options)
    assert peak <= stated <= 3 * peak


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "section"),
    [
        ("simulations", {"networks": ["hypercube:11"], "routings": ["valiant"]}),
        ("simulations", {"networks": ["hypercube:15"], "routings": ["dor"]}),
        ("simulations", {"networks": ["butterfly:10"], "routings": ["two_phase"]}),
        ("simulations", {"networks": ["benes:10"], "routings": ["bit_fixing"]}),
        (
            "simulations",
            {"networks": ["torus:32x32"], "routings": ["valiant"], "traffic": ["worst_case"]},
        ),
        ("stability", {"networks": ["torus:8x8"], "routings": ["romm"], "steps": 40_000}),
        ("stability", {"networks": ["hypercube:8"], "routings": ["dor"], "steps": 5_000}),
        ("stability", {"networks": ["benes:6"], "routings": ["two_phase"], "steps": 10_000}),
        ("stability", {"networks": ["ring:64"], "routings": ["dor"], "steps": 20_000}),
    ],
    ids=lambda value: value if isinstance(value, str) else value["networks"][0],
)
def test_the_statement_of_a_simulation_is_above_the_peak_and_not_far(
    tmp_path: Path, part: str, section: dict[str, object]
) -> None:
    """The same of the jobs of a sweep that route packets, by what they are told to do."""
    traffic = ["transpose", "bit_reverse"] if part == "stability" else ["bit_reverse"]
    own = {"traffic": traffic} | ({"tolerance": 0.5} if part == "stability" else {"seeds": 3})
    study = read_study({part: [own | section]})
    (cell,) = study.cells(part).values()
    options = ("--threads", "1", "--json", "--save", str(tmp_path / "cell.zarr"))
    peak = peak_megabytes(OBROUTE, *cell.words, *options)
    assert peak <= cell.megabytes <= 3 * peak


def test_a_sparse_routing_needs_less() -> None:
    """What counts are the pairs that load a channel, not all pairs."""
    torus = make_network("torus:31x31")
    sparse, dense = (evaluation_megabytes(torus, make_routing(r)) for r in ("dor", "valiant"))
    assert sparse < dense - 100


def test_a_job_states_its_memory() -> None:
    """Each cell by its network, its routing, and the threads that work at the same time."""
    study = {"networks": ["mesh:{k}x{k}"], "radices": [6, 20], "routings": ["valiant"]}
    cells = read_study(study).cells("evaluations")
    small, large = (cell.megabytes for cell in cells.values())
    assert memory.BASE_MEGABYTES < small < large
    parallel = read_study(study | {"threads": 2}).cells("evaluations")["mesh-20x20/valiant"]
    assert parallel.megabytes > large + 10


def test_a_job_that_routes_packets_states_the_memory_of_what_it_evaluates_first() -> None:
    """The worst permutation is that of an evaluation, however few packets it has."""
    section = {"networks": ["torus:31x31"], "routings": ["valiant"]}

    def megabytes(traffic: str) -> int:
        study = read_study({"simulations": [section | {"traffic": [traffic]}]})
        return study.cells("simulations")["torus-31x31/valiant"].megabytes

    assert megabytes("worst_case") > megabytes("tornado") + 100


@pytest.mark.parametrize(("available", "refused"), [(100, True), (400, False), (None, False)])
def test_only_what_cannot_fit_is_refused(
    monkeypatch: pytest.MonkeyPatch, available: int | None, refused: bool
) -> None:
    """The statement may be three times what is needed, so that nothing is refused wrongly."""
    monkeypatch.setattr(machine, "available_megabytes", lambda: available)
    if not refused:
        check_memory(400, "torus:9x9 with romm")
        return
    with pytest.raises(
        InputError, match=r"^torus:9x9 with romm needs about 400 MB of memory, and"
    ):
        check_memory(400, "torus:9x9 with romm")


def test_a_network_beyond_this_machine_is_one_line_at_once(obroute: Run) -> None:
    """Before anything is evaluated; on a cluster, or if told so, it starts."""
    status, _, errors = obroute("evaluate", "torus:150x150", "valiant", "--json", "--all-channels")
    assert status == 2
    assert errors.startswith("error: torus:150x150 with valiant needs about ")
    assert errors.endswith("or try nevertheless with --no-memory-check\n")
    assert errors.count("\n") == 1
    status, printed, _ = obroute("evaluate", "ring:3", "dor", "--json", "--no-memory-check")
    assert json.loads(printed)["worst_case_load_exact"] == "1"


def test_packets_beyond_this_machine_are_one_line_at_once(obroute: Run) -> None:
    """Packets of all steps count, at the rate at which they are injected."""
    command = ["simulate", "torus:8x8", "dor", "--traffic", "tornado"]
    status, _, errors = obroute(*command, "--saturation", "--steps", 10**9)
    assert status == 2
    assert errors.startswith("error: torus:8x8 with dor needs about ")
    assert errors.count("\n") == 1
    status, printed, _ = obroute(*command, "--rate", "0.001", "--steps", "200", "--json")
    assert json.loads(printed)["traffic"]["tornado"][0]["verdict"] == "stable"


def test_available_memory_is_known_here() -> None:
    """On Linux from the kernel, elsewhere the size of the machine."""
    available = machine.available_megabytes()
    assert available is None or available > 50
