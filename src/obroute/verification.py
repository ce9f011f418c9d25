"""Checking stores again: every certificate, from the network and the routing anew.

Nothing stored is trusted. The network and the routing are made from their names, the pair loads
derived again, and each recorded value proved or compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError
from obroute.kinds.comparing import one_line, verify_cell, verify_gathered
from obroute.kinds.registry import kinds
from obroute.kinds.requirements import EXACT
from obroute.kinds.stores import read_store
from obroute.names import in_a_line
from obroute.progress import stage
from obroute.results.datasets import json_object
from obroute.results.provenance import source_digest
from obroute.results.stores import DIGEST, finding_files, is_store
from obroute.specs import InputError


@dataclass(frozen=True)
class Verified:
    """What was checked in one store.

    ``theorem`` says what a theorem on the worst case of the cell confirms; empty where none is
    about its routing and network. ``gathered`` is how a gathered store was checked; None where the
    store is a cell.
    """

    store: Path
    kind: str
    certificates: int
    theorem: str = ""
    gathered: Gathered | None = None

    @property
    def gathered_from(self) -> int | None:
        """How many cells a gathered store was compared with; None where the store is a cell."""
        return None if self.gathered is None else self.gathered.compared


@dataclass(frozen=True)
class Gathered:
    """How a gathered store was checked.

    ``compared`` cells were gathered again and found equal, 0 where some are ``missing``: then only
    the digest and the floats were checked. ``unverified`` are those that were not verified in the
    same run, ``left_out`` the cells in the same folder that are not in it.
    """

    compared: int
    missing: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What was checked, for people."""
        if self.missing:
            count = f"{len(self.missing)} of its cells, {self.missing[0]} among them,"
            return f"digest only: {count} cannot be found, and nothing it says was compared"
        said = f"equal to the {self.compared} cells that it gathers"
        if self.unverified:
            unverified = len(self.unverified)
            said += f", {unverified} of them not verified in this run: verify the folder"
        if self.left_out:
            said += f"; not in it, though beside them: {', '.join(self.left_out)}"
        return said


@dataclass
class _Run:
    """The cells that one run has verified: by their place, with kind and digest."""

    verified: dict[Path, tuple[str, str]] = field(default_factory=dict)

    def place_of(self, folder: Path, name: str, kind: str, digest: str) -> Path | None:
        """Return where a gathered cell is: in the folder of its kind, or verified before."""
        beside = folder / name
        if is_store(beside):
            return beside
        for place, (its_kind, its_digest) in self.verified.items():
            is_it = its_kind == kind and its_digest[: len(digest)] == digest
            if digest and is_it and place.as_posix().endswith(f"/{name}"):
                return place
        return None


def find_stores(place: Path) -> list[Path]:
    """Return the store at a place, or all below it: cells first, then what gathers them.

    Raises
    ------
    InputError
        If there is nothing at the place, or no store in it.
    """
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

    What is gathered is gathered anew from its cells, and compared entry by entry; of a folder it
    comes last, when its cells have been verified.

    Raises
    ------
    CertificateError
        Names the store and the first entry that is wrong.
    InputError
        If a store cannot be read, or a name in it makes nothing.
    """
    run, waiting = _Run(), []
    for store in find_stores(place):
        dataset = read_store(store)
        name = dataset.attrs["kind"]
        if name not in kinds():
            waiting.append(store)
            continue
        with _named(store):
            kind = kinds()[name]
            with stage(f"verify {store.name} of {store.parent.name}"):
                count = verify_cell(kind, dataset)
            with finding_files(dataset):
                theorem = kind.confirm(dataset)
        run.verified[store] = name, dataset.attrs[DIGEST]
        yield Verified(store, name, count, theorem)
    for store in waiting:
        dataset = read_store(store)
        with _named(store), stage(f"verify {store.name}"):
            how = _verify_gathered(dataset, store, run)
        yield Verified(store, dataset.attrs["kind"], 0, gathered=how)


@contextmanager
def _named(store: Path) -> Iterator[None]:
    """Name the store in whatever goes wrong with it, in one line."""
    try:
        with one_line():
            yield
    except CertificateError as error:
        raise CertificateError(f"{store}: {in_a_line(error)}") from error
    except InputError as error:
        raise InputError(f"{store}: {in_a_line(error)}") from error


def _verify_gathered(stored: xr.Dataset, store: Path, run: _Run) -> Gathered:
    """Gather again the cells of a gathered store, and compare."""
    _check_floats(stored)
    if source_digest(stored.attrs["sources"]) != stored.attrs["source_digest"]:
        raise CertificateError("source_digest: not the digest of the recorded sources")
    kind = next(kind for kind in kinds().values() if kind.gathered == stored.attrs["kind"])
    digests = json_object(stored.attrs["cells"], "cells")
    folder = store.with_suffix("")
    places = {
        name: run.place_of(folder, _plain(name), kind.name, str(digest))
        for name, digest in digests.items()
    }
    missing = tuple(name for name, place in places.items() if place is None)
    if missing:
        return Gathered(0, missing)
    found = {name: place for name, place in places.items() if place is not None}
    cells = {name: read_store(place, kind.name) for name, place in found.items()}
    verify_gathered(kind, stored, cells)
    unverified = tuple(
        name
        for name, place in found.items()
        if run.verified.get(place, ("", ""))[1] != cells[name].attrs[DIGEST]
    )
    return Gathered(len(cells), (), unverified, _left_out(folder, {*found.values()}))


def _plain(name: str) -> str:
    """Refuse the name of a cell that leads elsewhere."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise CertificateError(f"cells: {name!r} is no name of a cell below the folder")
    return name


def _left_out(folder: Path, taken: set[Path]) -> tuple[str, ...]:
    if not folder.is_dir():
        return ()
    stores = (file.parent for file in sorted(folder.rglob("zarr.json")))
    return tuple(
        store.relative_to(folder).as_posix()
        for store in stores
        if store not in taken
        and not is_store(store.parent)
        and not any(part.startswith(".") for part in store.relative_to(folder).parts)
    )


def _check_floats(stored: xr.Dataset) -> None:
    """Check that every float is the nearest of the exact entry beside it."""
    for exact in (name for name in map(str, stored.variables) if name.endswith(EXACT)):
        name = exact.removesuffix(EXACT)
        if name not in stored.variables:
            continue
        for place, text in np.ndenumerate(stored[exact].values):
            value = stored[name].values[place]
            if value != float(Fraction(text)) if text else not np.isnan(value):
                raise CertificateError(f"{name}{list(place)} is recorded as {value}, not {text}")
