"""What proves the worst case over a set of traffic, checked in exact arithmetic.

With potentials u, v, t ≥ 0 of sources, destinations and of all traffic together, every traffic
``a`` of the set loads a channel of pair loads w with at most

    ``Σ r_s u_s + Σ q_d v_d + K t + Σ ℓ_sd (w_sd - u_s - v_d - t)⁺``,

the last sum over the pairs with a limit: what a pair is worth beyond its potentials it can have no
more than ℓ times. Pairs without a limit must be covered, w ≤ u + v + t. This module knows nothing
of how the traffic and the potentials were found (:mod:`obroute.restrictions.matching`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.certificates import CertificateError
from obroute.rational import INT64_ROOM, IntArray, RationalArray, SparseRationalMatrix
from obroute.traffic_sets.limits import NO_LIMIT, Limits


@dataclass(frozen=True, eq=False)
class RestrictedWorst:
    """The worst traffic of a set for one channel, and the proof that it is the worst.

    Parameters
    ----------
    channel
        The channel.
    load
        Its exact load under the traffic (packets per cycle).
    sources, destinations, amounts
        The traffic, by positions of terminals (packets per cycle); pairs that load nothing are
        left out.
    source_potentials, destination_potentials, total_potential
        u, v and t of the module.
    """

    channel: int
    load: Fraction
    sources: IntArray = field(repr=False)
    destinations: IntArray = field(repr=False)
    amounts: RationalArray = field(repr=False)
    source_potentials: RationalArray = field(repr=False)
    destination_potentials: RationalArray = field(repr=False)
    total_potential: Fraction


def check_restricted(
    worst: RestrictedWorst, pair_loads: SparseRationalMatrix, limits: Limits
) -> None:
    """Check that a worst case over a set of traffic is one; raise where it is not.

    Raises
    ------
    CertificateError
        Names the first thing that does not hold.
    """
    name = f"channel {worst.channel}"
    load = _load_of(name, worst, pair_loads, limits)
    if load != worst.load:
        raise CertificateError(f"{name}: the traffic loads it with {load}, recorded {worst.load}")
    bound = bound_of(name, worst, pair_loads, limits)
    if bound != load:
        raise CertificateError(f"{name}: the potentials bound the load by {bound}, not {load}")


def _load_of(
    name: str, worst: RestrictedWorst, pair_loads: SparseRationalMatrix, limits: Limits
) -> Fraction:
    """Return the load of the traffic, which must be in the set."""
    pairs = list(zip(worst.sources.tolist(), worst.destinations.tolist(), strict=True))
    amounts = worst.amounts.fractions()
    if len(set(pairs)) < len(pairs):
        raise CertificateError(f"{name}: a pair of the traffic is listed twice")
    sent: dict[tuple[str, int], Fraction] = {}
    for (source, destination), amount in zip(pairs, amounts, strict=True):
        if amount < 0:
            raise CertificateError(f"{name}: traffic {amount} from source {source} is negative")
        for end in (("source", source), ("destination", destination)):
            sent[end] = sent.get(end, Fraction(0)) + amount
    most = {"source": limits.injection, "destination": limits.ejection}
    for (what, place), amount in sent.items():
        if not 0 <= place < len(most[what]) or amount > most[what].fraction(place):
            raise CertificateError(
                f"{name}: {what} {place} carries {amount} packets per cycle, more than it may"
            )
    total = sum(amounts, Fraction(0))
    if limits.total is not None and total > limits.total:
        raise CertificateError(f"{name}: {total} packets per cycle in all, of {limits.total}")
    if limits.pairs is not None:
        units = limits.pairs.units(worst.sources, worst.destinations).tolist()
        for pair, amount, unit in zip(pairs, amounts, units, strict=True):
            if unit != NO_LIMIT and amount * limits.pairs.denominator > unit:
                raise CertificateError(f"{name}: pair {pair} sends {amount}, more than it may")
    loads = pair_loads.entries(worst.sources, worst.destinations).fractions()
    return sum((a * w for a, w in zip(amounts, loads, strict=True)), Fraction(0))


def bound_of(
    name: str, worst: RestrictedWorst, pair_loads: SparseRationalMatrix, limits: Limits
) -> Fraction:
    """Return the load that the potentials prove the channel to have at most.

    Raises
    ------
    CertificateError
        If a potential is negative, or a pair without a limit is not covered.
    """
    u, v, t = worst.source_potentials, worst.destination_potentials, worst.total_potential
    if len(u) != pair_loads.shape[0] or len(v) != pair_loads.shape[1]:
        raise CertificateError(f"{name}: not one potential for each source and destination")
    if t < 0 or min(u.numerators.min(initial=0), v.numerators.min(initial=0)) < 0:
        raise CertificateError(f"{name}: a potential is negative")
    if t and limits.total is None:
        raise CertificateError(f"{name}: a potential of all traffic, which has no bound")
    bound = u.times(limits.injection).sum() + v.times(limits.ejection).sum()
    bound += t * (limits.total or 0)
    common = math.lcm(pair_loads.values.denominator, u.denominator, v.denominator, t.denominator)
    covers = _exact(u.over(common))[pair_loads.rows] + _exact(v.over(common))[pair_loads.columns]
    excess = _exact(pair_loads.values.over(common)) - covers - int(t * common)
    beyond = np.flatnonzero(excess > 0)
    if not beyond.size:
        return bound
    rows, columns = pair_loads.rows[beyond], pair_loads.columns[beyond]
    units = np.full(len(beyond), NO_LIMIT) if limits.pairs is None else None
    if units is None:
        assert limits.pairs is not None
        units = limits.pairs.units(rows, columns)
    short = np.flatnonzero(units == NO_LIMIT)
    if short.size:
        place = int(short[0])
        raise CertificateError(
            f"{name}: the potentials of source {rows[place]} and destination {columns[place]} sum "
            "to less than their pair load"
        )
    assert limits.pairs is not None
    worth = sum(int(e) * int(unit) for e, unit in zip(excess[beyond], units, strict=True))
    return bound + Fraction(worth, common * limits.pairs.denominator)


def _exact(integers: NDArray[Any]) -> NDArray[Any]:
    """Return integers of which three may be added."""
    fits = integers.dtype != object and not (
        integers.size and int(np.abs(integers).max()) >= INT64_ROOM // 4
    )
    return integers if fits else integers.astype(object)
