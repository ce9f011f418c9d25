"""Networks from GML, as the Topology Zoo, networkx and igraph write it."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of_graph
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head, read_text
from obroute.specs import Parameter

if TYPE_CHECKING:
    import networkx as nx

_BEGINNING = re.compile(
    r"(?:\s*#[^\n]*\n|\s*(?:Creator|Version|comment)\s+(?:\"[^\"]*\"|\S+)\s)*\s*graph\s*\["
)


def _is_gml(head: Head) -> bool:
    return _BEGINNING.match(head.text) is not None


@importers.register(
    "gml",
    "GML: the Topology Zoo, networkx, igraph",
    recognise=_is_gml,
    small=(
        'graph [\n  node [ id 0 label "a" ]\n  node [ id 1 label "b" ]\n'
        "  edge [ source 0 target 1 LinkSpeedRaw 2500000000.0 ]\n]\n",
    ),
)
def gml(
    file: Annotated[FilePath, Parameter("the GML file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from GML; see the module."""
    text = read_text(file, "GML")

    def read() -> nx.Graph:
        import networkx as nx

        # Several nodes may have one label, which networkx takes for a fault where it looks.
        lines = [line for line in text.split("\n") if not re.match(r"\s*multigraph\s", line)]
        return nx.parse_gml(_as_multigraph(lines), label="id")

    return network_of_graph(file, "GML", read, bandwidth, terminals)


def _as_multigraph(lines: list[str]) -> list[str]:
    """Let the graph have several edges between two nodes, which GML does not forbid."""
    text = "\n".join(lines)
    return _BEGINNING.sub(lambda found: f"{found[0]}\nmultigraph 1\n", text, count=1).split("\n")
