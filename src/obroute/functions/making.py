"""Networks, routings and patterns by name or file."""

from __future__ import annotations

from pathlib import Path

from obroute.functions.arguments import made, public
from obroute.importers import make_network as network_named
from obroute.network import Network
from obroute.routing import Routing, routings
from obroute.traffic import Pattern
from obroute.traffic import make_pattern as pattern_named


@public()
def make_network(network: str | Path | Network) -> Network:
    """Make a network by its name or from its file.

    Parameters
    ----------
    network
        Such as ``torus:9x9``, ``hypercube:6`` or ``edges.csv``; ``obroute list`` names all
        families.

    Returns
    -------
    Network
        One that is given as it is comes back as it is.

    Examples
    --------
    >>> import obroute
    >>> obroute.make_network("torus:3x3").node_count
    9
    """
    return made(network, "network", Network, network_named, "torus:8x8")


@public()
def make_routing(routing: str | Path | Routing) -> Routing:
    """Make a routing by its name or from its file.

    Parameters
    ----------
    routing
        Such as ``dor``, ``romm:order=fixed``, ``1/2*dor+1/2*ival``, ``routes.csv`` or the store of
        a design.

    Returns
    -------
    Routing
        One that is given as it is comes back as it is.

    Examples
    --------
    >>> import obroute
    >>> obroute.make_routing("romm:order=fixed").name
    'romm:order=fixed'
    """
    return made(routing, "routing", Routing, routings.create, "dor")


@public()
def make_pattern(pattern: str | Path | Pattern) -> Pattern:
    """Make a traffic pattern by its name, or from a file of a permutation or matrix.

    Parameters
    ----------
    pattern
        Such as ``tornado``, ``uniform`` or ``demands.csv``.

    Returns
    -------
    Pattern
        One that is given as it is comes back as it is.

    Examples
    --------
    >>> import obroute
    >>> obroute.make_pattern("transpose").permutation(obroute.make_network("torus:2x2")).tolist()
    [0, 2, 1, 3]
    """
    return made(pattern, "pattern", Pattern, pattern_named, "tornado")
