"""Cells of a study: one network with one routing, worked out by one job of a sweep."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from obroute.dependencies import Dependencies, program
from obroute.importers import make_network
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import kind_of_section
from obroute.kinds.settings import Settings
from obroute.kinds.stores import cell_name, gathering_code
from obroute.names import as_word


@dataclass(frozen=True)
class Cell:
    """One network with one routing: what one job of the sweep works out.

    Parameters
    ----------
    kind
        Of the experiment.
    network, routing, settings
        What is asked for.
    called
        What the routing is called: its name, unless settings or a design change that.
    most_threads
        How many the job may have.
    depends
        The files and modules that its result depends on.
    folder
        The study's.
    made
        The cell whose store is its routing, if so.
    """

    kind: Experiment[Any, Any]
    network: str
    routing: str
    settings: Settings
    called: str
    most_threads: int
    depends: Dependencies
    folder: Path
    made: Cell | None = None

    @property
    def threads(self) -> int:
        """How many threads the job has: one where its kind runs nothing side by side."""
        return self.most_threads if self.kind.parallel else 1

    @property
    def label(self) -> str:
        """What a person calls it."""
        return f"{self.network} {self.called}"

    @property
    def name(self) -> str:
        """Name of its store below the folder of its kind."""
        return cell_name(self.network, self.called).removesuffix(".zarr")

    @property
    def store(self) -> Path:
        """Its store."""
        return self.folder / self.kind.section / f"{self.name}.zarr"

    @property
    def words(self) -> list[str]:
        """The words of the command that works it out, after ``obroute``."""
        return self.kind.words(as_word(self.network), as_word(self.routing), self.settings)

    @property
    def command(self) -> str:
        """The line that works it out into its store, as a person would type it."""
        return shlex.join(["obroute", *self.words, "--save", str(self.store)])

    @property
    def program(self) -> str:
        """A digest of the code that its result depends on."""
        return program(self.depends.modules)

    @cached_property
    def megabytes(self) -> int:
        """Memory that the job needs."""
        if self.made is not None:
            return self.made.megabytes
        network = make_network(self.network)
        routing = self.kind.routing_of(network, self.routing, self.settings)
        return self.kind.megabytes(network, routing, self.settings, self.threads)


def gathering_program(section: str) -> str:
    """Return a digest of the code that gathers the cells of a section."""
    return program(gathering_code(kind_of_section(section)))
