"""What changes from one routing to another: guarantees, channels, and the pairs that move.

Both are evaluated on every channel, so that each difference is between exact values. Where the
network changed too, nodes are the same by name, and channels by their ends and, of parallel ones,
by their order.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from obroute.loads import largest_load
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.solved_channels import ChannelResult
from obroute.tasks import TaskRunner, run_serially
from obroute.throughput import Evaluation, evaluate
from obroute.traffic import Traffic

End = tuple[str, str, int]
"""A channel by name: its ends, and which it is of those between them."""


@dataclass(frozen=True)
class ChannelChange:
    """A channel before and after; what one of the networks has not is None there."""

    name: str
    old: ChannelResult | None = field(repr=False)
    new: ChannelResult | None = field(repr=False)
    uniform_loads: tuple[Fraction | None, Fraction | None]
    """Its load over bandwidth by uniform traffic, before and after."""

    @property
    def worst_case_loads(self) -> tuple[Fraction | None, Fraction | None]:
        """The largest load over bandwidth that traffic can put on it, before and after."""
        return _load(self.old), _load(self.new)

    @property
    def is_same(self) -> bool:
        """Whether neither load changed."""
        return len(set(self.worst_case_loads)) == 1 and len(set(self.uniform_loads)) == 1


@dataclass(frozen=True)
class Difference(Answer):
    """Two evaluations and what is different between them; all exact.

    Attributes
    ----------
    old, new
        The evaluations, of every channel.
    channels
        Every channel of either network.
    moved
        Pairs that load some channel otherwise than before, source and destination by name.
    old_worst_on_new
        What the worst traffic of the old routing loads the new one with, over bandwidth; None if
        a terminal of it is gone, or may not send or get so much any more.
    """

    old: Evaluation
    new: Evaluation
    channels: list[ChannelChange]
    moved: list[tuple[str, str]]
    old_worst_on_new: Fraction | None

    @cached_property
    def changed(self) -> list[ChannelChange]:
        """Channels whose loads changed, the largest change of the worst case first."""

        def by_change(change: ChannelChange) -> Fraction:
            before, after = change.worst_case_loads
            return -abs((after or Fraction(0)) - (before or Fraction(0)))

        return sorted((c for c in self.channels if not c.is_same), key=by_change)

    @property
    def pairs(self) -> int:
        """How many pairs of terminals there are, of either network."""
        both = zip(_terminals(self.old.network), _terminals(self.new.network), strict=True)
        return math.prod(len({*before, *after}) for before, after in both)

    @property
    def worse(self) -> int:
        """How many channels can be loaded more than before."""
        return sum(
            before is not None and after is not None and after > before
            for before, after in (change.worst_case_loads for change in self.channels)
        )

    @property
    def better(self) -> int:
        """How many channels cannot be loaded as much as before."""
        return sum(
            before is not None and after is not None and after < before
            for before, after in (change.worst_case_loads for change in self.channels)
        )


def difference(
    network: Network,
    old: Routing,
    new: Routing,
    old_network: Network | None = None,
    run: TaskRunner = run_serially,
) -> Difference:
    """Compare two routings exactly.

    Parameters
    ----------
    network, old, new
        The network and both routings.
    old_network
        The network that the old routing is of, where it is another.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If a routing is not defined on its network.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = difference(make_network("torus:5x5"), make_routing("romm"), make_routing("dor"))
    >>> str(found.old.worst_case_load), str(found.new.worst_case_load)
    ('8/3', '2')
    >>> found.worse, found.better, len(found.moved)
    (0, 100, 400)
    """
    before = network if old_network is None else old_network
    old.check(before)
    new.check(network)
    of_old = evaluate(before, old, all_channels=True, run=run)
    of_new = evaluate(network, new, all_channels=True, run=run)
    olds, news = dict(_named(of_old)), dict(_named(of_new))
    changes = [
        ChannelChange(
            _described(end, network, news.get(end), before),
            olds.get(end),
            found,
            (_uniform(before, olds.get(end)), _uniform(network, found)),
        )
        for end, found in _together(olds, news)
    ]
    return Difference(
        of_old, of_new, changes, _moved(of_old, of_new, changes), _again(of_old, new, network)
    )


def _uniform(network: Network, result: ChannelResult | None) -> Fraction | None:
    if result is None:
        return None
    return result.uniform_load / network.bandwidth.fraction(result.worst.channel)


def _together(
    olds: dict[End, ChannelResult], news: dict[End, ChannelResult]
) -> Iterator[tuple[End, ChannelResult | None]]:
    """Yield the channels of the new network, then those that only the old one had."""
    yield from news.items()
    for end in olds:
        if end not in news:
            yield end, None


def _named(found: Evaluation) -> Iterator[tuple[End, ChannelResult]]:
    network, seen = found.network, Counter[tuple[str, str]]()
    for result in found.channels:
        channel = result.worst.channel
        ends = (
            network.node_name(int(network.tail[channel])),
            network.node_name(int(network.head[channel])),
        )
        yield (*ends, seen[ends]), result
        seen[ends] += 1


def _described(
    end: End, network: Network, result: ChannelResult | None, old_network: Network
) -> str:
    if result is not None:
        return network.describe_channel(result.worst.channel)
    tail, head, number = end
    ports = f"#{number + 1}" if number else ""
    names = (old_network.describe(old_network.node_named(name)) for name in (tail, head))
    return " → ".join(names) + ports


def _moved(
    old: Evaluation, new: Evaluation, changes: list[ChannelChange]
) -> list[tuple[str, str]]:
    """Return the pairs that some channel is loaded by otherwise than before.

    A channel that is in one of the networks alone moves every pair that loads it.
    """
    names = [_terminals(found.network) for found in (old, new)]
    sources, destinations = (
        list(dict.fromkeys([*names[1][side], *names[0][side]])) for side in (0, 1)
    )
    rows_of, columns_of = _positions(sources), _positions(destinations)
    places = [
        (
            np.array([rows_of[name] for name in own[0]]),
            np.array([columns_of[name] for name in own[1]]),
        )
        for own in names
    ]
    shape = (len(sources), len(destinations))
    found = np.zeros(shape, dtype=bool)
    for change in changes:
        both: list[Placed | None] = [
            None if result is None else (result.pair_loads, *at)
            for result, at in zip((change.old, change.new), places, strict=True)
        ]
        found[_different(both[0], both[1], shape)] = True
    return [(sources[row], destinations[column]) for row, column in np.argwhere(found).tolist()]


def _terminals(network: Network) -> tuple[list[str], list[str]]:
    return (
        [network.node_name(node) for node in network.sources.tolist()],
        [network.node_name(node) for node in network.destinations.tolist()],
    )


def _positions(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


Placed = tuple[SparseRationalMatrix, IntArray, IntArray]
"""Pair loads of a channel, and where its sources and destinations stand among all."""


def _different(
    old: Placed | None, new: Placed | None, shape: tuple[int, int]
) -> tuple[IntArray, IntArray]:
    """Return where two matrices differ, exactly."""
    same_places = (
        old is not None
        and new is not None
        and all(np.array_equal(a, b) for a, b in zip(old[1:], new[1:], strict=True))
    )
    if same_places and old is not None and new is not None and old[0].equals(new[0]):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    keys = [
        np.zeros(0, dtype=np.int64)
        if given is None
        else given[1][given[0].rows] * shape[1] + given[2][given[0].columns]
        for given in (old, new)
    ]
    either = np.union1d(*keys)
    full = [np.zeros(len(either), dtype=object) for _ in keys]
    for own, places, amounts in zip(full, keys, _comparable(old, new), strict=True):
        own[np.searchsorted(either, places)] = amounts
    found = either[full[0] != full[1]]
    return np.divmod(found, shape[1])


def _comparable(old: Placed | None, new: Placed | None) -> Iterator[Any]:
    """Yield the loads of each: whole numbers over one denominator, or fractions."""
    given = [None if placed is None else placed[0].values for placed in (old, new)]
    if any(values is not None and values.is_wide for values in given):
        yield from ([] if values is None else values.fractions() for values in given)
        return
    common = math.lcm(*(values.denominator for values in given if values is not None))
    yield from ([] if values is None else values.over(common) for values in given)


def _again(old: Evaluation, new: Routing, network: Network) -> Fraction | None:
    """Return the load of the old worst traffic by the new routing, over bandwidth."""
    worst = old.critical.worst
    sources, destinations = map(_positions, _terminals(network))
    names = _terminals(old.network)
    rows = [sources.get(names[0][place]) for place in worst.sources.tolist()]
    columns = [destinations.get(names[1][place]) for place in worst.destinations.tolist()]
    if None in rows or None in columns:
        return None
    sent: defaultdict[tuple[str, Any], Fraction] = defaultdict(Fraction)
    for row, column, amount in zip(rows, columns, worst.amounts.fractions(), strict=True):
        sent["source", row] += amount
        sent["destination", column] += amount
    most = {"source": network.injection, "destination": network.ejection}
    if any(amount > most[end].fraction(place) for (end, place), amount in sent.items()):
        return None
    amounts = SparseRationalMatrix.from_triplets(
        np.array(rows, dtype=np.int64),
        np.array(columns, dtype=np.int64),
        worst.amounts,
        (len(sources), len(destinations)),
    )
    return largest_load(new, Traffic.of_amounts(network, amounts, "the old worst case"))[0]


def _load(result: ChannelResult | None) -> Fraction | None:
    return None if result is None else result.normalized_load
