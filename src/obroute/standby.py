"""What a process that stands by for the jobs of a sweep loads (``obroute_standby``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

SMALL = "torus:3x3"


def steps() -> Iterator[Callable[[], object]]:
    """Yield what loads the parts of obroute, those first that most jobs need.

    None of them starts a thread, which a fork would leave behind.
    """
    yield _evaluations
    yield _stores
    yield partial(importlib.import_module, "obroute.design.designs")
    yield _packets
    yield partial(importlib.import_module, "obroute.plots")
    yield _views
    for module in _modules_of_kinds():
        yield partial(importlib.import_module, module)


def _evaluations() -> None:
    """Load the command line, the registries, and what small evaluations compile."""
    from obroute.cli import command
    from obroute.compiled import load_compiler

    list(command().commands.values())
    load_compiler()
    for routing in ("dor", "romm", "valiant"):
        _do("evaluate", SMALL, routing, "--pattern", "uniform", "--pattern", "tornado")


def _do(*words: str) -> None:
    """Do what a job would, in one thread; nobody reads what it prints."""
    from obroute.cli import command

    with redirect_stdout(StringIO()):
        command()([*words, "--threads", "1", "--quiet"], standalone_mode=False)


def _stores() -> None:
    """Load what stores take, and read the source that results depend on."""
    import xarray as xr

    import obroute.kinds.stores  # noqa: F401
    from obroute.dependencies import program
    from obroute.kinds.registry import kinds
    from obroute.results.provenance import provenance

    xr.Dataset({"one": ("x", [1.0])})
    for kind in kinds().values():
        program(kind.modules())
    provenance({}, 0, ())


def _modules_of_kinds() -> list[str]:
    """Return what works out, and gathers, the stores of every kind; each is loaded by itself."""
    from obroute.kinds.registry import kinds

    known = kinds().values()
    return [name for kind in known for name in (*kind.modules(), *kind.gathering_modules())]


def _packets() -> None:
    """Load what small simulations compile."""
    _do("simulate", "hypercube:2", "dor", "--traffic", "transpose", "--seeds", "1")


def _views() -> None:
    """Load what makes tables, figures and the report, and the fonts."""
    from obroute.plots.style import image_bytes, sentence_figure
    from obroute.views.registry import additions, figures, remarks, sections, tables

    for views in (tables, figures, sections, additions, remarks):
        list(views)
    image_bytes(sentence_figure("Nothing."), "svg")
