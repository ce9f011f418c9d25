"""Checking stores again: every certificate, from the network and the routing anew.

Nothing stored is trusted. The network and the routing are made from their names, the pair loads
derived again, and each recorded value proved or compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.kinds.registry import kinds
from obroute.kinds.stores import gathered, read_store
from obroute.results.stores import is_store
from obroute.specs import InputError


@dataclass(frozen=True)
class Verified:
    """What was checked in one store.

    ``theorem`` says what a theorem on the worst case of the cell confirms; empty where none is
    about its routing and network. ``gathered_from`` is how many cells beside a gathered store it
    was compared with; None where the store is a cell.
    """

    store: Path
    kind: str
    certificates: int
    theorem: str = ""
    gathered_from: int | None = None


def find_stores(place: Path) -> list[Path]:
    """Return the store at a place, or all below it, in order of their names."""
    if is_store(place):
        return [place]
    if not place.exists():
        raise InputError(f"{place} does not exist; give a store or a folder of stores")
    found = sorted(
        file.parent
        for file in place.rglob("zarr.json")
        if not any(part.startswith(".") for part in file.relative_to(place).parts)
        and not is_store(file.parent.parent)
    )
    if not found:
        raise InputError(f"there is no store in {place}; give a store or a folder of stores")
    return found


def verify_stores(place: Path) -> Iterator[Verified]:
    """Verify the store at a place, or every store below it; raise at the first wrong entry.

    What is gathered is gathered anew from the cells beside it, and compared entry by entry.

    Raises
    ------
    CertificateError
        Names the store and the first entry that is wrong.
    InputError
        If a store cannot be read.
    """
    for store in find_stores(place):
        dataset = read_store(store)
        name = dataset.attrs["kind"]
        try:
            if name not in kinds():
                yield Verified(store, name, 0, gathered_from=_verify_gathered(dataset, store))
                continue
            dataset.attrs["routing"] = _with_moved_design(dataset.attrs["routing"], store)
            kind = kinds()[name]
            yield Verified(store, name, kind.verify(dataset), kind.confirm(dataset))
        except CertificateError as error:
            raise CertificateError(f"{store}: {error}") from None


def _verify_gathered(stored: xr.Dataset, store: Path) -> int:
    """Gather again the cells beside a gathered store, and compare; return how many there are."""
    _check_floats(stored)
    kind = next(kind for kind in kinds().values() if kind.gathered == stored.attrs["kind"])
    folder = store.with_suffix("")
    names = list(json.loads(stored.attrs["cells"]))
    if not all(is_store(folder / name) for name in names):
        return 0
    cells = {name: read_store(folder / name, kind.name) for name in names}
    again = gathered(kind, cells)
    for name in again.variables:
        if name not in stored.variables or not _equal(stored[name].values, again[name].values):
            raise CertificateError(f"{name} is not what its cells hold")
    return len(names)


def _check_floats(stored: xr.Dataset) -> None:
    """Check that every float is the nearest of the exact entry beside it."""
    for exact in (name for name in map(str, stored.variables) if name.endswith("_exact")):
        name = exact.removesuffix("_exact")
        if name not in stored.variables:
            continue
        for place, text in np.ndenumerate(stored[exact].values):
            value = stored[name].values[place]
            if value != float(Fraction(text)) if text else not np.isnan(value):
                raise CertificateError(f"{name}{list(place)} is recorded as {value}, not {text}")


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.kind == "f":
        return np.array_equal(one, other, equal_nan=True)
    return bool((one == other).all())


def _with_moved_design(routing: str, store: Path) -> str:
    """Return a routing's name with the place where its design is now.

    A study's folder may have been moved, or another be the current one: a design that is not
    where it was is looked for at the same place beside the store.
    """
    mark, _, recorded = routing.partition("designed:")
    if mark or not recorded or Path(recorded).exists():
        return routing
    parts = Path(recorded).parts
    for first in range(len(parts) - 2):  # its folder, network and name at least
        for ancestor in store.absolute().parents:
            candidate = ancestor.joinpath(*parts[first:])
            if is_store(candidate):
                return f"designed:{candidate}"
    return routing
