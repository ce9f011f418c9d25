"""Simulations: permutations routed by packets that queue, with many seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from obroute.dependencies import Dependencies
from obroute.experiments.packets import (
    Queue,
    needs_evaluation,
    traffic_defined_on,
    traffic_dependencies,
)
from obroute.kinds.contract import Contents, Experiment, Shown
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.shown import exact_json, spread
from obroute.kinds.sweep import Sweep
from obroute.results.arrays import HOPS, LOAD, ArraySpec, exact_and_float, exact_floats, texts
from obroute.specs import InputError

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.packets.experiments import PermutationRuns
    from obroute.results.arrays import Specs
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

IN_PHASES = " in phases"
"""What follows the name of a routing whose two phases were run one after the other."""

ARRAYS: dict[str, ArraySpec] = {
    "steps": ArraySpec(("traffic", "seed"), "integer", "steps until all packets arrived", "steps"),
    "mean_delay": ArraySpec(
        ("traffic", "seed"),
        "float",
        "mean steps from injection to arrival, over packets of pairs that load a channel (NaN if "
        "there are none)",
        "steps",
    ),
    "largest_queue": ArraySpec(
        ("traffic", "seed"), "integer", "longest queue of any channel at any time", "packets"
    ),
    "heaviest_channel": ArraySpec(
        ("traffic", "seed"), "integer", "packets that crossed the most used channel", "packets"
    ),
    "longest_path": ArraySpec(("traffic", "seed"), "integer", "hops of the longest path", HOPS),
    "offline_steps": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the off-line schedule on a hypercube, or along the vertex-disjoint paths of a "
        "Beneš network; -1 elsewhere",
        "steps",
    ),
    "longest_phase": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the longer of two phases run one after the other; -1 otherwise",
        "steps",
    ),
    "most_met": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "most other packets whose paths share a channel with one packet's in a phase on a "
        "hypercube; -1 otherwise",
        "packets",
    ),
    **exact_and_float(
        "exact_load",
        ("traffic",),
        "exact expected load of the heaviest channel (NaN and empty for traffic drawn with every "
        "seed, for phases, and where it would take too long)",
        LOAD,
    ),
}


class SimulationSettings(Settings):
    """Which permutations are routed, how often, and how packets queue."""

    traffic: Annotated[Texts, Option()] = Field(
        default=("random_permutation",),
        description="Pattern or file of traffic, where it is defined; worst_case for the "
        "routing's worst permutation; borodin_hopcroft for the one that Theorem 2 makes (one path "
        "a pair); random_permutation draws one with every seed; may be repeated.",
    )
    queue: Queue = Field(
        default="fifo", description="fifo, lifo, random, farthest or nearest (first)."
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
        default=1, ge=1, description="Runs of each permutation."
    )
    seed: int = Field(default=0, ge=0, description="Seed of the first run.")

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
    code = ("obroute.packets.experiments", "obroute.experiments.simulation")
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
                rows.append(("exact expected load of the heaviest", f"{load} = {float(load):.6g}"))
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

    def arrays(self) -> Specs:
        """Return the arrays of a store, with dims traffic and seed."""
        return ARRAYS

    def contents(self, answer: PermutationRuns, settings: SimulationSettings) -> Contents:
        """Return the runs by traffic and seed."""
        arrays: dict[str, Any] = {
            name: np.array([[getattr(run, name) for run in runs] for runs in answer.runs])
            for name, spec in ARRAYS.items()
            if "seed" in spec.dims
        }
        arrays |= exact_floats("exact_load", answer.exact_loads)
        coordinates = {
            "traffic": texts(answer.traffic),
            "seed": settings.seed + np.arange(len(answer.runs[0])),
        }
        name = answer.routing.name
        return Contents(
            answer.network, name, arrays, coordinates, label=self.label(name, settings)
        )

    def summary(self) -> Specs:
        """Return the same arrays for every network and routing."""
        return {name: spec.by_case() for name, spec in ARRAYS.items()}

    def summarize(self, cell: xr.Dataset) -> Mapping[str, Any]:
        """Return every run; runs of relations or cables of another kind do not stand beside."""
        settings = json.loads(cell.attrs["settings"])
        if settings["half_duplex"] or settings["h"] > 1:
            raise InputError(
                f"{cell.attrs['network']} with {cell.attrs['routing']} holds runs of h-relations "
                "or half-duplex links, which would stand beside others under one name; gather "
                "runs without --h and --half-duplex"
            )
        return {name: cell[name].values for name in ARRAYS}

    def verify(self, cell: xr.Dataset) -> int:
        """Run the first seed of every traffic again, and derive the exact loads anew."""
        from obroute.importers import make_network
        from obroute.kinds.comparing import compare_entry, compare_exact
        from obroute.packets.experiments import run_permutations
        from obroute.routing import routings

        settings = json.loads(cell.attrs["settings"])
        again = run_permutations(
            make_network(cell.attrs["network"]),
            routings.create(cell.attrs["routing"]),
            cell["traffic"].values.tolist(),
            seed=int(cell["seed"].values[0]),
            discipline=settings["queue"],
            phases=settings["phases"],
            h=settings["h"],
            half_duplex=settings["half_duplex"],
        )
        for position, runs in enumerate(again.runs):
            compare_exact(cell, "exact_load", again.exact_loads[position], position)
            for name, value in vars(runs[0]).items():
                compare_entry(cell, name, (position, 0), value)
        return 0
