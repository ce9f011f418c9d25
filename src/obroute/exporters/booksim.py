"""Networks as BookSim's anynet files."""

from __future__ import annotations

from collections.abc import Mapping

from obroute.exporters.plain_networks import cables_of, hosts_of
from obroute.exporters.registry import register
from obroute.network import Network
from obroute.specs import InputError

_FORM = "an anynet file of BookSim"


@register(
    "booksim",
    endings=("anynet", "booksim"),
    summary=f"{_FORM}: routers by their numbers, hosts as nodes",
    keeps="single cables of one bandwidth, hosts at routers",
)
def booksim(network: Network) -> Mapping[str, str]:
    """Return the network as an anynet file; nodes are numbered in the order of routers."""
    cables = cables_of(network, _FORM)
    for (one, other), count in cables.items():
        if count > 1:
            raise InputError(
                f"{network.name} has {count} cables between {network.describe(one)} and "
                f"{network.describe(other)}, and {_FORM} has one; write .graphml or .csv"
            )
    hosts = hosts_of(network, _FORM)
    lines, node = [], 0
    for router in range(network.node_count):
        at_it = [f"node {node + place}" for place in range(hosts[router])]
        node += hosts[router]
        others = [f"router {other}" for one, other in sorted(cables) if one == router]
        if at_it or others:
            lines.append(" ".join([f"router {router}", *at_it, *others]))
    return {"": "\n".join(lines) + "\n"}
