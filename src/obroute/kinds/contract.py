"""What a kind of experiment is: everything that is said of it, said once.

A kind (evaluation, simulation, design, …) is one module or package here. It declares its settings
as typed fields, what it runs, what it stores, what is gathered of its stores, how a stored one is
verified, its memory and what it depends on. The study, the command line, status, gathering,
verification, the schema and the workflow are made from that, for every kind alike.

What only some commands need stands in modules beside the kind, which are found by their names and
imported when they are needed:

``store``
    ``ARRAYS``, the specification of every array of its stores; ``ATTRIBUTES``, where they have
    attributes of their own; ``contents(answer, settings)``; and what ``gathered`` would hold.
``gathered``
    ``SUMMARY``, the specification of every array of the store that gathers them; and
    ``summarize(cell)``, where that is more than the cell's arrays and attributes of these names.
``verify``
    ``rederive(cell, network, routing, settings)``, where a store has proofs to check; or
    ``check(answer)``, which holds what was run again against code that shares nothing with it.
``certificate``
    ``certificate(cell, most, network, routing)``, where a store has a proof to hand on.

A kind in one module defines the methods of the same names in place of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from obroute.dependencies import Dependencies
from obroute.kinds.answers import Contents, Output, Rederived, Shown
from obroute.kinds.modules import first_beside, module_beside
from obroute.kinds.settings import Settings
from obroute.kinds.sweep import Sweep
from obroute.machine import REMEDY
from obroute.specs import InputError
from obroute.tasks import run_serially

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.results.arrays import AttributeSpec, Specs
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

Chosen = TypeVar("Chosen", bound=Settings)
Answer = TypeVar("Answer")


class Experiment(ABC, Generic[Chosen, Answer]):
    """A kind of experiment; see the module.

    Attributes
    ----------
    name
        Of the kind, as stores record it.
    section
        The key of a study that lists its experiments, the folder of their stores below the
        study's, and the name of the store that gathers them.
    gathered
        The kind of that store.
    title
        What one of its stores is, for the description of stores.
    command
        The command that runs one.
    purpose
        What the command does, in a sentence; ``about`` is what the section of a study lists.
    settings
        The class of its settings.
    entry
        The class of an entry of the section: networks and routings, and the settings that a study
        may give; made from the settings unless a kind says otherwise.
    answers
        The classes of what it gives, by module and name; of these it is known again.
    at_top
        Whether its entries stand at the top of a study.
    is_usual
        Whether its command means it where nothing says otherwise (:meth:`is_meant`).
    takes_routing
        Whether the command takes a routing as its second argument.
    takes_all_routings
        Whether one cell takes all routings of an entry, which are then a setting, ``routings``.
    usual_routing
        The routing that the command takes where none is given; it must be given where empty.
    makes_routing, evaluates_made_routings
        Whether its store is a routing; and whether it takes every such store of its study as a
        routing of its own.
    parallel
        Whether it runs tasks side by side.
    minutes
        Time that a job of a sweep may take, at the first attempt.
    code
        The modules whose code its results depend on, besides those of network and routing and its
        ``store``; the kind's own where it has neither. Their imports are followed.
    remedy
        What to do where memory does not suffice.
    """

    name: ClassVar[str]
    section: ClassVar[str]
    gathered: ClassVar[str]
    title: ClassVar[str]
    command: ClassVar[str]
    purpose: ClassVar[str]
    about: ClassVar[str]
    settings: ClassVar[type[Settings]]
    answers: ClassVar[tuple[str, ...]] = ()
    at_top: ClassVar[bool] = False
    is_usual: ClassVar[bool] = True
    takes_routing: ClassVar[bool] = True
    takes_all_routings: ClassVar[bool] = False
    usual_routing: ClassVar[str] = ""
    makes_routing: ClassVar[bool] = False
    evaluates_made_routings: ClassVar[bool] = False
    parallel: ClassVar[bool] = True
    minutes: ClassVar[int] = 60
    code: ClassVar[tuple[str, ...]] = ()
    remedy: ClassVar[str] = REMEDY

    # What it is asked for.

    def entry(self) -> type[Sweep]:
        """Return the class of an entry of its section of a study."""
        return Sweep.of(self.settings, self.about)

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> Chosen:
        """Return the settings of one cell of a study.

        Parameters
        ----------
        entry
            The entry of the study that lists the network and the routing.
        study
            The study: what it says of a setting of the same name holds where the entry has none.
        network, routing
            The cell's.

        Raises
        ------
        InputError
            If what the entry asks for is not defined for the network or the routing.
        """
        found: Chosen = self.settings.read(entry.settings_given(self.settings, study))  # type: ignore[assignment]
        return found

    def routing_of(self, network: Network, routing: str, settings: Chosen) -> Routing | None:
        """Return the routing by its name; None for a kind that takes none."""
        from obroute.routing import routings

        return routings.create(routing) if self.takes_routing else None

    def label(self, routing: str, settings: Chosen) -> str:
        """Return what the routing of a cell is called; its name unless settings change it."""
        return routing

    def words(self, network: str, routing: str, settings: Chosen) -> list[str]:
        """Return the words of the command that runs one: what a person would type."""
        return [self.command, network, *settings.arguments(), routing, *settings.words()]

    def is_meant(self, given: Mapping[str, Any]) -> bool:
        """Say whether options that were given mean this kind, of several that share a command."""
        return True

    def check(self, network: Network, routing: Routing | None, settings: Chosen) -> None:
        """Raise :class:`InputError` where it is not defined."""
        if routing is not None:
            routing.check(network)

    # What it runs.

    @abstractmethod
    def run(
        self, network: Network, routing: Routing | None, settings: Chosen, run: TaskRunner
    ) -> Answer:
        """Run one."""

    def megabytes(
        self, network: Network, routing: Routing | None, settings: Chosen, threads: int
    ) -> int:
        """Return the megabytes of memory that it needs."""
        from obroute.memory import BASE_MEGABYTES

        return BASE_MEGABYTES

    def depends_on(
        self, network: Network, routing: Routing | None, settings: Chosen
    ) -> Dependencies:
        """Return the files and modules that its result depends on."""
        parts = [Dependencies(modules=self.modules()), network.depends_on()]
        if routing is not None:
            parts.append(routing.depends_on(network))
        return Dependencies.union([*parts, settings.depends_on()])

    def modules(self) -> tuple[str, ...]:
        """Return the modules whose code its results depend on; their imports are followed."""
        return (*self.code, *self._beside("store")) or (type(self).__module__,)

    def gathering_modules(self) -> tuple[str, ...]:
        """Return the modules whose code :meth:`summarize` depends on."""
        return self._beside("gathered", "store") or (type(self).__module__,)

    def _beside(self, *names: str) -> tuple[str, ...]:
        """Return the name of the first of modules beside the kind that is there, if one is."""
        return first_beside(type(self).__module__, *names)

    def _from(self, *names: str) -> Any:
        """Return the first of modules beside the kind that is there."""
        return module_beside(type(self).__module__, *names)

    def settings_behind(self, answer: Answer) -> Chosen:
        """Return the settings that an answer was made with, as far as it tells."""
        return self.settings()  # type: ignore[return-value]

    def made_routing(self, store: Path) -> tuple[str, Dependencies]:
        """Return the name of the routing in a store, and what it depends on."""
        raise NotImplementedError(f"a store of kind {self.name} is no routing")

    # What it says.

    @abstractmethod
    def shown(self, answer: Answer, settings: Chosen, seconds: float) -> Iterator[Shown]:
        """Yield the answer for people."""

    @abstractmethod
    def to_json(self, answer: Answer, settings: Chosen, seconds: float) -> dict[str, Any]:
        """Return the answer for programs: exact values under ``…_exact``, floats beside them."""

    # What it stores.

    def arrays(self) -> Specs:
        """Return the specification of every array of its stores."""
        found: Specs = self._from("store").ARRAYS
        return found

    def attributes(self) -> Mapping[str, AttributeSpec]:
        """Return the attributes of its stores besides those of every store; all are texts."""
        found: Mapping[str, AttributeSpec] = (
            getattr(self._from("store"), "ATTRIBUTES", {}) if self._beside("store") else {}
        )
        return found

    def contents(self, answer: Answer, settings: Chosen) -> Contents:
        """Return what is stored of an answer."""
        found: Contents = self._from("store").contents(answer, settings)
        return found

    def summary(self) -> Specs:
        """Return the specification of every array of the store that gathers its stores."""
        found: Specs = self._from("gathered", "store").SUMMARY
        return found

    def summarize(self, cell: xr.Dataset) -> Mapping[str, Any]:
        """Return what is gathered of a cell, by the arrays of :meth:`summary`."""
        from obroute.results.gathering import as_stored

        own: Callable[[xr.Dataset], Mapping[str, Any]] | None
        own = getattr(self._from("gathered", "store"), "summarize", None)
        return as_stored(cell, self.summary()) if own is None else own(cell)

    # How it is verified.

    def rederive(
        self, cell: xr.Dataset, network: Network, routing: Routing | None, settings: Chosen
    ) -> Rederived:
        """Return what a store must hold: by running it again, unless a kind has proofs to check.

        What it returns is compared with the store, every array and every attribute. A kind that
        takes an entry from the store must have checked it before.

        Parameters
        ----------
        cell
            The store's dataset, nothing of which is checked but its form.
        network, routing, settings
            Made from the names and settings in it.

        Raises
        ------
        CertificateError
            If a proof in the store does not hold; names it.
        """
        beside: Any = self._from("verify") if self._beside("verify") else None
        if hasattr(beside, "rederive"):
            checked: Rederived = beside.rederive(cell, network, routing, settings)
            return checked
        from obroute.machine import check_memory

        what = f"{self.command} {network.name} again"
        check_memory(self.megabytes(network, routing, settings, 1), what, self.remedy)
        answer = self.run(network, routing, settings, run_serially)
        agreed = beside.check(answer) if hasattr(beside, "check") else 0
        return Rederived(self.contents(answer, settings), agreed)

    def verify(self, cell: xr.Dataset) -> int:
        """Compare every entry of a store with what it must be; return the certificates proved.

        Raises
        ------
        CertificateError
            Names the first entry that is wrong.
        InputError
            If the names or settings in it make nothing.
        """
        from obroute.kinds.comparing import verify_cell

        return verify_cell(self, cell)

    def confirm(self, cell: xr.Dataset) -> str:
        """Hold a store against a theorem; say what it confirms, empty where none is about it."""
        return ""

    def certificate(
        self,
        cell: xr.Dataset,
        most: int,
        network: Network | None = None,
        routing: Routing | None = None,
    ) -> dict[str, Any]:
        """Return a proof of a store to hand on (:mod:`obroute.proofs`).

        Parameters
        ----------
        cell
            The store.
        most
            Flows that it may have.
        network, routing
            What the store is of; made from its names where not given.

        Raises
        ------
        InputError
            If there is none for such a store, or it would be larger.
        """
        if self._beside("certificate"):
            found: dict[str, Any] = self._from("certificate").certificate(
                cell, most, network, routing
            )
            return found
        raise InputError(
            f"a store of kind {self.name} has no proof to hand on; expected an evaluation, or a "
            "design for the worst case"
        )

    # What one may ask for besides.

    def outputs(self) -> Sequence[Output]:
        """Return the files that the command can write besides the store."""
        return ()
