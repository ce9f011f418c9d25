"""What a collective is: steps, each a permutation of ranks and what every rank sends in it.

Ranks are the terminals in their order. Amounts are shares of the vector that each rank has in the
beginning (all-to-all, reduce-scatter, allreduce) or all have in the end (allgather). A step takes
as long as its fullest channel, load over bandwidth times the amount, and steps follow one another:
a vector of one packet takes the sum, in cycles.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from obroute.loads import largest_load
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import IntArray
from obroute.registry import Member, Registry
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.traffic import Traffic


@dataclass(frozen=True, eq=False)
class Step:
    """One step: the rank that each rank sends to, and how much of the vector."""

    to: IntArray
    amount: Fraction


class Collective(Member, ABC):
    """A collective by an algorithm, in steps.

    Examples
    --------
    >>> [(step.to.tolist(), str(step.amount)) for step in make_collective("bruck").steps(3)]
    [([1, 2, 0], '1/3'), ([2, 0, 1], '1/3')]
    """

    @abstractmethod
    def steps(self, ranks: int) -> list[Step]:
        """Return its steps on so many ranks.

        Raises
        ------
        InputError
            If it is not defined on so many.
        """


collectives: Registry[Collective] = Registry("collective", ["obroute.collectives"])
"""Collectives by name (``ring``, ``bine``, ``bruck``, …)."""


def make_collective(spec: str) -> Collective:
    """Make a collective from its name.

    >>> make_collective("ring").name
    'ring'
    """
    return collectives.create(spec)


def shift(ranks: int, places: int) -> IntArray:
    """Return the permutation that sends to the rank so many places on."""
    return (np.arange(ranks) + places) % ranks


def power_of_two(name: str, ranks: int) -> int:
    """Return the logarithm of a number of ranks.

    Raises
    ------
    InputError
        If it is no power of two.
    """
    bits = ranks.bit_length() - 1
    if ranks != 1 << bits:
        raise InputError(f"{name} is not defined on {ranks} ranks; expected a power of two")
    return bits


@dataclass(frozen=True, eq=False)
class CollectiveLoads:
    """The load of every step of a collective by a routing.

    Parameters
    ----------
    network, routing, collective
        Of what.
    loads, channels, amounts
        Of each step: the largest load over bandwidth where every rank sends a packet per cycle, a
        channel that has it, and the share of the vector that is sent.
    """

    network: Network
    routing: Routing
    collective: Collective
    loads: list[Fraction] = field(repr=False)
    channels: list[int] = field(repr=False)
    amounts: list[Fraction] = field(repr=False)

    @property
    def times(self) -> list[Fraction]:
        """Cycles that each step takes for a vector of one packet."""
        return [load * amount for load, amount in zip(self.loads, self.amounts, strict=True)]

    @property
    def time(self) -> Fraction:
        """Cycles of all steps, one after the other."""
        return sum(self.times, Fraction(0))


@dataclass(frozen=True, eq=False)
class Collectives(Answer):
    """Several collectives by one routing on one network."""

    network: Network
    routing: Routing
    each: list[CollectiveLoads]


def check_ranks(network: Network) -> None:
    """Raise :class:`InputError` where terminals are no ranks."""
    if not network.has_unit_terminals or set(network.sources.tolist()) != set(
        network.destinations.tolist()
    ):
        raise InputError(
            f"{network.name}: collectives are for terminals that each inject and eject one packet "
            "per cycle"
        )


def collective_loads(
    network: Network, routing: Routing, collective: Collective
) -> CollectiveLoads:
    """Return the exact load of every step of a collective.

    Steps that send alike are worked out once.

    Raises
    ------
    InputError
        If the routing or the collective is not defined on the network.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = collective_loads(
    ...     make_network("ring:8"), make_routing("dor"), make_collective("halving_doubling")
    ... )
    >>> [str(load) for load in found.loads], str(found.time)
    (['2', '2', '1', '1', '2', '2'], '13/4')
    """
    routing.check(network)
    check_ranks(network)
    ranks = np.asarray(network.sources)
    steps = collective.steps(len(ranks))
    known: dict[bytes, tuple[Fraction, int]] = {}
    for step in steps:
        key = step.to.tobytes()
        if key not in known:
            destinations = network.destination_index[ranks[step.to]]
            traffic = Traffic.of_permutation(network, destinations, collective.name)
            known[key] = largest_load(routing, traffic)
    found = [known[step.to.tobytes()] for step in steps]
    return CollectiveLoads(
        network,
        routing,
        collective,
        [load for load, _ in found],
        [channel for _, channel in found],
        [step.amount for step in steps],
    )
