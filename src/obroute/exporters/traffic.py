"""Traffic as the files that simulators and MPI take: htsim, Noxim, rank files, and CSV.

Hosts are numbered in the order of the terminals, as many for each as packets per cycle that it may
send; a terminal of one unit is one host.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from obroute.delimited import csv_text
from obroute.network import Network
from obroute.rational import IntArray
from obroute.specs import InputError, cut

HTSIM_BYTES = 2_000_000
"""What each connection of htsim sends."""


def traffic_text(
    network: Network,
    sources: IntArray,
    destinations: IntArray,
    amounts: Sequence[Fraction],
    suffix: str,
) -> str:
    """Return traffic as the text of a file.

    Parameters
    ----------
    network
        Whose terminals send it.
    sources, destinations, amounts
        Of each pair that sends: places among the sources and the destinations of the network, and
        packets per cycle.
    suffix
        One of :data:`~obroute.exporters.traffic_formats.TRAFFIC_SUFFIXES`.

    Raises
    ------
    InputError
        If the traffic is no permutation of hosts and the format has no room for anything else.
    """
    if suffix == ".csv":
        rows = [
            [
                network.node_name(int(network.sources[source])),
                network.node_name(int(network.destinations[destination])),
                str(amount),
            ]
            for source, destination, amount in zip(sources, destinations, amounts, strict=True)
        ]
        return csv_text([["source", "destination", "amount"], *rows])
    pairs = _host_pairs(network, sources, destinations, amounts)
    if suffix == ".cm":
        sent = [(a, b) for a, b in pairs if a != b]
        lines = [f"Nodes {len(pairs)}", f"Connections {len(sent)}"]
        lines += [
            f"{a}->{b} id {number} start 0 size {HTSIM_BYTES}"
            for number, (a, b) in enumerate(sent, start=1)
        ]
    elif suffix == ".noxim":
        lines = [f"{a} {b}" for a, b in pairs if a != b]
    else:
        lines = _ranks(network, pairs)
    return "\n".join(lines) + "\n"


def _host_pairs(
    network: Network, sources: IntArray, destinations: IntArray, amounts: Sequence[Fraction]
) -> list[tuple[int, int]]:
    """Return which host sends to which, each host once."""
    if not np.array_equal(network.sources, network.destinations) or (
        network.injection.fractions() != network.ejection.fractions()
    ):
        raise InputError(
            f"{network.name} has terminals that send more or less than they receive; write .csv"
        )
    hosts = network.injection.fractions()
    if any(number.denominator > 1 for number in (*hosts, *amounts)):
        raise InputError(
            f"the traffic on {network.name} is no permutation of hosts, for terminals send "
            "fractions of a packet per cycle; write .csv"
        )
    first = np.concatenate([[0], np.cumsum([int(number) for number in hosts])]).tolist()
    sending, receiving = list(first), list(first)
    pairs = []
    for source, destination, amount in zip(
        sources.tolist(), destinations.tolist(), amounts, strict=True
    ):
        for _ in range(int(amount)):
            pairs.append((sending[source], receiving[destination]))
            sending[source] += 1
            receiving[destination] += 1
    if len(pairs) != first[-1]:
        raise InputError(
            f"the traffic on {network.name} is no permutation: {len(pairs)} of {first[-1]} hosts "
            "send; write .csv"
        )
    return sorted(pairs)


def _ranks(network: Network, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return a rank file in which rank r sends to rank r + N, as the OSU benchmarks do."""
    hosts = [
        network.node_name(node)
        for node, units in zip(
            network.sources.tolist(), network.injection.fractions(), strict=True
        )
        for _ in range(int(units))
    ]
    for name in hosts:
        if not name or any(mark.isspace() or mark in "=#" for mark in name):
            raise InputError(f"the node {cut(name)} has no place in a rank file; write .csv")
    senders = [f"rank {rank}={hosts[a]} slot=0" for rank, (a, _) in enumerate(pairs)]
    count = len(pairs)
    return senders + [
        f"rank {count + rank}={hosts[b]} slot=1" for rank, (_, b) in enumerate(pairs)
    ]
