"""A league of five tables, beside the float script that a user would write for them.

``python benchmarks/league.py`` prints a table: processor seconds (warm, in one process) of ranking
five tables of single next hops on shortest paths, drawn at random, by their exact worst cases,
with uniform loads, path lengths and virtual channels; of that without virtual channels; and of the
script below, which finds the worst case alone. Arguments name networks.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from networks import regular
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.optimize import linear_sum_assignment

import obroute
from obroute import Network
from obroute.league import League, compared
from obroute.routing.forwarding import ForwardingTable
from obroute.throughput import evaluate

TABLES = 5


def tables(network: Network) -> list[ForwardingTable]:
    """Draw, for every node and destination, one of the channels that lead nearer."""
    hops = network.distances
    nearer = hops[network.head] + 1 == hops[network.tail]
    found = []
    for seed in range(TABLES):
        drawn = np.random.default_rng(seed).random(nearer.shape) * nearer
        taken = np.full((network.node_count, network.node_count), -1)
        for node in range(network.node_count):
            out = np.flatnonzero(network.tail == node)
            taken[node] = np.where(nearer[out].any(axis=0), out[drawn[out].argmax(axis=0)], -1)
        found.append(ForwardingTable(f"table {seed}", np.arange(network.node_count), taken))
    return found


def float_script(network: Network, taken: NDArray[np.int64]) -> float:
    """Follow every pair through a table, and ask SciPy for the assignment of every channel."""
    nodes = network.node_count
    crossed = np.zeros((network.channel_count, nodes, nodes))
    for destination in range(nodes):
        for source in range(nodes):
            node = source
            while node != destination:
                channel = taken[node, destination]
                crossed[channel, source, destination] = 1
                node = network.head[channel]
    worst = 0.0
    for loads in crossed:
        rows, columns = linear_sum_assignment(loads, maximize=True)
        worst = max(worst, loads[rows, columns].sum())
    return worst


def seconds_of(work: Callable[[], object]) -> tuple[float, object]:
    """Return the processor seconds of work, and what it gives."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", help="names; tori and random networks if none")
    given = parser.parse_args().networks
    sides = (4, 6, 8, 12, 16)
    cases = [obroute.make_network(name) for name in given or [f"torus:{k}x{k}" for k in sides]]
    cases += [] if given else [regular(nodes) for nodes in (64, 128, 256)]
    small = obroute.make_network("torus:8x8")
    compared(small, tables(small))
    shown = Table("network", "best", "worst", "league, s", "no lanes, s", "script, s")
    for network in cases:
        chosen = tables(network)
        mine, league = seconds_of(lambda: compared(network, chosen))  # noqa: B023
        assert isinstance(league, League)
        plain, _ = seconds_of(lambda: [evaluate(network, table) for table in chosen])  # noqa: B023
        script, _ = seconds_of(lambda: [float_script(network, t.next_channel) for t in chosen])  # noqa: B023
        loads = [one.load for one in league.standings if one.load is not None]
        numbers = (f"{mine:.2f}", f"{plain:.2f}", f"{script:.2f}")
        shown.add_row(network.name, str(min(loads)), str(max(loads)), *numbers)
    Console(width=120).print(shown)


if __name__ == "__main__":
    main()
