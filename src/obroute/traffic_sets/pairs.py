"""Any traffic, few pairs, and little traffic in all."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.network import Network
from obroute.specs import InputError, Parameter, parse_integer, parse_positive_fraction
from obroute.traffic_sets.contract import TrafficSet, traffic_sets
from obroute.traffic_sets.limits import Limits


@traffic_sets.register(
    "any",
    "any traffic that the terminals can inject and eject",
    defined_for="every network",
    examples=("any",),
    small=("any",),
)
class AnyTraffic(TrafficSet):
    """What a guarantee without more words is over."""

    def limits(self, network: Network) -> Limits:
        """Return what the terminals allow."""
        return Limits.of_terminals(network)


@traffic_sets.register(
    "pairs",
    "at most so many active pairs, no host in two of them",
    defined_for="networks whose terminals inject and eject whole packets per cycle",
    examples=("pairs:8",),
    small=("pairs:2",),
)
class FewPairs(TrafficSet):
    """At most k pairs of hosts, each with a packet per cycle: a matching of k pairs."""

    def __init__(
        self, pairs: Annotated[int, Parameter("pairs that are active", parse_integer(1))]
    ) -> None:
        self.pairs = pairs

    def limits(self, network: Network) -> Limits:
        """Return so many packets per cycle in all."""
        for amounts in (network.injection, network.ejection):
            broken = np.flatnonzero(amounts.numerators % amounts.denominator)
            if broken.size:
                raise InputError(
                    f"{self.name} is not defined on {network.name}: a terminal has "
                    f"{amounts.fraction(int(broken[0]))} packets per cycle; expected whole ones, "
                    "a packet for each pair"
                )
        return Limits(network.injection, network.ejection, total=Fraction(self.pairs))


@traffic_sets.register(
    "total",
    "all terminals together send at most so much",
    defined_for="every network",
    examples=("total:5/2",),
    small=("total:5/2",),
)
class LittleTraffic(TrafficSet):
    """At most so many packets per cycle in all, shared in any way."""

    def __init__(
        self,
        load: Annotated[
            Fraction, Parameter("packets per cycle in all, at most", parse_positive_fraction)
        ],
    ) -> None:
        self.load = load

    def limits(self, network: Network) -> Limits:
        """Return the bound on the sum."""
        return Limits(network.injection, network.ejection, total=self.load)
