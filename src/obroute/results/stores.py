"""Stores on disk: zarr out by way of a temporary name, zarr in with every check."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.abc.buffer import Buffer
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.core.buffer import default_buffer_prototype

from obroute.dependencies import file_digest
from obroute.found_files import Search, placed, recorded_folder, searching, working_folder
from obroute.names import in_a_line, shortened
from obroute.reading import check_regular, read_bytes, read_text
from obroute.results.arrays import SCHEMA_VERSION, Specs
from obroute.results.datasets import json_object, validate
from obroute.results.provenance import FOLDER, TIMES_AND_VERSIONS
from obroute.specs import InputError
from obroute.writing import behind_links, name_beside

CODECS = (ZstdCodec(level=3), Crc32cCodec())
"""Checksums of chunks, so that damage is noticed before a chunk is decoded."""

LEFTOVER_SECONDS = 3600
"""Age at which an unfinished store is taken for what a killed process left."""
MOST_TURNS = 100
"""How often several processes may replace one store at the same time before one gives up."""

MOST_ELEMENTS = 2**28
"""Entries of all arrays of a store that are read into memory at the most."""
METADATA = "zarr.json"
DIGEST = "data_digest"


def types_of_written(dataset: xr.Dataset) -> dict[str, type]:
    """Return the attributes that a dataset has because it was written, with their types."""
    return {name: str for name in (DIGEST, FOLDER) if name in dataset.attrs}


def data_digest(dataset: xr.Dataset, specs: Specs) -> str:
    """Return a digest of every array and every attribute but times and versions.

    A store that was changed behind our back is noticed by it, and equal results have equal ones.
    What it leaves out are the ``measured`` arrays and
    :data:`~obroute.results.provenance.TIMES_AND_VERSIONS`.
    """
    digest = hashlib.sha256()
    measured = {name for name, spec in specs.items() if spec.measured}
    left_out = {DIGEST, FOLDER, *TIMES_AND_VERSIONS}
    digest.update(_canonical({k: v for k, v in dataset.attrs.items() if k not in left_out}))
    for name in sorted(set(map(str, dataset.variables)) - measured):
        variable = dataset.variables[name]
        values = np.asarray(variable.values)
        is_text = values.dtype.kind in "OUT"
        kind = "text" if is_text else values.dtype.kind
        digest.update(_canonical([name, variable.dims, values.shape, kind, variable.attrs]))
        if is_text:
            digest.update(_canonical(list(map(str, values.ravel().tolist()))))
        else:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _canonical(value: Any) -> bytes:
    """Write plain values in one way, whatever numbers of NumPy are among them."""
    return json.dumps(value, sort_keys=True, default=lambda one: one.tolist()).encode()


def write_dataset(dataset: xr.Dataset, store: str | Path, specs: Specs) -> None:
    """Write a dataset under a temporary name beside the target, then rename.

    Where a link stands in the target's place, the store that it points to is written. A killed
    write leaves nothing under the target's name; an existing store stays until the new
    one is whole.
    """
    validate(dataset, specs)
    store = Path(store)
    if store.exists() and not is_store(store):
        raise InputError(f"{store} exists and is no store; remove it or choose another name")
    dataset = dataset.copy()
    dataset.attrs[DIGEST] = data_digest(dataset, specs)
    dataset.attrs[FOLDER] = recorded_folder(store, _working_folder(dataset))
    for variable in dataset.variables.values():
        variable.encoding.clear()
    # xarray would take an empty one for floats
    dataset = _with_texts_as(np.dtypes.StringDType(), dataset)
    files = _files_of(dataset)
    try:
        target = behind_links(store)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        scratch = name_beside(target)
        try:
            for name, content in files.items():
                (scratch / name).parent.mkdir(parents=True, exist_ok=True)
                (scratch / name).write_bytes(content)
            _put_in_place(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise InputError(f"cannot write {store}: {error.strerror or error}") from None


def _with_texts_as(dtype: np.dtype[Any], dataset: xr.Dataset) -> xr.Dataset:
    """Return a dataset whose arrays of text are of a type; what was given is changed, too."""
    texts = {
        name: one
        for name, one in dataset.variables.items()
        if one.dtype.kind in "OUT" and one.dtype != dtype
    }
    labels = {name: one.astype(dtype) for name, one in texts.items() if name in dataset.indexes}
    for name in texts.keys() - labels.keys():
        texts[name].data = texts[name].values.astype(dtype)  # in place: `assign` aligns all arrays
    return dataset.assign(labels) if labels else dataset


def _files_of(dataset: xr.Dataset) -> dict[str, bytes]:
    """Return the files of a store by their names.

    Made in memory: zarr writes files from several threads, and when one finds the disk full, the
    others would go on in a folder that is being removed.
    """
    files: dict[str, Buffer] = {}
    with warnings.catch_warnings():
        # Consolidated metadata opens ten times faster; zarr 3 still calls it an extension.
        warnings.filterwarnings("ignore", "Consolidated metadata", zarr.errors.ZarrUserWarning)
        dataset.to_zarr(
            zarr.storage.MemoryStore(files),
            mode="w",
            consolidated=True,
            zarr_format=3,
            encoding={name: {"compressors": CODECS} for name in dataset.variables},
        )
    return {name: content.to_bytes() for name, content in files.items()}


def _put_in_place(scratch: Path, store: Path) -> None:
    """Rename a whole store to its name, in place of what is there; the last of several stays."""
    old = store.with_name(f"{scratch.name}.old")
    for _ in range(MOST_TURNS):
        with suppress(FileNotFoundError):
            store.rename(old)
        try:
            scratch.rename(store)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                with suppress(OSError):
                    old.rename(store)
                raise
            # Another process was quicker; its store is the one to replace now.
        shutil.rmtree(old, ignore_errors=True)
        if not scratch.exists():
            return
    raise OSError(errno.EBUSY, "other processes write it at the same time")


def _remove_leftovers(store: Path) -> None:
    """Remove what killed writes of a store left beside it, unless it may still be written."""
    for left in store.parent.glob(f".{store.name}.????????*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFTOVER_SECONDS:
                shutil.rmtree(left)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long to be the name of anything
        return False


def is_store(path: Path) -> bool:
    """Say whether a folder is a zarr store (of any kind)."""
    try:
        return (path / METADATA).is_file()
    except OSError:  # too long to be the name of one
        return False


def stored_kind(store: Path) -> str:
    """Return the kind that a store says it is of, without reading it; blank if it says none."""
    try:
        return str(_metadata(store)["attributes"]["kind"])
    except (ValueError, KeyError, TypeError, RecursionError):  # an InputError is a ValueError
        return ""


def _metadata(store: Path) -> Any:
    return json.loads(read_text(store / METADATA, "JSON"))


def _check_before_reading(store: Path) -> None:
    """Refuse a store whose arrays would fill the memory."""
    arrays = _metadata(store)["consolidated_metadata"]["metadata"]
    elements = 0
    for name, array in arrays.items():
        if array["node_type"] != "array":
            raise InputError(f"{name} is no array")
        shape = [int(length) for length in array["shape"]]
        chunk = [int(length) for length in array["chunk_grid"]["configuration"]["chunk_shape"]]
        if min([*shape, *chunk], default=0) < 0:
            raise InputError(f"{name} has a negative length")
        elements += max(math.prod(shape), math.prod(chunk))
    if elements > MOST_ELEMENTS:
        raise InputError(f"its arrays would have more than {MOST_ELEMENTS:,} entries")


def _in_memory(store: Path) -> zarr.storage.MemoryStore:
    """Return the files of the metadata and of the arrays that they name."""
    make = default_buffer_prototype().buffer.from_bytes
    names = [METADATA]
    for array in _metadata(store)["consolidated_metadata"]["metadata"]:
        top = str(store / array)
        for folder, _, files in os.walk(top):
            names += [f"{array}{folder.removeprefix(top)}/{file}" for file in files]
    return zarr.storage.MemoryStore(
        {name: make(read_bytes(store / name)) for name in names}, read_only=True
    )


class OldStoreError(InputError):
    """A store that an earlier obroute wrote, which this one does not read."""


def read_dataset(
    store: str | Path, specs_of: Callable[[str], Specs], kind: str | None = None
) -> xr.Dataset:
    """Read a whole store into memory, checked against its digest and the specification.

    Parameters
    ----------
    store
        Its folder.
    specs_of
        Gives the specifications of the arrays of a kind of store.
    kind
        The kind expected; any if not given.

    Raises
    ------
    OldStoreError
        If another version of obroute wrote it.
    InputError
        If there is no store, it is truncated or was changed, or it is of another kind.
    """
    store = Path(store)
    place = placed(store)
    if not is_store(place) and not _is_there(place):
        raise InputError(
            f"{shortened(str(store))} does not exist; make it with `obroute evaluate … --save` "
            "(or `design`)"
        )
    if not is_store(place):
        raise InputError(f"{store} is no obroute store: it holds no zarr.json")
    check_regular(place)
    try:
        with searching(None):  # its own files lie in it
            _check_before_reading(place)
            files: Any = _in_memory(place)
        # In memory, as files would be read by other threads, which takes half as long again.
        with xr.open_dataset(
            files, engine="zarr", consolidated=True, create_default_indexes=False
        ) as opened:
            dataset: xr.Dataset = _with_texts_as(np.dtype(object), opened.load())
        labels = {name: one for name, one in dataset.variables.items() if one.dims == (name,)}
        dataset = dataset.assign_coords(labels)
    except Exception as error:  # what is malformed goes wrong anywhere in xarray and zarr
        raise InputError(
            f"{store} is truncated or damaged ({_first_line(error)}); remove it and make it again"
        ) from None
    found = dataset.attrs.get("schema_version")
    if found != SCHEMA_VERSION:
        raise OldStoreError(
            f"{store} has schema version {in_a_line(found)}; this obroute reads version "
            f"{SCHEMA_VERSION}: make it again, or read it with the obroute that wrote it"
        )
    if kind is not None and dataset.attrs.get("kind") != kind:
        raise InputError(
            f"{store} is a store of kind {in_a_line(dataset.attrs.get('kind'))}; expected {kind}"
        )
    try:
        specs = specs_of(str(dataset.attrs.get("kind")))
    except InputError as error:
        raise InputError(f"{store}: {in_a_line(error)}") from None
    if dataset.attrs.get(DIGEST) != data_digest(dataset, specs):
        raise InputError(
            f"{store} is truncated or was changed: its data do not match their digest; remove it "
            "and make it again"
        )
    try:
        validate(dataset, specs)
    except InputError as error:
        raise InputError(f"{store}: {in_a_line(error)}; remove it and make it again") from None
    dataset.encoding["source"] = str(place.absolute())
    return dataset


def _working_folder(dataset: xr.Dataset) -> Path:
    """Return the folder that names in a dataset start from: of one that was read, as recorded."""
    source, folder = dataset.encoding.get("source"), dataset.attrs.get(FOLDER)
    return working_folder(Path(source), folder) if source and folder else Path.cwd()


@contextmanager
def finding_files(dataset: xr.Dataset) -> Iterator[None]:
    """Find what a dataset names from where its store is, while it is used.

    A dataset that was not read from a store names files as everybody does.
    """
    source = dataset.encoding.get("source")
    if source is None:
        yield
        return
    digests = json_object(str(dataset.attrs.get("files", "{}")), "files")
    working = _working_folder(dataset)
    with searching(Search(Path(source), working, digests, file_digest)):
        yield


def _first_line(error: Exception) -> str:
    return in_a_line((str(error).splitlines() or [type(error).__name__])[0])
