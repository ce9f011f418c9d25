"""Files written whole: under a temporary name beside the target, which is then renamed.

Where a link stands in the target's place, what it points to is written, as by ``open``.
"""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path

from obroute.specs import InputError


def behind_links(path: Path) -> Path:
    """Return where a path leads when every link on it is followed, whether it is there or not.

    Raises
    ------
    OSError
        If the links lead in a circle.
    """
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return found


def name_beside(path: Path) -> Path:
    """Return a hidden name in the same folder that nobody can guess."""
    return path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that under its name there is the old content or the new, never a part.

    What is no regular file, such as ``/dev/stdout`` or a named pipe that somebody reads, is
    written to as it is.

    Raises
    ------
    InputError
        If the file cannot be written; what was there stays.
    """
    try:
        if _takes_bytes_as_they_come(path):
            _write_into(path, content)
            return
        target = behind_links(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = name_beside(target)
        try:
            with scratch.open("xb") as file:
                file.write(content)
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write {path} ({error.strerror or error}); choose another place for it"
        ) from None


def _takes_bytes_as_they_come(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _write_into(path: Path, content: bytes) -> None:
    # A pipe that nobody reads would be waited for; so opened, it is an error.
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
