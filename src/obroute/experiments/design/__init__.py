"""Designs: the routing with the best throughput, with its value proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from obroute.choices.designs import (
    GAP,
    METHOD,
    OBJECTIVE,
    PATHS,
    SAMPLES,
    SYMMETRY,
    Method,
    Objective,
    Symmetry,
)
from obroute.choices.tables import TABLE, Table
from obroute.choices.traffic import MATRIX_KIND, MatrixKind
from obroute.dependencies import Dependencies
from obroute.kinds.answers import Output, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings
from obroute.kinds.sweep import Names, Sweep
from obroute.specs import (
    LARGEST_SEED,
    MOST_DRAWN,
    MOST_SAMPLES,
    InputError,
    parse_positive_fraction,
)

if TYPE_CHECKING:
    from obroute.design import Design
    from obroute.design.named import NamedDesign
    from obroute.experiments.design.store import Designed
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

PositiveFraction = Annotated[
    str, BeforeValidator(lambda value: str(parse_positive_fraction(str(value))))
]
"""A positive number, exactly: 1.25 is 5/4."""
_SAID_BY_NAME = ("objective", "then", "paths", "locality", "load")


def named_design(name: str, where: str) -> NamedDesign:
    """Return a design by its name.

    Raises
    ------
    InputError
        If it is another routing; ``where`` says where it was given.
    """
    from obroute.design.named import NAMED_DESIGNS, NamedDesign
    from obroute.routing import routings

    routing = routings.create(name)
    if not isinstance(routing, NamedDesign):
        raise InputError(
            f"{where}: '{name}' is no design; expected {', '.join(NAMED_DESIGNS)}, such as "
            "optimal:objective=average_case (other routings go under routings)"
        )
    return routing


class DesignSettings(Settings):
    """What a routing is designed for."""

    objective: Objective = Field(
        default=OBJECTIVE, description="What to optimise; the worst case if not given."
    )
    named: str | None = Field(
        default=None,
        description="A design by name in place of an objective: 2turn, 2turna.",
    )
    locality: PositiveFraction | None = Field(
        default=None,
        description="Largest mean path length, over that of shortest paths: 1.25, 5/4.",
    )
    exact_locality: Annotated[bool, Option("--equal")] = Field(
        default=False, description="Exactly this locality, not at most."
    )
    load: PositiveFraction | None = Field(
        default=None,
        description="Largest load, in place of the best: the shortest paths at it.",
    )
    then: Literal["locality"] | None = Field(
        default=None, description="Of the best routings, one of the shortest paths."
    )
    paths: str = Field(
        default=PATHS,
        description="all, minimal, two_turn, a routing whose paths to use; + joins them.",
    )
    traffic: str | None = Field(
        default=None,
        description="Traffic of the capacity objective, a pattern or file; uniform if not given.",
    )
    samples: int = Field(
        default=SAMPLES, ge=1, le=MOST_SAMPLES, description="Traffic matrices of the average case."
    )
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED, description="Seed of the sample.")
    matrix_kind: MatrixKind = Field(
        default=MATRIX_KIND, description="permutation, mixture or sinkhorn."
    )
    fresh: int = Field(
        default=1000,
        ge=1,
        le=MOST_DRAWN,
        description="Matrices outside the sample to judge an average case by.",
    )
    symmetry: Symmetry = Field(
        default=SYMMETRY,
        description="auto, declared, found, translations, translations+reversal or none.",
    )
    method: Method = Field(
        default=METHOD, description="auto, simplex, crossover, interior_point or first_order."
    )
    gap: float = Field(
        default=GAP,
        gt=0,
        description="Relative width of the bracket at which first_order stops.",
    )
    time_limit: Annotated[float | None, Option(recorded=False)] = Field(
        default=None,
        gt=0,
        description="Seconds for each linear program; no limit if not given.",
    )
    name: str | None = Field(default=None, description="What to call the routing.")
    export_as: Annotated[Table, Option(recorded=False)] = Field(
        default=TABLE, description="What to write: paths, flows or next channels."
    )

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, values: Any) -> Any:
        """Take what a design's name says."""
        if not isinstance(values, dict):
            return values
        name = values.get("named")
        if not isinstance(name, str):
            if values.get("load") is not None:
                return {**values, "then": "locality"}
            return values
        if any(values.get(key) is not None for key in _SAID_BY_NAME):
            raise InputError(
                f"--named {name} says what to optimise; leave out "
                + ", ".join(f"--{key}" for key in _SAID_BY_NAME[:-1])
                + f" and --{_SAID_BY_NAME[-1]}"
            )
        return {"name": name, **values, **_said_by(name)}

    @classmethod
    def given_by(cls, record: dict[str, Any]) -> dict[str, Any]:
        """Leave out what a design's name says: a record has both."""
        named = record.get("named")
        if not isinstance(named, str):
            return record
        said = {*_said_by(named), *_SAID_BY_NAME}
        return {key: value for key, value in record.items() if key not in said}

    def words(self) -> list[str]:
        """Return the options; a design's name stands for what it says."""
        if self.named is None:
            return super().words()
        said = _said_by(self.named)
        kept = {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name not in said and not (name == "name" and self.name == self.named)
        }
        return super(DesignSettings, self.model_construct(**kept)).words()

    def depends_on(self) -> Dependencies:
        """Return what the traffic, the design's name and the routings of its paths depend on."""
        from obroute.design.named import PATH_SETS
        from obroute.routing import routings
        from obroute.traffic import make_pattern

        parts = [] if self.traffic is None else [make_pattern(self.traffic).depends_on()]
        if self.named is not None:
            parts.append(routings.create(self.named).depends_on())
        if self.paths not in PATH_SETS:
            parts += [
                routings.create(part).depends_on()
                for part in self.paths.split("+")
                if part not in PATH_SETS and part.partition(":")[0] in routings
            ]
        return Dependencies.union(parts)


