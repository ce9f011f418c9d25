"""What an array of a store is: its specification, and values as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

SCHEMA_VERSION = 3
Kind = Literal["float", "integer", "text", "boolean"]


@dataclass(frozen=True)
class ArraySpec:
    """What one array of a store is: its dims, kind, unit and meaning.

    ``measured`` arrays hold times, which differ from run to run and stay out of the digest;
    ``coordinate`` ones describe a dim and are coordinates of the dataset. Verification derives
    every other array anew and compares, but for two sorts: a ``witness`` is part of a proof, which
    is checked, and another one may prove the same; what is ``on_trust`` nobody can know
    afterwards.
    """

    dims: tuple[str, ...]
    kind: Kind
    meaning: str
    units: str = ""
    optional: bool = False
    measured: bool = False
    coordinate: bool = False
    witness: bool = False
    on_trust: bool = False

    def by_case(self) -> ArraySpec:
        """Return what it is where many cells are gathered: one entry a network and routing."""
        dims = (*CASE, *self.dims)
        return replace(self, dims=dims, optional=False, witness=False, on_trust=False)


@dataclass(frozen=True)
class AttributeSpec:
    """What one attribute of a kind's stores is, a text: its meaning, and whether it can be known.

    ``on_trust`` is as for arrays: what solved a program, for one.
    """

    meaning: str
    on_trust: bool = False


Specs = Mapping[str, ArraySpec]
CASE = ("network", "routing")
"""The dims that tell the cells of a gathered store."""

DTYPE: dict[Kind, Any] = {
    "float": np.float64,
    "integer": np.int64,
    "text": object,
    "boolean": bool,
}
BLANK: dict[Kind, Any] = {"float": np.nan, "integer": -1, "text": "", "boolean": False}
"""What stands in a gathered array where no cell has a value."""

LOAD = "packets per cycle over channel bandwidth"
HOPS = "hops"
FRACTION = "fraction of capacity"
INJECTION = "fraction of injection bandwidth"
RATE = "packets per step and source"
SENDING_RATE = "packets per step and source that sends"


def exact_and_float(
    name: str,
    dims: tuple[str, ...],
    meaning: str,
    units: str,
    *,
    optional: bool = False,
    witness: bool = False,
) -> dict[str, ArraySpec]:
    """Return the specifications of an exact value: the nearest float, and the fraction as text."""
    words = f"{meaning}, as a fraction"
    return {
        name: ArraySpec(dims, "float", meaning, units, optional, witness=witness),
        f"{name}_exact": ArraySpec(dims, "text", words, units, optional, witness=witness),
    }


NETWORK_ARRAYS: dict[str, ArraySpec] = {
    "family": ArraySpec(("network",), "text", "family of the network", coordinate=True),
    "radix": ArraySpec(
        ("network",), "integer", "nodes in each dimension; -1 if mixed or none", coordinate=True
    ),
    "dimensions": ArraySpec(
        ("network",), "integer", "dimensions of the network; -1 if none", coordinate=True
    ),
    "nodes": ArraySpec(("network",), "integer", "number of nodes", coordinate=True),
}
"""What every gathered store says of its networks."""
CAPACITY = exact_and_float(
    "capacity_load",
    (),
    "least largest channel load of uniform traffic over all routings (NaN and empty where "
    "unknown)",
    LOAD,
)
SHORTEST = exact_and_float(
    "mean_shortest_path_length", (), "mean path length of shortest paths", HOPS
)
CHANNEL_ENDS: dict[str, ArraySpec] = {
    "tail": ArraySpec(("channel",), "integer", "node that each channel leaves"),
    "head": ArraySpec(("channel",), "integer", "node that each channel enters"),
}
NORMALIZED_LENGTH = ArraySpec((), "float", "mean path length over that of shortest paths")


def text(value: Fraction | None) -> str:
    """Return a fraction as text, ``"32/5"`` or ``"4"``; empty for None."""
    return "" if value is None else str(value)


def floats(values: Iterable[Fraction | None]) -> NDArray[np.float64]:
    """Return the nearest floats, NaN for None."""
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def texts(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return texts, fractions written out, as the object arrays that stores hold."""
    items = [v if isinstance(v, str) else text(v) for v in values]
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def exact_floats(name: str, values: Iterable[Fraction | None] | Fraction | None) -> dict[str, Any]:
    """Return the two arrays of exact values: nearest floats, and fractions as text."""
    if values is None or isinstance(values, Fraction):
        return {name: floats([values])[0], f"{name}_exact": text(values)}
    listed = list(values)
    return {name: floats(listed), f"{name}_exact": texts(listed)}


def ratio(numerator: str, denominator: str) -> float:
    """Return the quotient of two exact texts; NaN where one is empty or the second zero."""
    if not numerator or not denominator or not Fraction(denominator):
        return math.nan
    return float(Fraction(numerator) / Fraction(denominator))
