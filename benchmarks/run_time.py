"""How the time of an exact worst case grows with the number of nodes, beside O(N³).

``python benchmarks/run_time.py`` prints the tables of docs/methods/scale.md, in about three
minutes on one quiet core. The technical report bounds the search for the worst permutation of a
channel by that of a maximum-weight matching, O(N³) (section 3.3). Here the steps for one focus
channel are timed apart: its pair loads, the matching, and the check of the certificate;
``evaluate`` is all that a command does after the imports. Times are those of the processor, in
one thread, so that other work on the machine does not count. Pytest does not collect it: it
measures, and asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from timing import timed

import obroute
from obroute.certificates import check_certificate
from obroute.matching import worst_case
from obroute.symmetry import focus_channels

RADICES = (8, 11, 16, 23, 32, 45, 64)
LARGEST = {"dor": 64, "romm": 64, "valiant": 45}
"""Radix up to which each routing is timed: half of VAL's N² pair loads are not zero."""
WITHOUT_SYMMETRY = (8, 11, 16, 23, 32)
REPEATS = 3
SMALLEST_FITTED = 200
"""Nodes from which on the exponent is fitted: below, the time is mostly that of starting."""


@dataclass(frozen=True)
class Timing:
    """Seconds of the steps for one network: the least of a few runs, in one thread."""

    nodes: int
    nonzeros: int
    loads: float
    matching: float
    check: float
    evaluate: float


def measure(radix: int, routing_name: str, repeats: int) -> Timing:
    """Time one focus channel of a k-ary 2-cube, and a whole evaluation."""
    network = obroute.make_network(f"torus:{radix}x{radix}")
    routing = obroute.make_routing(routing_name)
    channel = int(focus_channels(network, routing.symmetries(network)).channels[0])
    terminals = network.injection, network.ejection
    pair_loads = routing.pair_loads(network, channel)
    worst = worst_case(pair_loads, *terminals, channel)
    return Timing(
        network.node_count,
        pair_loads.nonzeros,
        # A routing made anew remembers nothing of the network.
        timed(lambda: obroute.make_routing(routing_name).pair_loads(network, channel), repeats)[0],
        timed(lambda: worst_case(pair_loads, *terminals, channel), repeats)[0],
        timed(lambda: check_certificate(worst, pair_loads, *terminals), repeats)[0],
        timed(lambda: obroute.evaluate(network, obroute.make_routing(routing_name)), repeats)[0],
    )


def measure_every_channel() -> None:
    """Time an evaluation without symmetry, once each: 4N channels in place of one."""
    print("\nromm, every channel\n| N | channels | evaluate |\n|---|---|---|")
    sizes, times = [], []
    for radix in WITHOUT_SYMMETRY:
        network = obroute.make_network(f"torus:{radix}x{radix}")

        def work(network: obroute.Network = network) -> object:
            return obroute.evaluate(network, "romm", all_channels=True)

        sizes.append(network.node_count)
        times.append(timed(work, 1)[0])
        print(f"| {sizes[-1]:,} | {network.channel_count:,} | {times[-1]:.3g} s |", flush=True)
    print(f"evaluate: N^{exponent(sizes[1:], times[1:]):.2f}")


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return b of the fit time = a·N^b, by least squares of the logarithms."""
    slope, _ = np.polyfit(np.log(sizes), np.log(times), 1)
    return float(slope)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=max(RADICES), help="the largest radix")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    for routing, largest in LARGEST.items():
        measure(4, routing, 1)  # compiles
        found = [
            measure(radix, routing, options.repeats)
            for radix in RADICES
            if radix <= min(largest, options.largest)
        ]
        print(f"\n{routing}\n| N | non-zeros | pair loads | matching | check | evaluate |")
        print("|---|---|---|---|---|---|")
        for timing in found:
            steps = timing.loads, timing.matching, timing.check, timing.evaluate
            cells = " | ".join(f"{step:.3g} s" for step in steps)
            print(f"| {timing.nodes:,} | {timing.nonzeros:,} | {cells} |", flush=True)
        fitted = [timing for timing in found if timing.nodes >= SMALLEST_FITTED]
        if len(fitted) < 2:
            continue
        sizes = [timing.nodes for timing in fitted]
        for step in ("loads", "matching", "check", "evaluate"):
            slope = exponent(sizes, [getattr(timing, step) for timing in fitted])
            print(f"{step}: N^{slope:.2f}")
    if options.largest >= max(WITHOUT_SYMMETRY):
        measure_every_channel()


if __name__ == "__main__":
    main()
