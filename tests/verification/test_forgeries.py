"""Whatever is forged in a store, verification finds it: generated over all that stores hold."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from tests.support import forgeries
from tests.support.effort import few
from tests.support.forgeries import Forgery

from obroute.experiments.trade_off import verify as trade_off_verify
from obroute.importers import make_network
from obroute.kinds import comparing
from obroute.kinds.comparing import compare_datasets, on_trust_of, verify_gathered
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments, kinds
from obroute.kinds.stores import dataset_of, gathered
from obroute.results.stores import data_digest
from obroute.specs import CertificateError, InputError
from obroute.tasks import run_serially
from obroute.views import sections, tables

ON_TRUST = {
    "deployment": ["origin"],
    "all_to_all": [],
    "collective": [],
    "design": ["columns", "nonzeros", "solver"],
    "difference": [],
    "evaluation": [],
    "failures": [],
    "league": [],
    "longest": [],
    "ratio": ["solver"],
    "restricted": [],
    "simulation": [],
    "stability": [],
    "trade_off": ["solves", "solver"],
}
"""What nobody can know afterwards; whoever adds to it says so here."""
DESCRIPTIONS = ("left out", "another units", "another long_name", "a number")
MAY_BE = {("in_sample_load", "left out"), ("out_of_sample_load", "left out")}
"""A design that was not judged has none of them."""
QUICK = ("evaluation with terminals", "simulation in phases", "design", "toy")
SAMPLES: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "evaluation": (
        "evaluation",
        "torus:3x3",
        "dor",
        {
            "patterns": ["tornado", "uniform", "transpose"],
            "random_permutation_samples": 4,
            "average_case_samples": 3,
            "seed": 2,
        },
    ),
    "evaluation with terminals": ("evaluation", "FABRIC", "ecmp", {"pair_load_limit": 0}),
    "evaluation of all channels": ("evaluation", "ring:3", "valiant", {"all_channels": True}),
    "all-to-all": ("all_to_all", "ring:3", "valiant", {}),
    "collective": ("collective", "ring:4", "dor", {"collectives": ["ring", "bine"]}),
    "restricted": (
        "restricted",
        "torus:3x3",
        "dor",
        {"traffic_sets": ["pairs:2", "within:3", "limited:1/3"]},
    ),
    "simulation": (
        "simulation",
        "hypercube:2",
        "valiant",
        {"traffic": ["bit_reverse", "random_permutation"], "seeds": 3, "seed": 1},
    ),
    "simulation in phases": ("simulation", "hypercube:2", "dor", {"phases": True, "seeds": 2}),
    "stability": (
        "stability",
        "ring:4",
        "dor",
        {
            "traffic": ["tornado", "uniform"],
            "rates": [0.2, 0.4],
            "steps": 400,
            "curve_steps": 200,
            "tolerance": 0.2,
        },
    ),
    "design": ("design", "ring:4", "", {"then": "locality"}),
    "design by name": ("design", "mesh:2x2", "", {"named": "2turn"}),
    "design for a sample": (
        "design",
        "ring:3",
        "",
        {"objective": "average_case", "samples": 3, "fresh": 4, "then": "locality"},
    ),
    "trade-off": ("trade_off", "ring:4", "", {}),
    "trade-off for a sample": (
        "trade_off",
        "ring:3",
        "",
        {"objective": "average_case", "samples": 2},
    ),
    "difference": ("difference", "ring:4", "valiant", {"old": "dor"}),
    "failures": ("failures", "ring:4", "ecmp", {"links": 2}),
    "league": (
        "league",
        "ring:4",
        "",
        {"routings": ["dor", "valiant", "bit_fixing"], "permutations": 5, "best": True},
    ),
    "ratio": ("ratio", "ring:3", "ecmp", {}),
    "least ratio": ("ratio", "ring:3", "least_ratio", {}),
    "deployment of paths": (
        "deployment",
        "ring:5",
        "",
        {"restriction": "single_path", "virtual_channels": 2, "moves": 8},
    ),
    "deployment of weights": (
        "deployment",
        "ring:5",
        "",
        {"restriction": "wcmp", "moves": 8, "steps": 9},
    ),
    "toy": ("longest", "mesh:3", "dor", {"sources": 2}),
}


@pytest.fixture(scope="module")
def toy() -> Iterator[Experiment[Any, Any]]:
    """Load the kind of somebody else's package, without a registry that learns of it."""
    kinds()  # those of obroute register themselves before
    file = Path(forgeries.__file__).with_name("toy_kind.py")
    with pytest.MonkeyPatch.context() as patch:
        for registry in (experiments, tables, sections):
            patch.setattr(registry, "register", lambda *_, **__: lambda made: made)
        spec = importlib.util.spec_from_file_location("toy_kind", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        patch.setitem(importlib.sys.modules, "toy_kind", module)
        spec.loader.exec_module(module)
        yield module.Longest()


@pytest.fixture(scope="module")
def every_kind(toy: Experiment[Any, Any]) -> Iterator[dict[str, Experiment[Any, Any]]]:
    """Give every kind by its name; each runs an experiment once and remembers the answer."""
    every = {**kinds(), toy.name: toy}
    with pytest.MonkeyPatch.context() as patch:
        for kind in every.values():
            patch.setattr(kind, "run", _once(kind.run, skip=1))
        patch.setattr(
            trade_off_verify, "run_trade_off", _once(trade_off_verify.run_trade_off, skip=0)
        )
        yield every


def _once(run: Callable[..., Any], skip: int) -> Callable[..., Any]:
    known: dict[str, Any] = {}

    def remembered(*given: Any) -> Any:
        named = given[: len(given) - skip]
        key = " ".join(getattr(one, "name", None) or repr(one) for one in named)
        if key not in known:
            known[key] = run(*given)
        return known[key]

    return remembered


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a star of hosts, one of them with two packets per cycle, and name it."""
    folder = tmp_path_factory.mktemp("fabric")
    (folder / "e.csv").write_text("a,s,2\ns,a,2\nb,s\ns,b\n", encoding="utf-8")
    (folder / "t.csv").write_text("a,2\nb\n", encoding="utf-8")
    return f"{folder}/e.csv:terminals={folder}/t.csv"


@pytest.fixture(scope="module")
def samples(every_kind: dict[str, Any], fabric: str) -> Callable[[str], xr.Dataset]:
    """Give the dataset of a sample store, each made once."""
    known: dict[str, xr.Dataset] = {}

    def get(sample: str) -> xr.Dataset:
        if sample not in known:
            name, network, routing, settings = SAMPLES[sample]
            kind = every_kind[name]
            known[sample] = made(kind, network.replace("FABRIC", fabric), routing, settings)
        return known[sample]

    return get


def made(kind: Any, network: str, routing: str, values: dict[str, Any]) -> xr.Dataset:
    """Run an experiment, and return the dataset of its store."""
    settings = kind.settings.read(values)
    built = make_network(network)
    chosen = kind.routing_of(built, routing, settings)
    asked = settings
    if kind.name == "stability":
        asked = settings.model_copy(update={"saturation": True})
    return dataset_of(kind, kind.run(built, chosen, asked, run_serially), settings)


def is_refused(verify: Callable[[], object]) -> bool:
    """Say whether verification refuses something; whatever else is raised is no answer."""
    try:
        verify()
    except (CertificateError, InputError) as error:
        return "\n" not in str(error) or pytest.fail(f"many lines: {error}")
    return False


def some_of(found: Iterator[Forgery], every: int) -> Iterator[Forgery]:
    """Yield the first of every entry, and every so many of the others."""
    seen: set[str] = set()
    for place, (name, how, forged) in enumerate(found):
        if place % every == 0 or name not in seen:
            yield name, how, forged
        seen.add(name)


def escaped(kind: Any, dataset: xr.Dataset, every: int) -> list[tuple[str, str]]:
    """Return what was forged of the arrays and attributes of a cell and is not found."""
    specs = kind.arrays()
    left: list[tuple[str, str]] = []
    witnesses: dict[str, list[bool]] = {}
    both = forgeries.forgeries_of_arrays(dataset), forgeries.forgeries_of_attributes(dataset)
    for name, how, forged in (one for found in both for one in some_of(found, every)):
        if name in ON_TRUST[kind.name] and how not in DESCRIPTIONS:
            continue
        if (name, how) in MAY_BE:
            continue
        refused = is_refused(lambda forged=forged: kind.verify(forged))
        if name in specs and specs[name].witness:
            witnesses.setdefault(name, []).append(refused)
        elif not refused:
            left.append((name, how))
    return left + [(name, "in no way") for name, refused in witnesses.items() if not any(refused)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_true_store_is_verified(samples: Any, every_kind: dict[str, Any], sample: str) -> None:
    """Before anything is forged."""
    every_kind[SAMPLES[sample][0]].verify(samples(sample))


@pytest.mark.parametrize("sample", few(SAMPLES, QUICK))
def test_a_forged_entry_is_found(samples: Any, every_kind: dict[str, Any], sample: str) -> None:
    """Of every array and every attribute."""
    assert escaped(every_kind[SAMPLES[sample][0]], samples(sample), every=12) == []


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_forged_entry_is_found(
    samples: Any, every_kind: dict[str, Any], sample: str
) -> None:
    """In every way that is known."""
    assert escaped(every_kind[SAMPLES[sample][0]], samples(sample), every=1) == []


def test_what_is_on_trust_is_known(every_kind: dict[str, Any]) -> None:
    """It is listed, and nothing else is taken as recorded."""
    for name, kind in every_kind.items():
        specs = kind.arrays()
        arrays = [array for array, spec in specs.items() if spec.on_trust or spec.measured]
        texts = [key for key, spec in kind.attributes().items() if spec.on_trust]
        assert arrays + texts == ON_TRUST[name]
        if name in kinds():
            assert on_trust_of(name) == ON_TRUST[name]


@pytest.mark.parametrize("sample", few(SAMPLES, QUICK))
def test_the_digest_covers_what_is_forged(
    samples: Any, every_kind: dict[str, Any], sample: str
) -> None:
    """Every array and every attribute but times and versions."""
    dataset, specs = samples(sample), every_kind[SAMPLES[sample][0]].arrays()
    true = data_digest(dataset, specs)
    every = (
        forgeries.forgeries_of_arrays(dataset),
        forgeries.forgeries_of_attributes(dataset),
        forgeries.forgeries_of_settings(dataset),
    )
    same = [
        (name, how)
        for found in every
        for name, how, forged in found
        if data_digest(forged, specs) == true
    ]
    assert same == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_another_setting_is_found(samples: Any, every_kind: dict[str, Any], sample: str) -> None:
    """Unless the experiment with that setting has the same answer, which is then no lie."""
    name, _, routing, _ = SAMPLES[sample]
    kind, dataset = every_kind[name], samples(sample)
    for key, how, forged in forgeries.forgeries_of_settings(dataset):
        if key == "settings.most_solves" or is_refused(lambda forged=forged: kind.verify(forged)):
            continue
        values = json.loads(forged.attrs["settings"])
        settings = kind.settings.given_by(values)
        honest = made(kind, dataset.attrs["network"], routing, settings)
        witnesses = {n for n, spec in kind.arrays().items() if spec.witness and n in honest}
        honest = honest.assign({n: forged[n] for n in witnesses})
        compare_datasets(forged, honest, kind.arrays(), ON_TRUST[name])
        assert how != "a list", key


GATHERED = {
    "evaluation": ["evaluation", "evaluation of all channels"],
    "simulation": ["simulation"],
    "stability": ["stability"],
    "design": ["design", "design for a sample"],
    "trade_off": ["trade-off", "trade-off for a sample"],
    "difference": ["difference"],
    "longest": ["toy"],
    "ratio": ["ratio", "least ratio"],
    "all_to_all": ["all-to-all"],
    "collective": ["collective"],
    "restricted": ["restricted"],
    "failures": ["failures"],
    "deployment": ["deployment of paths", "deployment of weights"],
}


@pytest.mark.parametrize("name", few(GATHERED, ["simulation", "longest"]))
def test_a_forged_entry_of_a_gathered_store_is_found(
    samples: Any, every_kind: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every array and every attribute, in every way that is known."""
    kind = every_kind[name]
    cells = {f"{number}.zarr": samples(one) for number, one in enumerate(GATHERED[name])}
    for cell in cells.values():
        cell.attrs["data_digest"] = data_digest(cell, kind.arrays())
    stored = gathered(kind, cells, "small")
    verify_gathered(kind, stored, cells)
    monkeypatch.setattr(comparing, "gathered", lambda *_: stored)  # it takes a while
    left = []
    both = forgeries.forgeries_of_arrays(stored), forgeries.forgeries_of_attributes(stored)
    for entry, how, forged in (one for found in both for one in found):
        if entry == "seconds" and how not in DESCRIPTIONS:
            continue
        if not is_refused(lambda forged=forged: verify_gathered(kind, forged, cells)):
            left.append((entry, how))
    assert left == []
