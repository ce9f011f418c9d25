"""Files that a user names: regular ones, up to a stated size, as UTF-8, whole or in blocks.

A named pipe, a socket, a device or a folder is refused before a byte is read, by what was opened
and not only by its name, so that nothing waits for what never comes and nothing reads without end.
A symbolic link stands for what it leads to.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from obroute.found_files import placed
from obroute.progress import count
from obroute.specs import InputError, shown

SIZE_VARIABLE = "OBROUTE_INPUT_MEGABYTES"
"""The environment variable that says how large a file may be, in megabytes."""
LARGEST_INPUT = 100
"""Megabytes that a file may have where the variable says nothing."""
BYTES_A_LINE = 50
"""What a line counts at the least: read, the shortest takes hundreds of bytes of memory."""
MEGABYTE = 10**6
LARGE_FILE = 5
"""Megabytes from which the reading of a file is said to last."""
_PIECE = 2**20
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_OTHER_ENCODINGS = (
    ("UTF-32", codecs.BOM_UTF32_LE),
    ("UTF-32", codecs.BOM_UTF32_BE),
    ("UTF-16", codecs.BOM_UTF16_LE),
    ("UTF-16", codecs.BOM_UTF16_BE),
)


class ManyLinesError(InputError):
    """A file of more lines than are read at once."""


def largest(usual: int = LARGEST_INPUT) -> int:
    """Return how many bytes a file may have: what the environment says, or else the usual.

    Parameters
    ----------
    usual
        Megabytes.

    Raises
    ------
    InputError
        If the environment says what is no number of megabytes.
    """
    given = os.environ.get(SIZE_VARIABLE, "").strip()
    if not given:
        return usual * MEGABYTE
    if not (given.isascii() and given.isdigit() and len(given) <= 9 and int(given)):
        raise InputError(
            f"{SIZE_VARIABLE} is {shown(given)}; expected a whole number of megabytes, such as 500"
        )
    return int(given) * MEGABYTE


def read_bytes(file: Path, usual: int = LARGEST_INPUT) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    file
        Its place.
    usual
        Megabytes that it may have where the environment says nothing.

    Raises
    ------
    InputError
        If it cannot be read, is no regular file, or is too large.
    """
    return b"".join(_pieces(file, largest(usual)))


def read_head(file: Path, most: int = 2**16) -> bytes:
    """Return the first bytes of a file, all of it where it is no longer.

    Parameters
    ----------
    file
        Its place.
    most
        Bytes at the most.

    Raises
    ------
    InputError
        If it cannot be read, or is no regular file.
    """
    with _opened(file) as (number, _):
        head = b""
        while len(head) < most and (piece := os.read(number, most - len(head))):
            head += piece
        return head


def read_text(file: Path, expected: str, usual: int = LARGEST_INPUT) -> str:
    """Return the text of a file; a byte order mark of UTF-8 is no part of it.

    Parameters
    ----------
    file, usual
        As for :func:`read_bytes`.
    expected
        What should be in it, for errors: ``CSV or JSON``.

    Raises
    ------
    InputError
        If it cannot be read, is no regular file, is too large or is no text in UTF-8.
    """
    content = read_bytes(file, usual)
    lines = max(content.count(end) for end in (b"\n", b"\r"))
    if lines * BYTES_A_LINE > largest(usual):
        raise ManyLinesError(
            f"{file} has {lines:,} lines, and at most {largest(usual) // BYTES_A_LINE:,} are read "
            f"of one file; set {SIZE_VARIABLE} to read more"
        )
    return _decoded(content, file, expected)


def read_blocks(file: Path, expected: str) -> Iterator[str]:
    """Yield the text of a file in blocks of whole lines, some megabytes at the most in memory.

    A large file is shown on the terminal by what of it has been read. There may be any number of
    lines, which who takes them does not keep.

    Parameters
    ----------
    file, expected
        As for :func:`read_text`.

    Raises
    ------
    InputError
        As for :func:`read_text`, once the block is read that is wrong.
    """
    lines, line = 0, list[bytes]()
    with _counted(file) as read:
        for piece in _pieces(file, largest()):
            read(len(piece))
            whole, end, begun = piece.rpartition(b"\n")
            if end:
                block = b"".join((*line, whole, end))
                yield _decoded(block, file, expected, lines)
                lines += block.count(b"\n")
                line = []
            line.append(begun)
        if rest := b"".join(line):
            yield _decoded(rest, file, expected, lines)


