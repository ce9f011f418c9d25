"""The worst case of a routing after every set of failures, one set of each orbit looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.channel_bounds import ChannelBounds, bound_channels, may_be_worst
from obroute.choices.failures import REPAIR
from obroute.failures.orbits import SetOrbits, orbits_of_sets
from obroute.failures.parts import Parts
from obroute.failures.repairs import (
    Repair,
    Surviving,
    repair_of,
    repaired,
    symmetries_of,
)
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import IntArray
from obroute.routing import Routing
from obroute.solved_channels import ChannelResult, solve_channels
from obroute.tasks import TaskRunner, run_serially
from obroute.worst_cases import WorstCases, worst_cases

SETS_A_TASK = 4
MOST_TRIED = 8
"""Channels that are tried for one that a failure does not touch."""
ROUND = 32
"""Sets after which the largest load is known to those that follow, where no other counts."""


@dataclass(frozen=True)
class SetResult:
    """What one set of failures leads to.

    Parameters
    ----------
    load
        The largest load over bandwidth that any traffic of the pairs that are not cut puts on any
        channel; None where it is not larger than another's that was known.
    channel
        The channel of the whole network that has it; -1 where none is loaded.
    cut
        How many pairs of terminals are cut.
    """

    load: Fraction | None
    channel: int
    cut: int


@dataclass(frozen=True, eq=False)
class Failures(Answer):
    """The worst case of a routing over all sets of so many parts that fail.

    Parameters
    ----------
    network, routing
        Whose.
    parts
        What can fail.
    repair
        How the routing goes on, see :mod:`obroute.failures.repairs`.
    orbits
        A set of each orbit, and how many sets are like it.
    results
        What each of them leads to, in this order.
    whole
        The worst case where nothing has failed.
    only_worst
        Whether only the largest load was asked for.
    """

    network: Network
    routing: Routing
    parts: Parts
    repair: str
    orbits: SetOrbits
    results: Sequence[SetResult]
    whole: Fraction
    only_worst: bool = False

    @property
    def count(self) -> int:
        """How many parts fail at a time."""
        return int(self.orbits.sets.shape[1])

    @property
    def worst(self) -> int:
        """The orbit with the largest load, the first of several."""
        loads = [Fraction(-1) if one.load is None else one.load for one in self.results]
        return max(range(len(loads)), key=lambda place: loads[place])

    @property
    def worst_load(self) -> Fraction:
        """The largest load over bandwidth after any of the sets of failures."""
        load = self.results[self.worst].load
        assert load is not None
        return load

    @property
    def most_cut(self) -> int:
        """The orbit whose sets cut the most pairs, the first of several."""
        return max(range(len(self.results)), key=lambda place: self.results[place].cut)

    @property
    def sets(self) -> int:
        """How many sets there are."""
        return int(self.orbits.sizes.sum())

    @property
    def sets_that_cut(self) -> int:
        """How many sets cut some pair."""
        cut = [one.cut > 0 for one in self.results]
        return int(self.orbits.sizes[cut].sum())

    @property
    def is_whole(self) -> bool:
        """Whether the load after every set is known, not only the largest."""
        return all(one.load is not None for one in self.results)

    def distribution(self) -> list[tuple[Fraction, int, int]]:
        """Return each worst load, the largest first, and how many sets have it, and cut pairs.

        Empty where only the largest is known.
        """
        if not self.is_whole:
            return []
        found: dict[Fraction, list[int]] = {}
        for one, size in zip(self.results, self.orbits.sizes.tolist(), strict=True):
            assert one.load is not None
            counts = found.setdefault(one.load, [0, 0])
            counts[0] += size
            counts[1] += size * (one.cut > 0)
        return [(load, *found[load]) for load in sorted(found, reverse=True)]  # type: ignore[misc]

    def names(self, orbit: int) -> list[str]:
        """Return what the parts of a set are called."""
        return [self.parts.describe(part) for part in self.orbits.sets[orbit].tolist()]

    def cut_pairs(self, orbit: int) -> IntArray:
        """Return the pairs of nodes that a set cuts, sources beside destinations."""
        cut = self.after(orbit).cut
        rows, columns = np.nonzero(cut)
        network = self.network
        return np.column_stack([network.sources[rows], network.destinations[columns]])

    def after(self, orbit: int) -> Repair:
        """Return what is left after a set has failed, and the routing there."""
        chosen = self.orbits.sets[orbit].tolist()
        return repaired(self.parts, self.routing, self.repair, chosen)


def find_failures(
    network: Network,
    routing: Routing,
    parts: Parts,
    count: int,
    *,
    repair: str = REPAIR,
    only_worst: bool = False,
    run: TaskRunner = run_serially,
) -> Failures:
    """Find the worst case of a routing after every set of failures.

    Parameters
    ----------
    network, routing
        Whose.
    parts, count
        What fails, and how many of them at a time.
    repair
        How the routing goes on; ``auto`` for what fits it.
    only_worst
        Only the largest load is wanted: sets that a bound shows to have none larger are passed
        over.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing is not defined, or there are too many sets.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> from obroute.failures import parts_of
    >>> fabric = make_network("leafspine:leaves=4,hosts=4,spines=4")
    >>> found = find_failures(fabric, make_routing("ecmp"), parts_of(fabric), 2)
    >>> [(str(load), sets, cutting) for load, sets, cutting in found.distribution()]
    [('2', 96, 0), ('4/3', 24, 0)]
    >>> found.names(found.worst)
    ['leaf0 – spine0', 'leaf0 – spine1']
    """
    routing.check(network)
    repair = repair_of(network, routing) if repair == "auto" else repair
    orbits = orbits_of_sets(len(parts), count, symmetries_of(parts, routing, repair))
    sets = orbits.sets.tolist()
    whole = worst_cases(network, routing, run=run)
    before = Before.of(whole)
    results: list[SetResult] = []
    step = ROUND if only_worst else len(sets)
    for at in range(0, len(sets), step):
        floor = None
        if only_worst:
            floor = max((one.load for one in results if one.load is not None), default=None)
        some = sets[at : at + step]
        batches = [some[i : i + SETS_A_TASK] for i in range(0, len(some), SETS_A_TASK)]
        shared = (parts, routing, repair, before, floor)
        sizes = [len(batch) for batch in batches]
        for batch in run(look_at_sets, shared, batches, "sets of failures", sizes):
            results += batch
    return Failures(network, routing, parts, repair, orbits, results, whole.load, only_worst)


@dataclass(frozen=True, eq=False)
class Before:
    """Bounds on the load of every channel where nothing has failed: which of some loads.

    ``exact`` are those of the loads that are no bounds, but worst cases.
    """

    loads: list[Fraction]
    place: IntArray
    exact: frozenset[int] = frozenset()

    @classmethod
    def of(cls, whole: WorstCases) -> Before:
        """Take them from a worst case."""
        if whole.bounds is None:
            loads = [result.worst.load for result in whole.channels]
            return cls(loads, whole.focus.labels, frozenset(range(len(loads))))
        bounds = whole.bounds
        loads = [Fraction(n, bounds.denominator) for n in bounds.numerators.tolist()]
        worst = whole.critical.worst
        known = int(whole.focus.labels[worst.channel])
        loads[known] = worst.load
        return cls(loads, whole.focus.labels, frozenset([known]))

    def untouched(
        self, network: Network, routing: Surviving, channels: IntArray
    ) -> tuple[Fraction, int]:
        """Return the load over bandwidth of a channel that has what it had, and the channel.

        One that has had much, of those whose worst case is known; 0 and -1 where none is found.
        """
        added = routing.most_by_hit(network) > 0
        known = np.isin(self.place[channels], list(self.exact)) & ~added
        places = np.flatnonzero(known)
        widths = network.bandwidth.to_float()[places]
        nearly = np.array([float(load) for load in self.loads])[self.place[channels[places]]]
        order = np.argsort(-nearly / widths, kind="stable")
        step = max(1, int((nearly >= nearly.max(initial=0)).sum()) // MOST_TRIED)
        for place in places[order[::step][:MOST_TRIED]].tolist():
            if routing.has_what_it_had(place):
                load = self.loads[self.place[channels[place]]]
                return load / network.bandwidth.fraction(place), int(channels[place])
        return Fraction(0), -1

    def in_units(self, denominator: int) -> IntArray:
        """Return each as a multiple of 1 / ``denominator``, rounded up."""
        units = [math.ceil(load * denominator) for load in self.loads]
        return np.array(units, dtype=np.int64)[self.place]


def look_at_sets(
    parts: Parts,
    routing: Routing,
    repair: str,
    before: Before,
    floor: Fraction | None,
    sets: list[list[int]],
) -> list[SetResult]:
    """Return what each of some sets of failures leads to.

    Parameters
    ----------
    parts, routing, repair
        What fails, and how the routing goes on.
    before
        Bounds on the load of each channel where nothing has failed.
    floor
        A load that another set has: only larger ones are of interest. None if all are.
    sets
        The sets, by the numbers of their parts.
    """
    return [_look_at(parts, routing, repair, before, floor, chosen) for chosen in sets]


def _look_at(
    parts: Parts,
    routing: Routing,
    repair: str,
    before: Before,
    floor: Fraction | None,
    chosen: list[int],
) -> SetResult:
    after = repaired(parts, routing, repair, chosen)
    load, channel = floor or Fraction(0), -1
    for network, own, channels in zip(
        after.remains.networks, after.routings, after.remains.channels, strict=True
    ):
        own.check(network)
        if isinstance(own, Surviving):
            load, channel = max((load, channel), before.untouched(network, own, channels))
        worst = _worst_above(network, own, channels, before, load)
        if worst is not None and worst.normalized_load > load:
            load, channel = worst.normalized_load, int(channels[worst.worst.channel])
    cut = int(after.cut.sum())
    return SetResult(None if channel < 0 and floor is not None else load, channel, cut)


def _worst_above(
    network: Network, routing: Routing, channels: IntArray, before: Before, reached: Fraction
) -> ChannelResult | None:
    """Return the worst case of what is left, certified; None where none is above a load.

    A channel that no bound shows above what another reaches is not looked at: where pairs keep
    their paths, it has what it had before and what the pairs that are hit add.
    """
    loads = routing.rounded_loads(network)
    if not loads.are_useful or not (reached or isinstance(routing, Surviving)):
        return worst_cases(network, routing).critical
    if isinstance(routing, Surviving):
        denominator = loads.rounding.units * loads.ends.denominator
        added = np.ceil(routing.most_by_hit(network) * denominator).astype(np.int64)
        most = before.in_units(denominator)[channels] + added
        bounds = _bounds_after(network, most, denominator)
    else:
        everything = np.arange(network.channel_count)
        bounds = bound_channels(network, routing, everything, run_serially)
    worst: ChannelResult | None = None
    for place in may_be_worst(network, routing, bounds, reached):
        if worst is None or bounds.bound(place) > worst.normalized_load:
            (found,) = solve_channels(network, routing, [int(bounds.channels[place])])
            if worst is None or found.normalized_load > worst.normalized_load:
                worst = found
    return worst


def _bounds_after(network: Network, most: IntArray, denominator: int) -> ChannelBounds:
    """Return bounds on the load of every channel, given in units."""
    everything = np.arange(network.channel_count)
    numerators, widths = network.bandwidth.numerators, network.bandwidth.denominator
    distinct, place = np.unique(numerators, return_inverse=True)
    return ChannelBounds(
        everything,
        most,
        denominator,
        np.zeros(network.channel_count),
        [Fraction(int(width), widths) for width in distinct],
        place,
        everything,
    )
