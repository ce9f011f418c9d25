"""The worst traffic of many channels in one compiled call, for channels with few pairs each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from obroute.additive_matrix import AdditiveMatrix
from obroute.block_certificates import WorstCaseBlocks
from obroute.block_kernel import mix_each, transport_each
from obroute.matching import additive_parts, terminal_units
from obroute.pair_load_blocks import PairLoadBlocks
from obroute.product_matrix import ProductMatrix
from obroute.rational import INT64_ROOM, IntArray, RationalArray, SparseRationalMatrix


def worst_case_of_each(
    blocks: PairLoadBlocks, injection: RationalArray, ejection: RationalArray
) -> WorstCaseBlocks:
    """Return the traffic that loads each of many channels most, with its proof.

    The loop of :func:`obroute.matching.worst_case`, without the calls between channels: loads and
    potentials are the same, but for pair loads that need no matching.

    Raises
    ------
    ValueError
        If a load might need more than 63 bits.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> from obroute.block_certificates import check_each
    >>> ring, dor = make_network("ring:5"), make_routing("dor")
    >>> blocks = PairLoadBlocks.of([dor.pair_loads(ring, channel) for channel in range(10)])
    >>> found = worst_case_of_each(blocks, ring.injection, ring.ejection)
    >>> check_each(found, ring.injection, ring.ejection)
    >>> {str(found.load(channel)) for channel in range(10)}
    {'2'}
    """
    denominator = math.lcm(injection.denominator, ejection.denominator)
    supply = terminal_units(injection, denominator)
    demand = terminal_units(ejection, denominator)
    largest = int(blocks.numerators.max(initial=0))
    if largest * min(sum(supply.tolist()), sum(demand.tolist())) >= INT64_ROOM:
        raise ValueError("loads beyond 63 bits; solve their channels one at a time")
    values, flow, u, v = transport_each(
        blocks.firsts,
        blocks.rows,
        blocks.columns,
        blocks.numerators,
        supply,
        demand,
        _like(blocks),
        np.array_equal(supply, demand),
    )
    return WorstCaseBlocks(blocks, flow, u, v, values, denominator, supply, demand)


def solved_together(
    matrices: Sequence[SparseRationalMatrix], injection: RationalArray, ejection: RationalArray
) -> list[int]:
    """Return places of the pair loads that go into blocks: matchings in 63 bits.

    >>> loads = SparseRationalMatrix.from_triplets(
    ...     np.array([0, 1]), np.array([1, 0]), RationalArray(np.array([2, 3]), 3), (2, 2)
    ... )
    >>> unit = RationalArray.full(2, 1)
    >>> solved_together([loads, loads.scaled(2**61)], unit, unit)
    [0]
    """
    denominator = math.lcm(injection.denominator, ejection.denominator)
    units = min(int(terminal_units(side, denominator).sum()) for side in (injection, ejection))
    return [place for place, loads in enumerate(matrices) if _is_small_matching(loads, units)]


def _is_small_matching(loads: SparseRationalMatrix, units: int) -> bool:
    if loads.is_wide or isinstance(loads, ProductMatrix | AdditiveMatrix):
        return False
    numerators = loads.values.numerators
    if numerators.dtype == object or int(numerators.max(initial=0)) * units >= INT64_ROOM:
        return False
    rows, columns = loads.shape
    if loads.nonzeros < rows + columns - 1 or np.bincount(loads.rows).max() < columns:
        return True  # a sum of two parts fills a row and a column
    return additive_parts(loads) is None


def _like(blocks: PairLoadBlocks) -> IntArray:
    """Return the first channel that has as many of each pair load as a channel has, nearly surely.

    What it is used for does not rest on it: solutions are taken from equal matrices alone.
    """
    sums = mix_each(blocks.firsts, blocks.numerators)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    return np.asarray(first[which], dtype=np.int64)
