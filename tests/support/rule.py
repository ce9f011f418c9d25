"""The rule that every command keeps, whatever it is given, and a run that is held to it.

A right answer, or one line on standard error and the right status; in bounded time and memory; and
no file that is half written. Commands run in this process, where one takes milliseconds.
"""

from __future__ import annotations

import faulthandler
import io
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unicodedata import category
from unittest import mock

SECONDS = 20
BYTES = 2 * 2**30
STATUSES = (0, 1, 2)
LONGEST_LINE = 5000
"""Characters of an error: it may name a path, of up to 4096."""


class TooLong(BaseException):
    """What runs has had its time; no handler of errors holds it."""


@dataclass(frozen=True)
class Outcome:
    """What a command left: its status and what it printed."""

    words: tuple[str, ...]
    status: int
    printed: str
    errors: str


@contextmanager
def limits(seconds: float = SECONDS, growth: int = BYTES) -> Iterator[None]:
    """Let a block take so much time, and so much more memory, at the most.

    Memory beyond that is refused, so that it raises ``MemoryError``. Where compiled code does not
    listen to the alarm, the process ends with a traceback of where it is.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    allowed = resource.getrlimit(resource.RLIMIT_AS)
    held = _address_space()
    if held:
        resource.setrlimit(resource.RLIMIT_AS, (held + growth, allowed[1]))
    faulthandler.dump_traceback_later(seconds + 20, exit=True, file=sys.__stderr__)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_AS, allowed)
        signal.signal(signal.SIGALRM, before)


def _address_space() -> int:
    """Return the bytes that this process has mapped; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def run(folder: Path, *words: object) -> Outcome:
    """Run a command in a folder, and raise ``AssertionError`` where it breaks the rule."""
    import obroute_command

    said = tuple(map(str, words))
    command = "obroute " + " ".join(map(ascii, said))
    before = files_below(folder)
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    errors = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    status, broken, start = 0, "", time.monotonic()
    with (
        chdir(folder),
        mock.patch.object(sys, "argv", ["obroute", *said]),
        mock.patch.dict(os.environ),
        redirect_stdout(printed),
        redirect_stderr(errors),
    ):
        try:
            with limits():
                obroute_command.main()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except TooLong:
            broken = f"takes more than {SECONDS} s: {traceback.format_exc(limit=-6)}"
        except Exception:
            broken = f"ends in a traceback: {traceback.format_exc(limit=-8)}"
    found = Outcome(said, status, *(_written(stream) for stream in (printed, errors)))
    seconds = time.monotonic() - start
    broken = broken or fault(found)
    if not broken and seconds > SECONDS + 2:
        broken = f"took {seconds:.0f} s"
    if not broken:
        broken = _left_behind(before, files_below(folder), status)
    assert not broken, f"{command}: {broken}"
    return found


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def fault(found: Outcome) -> str:
    """Say what is wrong with what a command left; nothing if it keeps the rule."""
    raw = {mark for mark in found.printed + found.errors if category(mark) == "Cc"} - {"\n", "\t"}
    line, *more = found.errors.removesuffix("\n").split("\n")
    helped = not found.errors and "Usage: " in found.printed
    wrong = {
        "ends with another status": found.status not in STATUSES,
        "shows a traceback": "Traceback" in found.errors,
        f"takes more than {BYTES >> 20} MB": "out of memory" in found.errors,
        f"prints {sorted(raw)!a} as they are": bool(raw),
        "does not say what is wrong in one line": found.status != 0
        and not helped
        and (bool(more) or not line.startswith(("error: ", "wrong: "))),
        f"says it in {len(line)} characters": len(line) > LONGEST_LINE,
    }
    said = f"; status {found.status}, said {found.errors[:LONGEST_LINE]!r}"
    return next((fault + said for fault, is_so in wrong.items() if is_so), "")


def files_below(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of every file below a folder, by its name; links are not followed."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            state = file.lstat()
            found[str(file.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def _left_behind(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]], status: int
) -> str:
    changed = sorted(name for name, state in after.items() if before.get(name) != state)
    gone = sorted(before.keys() - after.keys())
    scratch = [name for name in changed if any(part.startswith(".") for part in Path(name).parts)]
    if scratch:
        return f"leaves {scratch[:3]} behind"
    if status and (changed or gone):
        return f"fails and leaves {changed[:3]}, without {gone[:3]}"
    return ""
