"""The load of steps of collectives checked by the paths alone: nothing of how it was found."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from obroute.collectives.contract import CollectiveLoads
from obroute.routing.by_definition import (
    PathsByDefinition,
    TooManyPathsError,
    loads_by_definition,
)
from obroute.specs import CertificateError

MOST_CHANNELS = 100_000
"""Channels of paths that are walked for one collective."""


def check_steps(found: CollectiveLoads, seed: int = 0) -> int:
    """Hold the loads of steps against those that the paths of every rank add up to.

    The step with the largest load is walked first, then others in an order that is drawn, until
    :data:`MOST_CHANNELS` were walked; steps that send alike once.

    Returns
    -------
    int
        How many steps were checked.

    Raises
    ------
    CertificateError
        If one has another load, or its channel has.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> from obroute.collectives import collective_loads, make_collective
    >>> check_steps(
    ...     collective_loads(
    ...         make_network("ring:8"), make_routing("dor"), make_collective("halving_doubling")
    ...     )
    ... )
    6
    """
    network, routing = found.network, found.routing
    ranks = network.sources.tolist()
    sent = found.collective.steps(len(ranks))
    if len(sent) != len(found.loads):
        raise CertificateError(
            f"{found.collective.name}: {len(found.loads)} steps, not {len(sent)}"
        )
    order = sorted(range(len(sent)), key=lambda step: -found.loads[step])
    further = order[1:]
    Random(seed).shuffle(further)
    paths, known, checked = PathsByDefinition(MOST_CHANNELS), dict[bytes, dict[int, Fraction]](), 0
    for step in order[:1] + further:
        to = sent[step].to
        if sorted(to.tolist()) != list(range(len(ranks))):
            raise CertificateError(f"{found.collective.name}: step {step + 1} is no permutation")
        flows = [(rank, ranks[other], Fraction(1)) for rank, other in zip(ranks, to, strict=True)]
        key = to.tobytes()
        if key not in known:
            try:
                known[key] = loads_by_definition(paths, routing, network, flows)
            except TooManyPathsError:
                continue
        loads, channel = known[key], found.channels[step]
        largest = max(loads.values(), default=Fraction(0))
        if largest != found.loads[step] or loads.get(channel, Fraction(0)) != largest:
            raise CertificateError(
                f"{found.collective.name}: step {step + 1} has load {largest} by its paths, not "
                f"{found.loads[step]} on channel {channel}"
            )
        checked += 1
    return checked
