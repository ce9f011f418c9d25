"""Networks without what their family knows of them."""

from __future__ import annotations

from obroute import Network


def plain(network: Network) -> Network:
    """Return the same channels and terminals, as a network of no family."""
    return Network(
        "plain",
        network.node_count,
        network.tail,
        network.head,
        network.bandwidth,
        network.sources,
        network.injection,
        network.destinations,
        network.ejection,
    )