@contextmanager
def _counted(file: Path) -> Iterator[Callable[[int], None]]:
    """Show how many megabytes of a file are read, where there are some."""
    with _opened(file) as (_, size):
        megabytes = size // MEGABYTE
    if megabytes < LARGE_FILE:
        yield lambda _: None
        return
    found = 0
    with count(f"megabytes of {file.name}", megabytes) as more:

        def read(number: int) -> None:
            nonlocal found
            before = found // MEGABYTE
            found += number
            more(min(found // MEGABYTE, megabytes) - min(before, megabytes))

        yield read


def _decoded(content: bytes, file: Path, expected: str, before: int = 0) -> str:
    """Return the text of a file, or of a part of it that has so many lines before it."""
    if not before:
        for encoding, mark in _OTHER_ENCODINGS:
            if content.startswith(mark):
                raise InputError(
                    f"{file} is not a text file; expected {expected} in UTF-8, and it is in "
                    f"{encoding}: save it as UTF-8"
                )
    nul = content.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{file} is not a text file; expected {expected} in UTF-8, and line "
            f"{before + _line(content, nul)} holds a NUL byte"
        )
    try:
        return content.decode("utf-8" if before else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file} is not a text file; expected {expected} in UTF-8, and line "
            f"{before + _line(content, error.start)} is not"
        ) from None


def read_end(file: Path, most: int = 10**6) -> str:
    """Return the end of the text of a file that programs write, such as a log.

    Parameters
    ----------
    file
        Its place; what is not UTF-8 in it is marked so.
    most
        Bytes at the most.

    Raises
    ------
    InputError
        If it cannot be read, or is no regular file.
    """
    with _opened(file) as (number, size):
        os.lseek(number, max(0, size - most), os.SEEK_SET)
        return os.read(number, most).decode("utf-8", errors="replace")


def digest(file: Path) -> str:
    """Return the SHA-256 of the content of a file, in hexadecimal digits.

    Raises
    ------
    InputError
        As for :func:`read_bytes`.
    """
    found = hashlib.sha256()
    for piece in _pieces(file, largest()):
        found.update(piece)
    return found.hexdigest()


def check_regular(folder: Path) -> None:
    """Refuse a folder in which there is anything but folders and files as they may be read.

    Libraries that read a whole folder (zarr) would wait for a named pipe in it for ever.

    Raises
    ------
    InputError
        Names the first that is neither.
    """
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            within = os.path.join(place, name)  # noqa: PTH118  # many, and a Path takes its time
            try:
                found = os.stat(within)  # noqa: PTH116
            except OSError as error:
                raise InputError(f"cannot read {within}: {error.strerror}") from None
            if name in files or os.path.islink(within):  # noqa: PTH114
                _check_mode(within, found.st_mode)
                _check_size(within, found.st_size, largest())


def _pieces(file: Path, most: int) -> Iterator[bytes]:
    """Yield the content of a file, no more than may be read."""
    with _opened(file) as (number, size):
        _check_size(file, size, most)
        # What a file system makes up as it is read (/proc) says that it has no bytes.
        found = 0
        while piece := os.read(number, _PIECE):
            found += len(piece)
            _check_size(file, found, most)
            yield piece


def _check_size(file: Path | str, size: int, most: int) -> None:
    if size <= most:
        return
    raise InputError(
        f"{file} has more than {most // MEGABYTE:,} MB, which is what is read of one file; set "
        f"{SIZE_VARIABLE} to read more"
    )


@contextmanager
def _opened(file: Path) -> Iterator[tuple[int, int]]:
    """Open a regular file; give its descriptor and its size."""
    try:
        place = placed(file)
        _check_mode(file, place.stat().st_mode)
        # Opening a pipe would wait for a writer; it may have come between the name and here.
        number = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            found = os.fstat(number)
            _check_mode(file, found.st_mode)
            yield number, found.st_size
        finally:
            os.close(number)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from None
    except ValueError as error:  # a name that no file can have
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read a file called {shown(str(file))}: {error}") from None


def _check_mode(file: Path | str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((kind for holds, kind in _KINDS if holds(mode)), "no file")
        raise InputError(f"cannot read {file}: it is {kind}; expected a regular file")


def _line(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1
