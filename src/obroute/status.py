"""What is done of a study, what is not, and why a cell would run again.

Each store is read whole and compared with what the study would make now: the settings that it
records with those of its cell, and the source files that made it with those of today. Snakemake
decides by its own records; this needs nothing but the study's folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from obroute.dependencies import file_digests, sources
from obroute.kinds.registry import kind_of_section
from obroute.kinds.stores import gathering_code, read_store
from obroute.reading import read_end
from obroute.results.stores import OldStoreError, is_store
from obroute.specs import InputError
from obroute.study import Cell, StudyBase

State = Literal["done", "missing", "failed", "damaged", "stale"]
STATES: tuple[State, ...] = ("done", "missing", "failed", "damaged", "stale")
MOST_NAMES = 3
"""Files or cells that a reason names; the others are counted."""


@dataclass(frozen=True)
class StoreStatus:
    """Where one store of a study stands, and why."""

    section: str
    name: str
    store: Path
    state: State
    reason: str = ""


def study_status(study: StudyBase) -> Iterator[StoreStatus]:
    """Yield where each store of a study stands: the cells of each kind, and what gathers them.

    Raises
    ------
    InputError
        If the study names what does not exist.
    """
    for section, cells in study.sections.items():
        kind = kind_of_section(section)
        digests: dict[str, str] = {}
        for name, cell in cells.items():
            log = study.folder / "logs" / section / f"{name}.log"
            state, reason, dataset = _examine(cell.store, log, kind.name)
            if dataset is not None:
                reason = _why_again(dataset, cell)
                state = "stale" if reason else "done"
                if state == "done":
                    digests[f"{name}.zarr"] = dataset.attrs["data_digest"][:16]
            yield StoreStatus(section, cell.label, cell.store, state, reason)
        store = study.folder / f"{section}.zarr"
        log = study.folder / "logs" / f"{section}.log"
        state, reason, dataset = _examine(store, log, kind.gathered)
        if dataset is not None:
            names = [f"{name}.zarr" for name in cells]
            reason = _why_gather_again(dataset, names, digests, gathering_code(kind))
            state = "stale" if reason else "done"
        yield StoreStatus("gathered", f"{section} of {study.study}", store, state, reason)


@dataclass(frozen=True)
class Section:
    """How far a sweep is with the stores of one section.

    ``running`` has when each began, in seconds since the epoch; ``failed`` has why.
    """

    section: str
    made: int
    running: Mapping[str, float]
    failed: Mapping[str, str]
    waiting: int


def how_far(study: StudyBase) -> list[Section]:
    """Return how far a sweep is, by what exists: stores, and the logs of jobs without one.

    No store is read, so that this can be asked every second; one that is there may be stale
    (:func:`study_status`). A job that was killed leaves a log, and counts as running.
    """
    return [
        _section(section, [(cell.label, cell.store, name) for name, cell in cells.items()], study)
        for section, cells in study.sections.items()
    ] + [
        _section(
            "gathered",
            [(section, study.folder / f"{section}.zarr", section) for section in study.sections],
            study,
        )
    ]


def _section(section: str, stores: Iterable[tuple[str, Path, str]], study: StudyBase) -> Section:
    made, waiting = 0, 0
    running: dict[str, float] = {}
    failed: dict[str, str] = {}
    logs = study.folder / "logs" / ("" if section == "gathered" else section)
    for label, store, name in stores:
        log = logs / f"{name}.log"
        if is_store(store):
            made += 1
        elif not log.is_file():
            waiting += 1
        elif reason := failure_in(log):
            failed[label] = reason
        else:
            running[label] = log.stat().st_mtime
    return Section(section, made, running, failed, waiting)


def stores_of_no_cell(study: StudyBase) -> list[Path]:
    """Return the stores in a study's folder that are of no cell of it: left by what it was."""
    if not study.folder.is_dir():
        return []
    known = {cell.store for cells in study.sections.values() for cell in cells.values()}
    known |= {study.folder / f"{section}.zarr" for section in study.sections}
    return sorted(
        file.parent
        for file in study.folder.rglob("zarr.json")
        if not any(part.startswith(".") for part in file.relative_to(study.folder).parts)
        and not is_store(file.parent.parent)
        and file.parent not in known
    )


