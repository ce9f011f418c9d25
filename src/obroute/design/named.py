"""Designs by name, as routings of the registry: ``2turn``, ``2turna``, ``optimal``.

Each is designed when it is first used on a network. ``obroute design --save`` keeps one in a
store, which is the better way to use it more than once.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from obroute.choices.designs import OBJECTIVE, PATHS, SAMPLES, SYMMETRY
from obroute.design.designs import Design, design
from obroute.design.problem import OBJECTIVES, SYMMETRIES
from obroute.network import Network
from obroute.routing import Routing, routings
from obroute.routing.designed import RoutingByNetwork
from obroute.routing.two_turn import MOST_RUNS
from obroute.specs import (
    LARGEST_SEED,
    MOST_SAMPLES,
    InputError,
    Parameter,
    parse_choice,
    parse_integer,
    parse_positive_fraction,
)
from obroute.topologies.grid import Grid

NAMED_DESIGNS: dict[str, dict[str, Any]] = {
    "2turn": {"objective": "worst_case", "paths": "two_turn", "then": "locality"},
    "2turna": {"objective": "average_case", "paths": "two_turn", "then": "locality"},
    "optimal": {"objective": "worst_case", "then": "locality"},
}
"""What :func:`obroute.design.design` is asked for by each name."""

PATH_SETS = (PATHS, "minimal", "two_turn", "minimal+two_turn")
"""The path sets of designs by name; ``obroute design --paths`` knows more."""


class NamedDesign(RoutingByNetwork):
    """A routing that is designed for each network when it is first used there."""

    designs = True

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__()
        self.settings = settings

    def design(self, network: Network) -> Design:
        """Return the design for a network."""
        self.check(network)
        return self.remember(network, "design", lambda: design(network, **self.settings))

    def check(self, network: Network) -> None:
        """Raise where the design is not defined; nothing is designed yet."""
        two_turns = "two_turn" in str(self.settings.get("paths")).split("+")
        if two_turns and not (isinstance(network, Grid) and len(network.radices) <= MOST_RUNS):
            raise InputError(
                f"{self.name} is not defined on {network.name}; it is for {_GRIDS} of at most "
                f"{MOST_RUNS} dimensions"
            )
        if self.settings["objective"] == "average_case" and not network.has_unit_terminals:
            where = f"{_GRIDS} with such" if two_turns else "networks with such"
            raise InputError(
                f"{self.name} is not defined on {network.name}: the average case needs terminals "
                f"that each inject and eject one packet per cycle; it is for {where}"
            )

    def made_for(self, network: Network) -> Routing:
        """Return the routing of the design for a network."""
        return self.design(network).routing


def _of_average_case(values: Mapping[str, Any]) -> bool:
    return bool(values.get("objective", "average_case") == "average_case")


def _no_bound_or_positive(text: str) -> Fraction | None:
    return None if text == "0" else parse_positive_fraction(text)


Samples = Annotated[
    int,
    Parameter(
        "traffic matrices in the sample", parse_integer(1, MOST_SAMPLES), matters=_of_average_case
    ),
]
Seed = Annotated[
    int, Parameter("seed of the sample", parse_integer(0, LARGEST_SEED), matters=_of_average_case)
]
Symmetry = Annotated[
    str,
    Parameter(
        "the group whose images of the sample count, too: " + ", ".join(SYMMETRIES),
        parse_choice(*SYMMETRIES),
    ),
]
_GRIDS = "torus, mesh, ring and hypercube networks"


@routings.register(
    "2turn",
    "2TURN: the best worst case on paths of at most two turns, then the shortest paths",
    defined_for=_GRIDS,
    examples=("2turn",),
    small=("2turn",),
)
def two_turn() -> NamedDesign:
    """Return 2TURN (SPAA 2003, section 5.2).

    >>> from obroute import make_network
    >>> two_turn().design(make_network("torus:4x4")).normalized_path_length
    Fraction(27, 20)
    """
    return NamedDesign(NAMED_DESIGNS["2turn"])


@routings.register(
    "2turna",
    "2TURNA: the best average case on paths of at most two turns, then the shortest paths",
    defined_for=_GRIDS,
    examples=("2turna:samples=20",),
    small=("2turna:samples=5,seed=2,symmetry=translations",),
)
def two_turn_average(
    samples: Samples = SAMPLES, seed: Seed = 0, symmetry: Symmetry = SYMMETRY
) -> NamedDesign:
    """Return 2TURNA (SPAA 2003, section 5.4) for a sample of random permutations."""
    values = {"samples": samples, "seed": seed, "symmetry": symmetry}
    return NamedDesign(NAMED_DESIGNS["2turna"] | _without_auto(values))


@routings.register(
    "optimal",
    "the best worst case (or capacity, or average case), then the shortest paths",
    examples=("optimal", "optimal:locality=5/4"),
    small=(
        "optimal:locality=5/4",
        "optimal:load=4",
        "optimal:objective=average_case,paths=minimal,samples=5,seed=3",
        "optimal:symmetry=translations,then=none",
    ),
)
def optimal(
    objective: Annotated[
        str,
        Parameter("worst_case, capacity or average_case", parse_choice(*OBJECTIVES)),
    ] = OBJECTIVE,
    paths: Annotated[
        str, Parameter("all, minimal, two_turn or minimal+two_turn", parse_choice(*PATH_SETS))
    ] = PATHS,
    locality: Annotated[
        Fraction | None,
        Parameter(
            "bound on the mean path length over that of shortest paths; 0 for none",
            _no_bound_or_positive,
        ),
    ] = None,
    *,
    load: Annotated[
        Fraction | None,
        Parameter("bound on the load in place of the best; 0 for the best", _no_bound_or_positive),
    ] = None,
    samples: Samples = SAMPLES,
    seed: Seed = 0,
    symmetry: Symmetry = SYMMETRY,
    then: Annotated[
        str,
        Parameter(
            "locality or none: of the best routings, one of the shortest paths, or any",
            parse_choice("locality", "none"),
        ),
    ] = "locality",
) -> NamedDesign:
    """Return the optimal routing for an objective, within a bound on path length.

    >>> from obroute import make_network
    >>> optimal(locality=Fraction(5, 4)).design(make_network("torus:4x4")).fraction_of_capacity
    Fraction(8, 17)
    """
    values: dict[str, Any] = {"objective": objective, "paths": paths, "locality": locality}
    values |= {"load": load, "symmetry": symmetry, "then": None if then == "none" else then}
    if _of_average_case(values):
        values |= {"samples": samples, "seed": seed}
    return NamedDesign(_without_auto(values))


def _without_auto(values: dict[str, Any]) -> dict[str, Any]:
    """Leave the symmetry to who asks where the name leaves it open."""
    return {key: value for key, value in values.items() if (key, value) != ("symmetry", SYMMETRY)}
