"""How work in batches is run: the protocol that runners follow, and the runner of one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

TASK_SECONDS = 0.2
"""What a task should take: long beside the time to send it, short beside the wait for the last."""


class TaskRunner(Protocol):
    """Runs one function over many batches; see :mod:`obroute.execution`."""

    def __call__(
        self,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        batches: Sequence[Any],
        what: str,
        sizes: Sequence[int],
    ) -> Iterable[Any]:
        """Yield ``function(*shared, batch)`` for every batch, in order.

        ``what`` names the things in a batch and ``sizes`` counts them, for progress.
        """


def run_serially(
    function: Callable[..., Any],
    shared: tuple[Any, ...],
    batches: Sequence[Any],
    what: str,
    sizes: Sequence[int],
) -> Iterator[Any]:
    """Run batch after batch in this thread."""
    return (function(*shared, batch) for batch in batches)


def things_a_task(seconds: float) -> int:
    """Return how many things that take so many seconds each make a task.

    >>> things_a_task(0.05), things_a_task(10)
    (4, 1)
    """
    return max(1, int(TASK_SECONDS / seconds))
