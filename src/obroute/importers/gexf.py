"""Networks from GEXF, as Gephi and networkx write it."""

from __future__ import annotations

import io
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

_BEGINNING = re.compile(r"<(?:\w+:)?gexf[\s>/]")


def _is_gexf(head: Head) -> bool:
    return _BEGINNING.search(head.text) is not None


@importers.register(
    "gexf",
    "GEXF: Gephi, networkx",
    recognise=_is_gexf,
    endings=("xml",),
    small=(
        '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph '
        'defaultedgetype="undirected"><nodes><node id="0" label="a"/><node id="1" label="b"/>'
        '</nodes><edges><edge id="0" source="0" target="1"/></edges></graph></gexf>\n',
    ),
)
def gexf(
    file: Annotated[FilePath, Parameter("the GEXF file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from GEXF; see the module."""
    text = read_text(file, "GEXF")
    check_xml_graph(file, text)

    def read() -> nx.Graph:
        import networkx as nx

        graph = nx.read_gexf(io.BytesIO(text.encode()))
        for *_, data in graph.edges(data=True):
            data.pop("id", None)  # of the edge in the file
        return graph

    return network_of_graph(file, "GEXF", read, bandwidth, terminals)
