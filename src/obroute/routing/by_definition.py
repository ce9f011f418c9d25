"""What pairs put on channels, by the definition of a routing alone: its paths, one after another.

Nothing is vectorised, carried by symmetry or remembered: what is stored is held against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from obroute.network import Network, Path
from obroute.routing.contract import Routing
from obroute.specs import CertificateError

Share = tuple[Fraction, Path]


class TooManyPathsError(Exception):
    """More channels of paths than were allowed."""


class PathsByDefinition:
    """Paths of pairs, whose channels are counted.

    Parameters
    ----------
    most
        Channels of paths that may be looked at in all.
    """

    def __init__(self, most: int) -> None:
        self.left = most

    def of(self, routing: Routing, network: Network, source: int, destination: int) -> list[Share]:
        """Return the paths of a pair, each a walk from source to destination, shares adding to 1.

        Raises
        ------
        CertificateError
            If they are not.
        TooManyPathsError
            If there were more channels than allowed.
        """
        found, whole = [], Fraction(0)
        for share, path in routing.paths(network, source, destination):
            at = source
            for channel in path:
                if int(network.tail[channel]) != at:
                    break
                at = int(network.head[channel])
            else:
                whole += share
                found.append((share, path))
                self.count(len(path))
            if at != destination or share <= 0:
                break
        if whole != 1:
            raise CertificateError(
                f"{routing.name}: from {network.describe(source)} to "
                f"{network.describe(destination)} paths do not add up to one"
            )
        return found

    def count(self, channels: int) -> None:
        """Count channels that are looked at."""
        self.left -= channels + 1
        if self.left < 0:
            raise TooManyPathsError


def loads_by_definition(
    paths: PathsByDefinition,
    routing: Routing,
    network: Network,
    flows: Iterable[tuple[int, int, Fraction]],
) -> dict[int, Fraction]:
    """Return the load over bandwidth of each channel that flows cross.

    Parameters
    ----------
    paths
        Which counts.
    routing, network
        Of the paths.
    flows
        Nodes that send, nodes that receive, and packets per cycle.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring, one = make_network("ring:4"), Fraction(1)
    >>> flows = [(0, 2, one), (3, 1, one)]
    >>> found = loads_by_definition(PathsByDefinition(99), make_routing("dor"), ring, flows)
    >>> str(found[ring.channel(0, 1)]), str(found[ring.channel(1, 2)])
    ('1', '1/2')
    """
    loads: dict[int, Fraction] = {}
    for source, destination, amount in flows:
        for share, path in paths.of(routing, network, source, destination):
            for channel in path:
                added = amount * share / network.bandwidth.fraction(channel)
                loads[channel] = loads.get(channel, Fraction(0)) + added
    return loads
