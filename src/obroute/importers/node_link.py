"""Networks from node-link JSON, as networkx and TopoHub write it.

Demands of a TopoHub file (under ``demands`` of the graph) are read as traffic from the same file.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

from obroute.delimited import json_name
from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of_graph
from obroute.importers.registry import Demand, importers
from obroute.network import Network
from obroute.reading import Head, read_json, read_text
from obroute.specs import InputError, Parameter, parse_choice, parse_fraction, shown

if TYPE_CHECKING:
    import networkx as nx

_KEYS = {key: re.compile(rf'"{key}"\s*:') for key in ("nodes", "links", "edges", "directed")}
LINKS = ("links", "edges")


def _is_node_link(head: Head) -> bool:
    found = {key for key, pattern in _KEYS.items() if pattern.search(head.text)}
    whole = "nodes" in found and bool(found & set(LINKS))
    return head.text.lstrip()[:1] == "{" and (whole or {"nodes", "directed"} <= found)


def _demands(file: FilePath) -> list[Demand]:
    """Read what TopoHub has: an object of sources, of objects of destinations, of amounts."""
    found = read_json(file, read_text(file, "JSON"))
    graph = found.get("graph") if isinstance(found, dict) else None
    by_source = graph.get("demands") if isinstance(graph, dict) else None
    demands: list[Demand] = []
    for source, by_destination in by_source.items() if isinstance(by_source, dict) else ():
        for destination, amount in (
            by_destination.items() if isinstance(by_destination, dict) else ()
        ):
            try:
                demands.append((source, destination, parse_fraction(str(amount))))
            except InputError as error:
                raise InputError(f"{file}: demand {source} → {destination}: {error}") from None
    return demands


@importers.register(
    "node_link",
    "node-link JSON: networkx, TopoHub",
    recognise=_is_node_link,
    endings=("json",),
    demands=_demands,
    small=(
        '{"directed": false, "multigraph": false, "graph": {"demands": {"a": {"b": 1.5}}}, '
        '"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}\n',
    ),
)
def node_link(
    file: Annotated[FilePath, Parameter("the JSON file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
    edges: Annotated[
        str, Parameter("the key of the links, where a file has several", parse_choice("", *LINKS))
    ] = "",
) -> Network:
    """Read a network from node-link JSON; see the module."""
    found = read_json(file, read_text(file, "JSON"))

    def read() -> nx.Graph:
        return _graph(file, found, edges)

    return network_of_graph(file, "node-link JSON", read, bandwidth, terminals)


def _graph(file: FilePath, found: Any, chosen: str) -> nx.Graph:
    import networkx as nx

    if not isinstance(found, dict) or not isinstance(found.get("nodes"), list):
        raise InputError(f"{file}: expected an object with lists of nodes and links")
    keys = [key for key in LINKS if isinstance(found.get(key), list)]
    if chosen and chosen not in keys:
        raise InputError(f"{file} has no list of {chosen}")
    if not chosen and len(keys) != 1:
        raise InputError(
            f"{file} has {'lists of links and of edges' if keys else 'no list of links'}; say "
            f"which to read: {file}:edges=links"
        )
    graph = nx.MultiDiGraph() if found.get("directed") is True else nx.MultiGraph()
    for place, node in enumerate(found["nodes"]):
        (name,) = _named(file, f"node {place + 1}", node, "id")
        graph.add_node(name)
        graph.nodes[name].update(_attributes(node, {"id"}))
    for place, link in enumerate(found[chosen or keys[0]]):
        where = f"link {place + 1}"
        ends = _named(file, where, link, "source", "target")
        for end in ends:
            if end not in graph:
                raise InputError(f"{file}: {where}: there is no node {shown(end)}")
        key = graph.add_edge(*ends)
        graph.edges[*ends, key].update(_attributes(link, {"source", "target", "key"}))
    return graph


def _attributes(entry: Any, without: set[str]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in without}


def _named(file: FilePath, where: str, entry: Any, *keys: str) -> list[str]:
    """Return the names that an object has under some keys."""
    if not isinstance(entry, dict) or any(key not in entry for key in keys):
        raise InputError(f"{file}: {where} is {shown(entry)}; expected an object with {keys[0]}")
    try:
        return [json_name(entry[key]) for key in keys]
    except InputError as error:
        raise InputError(f"{file}: {where}: {error}") from None
