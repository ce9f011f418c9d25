"""What the kinds that route packets share: their traffic, queues and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obroute.dependencies import Dependencies
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.network import Network
    from obroute.routing import Routing


def traffic_defined_on(network: Network, names: Sequence[str]) -> list[str]:
    """Return the traffic that is defined on a network; what the routing makes always is.

    Raises
    ------
    InputError
        If none is, or a name is unknown.
    """
    from obroute.packets.relations import OF_THE_ROUTING
    from obroute.traffic import defined_patterns

    defined = defined_patterns([name for name in names if name not in OF_THE_ROUTING], network)
    chosen = [name for name in names if name in (*OF_THE_ROUTING, *defined)]
    if not chosen:
        raise InputError(
            f"none of the traffic {', '.join(names)} is defined on {network.name}; name some "
            "that is"
        )
    return chosen


def traffic_dependencies(names: Sequence[str]) -> Dependencies:
    """Return what the patterns among traffic depend on."""
    from obroute.packets.relations import OF_THE_ROUTING
    from obroute.traffic import make_pattern

    return Dependencies.union(
        make_pattern(name).depends_on() for name in names if name not in OF_THE_ROUTING
    )


def needs_evaluation(network: Network, routing: Routing | None, names: Sequence[str]) -> int:
    """Return the megabytes of an evaluation by one thread, where traffic or routing takes one."""
    from obroute.memory import evaluation_megabytes
    from obroute.packets.relations import OF_THE_ROUTING

    assert routing is not None
    designed = any(part.designs for part in routing.components())
    if not designed and not {*OF_THE_ROUTING, "uniform"} & {*names}:
        return 0
    return evaluation_megabytes(network, routing)
