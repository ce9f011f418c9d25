"""The Python surface: what there is, what it takes, and that it says what was wrong."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import typing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import obroute
from obroute.experiments.all_to_all import AllToAllSettings
from obroute.experiments.collective import CollectiveSettings
from obroute.experiments.deployment import DeploymentSettings
from obroute.experiments.design import DesignSettings
from obroute.experiments.evaluation import EvaluationSettings
from obroute.experiments.failures import FailuresSettings
from obroute.experiments.ratio import RatioSettings
from obroute.experiments.restricted import RestrictedSettings
from obroute.experiments.simulation import SimulationSettings
from obroute.experiments.stability import StabilitySettings
from obroute.experiments.trade_off import TradeOffSettings
from obroute.kinds.settings import Settings
from obroute.routing import path_distribution

FUNCTIONS = [name for name in obroute.__all__ if inspect.isfunction(getattr(obroute, name))]
SETTINGS_OF: dict[str, tuple[type[Settings], set[str]]] = {
    "evaluate": (EvaluationSettings, {"pair_load_limit"}),
    "compare": (EvaluationSettings, {"pair_load_limit", "sampled_paths", "sampled_pairs"}),
    "deploy": (DeploymentSettings, {"export_as"}),
    "design": (DesignSettings, {"fresh", "export_as"}),
    "pareto": (TradeOffSettings, set()),
    "failures": (FailuresSettings, set()),
    "ratio": (RatioSettings, set()),
    "simulate": (SimulationSettings, set()),
    "evaluate_over": (RestrictedSettings, set()),
    "alltoall": (AllToAllSettings, set()),
    "collective": (CollectiveSettings, set()),
    "stability": (StabilitySettings, {"saturation"}),
    "load_curves": (StabilitySettings, {"saturation", "curve_steps", "tolerance"}),
}
"""The settings that each function takes, and those that mean nothing to it."""
WIDER = {"patterns", "traffic_sets", "collectives", "traffic", "rates", "locality", "load"}
"""What functions also take as objects, or one where a list is meant."""


def run(code: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_dir_lists_the_functions_and_types_and_nothing_else():
    """No module, and nothing that the package itself was made with."""
    assert dir(obroute) == obroute.__all__
    for name in obroute.__all__:
        assert not inspect.ismodule(getattr(obroute, name)), name
        assert name == "__version__" or getattr(obroute, name).__doc__, name


def test_what_editors_see_is_what_there_is():
    """The imports for type checkers name every part of the surface, from where it is taken."""
    tree = ast.parse(Path(str(obroute.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (alias.asname, node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(obroute._HOME_OF.items())


EVALUATES = """
import atexit, sys
import obroute
print(*sys.modules)
atexit.register(lambda: print(*sys.modules))
sys.argv[:] = ["obroute", "evaluate", "torus:5x5", "dor"]
from obroute.cli import main
main()
"""


def test_what_computes_is_loaded_by_what_needs_it():
    """The package alone loads nothing, a small evaluation what its network and routing are."""
    package, *_, evaluation = map(str.split, run(EVALUATES).splitlines())
    assert {"numpy", "pydantic", "xarray", "numba", "typer"}.isdisjoint(package)
    assert {"obroute.routing.dimension_order", "obroute.topologies.grid"}.issubset(evaluation)
    others = {"obroute.routing.up_down", "obroute.topologies.slimfly", "obroute.design"}
    heavy = {"numba", "scipy.optimize", "xarray", "pandas", "zarr", "dask", "highspy", "networkx"}
    assert (others | heavy).isdisjoint(evaluation)


NAMES = ("design", "deadlock")
BEFORE = (
    "pass",
    "import obroute.{0}",
    "from obroute.{0} import *",
    "import obroute; obroute.{0}; import obroute.{0}",
    "import importlib; importlib.import_module('obroute.{0}')",
    "import obroute; obroute.evaluate('ring:3', 'dor')",
    "import obroute.cli",
    "import sys, obroute.{0}; del sys.modules['obroute.{0}']; import obroute.{0}",
)
IN_FORKS = """
import os, sys
import highspy, numba, numpy, scipy.sparse, typer, xarray, yaml, zarr
assert not [name for name in sys.modules if name.partition(".")[0] == "obroute"]
for number, code in enumerate(sys.argv[1:]):
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, code
    else:
        print(number, end=" ")
        exec(code)
        sys.stdout.flush()
        os._exit(0)
