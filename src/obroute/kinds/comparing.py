"""Recorded entries beside what they must be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError


def compare_entry(dataset: xr.Dataset, name: str, place: tuple[int, ...], value: float) -> None:
    """Raise unless a float is recorded as it must be; NaN stands for none."""
    found = dataset[name].values[place]
    if found != value and not (np.isnan(found) and np.isnan(value)):
        where = ", ".join(map(str, place))
        raise CertificateError(f"{name}[{where}] is recorded as {found}, but is {value}")


def compare_exact(
    cell: xr.Dataset, name: str, expected: Fraction | None, position: int | None = None
) -> None:
    """Raise unless an exact entry and its float are what they must be, empty for none."""
    exact, nearest = cell[f"{name}_exact"].values, cell[name].values
    if position is not None:
        exact, nearest = exact[position], nearest[position]
    where = name if position is None else f"{name}[{position}]"
    if str(exact) != ("" if expected is None else str(expected)):
        raise CertificateError(f"{where} is recorded as {exact}, but is {expected}")
    if expected is not None and float(nearest) != float(expected):
        raise CertificateError(f"{where}: the float {nearest} is not {exact}")
