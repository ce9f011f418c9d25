"""What is the best that switches can do? A routing, and what no other of its kind betters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from obroute.choices.deployments import MOVES, STEPS
from obroute.deadlock import PathSet, check_deadlock
from obroute.deployment.bounds import (
    WORDS,
    Bound,
    best_oblivious,
    cheap_bounds,
    exhaustive_bound,
)
from obroute.deployment.channel_order import Rising
from obroute.deployment.counting import next_load
from obroute.deployment.finding import find_routing
from obroute.deployment.restrictions import Restriction
from obroute.design.proofs import Bounds
from obroute.network import Network
from obroute.presented import Answer
from obroute.routing import Routing


@dataclass(frozen=True, eq=False)
class Deployment(Answer):
    """The best routing that was found for switches, and bounds of the best there is.

    Parameters
    ----------
    network, restriction
        What was asked for.
    routing
        A routing that obeys the restriction; one like any other.
    load
        Its worst-case load (packets per cycle over channel bandwidth), exact.
    bounds
        What no routing of the restriction goes below, each with what proves it; all exact.
    oblivious
        Bounds of the best worst case of any oblivious routing on the paths allowed, None where it
        was not asked for.
    origin
        Where the routing comes from.
    moves, steps, seed
        How long was searched.

    Examples
    --------
    >>> from obroute import make_network
    >>> found = deploy(make_network("ring:5"), Restriction("single_path"), moves=10)
    >>> str(found.lower), str(found.load), found.is_best, str(found.price.lower)
    ('2', '2', True, '5/3')
    """

    network: Network
    restriction: Restriction
    routing: Routing
    load: Fraction
    bounds: tuple[Bound, ...]
    oblivious: Bounds | None
    origin: str
    moves: int
    steps: int
    seed: int

    @property
    def best_bound(self) -> Bound:
        """The highest of the bounds, of those the first."""
        return max(self.bounds, key=lambda bound: bound.load)

    @property
    def lower(self) -> Fraction:
        """A load that no routing of the restriction goes below: proved."""
        return self.best_bound.load

    @property
    def is_best(self) -> bool:
        """Whether it is proved that no routing of the restriction has a smaller load."""
        return self.lower == self.load

    @property
    def price(self) -> Bounds | None:
        """What it costs: the best load under it over that of any oblivious routing."""
        if self.oblivious is None or not self.oblivious.lower:
            return None
        return Bounds(self.lower / self.oblivious.upper, self.load / self.oblivious.lower)

    @property
    def claims(self) -> str:
        """What is proved, in words, a sentence a line."""
        return "\n".join(claims_of(self.restriction, self.load, self.best_bound))


def claims_of(restriction: Restriction, load: Fraction, bound: Bound) -> Sequence[str]:
    """Return what is proved of a routing and the best of its kind, with the scope."""
    scope = f"of all routings of {restriction}, under all permutations of the terminals' traffic"
    if bound.load == load:
        return [f"proved: the least worst-case load {scope} is {load} ({WORDS[bound.name]})"]
    return [
        f"proved: the least worst-case load {scope} is at least {bound.load} "
        f"({WORDS[bound.name]}) and at most {load}, which the routing has"
    ]


def deploy(
    network: Network,
    restriction: Restriction,
    *,
    moves: int = MOVES,
    steps: int = STEPS,
    seed: int = 0,
    without_best: bool = False,
) -> Deployment:
    """Find the best routing under a restriction, in a proved interval.

    Parameters
    ----------
    network, restriction
        Of what.
    moves
        Moves of local search; 0 for known routings alone, or one from a beginning at random.
    steps
        Paths and choices of them to try for a proof that nothing is better; 0 for none.
    seed
        Of the draws of the search.
    without_best
        Leave out the linear program of the best oblivious routing.

    Raises
    ------
    InputError
        If no routing obeys the restriction on the network.
    CertificateError
        If a routing was found that is not what the restriction says: a defect.
    """
    oblivious = None if without_best else best_oblivious(network)
    bounds = lower_bounds(network, restriction, oblivious)
    enough = max((bound.load for bound in bounds), default=Fraction(0))
    found = find_routing(network, restriction, moves=moves, seed=seed, enough=enough)
    if restriction.kind == "ecmp":
        bounds.append(Bound("nothing_to_choose", found.load))
    elif steps and found.load > enough:
        proved = exhaustive_bound(network, restriction, enough, found.load, steps)
        bounds += [] if proved is None else [proved]
    check_virtual_channels(network, restriction, found.routing)
    check_bounds(bounds, found.load)
    return Deployment(
        network,
        restriction,
        found.routing,
        found.load,
        tuple(bounds),
        oblivious,
        found.origin,
        moves,
        steps,
        seed,
    )


def check_bounds(bounds: Sequence[Bound], load: Fraction) -> None:
    """Hold bounds against a routing: none is above its load.

    Raises
    ------
    CertificateError
        If one is: a defect.
    """
    from obroute.certificates import CertificateError

    for bound in bounds:
        if bound.load > load:
            raise CertificateError(
                f"{bound.name}: no routing would have less than {bound.load}; one has {load}"
            )


def lower_bounds(
    network: Network, restriction: Restriction, oblivious: Bounds | None
) -> list[Bound]:
    """Return the bounds that take no search; loads of single paths are what these can have."""
    bounds = [] if oblivious is None else [Bound("oblivious", oblivious.lower)]
    if oblivious is not None and restriction.kind == "segments" and restriction.segments == 1:
        bounds.append(Bound("shortest", best_oblivious(network, "minimal").lower))
    known = max((bound.load for bound in bounds), default=Fraction(0))
    bounds += cheap_bounds(network, restriction, known)
    if not restriction.is_single:
        return bounds
    return [Bound(b.name, next_load(network, b.load), b.shares) for b in bounds]


def check_virtual_channels(network: Network, restriction: Restriction, routing: Routing) -> None:
    """Prove by the dependencies of channels that a routing is free of deadlock, where asked for.

    Raises
    ------
    CertificateError
        If it is not.
    """
    from obroute.certificates import CertificateError

    order = restriction.order(network)
    if order is None or restriction.virtual_channels is None:
        return
    paths = PathSet.of_routing(network, routing)
    verdict = check_deadlock(network, paths, restriction.virtual_channels, Rising(order))
    if not verdict.deadlock_free:
        raise CertificateError(
            f"{routing.name}: {restriction.virtual_channels} virtual channels leave a cycle of "
            f"{len(verdict.cycle)} channels"
        )
