"""Deployments: the best routing under what switches can do, in a proved interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from obroute.choices.deployments import MOVES, SEGMENTS, STEPS, WEIGHT, RestrictionKind
from obroute.choices.tables import TABLE, Table
from obroute.decimals import interval
from obroute.dependencies import Dependencies
from obroute.kinds.answers import Output, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings
from obroute.kinds.shown import LONGEST_SHOWN, exact_json, in_short
from obroute.kinds.sweep import Names, Sweep
from obroute.specs import LARGEST_SEED, InputError

if TYPE_CHECKING:
    from fractions import Fraction

    from obroute.deployment import Deployment
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

OfTheName = Option(in_study=False)
"""A setting that a study says by the name of the routing that it looks for."""


class DeploymentSettings(Settings):
    """What the switches can do, and how long to search."""

    restriction: Annotated[RestrictionKind, OfTheName] = Field(
        default="destination",
        description="single_path, destination (a forwarding table), ecmp, wcmp or segments.",
    )
    weight: Annotated[int, OfTheName] = Field(
        default=WEIGHT, ge=1, le=10**6, description="Largest weight of a next hop, for wcmp."
    )
    segments: Annotated[int, OfTheName] = Field(
        default=SEGMENTS,
        ge=1,
        le=10**6,
        description="Shortest paths one after another, for segments.",
    )
    virtual_channels: Annotated[int | None, OfTheName] = Field(
        default=None,
        ge=1,
        le=10**6,
        description="Virtual channels that suffice against deadlock; any number if not given.",
    )
    moves: Annotated[int, OfTheName] = Field(
        default=MOVES, ge=0, le=10**7, description="Moves of local search."
    )
    seed: Annotated[int, OfTheName] = Field(
        default=0, ge=0, le=LARGEST_SEED, description="Seed of the search."
    )
    steps: int = Field(
        default=STEPS,
        ge=0,
        le=10**9,
        description="Paths and choices of them to try for a proof that nothing is better.",
    )
    without_best: bool = Field(
        default=False,
        description="Leave out the linear program of the best of all oblivious routings.",
    )
    export_as: Annotated[Table | Literal["weights", "lft"], Option(recorded=False)] = Field(
        default=TABLE,
        description="What to write: paths, flows, next channels, weights of next hops, or the "
        "forwarding tables of OpenSM.",
    )

    def depends_on(self) -> Dependencies:
        """Return what the routings that a search may begin with depend on."""
        from obroute.deployment.known import depends_on_known

        return depends_on_known()


class DeploymentsEntry(Sweep):
    """What can be deployed: every network under every restriction."""

    routings: Names = Field(
        default=["deployable:destination"],
        description="What switches can do: deployable with a restriction, such as "
        "deployable:wcmp,weight=8.",
    )
    steps: int = DeploymentSettings.field("steps")
    without_best: bool = DeploymentSettings.field("without_best")


@experiments.register("deployment", "the best routing under what switches can do")
class DeploymentExperiment(Experiment[DeploymentSettings, "Deployment"]):
    """The best routing under what switches can do."""

    name = "deployment"
    section = "deployments"
    gathered = "deployments"
    title = "A deployment: the best routing found under what switches can do"
    command = "deploy"
    purpose = "Find the best routing that switches can carry out, in a proved interval."
    about = "What can be deployed: every network under every restriction."
    settings = DeploymentSettings
    answers = ("obroute.deployment.deployments.Deployment",)
    takes_routing = False
    parallel = False
    minutes = 120
    remedy = "leave out the linear program by --without-best, or take a machine with more"

    def entry(self) -> type[Sweep]:
        """Return the class of entries: networks with restrictions by name."""
        return DeploymentsEntry

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> DeploymentSettings:
        """Return the settings that the name of the routing says."""
        from obroute.deployment.named import Deployable

        if not isinstance(routing, Deployable):
            assert routing is not None
            raise InputError(
                f"{self.section}: '{routing.name}' is no restriction; expected deployable with "
                "one, such as deployable:destination (other routings go under routings)"
            )
        assert isinstance(entry, DeploymentsEntry)
        return DeploymentSettings.read(
            {**routing.settings, "steps": entry.steps, "without_best": entry.without_best}
        )

    def words(self, network: str, routing: str, settings: DeploymentSettings) -> list[str]:
        """Return the words of the command; its settings say the restriction."""
        return [self.command, network, *settings.words()]

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: DeploymentSettings,
        run: TaskRunner,
    ) -> Deployment:
        """Find the routing and the bounds."""
        from obroute.experiments.deployment.store import run_deployment

        return run_deployment(network, settings)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: DeploymentSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of the pair loads, and of the linear program if it is solved."""
        from obroute.memory import BASE_MEGABYTES, design_megabytes

        pairs = len(network.sources) * len(network.destinations)
        needed = BASE_MEGABYTES + 10 * network.channel_count * pairs // 10**6
        return needed if settings.without_best else max(needed, design_megabytes(network))

    def settings_behind(self, answer: Deployment) -> DeploymentSettings:
        """Return the settings that an answer was found with."""
        asked = answer.restriction
        return DeploymentSettings(
            restriction=asked.kind,
            weight=asked.weight,
            segments=asked.segments,
            virtual_channels=asked.virtual_channels,
            moves=answer.moves,
            seed=answer.seed,
            steps=answer.steps,
            without_best=answer.oblivious is None,
        )

    def shown(
        self, answer: Deployment, settings: DeploymentSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the load, what is proved of the best, and the price of the restriction."""
        from obroute.deployment.bounds import WORDS

        bound = answer.best_bound
        least = f"{in_short(bound.load)}, by {WORDS[bound.name]}"
        rows = [
            ("restriction", str(answer.restriction)),
            ("worst-case load", f"{in_short(answer.load)}, from {answer.origin}"),
            ("best possible", "the same: proved" if answer.is_best else f"at least {least}"),
        ]
        if answer.is_best:
            rows.append(("proved by", WORDS[bound.name]))
        if answer.oblivious is not None and answer.price is not None:
            low, high = answer.price.lower, answer.price.upper
            best = answer.oblivious
            rows += [
                ("any oblivious", _between(best.lower, best.upper)),
                ("price", _between(low, high)),
            ]
        yield Shown(f"{settings.restriction} on {answer.network.name}", rows)

    def to_json(
        self, answer: Deployment, settings: DeploymentSettings, seconds: float
    ) -> dict[str, Any]:
        """Return the interval, every bound and what is proved."""
        best, price = answer.oblivious, answer.price
        return {
            "network": answer.network.name,
            "restriction": settings.restriction,
            "words": str(answer.restriction),
            **exact_json("worst_case_load", answer.load),
            **exact_json("least_load", answer.lower),
            "proved_best": answer.is_best,
            "bounds": [
                {"name": bound.name, **exact_json("load", bound.load)} for bound in answer.bounds
            ],
            **exact_json("oblivious_lower", best.lower if best else None),
            **exact_json("oblivious_upper", best.upper if best else None),
            **exact_json("price_lower", price.lower if price else None),
            **exact_json("price_upper", price.upper if price else None),
            "origin": answer.origin,
            "claims": answer.claims.split("\n"),
            "seconds": round(seconds, 3),
        }

    def outputs(self) -> Sequence[Output]:
        """Return the table of the routing."""
        from obroute.experiments.deployment.tables import SwitchTable

        return (SwitchTable(),)


def _between(lower: Fraction, upper: Fraction) -> str:
    if lower == upper:
        return in_short(lower)
    if max(len(str(lower)), len(str(upper))) < LONGEST_SHOWN:
        return f"{in_short(lower)} to {in_short(upper)}"
    return interval(lower, upper, 9)
