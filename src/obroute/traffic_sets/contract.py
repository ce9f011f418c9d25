"""What a set of traffic is, and the registry of all of them: one file each."""

from __future__ import annotations

from abc import ABC, abstractmethod

from obroute.network import Network
from obroute.registry import Member, Registry
from obroute.traffic_sets.limits import Limits


class TrafficSet(Member, ABC):
    """All traffic that an adversary may choose from, by what bounds it.

    A set is a file that registers a class with :meth:`limits`; the exact worst case over it, the
    proof and its check, settings of sweeps and all that is shown are made from that
    (:mod:`obroute.restrictions`).

    Examples
    --------
    >>> from obroute import make_network
    >>> found = make_traffic_set("pairs:2").limits(make_network("ring:4"))
    >>> found.total, found.pairs
    (Fraction(2, 1), None)
    """

    @abstractmethod
    def limits(self, network: Network) -> Limits:
        """Return what bounds the traffic of the set on a network.

        Raises
        ------
        InputError
            If the set is not defined on the network.
        """


traffic_sets: Registry[TrafficSet] = Registry("set of traffic", ["obroute.traffic_sets"])
"""Sets of traffic by name (``any``, ``pairs``, ``within``, …)."""


def make_traffic_set(spec: str) -> TrafficSet:
    """Make a set of traffic from its name.

    >>> make_traffic_set("within:rack").name
    'within:rack'
    """
    return traffic_sets.create(spec)
