"""Standard output that may be full, closed or not read to its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any


class OutputLost(BaseException):
    """Standard output takes no more; passes whatever catches errors of the work itself."""


class _Output:
    """A stream that says of its own errors that they are."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def write(self, text: str) -> int:
        with _named():
            return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        with _named():
            self._stream.writelines(lines)

    def flush(self) -> None:
        with _named():
            self._stream.flush()


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputLost from error


@contextmanager
def output_that_may_fail() -> Iterator[None]:
    """Run a command; if its output cannot be written, end in one line and exit status 2.

    If nobody reads on, as behind ``| head``, it ends without a word, and with exit status 1. Where
    there is no standard output at all, nothing is printed.
    """
    stream = sys.stdout
    sys.stdout = _Output(stream or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputLost as lost:
        _forget_the_rest()
        if isinstance(lost.__cause__, BrokenPipeError):
            sys.exit(1)
        reason = getattr(lost.__cause__, "strerror", None) or lost.__cause__
        with suppress(OSError):
            sys.stderr.write(f"error: cannot write standard output ({reason}); it is incomplete\n")
        sys.exit(2)
    finally:
        sys.stdout = stream


def _forget_the_rest() -> None:
    """Let what is not written yet go nowhere, or Python would try once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
