"""The memory that oblivious ratios take."""

from __future__ import annotations

from obroute.machine import MEGABYTE
from obroute.memory import BASE_MEGABYTES, design_megabytes
from obroute.network import Network
from obroute.ratios.named import LeastRatio
from obroute.routing import Routing
from obroute.symmetry.channels import orbits_of_channels

BYTES_A_NUMBER = 300
"""Of a number of a linear program: in the program, in the solver, and in its basis."""
BYTES_A_PRICE = 12
"""Of a price of a (source, destination, channel) that is checked."""


def ratio_megabytes(network: Network, routing: Routing | None, threads: int) -> int:
    """Return the megabytes of memory that a ratio needs, as if no symmetry kept a channel.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus, dor = make_network("torus:4x4"), make_routing("dor")
    >>> ratio_megabytes(torus, dor, 8) - ratio_megabytes(torus, dor, 1)
    7
    """
    numbers = 3 * len(network.sources) * network.channel_count
    if not isinstance(routing, LeastRatio):
        return BASE_MEGABYTES + threads * numbers * BYTES_A_NUMBER // MEGABYTE
    focus = int(orbits_of_channels(network, network.automorphisms().values()).max()) + 1
    triples = len(network.sources) * len(network.destinations) * network.channel_count
    needed = focus * numbers * BYTES_A_NUMBER + triples * BYTES_A_PRICE
    return design_megabytes(network) + needed // MEGABYTE
