"""k-ary n-trees."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size, power, product
from obroute.topologies.tree import LinkBandwidth, Tree


def _size(k: int, n: int) -> Size:
    hosts = power(k, n)
    return Size(hosts + product((n, power(k, n - 1))), product((2, n, hosts)))


@networks.register(
    "kary_ntree",
    "k-ary n-tree: n levels of switches with k links down and k up",
    size=_size,
    examples=("kary_ntree:k=4,n=3",),
    small=("kary_ntree:k=2,n=2",),
)
def kary_ntree(
    *,
    k: Annotated[int, Parameter("children of a switch, and parents", parse_integer(2))],
    n: Annotated[int, Parameter("levels of switches", parse_integer(1))],
    bandwidth: LinkBandwidth = Fraction(1),
) -> Tree:
    """Return a k-ary n-tree (Petrini and Vanneschi 1997): k^n hosts, n k^(n-1) switches.

    It is ``XGFT(n; k … k; 1, k … k)``.

    >>> tree = kary_ntree(k=3, n=2)
    >>> tree.node_count, tree.channel_count, tree.name
    (15, 36, 'kary_ntree:k=3,n=2')
    """
    switches = tuple(f"switch{level}." for level in range(1, n + 1))
    return Tree.build((k,) * n, (1,) + (k,) * (n - 1), (1,) * n, bandwidth, switches)
