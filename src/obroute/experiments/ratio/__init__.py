"""Oblivious ratios: a routing against the best routing for each traffic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from obroute.decimals import interval
from obroute.kinds.answers import Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings
from obroute.kinds.shown import exact_json, in_short

if TYPE_CHECKING:
    from obroute.network import Network
    from obroute.ratios import Ratio
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

MOST_DEMANDS_SHOWN = 8


class RatioSettings(Settings):
    """How long the solver may take; what the ratio is of, network and routing say."""

    time_limit: Annotated[float | None, Option(in_study=False, recorded=False)] = Field(
        default=None,
        gt=0,
        description="Seconds for each linear program; no limit if not given.",
    )


@experiments.register("ratio", "oblivious ratios, against the best routing for each traffic")
class RatioExperiment(Experiment[RatioSettings, "Ratio"]):
    """The oblivious ratio of a routing, or the least of all."""

    name = "ratio"
    section = "ratios"
    gathered = "ratios"
    title = "A ratio: a routing against the best routing for each traffic"
    command = "ratio"
    purpose = (
        "Find how far a routing is from the best for each traffic, or the least of any routing."
    )
    about = "Oblivious ratios: every network with every routing, least_ratio among them."
    settings = RatioSettings
    answers = ("obroute.ratios.ratios.Ratio",)
    usual_routing = "least_ratio"
    minutes = 120
    remedy = "take a smaller network, or a machine with more"

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: RatioSettings,
        run: TaskRunner,
    ) -> Ratio:
        """Solve a program for each channel, or one for all."""
        from obroute.ratios import oblivious_ratio
        from obroute.ratios.named import LeastRatio

        assert routing is not None
        if isinstance(routing, LeastRatio):
            return routing.ratio(network, settings.time_limit)
        return oblivious_ratio(network, routing, seconds=settings.time_limit, run=run)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: RatioSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the linear programs and the checks."""
        from obroute.ratios.memory import ratio_megabytes

        return ratio_megabytes(network, routing, threads)

    def shown(self, answer: Ratio, settings: RatioSettings, seconds: float) -> Iterator[Shown]:
        """Yield the ratio, the channel that has it and its traffic."""
        network, bounds = answer.network, answer.bounds
        proved = "no oblivious routing is below" if answer.of_all else "exact"
        ratio = (
            f"{in_short(bounds.upper)} times the best for each traffic ({proved})"
            if bounds.exact
            else f"{interval(bounds.lower, bounds.upper, 9)}, proved"
        )
        rows = [("oblivious ratio", ratio)]
        if bounds.upper:
            worst = answer.proofs[answer.worst]
            rows.append(("channel", network.describe_channel(worst.channel)))
        yield Shown(
            f"{answer.routing.name} on {network.name}",
            rows,
        )
        if bounds.upper:
            yield Shown(lines=_traffic_lines(answer))

    def to_json(self, answer: Ratio, settings: RatioSettings, seconds: float) -> dict[str, Any]:
        """Return the interval, the channel and its traffic."""
        network = answer.network
        return {
            "network": network.name,
            "routing": answer.routing.name,
            "exact": answer.bounds.exact,
            **exact_json("ratio_lower", answer.bounds.lower),
            **exact_json("ratio_upper", answer.bounds.upper),
            "channel": network.describe_channel(answer.proofs[answer.worst].channel),
            "traffic": [
                {"source": source, "destination": destination, **exact_json("amount", amount)}
                for source, destination, amount in _demands(answer)
            ],
            "solver": answer.solver,
            "seconds": round(seconds, 3),
        }


def _demands(answer: Ratio) -> list[tuple[str, str, Any]]:
    """Return the worst traffic by the names of its ends, the largest amounts first."""
    network, amounts = answer.network, answer.traffic
    found = [
        (
            network.describe(int(network.sources[row])),
            network.describe(int(network.destinations[column])),
            amounts.fraction((row, column)),
        )
        for row, column in zip(*amounts.numerators.nonzero(), strict=True)
    ]
    return sorted(found, key=lambda one: -one[2])


def _traffic_lines(answer: Ratio) -> list[str]:
    demands = _demands(answer)
    lines = ["  worst traffic, which the best routing carries with a utilization of 1:"]
    lines += [
        f"    {source} → {destination}  {in_short(amount)}"
        for source, destination, amount in demands[:MOST_DEMANDS_SHOWN]
    ]
    more = len(demands) - MOST_DEMANDS_SHOWN
    return lines + ([f"    and {more} more"] if more > 0 else [])