def _examine(store: Path, log: Path, kind: str) -> tuple[State, str, xr.Dataset | None]:
    """Say what is wrong with a store, or return it."""
    if not store.exists():
        reason = failure_in(log)
        return ("failed" if reason else "missing"), reason, None
    try:
        return "done", "", read_store(store, kind)
    except OldStoreError as error:
        return "stale", str(error).removeprefix(f"{store} "), None
    except InputError as error:
        return "damaged", str(error).removeprefix(f"{store} "), None


def failure_in(log: Path) -> str:
    """Return the line in which a job's log says why it failed, empty where it does not."""
    try:
        lines = read_end(log).splitlines()
    except InputError:
        return ""
    lines = [line.strip() for line in lines if line.strip()]
    if not lines:
        return ""
    last = lines[-1]
    if last == "KeyboardInterrupt":
        return ""
    for mark in ("error: ", "wrong: "):
        if last.startswith(mark):
            return last.removeprefix(mark)
    return last if any(line.startswith("Traceback (most recent") for line in lines) else ""


def _why_again(stored: xr.Dataset, cell: Cell) -> str:
    """Say why a cell would run again; empty if it would not."""
    attributes = stored.attrs
    if attributes["network"] != cell.network:
        return f"network changed from {attributes['network']} to {cell.network}"
    if attributes["label"] != cell.called:
        return f"routing changed from {attributes['label']} to {cell.called}"
    changes = _changed_settings(json.loads(attributes["settings"]), cell.settings.record())
    changes += _changed_files(cell, stored)
    changes += _changed_sources(attributes, cell.depends.modules, all_of_them=not changes)
    return "; ".join(changes)


def _changed_settings(recorded: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} changed from {_shown(recorded.get(key))} to {_shown(value)}"
        for key, value in wanted.items()
        if recorded.get(key) != value
    ]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not recorded" if value is None else str(value)


def _changed_files(cell: Cell, stored: xr.Dataset) -> list[str]:
    """Name files of the network, routing or traffic whose content is another one now."""
    recorded: dict[str, str] = json.loads(stored.attrs["files"])
    now = file_digests(cell.depends.files)
    return [f"{file} changed" for file in now if now[file] != recorded.get(file)]


def _changed_sources(
    attributes: Mapping[str, Any], modules: Iterable[str], all_of_them: bool = True
) -> list[str]:
    """Name the source files of modules that are not those that made a store.

    Where other settings are wanted, other modules are; only those of both count then.
    """
    recorded, now = json.loads(attributes["sources"]), sources(modules)
    changed = [
        file
        for file in sorted(recorded.keys() | now.keys())
        if recorded.get(file) != now.get(file)
        and (all_of_them or (file in recorded and file in now))
    ]
    return [f"code changed: {_listed(changed)}"] if changed else []


def _why_gather_again(
    stored: xr.Dataset,
    names: Sequence[str],
    digests: Mapping[str, str],
    modules: Iterable[str],
) -> str:
    """Say why cells would be gathered again; ``digests`` are of the cells that are done."""
    gathered: dict[str, str] = json.loads(stored.attrs["cells"])
    groups = {
        "not gathered yet": [name for name in names if name not in gathered],
        "no longer in the study": [name for name in gathered if name not in names],
        "not done": [name for name in names if name in gathered and name not in digests],
        "changed": [
            name
            for name in names
            if name in gathered and name in digests and gathered[name] != digests[name]
        ],
    }
    changes = [f"cells {what}: {_listed(cells)}" for what, cells in groups.items() if cells]
    return "; ".join(changes + _changed_sources(stored.attrs, modules))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
