"""Runners of tasks that give results in order, whatever the order in which they work."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any


def shuffled(
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    batches: Sequence[Any],
    what: str,
    sizes: Sequence[int],
) -> list[Any]:
    """Run the batches in a shuffled order, and give the results in theirs."""
    assert len(batches) == len(sizes)
    order = list(range(len(batches)))
    random.Random(3).shuffle(order)
    done = {place: function(*shared, batches[place]) for place in order}
    return [done[place] for place in range(len(batches))]
