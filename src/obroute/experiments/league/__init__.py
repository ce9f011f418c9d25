"""Leagues: routings of a network ranked by what they guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from obroute.dependencies import Dependencies
from obroute.kinds.answers import Output, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.sweep import Sweep
from obroute.specs import LARGEST_SEED, MOST_DRAWN, InputError

if TYPE_CHECKING:
    from obroute.league import League
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


def _canonical(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the one name of each routing; a name that makes none stays, and is not ranked."""
    from obroute.routing import routings

    found = []
    for name in names:
        try:
            found.append(routings.create(name).name)
        except InputError:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _cables(names: tuple[str, ...]) -> tuple[str, ...]:
    from obroute.league import ends_of

    return tuple(dict.fromkeys(",".join(ends_of(name)) for name in names))


class LeagueSettings(Settings):
    """Which routings are ranked, on what is left of the network, and what is found of each."""

    routings: Annotated[Texts, AfterValidator(_canonical), Option(argument=True)] = Field(
        default=(),
        description="Tables or routings; every engine of OpenSM, in a simulator, if not given.",
    )
    without: Annotated[Texts, AfterValidator(_cables)] = Field(
        default=(), description="A cable that failed, by its ends: A,B; may be repeated."
    )
    permutations: int = Field(
        default=1000,
        ge=0,
        le=MOST_DRAWN,
        description="Random permutations over which the mean throughput is taken; 0 for none.",
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=LARGEST_SEED,
        description="Seed of the permutations, the same for all.",
    )
    best: bool = Field(
        default=False,
        description="Find the best routing and the best table too, to say how much of their "
        "guarantees each has.",
    )
    lanes: bool = Field(
        default=False,
        description="Ask OpenSM for the service level of every pair, and judge the virtual lanes "
        "that its tables use.",
    )

    def chosen(self) -> list[Routing]:
        """Return the routings that are made of the names; those of OpenSM where none is given."""
        from obroute.league import engines_of, made_of

        return made_of(self.routings)[0] if self.routings else engines_of()


def _depends(routing: Routing, network: Network) -> Dependencies:
    """Return what a routing depends on there; what is not defined there is refused by name."""
    try:
        return routing.depends_on(network)
    except InputError:
        return routing.depends_on()


class LeagueTable(Output):
    """The league as a table."""

    def __init__(self) -> None:
        super().__init__("--output", "Write the league here (.csv).", (".csv",))

    def write(self, answer: League, settings: LeagueSettings, file: Path) -> None:
        """Write a row a routing, the best first."""
        from obroute.delimited import csv_text
        from obroute.experiments.league.shown import table
        from obroute.writing import write_whole

        write_whole(file, csv_text(table(answer)).encode())


class KeptTables(Output):
    """The fabric and the tables of OpenSM's engines, as files."""

    def __init__(self) -> None:
        super().__init__(
            "--keep", "Keep the fabric and the tables of OpenSM's engines in this folder.", ()
        )

    def check(self, file: Path) -> None:
        """Take any folder."""

    def write(self, answer: League, settings: LeagueSettings, file: Path) -> None:
        """Write ``fabric.ibnetdiscover`` and ``ENGINE.lfts``, those that were ranked."""
        from obroute.opensm.named import EngineTable

        engines = [
            (found.network, found.routing)
            for found in answer.evaluations.values()
            if isinstance(found.routing, EngineTable)
        ]
        if not engines:
            raise InputError(f"{self.word} {file}: no engine of OpenSM is among the routings")
        for network, routing in engines:
            routing.dumped(network).write(file, routing.engine)


@experiments.register("league", "routings of a network ranked by what they guarantee")
class LeagueExperiment(Experiment[LeagueSettings, "League"]):
    """Routings of a network ranked by what they guarantee, with what else counts."""

    name = "league"
    section = "leagues"
    gathered = "leagues"
    title = "A league: routings of a network, ranked by what they guarantee"
    command = "compare-engines"
    purpose = "Rank routings, or the tables of OpenSM's engines, by what they guarantee."
    about = "Leagues: the routings of an entry ranked on each of its networks."
    settings = LeagueSettings
    answers = ("obroute.league.comparing.League",)
    takes_routing = False
    takes_all_routings = True
    code = ("obroute.league",)
    remedy = "compare fewer routings, or take a machine with more"

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> LeagueSettings:
        """Return the settings of a cell, if every routing is one."""
        from obroute.routing import routings

        settings = super().settings_of(entry, study, network, routing)
        for name in settings.routings:
            routings.create(name)
        return settings

    def label(self, routing: str, settings: LeagueSettings) -> str:
        """Return which routings are compared, and what failed."""
        compared = ", ".join(settings.routings) or "engines of OpenSM"
        failed = "; ".join(settings.without)
        return f"{compared} without {failed}" if failed else compared

    def words(self, network: str, routing: str, settings: LeagueSettings) -> list[str]:
        """Return the words of the command; the routings are among its settings."""
        return [self.command, network, *settings.arguments(), *settings.words()]

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: LeagueSettings,
        run: TaskRunner,
    ) -> League:
        """Evaluate every routing, and rank them."""
        from obroute.experiments.league.store import run_league

        return run_league(network, settings, run)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: LeagueSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the evaluation that needs the most, or of the design."""
        from obroute.memory import BASE_MEGABYTES, design_megabytes, evaluation_megabytes

        needed = [design_megabytes(network) if settings.best else BASE_MEGABYTES]
        for one in settings.chosen():
            if one.made_anew:  # a table, which takes little; OpenSM need not run to say so
                continue
            try:
                one.check(network)
            except InputError:
                continue
            needed.append(evaluation_megabytes(network, one, threads=threads))
        return max(needed)

    def depends_on(
        self, network: Network, routing: Routing | None, settings: LeagueSettings
    ) -> Dependencies:
        """Return what the routings depend on, besides."""
        parts = [_depends(one, network) for one in settings.chosen()]
        return Dependencies.union([super().depends_on(network, None, settings), *parts])

    def settings_behind(self, answer: League) -> LeagueSettings:
        """Return what was asked for."""
        return LeagueSettings.read(
            {
                "routings": answer.asked,
                "without": answer.without,
                "permutations": answer.permutations,
                "seed": answer.seed,
                "best": answer.best_table is not None,
                "lanes": answer.lanes,
            }
        )

    def shown(self, answer: League, settings: LeagueSettings, seconds: float) -> Iterator[Shown]:
        """Yield the league, who collides where, and the best there can be."""
        from obroute.experiments.league.shown import shown

        return shown(answer)

    def to_json(self, answer: League, settings: LeagueSettings, seconds: float) -> dict[str, Any]:
        """Return the league with the whole worst traffic of each routing."""
        from obroute.experiments.league.shown import as_json

        return as_json(answer, seconds)

    def outputs(self) -> Sequence[Output]:
        """Return the table of the league, and the tables of OpenSM's engines."""
        return LeagueTable(), KeptTables()
