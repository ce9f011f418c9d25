"""DCell: hosts of several ports, cells of cells that are joined completely."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, networks
from obroute.topologies.sizes import MOST_COUNTED, Size


@dataclass(frozen=True, eq=False)
class DCell(Network):
    """Hosts, then the switch of each smallest cell."""

    size_is: ClassVar[str] = "hosts N"

    @property
    def size(self) -> int:
        """The number of hosts."""
        return len(self.sources)


def hosts_of_cells(n: int, k: int) -> list[int]:
    """Return the hosts of DCell_0 to DCell_k: ``t_l = t_{l-1} (t_{l-1} + 1)``, ``t_0 = n``.

    >>> hosts_of_cells(6, 3)
    [6, 42, 1806, 3263442]
    """
    hosts = [n]
    while len(hosts) <= k and hosts[-1] < MOST_COUNTED:
        hosts.append(hosts[-1] * (hosts[-1] + 1))
    return hosts


def _size(n: int, k: int) -> Size:
    hosts = min(hosts_of_cells(n, k)[-1], MOST_COUNTED)
    return Size(hosts + hosts // n, 2 * hosts + hosts * k)


@networks.register(
    "dcell",
    "DCell_k: cells of n hosts at a switch, joined completely k times over",
    size=_size,
    examples=("dcell:n=4,k=1",),
    small=("dcell:n=2,k=1",),
)
def dcell(
    *,
    n: Annotated[int, Parameter("hosts at a switch", parse_integer(2))],
    k: Annotated[int, Parameter("how often cells are joined to larger ones", parse_integer(0))],
    bandwidth: Bandwidth = Fraction(1),
) -> DCell:
    """Return DCell_k of n hosts a switch (Guo and others 2008).

    DCell_0 are n hosts at a switch. DCell_l is made of t + 1 DCell_{l-1} of t hosts each; for
    i < j host j - 1 of cell i and host i of cell j have a link. Hosts pass packets on. Host d is
    ``host`` d, at ``switch`` d div n.

    >>> network = dcell(n=4, k=1)
    >>> len(network.sources), network.node_count, network.channel_count
    (20, 25, 60)
    """
    sizes = hosts_of_cells(n, k)
    count = sizes[-1]
    hosts = np.arange(count)
    one, other = [hosts], [count + hosts // n]
    for inner, outer in pairwise(sizes):
        low, high = np.triu_indices(inner + 1, k=1)
        first = np.arange(0, count, outer)[:, None]
        one.append((first + low * inner + high - 1).ravel())
        other.append((first + high * inner + low).ravel())
    ends = np.concatenate(one), np.concatenate(other)
    names = [f"host{number}" for number in range(count)]
    names += [f"switch{number}" for number in range(count // n)]
    return DCell(
        "dcell",
        len(names),
        np.concatenate(ends),
        np.concatenate(ends[::-1]),
        bandwidth=RationalArray.full(2 * len(ends[0]), bandwidth),
        sources=hosts,
        destinations=hosts,
        labels=tuple(names),
        connected=True,
    )
