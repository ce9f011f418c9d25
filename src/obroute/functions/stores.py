"""Answers as datasets and stores."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import xarray as xr

from obroute.functions.arguments import asked, each, file_at, public
from obroute.kinds import stores
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import kinds
from obroute.network import Network
from obroute.results.gathering import case_of
from obroute.routing import Routing
from obroute.specs import InputError

_cells: dict[int, dict[str, xr.Dataset]] = {}
"""What each gathered dataset that is still there was gathered from, by its identity."""


@public()
def to_dataset(answer: Any) -> xr.Dataset:
    """Return an answer as a dataset, as its store holds it.

    Parameters
    ----------
    answer
        What :func:`evaluate`, :func:`design`, :func:`pareto`, :func:`simulate` or
        :func:`stability` returned.

    Returns
    -------
    xarray.Dataset
        Exact values are text under ``…_exact``; it records the settings that were asked for.

    Raises
    ------
    InputError
        If it is no such answer, or cannot be stored: an estimate, for one.

    Examples
    --------
    >>> import obroute
    >>> obroute.to_dataset(
    ...     obroute.evaluate("torus:5x5", "romm", "tornado")
    ... ).worst_case_load_exact.values.tolist()
    ['8/3']
    """
    kind = kind_of(answer)
    if kind is not None:
        return stores.dataset_of(kind, answer, asked.get(id(answer)))
    raise InputError(
        f"answer: {type(answer).__name__}; expected what evaluate, design, pareto, simulate or "
        "stability returned"
    )


def kind_of(answer: Any) -> Experiment[Any, Any] | None:
    """Return the kind of experiment that gave an answer; None for anything else."""
    names = {f"{one.__module__}.{one.__qualname__}" for one in type(answer).__mro__}
    return next((kind for kind in kinds().values() if names & {*kind.answers}), None)


@public()
def gather(cells: Any) -> xr.Dataset:
    """Gather many answers of one kind into one dataset, as a study's sweep does.

    Parameters
    ----------
    cells
        Answers, their datasets, or the folders of their stores; all of one kind.

    Returns
    -------
    xarray.Dataset
        With dims network and routing.

    Raises
    ------
    InputError
        If there is none, they are of many kinds, or a network and routing comes twice.

    Examples
    --------
    >>> import obroute
    >>> obroute.gather(
    ...     [obroute.evaluate("ring:5", "dor"), obroute.evaluate("ring:5", "valiant")]
    ... ).routing.values.tolist()
    ['dor', 'valiant']
    """
    datasets = [_dataset(cell) for cell in each(cells, "cells", xr.Dataset)]
    if not datasets:
        raise InputError("cells: there is none; expected at least one")
    named: dict[str, xr.Dataset] = {}
    for one in datasets:
        name = stores.cell_name(*case_of(one))
        if name in named:
            raise InputError(
                f"cells: two both hold {' with '.join(case_of(one))}; gather one of them"
            )
        named[name] = stores.with_digest(one)
    found = stores.gathered(str(datasets[0].attrs["kind"]), named)
    _cells[id(found)] = named
    weakref.finalize(found, _cells.pop, id(found), None)
    return found


def cell_of(given: Any) -> tuple[xr.Dataset, Network | None, Routing | None]:
    """Return the dataset of an answer, dataset or store; and, of an answer, what it is of."""
    dataset = _dataset(given)
    if isinstance(given, (xr.Dataset, str, Path)):
        return dataset, None, None
    network: Network = getattr(given, "problem", given).network
    return dataset, network, getattr(given, "routing", None)


def _dataset(given: Any) -> xr.Dataset:
    if isinstance(given, xr.Dataset):
        if {"kind", "network", "routing"} <= {*given.attrs}:
            return given
        raise InputError("a dataset that to_dataset and read_store did not make; expected one")
    if isinstance(given, (str, Path)):
        return read_store(given)
    return to_dataset(given)


@public()
def read_store(store: str | Path, kind: str | None = None) -> xr.Dataset:
    """Read a whole store into memory, checked against its digest and the specification.

    Parameters
    ----------
    store
        Its folder.
    kind
        The kind expected (``evaluation``, ``evaluations``, …); any if not given.

    Returns
    -------
    xarray.Dataset
        Exact values are text under ``…_exact``.

    Raises
    ------
    InputError
        If there is no store, it is truncated or was changed, or it is of another version or kind.
    """
    return stores.read_store(file_at(store, "store"), kind)


@public()
def write_store(answer: Any, store: str | Path) -> None:
    """Write an answer or a dataset as a store, whole or not at all.

    With what :func:`compare` or :func:`gather` returned, its cells are written, too: below the
    folder that is called as the store is, without its ending, where reports and verification look
    for them. A store names files and other stores from the folder in which it was made, and finds
    them again from any folder, also when it was moved with them.

    Parameters
    ----------
    answer
        What :func:`to_dataset` takes, or a dataset that it, :func:`compare` or :func:`gather`
        returned.
    store
        Its folder; an existing store stays until the new one is whole.

    Returns
    -------
    None
        The store is there.

    Raises
    ------
    InputError
        If it is no such answer, or cannot be stored.
    """
    target = file_at(store, "store")
    for name, cell in _cells.get(id(answer), {}).items():
        stores.write_store(cell, target.with_suffix("") / name)
    stores.write_store(answer if isinstance(answer, xr.Dataset) else to_dataset(answer), target)
