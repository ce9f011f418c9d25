"""The routing of the least oblivious ratio by its name, ``least_ratio``."""

from __future__ import annotations

from typing import Annotated

from obroute.choices.designs import SYMMETRY
from obroute.design.problem import SYMMETRIES, DesignProblem
from obroute.network import Network
from obroute.ratios.focus import FocusChannel, focus_channels_of
from obroute.ratios.ratios import LEAST_RATIO, Ratio, group_of_routing, least_ratio
from obroute.routing import Routing, routings
from obroute.routing.designed import RoutingByNetwork
from obroute.specs import Parameter, parse_choice
from obroute.symmetry import Reduction


@routings.register(
    LEAST_RATIO,
    "the least oblivious ratio: nearest to the best routing of each traffic, whatever it is",
    defined_for="every network",
    examples=(LEAST_RATIO,),
    small=(f"{LEAST_RATIO}:symmetry=translations",),
)
class LeastRatio(RoutingByNetwork):
    """The routing of the least oblivious ratio, designed when it is first used on a network.

    >>> from obroute import make_network
    >>> LeastRatio().ratio(make_network("ring:4")).bounds.upper
    Fraction(3, 2)
    """

    designs = True

    def __init__(
        self,
        symmetry: Annotated[
            str,
            Parameter("the group that the problem is reduced by", parse_choice(*SYMMETRIES)),
        ] = SYMMETRY,
    ) -> None:
        super().__init__()
        self.symmetry = symmetry

    def ratio(self, network: Network, seconds: float | None = None) -> Ratio:
        """Return the ratio on a network, with its proofs and the routing that has it."""
        return self.remember(
            network,
            "ratio",
            lambda: least_ratio(network, symmetry=self.symmetry, seconds=seconds, name=self.name),
        )

    def made_for(self, network: Network) -> Routing:
        """Return the routing that has it."""
        return self.ratio(network).routing


def orbits_of(network: Network, routing: Routing) -> tuple[list[FocusChannel], Reduction | None]:
    """Return the channels that stand for the others, and the orbits of flows that are free."""
    if not isinstance(routing, LeastRatio):
        return focus_channels_of(group_of_routing(network, routing)), None
    group = DesignProblem(network, symmetry=routing.symmetry).group
    return focus_channels_of(group), Reduction.build(group)
