"""Which cases of a test are tried at once, and which only where there is time."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], quick: int | Container[Any] = 1) -> list[Any]:
    """Give cases to pytest: the first ones quick (or those named), all others marked slow.

    A case that is a tuple has an argument of the test for each of its entries.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[] if _is_quick(place, value, quick) else [pytest.mark.slow],
        )
        for place, value in enumerate(values)
    ]


def _is_quick(place: int, value: Any, quick: int | Container[Any]) -> bool:
    return place < quick if isinstance(quick, int) else value in quick
