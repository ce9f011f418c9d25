"""Processor seconds of work, the least of several runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


def timed(work: Callable[[], Made], repeats: int) -> tuple[float, Made]:
    """Return the least processor seconds of several runs, and what the last one made."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        made = work()
        seconds.append(time.process_time() - start)
    return min(seconds), made
