"""Recorded entries beside what they must be: every array and every attribute of a store.

A kind says how what a store must hold is derived anew; here all of it is compared. An array or
attribute that is stored and not derived is wrong, so that none can be forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.dependencies import file_digests
from obroute.importers import make_network
from obroute.kinds.registry import attributes_of_cells, attributes_of_gathered, kinds
from obroute.kinds.requirements import EXACT
from obroute.kinds.stores import gathered, of_contents
from obroute.names import in_a_line
from obroute.results.arrays import SCHEMA_VERSION, Specs
from obroute.results.datasets import check_attributes, json_object, validate
from obroute.results.gathering import gathered_specs
from obroute.results.provenance import FOLDER, TIMES_AND_VERSIONS, network_digest, source_digest
from obroute.results.stores import DIGEST, finding_files, types_of_written
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.kinds.contract import Experiment

NEARLY = 1e-9
"""Relative difference that floats may have which are sums: machines add in other orders. Floats
beside exact values have none."""


def verify_cell(kind: Experiment[Any, Any], cell: xr.Dataset) -> int:
    """Compare every entry of a store with what it must be; return the certificates proved.

    Network, routing and settings are made from their names, files found from where the store is,
    and the kind derives the rest.

    Parameters
    ----------
    kind
        Of the store.
    cell
        Its dataset.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    InputError
        If the names or settings in it make nothing.
    """
    types = {**attributes_of_cells(kind), **types_of_written(cell)}
    check_attributes(cell, types)
    validate(cell, kind.arrays())
    with one_line(), finding_files(cell):
        return _verify_cell(kind, cell)


@contextmanager
def one_line() -> Iterator[None]:
    """Say whatever goes wrong while a store is checked in one line.

    Raises
    ------
    CertificateError
        In place of what is neither this nor an :class:`InputError`.
    """
    try:
        yield
    except (CertificateError, InputError):
        raise
    except Exception as error:  # what is malformed goes wrong anywhere
        raise CertificateError(
            f"what it holds cannot be checked ({type(error).__name__}: {in_a_line(error)})"
        ) from error


def _verify_cell(kind: Experiment[Any, Any], cell: xr.Dataset) -> int:
    stated = cell.attrs
    settings = kind.settings.recorded(stated["settings"])
    network = make_network(stated["network"])
    if network_digest(network) != stated["network_digest"]:
        raise CertificateError(f"{stated['network']} is no longer the network of this store")
    routing = kind.routing_of(network, stated["routing"], settings)
    kind.check(network, routing, settings)
    found = kind.rederive(cell, network, routing, settings)
    files = file_digests(kind.depends_on(network, routing, settings).files)
    made = {
        **{key: stated[key] for key in TIMES_AND_VERSIONS},
        "schema_version": SCHEMA_VERSION,
        "settings": json.dumps(settings.record(), sort_keys=True),
        "files": json.dumps(files),
    }
    again = of_contents(kind, found.contents, settings, made)
    on_trust = {key for key, spec in kind.attributes().items() if spec.on_trust}
    compare_datasets(cell, again, kind.arrays(), on_trust)
    return found.certificates


def verify_gathered(
    kind: Experiment[Any, Any], stored: xr.Dataset, cells: Mapping[str, xr.Dataset]
) -> None:
    """Compare every entry of a gathered store with what its cells make, gathered again.

    The name of the study is taken as recorded.

    Parameters
    ----------
    kind
        Of the cells.
    stored
        The dataset of the gathered store.
    cells
        Datasets by the names that the store records.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    types = {**attributes_of_gathered(), **types_of_written(stored)}
    check_attributes(stored, types)
    study = json_object(stored.attrs["settings"], "settings").get("study")
    again = gathered(kind, cells, str(study))
    compare_datasets(stored, again, gathered_specs(kind.summary()))


def check_length(cell: xr.Dataset, dim: str, asked: int) -> None:
    """Raise unless a store holds as many of something as its settings ask for.

    Before they are made again: settings may ask for more than anybody can wait for.
    """
    found = cell.sizes.get(dim, 0)
    if found != asked:
        raise CertificateError(f"{dim}: the store holds {found}, its settings ask for {asked}")


