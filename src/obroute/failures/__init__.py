"""Failures: the worst case of a routing over every set of so many parts of a network that fail.

What fails is a cable, a channel, a bundle of cables or a switch (:mod:`~obroute.failures.parts`).
Sets that a symmetry carries to one another are alike, and one of each orbit is looked at
(:mod:`~obroute.failures.orbits`): what is left of the network (:mod:`~obroute.failures.remains`),
the routing there (:mod:`~obroute.failures.repairs`), and its exact worst case
(:mod:`~obroute.failures.search`).
"""

from obroute.failures.orbits import SetOrbits, bytes_of_sets, check_sets, orbits_of_sets
from obroute.failures.parts import KINDS, Parts, parts_of
from obroute.failures.remains import Remains, remains_of
from obroute.failures.repairs import REPAIRS, SCOPES, repair_of
from obroute.failures.search import Failures, find_failures

__all__ = [
    "KINDS",
    "REPAIRS",
    "SCOPES",
    "Failures",
    "Parts",
    "Remains",
    "SetOrbits",
    "bytes_of_sets",
    "check_sets",
    "find_failures",
    "orbits_of_sets",
    "parts_of",
    "remains_of",
    "repair_of",
]
