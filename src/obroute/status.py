"""What is done of a study, what is not, and why a cell would run again.

Each store is read whole and compared with what the study would make now: the settings that it
records with those of its cell, and the source files that made it with those of today. Snakemake
decides by its own records; this needs nothing but the study's folder.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from obroute.config import Cell, Study
from obroute.importers import make_network
from obroute.results import network_digest, read_store, source_digests
from obroute.specs import InputError
from obroute.stages import is_of_stage
from obroute.traffic import make_pattern

State = Literal["done", "missing", "failed", "damaged", "stale"]
STATES: tuple[State, ...] = ("done", "missing", "failed", "damaged", "stale")
MOST_NAMES = 3
"""Files or cells that a reason names; the others are counted."""


@dataclass(frozen=True)
class StoreStatus:
    """Where one store of a study stands, and why."""

    experiment: str
    name: str
    store: Path
    state: State
    reason: str = ""


@dataclass(frozen=True)
class _Experiment:
    """What one kind of cells is: where its stores are, and what their command records.

    ``settings`` has the default of each setting of the command, and ``options`` says which option
    sets it and how its word is read; a list grows by one with each. ``gathered`` is empty where
    nothing gathers the cells.
    """

    name: str
    kind: str
    stage: str
    folder: str
    logs: str
    gathered: str
    gather_log: str
    gathered_kind: str
    cells: Callable[[Study], Mapping[str, Cell]]
    settings: Mapping[str, Any]
    options: Mapping[str, tuple[str, Callable[[str], Any]]]


_EVALUATION = _Experiment(
    name="evaluation",
    kind="cell",
    stage="evaluate",
    folder="cells",
    logs="evaluate",
    gathered="study.zarr",
    gather_log="gather.log",
    gathered_kind="study",
    cells=lambda study: study.cells,
    settings={
        "patterns": [],
        "random_permutation_samples": 0,
        "average_case_samples": 0,
        "matrix_kind": "permutation",
        "seed": 0,
        "all_channels": False,
        "pair_load_limit": 1_000_000,
    },
    options={
        "--pattern": ("patterns", lambda name: make_pattern(name).name),
        "--random-permutations": ("random_permutation_samples", int),
        "--average-case": ("average_case_samples", int),
        "--matrix-kind": ("matrix_kind", str),
        "--seed": ("seed", int),
        "--all-channels": ("all_channels", bool),
        "--pair-load-limit": ("pair_load_limit", int),
    },
)
_SIMULATIONS = _Experiment(
    name="simulations",
    kind="simulation",
    stage="simulate",
    folder="simulations",
    logs="simulations",
    gathered="simulations.zarr",
    gather_log="gather-simulations.log",
    gathered_kind="simulations",
    cells=lambda study: study.simulation_cells,
    settings={"traffic": [], "seed": 0, "queue": "fifo", "seeds": 1, "phases": False},
    options={
        "--traffic": ("traffic", str),
        "--seed": ("seed", int),
        "--queue": ("queue", str),
        "--seeds": ("seeds", int),
        "--phases": ("phases", bool),
    },
)
_STABILITY = _Experiment(
    name="stability",
    kind="stability",
    stage="simulate",
    folder="stability",
    logs="stability",
    gathered="stability.zarr",
    gather_log="gather-stability.log",
    gathered_kind="stabilities",
    cells=lambda study: study.stability_cells,
    settings={
        "traffic": [],
        "seed": 0,
        "queue": "fifo",
        "steps": 40_000,
        "tolerance": 0.01,
        "rates": [],
    },
    options={
        "--traffic": ("traffic", str),
        "--seed": ("seed", int),
        "--queue": ("queue", str),
        "--steps": ("steps", int),
        "--tolerance": ("tolerance", float),
        "--rate": ("rates", float),
    },
)
_DESIGNS = _Experiment(
    name="designs",
    kind="design",
    stage="design",
    folder="designs",
    logs="designs",
    gathered="designs.zarr",
    gather_log="gather-designs.log",
    gathered_kind="designs",
    cells=lambda study: study.design_cells,
    settings={"name": ""},
    options={"--named": ("name", str)},
)
_TRADE_OFFS = _Experiment(
    name="trade-offs",
    kind="trade_off",
    stage="design",
    folder="trade_offs",
    logs="trade_offs",
    gathered="",
    gather_log="",
    gathered_kind="",
    cells=lambda study: study.trade_off_cells,
    settings={
        "objective": "worst_case",
        "paths": "all",
        "samples": 100,
        "seed": 0,
        "most_solves": 2000,
    },
    options={
        "--objective": ("objective", str),
        "--paths": ("paths", str),
        "--samples": ("samples", int),
        "--seed": ("seed", int),
        "--most-solves": ("most_solves", int),
    },
)
EXPERIMENTS = (_DESIGNS, _TRADE_OFFS, _EVALUATION, _SIMULATIONS, _STABILITY)
_FLAGS = ("--all-channels", "--phases", "--saturation")


def study_status(study: Study) -> Iterator[StoreStatus]:
    """Yield where each store of a study stands: the cells of each kind, then what gathers them.

    Raises
    ------
    InputError
        If the study names what does not exist.
    """
    for experiment in EXPERIMENTS:
        cells = experiment.cells(study)
        if not cells:
            continue
        digests: dict[str, str] = {}
        for name, cell in cells.items():
            store = study.folder / experiment.folder / f"{name}.zarr"
            log = study.folder / "logs" / experiment.logs / f"{name}.log"
            state, reason, found = _examine(store, log, experiment.kind)
            if found is not None:
                reason = _why_again(found, cell, experiment)
                state = "stale" if reason else "done"
                if state == "done":
                    digests[f"{name}.zarr"] = found.attrs["data_digest"][:16]
            yield StoreStatus(experiment.name, cell.label, store, state, reason)
        if not experiment.gathered:
            continue
        store = study.folder / experiment.gathered
        log = study.folder / "logs" / experiment.gather_log
        state, reason, found = _examine(store, log, experiment.gathered_kind)
        if found is not None:
            reason = _why_gather_again(found, [f"{name}.zarr" for name in cells], digests)
            state = "stale" if reason else "done"
        yield StoreStatus("gathered", f"{experiment.name} of {study.study}", store, state, reason)


def _examine(store: Path, log: Path, kind: str) -> tuple[State, str, xr.Dataset | None]:
    """Say what is wrong with a store, or return it."""
    if not store.exists():
        reason = failure_in(log)
        return ("failed" if reason else "missing"), reason, None
    try:
        return "done", "", read_store(store, kind)
    except InputError as error:
        return "damaged", str(error).removeprefix(f"{store} "), None


def failure_in(log: Path) -> str:
    """Return the line in which a job's log says why it failed, empty where it does not."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
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


