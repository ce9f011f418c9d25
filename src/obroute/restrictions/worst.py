"""The worst case of a routing over sets of traffic: one channel of every orbit, bounded or solved.

A symmetry of the routing is used where it keeps the limits of the set, too. Of the channels of a
task those whose largest entries allow no more than what was found are passed over: the largest
entry of each row (or of each column) is a potential that covers all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.restrictions.certificates import RestrictedWorst, check_restricted
from obroute.restrictions.matching import restricted_worst
from obroute.routing import Routing
from obroute.symmetry import FocusChannels, focus_channels
from obroute.tasks import TaskRunner, run_serially, things_a_task
from obroute.traffic_sets import Limits, TrafficSet

SECONDS_PER_PAIR = 1e-7
"""Measured time of one pair of one channel, loads and matching together, to size batches."""


@dataclass(frozen=True)
class RestrictedCase:
    """The worst case over one set of traffic: of the channel that can be loaded most.

    ``normalized_load`` is its load over its bandwidth; ``multiplicity`` how many channels are like
    it, ``focus_channels`` how many were looked at for all.
    """

    traffic_set: TrafficSet
    worst: RestrictedWorst
    normalized_load: Fraction
    multiplicity: int
    focus_channels: int

    @property
    def throughput(self) -> Fraction | None:
        """Throughput guaranteed for all traffic of the set; None if none loads a channel."""
        return 1 / self.normalized_load if self.normalized_load else None

    @property
    def sent(self) -> Fraction:
        """What the worst traffic sends in all, pairs that load the channel (packets per cycle)."""
        return self.worst.amounts.sum()


@dataclass(frozen=True)
class Restricted(Answer):
    """The worst cases of a routing on a network over sets of traffic, all of them proved."""

    network: Network
    routing: Routing
    cases: list[RestrictedCase]


def restricted_cases(
    network: Network,
    routing: Routing,
    sets: Sequence[TrafficSet],
    *,
    all_channels: bool = False,
    run: TaskRunner = run_serially,
) -> Restricted:
    """Return the exact worst case of a routing over each set of traffic.

    Parameters
    ----------
    network, routing
        Whose worst case.
    sets
        The sets of traffic.
    all_channels
        Look at every channel in place of one of each orbit.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing or a set is not defined on the network.
    CertificateError
        If a worst case found is not proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> from obroute.traffic_sets import make_traffic_set
    >>> torus, sets = make_network("torus:8x8"), map(make_traffic_set, ("pairs:2", "any"))
    >>> found = restricted_cases(torus, make_routing("dor"), list(sets))
    >>> [str(case.normalized_load) for case in found.cases]
    ['2', '7/2']
    """
    routing.check(network)
    limits = [one.limits(network) for one in sets]
    kept = [() if all_channels else _kept(network, routing, each) for each in limits]
    cases: dict[int, RestrictedCase] = {}
    for symmetry in dict.fromkeys(kept):
        mine = [place for place, found in enumerate(kept) if found == symmetry]
        generators = routing.symmetries(network)
        by_name = {g: image for g, image in generators.items() if str(g) in symmetry}
        focus = focus_channels(network, by_name)
        worst = _worst_of(network, routing, [limits[place] for place in mine], focus, run)
        for place, found in zip(mine, worst, strict=True):
            cases[place] = RestrictedCase(
                sets[place],
                found,
                found.load / network.bandwidth.fraction(found.channel),
                int(focus.multiplicity[focus.labels[found.channel]]),
                len(focus.channels),
            )
    return Restricted(network, routing, [cases[place] for place in range(len(sets))])


def _kept(network: Network, routing: Routing, limits: Limits) -> tuple[str, ...]:
    """Return the generators of the routing's symmetry that keep the limits."""
    generators = routing.symmetries(network).items()
    return tuple(str(g) for g, image in generators if limits.is_kept_by(network, image))


def _worst_of(
    network: Network,
    routing: Routing,
    limits: Sequence[Limits],
    focus: FocusChannels,
    run: TaskRunner,
) -> list[RestrictedWorst]:
    """Return the worst of the focus channels for each of several limits."""
    channels = focus.channels.tolist()
    pairs = len(network.sources) * len(network.destinations) * len(limits)
    size = things_a_task(pairs * SECONDS_PER_PAIR)
    batches = [channels[at : at + size] for at in range(0, len(channels), size)]
    sizes = [len(batch) for batch in batches]
    given = network, routing, tuple(limits)
    solved = list(run(worst_of_channels, given, batches, "channels", sizes))
    return [
        _fullest(network, [batch[number] for batch in solved]) for number in range(len(limits))
    ]


def _fullest(network: Network, found: Sequence[RestrictedWorst]) -> RestrictedWorst:
    return max(
        found,
        key=lambda worst: (
            worst.load / network.bandwidth.fraction(worst.channel),
            -worst.channel,
        ),
    )


def worst_of_channels(
    network: Network, routing: Routing, limits: Sequence[Limits], channels: Sequence[int]
) -> list[RestrictedWorst]:
    """Return the worst of several channels for each of several limits, solved and checked."""
    matrices = routing.pair_loads_of_each(network, channels)
    return [_worst_for(network, each, channels, matrices) for each in limits]


def _worst_for(
    network: Network,
    limits: Limits,
    channels: Sequence[int],
    matrices: Sequence[SparseRationalMatrix],
) -> RestrictedWorst:
    bounds = [
        _largest_entries_bound(matrix, limits) / network.bandwidth.fraction(channel)
        for channel, matrix in zip(channels, matrices, strict=True)
    ]
    best: RestrictedWorst | None = None
    for place in sorted(range(len(channels)), key=lambda at: (-bounds[at], channels[at])):
        channel, matrix = channels[place], matrices[place]
        if best is not None and bounds[place] < best.load / network.bandwidth.fraction(
            best.channel
        ):
            break
        found = restricted_worst(matrix, limits, channel)
        check_restricted(found, matrix, limits)
        best = found if best is None else _fullest(network, [best, found])
    assert best is not None
    return best


def _largest_entries_bound(matrix: SparseRationalMatrix, limits: Limits) -> Fraction:
    """Return what the largest entries of rows, of columns, or of all say of a channel at most."""
    if not matrix.nonzeros:
        return Fraction(0)
    rows, columns, values = matrix.rows, matrix.columns, matrix.values
    weights = values.numerators
    if limits.pairs is not None:
        units = limits.pairs.units(rows, columns)
        weights = np.where(units != 0, weights, 0)
    found = []
    for ends, count, amounts in (
        (rows, matrix.shape[0], limits.injection),
        (columns, matrix.shape[1], limits.ejection),
    ):
        largest = np.zeros(count, dtype=weights.dtype)
        np.maximum.at(largest, ends, weights)
        found.append(RationalArray(largest, values.denominator).times(amounts).sum())
    if limits.total is not None:
        found.append(limits.total * Fraction(int(weights.max()), values.denominator))
    return min(found)
