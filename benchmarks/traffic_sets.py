"""Worst cases over sets of traffic, and all-to-all, over growing tori; beside plain programs.

``python benchmarks/traffic_sets.py [RADIX …]`` prints seconds of processor time a line, and what
the linear program of one channel takes that a user would write with scipy.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, vstack

import obroute

SETS = ("pairs:8", "within:4x4", "limited:1/4")
PLAIN_UP_TO = 12
"""Radix up to which the plain program is solved, too."""


def seconds_of_plain(network: obroute.Network, routing: obroute.Routing) -> float:
    """Return the seconds of one channel's program for eight pairs, loads not counted."""
    loads = routing.pair_loads(network, 0)
    count = len(network.sources)
    places = np.arange(count * count)
    ones = np.ones(count * count)
    sums = [
        coo_array((ones, (ends, places)), shape=(count, count * count))
        for ends in np.divmod(places, count)
    ]
    everything = coo_array(ones[None, :])
    start = time.process_time()
    linprog(
        -loads.to_dense().ravel(),
        A_ub=vstack([*sums, everything]),
        b_ub=np.append(np.ones(2 * count), 8),
    )
    return time.process_time() - start


def main() -> None:
    """Print a line a radix."""
    radices = [int(word) for word in sys.argv[1:]] or [4, 8, 12, 16]
    obroute.evaluate_over("torus:4x4", "romm", SETS)  # compile
    print(f"radix {' '.join(SETS)} all-to-all plain")
    for radix in radices:
        network, romm = (
            obroute.make_network(f"torus:{radix}x{radix}"),
            obroute.make_routing("romm"),
        )
        found = []
        for name in SETS:
            start = time.process_time()
            obroute.evaluate_over(network, romm, name)
            found.append(time.process_time() - start)
        start = time.process_time()
        obroute.alltoall(network, "dor")
        found.append(time.process_time() - start)
        plain = f"{seconds_of_plain(network, romm):.3f}" if radix <= PLAIN_UP_TO else "-"
        print(radix, *(f"{seconds:.3f}" for seconds in found), plain)


if __name__ == "__main__":
    main()