def _why_again(found: xr.Dataset, cell: Cell, experiment: _Experiment) -> str:
    """Say why a cell would run again; empty if it would not."""
    attributes = found.attrs
    for key, wanted in (("network", cell.network), ("routing", cell.routing)):
        if attributes[key] != wanted:
            return f"{key} changed from {attributes[key]} to {wanted}"
    changes = _changed_settings(
        json.loads(attributes["settings"]), expected_settings(cell.options, experiment)
    )
    changes += _changed_files(cell, found)
    # A routing that is designed while it is evaluated depends on the design's code too.
    changes += _changed_sources(attributes, experiment.stage, *cell.also_stages)
    return "; ".join(changes)


def expected_settings(options: Sequence[str], experiment: _Experiment) -> dict[str, Any]:
    """Return the settings that a command with these options records in its store."""
    settings = {
        key: list(value) if isinstance(value, list) else value
        for key, value in experiment.settings.items()
    }
    words = iter(options)
    for option in words:
        word = "yes" if option in _FLAGS else next(words)
        if option not in experiment.options:
            continue
        key, read = experiment.options[option]
        value = read(word)
        if not isinstance(settings[key], list):
            settings[key] = value
        elif value not in settings[key]:
            settings[key].append(value)
    return settings


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


def _changed_files(cell: Cell, found: xr.Dataset) -> list[str]:
    """Name files of the network or routing that differ, or were written since."""
    if not cell.files:
        return []
    if network_digest(make_network(cell.network)) != found.attrs["network_digest"]:
        return [f"the network in {cell.network} changed"]
    written = datetime.datetime.fromisoformat(found.attrs["created"]).timestamp()
    return [
        f"{file} was written after the store"
        for file in cell.files
        if Path(file).exists() and Path(file).stat().st_mtime > written + 1
    ]


def _changed_sources(attributes: Mapping[str, Any], *stages: str) -> list[str]:
    """Name the source files of stages that are not those that made a store."""
    if "sources" not in attributes:
        return ["the code that made it is not recorded"]
    recorded, now = json.loads(attributes["sources"]), source_digests()
    changed = [
        file
        for file in sorted(recorded.keys() | now.keys())
        if any(is_of_stage(file, stage) for stage in stages)
        and recorded.get(file) != now.get(file)
    ]
    return [f"code changed: {_listed(changed)}"] if changed else []


def _why_gather_again(found: xr.Dataset, names: Sequence[str], digests: Mapping[str, str]) -> str:
    """Say why cells would be gathered again; ``digests`` are of the cells that are done."""
    gathered: dict[str, str] = json.loads(found.attrs.get("cells", "{}"))
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
    return "; ".join(changes + _changed_sources(found.attrs, "gather"))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
