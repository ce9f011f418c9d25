"""The worst cases of many channels, and the check of all their proofs in one compiled call."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.certificate_kernel import hold_each
from obroute.certificates import CertificateError, WorstCase, check_certificate
from obroute.pair_load_blocks import PairLoadBlocks
from obroute.rational import INT64_ROOM, IntArray, RationalArray


@dataclass(frozen=True, eq=False)
class WorstCaseBlocks:
    """The worst traffic of many channels, and the proof of each.

    Parameters
    ----------
    blocks
        The pair loads.
    flow
        Packets per cycle of each entry of the blocks that the worst traffic of its channel sends,
        in units of 1 / ``terminal_denominator``.
    u, v
        Potentials, channels × sources and destinations, over the channel's denominator.
    values
        The largest load of each channel, over the product of both denominators.
    """

    blocks: PairLoadBlocks
    flow: IntArray
    u: IntArray
    v: IntArray
    values: IntArray
    terminal_denominator: int

    def load(self, place: int) -> Fraction:
        """Return the largest load of a channel, in packets per cycle."""
        denominator = self.blocks.denominators[place] * self.terminal_denominator
        return Fraction(int(self.values[place]), denominator)

    def worst_case(self, place: int) -> WorstCase:
        """Return one channel's worst case, with the traffic that loads the channel alone."""
        low, high = self.blocks.firsts[place : place + 2].tolist()
        used = low + np.flatnonzero(self.flow[low:high])
        denominator = self.blocks.denominators[place]
        return WorstCase(
            int(self.blocks.channels[place]),
            self.load(place),
            self.blocks.rows[used],
            self.blocks.columns[used],
            RationalArray(self.flow[used], self.terminal_denominator),
            RationalArray(self.u[place].copy(), denominator),
            RationalArray(self.v[place].copy(), denominator),
        )


def check_each(worst: WorstCaseBlocks, injection: RationalArray, ejection: RationalArray) -> None:
    """Check exactly that each of many worst cases is one; raise for the first that is not.

    What :func:`obroute.certificates.check_certificate` checks, in 63-bit integers where they
    provably fit; where they might not, it is called for each channel.

    Raises
    ------
    CertificateError
        Names the first channel that is not proved, and what does not hold.
    """
    blocks = worst.blocks
    supply, demand = (side.over(worst.terminal_denominator) for side in (injection, ejection))
    if _fits(worst, supply, demand):
        failed = hold_each(
            blocks.firsts,
            blocks.rows,
            blocks.columns,
            blocks.numerators,
            supply,
            demand,
            worst.flow,
            worst.u,
            worst.v,
            worst.values,
        )
        if failed < 0:
            return
        places = range(int(failed), int(failed) + 1)
    else:
        places = range(len(blocks))
    for place in places:
        case = worst.worst_case(place)
        check_certificate(case, blocks.matrix(place), injection, ejection)
    if len(places) == 1 and len(blocks) > 1:  # pragma: no cover  # two checks that disagree
        raise CertificateError(f"channel {blocks.channels[places[0]]}: not proved")


def _fits(worst: WorstCaseBlocks, supply: IntArray, demand: IntArray) -> bool:
    """Say whether no sum of the check can leave 63 bits."""
    arrays = supply, demand, worst.flow, worst.u, worst.v, worst.values, worst.blocks.numerators
    if any(array.dtype == object for array in arrays):
        return False
    flow, u, v, weight = (
        max(int(array.max(initial=0)), -int(array.min(initial=0)))
        for array in (worst.flow, worst.u, worst.v, worst.blocks.numerators)
    )
    longest = int(np.diff(worst.blocks.firsts).max(initial=0))
    supplied, demanded = sum(supply.tolist()), sum(demand.tolist())
    bound = u * supplied + v * demanded
    return bool(max(flow * max(weight, 1) * longest, bound, u + v) < INT64_ROOM)
