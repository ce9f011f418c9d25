"""Restricted traffic: the exact worst case over few pairs, jobs, racks, limits of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from obroute.dependencies import Dependencies
from obroute.kinds.answers import Rederived, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.sweep import Sweep
from obroute.specs import InputError

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.restrictions import Restricted
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


def _canonical(names: tuple[str, ...]) -> tuple[str, ...]:
    from obroute.traffic_sets import make_traffic_set

    return tuple(dict.fromkeys(make_traffic_set(name).name for name in names))


class RestrictedSettings(Settings):
    """Over which sets of traffic the worst case is."""

    traffic_sets: Annotated[Texts, AfterValidator(_canonical), Option("--traffic-set")] = Field(
        default=("any",),
        min_length=1,
        description="Only the worst case over this set of traffic: pairs:8, within:rack, "
        "limited:1/4, … (see `list`); may be repeated.",
    )
    all_channels: bool = Field(default=False, description="Solve every channel, without symmetry.")

    def depends_on(self) -> Dependencies:
        """Return what the sets depend on."""
        from obroute.traffic_sets import make_traffic_set

        return Dependencies.union(
            make_traffic_set(name).depends_on() for name in self.traffic_sets
        )


@experiments.register("restricted", "the exact worst case over sets of traffic")
class RestrictedExperiment(Experiment[RestrictedSettings, "Restricted"]):
    """The exact worst case of a routing over sets of traffic."""

    name = "restricted"
    section = "restricted"
    gathered = "restricted_cases"
    title = "Restricted traffic: worst cases of one network with one routing over sets of traffic"
    command = "evaluate"
    purpose = "Find the exact worst case over sets of traffic."
    about = "Worst cases over sets of traffic: few pairs, jobs, racks, limits of pairs."
    settings: ClassVar[type[RestrictedSettings]] = RestrictedSettings
    answers = ("obroute.restrictions.worst.Restricted",)
    is_usual = False

    def words(self, network: str, routing: str, settings: RestrictedSettings) -> list[str]:
        """Return the words of the command, which a set tells from an evaluation."""
        words = super().words(network, routing, settings)
        if settings.traffic_sets == self.settings().traffic_sets:
            words += ["--traffic-set", *settings.traffic_sets]
        return words

    def is_meant(self, given: Mapping[str, Any]) -> bool:
        """Say whether a set of traffic was given."""
        return bool(given.get("traffic_sets"))

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> RestrictedSettings:
        """Return the settings of a cell: the sets that are defined on its network."""
        from obroute.traffic_sets import make_traffic_set

        given = entry.settings_given(self.settings, study)
        defined = []
        for name in given["traffic_sets"]:
            one = make_traffic_set(name)
            try:
                one.limits(network)
            except InputError:
                continue
            defined.append(name)
        if not defined:
            raise InputError(
                f"none of the sets of traffic {', '.join(given['traffic_sets'])} is defined on "
                f"{network.name}; name some that is"
            )
        return RestrictedSettings.read({**given, "traffic_sets": defined})

    def check(
        self, network: Network, routing: Routing | None, settings: RestrictedSettings
    ) -> None:
        """Raise where the routing or a set is not defined."""
        from obroute.traffic_sets import make_traffic_set

        super().check(network, routing, settings)
        for name in settings.traffic_sets:
            make_traffic_set(name).limits(network)

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: RestrictedSettings,
        run: TaskRunner,
    ) -> Restricted:
        """Find the worst case over each set."""
        from obroute.experiments.restricted.store import run_restricted

        assert routing is not None
        return run_restricted(network, routing, settings, run)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: RestrictedSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of an evaluation, which takes as many pair loads."""
        from obroute.memory import evaluation_megabytes

        assert routing is not None
        return evaluation_megabytes(
            network, routing, all_channels=settings.all_channels, threads=threads
        )

    def shown(
        self, answer: Restricted, settings: RestrictedSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the worst case over each set, with its channel and traffic."""
        from obroute.experiments.restricted.shown import shown

        return shown(answer, seconds)

    def to_json(
        self, answer: Restricted, settings: RestrictedSettings, seconds: float
    ) -> dict[str, Any]:
        """Return the worst case over each set."""
        from obroute.experiments.restricted.shown import as_json

        return as_json(answer, seconds)

    def settings_behind(self, answer: Restricted) -> RestrictedSettings:
        """Return the sets of an answer."""
        names = [case.traffic_set.name for case in answer.cases]
        every = all(case.focus_channels == answer.network.channel_count for case in answer.cases)
        return RestrictedSettings.read({"traffic_sets": names, "all_channels": every})

    def rederive(
        self,
        cell: xr.Dataset,
        network: Network,
        routing: Routing | None,
        settings: RestrictedSettings,
    ) -> Rederived:
        """Check the traffic and the potentials of each set, and find all worst cases anew."""
        from obroute.experiments.restricted.store import check_stored

        assert routing is not None
        count = check_stored(cell, network, routing, settings)
        return Rederived(super().rederive(cell, network, routing, settings).contents, count)
