"""Pairs whose paths are drawn."""

from typing import Literal

SampledPairs = Literal["canonical", "all"]
"""``canonical``: those of one source of every orbit; ``all``: those of every source."""
SAMPLED_PAIRS: SampledPairs = "canonical"
