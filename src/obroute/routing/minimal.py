"""Minimal routing: what the family of a network calls so, or all shortest paths."""

from __future__ import annotations

from typing import Annotated

from obroute.routing.by_family import ByFamily
from obroute.routing.registry import routings
from obroute.specs import Parameter, parse_choice

SPLITS = ("paths", "hops", "bandwidth")

Split = Annotated[
    str,
    Parameter(
        "paths: all shortest paths equally likely; hops: at each node an equal share to each "
        "channel on a shortest path; bandwidth: at each node in proportion to bandwidth",
        parse_choice(*SPLITS),
    ),
]


@routings.register(
    "minimal",
    "the minimal routing of the network's family; all shortest paths where it has none",
    defined_for=lambda: Minimal.families(),  # noqa: PLW0108  # no class yet
    examples=("minimal",),
    small=("minimal:split=hops",),
)
class Minimal(ByFamily):
    """Minimal routing, as the family of the network has it; elsewhere ``ecmp``.

    ``split`` says which share each of several shortest paths gets, as of ``ecmp``. A family whose
    minimal routing is no choice among all shortest paths does not take it.

    >>> from obroute import evaluate
    >>> evaluate("complete:4", "minimal").worst_case_load
    Fraction(1, 1)
    """

    def __init__(self, split: Split = "paths") -> None:
        super().__init__()
        self.split = split
