"""What every network must be: ends that exist, positive bandwidths, terminals that are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.csgraph import connected_components, dijkstra

from obroute.names import check_name
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.network import Network


class DisconnectedError(InputError):
    """No path leads from some source to some destination."""


def check(network: Network) -> None:
    """Raise :class:`InputError` unless it is a network that packets can cross."""
    if len(network.tail) != len(network.head) or len(network.tail) != len(network.bandwidth):
        raise InputError(
            f"{network.name}: {len(network.tail)} tails, {len(network.head)} heads and "
            f"{len(network.bandwidth)} bandwidths; expected one of each for every channel"
        )
    for ends in (network.tail, network.head, network.sources, network.destinations):
        if ends.size and (ends.min() < 0 or ends.max() >= network.node_count):
            raise InputError(
                f"{network.name}: node {int(ends.max() if ends.min() >= 0 else ends.min())} does "
                f"not exist; nodes are 0 to {network.node_count - 1}"
            )
    loops = np.flatnonzero(network.tail == network.head)
    if loops.size:
        node = network.describe(int(network.tail[loops[0]]))
        raise InputError(
            f"{network.name}: a channel joins node {node} to itself; remove it, no path uses it"
        )
    for what, amounts in (
        ("channel bandwidth", network.bandwidth),
        ("injection bandwidth", network.injection),
        ("ejection bandwidth", network.ejection),
    ):
        if amounts.numerators.size and amounts.numerators.min() <= 0:
            place = int(np.argmin(amounts.numerators))
            raise InputError(
                f"{network.name}: {what} {amounts.fraction(place)} is not positive; give every "
                "channel and terminal a bandwidth above zero, or leave it out"
            )
    for what, names in (("node", network.labels), ("port", network.ports)):
        for name in names or ():
            check_name(name, f"{what} of {network.name}")
    if network.ports is not None:
        _check_ports(network)
    if not network.sources.size or not network.destinations.size:
        raise InputError(f"{network.name}: no terminal injects or ejects; name at least one each")
    if np.array_equal(network.sources, network.destinations) and len(network.sources) == 1:
        only = network.describe(int(network.sources[0]))
        raise InputError(
            f"{network.name}: node {only} is the only terminal, and nothing that it sends to "
            "itself crosses a channel; name at least two terminals"
        )
    if not network.connected:
        _check_connected(network)


def _check_ports(network: Network) -> None:
    for channel in range(network.channel_count):
        tail, head = int(network.tail[channel]), int(network.head[channel])
        others = network.parallel_channels(tail, head)
        names = [network.port_name(other) for other in others]
        if len(set(names)) < len(names):
            raise InputError(
                f"{network.name}: the parallel channels {network.describe(tail)} → "
                f"{network.describe(head)} have the ports {', '.join(names)}; give each a port of "
                "its own"
            )


def _check_connected(network: Network) -> None:
    _, component = connected_components(network.adjacency, directed=True, connection="strong")
    ends = np.concatenate([network.sources, network.destinations])
    if np.all(component[ends] == component[ends[0]]):
        return
    for row in range(len(network.sources)):
        reach = dijkstra(network.adjacency, indices=network.sources[row], unweighted=True)
        missing = np.flatnonzero(np.isinf(reach[network.destinations]))
        if missing.size:
            source = network.describe(int(network.sources[row]))
            destination = network.describe(int(network.destinations[missing[0]]))
            raise DisconnectedError(
                f"{network.name} is disconnected: no path leads from node {source} to node "
                f"{destination}; add a channel (channels go one way, from tail to head) or "
                "list fewer terminals"
            )
