"""Unit flows from a source to a destination, and the paths that they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from obroute.network import Network, Path
from obroute.specs import InputError


def decompose_flow(
    network: Network, source: int, destination: int, flow: Mapping[int, Fraction], origin: str
) -> dict[Path, Fraction]:
    """Split a unit flow on channels into paths with probabilities; cycles in it are dropped.

    Raises
    ------
    InputError
        If the flow is not conserved, or does not carry one unit from source to destination.
    """
    pair = f"from node {network.describe(source)} to node {network.describe(destination)}"
    balance: dict[int, Fraction] = {source: Fraction(-1)}
    balance[destination] = balance.get(destination, Fraction(0)) + 1
    left: dict[int, dict[int, Fraction]] = {}
    for channel, amount in flow.items():
        if amount < 0:
            raise InputError(f"{origin}: flow {amount} {pair} is negative")
        tail, head = int(network.tail[channel]), int(network.head[channel])
        balance[tail] = balance.get(tail, Fraction(0)) + amount
        balance[head] = balance.get(head, Fraction(0)) - amount
        if amount:
            left.setdefault(tail, {})[channel] = amount
    for node, excess in balance.items():
        if excess:
            raise InputError(
                f"{origin}: the flow {pair} is not conserved at node {network.describe(node)} "
                f"(off by {excess}); expected one unit out of the source and into the destination"
            )
    found: dict[Path, Fraction] = {}
    remaining = Fraction(1)
    while remaining and source != destination:
        path, visited, node = [], {source: 0}, source
        while node != destination:
            channel = min(left[node])
            path.append(channel)
            node = int(network.head[channel])
            if node in visited:
                cycle = path[visited[node] :]
                _subtract(network, left, cycle, min(_amount(network, left, c) for c in cycle))
                path, visited, node = [], {source: 0}, source
                continue
            visited[node] = len(path)
        amount = min(remaining, *(_amount(network, left, channel) for channel in path))
        _subtract(network, left, path, amount)
        found[tuple(path)] = found.get(tuple(path), Fraction(0)) + amount
        remaining -= amount
    return found or {(): Fraction(1)}


def _amount(network: Network, left: dict[int, dict[int, Fraction]], channel: int) -> Fraction:
    return left[int(network.tail[channel])][channel]


def _subtract(
    network: Network, left: dict[int, dict[int, Fraction]], path: list[int], amount: Fraction
) -> None:
    for channel in path:
        onwards = left[int(network.tail[channel])]
        onwards[channel] -= amount
        if not onwards[channel]:
            del onwards[channel]
