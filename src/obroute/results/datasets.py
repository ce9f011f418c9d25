"""Datasets that keep to the specification of their arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Integral, Real
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
_TYPES: dict[type, tuple[type, str]] = {
    str: (str, "text"),
    int: (Integral, "an integer"),
    float: (Real, "a number"),
}
OBJECTS = ("settings", "files", "sources", "cells")
"""The attributes whose text is a JSON object."""


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
    labels = {dim for spec in specs.values() for dim in spec.dims} - set(specs)
    for name in sorted(labels & set(map(str, dataset.coords))):
        if dataset[name].dims != (name,) or dataset[name].dtype.kind not in "OUTifb":
            raise InputError(f"{name} has dims {dataset[name].dims}; expected ({name},)")
    unknown = set(map(str, dataset.variables)) - set(specs) - labels
    if unknown:
        raise InputError(
            f"a store of kind {kind} with unknown arrays {', '.join(sorted(unknown))}"
        )


def check_attributes(dataset: xr.Dataset, types: Mapping[str, type]) -> None:
    """Raise unless a dataset has the attributes that it should have, each of its type.

    Examples
    --------
    >>> check_attributes(xr.Dataset(attrs={"nodes": "9"}), {"nodes": int})
    Traceback (most recent call last):
    obroute.specs.InputError: its attribute nodes is '9'; expected an integer
    """
    for name, wanted in types.items():
        if name not in dataset.attrs:
            raise InputError(f"a store of kind {dataset.attrs.get('kind')} without its {name}")
        value = dataset.attrs[name]
        accepted, called = _TYPES[wanted]
        if not isinstance(value, accepted) or isinstance(value, bool):
            raise InputError(f"its attribute {name} is {value!r:.60}; expected {called}")
        if name in OBJECTS:
            json_object(str(value), name)
    unknown = set(map(str, dataset.attrs)) - set(types)
    if unknown:
        raise InputError(f"a store with unknown attributes {', '.join(sorted(unknown))}")


def json_object(text: str, name: str) -> dict[str, Any]:
    """Return the JSON object that an attribute holds.

    Raises
    ------
    InputError
        If it holds none; names the attribute.

    Examples
    --------
    >>> json_object('{"a.csv": "12"}', "files")
    {'a.csv': '12'}
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"its attribute {name} is {text!r:.60}; expected a JSON object")
    return found
