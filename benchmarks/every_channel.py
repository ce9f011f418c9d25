"""Time every channel of a network without symmetry: solved and certified, against SciPy in floats.

    python benchmarks/every_channel.py [NODES DEGREE]

The pair loads are given: integers to obroute, dense matrices of floats to SciPy's
``linear_sum_assignment``, which certifies nothing. Processor seconds, the least of several runs in
one process.
"""

from __future__ import annotations

import sys

import numpy as np
from networks import regular
from scipy.optimize import linear_sum_assignment
from timing import timed

from obroute import make_routing
from obroute.block_certificates import check_each
from obroute.block_matching import worst_case_of_each
from obroute.pair_load_blocks import PairLoadBlocks


def main(nodes: int, degree: int) -> None:
    """Print one line a method, and their ratio."""
    network = regular(nodes, degree)
    routing = make_routing("ecmp")
    channels = range(network.channel_count)
    matrices = [routing.pair_loads(network, channel) for channel in channels]
    blocks = PairLoadBlocks.of(matrices)
    terminals = network.injection, network.ejection
    dense = [matrix.to_dense() for matrix in matrices]
    worst = worst_case_of_each(blocks, *terminals)

    def by_scipy() -> list[float]:
        return [float(loads[linear_sum_assignment(loads, maximize=True)].sum()) for loads in dense]

    loads = [worst.load(channel) for channel in channels]
    assert np.allclose(by_scipy(), [float(load) for load in loads])
    print(f"{nodes} nodes, degree {degree}: {len(channels)} channels, worst {max(loads)}")
    solved = timed(lambda: worst_case_of_each(blocks, *terminals), 5)[0]
    checked = timed(lambda: check_each(worst, *terminals), 5)[0]
    floats = timed(by_scipy, 3)[0]
    print(f"solve {solved:.4f} s, check {checked:.4f} s, SciPy {floats:.3f} s")
    print(f"ratio {floats / (solved + checked):.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["256", "4"]))
