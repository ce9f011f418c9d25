"""Whether traffic fills the terminals, for callers that hold amounts."""

from __future__ import annotations

from obroute.network import Network
from obroute.rational import SparseRationalMatrix
from obroute.traffic import Traffic


def fills_terminals(network: Network, amounts: SparseRationalMatrix) -> bool:
    """Say whether every terminal injects and ejects exactly what it may."""
    return Traffic.of_amounts(network, amounts).fills_terminals
