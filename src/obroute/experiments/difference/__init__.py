"""Differences: what changes in guarantees, channels and pairs from one routing to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from obroute.dependencies import Dependencies
from obroute.kinds.answers import Output, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings

if TYPE_CHECKING:
    from obroute.differences import Difference
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


def _routing_name(name: str) -> str:
    from obroute.routing import routings

    return routings.create(name).name


def _network_name(name: str) -> str:
    from obroute.importers import make_network

    return make_network(name).name if name else ""


class DifferenceSettings(Settings):
    """What the routing is compared with."""

    old: Annotated[str, AfterValidator(_routing_name), Option(argument=True)] = Field(
        default="minimal", description="Routing that was: dor, old.lfts, old_routes.csv, …."
    )
    old_network: Annotated[str, AfterValidator(_network_name)] = Field(
        default="", description="Network that it was for, where that was another."
    )

    def depends_on(self) -> Dependencies:
        """Return what the old routing and its network depend on."""
        from obroute.importers import make_network
        from obroute.routing import routings

        parts = [routings.create(self.old).depends_on()]
        if self.old_network:
            parts.append(make_network(self.old_network).depends_on())
        return Dependencies.union(parts)

    def old_things(self, network: Network) -> tuple[Network, Routing]:
        """Return the network that was, and its routing."""
        from obroute.importers import make_network
        from obroute.routing import routings

        before = make_network(self.old_network) if self.old_network else network
        return before, routings.create(self.old)


class ChangesTable(Output):
    """The loads of every channel before and after."""

    def __init__(self) -> None:
        super().__init__(
            "--changes", "Write every channel's loads before and after here (.csv).", (".csv",)
        )

    def write(self, answer: Difference, settings: DifferenceSettings, file: Path) -> None:
        """Write a row a channel, the largest changes first."""
        from obroute.experiments.difference.shown import changes_table
        from obroute.writing import write_whole

        write_whole(file, changes_table(answer).encode())


@experiments.register("difference", "what changes from one routing to another")
class DifferenceExperiment(Experiment[DifferenceSettings, "Difference"]):
    """What changes from one routing to another: guarantees, channels, pairs."""

    name = "difference"
    section = "differences"
    gathered = "differences"
    title = "A difference: two routings, channel by channel"
    command = "diff"
    purpose = "Compare two routings exactly: which guarantees, channels and pairs changed."
    about = "Differences of every routing from an old one."
    settings = DifferenceSettings
    answers = ("obroute.differences.Difference",)
    code = ("obroute.differences",)
    remedy = "take a smaller network, or a machine with more"

    def label(self, routing: str, settings: DifferenceSettings) -> str:
        """Return the new routing with the old one."""
        before = f" on {settings.old_network}" if settings.old_network else ""
        return f"{routing} after {settings.old}{before}"

    def check(
        self, network: Network, routing: Routing | None, settings: DifferenceSettings
    ) -> None:
        """Raise :class:`InputError` where one of the two is not defined."""
        super().check(network, routing, settings)
        before, old = settings.old_things(network)
        old.check(before)

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: DifferenceSettings,
        run: TaskRunner,
    ) -> Difference:
        """Evaluate both on every channel."""
        from obroute.differences import difference

        assert routing is not None
        before, old = settings.old_things(network)
        return difference(network, old, routing, before, run)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: DifferenceSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of both evaluations."""
        from obroute.memory import BASE_MEGABYTES, evaluation_megabytes

        assert routing is not None
        both = [(network, routing), settings.old_things(network)]
        needed = (
            evaluation_megabytes(*one, all_channels=True, threads=threads) - BASE_MEGABYTES
            for one in both
        )
        return BASE_MEGABYTES + sum(needed)

    def settings_behind(self, answer: Difference) -> DifferenceSettings:
        """Return the old routing, and its network where that is another."""
        old, new = answer.old, answer.new
        before = old.network.name if old.network is not new.network else ""
        return DifferenceSettings.read({"old": old.routing.name, "old_network": before})

    def shown(
        self, answer: Difference, settings: DifferenceSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield each value before and after, and what changed most."""
        from obroute.experiments.difference.shown import shown

        return shown(answer)

    def to_json(
        self, answer: Difference, settings: DifferenceSettings, seconds: float
    ) -> dict[str, Any]:
        """Return each value before and after, under ``old_`` and ``new_``."""
        from obroute.experiments.difference.shown import as_json

        return as_json(answer, seconds)

    def outputs(self) -> Sequence[Output]:
        """Return the table of every channel's loads."""
        return (ChangesTable(),)
