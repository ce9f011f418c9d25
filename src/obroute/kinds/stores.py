"""Stores of experiments: made from answers, written, read, gathered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from obroute.dependencies import Dependencies, file_digests
from obroute.kinds.registry import attributes_of, attributes_of_cells, kinds, specs_of
from obroute.names import file_name, in_a_line
from obroute.results.datasets import check_attributes, make_dataset
from obroute.results.gathering import gather
from obroute.results.provenance import network_attributes, provenance
from obroute.results.stores import (
    DIGEST,
    data_digest,
    read_dataset,
    types_of_written,
    write_dataset,
)
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.kinds.answers import Contents
    from obroute.kinds.contract import Experiment
    from obroute.kinds.settings import Settings


def dataset_of(
    kind: str | Experiment[Any, Any],
    answer: Any,
    settings: Settings | None = None,
    seconds: float = 0.0,
    dependencies: Dependencies | None = None,
    files: Mapping[str, str] | None = None,
) -> xr.Dataset:
    """Return an answer as a dataset, as its store holds it.

    Parameters
    ----------
    kind
        Of the experiment, by name or as an object.
    answer
        What its :meth:`~obroute.kinds.Experiment.run` gave.
    settings
        What it was asked for; the defaults if not given.
    seconds
        The time that it took.
    dependencies
        What it depends on; what network, routing and settings say by their names if not given.
    files
        The digests of the files that it depends on, as they were when it was begun; as they are
        now if not given.

    Raises
    ------
    InputError
        If it cannot be stored: an estimate, for one.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.evaluate("torus:5x5", "romm", ["tornado"])
    >>> dataset_of("evaluation", found).worst_case_load_exact.values.tolist()
    ['8/3']
    """
    one = kinds()[kind] if isinstance(kind, str) else kind
    settings = one.settings_behind(answer) if settings is None else settings
    contents = one.contents(answer, settings)
    if dependencies is None:
        dependencies = _dependencies(one, contents, settings)
    if files is None:
        files = file_digests(dependencies.files)
    made = provenance(settings.record(), seconds, dependencies.modules, files)
    return of_contents(one, contents, settings, made)


def of_contents(
    kind: Experiment[Any, Any], contents: Contents, settings: Settings, made: Mapping[str, Any]
) -> xr.Dataset:
    """Return contents as the dataset of a store; ``made`` is what made them: provenance."""
    attributes = {
        "kind": kind.name,
        **network_attributes(contents.network),
        "routing": contents.routing,
        "label": contents.label or kind.label(contents.routing, settings),
        **contents.attributes,
        **made,
    }
    dataset = make_dataset(kind.arrays(), contents.arrays, contents.coordinates, attributes)
    check_attributes(dataset, attributes_of_cells(kind))
    return dataset


def _dependencies(
    kind: Experiment[Any, Any], contents: Contents, settings: Settings
) -> Dependencies:
    """Return what an answer depends on; its routing counts where its name makes it."""
    try:
        routing = kind.routing_of(contents.network, contents.routing, settings)
    except InputError:
        routing = None
    return kind.depends_on(contents.network, routing, settings)


def gathered(
    kind: str | Experiment[Any, Any], cells: Mapping[str, xr.Dataset], study: str = ""
) -> xr.Dataset:
    """Gather the datasets of one kind into one, with dims network and routing.

    Parameters
    ----------
    kind
        Of all of them, by name or as an object.
    cells
        By the names of their stores.
    study
        The name of the study, for the record.

    Raises
    ------
    InputError
        If there is none, one is of another kind, or a network and routing comes twice.
    """
    one = kinds()[kind] if isinstance(kind, str) else kind
    for name, cell in cells.items():
        if cell.attrs.get("kind") != one.name:
            raise InputError(
                f"{name} is a store of kind {cell.attrs.get('kind')}; expected {one.name}"
            )
    seconds = sum(float(cell.attrs["seconds"]) for cell in cells.values())
    attributes = {
        "kind": one.gathered,
        **provenance({"study": study}, seconds, gathering_code(one)),
    }
    return gather(cells, one.summary(), one.summarize, attributes)


def cell_name(network: str, routing: str) -> str:
    """Return the name of a cell's store, below the folder of its kind.

    >>> cell_name("torus:9x9", "romm")
    'torus-9x9/romm.zarr'
    """
    return f"{file_name(network)}/{file_name(routing)}.zarr"


def with_digest(dataset: xr.Dataset) -> xr.Dataset:
    """Return a dataset with the digest of its data, as its store has it."""
    digest = data_digest(dataset, specs_of(str(dataset.attrs["kind"])))
    return dataset.assign_attrs({DIGEST: digest})


def gathering_code(kind: Experiment[Any, Any]) -> tuple[str, ...]:
    """Return the modules whose code a gathered store depends on."""
    return ("obroute.results.gathering", *kind.gathering_modules())


def read_store(store: str | Path, kind: str | None = None) -> xr.Dataset:
    """Read a whole store into memory, checked against its digest and the specification.

    Parameters
    ----------
    store
        Its folder.
    kind
        The kind expected (``evaluation``, ``evaluations``, …); any if not given.

    Raises
    ------
    InputError
        If there is no store, it is truncated or was changed, or it is of another version or kind.
    """
    dataset = read_dataset(store, specs_of, kind)
    try:
        types = attributes_of(str(dataset.attrs["kind"]))
        check_attributes(dataset, {**types, **types_of_written(dataset)})
    except InputError as error:
        raise InputError(f"{store}: {in_a_line(error)}; remove it and make it again") from None
    return dataset


def write_store(dataset: xr.Dataset, store: str | Path) -> None:
    """Write a dataset under a temporary name beside the target, then rename.

    A killed write leaves nothing under the target's name; an existing store stays until the new
    one is whole.
    """
    write_dataset(dataset, store, specs_of(str(dataset.attrs.get("kind"))))
