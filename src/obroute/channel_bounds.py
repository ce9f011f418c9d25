"""Bounds on the worst case of every channel of a network, and the channels that may be the worst.

On a network without symmetry every channel is different, and solving each takes long. A channel
whose load some dual bounds by no more than what another one reaches need not be solved: first all
are bounded in one pass (:mod:`obroute.bounds_kernel`), then those with the highest bounds are
solved in their order, in rounded integers, until no bound is above what was reached. Every number
here is an integer over one denominator, rounded up; the few channels that are left are for exact
arithmetic to decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.bounds_kernel import NO_COVER, bound_block, value_of_cover
from obroute.certificates import CertificateError
from obroute.loads import CLOSE
from obroute.matching_kernel import transport
from obroute.network import Network
from obroute.rational import FloatArray, IntArray
from obroute.routing import Routing
from obroute.routing.rounded_loads import Ends, LoadBlock, RoundedLoads
from obroute.tasks import TaskRunner, things_a_task

SECONDS_PER_CHANNEL = 1e-4


@dataclass(frozen=True, eq=False)
class ChannelBounds:
    """What bounds the load of channels by any traffic, and nearly their load by uniform traffic.

    Parameters
    ----------
    channels
        The channels.
    numerators, denominator
        No traffic that the terminals can send loads a channel more (packets per cycle).
    uniform
        The load by uniform traffic (packets per cycle), within a billionth of it.
    widths, width_place
        The bandwidths (packets per cycle), and which of them each channel has.
    like
        The place of the first channel that each is loaded like.
    """

    channels: IntArray
    numerators: NDArray[np.int64]
    denominator: int
    uniform: FloatArray
    widths: list[Fraction]
    width_place: IntArray
    like: IntArray

    def bound(self, place: int) -> Fraction:
        """Return the bound of the channel at a place, over its bandwidth."""
        return Fraction(int(self.numerators[place]), self.denominator) / self.width(place)

    def width(self, place: int) -> Fraction:
        """Return the bandwidth of the channel at a place (packets per cycle)."""
        return self.widths[int(self.width_place[place])]

    def nearly_widths(self) -> FloatArray:
        """Return the bandwidth of every channel as a float."""
        return np.array([float(width) for width in self.widths])[self.width_place]

    def nearly(self) -> FloatArray:
        """Return all of them as floats, rounded up."""
        found = self.numerators / self.denominator / self.nearly_widths()
        return np.asarray(found * (1 + 2.0**-50), dtype=np.float64)

    def rounded_up(self) -> FloatArray:
        """Return every bound over its bandwidth as a float that is no less."""
        bounds = [self.bound(place) for place in range(len(self.channels))]
        floats = np.array([float(bound) for bound in bounds])
        less = np.array([Fraction(f) < bound for f, bound in zip(floats, bounds, strict=True)])
        return np.where(less, np.nextafter(floats, np.inf), floats)

    def fullest_uniformly(self) -> list[int]:
        """Return channels one of which uniform traffic loads most, over its bandwidth."""
        loads = self.uniform / self.nearly_widths()
        near = np.flatnonzero(loads >= loads.max() * (1 - CLOSE))
        _, first = np.unique(self.like[near], return_index=True)
        found: list[int] = self.channels[near[np.sort(first)]].tolist()
        return found


def bound_channels(
    network: Network, routing: Routing, channels: IntArray, run: TaskRunner
) -> ChannelBounds:
    """Bound the worst case of every given channel.

    Raises
    ------
    CertificateError
        If potentials do not cover what they should: a defect.
    """
    loads = routing.rounded_loads(network)
    with_hosts = bool((loads.alone().places(channels) >= 0).any())
    like = loads.alike(channels)
    first, which = np.unique(like, return_inverse=True)
    few = channels[first]
    size = things_a_task(SECONDS_PER_CHANNEL)
    batches = [few[at : at + size] for at in range(0, len(few), size)]
    sizes = [len(batch) for batch in batches]
    found = list(
        run(bound_batch, (network, routing, with_hosts), batches, "channels bounded", sizes)
    )
    numerators = np.concatenate([bounds for bounds, _ in found])
    if numerators.min(initial=0) == NO_COVER:  # pragma: no cover  # would be a defect
        channel = int(few[np.argmin(numerators)])
        raise CertificateError(f"channel {channel}: potentials do not cover its pair loads")
    bandwidth = network.bandwidth.numerators[channels]
    distinct, width_place = np.unique(bandwidth, return_inverse=True)
    widths = [Fraction(int(width), network.bandwidth.denominator) for width in distinct]
    denominator = loads.rounding.units * loads.ends.denominator
    uniform = np.concatenate([sent for _, sent in found])
    return ChannelBounds(
        channels, numerators[which], denominator, uniform[which], widths, width_place, like
    )


def bound_batch(
    network: Network, routing: Routing, with_hosts: bool, channels: IntArray
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the bound of each channel, in units, and its load by uniform traffic.

    Where channels of hosts are among all of them, a bound below those need not be lowered.
    """
    loads = routing.rounded_loads(network)
    ends, alone = loads.ends, loads.alone()
    bounds = np.zeros(len(channels), dtype=np.int64)
    uniform = np.zeros(len(channels))
    places = alone.places(channels)
    known = places >= 0
    bounds[known] = alone.loads[places[known]] * loads.rounding.units
    uniform[known] = alone.uniform.to_float()[places[known]]
    rest = np.flatnonzero(~known)
    enough = alone.enough * loads.rounding.units if with_hosts else -1
    place_of = np.zeros(network.channel_count, dtype=np.int64)
    place_of[channels] = np.arange(len(channels))
    for block in loads.blocks(channels[rest]):
        count = len(block.channels)
        where = place_of[block.channels]
        some, sent = np.empty(count, dtype=np.int64), np.empty(count)
        _bound_block(block, ends, enough, some, sent)
        bounds[where] = some
        uniform[where] = sent / loads.rounding.units
    return bounds, uniform


