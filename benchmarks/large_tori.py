"""Time the worst case of ROMM on large k-ary 2-cubes, against NumPy and SciPy in floats.

    python benchmarks/large_tori.py [K ...] [--floats] [--search]

Loads, worst traffic and certificate of one channel, in processor seconds: the least of several
runs in one process for k below 150, one run beyond. ``--floats`` runs the float script, too, whose
dense matrix takes 8 k⁴ bytes; ``--search`` solves the matching in place of taking the closed form
of odd k.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from timing import timed

from obroute import make_network, make_routing
from obroute.certificates import WorstCase, check_certificate
from obroute.matching import worst_case
from obroute.product_matrix import ProductMatrix


def by_floats(k: int) -> float:
    """Return the worst-case load of odd k from a dense matrix of floats; it proves nothing."""
    h = (k - 1) // 2
    i, j = np.arange(k)[:, None], np.arange(k)[None, :]
    i = (1 - i) % k
    hops = np.maximum(i + j, 1)
    along = ((i >= 1) & (j >= 1) & (i + j <= h + 1)).astype(float)
    row = (np.arange(k) + h) % k - h
    y, z = row[:, None], row[None, :]
    height = np.abs(y) + np.abs(z)
    across = ((y * z <= 0) & (height <= h)).astype(float)
    loads = np.kron(along, across / (2 * (height + 1)))
    loads += np.kron(along * j / (2 * hops), across * (y == 0))
    loads += np.kron(along * i / (2 * hops), across * (z == 0))
    return float(loads[linear_sum_assignment(loads, maximize=True)].sum())


def main(radices: list[int], *, floats: bool, search: bool) -> None:
    """Print one line a radix."""
    for k in radices:
        network = make_network(f"torus:{k}x{k}")
        terminals = network.injection, network.ejection
        repeats = 5 if k < 150 else 1

        def load(network: Any = network) -> ProductMatrix:
            made = make_routing("romm").pair_loads(network, 0)  # its tables are made anew
            assert isinstance(made, ProductMatrix)
            return ProductMatrix(made.terms, lambda: made.expanded) if search else made

        load_time, loads = timed(load, repeats)
        solve_time, worst = timed(
            lambda loads=loads, terminals=terminals: worst_case(loads, *terminals), repeats
        )
        assert isinstance(worst, WorstCase)
        check_time, _ = timed(
            lambda loads=loads, worst=worst, terminals=terminals: check_certificate(
                worst, loads, *terminals
            ),
            repeats,
        )
        total = load_time + solve_time + check_time
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        line = (
            f"k = {k}: loads {load_time:.4f}, worst traffic {solve_time:.4f}, certificate "
            f"{check_time:.4f}, total {total:.4f} s, {memory:.2f} GiB, load {float(worst.load)}"
        )
        if floats:
            other, value = timed(lambda k=k: by_floats(k), min(repeats, 3))
            assert np.isclose(value, float(worst.load))
            line += f"; floats {other:.3f} s, ratio {other / total:.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    main(
        [int(word) for word in words if word.isdigit()] or [49, 99],
        floats="--floats" in words,
        search="--search" in words,
    )
