"""The configuration of a study, from the settings of every kind, and the cells it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, create_model, field_validator

from obroute.choices.execution import SCHEDULER
from obroute.choices.reports import TABLE1_NETWORK, TITLE
from obroute.dependencies import Dependencies
from obroute.importers import make_network
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import kinds
from obroute.kinds.settings import explain
from obroute.kinds.sweep import RADIX_MARK, Section, Sweep
from obroute.names import printable
from obroute.network import Network
from obroute.reading import read_yaml
from obroute.routing import Routing, routings
from obroute.specs import LARGEST_SEED, InputError, suggestion
from obroute.study.cells import Cell

MOST_CELLS = 100_000
"""How many cells one entry of a study may stand for."""


class Report(Section):
    """What the report shows."""

    title: str = Field(default=TITLE)
    table1_network: str = Field(
        default=TABLE1_NETWORK, description="The network of Table 1 of the technical report."
    )
    pareto_network: str = Field(
        default="torus:8x8",
        description="The network whose routings are drawn by throughput and path length.",
    )


class StudyBase(Section):
    """A study: what ``snakemake`` sweeps, in one file."""

    study: str = Field(
        default="default",
        max_length=100,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        description="Name of the study, and of its folder below the results folder.",
    )
    also: list[Sweep] = Field(default=[], description="Further networks with their own routings.")
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="Seed of every draw.")
    threads: int = Field(default=1, ge=1, description="Threads of one job, at the most.")
    scheduler: str = Field(
        default=SCHEDULER,
        description="Where tasks run: threads, processes, sync, tcp://host:port, "
        "tls://host:port?ca=FILE&cert=FILE&key=FILE, or a Dask scheduler file. Changing it "
        "re-runs nothing.",
    )
    results: str = Field(default="results", description="Folder that holds the study's folder.")
    report: Report = Field(default=Report(), description="What the report shows.")

    @field_validator("results")
    @classmethod
    def _is_plain(cls, folder: str) -> str:
        """Refuse a folder that the workflow would read as a pattern or an option."""
        if not re.fullmatch(r"[^-{}<>*][^{}<>*]*", folder) or printable(folder) != folder:
            raise ValueError(
                "expected the name of a folder without any of {}<>*, that begins with no dash"
            )
        return folder

    @property
    def folder(self) -> Path:
        """The folder of the study's results."""
        return Path(self.results) / self.study

    def entries(self, kind: Experiment[Any, Any]) -> list[Sweep]:
        """Return what the study lists of a kind."""
        if not kind.at_top:
            listed: list[Sweep] = getattr(self, kind.section)
            return listed
        assert isinstance(self, Sweep)
        return [self, *self.also]

    @cached_property
    def sections(self) -> dict[str, dict[str, Cell]]:
        """The cells of every kind that the study has, by its section and the names of stores.

        Each network and routing comes once. What a kind makes that is a routing (a design) is a
        cell of the kinds that take it besides.

        Raises
        ------
        InputError
            If a name is unknown, an experiment is not defined, or there is no cell.
        """
        found = {kind.section: self._cells(kind) for kind in kinds().values()}
        for kind in kinds().values():
            if kind.makes_routing:
                for cell in found[kind.section].values():
                    self._add_made(cell, found)
        found = {section: cells for section, cells in found.items() if cells}
        if not found:
            raise InputError("the study has no cell: give networks and routings")
        self._check_names(_networks(found))
        return found

    @property
    def networks_evaluated(self) -> list[str]:
        """The networks of the cells at the top of the study, in their order."""
        return _networks(self.sections)

    def cells(self, section: str) -> dict[str, Cell]:
        """Return the cells of one section by the names of their stores; none if it has none."""
        return self.sections.get(section, {})

    def _cells(self, kind: Experiment[Any, Any]) -> dict[str, Cell]:
        """Make a cell for every network and routing of a kind, each once."""
        found: dict[str, Cell] = {}
        cases: set[str] = set()
        for entry in self.entries(kind):
            names = list(entry.network_names())
            if len(names) * len(entry.routings) > MOST_CELLS:
                raise InputError(
                    f"{len(names):,} networks with {len(entry.routings):,} routings are more than "
                    f"{MOST_CELLS:,} cells; make studies of their own of them"
                )
            chosen: list[Routing | None] = [routings.create(name) for name in entry.routings]
            if kind.takes_all_routings:
                chosen = [None]
            for network_name in names:
                network = make_network(network_name)
                for routing in chosen:
                    asked = network if routing is None else routing.network_for(network)
                    if routing is not None:
                        routing.check(asked)
                    cell = self._cell(kind, entry, asked, routing)
                    if cell.label not in cases:
                        cases.add(cell.label)
                        _add(found, cell)
        return found

    def _cell(
        self,
        kind: Experiment[Any, Any],
        entry: Sweep,
        network: Network,
        routing: Routing | None,
    ) -> Cell:
        settings = kind.settings_of(entry, self, network, routing)
        depends = kind.depends_on(network, routing if kind.takes_routing else None, settings)
        called = kind.label("" if routing is None else routing.name, settings)
        name = called if routing is None else routing.name
        return Cell(kind, network.name, name, settings, called, self.threads, depends, self.folder)

    def _add_made(self, made: Cell, found: Mapping[str, dict[str, Cell]]) -> None:
        """Add the cells that take what a cell makes for their routing."""
        name, routing = made.kind.made_routing(made.store)
        network = make_network(made.network)
        for kind in kinds().values():
            if not kind.evaluates_made_routings:
                continue
            settings = kind.settings_of(self.entries(kind)[0], self, network, None)
            depends = Dependencies.union((kind.depends_on(network, None, settings), routing))
            cell = Cell(
                kind,
                made.network,
                name,
                settings,
                made.routing,
                self.threads,
                depends,
                self.folder,
                made,
            )
            if cell.name in found[kind.section]:
                raise InputError(
                    f"{made.label} is among the routings and among the {made.kind.section}; name "
                    "it once"
                )
            _add(found[kind.section], cell)

    def _check_names(self, networks: list[str]) -> None:
        """Raise where a part of the study names a network that the study has not."""
        named = {
            f"{name}.networks": part.networks
            for name, part in self
            if isinstance(part, Section) and hasattr(part, "networks")
        }
        for key in self.report.model_fields_set & {"table1_network", "pareto_network"}:
            named[f"report.{key}"] = [getattr(self.report, key)]
        for where, names in named.items():
            for name in names:
                if name not in networks and not self._stands_for(name):
                    raise InputError(
                        f"{where}: the study has no network '{name}'"
                        + suggestion(name, networks[:20])
                    )

    def _stands_for(self, name: str) -> bool:
        """Say whether a network is one of the study's but for its radix."""
        return any(
            re.fullmatch(
                re.escape(pattern)
                .replace(re.escape(RADIX_MARK), r"(\d+)", 1)
                .replace(re.escape(RADIX_MARK), r"\1"),
                name,
            )
            for kind in kinds().values()
            if kind.at_top
            for entry in self.entries(kind)
            for pattern in entry.networks
        )


