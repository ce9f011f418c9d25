"""Checking stores again: every certificate, from the network and the routing anew.

Nothing stored is trusted. The network and the routing are made from their names, the pair loads
derived again, and each recorded value proved or compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from obroute.certificates import CertificateError
from obroute.results import is_store, read_store
from obroute.specs import InputError
from obroute.verification.cells import confirmed, stored_worst_case, verify_cell, verify_study
from obroute.verification.designs import verify_design, verify_trade_off
from obroute.verification.packets import verify_simulation, verify_stability

__all__ = [
    "CertificateError",
    "Verified",
    "confirmed",
    "find_stores",
    "stored_worst_case",
    "verify_cell",
    "verify_design",
    "verify_simulation",
    "verify_stability",
    "verify_stores",
    "verify_study",
    "verify_trade_off",
]


@dataclass(frozen=True)
class Verified:
    """What was checked in one store.

    ``theorem`` says what a theorem on the worst case of the cell confirms; empty where none is
    about its routing and network.
    """

    store: Path
    kind: str
    certificates: int
    theorem: str = ""


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

    Raises
    ------
    CertificateError
        Names the store and the first entry that is wrong.
    InputError
        If a store cannot be read.
    """
    stores = find_stores(place)
    for store in stores:
        dataset = read_store(store)
        if "routing" in dataset.attrs:
            dataset.attrs["routing"] = _with_moved_design(dataset.attrs["routing"], store)
        try:
            kind = dataset.attrs["kind"]
            verify = _VERIFIERS.get(kind)
            count = verify(dataset) if verify else 0
            yield Verified(store, kind, count, confirmed(dataset) if kind == "cell" else "")
        except CertificateError as error:
            raise CertificateError(f"{store}: {error}") from None


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


_VERIFIERS: dict[str, Callable[[xr.Dataset], int]] = {
    "cell": verify_cell,
    "study": verify_study,
    "simulation": verify_simulation,
    "stability": verify_stability,
    "design": verify_design,
    "trade_off": verify_trade_off,
}
"""How each kind of store is checked; gathered ones beyond their digest in their cells."""
