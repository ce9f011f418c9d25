"""The routing that is found under a restriction, by name: ``deployable:destination``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from obroute.choices.deployments import MOVES, SEGMENTS, WEIGHT
from obroute.dependencies import Dependencies
from obroute.deployment.finding import find_routing
from obroute.deployment.known import depends_on_known
from obroute.deployment.restrictions import KINDS, Restriction
from obroute.network import Network
from obroute.routing import Routing, routings
from obroute.routing.designed import RoutingByNetwork
from obroute.specs import LARGEST_SEED, InputError, Parameter, parse_choice, parse_integer

MOST_MOVES = 10**7


def _is(restriction: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda values: bool(values.get("restriction") == restriction)


@routings.register(
    "deployable",
    "the best found under what switches can do: single paths, forwarding tables, weights",
    examples=("deployable:destination", "deployable:wcmp,weight=8"),
    small=(
        "deployable:segments,segments=9,virtual_channels=1,moves=8",
        "deployable:wcmp,weight=2,moves=8,seed=1",
    ),
)
class Deployable(RoutingByNetwork):
    """A routing that is looked for on each network when it is first used there.

    ``obroute deploy`` says besides how good the best can be.

    >>> from obroute import evaluate
    >>> str(evaluate("ring:5", "deployable:destination,moves=8").worst_case_load)
    '2'
    """

    designs = True

    def __init__(
        self,
        restriction: Annotated[str, Parameter(", ".join(KINDS), parse_choice(*KINDS))],
        weight: Annotated[
            int,
            Parameter(
                "largest weight of a next hop, for wcmp", parse_integer(1), matters=_is("wcmp")
            ),
        ] = WEIGHT,
        segments: Annotated[
            int,
            Parameter(
                "shortest paths one after another, for segments",
                parse_integer(1),
                matters=_is("segments"),
            ),
        ] = SEGMENTS,
        virtual_channels: Annotated[
            int, Parameter("that suffice against deadlock; 0 for any number", parse_integer(0))
        ] = 0,
        *,
        moves: Annotated[
            int, Parameter("moves of local search", parse_integer(0, MOST_MOVES))
        ] = MOVES,
        seed: Annotated[int, Parameter("seed of the search", parse_integer(0, LARGEST_SEED))] = 0,
    ) -> None:
        super().__init__()
        self.settings: dict[str, Any] = {
            "restriction": restriction,
            "weight": weight,
            "segments": segments,
            "virtual_channels": virtual_channels or None,
            "moves": moves,
            "seed": seed,
        }
        self.restriction = Restriction(
            restriction,  # type: ignore[arg-type]  # one of the choices
            weight,
            segments,
            virtual_channels or None,
        )

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return its own modules, and those of the routings that the search may begin with."""
        return Dependencies.union((super().depends_on(network), depends_on_known()))

    def check(self, network: Network) -> None:
        """Raise where the restriction is not defined; nothing is looked for yet."""
        try:
            self.restriction.order(network)
        except InputError as error:
            raise InputError(
                f"{self.name} is not defined on {network.name}: virtual channels are given out in "
                f"the order of up*/down*, and {error}"
            ) from None

    def made_for(self, network: Network) -> Routing:
        """Return the routing that is found on a network."""

        def find() -> Routing:
            settings = self.settings
            return find_routing(
                network, self.restriction, moves=settings["moves"], seed=settings["seed"]
            ).routing

        return self.remember(network, "found", find)