def _bound_block(
    block: LoadBlock, ends: Ends, enough: int, bounds: IntArray, sent: FloatArray
) -> None:
    """Bound each channel of a block, and its load of uniform traffic, in the arrays given."""
    bound_block(
        block.starts,
        block.rows,
        block.columns,
        block.weights,
        ends.supply,
        ends.demand,
        ends.row_share,
        ends.column_share,
        enough,
        bounds,
        sent,
    )


def may_be_worst(
    network: Network, routing: Routing, bounds: ChannelBounds, reached: Fraction = Fraction(0)
) -> list[int]:
    """Return places of the channels one of which is loaded most, the likeliest first.

    Where a load is already ``reached``, those that may be loaded more: none, as it may be.

    Channels are solved in the order of their bounds, in rounded integers, until no other bound is
    above what one reaches at least. The bounds of those looked at are lowered in place. The
    channel of the first place has the highest bound of those that are left.
    """
    loads = routing.rounded_loads(network)
    search = _Search(loads, bounds, reached)
    nearly = bounds.nearly()
    for place in np.argsort(-nearly, kind="stable").tolist():
        if nearly[place] < search.least:
            break
        if search.may_be_above(place) and not search.knows_alike(place):
            search.solve(place)
    contenders = [place for place, found in search.upper.items() if found > search.reached]
    exact = [place for place, found in search.upper.items() if found == search.reached]
    contenders.sort(key=lambda place: (-search.upper[place], place))
    return [*contenders, *exact[:1]] or ([] if reached else [0])


class _Search:
    """Solves channels, and knows the largest load that one of them has at least."""

    def __init__(self, loads: RoundedLoads, bounds: ChannelBounds, reached: Fraction) -> None:
        self.loads, self.bounds, self.ends = loads, bounds, loads.ends
        self._reach(reached)
        self.upper: dict[int, Fraction] = {}
        self.solved: dict[int, int] = {}

    def _reach(self, load: Fraction) -> None:
        self.reached, self.least = load, float(load) * (1 - CLOSE)
        self.limits = [int(load * width * self.bounds.denominator) for width in self.bounds.widths]

    def may_be_above(self, place: int) -> bool:
        """Whether the bound of a channel is above what is reached."""
        limit = self.limits[self.bounds.width_place[place]]
        return bool(self.bounds.numerators[place] > limit)

    def knows_alike(self, place: int) -> bool:
        """Whether a channel that is loaded alike, and has no more bandwidth, has been solved."""
        bounds = self.bounds
        known = self.solved.setdefault(int(bounds.like[place]), place)
        bounds.numerators[place] = bounds.numerators[known]
        return known != place and bounds.width(known) <= bounds.width(place)

    def solve(self, place: int) -> None:
        """Solve a channel, or stop when it cannot be above what is reached."""
        bounds = self.bounds
        width = bounds.width(place)
        excess = 0
        if self.loads.alone().places(bounds.channels[place : place + 1])[0] < 0:
            (block,) = self.loads.blocks(bounds.channels[place : place + 1])
            limit = self.limits[bounds.width_place[place]]
            if self._covered(block, place) <= limit:
                return
            flow, u, v, finished = solve_block(block, self.ends, limit)
            value = value_of_cover(
                block.rows[: block.starts[1]],
                block.columns[: block.starts[1]],
                block.weights[: block.starts[1]],
                self.ends.supply,
                self.ends.demand,
                u,
                v,
            )
            if value == NO_COVER:  # pragma: no cover  # would be a defect
                channel = int(bounds.channels[place])
                raise CertificateError(f"channel {channel}: potentials do not cover its loads")
            bounds.numerators[place] = min(value, int(bounds.numerators[place]))
            if value <= limit:
                return
            if not finished:  # pragma: no cover  # would be a defect, but no wrong answer
                self.upper[place] = bounds.bound(place)
                return
            shipped = int((flow * block.weights[: block.starts[1]]).sum())
            each = self.loads.rounding.excess(self.ends.largest)
            excess = value - shipped + each * int(flow.sum())
        self.upper[place] = bounds.bound(place)
        least = Fraction(int(bounds.numerators[place]) - excess, bounds.denominator) / width
        if least > self.reached:
            self._reach(least)

    def _covered(self, block: LoadBlock, place: int) -> int:
        """Return the bound of a channel, lowered by a cover where it was found without loads."""
        value, sent = np.empty(1, dtype=np.int64), np.empty(1)
        if self.loads.bounds_at_once(self.bounds.channels[place : place + 1]) is not None:
            _bound_block(block, self.ends, -1, value, sent)
            if value[0] != NO_COVER:
                self.bounds.numerators[place] = min(value[0], self.bounds.numerators[place])
        return int(self.bounds.numerators[place])


def solve_block(
    block: LoadBlock, ends: Ends, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]:
    """Return flow and potentials of the one channel of a block; see the compiled loop."""
    entries = slice(0, int(block.starts[1]))
    rows, weights = block.rows[entries], block.weights[entries]
    starts = np.searchsorted(rows, np.arange(len(ends.supply) + 1)).astype(np.int64)
    largest = np.zeros(len(ends.supply), dtype=np.int64)
    np.maximum.at(largest, rows, weights)
    active = np.flatnonzero(largest)
    order = active[np.argsort(-largest[active], kind="stable")]
    return transport(
        starts,
        block.columns[entries].astype(np.int64),
        weights,
        ends.supply,
        ends.demand,
        order,
        limit,
    )
