"""One permutation that a seed draws."""

from __future__ import annotations

import numpy as np

from obroute.specs import Parameter, parse_integer
from obroute.traffic.registry import Pattern, patterns


@patterns.register(
    "random_permutation",
    "one permutation drawn uniformly",
    (Parameter("seed", "seed of the draw", parse_integer(0), 0),),
    defined_for="every network with unit terminals",
)
def random_permutation(seed: int = 0) -> Pattern:
    """Return the permutation that the seed draws."""
    return Pattern(
        f"random_permutation:seed={seed}" if seed else "random_permutation",
        lambda network: np.random.default_rng(seed).permutation(len(network.sources)),
    )
