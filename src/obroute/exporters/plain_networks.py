"""What a format without speeds, ports or one-way channels has room for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from obroute.network import Network
from obroute.specs import InputError


def cables_of(network: Network, form: str) -> Counter[tuple[int, int]]:
    """Return how many cables join two nodes, the lower one first.

    Raises
    ------
    InputError
        If a channel has none the other way, or bandwidths differ.
    """
    widths = set(network.bandwidth.fractions())
    if len(widths) > 1:
        low, high = min(widths), max(widths)
        raise InputError(
            f"{network.name} has bandwidths from {low} to {high}, and {form} has one for all; "
            "write .graphml or .csv"
        )
    channels = Counter(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    for (tail, head), count in channels.items():
        if channels[head, tail] != count:
            raise InputError(
                f"{network.name} has {count} channels {network.describe(tail)} → "
                f"{network.describe(head)} and {channels[head, tail]} back, and {form} has cables "
                "that go both ways; write .graphml or .csv"
            )
    return Counter({ends: count for ends, count in channels.items() if ends[0] < ends[1]})


def hosts_of(network: Network, form: str) -> list[int]:
    """Return how many hosts each node has: the packets per cycle that it injects and ejects.

    Raises
    ------
    InputError
        If it ejects another number, or no whole one.
    """
    hosts: list[list[Fraction]] = []
    for nodes, amounts in (
        (network.sources, network.injection),
        (network.destinations, network.ejection),
    ):
        found = [Fraction(0)] * network.node_count
        for node, amount in zip(nodes.tolist(), amounts.fractions(), strict=True):
            found[node] = amount
        hosts.append(found)
    for node, (sent, received) in enumerate(zip(*hosts, strict=True)):
        if sent != received or sent.denominator > 1:
            raise InputError(
                f"node {network.describe(node)} of {network.name} injects {sent} and ejects "
                f"{received} packets per cycle, and {form} has whole numbers of hosts; write "
                ".graphml"
            )
    return [sent.numerator for sent in hosts[0]]
