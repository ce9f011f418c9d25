"""Collectives step by step: who sends how much to whom, one algorithm a file or a few."""

from obroute.collectives.contract import (
    Collective,
    CollectiveLoads,
    Collectives,
    Step,
    collective_loads,
    collectives,
    make_collective,
)

__all__ = [
    "Collective",
    "CollectiveLoads",
    "Collectives",
    "Step",
    "collective_loads",
    "collectives",
    "make_collective",
]
