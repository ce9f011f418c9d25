"""Trade-off curves: throughput against path length, breakpoint by breakpoint."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from obroute.choices.designs import OBJECTIVE, Objective, Symmetry
from obroute.choices.traffic import MatrixKind
from obroute.decimals import no_less_than
from obroute.dependencies import Dependencies
from obroute.experiments.design import (
    DesignSettings,
    named_design,
)
from obroute.kinds.answers import Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings
from obroute.kinds.shown import exact_json, in_short
from obroute.kinds.sweep import Names, Sweep
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.design import TradeOff
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

OfTheDesign = Option(in_study=False)
"""A setting that a study says by the name of the optimal routing whose curve it wants."""


class TradeOffSettings(Settings):
    """Of which routings and which traffic the curve is."""

    objective: Annotated[Objective, OfTheDesign] = Field(
        default=OBJECTIVE, description="Of what throughput."
    )
    paths: Annotated[str, OfTheDesign] = DesignSettings.field("paths")
    samples: Annotated[int, OfTheDesign] = DesignSettings.field("samples")
    seed: Annotated[int, OfTheDesign] = DesignSettings.field("seed")
    matrix_kind: Annotated[MatrixKind, OfTheDesign] = DesignSettings.field("matrix_kind")
    symmetry: Annotated[Symmetry, OfTheDesign] = DesignSettings.field("symmetry")
    most_solves: int = Field(
        default=2000, ge=2, description="Linear programs to solve at the most."
    )
    time_limit: Annotated[float | None, Option(in_study=False, recorded=False)] = Field(
        default=None,
        gt=0,
        description="Seconds for each linear program; no limit if not given.",
    )

    def depends_on(self) -> Dependencies:
        """Return what the routings whose paths are used depend on."""
        return DesignSettings(paths=self.paths).depends_on()


class TradeOffsEntry(Sweep):
    """Curves of throughput against path length: every network with every objective."""

    routings: Names = Field(
        default=["optimal"],
        description="optimal with an objective and paths: optimal:objective=average_case.",
    )
    most_solves: int = Field(
        default=TradeOffSettings.model_fields["most_solves"].default,
        ge=2,
        description="Linear programs of one curve, at the most.",
    )


@experiments.register("trade_off", "the whole curve of throughput against path length")
class TradeOffExperiment(Experiment[TradeOffSettings, "TradeOff"]):
    """The whole curve of throughput against path length."""

    name = "trade_off"
    section = "trade_offs"
    gathered = "trade_offs"
    title = "A trade-off: the curve of throughput against path length"
    command = "pareto"
    purpose = "Find the whole curve of throughput against path length, breakpoint by breakpoint."
    about = "Curves of throughput against path length: every network with every objective."
    settings = TradeOffSettings
    answers = ("obroute.design.trade_off.TradeOff",)
    takes_routing = False
    parallel = False
    minutes = 120
    remedy = "take a smaller network, or a machine with more"

    def entry(self) -> type[Sweep]:
        """Return the class of entries: networks with the optimal routings on a curve."""
        return TradeOffsEntry

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> TradeOffSettings:
        """Return the settings that the name of the optimal routing says."""
        assert routing is not None
        said = named_design(routing.name, self.section).settings
        given = {key: said[key] for key in TradeOffSettings.model_fields if key in said}
        bounds = [key for key in ("locality", "load") if said.get(key) is not None]
        if bounds:
            raise InputError(
                f"{self.section}: '{routing.name}' bounds the {bounds[0]}; a curve is over all of "
                "them, leave it out"
            )
        assert isinstance(entry, TradeOffsEntry)
        return TradeOffSettings.read({**given, "most_solves": entry.most_solves})

    def words(self, network: str, routing: str, settings: TradeOffSettings) -> list[str]:
        """Return the words of the command; its settings say which curve it is."""
        return [self.command, network, *settings.words()]

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: TradeOffSettings,
        run: TaskRunner,
    ) -> TradeOff:
        """Find the curve."""
        from obroute.experiments.trade_off.store import run_trade_off

        return run_trade_off(network, settings)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: TradeOffSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the linear program and its checks."""
        from obroute.memory import design_megabytes

        return design_megabytes(network)

    def settings_behind(self, answer: TradeOff) -> TradeOffSettings:
        """Return the settings that a problem says."""
        said = answer.problem.settings()
        given = {key: said[key] for key in TradeOffSettings.model_fields if key in said}
        return TradeOffSettings.read(given)

    def shown(
        self, answer: TradeOff, settings: TradeOffSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the breakpoints, and whether they are all."""
        capacity = answer.capacity_load
        whole = (
            "complete, proved"
            if answer.complete
            else f"within {no_less_than(100 * answer.gap, 3)} % of the whole curve"
        )
        took = "" if math.isnan(seconds) else f", {seconds:.1f} s"
        lines = ["  load, fraction of capacity, path length over shortest"]
        for vertex, length in zip(answer.vertices, answer.normalized_lengths(), strict=True):
            fraction = "" if capacity is None else f"{in_short(capacity / vertex.load)}  "
            mark = "" if vertex.proved else "  (not proved)"
            lines.append(f"  {in_short(vertex.load)}  {fraction}{in_short(length)}{mark}")
        yield Shown(
            f"{answer.problem.objective} of {answer.network.name}: {len(answer.vertices)} "
            f"breakpoints, {whole}; {answer.solves} linear programs{took}",
            lines=lines,
        )

    def to_json(
        self, answer: TradeOff, settings: TradeOffSettings, seconds: float
    ) -> dict[str, Any]:
        """Return every breakpoint."""
        capacity = answer.capacity_load
        return {
            "network": answer.network.name,
            "objective": answer.problem.objective,
            "paths": answer.problem.paths,
            "complete": answer.complete,
            "gap": answer.gap,
            "vertices": [
                {
                    **exact_json("routing_load", vertex.load),
                    **exact_json("mean_path_length", vertex.path_length),
                    **exact_json("fraction_of_capacity", capacity and capacity / vertex.load),
                    **exact_json("normalized_path_length", length),
                    "proved": vertex.proved,
                }
                for vertex, length in zip(
                    answer.vertices, answer.normalized_lengths(), strict=True
                )
            ],
            "solves": answer.solves,
            "solver": answer.solver,
            "seconds": round(seconds, 3),
        }
