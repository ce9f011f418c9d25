"""Fat trees of k-port switches."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.specs import InputError, Parameter, parse_integer
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size
from obroute.topologies.tree import LinkBandwidth, Tree


def _even(text: str) -> int:
    ports = parse_integer(2)(text)
    if ports % 2:
        raise InputError(f"{ports} is odd; expected an even number of ports, half of them up")
    return ports


@networks.register(
    "fattree",
    "three levels of k-port switches: k^3/4 hosts, full bisection",
    size=lambda k: Size(k**3 // 4 + k * k + k * k // 4, 3 * (k**3 // 4) * 2),
    examples=("fattree:k=8",),
    small=("fattree:k=2",),
)
def fattree(
    *,
    k: Annotated[int, Parameter("ports of every switch, an even number", _even)],
    bandwidth: LinkBandwidth = Fraction(1),
) -> Tree:
    """Return the fat tree of k pods (Al-Fares, Loukissas and Vahdat 2008).

    k/2 hosts at each of the k/2 edge switches of a pod, k/2 aggregation switches above them, and
    (k/2)² core switches, each with a link to every pod: ``XGFT(3; k/2, k/2, k; 1, k/2, k/2)``.

    >>> tree = fattree(k=8)
    >>> tree.host_count, tree.node_count - tree.host_count, tree.describe(tree.node_count - 1)
    (128, 80, 'core15')
    """
    half = k // 2
    switches = ("edge", "aggregation", "core")
    return Tree.build((half, half, k), (1, half, half), (1, 1, 1), bandwidth, switches)
