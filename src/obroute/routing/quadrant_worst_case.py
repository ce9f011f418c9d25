"""The closed form of ROMM's worst traffic and its potentials (``docs/methods/romm.md``).

A proposal only: whoever takes it holds it against the pair loads.
"""

from __future__ import annotations

import math

import numpy as np

from obroute.product_matrix import Proposal
from obroute.rational import RationalArray, compact_integers
from obroute.topologies.grid import STEP, Grid


def worst_case_of_quadrants(grid: Grid, channel: int) -> Proposal | None:
    """Return the proposal for a channel of a k-ary 2-cube with k odd, None on other grids.

    With h = (k - 1)/2 and A = ⌊(h - 1)/4⌋, along and across the channel from its tail: the source
    (1 - I, y) and the destination (I, y) have the potential f(abs(y)) + [y = 0] g(I).

    Examples
    --------
    >>> from obroute import make_network
    >>> found = worst_case_of_quadrants(make_network("torus:9x9"), 0)
    >>> str(found.source_potentials.sum() + found.destination_potentials.sum())
    '32/5'
    """
    if len(grid.radices) != 2 or grid.radix is None or not all(grid.wraps) or grid.radix % 2 == 0:
        return None
    k = grid.radix
    h = (k - 1) // 2
    assert grid.coordinates is not None
    dimension, direction, tail = grid.place_of_channel[channel].tolist()
    offsets = grid.coordinates - grid.coordinates[tail]
    along = STEP[direction] * offsets[:, dimension] % k
    across = (offsets[:, 1 - dimension] + h) % k - h

    few = (h - 1) // 4
    rows = np.arange(-h, h + 1)
    turned = np.where(
        (few < np.abs(rows)) & (np.abs(rows) < h - few),
        -np.sign(rows) * (h - np.abs(rows)),
        -rows,
    )
    start = grid.coordinates[tail]
    ends = np.empty_like(grid.coordinates)
    ends[:, dimension] = (start[dimension] + STEP[direction] * (along + h)) % k
    ends[:, 1 - dimension] = (start[1 - dimension] + turned[across + h]) % k

    common = 4 * (h + 1) * math.lcm(*range(1, k + 1, 2))
    late = [
        max(0, common // (2 * (h + 1)) - common // (4 * (2 * (h - b) + 1))) for b in range(h + 1)
    ]
    f = [common // (4 * (2 * b + 1)) if 2 * b <= h else late[b] for b in range(h + 1)]
    g = [common * (h + 1 - hops) // (2 * (h + 1)) for hops in range(h + 1)]
    least = math.gcd(common, *f, *g)
    by_row = compact_integers(np.array([value // least for value in f], dtype=object))
    by_hops = compact_integers(np.array([value // least for value in g], dtype=object))
    potentials = []
    for hops in ((1 - along) % k, along):
        used = (hops >= 1) & (hops <= h)
        values = by_row[np.abs(across)] + np.where(
            across == 0, by_hops[np.where(used, hops, 0)], 0
        )
        potentials.append(RationalArray(np.where(used, values, 0), common // least))
    return Proposal(grid.node_at(ends), *potentials)
