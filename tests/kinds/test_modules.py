"""Modules beside a kind of experiment stand for its methods, and are imported when needed."""

from __future__ import annotations

import importlib
import inspect
import sys

import numpy as np
import pytest
import xarray as xr

from obroute.kinds.registry import kinds

KIND = """
from obroute.kinds.contract import Experiment
from obroute.kinds.settings import Settings

class Bare(Experiment[Settings, int]):
    name = "bare"
    def run(self, network, routing, settings, run): ...
    def shown(self, answer, settings, seconds): ...
    def to_json(self, answer, settings, seconds): ...
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Make a kind in a package with some modules beside it."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(name, **modules):
        (tmp_path / name).mkdir()
        for module, text in {"__init__": KIND, **modules}.items():
            (tmp_path / name / f"{module}.py").write_text(text)
        importlib.invalidate_caches()
        return importlib.import_module(name).Bare()

    yield make
    for name in [name for name in sys.modules if name.startswith("bare_")]:
        del sys.modules[name]


def test_modules_stand_for_methods(made) -> None:
    """Every module gives what the methods would; none is imported before it is asked."""
    kind = made(
        "bare_whole",
        store="ARRAYS, ATTRIBUTES = {'a': 1}, {'b': 2}\ncontents = lambda *given: given",
        gathered="SUMMARY = {'a': 3, 'b': 4}",
        verify="rederive = lambda *given: given",
        certificate="certificate = lambda *given: given",
    )
    assert kind.modules() == ("bare_whole.store",)
    assert kind.gathering_modules() == ("bare_whole.gathered",)
    assert "bare_whole.store" not in sys.modules
    assert (kind.arrays(), kind.attributes(), kind.contents(5, 6)) == ({"a": 1}, {"b": 2}, (5, 6))
    cell = xr.Dataset({"a": ("x", np.arange(3))}, attrs={"b": "said"})
    found = kind.summarize(cell)
    assert (kind.summary(), found["a"].tolist(), found["b"]) == (
        {"a": 3, "b": 4},
        [0, 1, 2],
        "said",
    )
    assert kind.rederive(1, 2, 3, 4) == (1, 2, 3, 4)
    assert kind.certificate(1, 2) == (1, 2, None, None)


def test_what_is_not_there_is_named(made) -> None:
    """A kind without modules has no attributes, and says what it lacks."""
    kind = made("bare_empty")
    assert kind.modules() == kind.gathering_modules() == ("bare_empty",)
    assert kind.attributes() == {}
    with pytest.raises(NotImplementedError, match="bare_empty has no module gathered or store"):
        kind.summary()


@pytest.mark.parametrize("kind", kinds().values(), ids=kinds())
def test_every_kind_says_what_it_stores(kind) -> None:
    """A kind that is a package stores by its module, on which its results depend."""
    assert kind.arrays()
    assert kind.summary()
    package = importlib.import_module(type(kind).__module__)
    if not hasattr(package, "__path__"):
        assert package.__name__ in kind.modules()
        return
    store = importlib.import_module(f"{package.__name__}.store")
    assert [*inspect.signature(store.contents).parameters][1:] == ["settings"]
    assert store.__name__ in kind.modules()