def _said_by(name: str) -> dict[str, Any]:
    """Return the settings that a design's name says."""
    said = {"paths": PATHS} | named_design(name, "--named").settings
    return {
        key: str(value) if isinstance(value, Fraction) else value for key, value in said.items()
    }


@experiments.register("design", "the routing with the best throughput")
class DesignExperiment(Experiment[DesignSettings, "Designed"]):
    """The routing with the best throughput, with its value proved."""

    name = "design"
    section = "designs"
    gathered = "designs"
    title = "A design: a routing that `obroute evaluate NETWORK STORE` takes"
    command = "design"
    purpose = "Design the routing with the best throughput, with its value proved."
    about = "Routings that are designed: every network with every design."
    settings = DesignSettings
    answers = ("obroute.design.designs.Design", "obroute.experiments.design.store.Designed")
    takes_routing = False
    makes_routing = True
    parallel = False
    minutes = 120
    remedy = "take a smaller network, or a machine with more"

    def entry(self) -> type[Sweep]:
        """Return the class of entries: networks with designs by name."""
        return DesignsEntry

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> DesignSettings:
        """Return the settings that a design's name says."""
        assert routing is not None
        named_design(routing.name, self.section)
        return DesignSettings.read({"named": routing.name})

    def words(self, network: str, routing: str, settings: DesignSettings) -> list[str]:
        """Return the words of the command; its settings name the design."""
        return [self.command, network, *settings.words()]

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: DesignSettings,
        run: TaskRunner,
    ) -> Designed:
        """Design the routing, and judge it where it is for a sample."""
        from obroute.experiments.design.store import run_design

        return run_design(network, settings)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: DesignSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the linear program and its checks."""
        from obroute.memory import design_megabytes

        return design_megabytes(network)

    def settings_behind(self, answer: Design | Designed) -> DesignSettings:
        """Return the settings that a problem says."""
        from obroute.experiments.design.store import parts_of

        design, judged = parts_of(answer)
        given = {key: value for key, value in design.problem.settings().items() if value}
        if judged is not None:
            given["fresh"] = len(judged.out_of_sample.loads)
        return DesignSettings.read({**given, "name": design.routing.name})

    def shown(
        self, answer: Design | Designed, settings: DesignSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the load and the path length, each with what is proved of it."""
        from obroute.experiments.design.shown import shown
        from obroute.experiments.design.store import Designed

        return shown(answer if isinstance(answer, Designed) else Designed(answer))

    def to_json(
        self, answer: Designed, settings: DesignSettings, seconds: float
    ) -> dict[str, Any]:
        """Return values, bounds and what is proved."""
        from obroute.experiments.design.shown import as_json

        return as_json(answer)

    def made_routing(self, store: Path) -> tuple[str, Dependencies]:
        """Return the name of the routing in a store, and what it depends on."""
        from obroute.experiments.design.stored import StoredDesign

        return f"designed:{store}", Dependencies((str(store),), (StoredDesign.__module__,))

    def outputs(self) -> Sequence[Output]:
        """Return the tables of the routing and of the traffic that bounds all routings."""
        from obroute.experiments.design.tables import HardTraffic, RoutingTable

        return RoutingTable(), HardTraffic()


class DesignsEntry(Sweep):
    """Routings that are designed: every network with every design."""

    routings: Names = Field(
        default=["2turn", "optimal"],
        description="Designs by name: 2turn, 2turna, or optimal with an objective, paths and a "
        "locality. Each is designed, and then evaluated like any other routing.",
    )
