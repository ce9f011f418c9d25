"""Gathering: many cells of one kind as one dataset, along network and routing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.results.arrays import (
    BLANK,
    CASE,
    DTYPE,
    NETWORK_ARRAYS,
    ArraySpec,
    Specs,
    texts,
)
from obroute.results.datasets import make_dataset
from obroute.specs import InputError

_CASE_ARRAYS = {
    "present": ArraySpec(CASE, "boolean", "the study holds this network and routing"),
    "cell": ArraySpec(CASE, "text", "name of the cell's store, below the folder of its kind"),
    "seconds": ArraySpec(CASE, "float", "time that it took", "seconds", measured=True),
}
Summary = Mapping[str, Any]
"""What a gathered store keeps of a cell: values by array, with the dims that the cell has."""


def as_stored(cell: xr.Dataset, names: Iterable[str]) -> Summary:
    """Return arrays and attributes of a cell by their names, as it has them."""
    return {name: cell[name].values if name in cell else cell.attrs[name] for name in names}


def gather(
    cells: Mapping[str, xr.Dataset],
    specs: Specs,
    summarize: Callable[[xr.Dataset], Summary],
    attributes: Mapping[str, Any],
) -> xr.Dataset:
    """Gather cells into one dataset with dims network, routing, and those of their arrays.

    Networks and routings keep the order in which they come, and so do names along other dims;
    numbers along a dim are sorted, and dims without labels are as long as the longest. What a
    cell does not have is blank: NaN, -1, empty or False.

    Parameters
    ----------
    cells
        Cell datasets by the names of their stores.
    specs
        The specifications of the gathered arrays; those of every gathered store come besides.
    summarize
        Gives the values that are gathered of a cell.
    attributes
        Of the dataset, besides the digest of each cell.

    Raises
    ------
    InputError
        If there is no cell, or a network and routing comes twice.
    """
    if not cells:
        raise InputError("no cells to gather; give at least one network and routing")
    specs = gathered_specs(specs)
    labels = _labels(cells, specs)
    summaries = {name: summarize(cell) for name, cell in cells.items()}
    sizes = {dim: len(names) for dim, names in labels.items()}
    for summary in summaries.values():
        for name, value in summary.items():
            own = specs[name].dims[2:]
            if len(own) != np.ndim(value):
                raise ValueError(
                    f"{name} of a cell has the shape {np.shape(value)}; its specification has the "
                    f"dims {own} besides network and routing"
                )
            for dim, length in zip(own, np.shape(value), strict=True):
                if dim not in labels:
                    sizes[dim] = max(sizes.get(dim, 0), length)
    arrays: dict[str, NDArray[Any]] = {
        name: np.full(
            tuple(sizes.get(dim, 0) for dim in spec.dims), BLANK[spec.kind], DTYPE[spec.kind]
        )
        for name, spec in specs.items()
    }
    filled: dict[tuple[int, int], str] = {}
    for name, cell in cells.items():
        place = _place(cell, labels)
        if place in filled:
            raise InputError(
                f"{name} and {filled[place]} both hold {' with '.join(case_of(cell))}; gather one "
                "of them"
            )
        filled[place] = name
        for key in NETWORK_ARRAYS:
            arrays[key][place[0]] = cell.attrs[key]
        always = {"present": True, "cell": name, "seconds": cell.attrs["seconds"]}
        for key, value in {**always, **summaries[name]}.items():
            spec = specs[key]
            if spec.dims == ("network",):
                arrays[key][place[0]] = value
                continue
            at = np.ix_(*_positions(cell, spec.dims, np.shape(value), labels))
            arrays[key][at] = np.asarray(value, dtype=DTYPE[spec.kind])[None, None]
    coordinates = {dim: _as_labels(dim, names, cells) for dim, names in labels.items()}
    digests = {name: cell.attrs.get("data_digest", "")[:16] for name, cell in cells.items()}
    return make_dataset(specs, arrays, coordinates, {**attributes, "cells": json.dumps(digests)})


def gathered_specs(summary: Specs) -> Specs:
    """Return the specifications of a gathered store: those of every one, and its own."""
    return {**NETWORK_ARRAYS, **_CASE_ARRAYS, **summary}


def case_of(cell: xr.Dataset) -> tuple[str, str]:
    """Return the network of a cell, and what its routing is called."""
    return str(cell.attrs["network"]), str(cell.attrs.get("label", cell.attrs["routing"]))


def _labels(cells: Mapping[str, xr.Dataset], specs: Specs) -> dict[str, list[Any]]:
    """Return the names along every dim that has some."""
    labels: dict[str, list[Any]] = {dim: [] for dim in CASE}
    dims = dict.fromkeys(dim for spec in specs.values() for dim in spec.dims)
    for cell in cells.values():
        own = dict(zip(CASE, ([name] for name in case_of(cell)), strict=True))
        own |= {dim: cell[dim].values.tolist() for dim in dims if dim in cell.coords}
        for dim, names in own.items():
            known = labels.setdefault(dim, [])
            known += [name for name in names if name not in known]
    for names in labels.values():
        if not all(isinstance(name, str) for name in names):
            names.sort()
    return labels


def _as_labels(dim: str, names: list[Any], cells: Mapping[str, xr.Dataset]) -> NDArray[Any]:
    if dim in CASE:
        return texts(names)
    dtype = next(cell[dim].dtype for cell in cells.values() if dim in cell.coords)
    return texts(names) if dtype.kind in "OUT" else np.array(names, dtype=dtype)


def _place(cell: xr.Dataset, labels: Mapping[str, list[Any]]) -> tuple[int, int]:
    network, routing = case_of(cell)
    return labels["network"].index(network), labels["routing"].index(routing)


def _positions(
    cell: xr.Dataset,
    dims: tuple[str, ...],
    shape: tuple[int, ...],
    labels: Mapping[str, list[Any]],
) -> list[list[int]]:
    """Return where the values of a cell belong along every dim."""
    row, column = _place(cell, labels)
    positions = [[row], [column]]
    for dim, length in zip(dims[2:], shape, strict=True):
        if dim in labels:
            positions.append([labels[dim].index(name) for name in cell[dim].values.tolist()])
        else:
            positions.append(list(range(length)))
    return positions
