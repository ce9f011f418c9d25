"""What a process that stands by for the jobs of a sweep loads (``obroute_standby``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial

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


def _evaluations() -> None:
    """Load the command line, the registries, and what small evaluations compile."""
    from obroute.cli import command
    from obroute.compiled import load_compiler
    from obroute.functions.evaluating import evaluate

    command()
    load_compiler()
    for routing in ("dor", "romm", "valiant"):
        evaluate(SMALL, routing, ["uniform", "tornado"])


def _stores() -> None:
    """Load what stores take, and read the source that results depend on."""
    import xarray as xr

    import obroute.kinds.stores
    import obroute.results  # noqa: F401
    from obroute.dependencies import program
    from obroute.kinds.registry import kinds

    xr.Dataset({"one": ("x", [1.0])})
    for kind in kinds().values():
        program(kind.modules())


def _packets() -> None:
    """Load what small simulations compile."""
    from obroute.functions.packets import simulate

    simulate("hypercube:2", "dor", "transpose", seeds=1)


def _views() -> None:
    """Load what makes tables, figures and the report."""
    from obroute.views.registry import figures, sections, tables

    for views in (tables, figures, sections):
        list(views)
