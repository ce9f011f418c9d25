"""The stores of a study: each section's gathered one, and its cells, read when they are needed.

A section holds what one kind of experiment found. In the folder of a study it is a gathered store
``SECTION.zarr`` and the stores of its cells, ``SECTION/NETWORK/ROUTING.zarr``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import xarray as xr

from obroute.kinds.backend import SUFFIX
from obroute.kinds.registry import kinds
from obroute.kinds.stores import gathered, read_store
from obroute.results.stores import finding_files, is_store, stored_kind
from obroute.specs import InputError, suggestion

Gathered = Mapping[str, xr.Dataset | Path]
Cells = Mapping[str, xr.Dataset]


def _sections() -> list[str]:
    """Return the sections of the kinds, those at the top of a study first."""
    known = sorted(kinds().values(), key=lambda kind: not kind.at_top)
    return [kind.section for kind in known]


def section_of(kind: str) -> str:
    """Return the section that stores of a kind belong to; a kind that is not known is its own."""
    for one in kinds().values():
        if kind in (one.name, one.gathered):
            return one.section
    return kind


def is_cell(kind: str) -> bool:
    """Say whether stores of a kind hold one cell each, and are no gathered ones."""
    return kind in kinds()


def _kind(dataset: xr.Dataset) -> str:
    return str(dataset.attrs.get("kind", ""))


class StudyData(Mapping[str, xr.Dataset]):
    """The gathered stores of a study by section, and its cells.

    Parameters
    ----------
    stores
        Gathered datasets, or their stores, by section; a store is read when it is first asked
        for, and checked to be of its section.
    cells
        The cells of a section by name, or the folder in which those are stores.
    origin
        What to call it in a message.

    Examples
    --------
    >>> import obroute
    >>> data = StudyData({"evaluations": obroute.compare(["ring:5"], ["dor"])})
    >>> "evaluations" in data, "designs" in data
    (True, False)
    """

    def __init__(
        self,
        stores: Gathered,
        cells: Mapping[str, Cells | Path] | None = None,
        origin: str = "the study",
    ) -> None:
        self.origin = origin
        self.configuration: Mapping[str, Any] = {}
        """What the study was asked with, where that was told."""
        self._gathered = dict(stores)
        self._cells = dict(cells or {})
        self._read: dict[tuple[str, str], xr.Dataset] = {}

    @classmethod
    def read(cls, place: Path) -> StudyData:
        """Return the data in the folder of a study, or in that of one of its gathered stores.

        A gathered store that has not the name that the sweep gives it stands alone, with the
        cells in the folder of its name.

        Raises
        ------
        InputError
            If there is nothing to read.
        """
        if not is_store(place):
            if not place.is_dir():
                raise InputError(
                    f"{place} does not exist; give the folder of a study, or one of its stores"
                )
            found = cls.in_folder(place)
            if not found.sections:
                raise InputError(f"{place} holds no store of a study; gather its cells first")
            return found
        dataset = read_store(place)
        section = section_of(_kind(dataset))
        if is_cell(_kind(dataset)):
            raise InputError(
                f"{place} is a store of kind {dataset.attrs['kind']}, which is one cell; expected "
                "the folder of a study, or a store that `obroute gather` made"
            )
        if place.name == section + SUFFIX:
            data = cls.in_folder(place.parent).with_gathered(section, dataset)
        else:
            data = cls({section: dataset}, {section: place.with_suffix("")})
        data.origin = f"{place} is a store of kind {dataset.attrs['kind']}, and the study"
        return data

    @classmethod
    def read_cell(cls, store: Path) -> tuple[StudyData, str]:
        """Return the data of the study that the store of a cell is in, and the cell's name.

        A store that is in no study's folder, or in one that is not gathered, stands alone.
        """
        dataset = read_store(store)
        section, folder = section_of(_kind(dataset)), store.parent.parent
        if folder.name == section:
            data = cls.in_folder(folder.parent)
            if section in data:
                return data, f"{store.parent.name}/{store.stem}"
        return cls.of_cells([store]), store.as_posix()

    @classmethod
    def of_cells(cls, stores: Sequence[Path]) -> StudyData:
        """Return the data of cells alone, those of a section gathered.

        Raises
        ------
        InputError
            If one is no cell, or two are of the same network and routing.
        """
        cells: dict[str, dict[str, xr.Dataset]] = {}
        for store in stores:
            dataset = read_store(store)
            kind = _kind(dataset)
            if not is_cell(kind):
                raise InputError(
                    f"{store} is a store of kind {kind}, and no cell; give the folder of a study, "
                    "one of its stores, or cells alone"
                )
            cells.setdefault(kind, {})[store.as_posix()] = dataset
        whole = {section_of(kind): gathered(kind, mine) for kind, mine in cells.items()}
        mine = {section_of(kind): named for kind, named in cells.items()}
        said = f"{stores[0]}" if len(stores) == 1 else f"what these {len(stores)} stores hold"
        return cls(whole, mine, said)

    @classmethod
    def in_folder(cls, folder: Path) -> StudyData:
        """Return what the folder of a study holds; nothing is read yet."""
        found: dict[str, Path] = {}
        for store in sorted(folder.glob(f"*{SUFFIX}")):
            kind = stored_kind(store)
            section = section_of(kind) if kind else store.stem
            if section and not is_cell(kind) and (section not in found or section == store.stem):
                found[section] = store
        folders = {section: folder / section for section in (*found, *_sections())}
        cells = {name: path for name, path in folders.items() if path.is_dir()}
        return cls(found, cells, str(folder))

    def with_gathered(self, section: str, dataset: xr.Dataset) -> StudyData:
        """Return the same data with another gathered dataset in a section."""
        return StudyData({**self._gathered, section: dataset}, self._cells, self.origin)

    def with_cells(self, section: str, cells: Cells | Path) -> StudyData:
        """Return the same data with other cells in a section."""
        return StudyData(self._gathered, {**self._cells, section: cells}, self.origin)

    @contextmanager
    def finding_files(self, needs: Collection[str]) -> Iterator[None]:
        """Find the files that the study names from where its stores are, while it is used.

        ``needs`` are the sections that are read.
        """
        read = (self[section] for section in needs if section in self._gathered)
        with finding_files(next(read, xr.Dataset())):
            yield

    @property
    def sections(self) -> list[str]:
        """The sections that hold something, in order; none is read for it."""
        known = dict.fromkeys([*_sections(), *self._gathered, *self._cells])
        return [
            section for section in known if section in self._gathered or self._given_cells(section)
        ]

    def _given_cells(self, section: str) -> bool:
        """Say whether the cells of a section were given with no store that gathers them."""
        cells = self._cells.get(section)
        return bool(cells) and not isinstance(cells, Path)

    def __getitem__(self, section: str) -> xr.Dataset:
        """Return the gathered dataset of a section."""
        key = (section, "")
        if key not in self._read:
            given = self._gathered[section]
            dataset = read_store(given) if isinstance(given, Path) else given
            if section_of(_kind(dataset)) != section or is_cell(_kind(dataset)):
                raise InputError(
                    f"{given if isinstance(given, Path) else 'a dataset'} of kind "
                    f"{dataset.attrs.get('kind')!r} is no gathered store of {section}"
                )
            self._read[key] = dataset
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._gathered)

    def __len__(self) -> int:
        return len(self._gathered)

    def cell_names(self, section: str) -> list[str]:
        """Return the names of a section's cells: what it was gathered from, else what is there."""
        if section in self._gathered:
            return list(json.loads(self[section].attrs.get("cells", "{}")))
        return self.readable_cells(section)

    def readable_cells(self, section: str) -> list[str]:
        """Return the names of the cells that can be read, not only told of."""
        cells = self._cells.get(section, {})
        if not isinstance(cells, Path):
            return list(cells)
        if section in self._gathered:
            return [name for name in self.cell_names(section) if is_store(cells / name)]
        stores = (store.relative_to(cells) for store in cells.glob(f"*/*{SUFFIX}"))
        return [
            name.as_posix()
            for name in sorted(stores, key=lambda name: name.with_suffix("").as_posix())
        ]

    def cell(self, section: str, name: str) -> xr.Dataset:
        """Return the dataset of a cell by its name, with the suffix of stores or without.

        Raises
        ------
        InputError
            If there is no such cell.
        """
        key = (section, name.removesuffix(SUFFIX))
        if key not in self._read:
            self._read[key] = self._find_cell(*key)
        return self._read[key]

    def _find_cell(self, section: str, name: str) -> xr.Dataset:
        cells = self._cells.get(section, {})
        if isinstance(cells, Path):
            dataset = read_store(cells / f"{name}{SUFFIX}")
        else:
            found = next((cells[key] for key in (name, name + SUFFIX) if key in cells), None)
            if found is None:
                raise InputError(
                    f"there is no cell '{name}' in {section}" + suggestion(name, list(cells))
                )
            dataset = found
        if section_of(_kind(dataset)) != section:
            raise InputError(
                f"the cell '{name}' is a store of kind {dataset.attrs.get('kind')}, and none of "
                f"{section}"
            )
        return dataset
