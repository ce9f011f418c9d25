"""What ends a command: whatever goes wrong is one line, and a status that says whose it is."""

from __future__ import annotations

import os
import traceback
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from obroute.names import printable, shortened
from obroute.specs import CertificateError, InputError, RequirementError, TaskError

WRONG, INPUT, DEFECT = 1, 2, 70
"""Exit statuses: a proof, a requirement or a task that failed; an input to be mended; a defect."""
DEBUG = "OBROUTE_DEBUG"
"""The environment variable that asks for tracebacks; jobs of a sweep inherit it."""
LONGEST = 4000
_WRONG: dict[type[Exception], str] = {
    CertificateError: "wrong",
    RequirementError: "required",
    TaskError: "error",
}


def debugging() -> bool:
    """Say whether tracebacks are asked for."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def described(error: Exception) -> tuple[str, int]:
    """Return the line that says what went wrong, and the exit status.

    Examples
    --------
    >>> described(InputError("radix 1; expected at least 2"))
    ('error: radix 1; expected at least 2', 2)
    >>> described(OSError(28, "No space left on device", "out.csv"))
    ('error: out.csv: No space left on device', 2)
    >>> described(TypeError("what"))[0]
    'error: a defect of obroute, not of what it was given: TypeError: what; ...'
    """
    line, status = _described(error)
    if debugging():
        line = "".join(traceback.format_exception(error)) + printable(line)
        return line, status
    return shortened(printable(line), LONGEST), status


def _described(error: Exception) -> tuple[str, int]:
    if isinstance(error, InputError):
        return f"error: {error}", INPUT
    for kind, word in _WRONG.items():
        if isinstance(error, kind):
            return f"{word}: {error}", WRONG
    if isinstance(error, MemoryError):
        return "error: out of memory; take a smaller network, or a machine with more", INPUT
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"error: {where}{error.strerror}", INPUT
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = _place(error)
    return (
        f"error: a defect of obroute, not of what it was given: {shortened(said)}{place}; "
        f"`obroute --debug` before the same words shows all of it; please report that "
        f"{_where_to_report()}",
        DEFECT,
    )


def _place(error: Exception) -> str:
    """Return the last line of our own that the error passed."""
    package = Path(__file__).parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_relative_to(package):
            return f" ({file.relative_to(package)}:{frame.lineno})"
    return ""


def _where_to_report() -> str:
    """Return where the distribution says that defects are reported."""
    try:
        urls = metadata("obroute").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    for named in urls:
        label, _, url = named.partition(",")
        if label.strip().lower() in ("issues", "bug tracker", "tracker"):
            return f"at {url.strip()}"
    return "to whom you have obroute from"
