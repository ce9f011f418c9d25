"""Paths hop by hop: a node sends on what comes by its next hops, to each a share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from obroute.network import Network, Path


def paths_by_next_hops(
    network: Network,
    source: int,
    destination: int,
    next_hops: Callable[[int, Path], Iterable[tuple[int, Fraction]]],
) -> Iterator[tuple[Fraction, Path]]:
    """Yield every path with its probability, the product of its shares.

    Parameters
    ----------
    network, source, destination
        Between which nodes of what.
    next_hops
        From a node and the path that led there to the channels that lead on, each with its share
        of what comes.

    Examples
    --------
    >>> line = Network("line", 3, [0, 0, 1, 2], [1, 1, 2, 0])
    >>> hops = {0: [(0, Fraction(1, 3)), (1, Fraction(2, 3))], 1: [(2, Fraction(1))]}
    >>> paths = paths_by_next_hops(line, 0, 2, lambda node, path: hops[node])
    >>> [(str(probability), path) for probability, path in paths]
    [('2/3', (1, 2)), ('1/3', (0, 2))]
    """
    stack: list[tuple[int, Fraction, Path]] = [(source, Fraction(1), ())]
    while stack:
        node, probability, path = stack.pop()
        if node == destination:
            yield probability, path
            continue
        for channel, share in next_hops(node, path):
            stack.append((int(network.head[channel]), probability * share, (*path, channel)))
