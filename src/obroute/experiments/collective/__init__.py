"""Collectives step by step: the exact load of each step by a routing, and the time of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from obroute.dependencies import Dependencies
from obroute.kinds.answers import Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.shown import exact_json, in_short
from obroute.kinds.sweep import Sweep
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.collectives import Collectives
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

MOST_STEPS_SHOWN = 8


def _canonical(names: tuple[str, ...]) -> tuple[str, ...]:
    from obroute.collectives import make_collective

    return tuple(dict.fromkeys(make_collective(name).name for name in names))


class CollectiveSettings(Settings):
    """Which collectives."""

    collectives: Annotated[Texts, AfterValidator(_canonical), Option("--collective")] = Field(
        default=("ring",),
        min_length=1,
        description="ring, doubling, halving_doubling, bine, bruck, pairwise, … (see `list`); may "
        "be repeated.",
    )

    def depends_on(self) -> Dependencies:
        """Return what the collectives depend on."""
        from obroute.collectives import make_collective

        return Dependencies.union(make_collective(n).depends_on() for n in self.collectives)


@experiments.register("collective", "collectives step by step by a routing")
class CollectiveExperiment(Experiment[CollectiveSettings, "Collectives"]):
    """The exact load of every step of collectives by a routing."""

    name = "collective"
    section = "collectives"
    gathered = "collectives"
    title = "Collectives: the load of every step by one routing on one network"
    command = "collective"
    purpose = "Find the exact load of every step of a collective, and the time of all."
    about = "Collectives step by step: every network with every routing."
    settings = CollectiveSettings
    answers = ("obroute.collectives.contract.Collectives",)
    parallel = False
    code = ("obroute.collectives",)

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> CollectiveSettings:
        """Return the settings of a cell: the collectives that are defined on its network."""
        from obroute.collectives import make_collective
        from obroute.collectives.contract import check_ranks

        check_ranks(network)
        given = entry.settings_given(self.settings, study)
        defined = []
        for name in given["collectives"]:
            one = make_collective(name)
            try:
                one.steps(len(network.sources))
            except InputError:
                continue
            defined.append(name)
        if not defined:
            raise InputError(
                f"none of the collectives {', '.join(given['collectives'])} is defined on "
                f"{network.name}; name some that is"
            )
        return CollectiveSettings.read({**given, "collectives": defined})

    def check(
        self, network: Network, routing: Routing | None, settings: CollectiveSettings
    ) -> None:
        """Raise where the routing or a collective is not defined."""
        from obroute.collectives import make_collective
        from obroute.collectives.contract import check_ranks

        super().check(network, routing, settings)
        check_ranks(network)
        for name in settings.collectives:
            make_collective(name).steps(len(network.sources))

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: CollectiveSettings,
        run: TaskRunner,
    ) -> Collectives:
        """Find the load of every step."""
        from obroute.collectives import Collectives, collective_loads, make_collective

        assert routing is not None
        each = [
            collective_loads(network, routing, make_collective(name))
            for name in settings.collectives
        ]
        return Collectives(network, routing, each)

    def shown(
        self, answer: Collectives, settings: CollectiveSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the time of each collective, and its steps."""
        for found in answer.each:
            rows = [("time", f"{in_short(found.time)} cycles for a vector of one packet")]
            steps = list(zip(found.loads, found.amounts, found.channels, strict=True))
            rows += [
                (
                    f"step {number}",
                    f"load {load}, {amount} of the vector: {in_short(load * amount)}; "
                    f"{found.network.describe_channel(channel)}",
                )
                for number, (load, amount, channel) in enumerate(steps[:MOST_STEPS_SHOWN], start=1)
            ]
            if len(steps) > MOST_STEPS_SHOWN:
                rows.append(("more steps", str(len(steps) - MOST_STEPS_SHOWN)))
            title = f"{found.collective.name} by {found.routing.name} on {found.network.name}"
            yield Shown(title, rows)

    def to_json(
        self, answer: Collectives, settings: CollectiveSettings, seconds: float
    ) -> dict[str, Any]:
        """Return every step of every collective."""
        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            "collectives": [
                {
                    "collective": found.collective.name,
                    **exact_json("time", found.time),
                    "steps": [
                        {**exact_json("load", load), **exact_json("amount", amount), "channel": c}
                        for load, amount, c in zip(
                            found.loads, found.amounts, found.channels, strict=True
                        )
                    ],
                }
                for found in answer.each
            ],
            "seconds": round(seconds, 3),
        }

    def settings_behind(self, answer: Collectives) -> CollectiveSettings:
        """Return the collectives of an answer."""
        return CollectiveSettings.read(
            {"collectives": [found.collective.name for found in answer.each]}
        )
