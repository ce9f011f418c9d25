"""Forgeries of stores: every variable and attribute, in several ways each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr

from obroute.results.provenance import FOLDER, TIMES_AND_VERSIONS
from obroute.results.stores import DIGEST

Forgery = tuple[str, str, xr.Dataset]
"""The entry that is forged, how, and the dataset with it."""


def forgeries_of_arrays(dataset: xr.Dataset, seed: int = 0) -> Iterator[Forgery]:
    """Yield the dataset with every array forged: an entry in several ways, the whole, none."""
    generator = np.random.default_rng(seed)
    for name in map(str, dataset.variables):
        yield name, "left out", dataset.drop_vars(name)
        variable = dataset[name].variable
        if not variable.size:
            continue
        whole = np.asarray(variable.values)
        for how, values in _forged_values(whole, generator):
            if not _same(values, whole):
                yield name, how, _with(dataset, name, values)
        exact = f"{name}_exact"
        if exact in dataset.variables:
            texts = np.asarray(dataset[exact].values, dtype=object)
            for how, values in _forged_values(texts, generator):
                if _same(values, texts):
                    continue
                floats = np.vectorize(_nearest, otypes=[float])(values).reshape(values.shape)
                both = _with(_with(dataset, exact, values), name, floats)
                yield name, f"{how}, with its float", both
        for key in variable.attrs:
            described = _with(dataset, name, variable.values)
            described[name].attrs[key] = "miles"
            yield name, f"another {key}", described


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _nearest(text: str) -> float:
    try:
        return float(Fraction(text)) if text else np.nan
    except (ValueError, ZeroDivisionError):
        return np.nan


def _with(dataset: xr.Dataset, name: str, values: Any) -> xr.Dataset:
    variable = dataset[name].variable
    changed = xr.Variable(variable.dims, values, dict(variable.attrs))
    if name in dataset.coords:
        return dataset.assign_coords({name: changed})
    return dataset.assign({name: changed})


def _forged_values(
    values: np.ndarray, generator: np.random.Generator
) -> Iterator[tuple[str, np.ndarray]]:
    for how, change in _CHANGES[_sort(values)].items():
        forged = values.copy()
        place = np.unravel_index(generator.integers(values.size), values.shape)
        forged[place] = change(values[place])
        yield how, forged
        yield (
            f"{how}, everywhere",
            np.array(
                [change(value) for value in values.ravel().tolist()], dtype=values.dtype
            ).reshape(values.shape),
        )
    flat = values.ravel().tolist()
    others = [place for place, value in enumerate(flat) if value != flat[0]]
    if others:
        place = int(generator.choice(others))
        swapped = values.copy().ravel()
        swapped[0], swapped[place] = flat[place], flat[0]
        yield "two of them exchanged", swapped.reshape(values.shape)


def _sort(values: np.ndarray) -> str:
    if values.dtype.kind in "OUT":
        numbers = [text for text in values.ravel().tolist() if text]
        return "exact" if numbers and all(map(_is_fraction, numbers)) else "text"
    return values.dtype.kind


def _is_fraction(text: Any) -> bool:
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def _fraction(text: str) -> Fraction:
    return Fraction(text) if text else Fraction(0)


_CHANGES: dict[str, dict[str, Any]] = {
    "f": {
        "one more": lambda value: 1.0 if np.isnan(value) else value + 1,
        "half of it": lambda value: value / 2 if value > 0 else 0.5,
        "a millionth more": lambda value: value * (1 + 1e-6) if abs(value) > 0 else 1e-6,
        "its negative": lambda value: -value if value else -1.0,
        "blank": lambda value: np.nan,
        "infinite": lambda value: np.inf,
    },
    "i": {
        "one more": lambda value: value + 1,
        "one less": lambda value: value - 1,
        "nought": lambda value: 0,
        "blank": lambda value: -1,
        "far away": lambda value: 2**31 - 1,
    },
    "b": {"the other": lambda value: not value, "true": lambda value: True},
    "exact": {
        "one more": lambda text: str(_fraction(text) + 1),
        "half of it": lambda text: str(_fraction(text) / 2 if text else Fraction(1, 2)),
        "its negative": lambda text: str(-_fraction(text) or Fraction(1)),
        "a hundredth": lambda text: "1/100",
        "not reduced": lambda text: f"{2 * _fraction(text).numerator}/2",
        "blank": lambda text: "",
        "no number": lambda text: "1/0",
    },
    "text": {
        "another name": lambda text: "dor" if text != "dor" else "romm",
        "a letter more": lambda text: f"{text}x",
        "a blank more": lambda text: f"{text} ",
        "blank": lambda text: "",
    },
}
_CHANGES["u"] = _CHANGES["i"]


def forgeries_of_attributes(dataset: xr.Dataset) -> Iterator[Forgery]:
    """Yield the dataset with every attribute forged that the digest covers, but the settings."""
    for name, value in dataset.attrs.items():
        if name in {*TIMES_AND_VERSIONS, DIGEST, FOLDER, "settings"}:
            continue
        for how, other in _other_values(value):
            if other != value:
                yield name, how, dataset.assign_attrs({name: other})
        left = dataset.copy()
        del left.attrs[name]
        yield name, "left out", left
    yield "author", "one more", dataset.assign_attrs(author="somebody")


def _other_values(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, int):
        yield from (("one more", value + 1), ("blank", -1), ("text", str(value)), ("huge", 2**40))
        return
    yield from (
        ("blank", ""),
        ("a letter more", f"{value}x"),
        ("another name", "valiant"),
        ("all", "all"),
        ("a number", 7),
    )
    try:
        held = json.loads(value)
    except ValueError:
        return
    if isinstance(held, dict):
        yield "an entry more", json.dumps({**held, "more": "0123456789abcdef"})
        for key, entry in held.items():
            yield f"without {key}", json.dumps({k: v for k, v in held.items() if k != key})
            yield f"another {key}", json.dumps({**held, key: _other(entry)})


def forgeries_of_settings(dataset: xr.Dataset) -> Iterator[Forgery]:
    """Yield the dataset with every setting at another value of its type."""
    settings = json.loads(dataset.attrs["settings"])
    for key, value in settings.items():
        for how, other in (("another", _other(value)), ("none", None), ("a list", [value, value])):
            if other != value:
                text = json.dumps({**settings, key: other}, sort_keys=True)
                yield f"settings.{key}", how, dataset.assign_attrs(settings=text)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2
    if isinstance(value, list):
        return value[:-1] if value else ["tornado"]
    return f"{value}x" if value else "tornado"
