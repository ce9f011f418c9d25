"""Stability: continuous injection, the largest stable rate, and curves over rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from obroute.choices.packets import QUEUE, TRAFFIC, Queue
from obroute.dependencies import Dependencies
from obroute.experiments.packets import (
    needs_evaluation,
    traffic_defined_on,
    traffic_dependencies,
)
from obroute.kinds.answers import Rederived, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Numbers, Option, Settings, Texts
from obroute.kinds.shown import exact_json
from obroute.kinds.sweep import Sweep
from obroute.presented import Answer
from obroute.specs import LARGEST_SEED

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.packets.experiments import StabilityRuns
    from obroute.packets.stability import LoadPoint
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


class StabilitySettings(Settings):
    """Which traffic is injected, at which rates, for how long, and how packets queue."""

    traffic: Annotated[Texts, Option(study=("uniform",))] = Field(
        default=TRAFFIC,
        min_length=1,
        description="Pattern or file of traffic, uniform, or worst_case for the routing's worst; "
        "may be repeated.",
    )
    queue: Queue = Field(
        default=QUEUE, description="fifo, lifo, random, farthest or nearest (first)."
    )
    half_duplex: Annotated[bool, Option(in_study=False)] = Field(
        default=False, description="The two channels of a cable share its bandwidth."
    )
    saturation: Annotated[bool, Option(in_study=False, study=True, recorded=False)] = Field(
        default=False, description="Find the largest stable rate."
    )
    rates: Annotated[Numbers, Option("--rate")] = Field(
        default=(),
        description="Inject continuously, packets per step and source; may be repeated.",
    )
    steps: int = Field(default=40_000, ge=1, description="Steps of each simulation at a rate.")
    curve_steps: Annotated[int, Option(in_study=False)] = Field(
        default=4_000, ge=1, description="Steps at each rate beside a search for the largest."
    )
    tolerance: float = Field(
        default=0.01, ge=1e-6, lt=1, description="Relative width at which the search for it stops."
    )
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED, description="Seed of the first run.")

    def depends_on(self) -> Dependencies:
        """Return what the traffic depends on."""
        return traffic_dependencies(self.traffic)


@dataclass(frozen=True)
class RateCurves(Answer):
    """Runs at given rates alone, with no search: points by traffic."""

    network: Network
    routing: Routing
    points: dict[str, list[LoadPoint]]


@experiments.register("stability", "largest stable rates under continuous injection")
class Stability(Experiment[StabilitySettings, "StabilityRuns | RateCurves"]):
    """The largest stable rate of traffic, and curves over rates."""

    name = "stability"
    section = "stability"
    gathered = "stabilities"
    title = "Stability: rates at which queues stay bounded"
    command = "simulate"
    purpose = "Route packets that queue: permutations to their end, or traffic at a rate."
    about = "Continuous injection: the largest stable rate, and curves over rates."
    settings = StabilitySettings
    answers = (
        "obroute.packets.experiments.StabilityRuns",
        "obroute.experiments.stability.RateCurves",
    )
    code = ("obroute.packets.experiments",)
    is_usual = False
    remedy = "take fewer steps or a machine with more"

    def is_meant(self, given: Mapping[str, Any]) -> bool:
        """Say whether rates or the largest of them are asked for."""
        return bool({"saturation", "rates"} & set(given))

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> StabilitySettings:
        """Return the settings of a cell: the traffic that is defined on its network."""
        given = entry.settings_given(self.settings, study)
        given["traffic"] = traffic_defined_on(network, given["traffic"])
        return StabilitySettings.read(given)

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: StabilitySettings,
        run: TaskRunner,
    ) -> StabilityRuns | RateCurves:
        """Search the largest stable rate, or inject at the rates alone."""
        from obroute.packets.experiments import run_stability
        from obroute.packets.relations import traffic_named
        from obroute.packets.stability import load_curve

        assert routing is not None
        if settings.saturation:
            return run_stability(
                network,
                routing,
                settings.traffic,
                steps=settings.steps,
                tolerance=settings.tolerance,
                rates=settings.rates,
                curve_steps=settings.curve_steps,
                seed=settings.seed,
                discipline=settings.queue,
                half_duplex=settings.half_duplex,
                run=run,
            )
        routing.check(network)
        points = {
            name: load_curve(
                network,
                routing,
                traffic_named(network, routing, name),
                settings.rates,
                steps=settings.steps,
                seed=settings.seed,
                discipline=settings.queue,
                half_duplex=settings.half_duplex,
            )
            for name in settings.traffic
        }
        return RateCurves(network, routing, points)

    def megabytes(
        self, network: Network, routing: Routing | None, settings: StabilitySettings, threads: int
    ) -> int:
        """Return the megabytes of the packets of a run, or of an evaluation that is needed.

        The search for each traffic begins at rate 1; the curves are short beside it.
        """
        from obroute.memory import simulation_megabytes

        highest = max(settings.rates, default=0.0)
        if settings.saturation:
            at_once = min(threads, len(settings.traffic))
            each = max(float(settings.steps * at_once), settings.curve_steps * highest)
        else:
            each = settings.steps * highest
        packets = int(len(network.sources) * each)
        needed = simulation_megabytes(network, packets)
        return max(needed, needs_evaluation(network, routing, settings.traffic))

    def shown(
        self, answer: StabilityRuns | RateCurves, settings: StabilitySettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the interval of the largest stable rate, or what happened at each rate."""
        if isinstance(answer, RateCurves):
            for name, points in answer.points.items():
                yield Shown(name, [(f"rate {point.rate:g}", _at_rate(point)) for point in points])
            return
        rows = [
            (
                name,
                f"measured stable up to {saturation.stable:.4f} and unstable from "
                f"{saturation.unstable:.4f}; ideal {saturation.ideal} = "
                f"{float(saturation.ideal):.4f}",
            )
            for name, saturation in zip(answer.traffic, answer.saturations, strict=True)
        ]
        yield Shown(f"{answer.routing.name} on {answer.network.name}", rows)

    def to_json(
        self, answer: StabilityRuns | RateCurves, settings: StabilitySettings, seconds: float
    ) -> dict[str, Any]:
        """Return the rates and every point."""
        if isinstance(answer, RateCurves):
            return {
                "network": answer.network.name,
                "routing": answer.routing.name,
                "traffic": {
                    name: [_point_json(point) for point in points]
                    for name, points in answer.points.items()
                },
            }
        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            "traffic": [
                {
                    "traffic": name,
                    "stable_rate": saturation.stable,
                    "unstable_rate": saturation.unstable,
                    **exact_json("ideal_rate", saturation.ideal),
                    "critical_channels": saturation.critical_channels,
                    "points": [
                        _point_json(point)
                        for point in sorted(
                            saturation.points + curve, key=lambda point: point.rate
                        )
                    ],
                }
                for name, saturation, curve in zip(
                    answer.traffic, answer.saturations, answer.curves, strict=True
                )
            ],
        }

    def settings_behind(self, answer: StabilityRuns | RateCurves) -> StabilitySettings:
        """Return the settings that runs show."""
        if isinstance(answer, RateCurves):
            return StabilitySettings.read({"traffic": [*answer.points]})
        known = {
            key: answer.settings[key]
            for key in StabilitySettings.model_fields
            if key in answer.settings
        }
        return StabilitySettings.read({"traffic": answer.traffic, "rates": answer.rates, **known})

    def rederive(
        self,
        cell: xr.Dataset,
        network: Network,
        routing: Routing | None,
        settings: StabilitySettings,
    ) -> Rederived:
        """Find the ideal rates anew, search every interval and run every rate again."""
        from obroute.kinds.comparing import check_length

        check_length(cell, "traffic", len(settings.traffic))
        check_length(cell, "rate", len(settings.rates))
        searched = settings.model_copy(update={"saturation": True})
        return super().rederive(cell, network, routing, searched)


def _at_rate(point: LoadPoint) -> str:
    from obroute.packets.stability import DRIFT_ERRORS, UNSTABLE

    if point.verdict == UNSTABLE:
        verdict = f"unstable: the network fills by {point.growth:.4f} per step and source"
    else:
        margin = DRIFT_ERRORS * point.drift_error
        verdict = f"{point.verdict} (drift {point.drift:.4f} ± {margin:.4f})"
    return (
        f"accepted {point.accepted:.4f} of {point.offered:.4f} offered, mean delay "
        f"{point.mean_delay:.2f} steps, largest queue {point.largest_queue}, {verdict}"
    )


def _point_json(point: LoadPoint) -> dict[str, Any]:
    return {**vars(point), "verdict": point.verdict}
