"""All sets of failures, beside the loop that a user would write over the same evaluator.

``python benchmarks/failures.py`` prints a table: processor seconds (in one process, compiled code
warm) of the exact worst case over all sets of cables, with the distribution; of the loop below,
which makes every network and evaluates it; and the peak memory of the process so far. Of more
sets than ``--loop`` the loop looks at so many, evenly spread, and its time is scaled up.
"""

from __future__ import annotations

import argparse
import itertools
import math
import resource
import time
from fractions import Fraction

from rich.console import Console
from rich.table import Table

import obroute
from obroute import Network
from obroute.failures import Failures, find_failures, parts_of
from obroute.worst_cases import worst_cases

CASES = (
    ("torus:4x4", "dor", 2),
    ("torus:6x6", "dor", 2),
    ("torus:8x8", "dor", 2),
    ("torus:12x12", "dor", 2),
    ("torus:8x8", "ecmp", 2),
    ("torus:5x5", "dor", 3),
    ("leafspine:leaves=8,hosts=8,spines=8", "ecmp", 2),
    ("leafspine:leaves=16,hosts=16,spines=16", "ecmp", 2),
    ("leafspine:leaves=32,hosts=32,spines=32", "ecmp", 2),
    ("leafspine:leaves=8,hosts=8,spines=8", "ecmp", 3),
    ("fattree:k=8", "ecmp", 2),
    ("fattree:k=16", "ecmp", 2),
    ("xgft:m=16x8x8,w=1x8x8", "ecmp", 2),
    ("jellyfish:n=32,d=4,seed=1", "ecmp", 2),
)
"""Networks and routings, and how many cables fail."""


def loop(name: str, count: int, most: int) -> tuple[Fraction, int]:
    """Make the network without each set of cables, and find ECMP's worst case on it."""
    network = obroute.make_network(name)
    ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    host = network.is_host
    cables = [(a, b) for a, b in ends if a < b and not host[a] and not host[b]]
    sets = math.comb(len(cables), count)
    worst, looked = Fraction(0), 0
    every = itertools.combinations(cables, count)
    for chosen in itertools.islice(every, 0, None, max(1, sets // most)):
        gone = {*chosen, *((b, a) for a, b in chosen)}
        kept = [channel for channel, both in enumerate(ends) if both not in gone]
        left = Network(
            "left",
            network.node_count,
            network.tail[kept],
            network.head[kept],
            sources=network.sources,
            destinations=network.destinations,
        )
        worst = max(worst, worst_cases(left, obroute.make_routing("ecmp")).load)
        looked += 1
        if looked == most:
            break
    return worst, looked


def all_sets(name: str, routing: str, count: int) -> Failures:
    """Find the worst case over all sets, and the distribution."""
    network = obroute.make_network(name)
    return find_failures(network, obroute.make_routing(routing), parts_of(network), count)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", type=int, default=60, help="sets that the loop looks at")
    parser.add_argument("--only", default="", help="networks whose names contain this")
    given = parser.parse_args()
    all_sets("torus:4x4", "dor", 1)
    all_sets("torus:4x4", "ecmp", 1)
    table = Table("network", "routing", "fail", "sets", "looked at", "worst", "s", "loop, s", "MB")
    for name, routing, count in CASES:
        if given.only not in name:
            continue
        start = time.process_time()
        found = all_sets(name, routing, count)
        mine = time.process_time() - start
        slow = "n/a"
        if routing == "ecmp":
            start = time.process_time()
            _, looked = loop(name, count, given.loop)
            each = (time.process_time() - start) / looked
            slow = f"{each * found.sets:,.0f}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        worst = f"{float(found.worst_load):.4g}"
        numbers = (str(count), f"{found.sets:,}", str(len(found.orbits)), worst, f"{mine:.2f}")
        table.add_row(name, routing, *numbers, slow, f"{peak:.0f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
