"""What is said of work that lasts: its stage, how far it is, what is known, how long it took.

Whatever may last says so by :func:`stage` or :func:`count`. Nobody hears it unless somebody
listens (:func:`spoken`): the commands do, on standard error.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.progress import TaskID

WORTH_A_LINE = 2.0
"""Seconds that a stage takes on a terminal for its time to stay there."""
PATIENCE = 30.0
"""Seconds until a stage is told where there is no terminal; then after twice as long, …"""


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(3.52), duration(213), duration(7260)
    ('3.5 s', '3 min 33 s', '2 h 1 min')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


class Voice(Protocol):
    """Who hears of stages."""

    def stage(self, what: str) -> AbstractContextManager[Callable[[str], None]]:
        """See :func:`stage`."""

    def count(self, what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """See :func:`count`."""

    def aside(self) -> AbstractContextManager[object]:
        """See :func:`aside`."""


class _Silence:
    def stage(self, what: str) -> AbstractContextManager[Callable[[str], None]]:
        return nullcontext(lambda known: None)

    def count(self, what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        return nullcontext(lambda done: None)

    def aside(self) -> AbstractContextManager[object]:
        return nullcontext()


_voices: list[Voice] = [_Silence()]


def stage(what: str) -> AbstractContextManager[Callable[[str], None]]:
    """Say that a stage runs as long as the context; the function that it gives says what is known.

    Examples
    --------
    >>> with stage("least load") as known:
    ...     known("between 1 and 2")
    """
    return _voices[-1].stage(what)


def count(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Say how many of so many things are done; the function that it gives adds to them."""
    return _voices[-1].count(what, total)


def aside() -> AbstractContextManager[object]:
    """Leave the terminal to what is printed in the context."""
    return _voices[-1].aside()


@contextmanager
def spoken(quiet: bool = False) -> Iterator[None]:
    """Show on standard error what lasts, or nothing at all.

    On a terminal the stages that run are shown while they do, and those that took some seconds
    stay with their time. Elsewhere there are lines only of a stage that lasts half a minute.
    """
    _voices.append(_Silence() if quiet else _Speaker())
    try:
        yield
    finally:
        _voices.pop()


class _Speaker:
    """Bars on a terminal, else lines; made when there is something to say."""

    def __init__(self) -> None:
        self.voice: _Bars | _Lines | None = None

    def _found(self) -> _Bars | _Lines:
        if self.voice is None:
            self.voice = _Bars() if sys.stderr.isatty() else _Lines()
        return self.voice

    def stage(self, what: str) -> AbstractContextManager[Callable[[str], None]]:
        return self._found().stage(what)

    def count(self, what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        return self._found().count(what, total)

    def aside(self) -> AbstractContextManager[object]:
        return nullcontext() if self.voice is None else self.voice.aside()


class _Bars:
    """Bars on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[known]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True, markup=False, highlight=False),
            transient=True,
            redirect_stdout=False,  # which may be no terminal
            redirect_stderr=False,
        )
        self.running = 0

    @contextmanager
    def _task(self, what: str, total: int | None) -> Iterator[TaskID]:
        start = time.perf_counter()
        task = self.progress.add_task(what, total=total, known="")
        self.running += 1
        self.progress.start()
        try:
            yield task
        finally:
            known = next(one for one in self.progress.tasks if one.id == task).fields["known"]
            self.running -= 1
            self.progress.remove_task(task)
            if not self.running:
                self.progress.stop()
        seconds = time.perf_counter() - start
        if seconds >= WORTH_A_LINE:
            self.progress.console.print(_line(what, seconds, known), soft_wrap=True)

    @contextmanager
    def stage(self, what: str) -> Iterator[Callable[[str], None]]:
        with self._task(what, None) as task:
            yield lambda known: self.progress.update(task, known=known)

    @contextmanager
    def count(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        done = 0
        with self._task(what, total) as task:

            def more(number: int) -> None:
                nonlocal done
                done += number
                self.progress.update(task, completed=done, known=f"{done}/{total}")

            yield more

    @contextmanager
    def aside(self) -> Iterator[None]:
        if self.running:
            self.progress.stop()
        try:
            yield
        finally:
            if self.running:
                self.progress.start()


class _Lines(_Silence):
    """Lines where there is no terminal: of stages that last long, and seldom."""

    @contextmanager
    def stage(self, what: str) -> Iterator[Callable[[str], None]]:
        start, said = time.perf_counter(), ""
        ended = threading.Event()

        def note(known: str) -> None:
            nonlocal said
            said = known

        def tell() -> None:
            wait = PATIENCE
            while not ended.wait(wait):
                wait = time.perf_counter() - start
                _write(f"{_line(what, wait, said)} so far")

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield note
        finally:
            ended.set()
            teller.join()
        seconds = time.perf_counter() - start
        if seconds >= PATIENCE:
            _write(_line(what, seconds, said))


def _line(what: str, seconds: float, known: str) -> str:
    return f"{what}: {known + ', ' if known else ''}{duration(seconds)}"


def _write(line: str) -> Any:
    return sys.stderr.write(f"{line}\n")
