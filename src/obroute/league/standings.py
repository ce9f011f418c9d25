"""A league of routings on a network: ranked by what they guarantee, with what else counts.

Of equal guarantees the routing that carries more uniform traffic comes first, then the one with
the shorter paths.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from obroute.deadlock import Verdict, virtual_channels_needed
from obroute.throughput import Evaluation


@dataclass(frozen=True)
class Standing:
    """A routing in the league of a network.

    Parameters
    ----------
    place
        From 1; those that guarantee the same share one.
    routing
        Its name.
    load
        The worst-case load (packets per cycle over channel bandwidth).
    uniform_load
        The largest load of uniform traffic; None where it was not evaluated.
    average, average_error
        Mean throughput over random permutations (fraction of injection bandwidth) and its standard
        error; None where none were drawn.
    length
        Mean path length (hops).
    virtual_channels
        With how many it is proved free of deadlock; None where that is not known.
    of_best
        Its guarantee over that of the best of all routings; None where that is not proved.
    told
        What is proved of the virtual channels that it tells itself, as tables of a fabric do with
        their lanes; None where it tells none.
    """

    place: int
    routing: str
    load: Fraction
    uniform_load: Fraction | None
    average: float | None
    average_error: float | None
    length: Fraction
    virtual_channels: int | None
    of_best: Fraction | None
    told: Verdict | None = None

    @property
    def throughput(self) -> Fraction | None:
        """What is guaranteed for all traffic (fraction of injection bandwidth)."""
        return 1 / self.load if self.load else None


def standing(
    found: Evaluation, best: Fraction | None = None, told: Verdict | None = None
) -> Standing:
    """Return what an evaluation says of its routing, not ranked yet.

    Parameters
    ----------
    found
        The evaluation; random permutations count where its average case is of those.
    best
        The least worst-case load of all routings on the network, where it is proved.
    told
        What is proved of the virtual channels that the routing tells itself.
    """
    average = found.average_case
    if average is not None and average.kind != "permutation":
        average = None
    load = found.worst_case_load
    return Standing(
        0,
        found.routing.name,
        load,
        found.uniform.load,
        None if average is None else average.throughput,
        None if average is None else average.standard_error,
        found.mean_path_length,
        virtual_channels_needed(found.network, found.routing),
        share_of(best, load),
        told,
    )


def share_of(best: Fraction | None, load: Fraction) -> Fraction | None:
    """Return a guarantee over that of the best load; None where either is not known."""
    return best / load if best is not None and load else None


def ranked(standings: Iterable[Standing]) -> list[Standing]:
    """Return routings with their places, the best first.

    Examples
    --------
    >>> from obroute import evaluate
    >>> names = ["valiant", "dor", "o1turn"]
    >>> found = ranked(standing(evaluate("torus:4x4", name)) for name in names)
    >>> [(one.place, one.routing, str(one.load), one.virtual_channels) for one in found]
    [(1, 'valiant', '1', 4), (2, 'dor', '3/2', 2), (2, 'o1turn', '3/2', 4)]
    """
    found = sorted(
        standings, key=lambda one: (one.load, one.uniform_load or 0, one.length, one.routing)
    )
    return [replace(one, place=1 + sum(other.load < one.load for other in found)) for one in found]
