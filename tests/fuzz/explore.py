"""How far a property is explored: quickly, further, or without end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

WITHOUT_END = "OBROUTE_FUZZ" in os.environ
"""Whether `make fuzz` runs, which begins elsewhere at every round."""

EXTENTS = (
    pytest.param(1, id="quick"),
    pytest.param(10, id="further", marks=pytest.mark.slow),
)
"""Of a test with the argument ``times``: by what its number of examples is multiplied."""


def explore(
    check: Callable[..., None], examples: int, **strategies: st.SearchStrategy[Any]
) -> None:
    """Call a check with so many examples; the same ones in every run, but for `make fuzz`."""
    given(**strategies)(
        settings(
            max_examples=examples,
            derandomize=not WITHOUT_END,
            database=None,
            # What hangs would be run again and again to make it shorter.
            phases=[Phase.generate, *([Phase.shrink] if WITHOUT_END else [])],
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )(check)
    )()
