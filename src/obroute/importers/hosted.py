"""Networks with a node for each host, as a fabric has them.

A network may count its hosts at the nodes that they hang on, as units that a terminal injects.
That is the smaller problem where a routing treats them alike. Tables of switches do not, for each
host is a destination of its own: here every host is a node, on a cable of bandwidth 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.dependencies import Dependencies
from obroute.importers.registry import make_network
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter
from obroute.topologies import networks
from obroute.topologies.sizes import Size


def _parse(text: str) -> str:
    """Return the one name of a network, which stands in round brackets where it has a comma."""
    bracketed = text.startswith("(") and text.endswith(")")
    return make_network(text[1:-1] if bracketed else text).name


def _written(name: str) -> str:
    return f"({name})" if "," in name else name


def _size(network: str) -> Size:
    made = make_network(network)
    hosts = sum(_hosts(made))
    return Size(made.node_count + hosts, made.channel_count + 2 * hosts)


def _hosts(network: Network) -> list[int]:
    """Return the hosts of each terminal."""
    units = network.injection.fractions()
    alike = np.array_equal(network.sources, network.destinations)
    if not alike or units != network.ejection.fractions() or any(u.denominator > 1 for u in units):
        raise InputError(
            f"{network.name}: terminals that send no whole number of packets, or get others; "
            "expected hosts"
        )
    return [int(unit) for unit in units]


@dataclass(frozen=True, eq=False)
class Hosted(Network):
    """A network with a node for each host of another; nodes and channels of that come first.

    Parameters
    ----------
    base
        The network whose terminals have the hosts.
    homes
        The node of the base that each node is, or hangs on.
    """

    base: Network = None  # type: ignore[assignment]  # given; fields above have defaults
    homes: IntArray = None  # type: ignore[assignment]  # given as well

    def depends_on(self) -> Dependencies:
        """Return what the base depends on, besides."""
        return super().depends_on() | self.base.depends_on()

    @classmethod
    def of(cls, base: Network) -> Hosted:
        """Give each unit that a node injects a node, not named by the registry."""
        counts = _hosts(base)
        at = np.repeat(base.sources, counts)
        hosts = base.node_count + np.arange(len(at))
        names = [base.describe(node) for node in range(base.node_count)]
        own = [
            f"{names[node]}-{unit}"
            for node, count in zip(base.sources.tolist(), counts, strict=True)
            for unit in range(1, count + 1)
        ]
        bandwidth = base.bandwidth.fractions() + [Fraction(1)] * (2 * len(at))
        return cls(
            base.name,
            base.node_count + len(at),
            np.concatenate([base.tail, at, hosts]),
            np.concatenate([base.head, hosts, at]),
            RationalArray.from_fractions(bandwidth),
            hosts,
            destinations=hosts,
            labels=(*names, *own),
            files=base.files,
            connected=True,
            base=base,
            homes=np.concatenate([np.arange(base.node_count), at]),
        )


@networks.register(
    "hosted",
    "a network with a node for each host that another counts at its terminals",
    size=_size,
    examples=("hosted:(dragonfly:p=2,a=4,h=2)",),
    small=("hosted:(ring:3,hosts=2)",),
)
def hosted(
    network: Annotated[
        str,
        Parameter("the network, in round brackets where its name has a comma", _parse, _written),
    ],
) -> Hosted:
    """Make the network with a node for each host of a network.

    Raises
    ------
    InputError
        If a terminal injects no whole number of packets, or gets another than it sends.

    Examples
    --------
    >>> found = hosted("ring:3,hosts=2")
    >>> found.name, found.node_count, len(found.sources), found.describe(3)
    ('hosted:(ring:3,hosts=2)', 9, 6, '(0)-1')
    """
    return Hosted.of(make_network(network))


def with_hosts(network: Network) -> Network:
    """Return the network with a node for each host, where a node has several."""
    if network.has_unit_terminals:
        return network
    found = Hosted.of(network)
    name = f"hosted:{_written(network.name)}"
    found.named(name, "hosted", {"network": network.name}, __name__)
    return found
