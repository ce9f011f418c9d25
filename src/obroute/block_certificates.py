"""The worst cases of many channels, and the check of all their proofs in one compiled call."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.certificate_kernel import hold_each, load_of_traffic
from obroute.certificates import CertificateError, WorstCase, check_certificate
from obroute.completion_kernel import complete
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
    supply, demand
        What terminals inject and eject, in units of 1 / ``terminal_denominator``.
    """

    blocks: PairLoadBlocks
    flow: IntArray
    u: IntArray
    v: IntArray
    values: IntArray
    terminal_denominator: int
    supply: IntArray
    demand: IntArray

    def load(self, place: int) -> Fraction:
        """Return the largest load of a channel, in packets per cycle."""
        denominator = self.blocks.denominators[place] * self.terminal_denominator
        return Fraction(int(self.values[place]), denominator)

    def worst_case(self, place: int) -> WorstCase:
        """Return one channel's worst case, with traffic that uses every terminal."""
        low, high = self.blocks.firsts[place : place + 2].tolist()
        used = low + np.flatnonzero(self.flow[low:high])
        sources, destinations, amounts = complete(
            self.blocks.rows[used],
            self.blocks.columns[used],
            self.flow[used],
            self.supply,
            self.demand,
        )
        denominator = self.blocks.denominators[place]
        return WorstCase(
            int(self.blocks.channels[place]),
            self.load(place),
            sources,
            destinations,
            RationalArray(amounts, self.terminal_denominator),
            RationalArray(self.u[place].copy(), denominator),
            RationalArray(self.v[place].copy(), denominator),
        )

    def checked(self, place: int) -> WorstCase:
        """Return :meth:`worst_case`, its traffic checked; :func:`check_each` checks the rest.

        Raises
        ------
        CertificateError
            If the traffic does not load the channel as it should.
        """
        found = self.worst_case(place)
        entries = slice(*self.blocks.firsts[place : place + 2].tolist())
        load = load_of_traffic(
            found.sources,
            found.destinations,
            found.amounts.over(self.terminal_denominator),
            self.blocks.rows[entries],
            self.blocks.columns[entries],
            self.blocks.numerators[entries],
            self.supply,
            self.demand,
        )
        if load != self.values[place]:  # pragma: no cover  # would be a defect
            raise CertificateError(f"channel {found.channel}: the traffic is not what loads it")
        return found


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
