"""One permutation that a seed draws."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from obroute.specs import LARGEST_SEED, Parameter, parse_integer
from obroute.traffic.registry import Pattern, patterns


@patterns.register(
    "random_permutation",
    "one permutation drawn uniformly",
    defined_for="every network with unit terminals",
    examples=("random_permutation", "random_permutation:seed=1"),
    small=("random_permutation", "random_permutation:seed=3"),
)
def random_permutation(
    seed: Annotated[int, Parameter("seed of the draw", parse_integer(0, LARGEST_SEED))] = 0,
) -> Pattern:
    """Return the permutation that the seed draws."""
    return Pattern(
        lambda network: np.random.default_rng(seed).permutation(len(network.sources)),
    )
