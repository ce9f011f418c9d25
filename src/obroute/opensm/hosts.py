"""Networks with a node for each host, as a fabric has them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import InputError


def with_hosts(network: Network) -> Network:
    """Return the network with a node for each unit that a node injects, where one injects several.

    A host is joined to its node by a cable of the bandwidth 1.

    Raises
    ------
    InputError
        If a terminal injects no whole number of packets, or gets another than it sends.

    Examples
    --------
    >>> from obroute import make_network
    >>> hosted = with_hosts(make_network("ring:3,hosts=2"))
    >>> hosted.node_count, len(hosted.sources), hosted.describe(3)
    (9, 6, '(0)-1')
    """
    if network.has_unit_terminals:
        return network
    units = network.injection.fractions()
    alike = np.array_equal(network.sources, network.destinations)
    if not alike or units != network.ejection.fractions() or any(u.denominator > 1 for u in units):
        raise InputError(
            f"{network.name}: terminals that send no whole number of packets, or get others; "
            "expected hosts"
        )
    counts = [int(unit) for unit in units]
    at = np.repeat(network.sources, counts)
    hosts = network.node_count + np.arange(len(at))
    names = [network.describe(node) for node in range(network.node_count)]
    own = [
        f"{names[node]}-{unit}"
        for node, count in zip(network.sources.tolist(), counts, strict=True)
        for unit in range(1, count + 1)
    ]
    bandwidth = network.bandwidth.fractions() + [Fraction(1)] * (2 * len(at))
    return Network(
        network.name,
        network.node_count + len(at),
        np.concatenate([network.tail, at, hosts]),
        np.concatenate([network.head, hosts, at]),
        RationalArray.from_fractions(bandwidth),
        hosts,
        destinations=hosts,
        labels=(*names, *own),
        connected=True,
    )
