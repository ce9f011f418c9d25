"""The worst traffic of many channels in one compiled call, for channels with few pairs each."""

from __future__ import annotations

import math

from obroute.block_certificates import WorstCaseBlocks
from obroute.matching import terminal_units
from obroute.matching_kernel import transport_each
from obroute.pair_load_blocks import PairLoadBlocks
from obroute.rational import INT64_ROOM, RationalArray


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
        blocks.firsts, blocks.rows, blocks.columns, blocks.numerators, supply, demand
    )
    return WorstCaseBlocks(blocks, flow, u, v, values, denominator)
