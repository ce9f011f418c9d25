"""Networks as edge lists: ``tail,head,bandwidth,port``, a channel a line."""

from __future__ import annotations

from collections.abc import Mapping

from obroute.delimited import csv_text
from obroute.exporters.registry import register
from obroute.network import Network

TERMINALS = ".terminals.csv"
"""What the file of terminals is called, after the name of the edge list."""


@register(
    "csv",
    endings=("csv", "txt", "edges", "edgelist"),
    summary="edge list, and a list of terminals where they are not all nodes, one unit each",
    keeps="everything",
)
def edge_list(network: Network) -> Mapping[str, str]:
    """Return the edge list, and the terminals where they need a file."""
    ports = [network.port(channel) for channel in range(network.channel_count)]
    rows = [
        [network.node_name(tail), network.node_name(head), str(bandwidth), port or ""]
        for tail, head, bandwidth, port in zip(
            network.tail.tolist(),
            network.head.tolist(),
            network.bandwidth.fractions(),
            ports,
            strict=True,
        )
    ]
    header = ["tail", "head", "bandwidth", "port"]
    if not any(ports):
        header, rows = header[:3], [row[:3] for row in rows]
    texts = {"": csv_text([header, *rows])}
    if not network.has_unit_terminals or len(network.sources) < network.node_count:
        texts[TERMINALS] = _terminals(network)
    return texts


def _terminals(network: Network) -> str:
    sent = dict(zip(network.sources.tolist(), network.injection.fractions(), strict=True))
    received = dict(zip(network.destinations.tolist(), network.ejection.fractions(), strict=True))
    nodes = sorted({*sent, *received})
    rows = [[network.node_name(n), str(sent.get(n, 0)), str(received.get(n, 0))] for n in nodes]
    return csv_text([["node", "injection", "ejection"], *rows])
