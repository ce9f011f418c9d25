"""Deployments: what switches can do, and how long to search."""

from typing import Literal

RestrictionKind = Literal["single_path", "destination", "ecmp", "wcmp", "segments"]
"""See :class:`~obroute.deployment.Restriction`."""

WEIGHT = 4
"""Largest weight of a next hop."""
SEGMENTS = 2
"""Shortest paths one after another."""
MOVES = 5_000
"""Moves of local search."""
STEPS = 5_000
"""Paths and choices of them that are tried for a proof that nothing is better."""
