"""The routing of Garnet, gem5's network: by a table of weights, or x before y.

By the table (``routing_algorithm`` 0) a packet takes the ways of least total weight. Of the links
out of a router that begin one, only those of least weight of their own are candidates, of which
Garnet draws one for every packet, all equally likely; on an ordered virtual network
(``choice=first``) it takes the first, that to the router of the lowest number. By
``routing_algorithm`` 1 a packet goes in x (East or West), then in y (North or South), by the
directions that links are called after.

The source is gem5's: ``Topology.cc`` (ways of least weight) and ``RoutingUnit.cc`` (the choice).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from obroute.importers.gem5 import Gem5Network
from obroute.network import Network
from obroute.routing.contract import Routing
from obroute.routing.delegated import Delegated
from obroute.routing.registry import routings
from obroute.routing.weighted_hops import WeightedHops
from obroute.specs import InputError, Parameter, parse_choice

DEFINED_FOR = "networks that are read from a config.ini of gem5"
NO_WAY = 10_000
"""What Garnet takes for no link, and for no way, when it adds up weights."""
TABLE, X_BEFORE_Y = 0, 1


@routings.register(
    "garnet",
    "as Garnet routes: by its table of weights, or x before y",
    defined_for=DEFINED_FOR,
    examples=("garnet",),
    small=("garnet", "garnet:choice=first"),
)
class Garnet(Delegated):
    """What a network of gem5 says of its routing; see the module."""

    def __init__(
        self,
        choice: Annotated[
            str,
            Parameter(
                "of equal links: any, drawn for each packet, or the first (ordered networks)",
                parse_choice("any", "first"),
            ),
        ] = "any",
    ) -> None:
        super().__init__()
        self.choice = choice

    def make(self, network: Network) -> Routing:
        """Return the next hops to each destination."""
        if not isinstance(network, Gem5Network):
            raise InputError(
                f"{self.name} is not defined on {network.name}; it is defined for {DEFINED_FOR}"
            )
        if network.algorithm not in (TABLE, X_BEFORE_Y):
            raise InputError(
                f"{network.name} has routing_algorithm {network.algorithm}, which is a program of "
                "its own; expected 0 or 1, or write its paths as a table"
            )
        if network.labels != tuple(map(str, range(network.node_count))):
            raise InputError(
                f"{self.name}: the routers of {network.name} have other numbers than "
                f"0 to {network.node_count - 1}"
            )
        ends = network.tail * network.node_count + network.head
        pairs, counts = np.unique(ends, return_counts=True)
        if (counts > 1).any():
            tail, head = divmod(int(pairs[np.argmax(counts)]), network.node_count)
            raise InputError(
                f"{self.name}: {network.name} has parallel links from router {tail} to {head}, of "
                "which Garnet's choice is not known; write the paths as a table"
            )
        by_weight = network.algorithm == TABLE
        to_each = self._by_weight(network) if by_weight else _x_before_y(network)
        made = WeightedHops(self.name, to_each)
        made.check(network)
        return made

    def _by_weight(self, network: Gem5Network) -> dict[int, dict[int, int]]:
        weights = np.array(network.weights, dtype=np.int64)
        wrong = np.flatnonzero((weights < 1) | (weights >= NO_WAY))
        if wrong.size:
            raise InputError(
                f"{self.name}: {network.name} has a link of weight {weights[wrong[0]]}, "
                f"{network.describe_channel(int(wrong[0]))}; expected 1 to {NO_WAY - 1}"
            )
        shape = (network.node_count, network.node_count)
        backwards = csr_array((weights.astype(float), (network.head, network.tail)), shape=shape)
        found: dict[int, dict[int, int]] = {}
        for destination in network.destinations.tolist():
            left = dijkstra(backwards, indices=destination)
            if left[network.sources].max() >= NO_WAY:
                raise InputError(
                    f"{self.name}: {network.name} has a way of weight {NO_WAY} or more, which "
                    "Garnet takes for none; expected smaller weights"
                )
            leads = np.flatnonzero(weights + left[network.head] == left[network.tail])
            least = np.full(network.node_count, NO_WAY)
            np.minimum.at(least, network.tail[leads], weights[leads])
            leads = leads[weights[leads] == least[network.tail[leads]]]
            if self.choice == "first":
                leads = leads[np.lexsort((network.head[leads], network.tail[leads]))]
                leads = leads[np.unique(network.tail[leads], return_index=True)[1]]
            found[destination] = dict.fromkeys(leads.tolist(), 1)
        return found


def _x_before_y(network: Gem5Network) -> dict[int, dict[int, int]]:
    columns, rest = divmod(network.node_count, max(network.rows, 1))
    if rest or not network.rows:
        raise InputError(
            f"{network.name} has {network.node_count} routers in num_rows={network.rows}; "
            "expected rows of one length"
        )
    leaving = {
        (tail, direction): channel
        for channel, (tail, direction) in enumerate(
            zip(network.tail.tolist(), network.outports, strict=True)
        )
    }
    found: dict[int, dict[int, int]] = {}
    for destination in network.destinations.tolist():
        there_y, there_x = divmod(destination, columns)
        taken = found.setdefault(destination, {})
        for router in range(network.node_count):
            y, x = divmod(router, columns)
            if router == destination:
                continue
            in_x, in_y = ("East", "West")[there_x < x], ("North", "South")[there_y < y]
            direction = in_x if x != there_x else in_y
            if (router, direction) not in leaving:
                raise InputError(
                    f"{network.name}: router {network.describe(router)} has no link {direction} "
                    f"(src_outport), which x before y takes to {network.describe(destination)}"
                )
            taken[leaving[router, direction]] = 1
    return found
