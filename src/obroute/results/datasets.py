"""Datasets that keep to the specification of their arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from obroute.results.arrays import Kind, Specs
from obroute.specs import InputError

_DTYPES: dict[Kind, tuple[type, ...]] = {
    "float": (np.floating,),
    "integer": (np.integer,),
    "text": (np.object_, np.str_),
    "boolean": (np.bool_,),
}


def make_dataset(
    specs: Specs,
    arrays: Mapping[str, Any],
    coordinates: Mapping[str, Any],
    attributes: dict[str, Any],
) -> xr.Dataset:
    """Put arrays into a dataset by their specifications, and validate it."""
    variables = {
        name: (
            specs[name].dims,
            np.asarray(values, dtype=object if specs[name].kind == "text" else None),
            {"long_name": specs[name].meaning}
            | ({"units": specs[name].units} if specs[name].units else {}),
        )
        for name, values in arrays.items()
    }
    described = [name for name in variables if specs[name].coordinate]
    dataset = xr.Dataset(variables, coords={n: ((n,), v) for n, v in coordinates.items()})
    dataset = dataset.set_coords(described)
    dataset.attrs = attributes
    validate(dataset, specs)
    return dataset


def validate(dataset: xr.Dataset, specs: Specs) -> None:
    """Raise unless a dataset has the arrays that it should have, with their dims and dtypes."""
    kind = dataset.attrs.get("kind")
    for name, spec in specs.items():
        if name not in dataset.variables:
            if spec.optional:
                continue
            raise InputError(f"a store of kind {kind} without the array {name}")
        variable = dataset[name].variable
        if variable.dims != spec.dims:
            raise InputError(f"{name} has dims {variable.dims}; expected {spec.dims}")
        if not any(np.issubdtype(variable.dtype, dtype) for dtype in _DTYPES[spec.kind]):
            raise InputError(f"{name} has dtype {variable.dtype}; expected {spec.kind}")
    unknown = set(map(str, dataset.data_vars)) - set(specs)
    if unknown:
        raise InputError(
            f"a store of kind {kind} with unknown arrays {', '.join(sorted(unknown))}"
        )
