"""Networks from GraphML, as networkx, igraph, yEd and the Topology Zoo write it.

An undirected edge is a cable. The bandwidth is the attribute that is called so: that of the
Topology Zoo is ``LinkSpeedRaw``, in bits per second. SST's merlin has ``endpoints`` at each
router.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of_graph
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head, check_xml_graph, read_text
from obroute.specs import Parameter

if TYPE_CHECKING:
    import networkx as nx

_BEGINNING = re.compile(r"<(?:\w+:)?graphml[\s>/]")


def _is_graphml(head: Head) -> bool:
    return _BEGINNING.search(head.text) is not None


@importers.register(
    "graphml",
    "GraphML: the Topology Zoo, SST's merlin, networkx, igraph",
    recognise=_is_graphml,
    endings=("xml",),
    small=(
        '<graphml><key id="d0" for="edge" attr.name="LinkSpeedRaw" attr.type="double"/>'
        '<graph edgedefault="undirected"><node id="0"/><node id="1"/>'
        '<edge source="0" target="1"><data key="d0">10000000000.0</data></edge>'
        "</graph></graphml>\n",
    ),
)
def graphml(
    file: Annotated[FilePath, Parameter("the GraphML file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from GraphML; see the module."""
    text = read_text(file, "GraphML")
    check_xml_graph(file, text)

    def read() -> nx.Graph:
        import networkx as nx

        return nx.parse_graphml(text, force_multigraph=True)

    return network_of_graph(file, "GraphML", read, bandwidth, terminals)
