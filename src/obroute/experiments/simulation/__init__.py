"""Simulations: permutations routed by packets that queue, with many seeds."""

from __future__ import annotations

from collections.abc import Iterator
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
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.shown import exact_json, spread
from obroute.kinds.sweep import Sweep
from obroute.packets import IN_PHASES
from obroute.specs import LARGEST_SEED, MOST_DRAWN

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.packets.experiments import PermutationRuns
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


class SimulationSettings(Settings):
    """Which permutations are routed, how often, and how packets queue."""

    traffic: Texts = Field(
        default=TRAFFIC,
        min_length=1,
        description="Pattern or file of traffic, where it is defined; worst_case for the "
        "routing's worst permutation; borodin_hopcroft for the one that Theorem 2 makes (one path "
        "a pair); random_permutation draws one with every seed; may be repeated.",
    )
    queue: Queue = Field(
        default=QUEUE, description="fifo, lifo, random, farthest or nearest (first)."
    )
    phases: bool = Field(
        default=False,
        description="Valiant's two phases by the routing, one after the other.",
    )
    h: Annotated[int, Option(in_study=False)] = Field(
        default=1,
        ge=1,
        description="Packets from every source and to every destination: an h-relation.",
    )
    half_duplex: Annotated[bool, Option(in_study=False)] = Field(
        default=False, description="The two channels of a cable share its bandwidth."
    )
    seeds: Annotated[int, Option(study=10)] = Field(
        default=1, ge=1, le=MOST_DRAWN, description="Runs of each permutation."
    )
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED, description="Seed of the first run.")

    def depends_on(self) -> Dependencies:
        """Return what the traffic depends on."""
        return traffic_dependencies(self.traffic)


@experiments.register("simulation", "permutations routed by packets that queue")
class Simulation(Experiment[SimulationSettings, "PermutationRuns"]):
    """Permutations, and other relations of whole packets, routed to their end."""

    name = "simulation"
    section = "simulations"
    gathered = "simulations"
    title = "A simulation: permutations routed with many seeds"
    command = "simulate"
    purpose = "Route packets that queue: permutations to their end, or traffic at a rate."
    about = "Permutations routed by packets that queue."
    settings = SimulationSettings
    answers = ("obroute.packets.experiments.PermutationRuns",)
    code = ("obroute.packets.experiments",)
    remedy = "take fewer threads or a machine with more"

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> SimulationSettings:
        """Return the settings of a cell: the traffic that is defined on its network."""
        given = entry.settings_given(self.settings, study)
        given["traffic"] = traffic_defined_on(network, given["traffic"])
        return SimulationSettings.read(given)

    def label(self, routing: str, settings: SimulationSettings) -> str:
        """Return the routing's name, and whether its phases were run one after the other."""
        return routing + IN_PHASES * settings.phases

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: SimulationSettings,
        run: TaskRunner,
    ) -> PermutationRuns:
        """Route every permutation with every seed."""
        from obroute.packets.experiments import run_permutations

        assert routing is not None
        return run_permutations(
            network,
            routing,
            settings.traffic,
            seeds=settings.seeds,
            seed=settings.seed,
            discipline=settings.queue,
            phases=settings.phases,
            h=settings.h,
            half_duplex=settings.half_duplex,
            run=run,
        )

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: SimulationSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the packets on their way, or of an evaluation that is needed."""
        from obroute.memory import simulation_megabytes

        packets = settings.h * len(network.sources) * threads
        needed = simulation_megabytes(network, packets)
        return max(needed, needs_evaluation(network, routing, settings.traffic))

    def shown(
        self, answer: PermutationRuns, settings: SimulationSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield what every traffic took, over its seeds."""
        from obroute.rational import exactly

        for name, load, runs in zip(answer.traffic, answer.exact_loads, answer.runs, strict=True):
            rows = [
                ("steps", spread([run.steps for run in runs])),
                ("mean delay", f"{sum(run.mean_delay for run in runs) / len(runs):.3f} steps"),
                ("largest queue", spread([run.largest_queue for run in runs])),
                (
                    "packets on the heaviest channel",
                    spread([run.heaviest_channel for run in runs]),
                ),
                ("longest path", spread([run.longest_path for run in runs])),
            ]
            if load is not None:
                rows.append(("exact expected load of the heaviest", exactly(load)))
            if runs[0].offline_steps >= 0:
                rows.append(
                    (
                        "steps of the off-line schedule",
                        spread([run.offline_steps for run in runs]),
                    )
                )
            yield Shown(f"{answer.routing.name} on {answer.network.name}, {name}", rows)

    def to_json(
        self, answer: PermutationRuns, settings: SimulationSettings, seconds: float
    ) -> dict[str, Any]:
        """Return every run of every traffic."""
        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            "traffic": [
                {
                    "traffic": name,
                    **exact_json("exact_load", load),
                    "runs": [vars(run) for run in runs],
                }
                for name, load, runs in zip(
                    answer.traffic, answer.exact_loads, answer.runs, strict=True
                )
            ],
        }

    def settings_behind(self, answer: PermutationRuns) -> SimulationSettings:
        """Return the settings that runs show."""
        return SimulationSettings.read({"traffic": answer.traffic, "seeds": len(answer.runs[0])})

    def rederive(
        self,
        cell: xr.Dataset,
        network: Network,
        routing: Routing | None,
        settings: SimulationSettings,
    ) -> Rederived:
        """Run every seed of every traffic again, and find the exact loads anew."""
        from obroute.kinds.comparing import check_length

        check_length(cell, "seed", settings.seeds)
        return super().rederive(cell, network, routing, settings)
