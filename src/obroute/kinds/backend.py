"""Stores in xarray: ``xr.open_dataset("evaluations.zarr", engine="obroute")``.

A store is read whole and checked. Values are floats, and exact ones come on request: as text, or
as fractions. Text is Python's, so that ``where`` and ``idxmax`` work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import xarray as xr
from xarray.backends import BackendEntrypoint

from obroute.kinds.registry import kinds
from obroute.kinds.requirements import EXACT
from obroute.kinds.stores import read_store
from obroute.results.stores import is_store, stored_kind
from obroute.specs import InputError, suggestion

SUFFIX = ".zarr"
FORMS = ("leave_out", "text", "fraction")
Form = Literal["leave_out", "text", "fraction"]


class StoreBackend(BackendEntrypoint):
    """Opens stores, gathered stores with their cells, and folders of studies.

    Examples
    --------
    >>> import obroute, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> obroute.write_store(obroute.compare("ring:5", ["dor", "valiant"]), f"{folder.name}/a.zarr")
    >>> study = xr.open_dataset(f"{folder.name}/a.zarr", engine=StoreBackend, exact="fraction")
    >>> study.worst_case_load_exact.max().item(), study.worst_case_load.idxmin("routing").item()
    (Fraction(2, 1), 'valiant')
    >>> xr.open_dataset(f"{folder.name}/a.zarr", engine=StoreBackend, group="ring-5/dor").kind
    'evaluation'
    >>> folder.cleanup()
    """

    description: ClassVar[str] = "Stores of obroute, checked, with floats, exact text or fractions"
    url: ClassVar[str] = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"
    supports_groups: ClassVar[bool] = True
    open_dataset_parameters: ClassVar[tuple[str, ...]] = (
        "filename_or_obj",
        "drop_variables",
        "exact",
        "group",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Say whether a folder is a store of obroute."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return False
        place = Path(filename_or_obj)
        known = {name for kind in kinds().values() for name in (kind.name, kind.gathered)}
        return is_store(place) and stored_kind(place) in known

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        exact: Form = "leave_out",
        group: str | None = None,
    ) -> xr.Dataset:
        """Read a store.

        Parameters
        ----------
        filename_or_obj
            Its folder; or that of a study or of a gathered store, with ``group``.
        drop_variables
            Arrays to leave out.
        exact
            What becomes of arrays of exact values, which end in ``_exact``: ``leave_out`` them,
            ``text`` such as 32/5, or objects of type ``fraction`` (None where there is no value).
        group
            The name of a store below: ``evaluations`` or ``evaluations/torus-9x9/romm`` of a
            study, ``torus-9x9/romm`` of a gathered store.

        Raises
        ------
        InputError
            As :func:`obroute.read_store`; also if there is no such group or form.
        """
        if exact not in FORMS:
            raise InputError(f"exact: {exact!r}; expected {', '.join(FORMS)}")
        place = Path(filename_or_obj)
        if group is not None:
            below = _stores_below(place)
            name = group.strip("/").removesuffix(SUFFIX)
            if name not in below:
                known = suggestion(name, [*below]) if below else "; there is none below it"
                raise InputError(f"{place} has no store '{group}'{known}")
            place = below[name]
        dropped = (
            [drop_variables] if isinstance(drop_variables, str) else [*(drop_variables or [])]
        )
        return _in_form(read_store(place).drop_vars(dropped, errors="ignore"), exact)

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        exact: Form = "leave_out",
    ) -> dict[str, xr.Dataset]:
        """Read every store below a folder of a study, or a gathered store with its cells.

        A gathered store is the group ``gathered`` beside its cells, whose dims have other labels.
        """
        place = Path(filename_or_obj)
        found = {"/": xr.Dataset()}
        below = _stores_below(place)
        if is_store(place):
            below["gathered"] = place
        for name, store in below.items():
            has_cells = any(other.startswith(f"{name}/") for other in below)
            group = f"/{name}/gathered" if has_cells else f"/{name}"
            found[group] = self.open_dataset(store, drop_variables=drop_variables, exact=exact)
        return found

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xr.DataTree:
        """Read a study as a tree, as :meth:`open_groups_as_dict` has it."""
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **options))


def _stores_below(place: Path) -> dict[str, Path]:
    """Return the stores in a folder, or in that of a gathered store, by their names."""
    folder = place.with_suffix("") if is_store(place) else place
    stores = sorted(file.parent for file in folder.rglob("zarr.json"))
    return {
        store.relative_to(folder).as_posix().removesuffix(SUFFIX): store
        for store in stores
        if not is_store(store.parent)
        and not any(part.startswith(".") for part in store.relative_to(folder).parts)
    }


def _in_form(dataset: xr.Dataset, exact: Form) -> xr.Dataset:
    """Return a dataset with its exact values in a form."""
    names = [
        name
        for name in map(str, dataset.data_vars)
        if name.endswith(EXACT) and name.removesuffix(EXACT) in dataset.variables
    ]
    if exact == "leave_out":
        return dataset.drop_vars(names)
    if exact == "fraction":
        for name in names:
            values = dataset[name].variable
            fractions = np.empty(values.size, dtype=object)
            fractions[:] = [Fraction(text) if text else None for text in values.values.ravel()]
            dataset[name] = (values.dims, fractions.reshape(values.shape), values.attrs)
    return dataset