def _networks(sections: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    """Return the networks of the cells at the top of a study, in their order."""
    cells = (
        cell
        for kind in kinds().values()
        if kind.at_top
        for cell in sections.get(kind.section, {}).values()
    )
    return list(dict.fromkeys(cell.network for cell in cells))


def _add(cells: dict[str, Cell], cell: Cell) -> None:
    if cell.name in cells:
        raise InputError(
            f"cells {cells[cell.name].label} and {cell.label} have one file name, {cell.name}; "
            "rename one of their files"
        )
    cells[cell.name] = cell


def _study_class() -> type[StudyBase]:
    """Return the class of studies: the parts of every kind beside what all share."""
    return _study_class_of(tuple(kinds().values()))


@cache
def _study_class_of(known: tuple[Experiment[Any, Any], ...]) -> type[StudyBase]:
    at_top: tuple[type[Any], ...] = tuple(kind.entry() for kind in known if kind.at_top)
    sections: dict[str, Any] = {}
    for kind in known:
        if not kind.at_top:
            entry = kind.entry()
            sections[kind.section] = (
                list[entry],  # type: ignore[valid-type]
                Field(default=[], description=kind.about),
            )
    return create_model(
        "Study", __base__=(StudyBase, *at_top), __doc__=StudyBase.__doc__, **sections
    )


def read_study(values: Mapping[str, Any] | Path) -> StudyBase:
    """Read a study from a mapping (Snakemake's ``config``) or a YAML file.

    Raises
    ------
    InputError
        Names the first wrong key or value, and what is expected.

    Examples
    --------
    >>> study = read_study({"networks": ["torus:{k}x{k}"], "radices": "3-4", "routings": "dor"})
    >>> list(study.cells("evaluations"))
    ['torus-3x3/dor', 'torus-4x4/dor']
    """
    origin = ""
    if isinstance(values, Path):
        origin = f"{values}: "
        values = read_yaml(values)
        if not isinstance(values, dict):
            raise InputError(f"{origin}expected keys and values, such as networks: […]")
    study = _study_class()
    try:
        return study.model_validate(dict(values))
    except ValidationError as error:
        raise InputError(origin + explain(error, study)) from None


def schema() -> str:
    """Return the JSON schema of a study, as ``config/schema.json`` holds it."""
    return json.dumps(_study_class().model_json_schema(), indent=2, ensure_ascii=False)