"""
"""Runs each text in an interpreter that has what is dear to import, and nothing of obroute."""


@pytest.fixture(scope="module")
def kinds_of_functions() -> dict[tuple[str, str], list[str]]:
    """Say what each function is, after whatever was imported before."""
    cases = [(name, before) for name in NAMES for before in BEFORE]
    codes = [
        f"""
{before.format(name)}
import obroute
from obroute import {name} as function
from obroute.{name} import __all__ as inside
print(type(obroute.{name}).__name__, function is obroute.{name}, len(inside) > 3)
"""
        for name, before in cases
    ]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IN_FORKS, *codes],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    return {cases[int(number)]: said for number, *said in lines}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", BEFORE)
def test_a_function_stays_one_beside_a_package_of_its_name(name, before, kinds_of_functions):
    """Whatever was imported before; and what is in the package is still found by its name."""
    assert kinds_of_functions[name, before] == ["function", "True", "True"]


def test_an_unknown_name_is_no_attribute():
    """As of any module."""
    with pytest.raises(AttributeError, match="no attribute 'cell_dataset'"):
        _ = obroute.cell_dataset


@pytest.mark.parametrize("name", SETTINGS_OF)
def test_functions_take_the_settings_of_their_kind(name):
    """By the same names, defaults and types, and with what they mean in the documentation."""
    kind, left_out = SETTINGS_OF[name]
    function = getattr(obroute, name)
    parameters = inspect.signature(function).parameters
    own = set(parameters) - {"network", "networks", "routing", "routings", "run"}
    assert own == set(kind.model_fields) - left_out
    names = vars(sys.modules[inspect.unwrap(function).__module__])
    for key in own:
        info = kind.model_fields[key]
        if name != "load_curves" or key != "rates":
            assert parameters[key].default == info.default, key
        if key not in WIDER:
            assert eval(parameters[key].annotation, {**names}) == info.annotation, key
            assert f"    {info.description}\n" in f"{function.__doc__}\n", key


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_take_and_return(name):
    """Each parameter is typed, and its documentation has all the usual sections."""
    function = getattr(obroute, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    documented = inspect.cleandoc(function.__doc__).partition("\nReturns\n")
    assert "Raises\n" in documented[2] or name.startswith("make_")
    entries = {
        word
        for line in documented[0].splitlines()
        if line and not line.startswith(" ")
        for word in line.partition(" : ")[0].split(", ")
    }
    for key, parameter in signature.parameters.items():
        assert parameter.annotation is not inspect.Parameter.empty
        assert key in entries, key


# What one call of each function is given: cheap, and right in every argument.
CALLS: dict[str, dict[str, typing.Any]] = {
    "make_network": {"network": "ring:3"},
    "make_routing": {"routing": "dor"},
    "make_pattern": {"pattern": "uniform"},
    "evaluate": {"network": "ring:3", "routing": "dor"},
    "compare": {"networks": "ring:3", "routings": "dor"},
    "compare_engines": {"network": "ring:3", "routings": "dor", "permutations": 2},
    "difference": {"network": "ring:3", "old": "dor", "new": "valiant"},
    "deploy": {"network": "ring:3"},
    "design": {"network": "ring:3"},
    "pareto": {"network": "ring:3"},
    "failures": {"network": "ring:3", "routing": "dor"},
    "ratio": {"network": "ring:3"},
    "evaluate_over": {"network": "ring:3", "routing": "dor"},
    "alltoall": {"network": "ring:3", "routing": "dor"},
    "collective": {"network": "ring:3", "routing": "dor"},
    "simulate": {"network": "ring:3", "routing": "dor"},
    "stability": {"network": "ring:3", "routing": "dor", "steps": 10},
    "load_curves": {"network": "ring:3", "routing": "dor", "rates": 0.1, "steps": 10},
    "certificate": {"answer": None},
    "deadlock": {"network": "ring:3", "routing": "dor"},
    "prove": {"routing": "dor", "radix": 3},
    "routing_table": {"network": "ring:3", "routing": "dor"},
    "export": {"network": "ring:3", "routing": "dor", "file": "unwritten.csv"},
    "hard_permutations": {"design": None},
    "to_dataset": {"answer": None},
    "gather": {"cells": None},
    "read_store": {"store": "none.zarr"},
    "write_store": {"answer": None, "store": "unwritten.zarr"},
}


class Stranger:
    """Something that no function was made for."""


WRONG = st.one_of(
    st.integers(max_value=-1),
    st.floats(max_value=-0.5, allow_nan=False),
    st.complex_numbers(),
    st.binary(min_size=1),
    st.dictionaries(st.text(), st.integers(), min_size=1),
    st.builds(Stranger),
    st.just([Stranger()]),
    st.text("!?", min_size=1),
)


def test_every_function_is_called_here():
    """So that the next one is held to the same."""
    assert set(CALLS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_wrong_type_is_an_error_in_the_input(name, data, tmp_path, monkeypatch):
    """One line that says where it was, whatever stands where something else is meant."""
    monkeypatch.chdir(tmp_path)
    function = getattr(obroute, name)
    key = data.draw(st.sampled_from([*inspect.signature(function).parameters]))
    with pytest.raises(obroute.InputError) as caught:
        function(**(CALLS[name] | {key: data.draw(WRONG)}))
    assert str(caught.value)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: obroute.evaluate(5, "dor"), "network: 5 is of type int; expected a name such as"),
        (lambda: obroute.evaluate("ring:4", None), "routing: None is of type NoneType; expected"),
        (lambda: obroute.evaluate("ring:4", "dor", 3.5), "patterns: 3.5 .* expected one name"),
        (lambda: obroute.evaluate("ring:4", "dor", [3.5]), "pattern: 3.5 is of type float"),
        (
            lambda: obroute.evaluate("ring:4", "dor", seed="x"),
            "seed is 'x': expected a whole number",
        ),
        (lambda: obroute.evaluate("ring:4", "dor", seed=-1), "seed is -1: .*greater than or eq"),
        (lambda: obroute.evaluate("ring:4", "dor", sed=1), "keyword 'sed'; did you mean 'seed'"),
        (lambda: obroute.evaluate("ring:4"), "evaluate: missing .*'routing'; expected network"),
        (lambda: obroute.design("ring:4", objective="best"), "objective is 'best'"),
        (lambda: obroute.design("ring:4", objektive="capacity"), "did you mean 'objective'"),
        (lambda: obroute.deadlock("ring:4"), "expected a routing, or paths='two_turn'"),
        (lambda: obroute.routing_table("ring:4", "dor", "path"), "did you mean 'paths'"),
        (lambda: obroute.export("ring:4", "dor", "a.txt"), r"a\.txt: expected a name that ends"),
        (lambda: obroute.to_dataset("ring:4"), "answer: str; expected what evaluate"),
    ],
)
def test_errors_say_what_was_expected(call, message):
    """And by which argument, with the nearest word that is known."""
    with pytest.raises(obroute.InputError, match=message):
        call()


def test_one_thing_stands_for_a_list_of_it():
    """A name, a path or an object, wherever many may stand."""
    one = obroute.compare("torus:3x3", "dor", "tornado")
    many = obroute.compare(["torus:3x3"], ["dor"], ["tornado"])
    xr.testing.assert_equal(one, many)
    network, pattern = obroute.make_network("torus:3x3"), obroute.make_pattern("tornado")
    made = obroute.compare(network, obroute.make_routing("dor"), pattern)
    xr.testing.assert_equal(one, made)
    assert [p.pattern for p in obroute.evaluate(network, "dor", "tornado").patterns] == ["tornado"]
    assert obroute.simulate("ring:5", "dor", "tornado").traffic == ["tornado"]
    assert [*obroute.load_curves("ring:5", "dor", 0.1, pattern, steps=100).points] == ["tornado"]


@pytest.mark.parametrize(
    "answer",
    [
        lambda: obroute.evaluate("ring:5", "romm", "tornado", average_case_samples=3, seed=4),
        lambda: obroute.simulate("ring:5", "romm", "tornado", queue="lifo", seeds=2, seed=4),
        lambda: obroute.stability("ring:5", "romm", "tornado", queue="lifo", steps=2000, seed=4),
        lambda: obroute.design("ring:5", locality=Fraction(5, 4), seed=4),
        lambda: obroute.pareto("ring:5", most_solves=30, seed=4),
    ],
    ids=["evaluation", "simulation", "stability", "design", "trade_off"],
)
def test_answers_are_stored_with_the_settings_that_they_were_asked_with(answer, tmp_path):
    """As the command stores them; a store is read back as it was."""
    found = answer()
    dataset = obroute.to_dataset(found)
    assert json.loads(dataset.attrs["settings"])["seed"] == 4
    obroute.write_store(found, tmp_path / "found.zarr")
    again = obroute.read_store(tmp_path / "found.zarr")
    assert json.loads(again.attrs["settings"]) == json.loads(dataset.attrs["settings"])
    assert set(again.variables) == set(dataset.variables)
    gathered = obroute.gather(tmp_path / "found.zarr")
    assert gathered.sizes["network"] == gathered.sizes["routing"] == 1


def test_many_answers_are_gathered_into_one_dataset():
    """As :func:`compare` does."""
    answers = [obroute.evaluate("ring:5", routing) for routing in ("dor", "valiant")]
    together = obroute.gather(answers)
    compared = obroute.compare("ring:5", ["dor", "valiant"])
    np.testing.assert_array_equal(
        together.worst_case_load_exact.values, compared.worst_case_load_exact.values
    )
    with pytest.raises(obroute.InputError, match="both hold ring:5 with dor"):
        obroute.gather([answers[0], answers[0]])


@pytest.mark.parametrize("table", ["paths", "flows"])
@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_an_exported_design_is_the_same_routing(table, suffix, tmp_path):
    """What ``obroute design --export`` writes is written here too."""
    best = obroute.design("ring:5", then="locality")
    file = tmp_path / f"routing{suffix}"
    obroute.export("ring:5", best.routing, file, table)
    again = obroute.evaluate("ring:5", file)
    assert again.worst_case_load == best.routing_load


def test_the_table_of_paths_is_the_routing():
    """Probabilities are exact, and every pair is there."""
    network, routing = obroute.make_network("torus:3x3"), obroute.make_routing("romm")
    rows = obroute.routing_table(network, routing)
    assert len({(row["source"], row["destination"]) for row in rows}) == 72
    listed = [row["probability"] for row in rows if (row["source"], row["destination"]) == _ends()]
    assert sorted(listed) == sorted(path_distribution(routing, network, 0, 4).values())


def _ends() -> tuple[str, str]:
    network = obroute.make_network("torus:3x3")
    return network.node_name(0), network.node_name(4)


def test_next_channels_of_a_node_have_all_of_a_pair():
    """The probabilities of a pair at a node sum to one."""
    sums: dict[tuple[str, str, str], Fraction] = {}
    for row in obroute.routing_table("torus:3x3", "romm", "next_channels"):
        key = row["source"], row["destination"], row["node"]
        sums[key] = sums.get(key, Fraction(0)) + row["probability"]
    assert set(sums.values()) == {Fraction(1)}
