"""Failures that were looked at anew: the worst set, and some others, by the slow twin."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from obroute.failures import Failures
from obroute.failures.checks import Flow, Twin, check_reached, check_whole
from obroute.routing.by_definition import TooManyPathsError
from obroute.solved_channels import solve_channels

OTHERS = 2
"""Sets besides the worst, drawn."""


def check(answer: Failures) -> int:
    """Return how many sets of failures the twin agrees with, the worst first.

    Raises
    ------
    CertificateError
        If it does not agree with one.
    """
    others = [orbit for orbit in range(len(answer.results)) if orbit != answer.worst]
    chosen = Random(0).sample(others, min(OTHERS, len(others)))
    return sum(_agrees(answer, orbit) for orbit in [answer.worst, *chosen])


def _agrees(answer: Failures, orbit: int) -> bool:
    """Say whether the twin agrees; not where there are too many paths for it."""
    found = answer.results[orbit]
    failed = answer.orbits.sets[orbit].tolist()
    twin = Twin(answer.parts, answer.routing, answer.repair, failed)
    with suppress(TooManyPathsError):
        check_whole(twin, found.load, found.cut)
        return True
    if found.load is None or found.channel < 0:
        return False
    with suppress(TooManyPathsError):
        check_reached(twin, found.channel, found.load, _worst_traffic(answer, orbit))
        return True
    return False


def _worst_traffic(answer: Failures, orbit: int) -> list[Flow]:
    """Return the traffic that loads the channel most, as it was found."""
    after, channel = answer.after(orbit), answer.results[orbit].channel
    for network, routing, channels in zip(
        after.remains.networks, after.routings, after.remains.channels, strict=True
    ):
        places = (channels == channel).nonzero()[0]
        if places.size:
            (solved,) = solve_channels(network, routing, [int(places[0])])
            worst = solved.worst
            sources = network.sources[worst.sources].tolist()
            destinations = network.destinations[worst.destinations].tolist()
            amounts = worst.amounts.fractions()
            return list(zip(sources, destinations, amounts, strict=True))
    return []
