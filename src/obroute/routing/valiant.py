"""Valiant's algorithm: through a random intermediate, which spreads any traffic evenly."""

from __future__ import annotations

from typing import Annotated

from obroute.routing.by_family import ByFamily
from obroute.routing.grid_moves import FIXED, SPLIT, DimensionsInOrder, Ties
from obroute.routing.registry import routings
from obroute.specs import InputError, Parameter, parse_choice, shown

OWN = "own"
"""The base that a network's family has: dimension order on grids, minimal routing elsewhere."""
TERMINAL, GROUP, GROUP_ROUTER = "terminal", "group", "group_router"


def _parse_base(text: str) -> str:
    """Read the name of a routing, which stands in round brackets where it has a comma."""
    if text == OWN:
        return text
    if text.count("(") != text.count(")"):
        raise InputError(
            f"{shown(text)} has a bracket without its other; close it, or leave it out"
        )
    bracketed = text.startswith("(") and text.endswith(")")
    return routings.create(text[1:-1] if bracketed else text).name


def _base_text(name: str) -> str:
    return f"({name})" if set(name) & {",", "+"} else name


Base = Annotated[
    str,
    Parameter(
        "routing of both phases, in round brackets where its name has a comma; own: dimension "
        "order on grids, minimal elsewhere",
        _parse_base,
        _base_text,
    ),
]


@routings.register(
    "valiant",
    "through a uniformly random terminal, a base routing in both phases (VAL)",
    aliases=("val",),
    defined_for=lambda: Valiant.families(),  # noqa: PLW0108  # no class yet
    examples=("valiant", "valiant:base=ecmp"),
    small=(
        "valiant",
        "valiant:order=random",
        "valiant:order=1-0,ties=positive",
        "valiant:base=ecmp",
        "valiant:through=group",
        "valiant:through=group_router",
    ),
)
class Valiant(ByFamily):
    """Valiant's algorithm (VAL): a base routing to a terminal drawn from all, and on from there.

    The terminal is drawn in proportion to its hosts, source and destination included. ``base`` is
    the routing of both phases: dimension order on grids, of ``order`` and ``ties``, and minimal
    routing elsewhere. On dragonflies ``through=group`` draws a group that is neither the source's
    nor the destination's, and ``through=group_router`` a router in place of it where the two are
    of one group.

    >>> from obroute import evaluate
    >>> evaluate("torus:4x4", "valiant").worst_case_load
    Fraction(1, 1)
    >>> str(evaluate("dragonfly:p=2,a=4,h=2", "valiant").worst_case_load)
    '17/9'
    """

    def __init__(
        self,
        order: DimensionsInOrder = FIXED,
        ties: Ties = SPLIT,
        base: Base = OWN,
        through: Annotated[
            str,
            Parameter(
                "what is drawn: terminal (of all, hosts counted), group (of neither end) or "
                "group_router (a router within the group, a group between groups)",
                parse_choice(TERMINAL, GROUP, GROUP_ROUTER),
            ),
        ] = TERMINAL,
    ) -> None:
        super().__init__()
        self.order, self.ties, self.base, self.through = order, ties, base, through