def compare_datasets(
    stored: xr.Dataset, again: xr.Dataset, specs: Specs, on_trust: Collection[str] = ()
) -> None:
    """Raise unless a store has the arrays and attributes that it must have, and no others.

    Times, versions and what is ``on_trust`` are not compared.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    compare_attributes(stored, again, on_trust)
    unknown = {name for name, spec in specs.items() if spec.measured or spec.on_trust}
    # Labels first, then in the order of the specification.
    names = list(map(str, dict.fromkeys([*again.coords, *again.variables, *stored.variables])))
    for name in names:
        if name not in again.variables:
            raise CertificateError(f"{name}: the store holds it, and nothing derives it")
        if name not in stored.variables:
            raise CertificateError(f"{name}: missing in the store")
        _compare_descriptions(stored, again, name)
    for name in names:
        if name not in unknown:
            _compare_arrays(stored, again, name, specs)
    compare_files(stored, again)


def compare_attributes(stored: xr.Dataset, again: xr.Dataset, on_trust: Collection[str]) -> None:
    """Raise unless a store has the attributes that it must have, and no others."""
    if source_digest(stored.attrs["sources"]) != stored.attrs["source_digest"]:
        raise CertificateError("source_digest: not the digest of the recorded sources")
    left_out = {DIGEST, FOLDER, "files", *TIMES_AND_VERSIONS, *on_trust}
    for name in sorted({*map(str, stored.attrs), *map(str, again.attrs)} - left_out):
        if name not in again.attrs:
            raise CertificateError(f"{name}: the store holds it, and nothing derives it")
        if name not in stored.attrs:
            raise CertificateError(f"{name}: missing in the store")
        found, value = stored.attrs[name], again.attrs[name]
        if type(found) is not type(value) or found != value:
            raise CertificateError(
                f"{name} is recorded as {in_a_line(found)}, but is {in_a_line(value)}"
            )


def compare_files(stored: xr.Dataset, again: xr.Dataset) -> None:
    """Raise unless a store was read from the files that it must be, as they are now."""
    found, must = (json_object(one.attrs["files"], "files") for one in (stored, again))
    if [*found] != [*must]:
        raise CertificateError(
            f"files: recorded as {in_a_line(', '.join(found)) or 'none'}, but it is read from "
            f"{', '.join(must) or 'none'}"
        )
    for file, digest in found.items():
        if digest != must[file]:
            raise CertificateError(f"files: {file} is no longer what the store was made from")


def _compare_descriptions(stored: xr.Dataset, again: xr.Dataset, name: str) -> None:
    found, value = stored[name].variable, again[name].variable
    if found.dims != value.dims:
        raise CertificateError(f"{name} has the dims {found.dims}, but must have {value.dims}")
    if found.shape != value.shape:
        raise CertificateError(f"{name} has the shape {found.shape}, but must have {value.shape}")
    for key in {*found.attrs, *value.attrs}:
        if found.attrs.get(key) != value.attrs.get(key):
            raise CertificateError(
                f"{name}: its {key} is recorded as {in_a_line(found.attrs.get(key))}, but is "
                f"{in_a_line(value.attrs.get(key))}"
            )


def _compare_arrays(stored: xr.Dataset, again: xr.Dataset, name: str, specs: Specs) -> None:
    exact = f"{name}{EXACT}" in specs
    found, value = stored[name].values, again[name].values
    wrong = _differing(found, value, 0.0 if exact or not _is_float(value) else NEARLY)
    if not wrong.any():
        return
    place = tuple(int(one) for one in np.argwhere(wrong)[0])
    called = name.removesuffix(EXACT) if name.removesuffix(EXACT) in specs else name
    where = f"{called}[{', '.join(map(str, place))}]" if place else called
    if exact and stored[f"{name}{EXACT}"].values[place] == again[f"{name}{EXACT}"].values[place]:
        text = again[f"{name}{EXACT}"].values[place] or "that of an empty entry"
        raise CertificateError(f"{where}: the float {found[place]} is not {text}")
    if exact:
        found, value = stored[f"{name}{EXACT}"].values, again[f"{name}{EXACT}"].values
    raise CertificateError(
        f"{where} is recorded as {in_a_line(found[place])}, but is {in_a_line(value[place])}"
    )


def _is_float(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f"


def _differing(found: NDArray[Any], value: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Say which entries differ; not a number is equal to itself."""
    if _is_float(found) != _is_float(value):
        return np.ones(found.shape, dtype=bool)
    if not _is_float(found):
        return np.asarray(found != value, dtype=bool)
    same = np.isclose(found, value, rtol=tolerance, atol=0.0, equal_nan=True)
    return np.asarray(~same, dtype=bool)


def on_trust_of(kind: str) -> list[str]:
    """Return what verification cannot know of a kind of store: arrays, attributes, times.

    Examples
    --------
    >>> on_trust_of("trade_off")
    ['solves', 'solver']
    """
    one = kinds().get(kind)
    if one is None:
        return []
    named = [name for name, spec in one.arrays().items() if spec.on_trust or spec.measured]
    return named + [name for name, spec in one.attributes().items() if spec.on_trust]
