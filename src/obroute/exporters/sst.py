"""Networks as the GraphML that the topology ``anytopo`` of SST's merlin imports."""

from __future__ import annotations

from collections.abc import Mapping

from obroute.exporters.plain_networks import cables_of, hosts_of
from obroute.exporters.registry import register
from obroute.network import Network

_FORM = "anytopo of SST"


@register(
    "sst",
    endings=(),
    summary="GraphML for anytopo of SST's merlin: routers in order, with endpoints",
    keeps="cables of one bandwidth, hosts at routers",
)
def sst(network: Network) -> Mapping[str, str]:
    """Return the graph; SST numbers routers and endpoints in the order of its nodes."""
    import networkx as nx

    cables = cables_of(network, _FORM)
    graph = nx.MultiGraph() if max(cables.values()) > 1 else nx.Graph()
    for router, hosts in enumerate(hosts_of(network, _FORM)):
        graph.add_node(router, endpoints=hosts)
    for (one, other), count in sorted(cables.items()):
        for _ in range(count):
            graph.add_edge(one, other)
    return {"": "\n".join(nx.generate_graphml(graph)) + "\n"}
