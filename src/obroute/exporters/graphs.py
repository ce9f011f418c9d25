"""Networks as GraphML and node-link JSON, with everything that a network has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from obroute.exporters.registry import register
from obroute.network import Network
from obroute.specs import InputError, shown

if TYPE_CHECKING:
    import networkx as nx


@register(
    "graphml",
    endings=("graphml", "xml"),
    summary="GraphML, a directed edge for every channel",
    keeps="everything",
)
def graphml(network: Network) -> Mapping[str, str]:
    """Return the network as GraphML; numbers are text, so that they stay exact."""
    import networkx as nx

    graph = network.to_networkx()
    for name in graph.nodes:
        if any(ord(mark) < 32 and mark not in "\t\n\r" for mark in str(name)):
            raise InputError(f"the node {shown(name)} has no place in XML; write .csv")
    return {"": "\n".join(nx.generate_graphml(_as_text(graph))) + "\n"}


@register(
    "node_link",
    endings=("json",),
    summary="node-link JSON of networkx",
    keeps="everything",
)
def node_link(network: Network) -> Mapping[str, str]:
    """Return the network as node-link JSON."""
    import networkx as nx

    found = nx.node_link_data(_as_text(network.to_networkx()), edges="links")
    return {"": json.dumps(found, indent=1, ensure_ascii=False) + "\n"}


def _as_text(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    """Return a graph with numbers as text where one of their kind is no whole one."""
    items = [data for _, data in graph.nodes(data=True)]
    items += [data for *_, data in graph.edges(data=True)]
    for key in ("bandwidth", "injection", "ejection"):
        if any(isinstance(data.get(key), str) for data in items):
            for data in items:
                if key in data:
                    data[key] = str(data[key])
    return graph
